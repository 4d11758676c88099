"""How long a link takes when x vehicles use it: times, their slopes and their integrals.

A link has a kind and four parameters (a row of `table`): its time when nobody uses it, a factor,
its capacity c, and a shape. The share x / c is r.

==========  ==========================================================  =====================
kind        time                                                        factor k, shape s
==========  ==========================================================  =====================
BPR         t + k r^s                                                   t b, power
CONICAL     t (2 + sqrt(k^2 (1-r)^2 + s^2) - k (1-r) - s)               alpha, its beta
DAVIDSON    t (1 + k r / (1-r)), from r = s on its tangent              J, where it ends
AKCELIK     t + s/4 (r - 1 + sqrt((r-1)^2 + 8 k r / (c s)))             J, hours of the peak
LOGARITHM   t - k log(1-r), from r = s on its tangent                   any, where it ends
==========  ==========================================================  =====================

With MARGINAL added to its kind a link has the time t(x) + x t'(x), what one vehicle more costs
all: the equilibrium of these times is the system optimum.
"""

from __future__ import annotations

import math

from numba import njit

__all__ = [
    "AKCELIK",
    "BPR",
    "CONICAL",
    "DAVIDSON",
    "LOGARITHM",
    "MARGINAL",
    "integral",
    "integrals",
    "slopes",
    "time_and_slope",
    "times",
    "total_along",
]

BPR, CONICAL, DAVIDSON, AKCELIK, LOGARITHM = 0, 1, 2, 3, 4
MARGINAL = 8


@njit(inline="always")
def _power(r, s):  # type: ignore[no-untyped-def]
    """r^s; the power of the Bureau of Public Roads without a logarithm."""
    if s == 4.0:
        return r * r * (r * r)
    return r**s


@njit(cache=True, nogil=True)
def _conical(t, k, c, s, x):  # type: ignore[no-untyped-def]
    u = k * (1.0 - x / c)
    root = math.sqrt(u * u + s * s)
    slope = t * k / c
    bend = slope * k / c * (s / root) * (s / root) / root
    return t * (2.0 + root - u - s), slope * (1.0 - u / root), bend


@njit(cache=True, nogil=True)
def _davidson(t, k, c, s, x):  # type: ignore[no-untyped-def]
    r = min(x / c, s)
    left = 1.0 - r
    slope = t * k / (c * left * left)
    time = t * (1.0 + k * r / left) + slope * (x - r * c)
    return time, slope, 2.0 * slope / (c * left) if x < s * c else 0.0


@njit(cache=True, nogil=True)
def _akcelik(t, k, c, s, x):  # type: ignore[no-untyped-def]
    r, wait = x / c, 4.0 * k / (c * s)
    root = math.sqrt((r - 1.0) * (r - 1.0) + 2.0 * wait * r)
    if root == 0.0:
        return t, 0.0, 0.0
    half = (r - 1.0 + wait) / root
    part = 0.25 * s
    return (
        t + part * (r - 1.0 + root),
        part / c * (1.0 + half),
        part / (c * c) * (1.0 - half * half) / root,
    )


@njit(cache=True, nogil=True)
def _logarithm(t, k, c, s, x):  # type: ignore[no-untyped-def]
    r = min(x / c, s)
    slope = k / (c * (1.0 - r))
    time = t - k * math.log1p(-r) + slope * (x - r * c)
    return time, slope, slope / (c * (1.0 - r)) if x < s * c else 0.0


@njit(cache=True, nogil=True)
def _all_three(kind, t, k, c, s, x):  # type: ignore[no-untyped-def]
    """The time, its slope and its second derivative; not for BPR, whose loops have no need."""
    if kind == CONICAL:
        return _conical(t, k, c, s, x)
    if kind == DAVIDSON:
        return _davidson(t, k, c, s, x)
    if kind == LOGARITHM:
        return _logarithm(t, k, c, s, x)
    return _akcelik(t, k, c, s, x)


