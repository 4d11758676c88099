"""The barycentric guard's recursion for the ratio of one atom's weights."""

from __future__ import annotations

import math

from numba import njit

__all__ = ["replay"]


@njit(cache=True, nogil=True, error_model="numpy")
def replay(keeps, momenta, first, last):  # type: ignore[no-untyped-def]
    """Ratio after steps first..last-1 of an atom that entered just before, and where it ended.

    Returns the ratio and the step in which the weight became zero, or -1.
    """
    ratio = 0.0
    for j in range(first, last):
        left = keeps[j] + momenta[j] * (1.0 - ratio)
        if left <= 1e-14:
            return math.inf, j
        ratio = 1.0 / left
    return ratio, -1
