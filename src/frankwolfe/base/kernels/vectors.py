"""Vector updates of the iterate and its image, each in one pass.

`prange` is a plain loop here; `parallel` has those loops on all threads.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, prange

__all__ = [
    "add_scaled",
    "ahead",
    "blend",
    "combine",
    "dot",
    "extend",
    "in_order",
    "l2_vertex",
    "lp_vertex",
    "subtract",
    "weighted_square",
]

MIN_UNROLLED = 1000  # entries from which on squares are summed side by side, and not scaled first
SAFE_LOW, SAFE_HIGH = 1e-100, 1e100  # largest entries whose squares neither vanish nor overflow


@njit(cache=True, nogil=True)
def in_order(x):
    """Sum from the first entry to the last: x.sum() in a parallel loop is shared among threads."""
    total = 0.0
    for i in range(x.size):
        total += x[i]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def add_scaled(out, weight, x):
    """out += weight x."""
    for i in prange(x.size):
        out[i] += weight * x[i]


@njit(cache=True, nogil=True, error_model="numpy")
def ahead(out, x, gamma, d):
    """out = x + gamma d."""
    for i in prange(x.size):
        out[i] = x[i] + gamma * d[i]


@njit(cache=True, nogil=True, error_model="numpy")
def blend(out, x, gamma, s):
    """out = (1 - gamma) x + gamma s."""
    keep = 1.0 - gamma
    for i in prange(x.size):
        out[i] = keep * x[i] + gamma * s[i]


@njit(cache=True, nogil=True, error_model="numpy")
def combine(x, a, b, y):
    """x = a x + b y, in place."""
    for i in prange(x.size):
        x[i] = a * x[i] + b * y[i]


@njit(cache=True, nogil=True, error_model="numpy")
def extend(x, momentum, y):
    """x += momentum (x - y), in place."""
    for i in prange(x.size):
        x[i] += momentum * (x[i] - y[i])


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def dot(x, y):
    """Inner product <x, y>, summed in double precision."""
    total = 0.0
    for i in range(x.size):
        total += x[i] * y[i]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def subtract(out, x, y):
    """out = x - y."""
    for i in prange(x.size):
        out[i] = x[i] - y[i]


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def weighted_square(w, x):
    """Sum of w_i x_i^2, with one weight for all or one for each entry."""
    same = w.size == 1
    total = 0.0
    for i in range(x.size):
        total += (w[0] if same else w[i]) * x[i] * x[i]
    return total


@njit(inline="always")
def _largest(g):
    """Largest |g_i|."""
    largest = 0.0
    for i in range(g.size):
        largest = max(largest, abs(g[i]))
    return largest


@njit(cache=True, nogil=True, error_model="numpy")
def _squares(g):
    """Sum of squares by eight sums side by side: one order on every machine, and quick."""
    a = b = c = d = e = f = h = k = 0.0
    whole = g.size - g.size % 8
    for i in range(0, whole, 8):
        a += np.float64(g[i]) * g[i]
        b += np.float64(g[i + 1]) * g[i + 1]
        c += np.float64(g[i + 2]) * g[i + 2]
        d += np.float64(g[i + 3]) * g[i + 3]
        e += np.float64(g[i + 4]) * g[i + 4]
        f += np.float64(g[i + 5]) * g[i + 5]
        h += np.float64(g[i + 6]) * g[i + 6]
        k += np.float64(g[i + 7]) * g[i + 7]
    for i in range(whole, g.size):
        a += np.float64(g[i]) * g[i]
    return ((a + b) + (c + d)) + ((e + f) + (h + k))


@njit(cache=True, nogil=True, error_model="numpy")
def l2_vertex(out, g, radius):
    """out = -radius g / |g|_2, safe from overflow; the first axis where g = 0."""
    largest = _largest(g)
    if largest == 0.0:
        out[:] = 0.0
        out[0] = radius
        return
    if g.size >= MIN_UNROLLED and SAFE_LOW < largest < SAFE_HIGH:
        factor = -radius / math.sqrt(_squares(g))
        for i in range(g.size):
            out[i] = factor * g[i]
        return
    total = 0.0
    for i in range(g.size):
        total += (g[i] / largest) ** 2
    factor = -radius / math.sqrt(total)
    for i in range(g.size):
        out[i] = factor * (g[i] / largest)


@njit(cache=True, nogil=True, error_model="numpy")
def lp_vertex(out, g, radius, p):
    """out = minimizer s of <g, s> over the lp ball, 1 < p < inf; the first axis where g = 0."""
    largest = _largest(g)
    if largest == 0.0:
        out[:] = 0.0
        out[0] = radius
        return
    power = 1.0 / (p - 1.0)  # q - 1, with 1/p + 1/q = 1
    total = 0.0
    for i in range(g.size):
        size = (abs(g[i]) / largest) ** power
        total += size**p
        out[i] = -size if g[i] > 0 else size
    factor = radius / total ** (1.0 / p)
    for i in range(g.size):
        out[i] *= factor
