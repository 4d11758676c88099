"""Products with a dense matrix, given as vectors that are contiguous: its rows or its columns.

Four vectors are read at a time. On one thread BLAS is no faster; on many its threads would wait
for those of the other loops. Pieces do not depend on the number of threads: each loop is
compiled for one and, with "parallel" before its name, for all.
"""

from __future__ import annotations

from numba import njit, prange

from frankwolfe.base.kernels.parallel_variants import variant
from frankwolfe.base.threads import PIECES

__all__ = [
    "combination_in_parts",
    "combination_in_strips",
    "dots",
    "parallel_combination_in_parts",
    "parallel_combination_in_strips",
    "parallel_dots",
    "parallel_scaled",
    "scaled",
]

REASSOCIATE = {"reassoc", "contract"}


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def _dots(vectors, y, out, first, last):
    """Inner products of vectors `first` to `last` with y."""
    zero = vectors.dtype.type(0.0)
    i = first
    while i + 3 < last:
        v0, v1, v2, v3 = vectors[i], vectors[i + 1], vectors[i + 2], vectors[i + 3]
        a = b = c = d = zero
        for j in range(y.size):
            a += v0[j] * y[j]
            b += v1[j] * y[j]
            c += v2[j] * y[j]
            d += v3[j] * y[j]
        out[i], out[i + 1], out[i + 2], out[i + 3] = a, b, c, d
        i += 4
    while i < last:
        v0, a = vectors[i], zero
        for j in range(y.size):
            a += v0[j] * y[j]
        out[i] = a
        i += 1


@njit(cache=True, nogil=True, error_model="numpy")
def dots(vectors, y, out):
    """out_i = <vector i, y>."""
    count = vectors.shape[0]
    for p in prange(PIECES):
        _dots(vectors, y, out, p * count // PIECES, (p + 1) * count // PIECES)


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def _combination(vectors, x, first, last, low, out):
    """out = sum of x_i times vector i, i from `first` to `last`, from entry `low` on."""
    high = low + out.size
    out[:] = 0.0
    i = first
    while i + 3 < last:
        v0, v1 = vectors[i, low:high], vectors[i + 1, low:high]
        v2, v3 = vectors[i + 2, low:high], vectors[i + 3, low:high]
        a, b, c, d = x[i], x[i + 1], x[i + 2], x[i + 3]
        for j in range(out.size):
            out[j] += (a * v0[j] + b * v1[j]) + (c * v2[j] + d * v3[j])
        i += 4
    while i < last:
        v0, a = vectors[i, low:high], x[i]
        for j in range(out.size):
            out[j] += a * v0[j]
        i += 1


@njit(cache=True, nogil=True, error_model="numpy")
def combination_in_parts(vectors, x, parts, out):
    """out = sum of x_i times vector i, by partial sums over some vectors in each row of `parts`."""
    count, many = vectors.shape[0], parts.shape[0]
    for p in prange(many):
        mine = parts[p, : out.size]
        _combination(vectors, x, p * count // many, (p + 1) * count // many, 0, mine)
    for j in range(out.size):
        total = parts[0, j]
        for p in range(1, many):
            total += parts[p, j]
        out[j] = total


@njit(cache=True, nogil=True, error_model="numpy")
def combination_in_strips(vectors, x, out):
    """out = sum of x_i times vector i, one strip of the entries after another, for long vectors."""
    for p in prange(PIECES):
        low, high = p * out.size // PIECES, (p + 1) * out.size // PIECES
        _combination(vectors, x, 0, vectors.shape[0], low, out[low:high])


@njit(cache=True, nogil=True, error_model="numpy")
def scaled(vectors, places, values, out):
    """out_c = values_c times vector places[c]."""
    for c in prange(places.size):
        vector, value, mine = vectors[places[c]], values[c], out[c]
        for j in range(vector.size):
            mine[j] = value * vector[j]


parallel_dots, parallel_combination_in_parts, parallel_combination_in_strips = (
    variant(loop, "parallel", parallel=True)
    for loop in (dots, combination_in_parts, combination_in_strips)
)
parallel_scaled = variant(scaled, "parallel", parallel=True)
