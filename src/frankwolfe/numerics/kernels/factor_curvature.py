"""Second derivatives of a loss over the observed cells, for matrices given by their factors.

With X = L R', G and B the slopes and curvatures of the cells, and a move (S, T) of the factors,
the derivative of (G R, G' L) is (C R + G T, C' L + G' S), where C = B o (S R' + L T').
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

__all__ = ["by_column", "by_row", "parallel_by_column", "parallel_by_row"]

REASSOCIATE = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True, fastmath=REASSOCIATE)
def by_row(where, given, factors, moves, change, out, first, last):  # type: ignore[no-untyped-def]
    """out = C R + G T for these rows; `change` becomes C on their cells.

    `where` is the cells' row pointers and columns, `given` their slopes and curvatures.
    """
    indptr, columns = where
    slope, bend = given
    left, right = factors
    left_move, right_move = moves
    width = right.shape[1]
    zero = left.dtype.type(0.0)
    for i in range(first, last):
        mine, my_move, total = left[i], left_move[i], out[i]
        total[:] = zero
        for k in range(indptr[i], indptr[i + 1]):
            j = np.uint32(columns[k])
            theirs, their_move = right[j], right_move[j]
            moved = zero
            for r in range(width):
                moved += mine[r] * their_move[r] + my_move[r] * theirs[r]
            moved *= bend[k]
            change[k] = moved
            factor = slope[k]
            for r in range(width):
                total[r] += moved * theirs[r] + factor * their_move[r]


@njit(cache=True, nogil=True, fastmath=REASSOCIATE)
def by_column(where, order, given, sides, out, first, last):  # type: ignore[no-untyped-def]
    """out = C' L + G' S for these columns.

    `where` is the cells by column, `order` where each stands by row; `given` are the slopes and C,
    by row, `sides` L and S.
    """
    indptr, rows = where
    slope, change = given
    left, left_move = sides
    width = left.shape[1]
    zero = left.dtype.type(0.0)
    for j in range(first, last):
        total = out[j]
        total[:] = zero
        for k in range(indptr[j], indptr[j + 1]):
            i, place = np.uint32(rows[k]), order[k]
            theirs, their_move = left[i], left_move[i]
            moved, factor = change[place], slope[place]
            for r in range(width):
                total[r] += moved * theirs[r] + factor * their_move[r]


@njit(cache=True, nogil=True, parallel=True)
def parallel_by_row(where, given, factors, moves, change, out, splits):  # type: ignore[no-untyped-def]
    """The same on all threads."""
    for piece in prange(splits.size - 1):
        by_row(where, given, factors, moves, change, out, splits[piece], splits[piece + 1])


@njit(cache=True, nogil=True, parallel=True)
def parallel_by_column(where, order, given, sides, out, splits):  # type: ignore[no-untyped-def]
    """The same on all threads."""
    for piece in prange(splits.size - 1):
        by_column(where, order, given, sides, out, splits[piece], splits[piece + 1])
