"""Recursion of the barycentric guard for the ratio of one atom's weights."""

from __future__ import annotations

import math

from numba import njit

__all__ = ["replay"]


@njit(cache=True, nogil=True, error_model="numpy")
def replay(keeps, momenta, first, last):
    """Ratio of an atom's weights after steps first..last-1, for one that entered just before.

    Returns the ratio and the step in which the weight became zero, or -1.
    """
    ratio = 0.0
    for j in range(first, last):
        left = keeps[j] + momenta[j] * (1.0 - ratio)
        if left <= 1e-14:
            return math.inf, j
        ratio = 1.0 / left
    return ratio, -1
