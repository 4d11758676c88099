"""The nearest point of the ball of the k-support norm, from sorted sizes and their sums."""

from __future__ import annotations

import math

from numba import njit

__all__ = ["shrinkage"]

MOST = 200


@njit(cache=True, nogil=True, error_model="numpy")
def _above(a, value):  # type: ignore[no-untyped-def]
    """How many entries of a, which fall, are above a value."""
    low, high = 0, a.size
    while low < high:
        middle = (low + high) // 2
        if a[middle] > value:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True, error_model="numpy")
def _slope(a, sums, k, mu):  # type: ignore[no-untyped-def]
    """The c for which c a - mu, cut off at 0 and 1, sums to k."""
    low, high = mu / a[0], (1.0 + mu) / a[k - 1]
    at = 0.5 * (low + high)
    for _ in range(MOST):
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
def shrinkage(a, sums, squares, k, radius):  # type: ignore[no-untyped-def]
    r"""The mu and c with which a theta / (theta + mu) has k-support norm `radius`.

    Here theta is c a - mu, cut off at 0 and 1, and sums to k. `a` falls and has more than k
    entries that are not zero; `sums` and `squares` are those of the first 0, 1, ... entries. The
    norm falls as mu grows, and the root lies between 0 and the 2-norm over the radius.
    """
    low, high = 0.0, math.sqrt(squares[a.size]) / radius
    mu, c = high, 0.0
    for _ in range(MOST):
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
