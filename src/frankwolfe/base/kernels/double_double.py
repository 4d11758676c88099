"""Numbers as unevaluated sums of two doubles, for proofs: about 32 digits, with error bounds.

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

from numba import njit, types
from numba.extending import intrinsic

__all__ = [
    "STEP",
    "TINY",
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
TINY = 2.0**-1060  # what underflow may add to one product


@intrinsic
def fma(typingctx, a, b, c):  # type: ignore[no-untyped-def]
    """a b + c with one rounding."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.fma(*args)

    return types.float64(types.float64, types.float64, types.float64), codegen


@njit(inline="always")
def two_sum(a, b):  # type: ignore[no-untyped-def]
    """a + b, rounded, and its error."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@njit(inline="always")
def split(h, l):  # type: ignore[no-untyped-def]  # noqa: E741
    """h + l as two numbers that do not overlap, for |h| >= |l|."""
    s = h + l
    return s, l - (s - h)


@njit(inline="always")
def two_product(a, b):  # type: ignore[no-untyped-def]
    """a b, rounded, and its error."""
    p = a * b
    return p, fma(a, b, -p)


@njit(inline="always")
def add(ah, al, bh, bl):  # type: ignore[no-untyped-def]
    """A sum."""
    sh, sl = two_sum(ah, bh)
    th, tl = two_sum(al, bl)
    vh, vl = split(sh, sl + th)
    return split(vh, tl + vl)


@njit(inline="always")
def multiply(ah, al, bh, bl):  # type: ignore[no-untyped-def]
    """A product."""
    h, e = two_product(ah, bh)
    return split(h, e + fma(ah, bl, al * bh))


@njit(inline="always")
def divide(ah, al, bh, bl):  # type: ignore[no-untyped-def]
    """A quotient."""
    q = ah / bh
    ph, pl = multiply(q, 0.0, bh, bl)
    rh, rl = add(ah, al, -ph, -pl)
    return split(q, (rh + rl) / bh)


@njit(inline="always")
def add_term(high, low, sizes, j, value, a, b):  # type: ignore[no-untyped-def]
    """Add value (a + b) to high[j] + low[j], and its size to sizes[j]."""
    p, e = two_product(value, a)
    s, t = two_sum(high[j], p)
    high[j] = s
    low[j] += t + (e + value * b)
    sizes[j] += abs(p)


@njit(cache=True, nogil=True, error_model="numpy")
def add_rows(rows, h, l, high, low, sizes):  # type: ignore[no-untyped-def]  # noqa: E741
    """Add the rows, times h + l, to high + low; `sizes` gets the sum of |row| |h|.

    The part `low` is summed plainly: after k rows its error is at most 4 (k + 2)^2 u^2 sizes.
    """
    for i in range(rows.shape[0]):
        a, b = h[i], l[i]
        if a != 0.0 or b != 0.0:
            for j in range(rows.shape[1]):
                add_term(high, low, sizes, j, float(rows[i, j]), a, b)


@njit(cache=True, nogil=True, error_model="numpy")
def add_sparse(ends, places, entries, h, l, high, low, sizes):  # type: ignore[no-untyped-def]  # noqa: E741
    """The same for compressed rows."""
    for i in range(ends.size - 1):
        a, b = h[i], l[i]
        if a != 0.0 or b != 0.0:
            for k in range(ends[i], ends[i + 1]):
                add_term(high, low, sizes, places[k], float(entries[k]), a, b)


@njit(cache=True, nogil=True, error_model="numpy")
def row_sums(ends, places, entries, h, l, high, low, sizes):  # type: ignore[no-untyped-def]  # noqa: E741
    """Each compressed row times h + l, added to high + low, with the sums of sizes."""
    for i in range(ends.size - 1):
        for k in range(ends[i], ends[i + 1]):
            j = places[k]
            add_term(high, low, sizes, i, float(entries[k]), h[j], l[j])


@njit(cache=True, nogil=True, error_model="numpy")
def dot(ah, al, bh, bl):  # type: ignore[no-untyped-def]
    """The inner product, and a bound on its error."""
    h = l = size = 0.0  # noqa: E741
    for i in range(ah.size):
        ph, pl = multiply(ah[i], al[i], bh[i], bl[i])
        h, l = add(h, l, ph, pl)  # noqa: E741
        size += abs(ph)
    return h, l, (ah.size + 3) * (STEP * size * (1.0 + ah.size * 2.0 * UNIT) + TINY)


@njit(cache=True, nogil=True, error_model="numpy")
def total(ah, al):  # type: ignore[no-untyped-def]
    """The sum, and a bound on its error."""
    h = l = size = 0.0  # noqa: E741
    for i in range(ah.size):
        h, l = add(h, l, ah[i], al[i])  # noqa: E741
        size += abs(ah[i])
    return h, l, (ah.size + 3) * STEP * size * (1.0 + ah.size * 2.0 * UNIT)


@njit(cache=True, nogil=True, error_model="numpy")
def factored(ends, columns, left, weights, right, high, low, sizes):  # type: ignore[no-untyped-def]
    """high + low = the sum of weight_k left_ki right_kj for each cell, with the sums of sizes."""
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
def scaled(a, h, l, high, low):  # type: ignore[no-untyped-def]  # noqa: E741
    """high + low = a (h + l), for one number h + l."""
    for i in range(a.size):
        high[i], low[i] = multiply(a[i], 0.0, h, l)


@njit(cache=True, nogil=True, error_model="numpy")
def sums(ah, al, bh, bl, high, low):  # type: ignore[no-untyped-def]
    """high + low = a + b, entry by entry."""
    for i in range(ah.size):
        high[i], low[i] = add(ah[i], al[i], bh[i], bl[i])


@njit(cache=True, nogil=True, error_model="numpy")
def normalize(high, low):  # type: ignore[no-untyped-def]
    """high + low as pairs that do not overlap, in place."""
    for i in range(high.size):
        high[i], low[i] = two_sum(high[i], low[i])
