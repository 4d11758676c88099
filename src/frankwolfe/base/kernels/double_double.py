"""Double-double arithmetic for proofs: unevaluated sums of two doubles, with error bounds.

Additions and products are made exact by their rounding errors (Knuth, Dekker), so nothing here
may be compiled with fast-math. With u = 2^-53 each operation of two such numbers has a relative
error of at most 10 u^2 (Joldes, Muller and Popescu); bounds below use `STEP` = 16 u^2.

References
----------
T. Ogita, S. M. Rump and S. Oishi, *Accurate sum and dot product*, SIAM Journal on Scientific
Computing 26, 2005; M. Joldes, J.-M. Muller and V. Popescu, *Tight and rigorous error bounds for
basic building blocks of double-word arithmetic*, ACM Transactions on Mathematical Software 44,
2017.
"""

from __future__ import annotations

from numba import njit

from frankwolfe.base.kernels.elementary import fma

__all__ = [
    "STEP",
    "UNDERFLOW",
    "add",
    "add_rows",
    "add_sparse",
    "divide",
    "dot",
    "multiply",
    "row_sums",
    "split",
    "total",
]

UNIT = 2.0**-53
STEP = 16.0 * UNIT * UNIT  # relative error of one operation, from above
UNDERFLOW = 2.0**-1060  # bound on what underflow may add to the error of one product


@njit(inline="always")
def two_sum(a, b):
    """Rounded a + b and its exact error (Knuth's TwoSum)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@njit(inline="always")
def split(h, l):  # noqa: E741
    """h + l as two numbers that do not overlap, for |h| >= |l| (Dekker's Fast2Sum)."""
    s = h + l
    return s, l - (s - h)


@njit(inline="always")
def two_product(a, b):
    """Rounded a b and its exact error."""
    p = a * b
    return p, fma(a, b, -p)


@njit(inline="always")
def add(ah, al, bh, bl):
    """Sum of two double-doubles."""
    sh, sl = two_sum(ah, bh)
    th, tl = two_sum(al, bl)
    vh, vl = split(sh, sl + th)
    return split(vh, tl + vl)


@njit(inline="always")
def multiply(ah, al, bh, bl):
    """Product of two double-doubles."""
    h, e = two_product(ah, bh)
    return split(h, e + fma(ah, bl, al * bh))


@njit(inline="always")
def divide(ah, al, bh, bl):
    """Quotient of two double-doubles."""
    q = ah / bh
    ph, pl = multiply(q, 0.0, bh, bl)
    rh, rl = add(ah, al, -ph, -pl)
    return split(q, (rh + rl) / bh)


@njit(inline="always")
def add_term(high, low, sizes, j, value, a, b):
    """Add value (a + b) to high[j] + low[j], and its size to sizes[j]."""
    p, e = two_product(value, a)
    s, t = two_sum(high[j], p)
    high[j] = s
    low[j] += t + (e + value * b)
    sizes[j] += abs(p)


@njit(cache=True, nogil=True, error_model="numpy")
def add_rows(rows, h, l, high, low, sizes):  # noqa: E741
    """Add the rows, times h + l, to high + low; `sizes` gets the sum of |row| |h|.

    The part `low` is summed plainly: after k rows its error is at most 4 (k + 2)^2 u^2 sizes.
    """
    for i in range(rows.shape[0]):
        a, b = h[i], l[i]
        if a != 0.0 or b != 0.0:
            for j in range(rows.shape[1]):
                add_term(high, low, sizes, j, float(rows[i, j]), a, b)


@njit(cache=True, nogil=True, error_model="numpy")
def add_sparse(ends, places, entries, h, l, high, low, sizes):  # noqa: E741
    """Add compressed rows, times h + l, to high + low; `sizes` gets the sum of |row| |h|."""
    for i in range(ends.size - 1):
        a, b = h[i], l[i]
        if a != 0.0 or b != 0.0:
            for k in range(ends[i], ends[i + 1]):
                add_term(high, low, sizes, places[k], float(entries[k]), a, b)


@njit(cache=True, nogil=True, error_model="numpy")
def row_sums(ends, places, entries, h, l, high, low, sizes):  # noqa: E741
    """Add the product of each compressed row with h + l to high + low; |terms| to `sizes`."""
    for i in range(ends.size - 1):
        for k in range(ends[i], ends[i + 1]):
            j = places[k]
            add_term(high, low, sizes, i, float(entries[k]), h[j], l[j])


@njit(cache=True, nogil=True, error_model="numpy")
def dot(ah, al, bh, bl):
    """Inner product of two vectors, and a bound on its error."""
    h = l = size = 0.0  # noqa: E741
    for i in range(ah.size):
        ph, pl = multiply(ah[i], al[i], bh[i], bl[i])
        h, l = add(h, l, ph, pl)  # noqa: E741
        size += abs(ph)
    return h, l, (ah.size + 3) * (STEP * size * (1.0 + ah.size * 2.0 * UNIT) + UNDERFLOW)


@njit(cache=True, nogil=True, error_model="numpy")
def total(ah, al):
    """Sum of the entries, and a bound on its error."""
    h = l = size = 0.0  # noqa: E741
    for i in range(ah.size):
        h, l = add(h, l, ah[i], al[i])  # noqa: E741
        size += abs(ah[i])
    return h, l, (ah.size + 3) * STEP * size * (1.0 + ah.size * 2.0 * UNIT)


@njit(cache=True, nogil=True, error_model="numpy")
def factored(ends, columns, left, weights, right, high, low, sizes):
    """high + low = sum_k weight_k left_ki right_kj on each cell, with the sums of |terms|."""
    for i in range(ends.size - 1):
        for c in range(ends[i], ends[i + 1]):
            j = columns[c]
            h = l = size = 0.0  # noqa: E741
            for k in range(weights.size):
                ph, pl = two_product(float(weights[k]), float(left[k, i]))
                ph, pl = multiply(ph, pl, float(right[k, j]), 0.0)
                h, l = add(h, l, ph, pl)  # noqa: E741
                size += abs(ph)
            high[c], low[c], sizes[c] = h, l, size


@njit(cache=True, nogil=True, error_model="numpy")
def scaled(a, h, l, high, low):  # noqa: E741
    """high + low = a (h + l), for one number h + l."""
    for i in range(a.size):
        high[i], low[i] = multiply(a[i], 0.0, h, l)


@njit(cache=True, nogil=True, error_model="numpy")
def sums(ah, al, bh, bl, high, low):
    """high + low = a + b, entry by entry."""
    for i in range(ah.size):
        high[i], low[i] = add(ah[i], al[i], bh[i], bl[i])


@njit(cache=True, nogil=True, error_model="numpy")
def normalize(high, low):
    """high + low as pairs that do not overlap, in place."""
    for i in range(high.size):
        high[i], low[i] = two_sum(high[i], low[i])
