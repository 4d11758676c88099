"""An upper bound on the largest eigenvalue from the Lanczos coefficients."""

from __future__ import annotations

from numba import njit

__all__ = ["eigenvalue_above"]


@njit(cache=True, error_model="numpy")
def _too_far(diagonal, off, steps, x, limit):  # type: ignore[no-untyped-def]
    """Whether the sum of p_j(x)^2, j = 0..steps, exceeds `limit` (p_j: Lanczos polynomials)."""
    before = 0.0
    now = 1.0
    total = 1.0
    link = 0.0
    for j in range(steps):
        after = ((x - diagonal[j]) * now - link * before) / off[j]
        link = off[j]
        before = now
        now = after
        total += now * now
        if total > limit:
            return True
    return False


@njit(cache=True, error_model="numpy")
def eigenvalue_above(diagonal, off, steps, ritz, ceiling, limit):  # type: ignore[no-untyped-def]
    """The largest x in [ritz, ceiling] with sum p_j(x)^2 <= limit, rounded up."""
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
