"""Products of a matrix with many rows and few columns, by BLAS on some rows at a time.

BLAS has to be on one thread. Pieces do not depend on the number of threads: each loop is compiled
for one and, with "parallel" before its name, for all.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from frankwolfe.base.kernels.parallel_variants import twin
from frankwolfe.base.threads import PIECES

__all__ = ["gram", "parallel_gram", "parallel_take_out", "parallel_times", "take_out", "times"]


@njit(cache=True, nogil=True, error_model="numpy")
def _gram(rows, out):  # type: ignore[no-untyped-def]
    wide = rows.astype(np.float64)
    np.dot(wide.T, wide, out)


@njit(cache=True, nogil=True, error_model="numpy")
def gram(matrix, parts, out):  # type: ignore[no-untyped-def]
    """out = A' A, with the products of some rows in each of `parts`."""
    count, many = matrix.shape[0], parts.shape[0]
    for p in prange(many):
        _gram(matrix[p * count // many : (p + 1) * count // many], parts[p])
    out[:] = 0.0
    for p in range(many):
        out += parts[p]


@njit(cache=True, nogil=True, error_model="numpy")
def _times(rows, small, out):  # type: ignore[no-untyped-def]
    out[:] = np.dot(rows.astype(np.float64), small)


@njit(cache=True, nogil=True, error_model="numpy")
def times(matrix, small, out):  # type: ignore[no-untyped-def]
    """out = A S."""
    count = matrix.shape[0]
    for p in prange(PIECES):
        low, high = p * count // PIECES, (p + 1) * count // PIECES
        _times(matrix[low:high], small, out[low:high])


@njit(cache=True, nogil=True, error_model="numpy")
def _inner(terms, rows, low, high, out):  # type: ignore[no-untyped-def]
    np.dot(terms[:, low:high].copy(), rows, out)


@njit(cache=True, nogil=True, error_model="numpy")
def _less(terms, low, high, inner, rows):  # type: ignore[no-untyped-def]
    rows -= np.dot(terms[:, low:high].copy().T, inner)


@njit(cache=True, nogil=True, error_model="numpy")
def take_out(terms, parts, block):  # type: ignore[no-untyped-def]
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
    twin(loop, "parallel", parallel=True) for loop in (gram, times, take_out)
)
