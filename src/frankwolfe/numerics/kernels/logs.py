r"""Losses with a logarithm, :math:`\sum_i w_i (c z_i - b_i \log z_i)`, finite for z > 0.

A term with b = 0 is linear and finite everywhere. Loops of their own: a logarithm in those of
`losses` would make them slower for everyone.
"""

from __future__ import annotations

import math

from numba import njit

__all__ = ["along", "curvature", "in_domain", "linearize", "nearest", "value"]

REASSOCIATE = {"reassoc", "contract", "nsz"}


@njit(inline="always")
def pointwise(c, z, b):  # type: ignore[no-untyped-def]
    """Value, first and second derivative of one term."""
    if b == 0.0:
        return c * z, c, 0.0
    if z <= 0.0:
        return math.inf, math.nan, math.nan
    share = b / z
    return c * z - b * math.log(z), c - share, share / z


@njit(cache=True, fastmath=REASSOCIATE, error_model="numpy")
def value(_code, c, z, b, w):  # type: ignore[no-untyped-def]
    """phi(z); `w` has one weight for all terms, or one for each."""
    same = w.size == 1
    total = 0.0
    for i in range(z.size):
        v, _, _ = pointwise(c, float(z[i]), b[i])
        total += (w[0] if same else w[i]) * v
    return total


@njit(cache=True, fastmath=REASSOCIATE, error_model="numpy")
def linearize(_code, c, z, b, w, slope):  # type: ignore[no-untyped-def]
    """Write phi'(z) into `slope`; return phi(z) and <phi'(z), z>."""
    same = w.size == 1
    total = 0.0
    inner = 0.0
    for i in range(z.size):
        v, d, _ = pointwise(c, float(z[i]), b[i])
        weight = w[0] if same else w[i]
        d *= weight
        slope[i] = d
        total += weight * v
        inner += d * z[i]
    return total, inner


@njit(cache=True, error_model="numpy")
def curvature(_code, c, z, b, w, out):  # type: ignore[no-untyped-def]
    """Write the second derivative of every term into `out`."""
    same = w.size == 1
    for i in range(z.size):
        _, _, h = pointwise(c, float(z[i]), b[i])
        out[i] = (w[0] if same else w[i]) * h


@njit(cache=True, fastmath=REASSOCIATE, error_model="numpy")
def along(_code, c, z, dz, t, b, w):  # type: ignore[no-untyped-def]
    """phi, phi' and phi'' of t -> phi(z + t dz)."""
    same = w.size == 1
    total = 0.0
    first = 0.0
    second = 0.0
    for i in range(z.size):
        v, d, h = pointwise(c, float(z[i]) + t * dz[i], b[i])
        weight = w[0] if same else w[i]
        total += weight * v
        first += weight * d * dz[i]
        second += weight * h * dz[i] * dz[i]
    return total, first, second


@njit(cache=True, error_model="numpy")
def in_domain(z, b):  # type: ignore[no-untyped-def]
    """Whether z > 0 where b > 0."""
    outside = 0
    for i in range(z.size):
        outside += b[i] > 0.0 and not z[i] > 0.0
    return outside == 0


@njit(cache=True, error_model="numpy")
def nearest(z, dz, b):  # type: ignore[no-untyped-def]
    """The smallest t >= 0 at which an entry of z + t dz with b > 0 becomes zero."""
    least = math.inf
    for i in range(z.size):
        if b[i] > 0.0 and dz[i] < 0.0:
            least = min(least, -float(z[i]) / dz[i])
    return least
