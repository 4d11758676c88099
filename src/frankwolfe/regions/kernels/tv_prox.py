"""Proximal operator of total variation in one dimension, by the taut string algorithm."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["least_variation", "variation_within"]

MAX_NEWTON_STEPS = 500  # each costs O(n); Newton's method needs few of them


@njit(cache=True, nogil=True, error_model="numpy")
def _write(x, begin, end, height, value):
    """Write the slope of one straight piece of the string to x[begin:end]."""
    for j in range(begin, end):
        x[j] = (value - height) / (end - begin)


@njit(cache=True, nogil=True, error_model="numpy")
def least_variation(y, level, x, over, under):
    """x = the minimizer of |x - y|^2 / 2 + level times the sum of |x_i+1 - x_i|.

    The running sums of x are the shortest path between those of y minus and plus the level, with
    the same ends. A funnel goes along: from its apex the lowest convex line below the upper side
    and the highest concave one above the lower side; where they meet, the path bends and the apex
    moves on. `over` and `under` are room for n places each.
    """
    n = y.size
    sums = np.empty(n + 1)
    sums[0] = 0.0
    for i in range(n):
        sums[i + 1] = sums[i] + y[i]
    apex, height = 0, 0.0
    first_over = last_over = first_under = last_under = 0  # the chains: places first .. last - 1
    for i in range(1, n + 1):
        lift = level if i < n else 0.0
        top, bottom = sums[i] + lift, sums[i] - lift
        while last_over > first_over:  # the upper chain stays convex
            j = over[last_over - 1]
            k = over[last_over - 2] if last_over - 1 > first_over else apex
            before = sums[k] + level if last_over - 1 > first_over else height
            here = sums[j] + level
            if (here - before) * (i - j) < (top - here) * (j - k):
                break
            last_over -= 1
        if last_over == first_over:
            while first_under < last_under:
                j = under[first_under]
                here = sums[j] - level
                if (top - height) * (j - apex) >= (here - height) * (i - apex):
                    break
                _write(x, apex, j, height, here)
                apex, height = j, here
                first_under += 1
        over[last_over] = i
        last_over += 1
        while last_under > first_under:  # the lower chain stays concave
            j = under[last_under - 1]
            k = under[last_under - 2] if last_under - 1 > first_under else apex
            before = sums[k] - level if last_under - 1 > first_under else height
            here = sums[j] - level
            if (here - before) * (i - j) > (bottom - here) * (j - k):
                break
            last_under -= 1
        if last_under == first_under:
            while first_over < last_over and over[first_over] < i:
                j = over[first_over]
                here = sums[j] + level
                if (bottom - height) * (j - apex) <= (here - height) * (i - apex):
                    break
                _write(x, apex, j, height, here)
                apex, height = j, here
                first_over += 1
        under[last_under] = i
        last_under += 1
    _write(x, apex, n, height, sums[n])


@njit(cache=True, nogil=True, error_model="numpy")
def _variation(x):
    """Total variation sum |x_i+1 - x_i|, and minus its derivative in the level."""
    total = rate = 0.0
    length, before = 1, 0.0
    for i in range(1, x.size + 1):
        step = x[i] - x[i - 1] if i < x.size else 0.0
        if step == 0.0 and i < x.size:
            length += 1
            continue
        sign = 0.0 if i == x.size else (1.0 if step > 0.0 else -1.0)
        total += abs(step)
        rate += (sign - before) ** 2 / length
        length, before = 1, sign
    return total, rate


@njit(cache=True, nogil=True, error_model="numpy")
def variation_within(y, radius, x):
    """x = projection of y onto {x : sum |x_i+1 - x_i| = radius}; return that sum, up to rounding.

    The sum for y is above the radius. Safeguarded Newton on the level: pieces only join as the
    level grows, so that the variation is convex in it.
    """
    over, under = np.empty(y.size, dtype=np.int64), np.empty(y.size, dtype=np.int64)
    x[:] = y
    low, high, at = 0.0, 0.0, 0.0
    running = 0.0
    for i in range(y.size):
        running += y[i]
        high = max(high, abs(running))  # y has mean zero: here x is constant
    total, rate = _variation(x)
    for _ in range(MAX_NEWTON_STEPS):
        if total > radius:
            low = at
        elif total < radius:
            high = at
        else:
            break
        ahead = at + (total - radius) / rate if rate > 0.0 else 0.5 * (low + high)
        if not low < ahead < high:
            ahead = 0.5 * (low + high)
        if not low < ahead < high:
            break
        at = ahead
        least_variation(y, at, x, over, under)
        total, rate = _variation(x)
    return total
