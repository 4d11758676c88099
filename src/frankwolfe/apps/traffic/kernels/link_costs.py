"""Link cost functions of traffic assignment: the travel time of x vehicles, and its derivative.

A link has a kind and four parameters (a row of `table`): its free-flow time t, a factor k, its
capacity c, and a shape s. The ratio x / c is r.

==========  ==========================================================  =====================
kind        time                                                        factor k, shape s
==========  ==========================================================  =====================
BPR         t + k r^s                                                   t b, power
CONICAL     t (2 + sqrt(k^2 (1-r)^2 + s^2) - k (1-r) - s)               alpha, its beta
DAVIDSON    t (1 + k r / (1-r)), from r = s on its tangent              J, where it ends
AKCELIK     t + s/4 (r - 1 + sqrt((r-1)^2 + 8 k r / (c s)))             J, hours of the peak
LOGARITHM   t - k log(1-r), from r = s on its tangent                   any, where it ends
==========  ==========================================================  =====================

With MARGINAL added to its kind a link has the time t(x) + x t'(x), the marginal cost of one more
vehicle to all: the equilibrium of these times is the system optimum.
"""

from __future__ import annotations

import math

from numba import njit

from frankwolfe.apps.traffic.roads import BPR, CONICAL, DAVIDSON, LOGARITHM, MARGINAL

__all__ = ["slopes", "time_and_slope", "times"]


@njit(inline="always")
def _power(r, s):
    """r^s; the fourth power of the Bureau of Public Roads without a logarithm."""
    if s == 4.0:
        return r * r * (r * r)
    return r**s


@njit(cache=True, nogil=True)
def _above(u, s):
    """sqrt(u^2 + s^2) - u and sqrt(u^2 + s^2), without cancellation."""
    root = math.sqrt(u * u + s * s)
    return (s * (s / (root + u)) if u > 0.0 else root - u), root


@njit(cache=True, nogil=True)
def _conical(t, k, c, s, x):
    """Time, first and second derivative of Spiess' conical function."""
    u = k * (1.0 - x / c)
    above, root = _above(u, s)
    slope = t * k / c
    curvature = slope * k / c * (s / root) * (s / root) / root
    rest = above - s if abs(u) > s else u * (u / (root + s)) - u
    return t * (2.0 + rest), slope * (above / root), curvature


@njit(cache=True, nogil=True)
def _davidson(t, k, c, s, x):
    """Time, first and second derivative of Davidson's function, linear from r = s on."""
    r = min(x / c, s)
    left = 1.0 - r
    slope = t * k / (c * left * left)
    time = t * (1.0 + k * r / left) + slope * (x - r * c)
    return time, slope, 2.0 * slope / (c * left) if x < s * c else 0.0


@njit(cache=True, nogil=True)
def _queue(r, wait):
    """r - 1 + sqrt((r-1)^2 + 2 wait r) and that root, without cancellation."""
    root = math.sqrt((r - 1.0) * (r - 1.0) + 2.0 * wait * r)
    return (2.0 * wait * r / (root + 1.0 - r) if r < 1.0 else r - 1.0 + root), root


@njit(cache=True, nogil=True)
def _akcelik(t, k, c, s, x):
    """Time, first and second derivative of Akçelik's function."""
    wait, part = 4.0 * k / c / s, 0.25 * s
    queue, root = _queue(x / c, wait)
    if root == 0.0:  # no delay below capacity, and a kink there
        return t, 0.0, 0.0
    slope = part / c * (queue + wait) / root
    curvature = part / c / c * (wait / root) * ((2.0 - wait) / root) / root
    return t + part * queue, slope, curvature


@njit(cache=True, nogil=True)
def _logarithm(t, k, c, s, x):
    """Time, first and second derivative of the logarithmic function, linear from r = s on."""
    r = min(x / c, s)
    slope = k / (c * (1.0 - r))
    time = t - k * math.log1p(-r) + slope * (x - r * c)
    return time, slope, slope / (c * (1.0 - r)) if x < s * c else 0.0


@njit(cache=True, nogil=True)
def _all_three(kind, t, k, c, s, x):
    """Time, first and second derivative of a link of any kind but BPR, which has its own code."""
    if kind == CONICAL:
        return _conical(t, k, c, s, x)
    if kind == DAVIDSON:
        return _davidson(t, k, c, s, x)
    if kind == LOGARITHM:
        return _logarithm(t, k, c, s, x)
    return _akcelik(t, k, c, s, x)


@njit(cache=True, nogil=True)
def time_and_slope(kind, t, k, c, s, x):
    """Travel time of a link that x vehicles use, and its derivative."""
    if kind == BPR:
        if k == 0.0 or s == 0.0:
            return t + k, 0.0
        r = x / c
        if r == 0.0:
            return t, (k / c if s == 1.0 else 0.0 if s > 1.0 else math.inf)
        rise = k * _power(r, s)
        return t + rise, s * rise / x
    time, slope, curvature = _all_three(kind & 7, t, k, c, s, x)
    if kind < MARGINAL:
        return time, slope
    return time + x * slope, 2.0 * slope + x * curvature


@njit(cache=True, nogil=True)
def times(kinds, table, x, out):
    """out_a = travel time of link a at flow x_a."""
    for a in range(x.size):
        p = table[a]
        out[a] = time_and_slope(kinds[a], p[0], p[1], p[2], p[3], x[a])[0]


@njit(cache=True, nogil=True)
def slopes(kinds, table, x, out):
    """out_a = derivative of the travel time of link a at flow x_a."""
    for a in range(x.size):
        p = table[a]
        out[a] = time_and_slope(kinds[a], p[0], p[1], p[2], p[3], x[a])[1]
