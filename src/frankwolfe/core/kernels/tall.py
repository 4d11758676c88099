"""Products of a tall matrix, with many rows and few columns, by BLAS on some rows at a time.

BLAS has to be on one thread. Pieces do not depend on the number of threads: each loop is compiled
for one and, with "parallel" before its name, for all.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from frankwolfe.base.kernels.parallel_variants import variant
from frankwolfe.base.threads import PIECES

__all__ = ["gram", "parallel_gram", "parallel_take_out", "parallel_times", "take_out", "times"]


@njit(cache=True, nogil=True, error_model="numpy")
def _gram(rows, out):
    """out = R' R for some rows R, in double precision."""
    wide = rows.astype(np.float64)
    np.dot(wide.T, wide, out)


@njit(cache=True, nogil=True, error_model="numpy")
def gram(matrix, parts, out):
    """out = A' A, by sums over some rows in each of `parts`."""
    count, many = matrix.shape[0], parts.shape[0]
    for p in prange(many):
        _gram(matrix[p * count // many : (p + 1) * count // many], parts[p])
    out[:] = 0.0
    for p in range(many):
        out += parts[p]


@njit(cache=True, nogil=True, error_model="numpy")
def _times(rows, small, out):
    """out = R S for some rows R, in double precision."""
    out[:] = np.dot(rows.astype(np.float64), small)


@njit(cache=True, nogil=True, error_model="numpy")
def times(matrix, small, out):
    """out = A S, for a small matrix S."""
    count = matrix.shape[0]
    for p in prange(PIECES):
        low, high = p * count // PIECES, (p + 1) * count // PIECES
        _times(matrix[low:high], small, out[low:high])


@njit(cache=True, nogil=True, error_model="numpy")
def _inner(terms, rows, low, high, out):
    """out = T B over rows `low` to `high` of B."""
    np.dot(terms[:, low:high].copy(), rows, out)


@njit(cache=True, nogil=True, error_model="numpy")
def _less(terms, low, high, inner, rows):
    """Subtract rows `low` to `high` of T' times `inner`."""
    rows -= np.dot(terms[:, low:high].copy().T, inner)


@njit(cache=True, nogil=True, error_model="numpy")
def take_out(terms, parts, block):
    """block = B - T' T B, with T B of some rows in each of `parts`."""
    count, many = block.shape[0], parts.shape[0]
    for p in prange(many):
        low, high = p * count // many, (p + 1) * count // many
        _inner(terms, block[low:high], low, high, parts[p])
    inner = np.zeros_like(parts[0])
    for p in range(many):
        inner += parts[p]
    for p in prange(PIECES):
        low, high = p * count // PIECES, (p + 1) * count // PIECES
        _less(terms, low, high, inner, block[low:high])


parallel_gram, parallel_times, parallel_take_out = (
    variant(loop, "parallel", parallel=True) for loop in (gram, times, take_out)
)
