"""Loops over the observed cells of a matrix in compressed rows.

`splits` cuts the rows into pieces with about the same number of cells. The pieces do not depend
on the number of threads, so neither does the result; each loop is compiled for one thread and,
with "parallel" before its name, for all.

Columns are read as unsigned numbers: a signed index costs a test for negative ones, which
doubled the time of a product on 10 million cells.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from frankwolfe.base.kernels.parallel_variants import variant

__all__ = [
    "factored",
    "most_alike",
    "parallel_factored",
    "parallel_product",
    "parallel_rank_one",
    "parallel_take",
    "parallel_transposed_in_parts",
    "predict",
    "product",
    "rank_one",
    "square",
    "take",
    "transposed_in_parts",
    "transposed_product",
    "turned",
]

REASSOCIATE = {"reassoc", "contract", "nsz"}  # vector sums, but NaN and infinity still seen
BLOCKS = 64  # of a vector: they do not depend on the number of threads


@njit(cache=True, nogil=True)
def _rank_one(indptr, columns, scale, u, v, out, first, last):
    """Entries of scale u v' on the cells of rows `first` to `last`."""
    for i in range(first, last):
        factor = scale * u[i]
        for k in range(indptr[i], indptr[i + 1]):
            out[k] = factor * v[np.uint32(columns[k])]


@njit(cache=True, nogil=True)
def rank_one(indptr, columns, scale, u, v, out, splits):
    """out_k = scale u_i v_j on every cell (i, j)."""
    for piece in prange(splits.size - 1):
        _rank_one(indptr, columns, scale, u, v, out, splits[piece], splits[piece + 1])


@njit(cache=True, nogil=True)
def _product(indptr, columns, values, v, out, first, last):
    """G v on some rows, by four sums at a time: one need not wait for the one before."""
    for i in range(first, last):
        entries = values[indptr[i] : indptr[i + 1]]
        places = columns[indptr[i] : indptr[i + 1]]
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        quarter = entries.size // 4
        for q in range(quarter):
            k = 4 * q
            a += entries[k] * v[np.uint32(places[k])]
            b += entries[k + 1] * v[np.uint32(places[k + 1])]
            c += entries[k + 2] * v[np.uint32(places[k + 2])]
            d += entries[k + 3] * v[np.uint32(places[k + 3])]
        for k in range(4 * quarter, entries.size):
            a += entries[k] * v[np.uint32(places[k])]
        out[i] = (a + b) + (c + d)


@njit(cache=True, nogil=True)
def product(indptr, columns, values, v, out, splits):
    """out = G v, for the sparse matrix G with `values` on the cells."""
    for piece in prange(splits.size - 1):
        _product(indptr, columns, values, v, out, splits[piece], splits[piece + 1])


@njit(cache=True, nogil=True)
def transposed_product(indptr, columns, values, u, out, first, last):
    """out = G' u, over rows `first` to `last` of G."""
    for j in range(out.size):
        out[j] = 0.0
    for i in range(first, last):
        factor = u[i]
        for k in range(indptr[i], indptr[i + 1]):
            out[np.uint32(columns[k])] += factor * values[k]


@njit(cache=True, nogil=True)
def transposed_in_parts(indptr, columns, values, u, parts, out, splits):
    """out = G' u; each piece adds into its own row of `parts`."""
    pieces = splits.size - 1
    for piece in prange(pieces):
        first, last = splits[piece], splits[piece + 1]
        transposed_product(indptr, columns, values, u, parts[piece], first, last)
    for block in prange(BLOCKS):
        for j in range(block * out.size // BLOCKS, (block + 1) * out.size // BLOCKS):
            total = parts[0, j]
            for piece in range(1, pieces):
                total += parts[piece, j]
            out[j] = total


@njit(cache=True, nogil=True, fastmath=REASSOCIATE)
def _factored(indptr, columns, left, right, out, first, last):
    """Entries of L R' on the cells of rows `first` to `last`."""
    for i in range(first, last):
        row = left[i]
        for k in range(indptr[i], indptr[i + 1]):
            other = right[np.uint32(columns[k])]
            total = 0.0
            for r in range(row.size):
                total += row[r] * other[r]
            out[k] = total


@njit(cache=True, nogil=True)
def factored(indptr, columns, left, right, out, splits):
    """out_k = (L R')_ij on every cell (i, j)."""
    for piece in prange(splits.size - 1):
        _factored(indptr, columns, left, right, out, splits[piece], splits[piece + 1])


@njit(cache=True, nogil=True)
def take(values, places, out):
    """out_k = values[places[k]]."""
    for block in prange(BLOCKS):
        for k in range(block * out.size // BLOCKS, (block + 1) * out.size // BLOCKS):
            out[k] = values[np.uintp(places[k])]


parallel_rank_one, parallel_product, parallel_transposed_in_parts, parallel_factored = (
    variant(loop, "parallel", parallel=True)
    for loop in (rank_one, product, transposed_in_parts, factored)
)
parallel_take = variant(take, "parallel", parallel=True)


@njit(cache=True, nogil=True)
def turned(indptr, columns, starts, rows, order):
    """Cells by columns: the row of each, and its place in the order by rows.

    `starts` says where each column begins, and is where each ends when this is done.
    """
    for i in range(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):
            j = np.uint32(columns[k])
            place = starts[j]
            rows[place], order[place] = i, k
            starts[j] = place + 1


@njit(cache=True, nogil=True)
def most_alike(indptr, columns):
    """Largest number of times that a column occurs in one row; columns rise along each row."""
    most = 0
    for i in range(indptr.size - 1):
        run = 0
        for k in range(indptr[i], indptr[i + 1]):
            run = run + 1 if run and columns[k] == columns[k - 1] else 1
            most = max(most, run)
    return most


@njit(cache=True, nogil=True, fastmath=REASSOCIATE)
def square(values):
    """Sum of the squares of all values."""
    total = 0.0
    for k in range(values.size):
        total += values[k] * values[k]
    return total


@njit(cache=True, nogil=True, fastmath=REASSOCIATE)
def predict(left, right, rows, columns, out):
    """out_k = <left_i, right_j> for the k-th cell (i, j) of a list."""
    for k in range(rows.size):
        one, other = left[rows[k]], right[columns[k]]
        total = 0.0
        for r in range(one.size):
            total += one[r] * other[r]
        out[k] = total