@njit(cache=True, nogil=True)
def time_and_slope(kind, t, k, c, s, x):  # type: ignore[no-untyped-def]
    """The time of a link that x vehicles use, and its slope."""
    if kind == BPR:
        if k == 0.0 or s == 0.0:
            return t + k, 0.0
        r = x / c
        if r == 0.0:
            return t, (k / c if s == 1.0 else 0.0 if s > 1.0 else math.inf)
        rise = k * _power(r, s)
        return t + rise, s * rise / x
    time, slope, bend = _all_three(kind & 7, t, k, c, s, x)
    if kind < MARGINAL:
        return time, slope
    return time + x * slope, 2.0 * slope + x * bend


@njit(cache=True, nogil=True)
def _conical_root(u, s):  # type: ignore[no-untyped-def]
    """The integral of sqrt(u^2 + s^2)."""
    return 0.5 * (u * math.sqrt(u * u + s * s) + s * s * math.asinh(u / s))


@njit(cache=True, nogil=True)
def _akcelik_root(h, d):  # type: ignore[no-untyped-def]
    """The integral of sqrt(h^2 + d)."""
    root = math.sqrt(max(h * h + d, 0.0))
    inside = h + root
    if inside < abs(h):  # h < 0: without cancellation
        inside = d / (root - h)
    return 0.5 * (h * root + (d * math.log(abs(inside)) if inside != 0.0 else 0.0))


@njit(cache=True, nogil=True)
def integral(kind, t, k, c, s, x):  # type: ignore[no-untyped-def]
    """The integral of the time from 0 to x."""
    if kind == BPR:
        if k == 0.0 or x == 0.0:
            return t * x
        return x * (t + k / (s + 1.0) * _power(x / c, s))
    if kind >= MARGINAL:
        return x * _all_three(kind & 7, t, k, c, s, x)[0]
    r = x / c
    if kind == CONICAL:
        roots = _conical_root(k, s) - _conical_root(k * (1.0 - r), s)
        return t * (x * (2.0 - s - k + 0.5 * k * r) + c / k * roots)
    if kind == DAVIDSON:
        r = min(r, s)
        time, slope, _ = _davidson(t, k, c, s, r * c)
        beyond = x - r * c
        return t * c * (r - k * (r + math.log1p(-r))) + beyond * (time + 0.5 * slope * beyond)
    if kind == LOGARITHM:
        r = min(r, s)
        time, slope, _ = _logarithm(t, k, c, s, r * c)
        beyond = x - r * c
        return c * (t * r + k * (r + (1.0 - r) * math.log1p(-r))) + beyond * (
            time + 0.5 * slope * beyond
        )
    wait = 4.0 * k / (c * s)
    d = 1.0 - (wait - 1.0) * (wait - 1.0)
    roots = _akcelik_root(r - 1.0 + wait, d) - _akcelik_root(wait - 1.0, d)
    return t * x + 0.25 * s * c * (0.5 * r * r - r + roots)


@njit(cache=True, nogil=True)
def times(kinds, table, x, out):  # type: ignore[no-untyped-def]
    """The time of every link."""
    for a in range(x.size):
        p = table[a]
        out[a] = time_and_slope(kinds[a], p[0], p[1], p[2], p[3], x[a])[0]


@njit(cache=True, nogil=True)
def slopes(kinds, table, x, out):  # type: ignore[no-untyped-def]
    """The slope of the time of every link."""
    for a in range(x.size):
        p = table[a]
        out[a] = time_and_slope(kinds[a], p[0], p[1], p[2], p[3], x[a])[1]


@njit(cache=True, nogil=True)
def integrals(kinds, table, x):  # type: ignore[no-untyped-def]
    """The sum of all integrals: Beckmann's function."""
    total = 0.0
    for a in range(x.size):
        p = table[a]
        total += integral(kinds[a], p[0], p[1], p[2], p[3], x[a])
    return total


@njit(cache=True, nogil=True)
def total_along(kinds, table, x, dx, t):  # type: ignore[no-untyped-def]
    """Beckmann's function at x + t dx, its slope and its curvature along dx."""
    total, first, second = 0.0, 0.0, 0.0
    for a in range(x.size):
        p, d, at = table[a], dx[a], max(x[a] + t * dx[a], 0.0)
        total += integral(kinds[a], p[0], p[1], p[2], p[3], at)
        time, slope = time_and_slope(kinds[a], p[0], p[1], p[2], p[3], at)
        first += time * d
        if d != 0.0:
            second += slope * d * d
    return total, first, second
