"""Small linear systems with a symmetric positive semidefinite, maybe singular, matrix."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

__all__ = ["descent", "excess", "inverse", "solve"]


@njit(cache=True, nogil=True, error_model="numpy")
def solve(H, flat, r):
    """Solution x of H x = r, by Cholesky's method.

    A variable whose pivot is at most `flat` of its diagonal depends on the others; x is zero
    there.
    """
    size = r.size
    L, x = np.zeros((size, size)), r.copy()
    for k in range(size):
        whole = H[k, k]
        left = whole
        for j in range(k):
            total = H[k, j]
            for i in range(j):
                total -= L[k, i] * L[j, i]
            L[k, j] = total / L[j, j] if L[j, j] > 0.0 else 0.0
            left -= L[k, j] * L[k, j]
            x[k] -= L[k, j] * x[j]
        L[k, k] = math.sqrt(left) if left > flat * whole else 0.0
        x[k] = x[k] / L[k, k] if L[k, k] > 0.0 else 0.0
    for k in range(size - 1, -1, -1):
        x[k] = x[k] / L[k, k] if L[k, k] > 0.0 else 0.0
        for j in range(k):
            x[j] -= L[k, j] * x[k]
    return x


@njit(cache=True, nogil=True, error_model="numpy")
def inverse(H, flat):
    """Generalized inverse G with H G H = H: the inverse, but for null directions."""
    out = np.eye(H.shape[0])
    for k in range(H.shape[0]):
        out[k] = solve(H, flat, out[k])
    return out


@njit(cache=True, nogil=True, error_model="numpy")
def descent(H, flat, r):
    """Newton's step -x with H x = r, and its decrease <r, x>; zero where H x is far from r."""
    x = solve(H, flat, r)
    fall, missed, most = 0.0, 0.0, 0.0
    for k in range(r.size):
        rest = r[k]
        for j in range(r.size):
            rest -= H[k, j] * x[j]
        fall += r[k] * x[k]
        missed, most = max(missed, abs(rest)), max(most, abs(r[k]))
    return -x, (fall if missed <= 0.1 * most else 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def excess(r, share, sizes):
    """Largest |r_k| - share sizes_k."""
    most = abs(r[0]) - share * sizes[0]
    for k in range(1, r.size):
        most = max(most, abs(r[k]) - share * sizes[k])
    return most
