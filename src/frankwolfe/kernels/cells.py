"""Loops over the observed cells of a matrix, kept in compressed rows.

`splits` cuts the rows into pieces with about the same number of cells; the pieces do not
depend on the number of threads, so neither does the result.
"""

from __future__ import annotations

from numba import njit, prange

__all__ = ["factored", "predict", "product", "rank_one", "transposed_product"]

REASSOCIATE = {"reassoc", "contract", "nsz"}


@njit(cache=True, parallel=True)
def rank_one(indptr, columns, splits, scale, u, v, out):  # type: ignore[no-untyped-def]
    """out = scale u_i v_j on every cell."""
    for piece in prange(splits.size - 1):
        for i in range(splits[piece], splits[piece + 1]):
            factor = scale * u[i]
            for k in range(indptr[i], indptr[i + 1]):
                out[k] = factor * v[columns[k]]


@njit(cache=True, parallel=True, fastmath=REASSOCIATE)
def product(indptr, columns, splits, values, v, out):  # type: ignore[no-untyped-def]
    """out = G v, where G has `values` on the cells."""
    for piece in prange(splits.size - 1):
        for i in range(splits[piece], splits[piece + 1]):
            total = 0.0
            for k in range(indptr[i], indptr[i + 1]):
                total += values[k] * v[columns[k]]
            out[i] = total


@njit(cache=True, parallel=True)
def transposed_product(indptr, columns, splits, values, u, parts, out):  # type: ignore[no-untyped-def]
    """out = G' u; each piece adds into its own row of `parts`."""
    pieces = splits.size - 1
    for piece in prange(pieces):
        mine = parts[piece]
        mine[:] = 0.0
        for i in range(splits[piece], splits[piece + 1]):
            factor = u[i]
            for k in range(indptr[i], indptr[i + 1]):
                mine[columns[k]] += factor * values[k]
    for j in range(out.size):
        total = 0.0
        for piece in range(pieces):
            total += parts[piece, j]
        out[j] = total


@njit(cache=True, parallel=True, fastmath=REASSOCIATE)
def factored(indptr, columns, splits, left, right, out):  # type: ignore[no-untyped-def]
    """out = <left_i, right_j> on every cell, for matrices with one row of factors a row."""
    for piece in prange(splits.size - 1):
        for i in range(splits[piece], splits[piece + 1]):
            row = left[i]
            for k in range(indptr[i], indptr[i + 1]):
                other = right[columns[k]]
                total = 0.0
                for r in range(row.size):
                    total += row[r] * other[r]
                out[k] = total


@njit(cache=True, parallel=True, fastmath=REASSOCIATE)
def predict(left, right, rows, columns, out):  # type: ignore[no-untyped-def]
    """out_k = <left_i, right_j> for the k-th cell (i, j) of a list."""
    for k in prange(rows.size):
        one, other = left[rows[k]], right[columns[k]]
        total = 0.0
        for r in range(one.size):
            total += one[r] * other[r]
        out[k] = total
