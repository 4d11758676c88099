"""Bounds on entries: which of them hold x, how far a direction leads, and projections."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.kernels import level, select
from frankwolfe.core.atoms import Atom, Dense, stored_entries

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

__all__ = [
    "clip_rounding",
    "corner",
    "difference",
    "l1_room",
    "largest_size",
    "project_sizes",
    "project_to_sum",
    "rounding",
    "snap_to_bounds",
    "spacing",
    "with_sum",
    "within",
]

FLOAT_LIMITS = {  # of a type by its bytes: epsilon, the least and the largest number
    info.bits // 8: (float(info.eps), float(info.smallest_normal), float(info.max))
    for info in (np.finfo(np.float32), np.finfo(np.float64))
}
SLOPE_TOL = 1e-9  # of the largest slope of the l1 norm along d; a smaller one is rounding
PIECE_ENTRIES = 16_384  # compared with bounds at a time: what is compared stays in the cache
CLIP_TOL = {8: 1e-9, 4: 1e-5}  # by bytes; past a bound, relative to the size: rounding

Limit: TypeAlias = Array | float
"""One number for all entries, or one for each."""


def rounding(x: Array) -> float:
    """Distance from a bound, relative to the region's size, up to which a point lies on it."""
    return 1e-12 if x.itemsize == 8 else 1e-6


def spacing(dtype: DTypeLike, reach: float, size: float) -> float:
    """Largest spacing of floating-point numbers between ± reach, divided by a size.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.core.feasibility import spacing
    >>> 0.5 < spacing(np.float32, 1e6, 0.1) < 2.0, spacing(np.float32, 1e60, 1e60)
    (True, inf)
    """
    eps, tiny, most = FLOAT_LIMITS[np.dtype(dtype).itemsize]
    return (eps * reach + tiny) / size if reach < most else math.inf


def difference(s: Atom, a: Atom, n: int) -> tuple[Indices, Array]:
    """Places and values of the nonzero entries of s - a."""
    if isinstance(s, Dense) or isinstance(a, Dense):
        d = s.dense(n)
        a.add_to(d, -1.0)
        where = np.flatnonzero(d)
        return where, d[where]
    (at, plus), (off, minus) = stored_entries(s), stored_entries(a)
    where, d = np.empty(at.size + off.size, dtype=np.int64), np.empty(at.size + off.size)
    count = select.difference(at, plus, off, minus, where, d)
    return where[:count], d[:count]


def within(x: Array, d: Array, lower: Limit, upper: Limit, near: Limit = 0.0) -> float:
    """Largest step from x along d between two bounds; no entry of d is zero.

    Entries of d up to `near` are what rounding has left of vertices that agree there: they may
    lead so far past a bound, and do not hold back the others.
    """
    room = np.where(d > 0.0, upper - x, x - lower)
    return float((np.where(np.abs(d) > near, room, room + near) / np.abs(d)).min())


def l1_room(x: Array, d: Array, room: float) -> float:
    """Largest step for which |x + step d|_1 <= room; no entry of d is zero."""
    # the norm along d is convex and piecewise linear: a kink where an entry changes its sign
    slopes = np.where(x == 0.0, np.abs(d), np.sign(x) * d)
    slope, level = float(slopes.sum()), SLOPE_TOL * float(np.abs(d).sum())
    room -= float(np.abs(x).sum())  # what is left; rounding may have taken it all
    room, at = max(room, 0.0), 0.0
    for i in sorted(np.flatnonzero(slopes < 0.0), key=lambda i: -x[i] / d[i]):
        zero = float(-x[i] / d[i])  # here the norm bends upward
        ahead = zero - at
        if slope > level and slope * ahead >= room:
            return at + room / slope
        room, at = room - slope * ahead, zero
        slope += 2.0 * abs(float(d[i]))
    return at + max(room, 0.0) / slope if slope > level else math.inf


def corner(g: Array, x: Array, lower: Limit, upper: Limit) -> Array:
    """Corner of a box with the largest <g, v> of the smallest face around x."""
    near = rounding(x) * (upper - lower)
    high = (g > 0.0) & (x - lower > near) | (upper - x <= near)
    return np.asarray(np.where(high, upper, lower), dtype=g.dtype)


def snap_to_bounds(x: Array, lower: Limit, upper: Limit, size: Limit) -> Array:
    """Copy of x with entries outside a bound, or within rounding of it, moved onto it."""
    near = rounding(x) * size
    x = np.where(x - lower <= near, lower, x).astype(x.dtype)
    return np.where(upper - x <= near, upper, x).astype(x.dtype)


def with_sum(x: Array, lower: Limit, upper: Limit, total: float) -> Array:
    """x with the sum `total`: what rounding took goes to entries off their bounds.

    Each gets a share in proportion to its room, so that none passes a bound.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.core.feasibility import with_sum
    >>> with_sum(np.array([0.0, 1.0, 0.25, 0.5]), 0.0, 1.0, 2.0)
    array([0. , 1. , 0.4, 0.6])
    """
    off = total - float(x.sum(dtype=np.float64))
    room = np.where((x > lower) & (x < upper), upper - x if off > 0.0 else x - lower, 0.0)
    space = float(room.sum())
    return (x + off * (room / space)).astype(x.dtype) if space > abs(off) else x


def clip_rounding(x: Array, low: Limit, high: Limit | None, size: Limit) -> Array:
    """Move entries that are just outside [low, high] onto the bound, in place.

    What is farther away stays: it is not rounding. NaN stays too.
    """
    for first in range(0, x.size, PIECE_ENTRIES):  # what is compared stays in the cache
        at = slice(first, first + PIECE_ENTRIES)
        above = None if high is None else _piece(high, at)
        _clip_piece(x[at], _piece(low, at), above, _piece(size, at))
    return x


def _piece(bound: Limit, at: slice) -> Limit:
    """Bounds of the entries `at`; one number bounds all."""
    return bound[at] if isinstance(bound, np.ndarray) and bound.ndim else bound


def _clip_piece(x: Array, low: Limit, high: Limit | None, size: Limit) -> None:
    """Move entries of one piece that are just outside onto the bound, in place."""
    tiny = size * CLIP_TOL[x.itemsize]
    below = x < low
    if below.any():
        np.copyto(x, low, where=below & (x >= low - tiny), casting="same_kind")
    if high is not None:
        above = x > high
        if above.any():
            np.copyto(x, high, where=above & (x <= high + tiny), casting="same_kind")


def largest_size(x: Array) -> float:
    """Largest |x_i|, without a temporary."""
    return max(float(x.max()), -float(x.min()))


def project_sizes(p: Array, high: float, total: float) -> Array:
    """Projection of p onto |x_i| <= high, Σ_i |x_i| <= total.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.core.feasibility import project_sizes
    >>> project_sizes(np.array([-0.9, 0.5, 0.0]), 0.75, 1.0)
    array([-0.7,  0.3,  0. ])
    """
    x = np.empty(p.size)
    level.cut_sizes(p, largest_size(p), high, total, x)
    return x.astype(p.dtype, copy=False)


def project_to_sum(p: Array, low: float, high: float, total: float) -> Array:
    """Projection of p onto low <= x <= high, Σ_i x_i = total.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.core.feasibility import project_to_sum
    >>> project_to_sum(np.array([0.6, 0.3, -0.4]), 0.0, np.inf, 1.0)
    array([0.65, 0.35, 0.  ])
    """
    wide = p.astype(np.float64, copy=False)
    x = np.empty_like(wide)
    level.cut(wide, float(p.min()), float(p.max()), low, high, total, x)
    return x.astype(p.dtype, copy=False)
