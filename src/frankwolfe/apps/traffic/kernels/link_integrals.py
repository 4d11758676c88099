"""Integrals of travel times from 0 to x, without cancellation: the terms of Beckmann's function."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from frankwolfe.apps.traffic.kernels.link_costs import (
    _above,
    _all_three,
    _conical,
    _davidson,
    _logarithm,
    _power,
    _queue,
    time_and_slope,
)
from frankwolfe.apps.traffic.roads import AKCELIK, BPR, CONICAL, DAVIDSON, MARGINAL

__all__ = ["integral", "integrals", "total_along"]

GAUSS = np.stack(np.polynomial.legendre.leggauss(10), axis=1)  # nodes and weights in [-1, 1]


@njit(cache=True, nogil=True)
def _conical_integral(t, k, c, s, x):
    """Integral of the conical function, by Gauss' rule where it is smooth enough or in closed form.

    With h = sqrt(u^2 + s^2) - u the integral of h is (s^2 log h) / 2 + h^2 / 4, and differences of
    h do not cancel; for large s the terms with s do, and Gauss' rule is used.
    """
    r = x / c
    if k * r <= 0.5 * s:
        total = 0.0
        for i in range(GAUSS.shape[0]):
            total += GAUSS[i, 1] * _conical(t, k, c, s, 0.5 * x * (1.0 + GAUSS[i, 0]))[0]
        return 0.5 * x * total
    first, root = _above(k, s)
    last, other = _above(k * (1.0 - r), s)
    both = first + last
    more = k * r * both / (root + other)
    above = 0.5 * s * s * math.log1p(more / first) + 0.25 * more * both
    return t * (x * (2.0 - s) + c / k * above)


@njit(cache=True, nogil=True)
def _third(z):
    """log(1 + z) - z + z^2 / 2, without cancellation."""
    if z >= 0.5:
        return math.log1p(z) - z + 0.5 * z * z
    s = z / (2.0 + z)  # log(1 + z) = 2 (s + s^3 / 3 + s^5 / 5 + ...), s <= 1/5
    term, total = s, 0.5 * z * z * (z / (2.0 + z))
    for k in range(3, 27, 2):
        term *= s * s
        total += 2.0 * term / k
    return total


@njit(cache=True, nogil=True)
def _akcelik_integral(t, k, c, s, x):
    """Integral of Akçelik's function, by the queue's inverse r(g) = g (g + 2) / (2 (g + wait))."""
    r, wait = x / c, 4.0 * k / c / s
    g = _queue(r, wait)[0]
    if wait == 0.0:
        area = 0.25 * g * g
    elif g < wait or wait >= 2.0:
        z = g / wait
        area = 0.5 * wait * z * z * (1.0 + z * (wait - 1.0)) / (1.0 + z)
        area += (1.0 - 0.5 * wait) * wait * _third(z)
    else:
        area = g * (r - 0.25 * g) - (1.0 - 0.5 * wait) * (g - wait * math.log1p(g / wait))
    return t * x + 0.25 * s * c * area


@njit(cache=True, nogil=True)
def _logarithm_integral(t, k, c, s, x):
    """Integral of the logarithmic function."""
    r = min(x / c, s)
    if r >= 0.5:
        area = r + (1.0 - r) * math.log1p(-r)
    else:  # without cancellation: -log(1 - r) = 2 (z + z^3 / 3 + z^5 / 5 + ...), z <= 1/3
        z = r / (2.0 - r)
        term, rest = z, 0.0
        for i in range(3, 35, 2):
            term *= z * z
            rest += term / i
        area = r * z - 2.0 * (1.0 - r) * rest
    time, slope, _ = _logarithm(t, k, c, s, r * c)
    beyond = x - r * c
    return c * (t * r + k * area) + beyond * (time + 0.5 * slope * beyond)


@njit(cache=True, nogil=True)
def _davidson_integral(t, k, c, s, x):
    """Integral of Davidson's function."""
    r = min(x / c, s)
    time, slope, _ = _davidson(t, k, c, s, r * c)
    beyond = x - r * c
    return t * c * (r - k * (r + math.log1p(-r))) + beyond * (time + 0.5 * slope * beyond)


@njit(cache=True, nogil=True)
def _curved(kind, t, k, c, s, x):
    """Integral of the travel time of any kind but BPR and the marginal ones."""
    if kind == CONICAL:
        return _conical_integral(t, k, c, s, x)
    if kind == DAVIDSON:
        return _davidson_integral(t, k, c, s, x)
    if kind == AKCELIK:
        return _akcelik_integral(t, k, c, s, x)
    return _logarithm_integral(t, k, c, s, x)


@njit(cache=True, nogil=True)
def integral(kind, t, k, c, s, x):
    """Integral of a link's travel time from 0 to x."""
    if kind == BPR:
        if k == 0.0 or x == 0.0:
            return t * x
        return x * (t + k / (s + 1.0) * _power(x / c, s))
    if kind >= MARGINAL:  # t + x t' is the derivative of x t
        return x * _all_three(kind & 7, t, k, c, s, x)[0]
    return _curved(kind, t, k, c, s, x)


@njit(cache=True, nogil=True)
def integrals(kinds, table, x):
    """Beckmann's function: the sum over all links of the integral of their travel time."""
    total = 0.0
    for a in range(x.size):
        p = table[a]
        total += integral(kinds[a], p[0], p[1], p[2], p[3], x[a])
    return total


@njit(cache=True, nogil=True)
def total_along(kinds, table, x, dx, t):
    """Beckmann's function at x + t dx, and its first and second derivative in t."""
    total, first, second = 0.0, 0.0, 0.0
    for a in range(x.size):
        p, d, at = table[a], dx[a], max(x[a] + t * dx[a], 0.0)
        total += integral(kinds[a], p[0], p[1], p[2], p[3], at)
        time, slope = time_and_slope(kinds[a], p[0], p[1], p[2], p[3], at)
        first += time * d
        if d != 0.0:
            second += slope * d * d
    return total, first, second
