"""The loops of `cells` on all threads.

`splits` cuts the rows into pieces with about the same number of cells; the pieces do not
depend on the number of threads, so neither does the result.
"""

from __future__ import annotations

from numba import njit, prange

from frankwolfe.numerics.kernels import cells

__all__ = ["factored", "product", "rank_one", "transposed_product"]

_rank_one, _product, _factored = cells.rank_one, cells.product, cells.factored
_transposed_product = cells.transposed_product


@njit(cache=True, parallel=True)
def rank_one(indptr, columns, scale, u, v, out, splits):  # type: ignore[no-untyped-def]
    """out = scale u_i v_j on every cell."""
    for piece in prange(splits.size - 1):
        _rank_one(indptr, columns, scale, u, v, out, splits[piece], splits[piece + 1])


@njit(cache=True, parallel=True)
def product(indptr, columns, values, v, out, splits):  # type: ignore[no-untyped-def]
    """out = G v, where G has `values` on the cells."""
    for piece in prange(splits.size - 1):
        _product(indptr, columns, values, v, out, splits[piece], splits[piece + 1])


@njit(cache=True, parallel=True)
def transposed_product(indptr, columns, values, u, parts, out, splits):  # type: ignore[no-untyped-def]
    """out = G' u; each piece adds into its own row of `parts`."""
    pieces = splits.size - 1
    for piece in prange(pieces):
        first, last = splits[piece], splits[piece + 1]
        _transposed_product(indptr, columns, values, u, parts[piece], first, last)
    out[:] = parts[0]
    for piece in range(1, pieces):
        mine = parts[piece]
        for j in range(out.size):
            out[j] += mine[j]


@njit(cache=True, parallel=True)
def factored(indptr, columns, left, right, out, splits):  # type: ignore[no-untyped-def]
    """out = <left_i, right_j> on every cell."""
    for piece in prange(splits.size - 1):
        _factored(indptr, columns, left, right, out, splits[piece], splits[piece + 1])
