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

from frankwolfe.base.kernels.parallel_variants import twin

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

REASSOCIATE = {"reassoc", "contract", "nsz"}
BLOCKS = 64  # of a vector


@njit(cache=True, nogil=True)
def _rank_one(indptr, columns, scale, u, v, out, first, last):  # type: ignore[no-untyped-def]
    for i in range(first, last):
        factor = scale * u[i]
        for k in range(indptr[i], indptr[i + 1]):
            out[k] = factor * v[np.uint32(columns[k])]


@njit(cache=True, nogil=True)
def rank_one(indptr, columns, scale, u, v, out, splits):  # type: ignore[no-untyped-def]
    """out = scale u_i v_j on every cell."""
    for piece in prange(splits.size - 1):
        _rank_one(indptr, columns, scale, u, v, out, splits[piece], splits[piece + 1])


@njit(cache=True, nogil=True)
def _product(indptr, columns, values, v, out, first, last):  # type: ignore[no-untyped-def]
    """Four sums at a time."""
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
def product(indptr, columns, values, v, out, splits):  # type: ignore[no-untyped-def]
    """out = G v, where G has `values` on the cells."""
    for piece in prange(splits.size - 1):
        _product(indptr, columns, values, v, out, splits[piece], splits[piece + 1])


@njit(cache=True, nogil=True)
def transposed_product(indptr, columns, values, u, out, first, last):  # type: ignore[no-untyped-def]
    """out = G' u, of these rows."""
    for j in range(out.size):
        out[j] = 0.0
    for i in range(first, last):
        factor = u[i]
        for k in range(indptr[i], indptr[i + 1]):
            out[np.uint32(columns[k])] += factor * values[k]


@njit(cache=True, nogil=True)
def transposed_in_parts(indptr, columns, values, u, parts, out, splits):  # type: ignore[no-untyped-def]
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
def _factored(indptr, columns, left, right, out, first, last):  # type: ignore[no-untyped-def]
    for i in range(first, last):
        row = left[i]
        for k in range(indptr[i], indptr[i + 1]):
            other = right[np.uint32(columns[k])]
            total = 0.0
            for r in range(row.size):
                total += row[r] * other[r]
            out[k] = total


@njit(cache=True, nogil=True)
def factored(indptr, columns, left, right, out, splits):  # type: ignore[no-untyped-def]
    """out = <left_i, right_j> on every cell, for matrices with one row of factors a row."""
    for piece in prange(splits.size - 1):
        _factored(indptr, columns, left, right, out, splits[piece], splits[piece + 1])


@njit(cache=True, nogil=True)
def take(values, places, out):  # type: ignore[no-untyped-def]
    """out = the values at these places."""
    for block in prange(BLOCKS):
        for k in range(block * out.size // BLOCKS, (block + 1) * out.size // BLOCKS):
            out[k] = values[np.uintp(places[k])]


parallel_rank_one, parallel_product, parallel_transposed_in_parts, parallel_factored = (
    twin(loop, "parallel", parallel=True)
    for loop in (rank_one, product, transposed_in_parts, factored)
)
parallel_take = twin(take, "parallel", parallel=True)


@njit(cache=True, nogil=True)
def turned(indptr, columns, starts, rows, order):  # type: ignore[no-untyped-def]
    """The cells by columns: the row of each, and where it stands by rows.

    `starts` says where each column begins, and is where each ends when this is done.
    """
    for i in range(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):
            j = np.uint32(columns[k])
            place = starts[j]
            rows[place], order[place] = i, k
            starts[j] = place + 1


@njit(cache=True, nogil=True)
def most_alike(indptr, columns):  # type: ignore[no-untyped-def]
    """How often a column occurs in a row at most, where columns do not fall along a row."""
    most = 0
    for i in range(indptr.size - 1):
        run = 0
        for k in range(indptr[i], indptr[i + 1]):
            run = run + 1 if run and columns[k] == columns[k - 1] else 1
            most = max(most, run)
    return most


@njit(cache=True, nogil=True, fastmath=REASSOCIATE)
def square(values):  # type: ignore[no-untyped-def]
    """Sum of squares."""
    total = 0.0
    for k in range(values.size):
        total += values[k] * values[k]
    return total


@njit(cache=True, nogil=True, fastmath=REASSOCIATE)
def predict(left, right, rows, columns, out):  # type: ignore[no-untyped-def]
    """out_k = <left_i, right_j> for the k-th cell (i, j) of a list."""
    for k in range(rows.size):
        one, other = left[rows[k]], right[columns[k]]
        total = 0.0
        for r in range(one.size):
            total += one[r] * other[r]
        out[k] = total
