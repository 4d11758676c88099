"""The gradient of a loss over cells with respect to the factors of X = L R'."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

__all__ = ["parallel_weighted_rows", "weighted_rows"]


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def weighted_rows(indptr, columns, slope, right, out, first, last):  # type: ignore[no-untyped-def]
    """out_i = sum over the cells (i, j) of row i of slope_ij right_j."""
    width = right.shape[1]
    for i in range(first, last):
        mine = out[i]
        mine[:] = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            factor = slope[k]
            other = right[np.uint32(columns[k])]
            for r in range(width):
                mine[r] += factor * other[r]


@njit(cache=True, parallel=True)
def parallel_weighted_rows(indptr, columns, slope, right, out, splits):  # type: ignore[no-untyped-def]
    """The same on all threads."""
    for piece in prange(splits.size - 1):
        weighted_rows(indptr, columns, slope, right, out, splits[piece], splits[piece + 1])
