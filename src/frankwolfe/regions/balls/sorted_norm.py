"""Norms that weigh entries by the order of their sizes: values, duals and nearest points."""

from __future__ import annotations

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.regions.kernels import isotonic

__all__ = ["best_prefix", "nearest", "sorted_norm"]


def sorted_norm(x: Array, weights: Array) -> float:
    """Sorted norm Σ_i w_i |x|_(i), for weights that do not rise."""
    return float(np.sort(np.abs(x))[::-1] @ weights)


def best_prefix(sizes: Array, sums: Array) -> tuple[int, Array]:
    """The k that maximizes (sum of the k largest sizes) / sums[k - 1], and the sorted sizes.

    NaN is largest, and found.
    """
    falling = np.sort(sizes)[::-1]
    ratios = np.cumsum(falling, dtype=np.float64)
    ratios /= sums
    return int(ratios.argmax()) + 1, falling


def nearest(p: Array, weights: Array, radius: float) -> Array:
    """Projection of p onto the ball of the sorted norm.

    In the order of sizes it is p less a multiple of the weights, made to fall by pooling (the
    proximal operator of the norm), and the multiple is that which puts it on the ball.
    """
    order = np.argsort(-np.abs(p, dtype=np.float64))
    a = np.abs(p[order], dtype=np.float64)
    if float(a @ weights) <= radius:
        return p.copy()
    ratios = np.cumsum(a)
    ratios /= np.cumsum(weights)
    top, x = float(ratios.max()), ratios  # the dual norm, at which nothing is left; room
    isotonic.owl_level(a, weights, radius, top, x)
    found = float(x @ weights)
    if found > 0.0:
        x *= radius / found
    a[order] = x
    return np.copysign(a, p, out=a).astype(p.dtype, copy=False)
