"""Products of vectors with one another on all threads; each makes small ones by BLAS.

Entries of the vectors are taken some at a time (blocks), and vectors of the left side some at a
time (strips). BLAS has to be on one thread.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

__all__ = ["gram"]


@njit(cache=True, nogil=True, error_model="numpy")
def _copy(vectors, weights, low, high, out):  # type: ignore[no-untyped-def]
    """out = these entries times their weights, and zeros where there are no more."""
    for i in range(vectors.shape[0]):
        mine = out[i]
        for j in range(low, high):
            mine[j - low] = weights[j] * vectors[i, j]
        mine[high - low :] = 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _products(left, right, out):  # type: ignore[no-untyped-def]
    out[:] = np.dot(left, right.T)  # in a loop on threads it would be taken apart


@njit(cache=True, nogil=True, parallel=True, error_model="numpy")
def gram(left, right, first, second, same, strips, ends, rooms, out):  # type: ignore[no-untyped-def]
    """out = the products of the vectors of `left`, times `first`, with those of `right`.

    Those are multiplied by `second`. `strips` are the ends of the strips, and `ends` says how many
    vectors of the right side each needs: where both sides are the `same`, one half of the matrix.
    `rooms` holds what each block needs: its entries of both sides, and its products.
    """
    mine, theirs, parts = rooms
    count, size = mine.shape[0], left.shape[1]
    each, last = mine.shape[2], strips.size - 1
    for block in prange(count):
        low, high = block * each, min((block + 1) * each, size)
        _copy(left, first, low, high, mine[block])
        if not same:
            _copy(right, second, low, high, theirs[block])
    for task in prange(count * last):
        block, s = task // last, task % last
        low, high, end = strips[s], strips[s + 1], ends[s]
        other = mine[block, :end] if same else theirs[block, :end]
        _products(mine[block, low:high], other, parts[block, low:high, :end])
    for i in prange(out.shape[0]):
        for j in range(i + 1 if same else out.shape[1]):
            total = parts[0, i, j]
            for block in range(1, count):
                total += parts[block, i, j]
            out[i, j] = total
            if same:
                out[j, i] = total
