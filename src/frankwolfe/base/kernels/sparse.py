"""Products with a matrix in compressed rows, whose float32 values and int32 indices stay.

Places are read as unsigned numbers: for signed ones each access first asks whether it counts
from the end, which took half of the time.

The pieces and parts of products with many entries have about as many of them each and do not
depend on the number of threads, and their sums are added in order: the result is the same bits
on one thread and on many.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from frankwolfe.base.kernels.parallel_variants import variant
from frankwolfe.base.threads import PIECES

__all__ = [
    "column",
    "column_of_rows",
    "columns",
    "cross_gram",
    "cross_gram_in_parts",
    "gram",
    "gram_in_parts",
    "parallel_column_of_rows",
    "parallel_cross_gram_in_parts",
    "parallel_gram_in_parts",
    "parallel_product_in_pieces",
    "parallel_transposed_in_parts",
    "product",
    "product_in_pieces",
    "transposed_in_parts",
    "transposed_product",
]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def product(indptr, indices, data, x, out):
    """out = A x, A in compressed rows."""
    for i in range(out.size):
        total = 0.0
        for j in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            total += data[j] * x[np.uintp(indices[j])]
        out[i] = total


@njit(cache=True, nogil=True, error_model="numpy")
def transposed_product(indptr, indices, data, y, out):
    """out = A' y, A in compressed rows."""
    for j in range(out.size):
        out[j] = 0.0
    for i in range(y.size):
        scale = y[i]
        for j in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            out[np.uintp(indices[j])] += scale * data[j]


@njit(cache=True, nogil=True, error_model="numpy")
def column(indptr, indices, data, j, scale, out):
    """out = scale times column j of A, A in compressed columns."""
    for i in range(out.size):
        out[i] = 0.0
    for k in range(indptr[j], indptr[j + 1]):
        out[indices[k]] = scale * data[k]


@njit(cache=True, nogil=True, error_model="numpy")
def _column_of_rows(indptr, indices, data, j, scale, out, first, last):
    """Entries `first` to `last` of scale times column j, by a binary search in each row."""
    for i in range(first, last):
        low, high = indptr[i], indptr[i + 1]
        end = high
        while low < high:
            middle = (low + high) // 2
            if indices[middle] < j:
                low = middle + 1
            else:
                high = middle
        out[i] = scale * data[low] if low < end and indices[low] == j else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def column_of_rows(indptr, indices, data, j, scale, out):
    """out = scale times column j of A, A in compressed rows with increasing indices."""
    count = out.size
    for p in prange(PIECES):
        first, last = p * count // PIECES, (p + 1) * count // PIECES
        _column_of_rows(indptr, indices, data, j, scale, out, first, last)


@njit(cache=True, nogil=True, error_model="numpy")
def columns(indptr, indices, data, places, values, out):
    """out = sum of values_c times column places[c] of A, A in compressed columns."""
    for i in range(out.size):
        out[i] = 0.0
    for c in range(places.size):
        j, scale = places[c], values[c]
        for k in range(indptr[j], indptr[j + 1]):
            out[indices[k]] += scale * data[k]


@njit(cache=True, nogil=True, error_model="numpy")
def _half_gram(indptr, indices, data, weights, out):
    """Entries of A' diag(weights) A on the diagonal and below."""
    for a in range(out.shape[0]):
        for b in range(out.shape[1]):
            out[a, b] = 0.0
    for i in range(weights.size):
        weight = weights[i]
        if weight == 0.0:
            continue
        first = np.uintp(indptr[i])
        for p in range(first, np.uintp(indptr[i + 1])):
            scaled = weight * data[p]
            row = out[np.uintp(indices[p])]
            for q in range(first, p + np.uintp(1)):
                row[np.uintp(indices[q])] += scaled * data[q]


@njit(cache=True, nogil=True, error_model="numpy")
def gram(indptr, indices, data, weights, out):
    """out = A' diag(weights) A, A in compressed rows with increasing indices."""
    _half_gram(indptr, indices, data, weights, out)
    for a in range(out.shape[0]):
        for b in range(a):
            out[b, a] = out[a, b]


@njit(cache=True, nogil=True, error_model="numpy")
def cross_gram(indptr, indices, data, ends, places, values, weights, out):
    """out = A' diag(weights) B, both in compressed rows."""
    for a in range(out.shape[0]):
        for b in range(out.shape[1]):
            out[a, b] = 0.0
    for i in range(weights.size):
        if ends[i] == ends[i + 1]:
            continue
        for p in range(indptr[i], indptr[i + 1]):
            scaled = weights[i] * data[p]
            row = out[indices[p]]
            for q in range(ends[i], ends[i + 1]):
                row[places[q]] += scaled * values[q]


@njit(cache=True, nogil=True, error_model="numpy")
def product_in_pieces(indptr, indices, data, x, out, splits):
    """out = A x, piece by piece, for many entries."""
    for piece in prange(splits.size - 1):
        low, high = splits[piece], splits[piece + 1]
        product(indptr[low : high + 1], indices, data, x, out[low:high])


@njit(cache=True, nogil=True, error_model="numpy")
def transposed_in_parts(indptr, indices, data, y, parts, out, splits):
    """out = A' y, where each piece of the rows adds into its own part."""
    many = splits.size - 1
    for part in prange(many):
        low, high = splits[part], splits[part + 1]
        transposed_product(indptr[low : high + 1], indices, data, y[low:high], parts[part])
    for block in prange(PIECES):
        for j in range(block * out.size // PIECES, (block + 1) * out.size // PIECES):
            total = parts[0, j]
            for part in range(1, many):
                total += parts[part, j]
            out[j] = total


@njit(cache=True, nogil=True, error_model="numpy")
def gram_in_parts(indptr, indices, data, weights, parts, out, splits):
    """out = A' diag(weights) A, with a sum for each piece of the rows."""
    many = splits.size - 1
    for part in prange(many):
        low, high = splits[part], splits[part + 1]
        _half_gram(indptr[low : high + 1], indices, data, weights[low:high], parts[part])
    for a in prange(out.shape[0]):
        for b in range(a + 1):
            total = parts[0, a, b]
            for part in range(1, many):
                total += parts[part, a, b]
            out[a, b] = out[b, a] = total


@njit(cache=True, nogil=True, error_model="numpy")
def cross_gram_in_parts(indptr, indices, data, ends, places, values, weights, parts, out, splits):
    """out = A' diag(weights) B, with a sum for each piece of the rows."""
    many = splits.size - 1
    for part in prange(many):
        low, high = splits[part], splits[part + 1]
        mine, theirs = indptr[low : high + 1], ends[low : high + 1]
        scale = weights[low:high]
        cross_gram(mine, indices, data, theirs, places, values, scale, parts[part])
    for a in prange(out.shape[0]):
        for b in range(out.shape[1]):
            total = parts[0, a, b]
            for part in range(1, many):
                total += parts[part, a, b]
            out[a, b] = total


parallel_product_in_pieces, parallel_transposed_in_parts, parallel_column_of_rows = (
    variant(loop, "parallel", parallel=True)
    for loop in (product_in_pieces, transposed_in_parts, column_of_rows)
)
parallel_gram_in_parts, parallel_cross_gram_in_parts = (
    variant(loop, "parallel", parallel=True) for loop in (gram_in_parts, cross_gram_in_parts)
)
