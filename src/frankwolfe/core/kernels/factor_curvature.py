"""Hessian-vector products of a loss over observed cells, for matrices given by their factors.

With X = L R', G and B the slopes and curvatures of the cells, and a move (S, T) of the factors,
the derivative of (G R, G' L) is (C R + G T, C' L + G' S), where C = B o (S R' + L T'). The second
is the first for the cells by columns, with L and R exchanged: that computes C twice, and still
takes less time than adding to scattered rows. Two cells of a row are taken at a time.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from frankwolfe.base.kernels.parallel_variants import variant

__all__ = ["bent_rows", "parallel_bent_rows"]

REASSOCIATE = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True, fastmath=REASSOCIATE)
def _bent_rows(where, given, factors, moves, out, first, last):
    """C R + G T for rows `first` to `last`."""
    indptr, columns = where
    slope, curvature = given
    left, right = factors
    left_move, right_move = moves
    width, zero = right.shape[1], left.dtype.type(0.0)
    for i in range(first, last):
        mine, my_move, total = left[i], left_move[i], out[i]
        total[:] = zero
        k, end = indptr[i], indptr[i + 1]
        while k + 1 < end:
            j, h = np.uint32(columns[k]), np.uint32(columns[k + 1])
            one, other, one_move, other_move = right[j], right[h], right_move[j], right_move[h]
            c = d = zero
            for r in range(width):
                own, own_move = mine[r], my_move[r]
                c += own * one_move[r] + own_move * one[r]
                d += own * other_move[r] + own_move * other[r]
            c *= curvature[k]
            d *= curvature[k + 1]
            a, b = slope[k], slope[k + 1]
            for r in range(width):
                total[r] += (c * one[r] + a * one_move[r]) + (d * other[r] + b * other_move[r])
            k += 2
        if k < end:
            j = np.uint32(columns[k])
            one, one_move = right[j], right_move[j]
            c = zero
            for r in range(width):
                c += mine[r] * one_move[r] + my_move[r] * one[r]
            c *= curvature[k]
            a = slope[k]
            for r in range(width):
                total[r] += c * one[r] + a * one_move[r]


@njit(cache=True, nogil=True)
def bent_rows(where, given, factors, moves, out, splits):
    """out = C R + G T.

    `where` has the cells' row pointers and columns, `given` their slopes and curvatures; `splits`
    cuts the rows into pieces.
    """
    for piece in prange(splits.size - 1):
        _bent_rows(where, given, factors, moves, out, splits[piece], splits[piece + 1])


parallel_bent_rows = variant(bent_rows, "parallel", parallel=True)
