"""Isotonic regression by pooling adjacent violators, and projection onto OWL balls with it."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["about_means", "isotonic", "owl_level"]

MAX_NEWTON_STEPS = 200  # Newton's method needs few of them, and bisection alone about sixty


@njit(cache=True, nogil=True, error_model="numpy")
def isotonic(y, out, counts):
    """out = projection of y onto vectors with nondecreasing entries; `out` may be y itself.

    Blocks so far have their sums at the beginning of `out` and their sizes in `counts`, room
    for y.size integers.
    """
    blocks = 0
    for i in range(y.size):
        total, count = y[i], 1
        while blocks > 0 and out[blocks - 1] * count >= total * counts[blocks - 1]:
            blocks -= 1
            total += out[blocks]
            count += counts[blocks]
        out[blocks], counts[blocks] = total, count
        blocks += 1
    i = y.size
    for b in range(blocks - 1, -1, -1):  # from the back: the sums stand at the front of `out`
        value = out[b] / counts[b]
        for _ in range(counts[b]):
            i -= 1
            out[i] = value


@njit(cache=True, nogil=True, error_model="numpy")
def about_means(fit, values, x):
    """Shift x on each block of equal entries of `fit` to the mean of `values` there."""
    first = 0
    while first < x.size:
        last, base, total = first, x[first], 0.0
        while last < x.size and fit[last] == fit[first]:
            x[last] -= base  # small next to an x far away
            total += values[last] - x[last]
            last += 1
        shift = total / (last - first)
        for i in range(first, last):
            x[i] += shift
        first = last


@njit(cache=True, nogil=True, error_model="numpy")
def _pooled(a, w, level, sums, weights, counts):
    """Number of blocks of the nonincreasing fit y of a - level w; <w, max(y, 0)>, and its rate."""
    blocks = 0
    for i in range(a.size):
        total, weight, count = a[i], w[i], 1
        while (
            blocks > 0
            and (sums[blocks - 1] - level * weights[blocks - 1]) * count
            <= (total - level * weight) * counts[blocks - 1]
        ):
            blocks -= 1
            total += sums[blocks]
            weight += weights[blocks]
            count += counts[blocks]
        sums[blocks], weights[blocks], counts[blocks] = total, weight, count
        blocks += 1
    norm = rate = 0.0
    for b in range(blocks):
        value = sums[b] - level * weights[b]
        if value <= 0.0:
            break
        share = weights[b] / counts[b]
        norm += share * value
        rate += share * weights[b]
    return blocks, norm, rate


@njit(cache=True, nogil=True, error_model="numpy")
def owl_level(a, w, radius, top, out):
    """out = projection of a onto the ball of the OWL norm <w, sorted |x|> <= radius.

    `a` >= 0 and `w` are nonincreasing, <a, w> is above the radius, and at the level `top` nothing
    is left. Safeguarded Newton on the level: the norm is decreasing and convex in it, for blocks
    only grow.
    """
    sums, weights = np.empty(a.size), np.empty(a.size)
    counts = np.empty(a.size, dtype=np.int64)
    low, high, at = 0.0, top, 0.0
    blocks = 0
    for _ in range(MAX_NEWTON_STEPS):
        blocks, norm, rate = _pooled(a, w, at, sums, weights, counts)
        if norm > radius:
            low = at
        elif norm < radius:
            high = at
        else:
            break
        ahead = at + (norm - radius) / rate if rate > 0.0 else 0.5 * (low + high)
        if not low <= ahead <= high:
            ahead = 0.5 * (low + high)
        if ahead == at:
            break
        at = ahead
    i = 0
    for b in range(blocks):
        value = max((sums[b] - at * weights[b]) / counts[b], 0.0)
        for _ in range(counts[b]):
            out[i] = value
            i += 1
