"""Gram matrices of long vectors on all threads, each of which calls BLAS for some entries."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

__all__ = ["gram"]


@njit(cache=True, nogil=True, error_model="numpy")
def _block(left, right, weights, low, high, out):
    """out = L diag(weights) R', over the entries from `low` to `high` alone."""
    mine, theirs = left[:, low:high].copy(), right[:, low:high] * weights[low:high]
    np.dot(mine, theirs.T, out)


@njit(cache=True, nogil=True, parallel=True, error_model="numpy")
def gram(left, right, weights, parts, out):
    """out = L diag(weights) R', for long vectors as rows; BLAS has to be on one thread.

    `parts` has room for the products over each block of entries, which are added in order.
    """
    count, size = parts.shape[0], left.shape[1]
    for b in prange(count):
        _block(left, right, weights, b * size // count, (b + 1) * size // count, parts[b])
    for i in prange(out.shape[0]):
        for j in range(out.shape[1]):
            total = parts[0, i, j]
            for b in range(1, count):
                total += parts[b, i, j]
            out[i, j] = total
