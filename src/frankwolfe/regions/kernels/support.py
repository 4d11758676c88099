"""Projection onto the ball of the k-support norm, from sorted sizes and their partial sums."""

from __future__ import annotations

import math

from numba import njit

__all__ = ["shrinkage"]

MAX_TRIALS = 200  # of mu, by bisection, and of c, by Newton's method; each ends at rounding before


@njit(cache=True, nogil=True, error_model="numpy")
def _above(a, value):
    """Number of entries above a value, for a nonincreasing a; by bisection."""
    low, high = 0, a.size
    while low < high:
        middle = (low + high) // 2
        if a[middle] > value:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True, error_model="numpy")
def _slope(a, sums, k, mu):
    """c for which the entries of clip(c a - mu, 0, 1) sum to k."""
    low, high = mu / a[0], (1.0 + mu) / a[k - 1]
    at = 0.5 * (low + high)
    for _ in range(MAX_TRIALS):
        full, some = _above(a, (1.0 + mu) / at), _above(a, mu / at)
        rate = sums[some] - sums[full]
        off = full + at * rate - mu * (some - full) - k
        if off > 0.0:
            high = at
        elif off < 0.0:
            low = at
        else:
            break
        ahead = at - off / rate if rate > 0.0 else 0.5 * (low + high)
        if not low < ahead < high:
            ahead = 0.5 * (low + high)
        if ahead == at or not low < ahead < high:
            break
        at = ahead
    return at


@njit(cache=True, nogil=True, error_model="numpy")
def shrinkage(a, sums, squares, k, radius):
    r"""The mu and c for which a theta / (theta + mu) has k-support norm `radius`.

    Here theta = clip(c a - mu, 0, 1), and sums to k. `a` is nonincreasing with more than k nonzero
    entries; `sums` and `squares` are those of its first 0, 1, ... entries. The norm decreases in
    mu, and the root lies between 0 and the 2-norm over the radius.
    """
    low, high = 0.0, math.sqrt(squares[a.size]) / radius
    mu, c = high, 0.0
    for _ in range(MAX_TRIALS):
        mu = 0.5 * (low + high)
        if not low < mu < high:
            break
        c = _slope(a, sums, k, mu)
        full, some = _above(a, (1.0 + mu) / c), _above(a, mu / c)
        square = squares[full] / (1.0 + mu) ** 2
        square += (c * (sums[some] - sums[full]) - mu * (some - full)) / c / c
        if square > radius * radius:
            low = mu
        else:
            high = mu
    return high, _slope(a, sums, k, high)
