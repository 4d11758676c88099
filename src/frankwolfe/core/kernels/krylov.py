"""Lanczos steps, and an upper bound on the largest eigenvalue.

On one thread and without BLAS, whose threads would wait for those of the products.
"""

from __future__ import annotations

import math

from numba import njit

__all__ = ["eigenvalue_above", "orthogonalize"]


@njit(cache=True, nogil=True, error_model="numpy")
def _too_far(diagonal, off, steps, x, limit):
    """True if sum_j p_j(x)^2 > limit, j = 0..steps, with the Lanczos polynomials p_j."""
    before = link = 0.0
    now = total = 1.0
    for j in range(steps):
        after = ((x - diagonal[j]) * now - link * before) / off[j]
        link = off[j]
        before = now
        now = after
        total += now * now
        if total > limit:
            return True
    return False


@njit(cache=True, nogil=True, error_model="numpy")
def eigenvalue_above(diagonal, off, steps, ritz, ceiling, limit):
    """Largest x in [ritz, ceiling] with sum_j p_j(x)^2 <= limit, rounded up."""
    low, high = ritz, ceiling
    if not _too_far(diagonal, off, steps, high, limit):
        return high
    for _ in range(100):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high or high - low <= 1e-14 * abs(high):
            break
        if _too_far(diagonal, off, steps, middle, limit):
            high = middle
        else:
            low = middle
    return high


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})
def orthogonalize(basis, k, w):
    """Remove the parts along basis[0..k] from w; return <basis[k], w> and the new |w|.

    Twice: once is not enough where w lies almost in their span.
    """
    n = w.size
    first = 0.0
    for sweep in range(2):
        for j in range(k + 1):
            row = basis[j]
            inner = 0.0
            for i in range(n):
                inner += row[i] * w[i]
            for i in range(n):
                w[i] -= inner * row[i]
            if sweep == 0 and j == k:
                first = inner
    total = 0.0
    for i in range(n):
        total += w[i] * w[i]
    return first, math.sqrt(total)
