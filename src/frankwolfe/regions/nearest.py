"""The nearest point of a region, where finding it costs about as much as the oracle."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import singledispatch
from typing import NamedTuple

import numpy as np

from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.kernels import level as loops
from frankwolfe.numerics.quadratics.birkhoff import assignment_bound, nearest_doubly_stochastic
from frankwolfe.regions import (
    Birkhoff,
    Box,
    GroupBall,
    Hypersimplex,
    KSparse,
    L1Ball,
    L2Ball,
    LInfBall,
    Region,
    Simplex,
    UnitHypersimplex,
    UnitSimplex,
)

__all__ = ["Nearest", "knows_nearest", "nearest"]


class Nearest(NamedTuple):
    """The point, and for a gradient (c times the way to it) a bound below <g, s> where at hand."""

    x: Array
    bound: Callable[[Array, float], float] | None = None


@singledispatch
def nearest(region: Region, p: Array) -> Nearest:
    """The point of the region nearest to p.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> from frankwolfe.regions.nearest import nearest
    >>> nearest(fw.Simplex(), np.array([0.6, 0.3, -0.4])).x
    array([0.65, 0.35, 0.  ])
    """
    raise NotImplementedError(f"{region!r} does not know its nearest points.")


def knows_nearest(region: Region) -> bool:
    """Whether `nearest` is for this kind of region."""
    return nearest.dispatch(type(region)) is not nearest.dispatch(Region)


def _cut(p: Array, low: float, high: float, total: float) -> Array:
    """The nearest point with entries between two bounds and a given sum."""
    wide = p.astype(np.float64, copy=False)
    x = np.empty_like(wide)
    loops.cut(wide, low, high, total, (float(wide.sum()) - total) / p.size, x)
    return x.astype(p.dtype, copy=False)


@nearest.register
def _(region: L2Ball, p: Array) -> Nearest:
    away = region.from_center(p)
    length = float(np.linalg.norm(away.astype(np.float64)))
    scale = min(1.0, region.radius / length) if length > 0.0 else 1.0
    return Nearest(region.to_center(away * p.dtype.type(scale)))


@nearest.register
def _(region: L1Ball, p: Array) -> Nearest:
    away = region.from_center(p)
    sizes = np.abs(away)
    if float(sizes.sum(dtype=np.float64)) <= region.radius:
        return Nearest(p.copy())
    return Nearest(region.to_center(np.copysign(_cut(sizes, 0.0, math.inf, region.radius), away)))


@nearest.register
def _(region: Box | LInfBall, p: Array) -> Nearest:
    lower, upper = region.bounds(p.size)
    return Nearest(np.clip(p, lower, upper).astype(p.dtype))


@nearest.register
def _(region: Simplex, p: Array) -> Nearest:
    return Nearest(_cut(p, 0.0, math.inf, region.scale))


@nearest.register
def _(region: UnitSimplex, p: Array) -> Nearest:
    x = np.maximum(p, p.dtype.type(0.0))
    inside = float(x.sum(dtype=np.float64)) <= region.scale
    return Nearest(x if inside else _cut(p, 0.0, math.inf, region.scale))


@nearest.register
def _(region: Hypersimplex, p: Array) -> Nearest:
    return Nearest(_cut(p, 0.0, region.scale, region.k * region.scale))


@nearest.register
def _(region: UnitHypersimplex, p: Array) -> Nearest:
    x = np.clip(p, 0.0, region.scale).astype(p.dtype)
    total = region.k * region.scale
    inside = float(x.sum(dtype=np.float64)) <= total
    return Nearest(x if inside else _cut(p, 0.0, region.scale, total))


@nearest.register
def _(region: KSparse, p: Array) -> Nearest:
    sizes, total = np.abs(p), region.k * region.radius
    x = np.minimum(sizes, p.dtype.type(region.radius))
    if float(x.sum(dtype=np.float64)) > total:
        x = _cut(sizes, 0.0, region.radius, total)
    return Nearest(np.copysign(x, p, out=x))


@nearest.register
def _(region: GroupBall, p: Array) -> Nearest:
    norms = region.norms(p)
    if float(norms.sum()) <= region.radius:
        return Nearest(p.copy())
    shrunk = _cut(norms, 0.0, math.inf, region.radius)
    scale = shrunk / np.where(norms > 0.0, norms, 1.0)
    return Nearest((p * scale[region.groups]).astype(p.dtype))


@nearest.register
def _(region: Birkhoff, p: Array) -> Nearest:
    side = region.n
    x, a = nearest_doubly_stochastic(p.reshape(side, side))

    def bound(g: Array, scale: float) -> float:
        return assignment_bound(g.astype(np.float64).reshape(side, side), -scale * a)

    return Nearest(x.ravel().astype(p.dtype), bound)
