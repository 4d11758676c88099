"""Loops of `losses` and `vectors` over blocks of long arrays, whose sums are added in order.

The blocks do not depend on the number of threads: the result is the same bits here, on one
thread, and in `parallel`, which has these loops on all of them.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from frankwolfe.base.kernels import losses, vectors

__all__ = [
    "add_scaled",
    "ahead",
    "along",
    "blend",
    "combine",
    "curvature",
    "dot",
    "extend",
    "linearize",
    "shifted",
    "subtract",
    "value",
]

BLOCKS = 64  # of an array, whatever the number of threads: more of them than threads, as a rule

_value, _linearize, _along = losses.value, losses.linearize, losses.along
_curvature, _shifted = losses.curvature, losses.shifted
_dot, _in_order = vectors.dot, vectors.in_order

add_scaled, ahead, blend = vectors.add_scaled, vectors.ahead, vectors.blend
combine, extend, subtract = vectors.combine, vectors.extend, vectors.subtract


@njit(inline="always")
def _ends(block, size):
    """First entry of a block, and the first after it."""
    return block * size // BLOCKS, (block + 1) * size // BLOCKS


@njit(inline="always")
def _part(w, low, high):
    """Weights of the entries from `low` to `high`; a single weight belongs to all."""
    return w if w.size == 1 else w[low:high]


@njit(cache=True, nogil=True)
def value(loss, delta, z, b, w):
    """Loss phi(z)."""
    totals = np.zeros(BLOCKS)
    for block in prange(BLOCKS):
        low, high = _ends(block, z.size)
        totals[block] = _value(loss, delta, z[low:high], b[low:high], _part(w, low, high))
    return _in_order(totals)


@njit(cache=True, nogil=True)
def linearize(loss, delta, z, b, w, slope):
    """Write phi'(z) into `slope`; return phi(z) and <phi'(z), z>."""
    totals = np.zeros((BLOCKS, 2))
    for block in prange(BLOCKS):
        low, high = _ends(block, z.size)
        totals[block, 0], totals[block, 1] = _linearize(
            loss, delta, z[low:high], b[low:high], _part(w, low, high), slope[low:high]
        )
    return _in_order(totals[:, 0]), _in_order(totals[:, 1])


@njit(cache=True, nogil=True)
def shifted(loss, delta, z, dz, t, c, b, w):
    """`losses.shifted` over blocks: phi along dz at z + c, and sums of its derivatives."""
    parts = np.zeros((7, BLOCKS))
    for k in prange(BLOCKS):
        low, high = _ends(k, z.size)
        change, weights = dz[low : min(high, dz.size)], _part(w, low, high)
        parts[:, k] = _shifted(loss, delta, z[low:high], change, t, c, b[low:high], weights)
    first, second = _in_order(parts[1]), _in_order(parts[2])
    slopes, sizes = _in_order(parts[3]), _in_order(parts[4])
    curvature, cross = _in_order(parts[5]), _in_order(parts[6])
    return _in_order(parts[0]), first, second, slopes, sizes, curvature, cross


@njit(cache=True, nogil=True)
def curvature(loss, delta, z, b, w, out):
    """Write the second derivative of every term into `out`."""
    for block in prange(BLOCKS):
        low, high = _ends(block, z.size)
        _curvature(loss, delta, z[low:high], b[low:high], _part(w, low, high), out[low:high])


@njit(cache=True, nogil=True)
def along(loss, delta, z, dz, t, b, w):
    """phi, phi' and phi'' of t -> phi(z + t dz)."""
    totals = np.zeros((BLOCKS, 3))
    for block in prange(BLOCKS):
        low, high = _ends(block, z.size)
        totals[block, 0], totals[block, 1], totals[block, 2] = _along(
            loss, delta, z[low:high], dz[low:high], t, b[low:high], _part(w, low, high)
        )
    return _in_order(totals[:, 0]), _in_order(totals[:, 1]), _in_order(totals[:, 2])


@njit(cache=True, nogil=True)
def dot(x, y):
    """<x, y>, summed in double precision."""
    totals = np.zeros(BLOCKS)
    for block in prange(BLOCKS):
        low, high = _ends(block, x.size)
        totals[block] = _dot(x[low:high], y[low:high])
    return _in_order(totals)
