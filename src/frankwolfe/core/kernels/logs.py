r"""Losses with a logarithm, :math:`\sum_i w_i (c z_i - b_i \log z_i)`, finite for z > 0.

A term with b = 0 is linear and finite everywhere. The loops are those of `losses`, compiled
around another term: a logarithm among theirs would cost every loss time.
"""

from __future__ import annotations

import math

from numba import njit

from frankwolfe.base.kernels import losses
from frankwolfe.base.kernels.parallel_variants import variant

__all__ = ["along", "curvature", "first_zero", "linearize", "positive", "value"]


@njit(inline="always")
def pointwise(_code, c, z, b):
    """Value, first and second derivative of one term c z - b log z."""
    y = float(z)
    if b == 0.0:
        return c * y, c, 0.0
    if y <= 0.0:
        return math.inf, math.nan, math.nan
    share = b / y
    return c * y - b * math.log(y), c - share, share / y


value, linearize, along, curvature = (
    variant(loop, "log", {"pointwise": pointwise}, fastmath=losses.REASSOCIATE)
    for loop in (losses.value, losses.linearize, losses.along, losses.curvature)
)


@njit(cache=True, nogil=True, error_model="numpy")
def positive(z, b):
    """True if z_i > 0 wherever b_i > 0."""
    outside = 0
    for i in range(z.size):
        outside += b[i] > 0.0 and not z[i] > 0.0
    return outside == 0


@njit(cache=True, nogil=True, error_model="numpy")
def first_zero(z, dz, b):
    """Smallest t >= 0 at which an entry of z + t dz with b > 0 is zero: the end of the domain."""
    least = math.inf
    for i in range(z.size):
        if b[i] > 0.0 and dz[i] < 0.0:
            least = min(least, -float(z[i]) / dz[i])
    return least
