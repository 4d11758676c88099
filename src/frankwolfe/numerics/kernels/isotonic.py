"""Monotone fits by pooling adjacent violators, and the nearest point of an OWL ball with them."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["isotonic", "owl_level"]

MOST = 200


@njit(cache=True, nogil=True, error_model="numpy")
def isotonic(y, out, counts):  # type: ignore[no-untyped-def]
    """out = the nearest vector to y whose entries do not fall; `out` may be y itself.

    Blocks so far have their means at the beginning of `out` and their sizes in `counts`, room
    for as many whole numbers.
    """
    blocks = 0
    for i in range(y.size):
        mean, count = y[i], 1
        while blocks > 0 and out[blocks - 1] >= mean:
            blocks -= 1
            both = count + counts[blocks]
            mean += (out[blocks] - mean) * (counts[blocks] / both)
            count = both
        out[blocks], counts[blocks] = mean, count
        blocks += 1
    i = y.size
    for b in range(blocks - 1, -1, -1):
        value = out[b]
        for _ in range(counts[b]):
            i -= 1
            out[i] = value


@njit(cache=True, nogil=True, error_model="numpy")
def _pooled(a, w, level, means, weights, counts):  # type: ignore[no-untyped-def]
    """Blocks of a - level w, made to fall; the sum of w times what is positive, and its rate."""
    blocks = 0
    for i in range(a.size):
        mean, weight, count = a[i], w[i], 1
        while blocks > 0 and means[blocks - 1] - level * weights[blocks - 1] <= (
            mean - level * weight
        ):
            blocks -= 1
            both = count + counts[blocks]
            share = counts[blocks] / both
            mean += (means[blocks] - mean) * share
            weight += (weights[blocks] - weight) * share
            count = both
        means[blocks], weights[blocks], counts[blocks] = mean, weight, count
        blocks += 1
    norm = rate = 0.0
    for b in range(blocks):
        value = means[b] - level * weights[b]
        if value <= 0.0:
            break
        norm += counts[b] * (weights[b] * value)
        rate += counts[b] * (weights[b] * weights[b])
    return blocks, norm, rate


@njit(cache=True, nogil=True, error_model="numpy")
def owl_level(a, w, radius, top, out):  # type: ignore[no-untyped-def]
    """out = the nearest point to a with sum of w times sorted sizes = radius; its sum before.

    `a` >= 0 and `w` fall, the sum of their products is above the radius, and `top` is a level at
    which nothing is left. Newton's method between two bounds: the norm falls with the level and
    bends upward, for blocks only grow.
    """
    means, weights = np.empty(a.size), np.empty(a.size)
    counts = np.empty(a.size, dtype=np.int64)
    low, high, at = 0.0, top, 0.0
    blocks, norm = 0, 0.0
    for _ in range(MOST):
        blocks, norm, rate = _pooled(a, w, at, means, weights, counts)
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
        value = max(means[b] - at * weights[b], 0.0)
        for _ in range(counts[b]):
            out[i] = value
            i += 1
    return norm
