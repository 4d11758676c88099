"""A random region of each kind in n variables, from a radius and a centre."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .cases import Part

__all__ = ["MATRIX_SHAPES", "POSITIVE", "SHAPES", "shape"]

Rng = np.random.Generator
POSITIVE = (
    *("Simplex", "UnitSimplex", "Box", "Hypersimplex", "UnitHypersimplex", "Birkhoff"),
    *("ConvexHull", "Product", "OracleRegion_simplex"),
)
"""Regions whose points can all be >= 0, for objectives with a logarithm."""


def _center(rng: Rng, n: int, radius: float) -> dict[str, Any]:
    draw = rng.random()
    if draw < 0.75:
        return {}
    size = radius if draw < 0.85 else 10.0 ** rng.uniform(0, 6)
    return {"center": rng.standard_normal(n) * size}


def _ball(name: str) -> Callable[[Rng, int, float, bool], Part]:
    def make(rng: Rng, n: int, radius: float, positive: bool) -> Part:
        return Part(name, {"radius": radius, **_center(rng, n, radius)})

    return make


def _lp(rng: Rng, n: int, radius: float, positive: bool) -> Part:
    p = float(rng.choice([1.0, 1.01, 1.2, 1.5, 2.0, 3.0, 8.0, 50.0, math.inf]))
    return Part("LpBall", {"p": p, "radius": radius, **_center(rng, n, radius)})


def _scaled(name: str) -> Callable[[Rng, int, float, bool], Part]:
    def make(rng: Rng, n: int, radius: float, positive: bool) -> Part:
        return Part(name, {"scale": radius})

    return make


def _box(rng: Rng, n: int, radius: float, positive: bool) -> Part:
    draw = rng.random()
    if draw < 0.3:
        return Part("Box", {"lower": 0.0 if positive else -radius, "upper": radius})
    lower = np.zeros(n) if positive else rng.standard_normal(n) * radius
    width = rng.uniform(0.1, 2.0, n) * radius * 10.0 ** (rng.uniform(-3, 3, n) * (draw < 0.5))
    if draw > 0.9:  # some variables are fixed
        width = width * (rng.random(n) < 0.7)
        width[0] = radius
    return Part("Box", {"lower": lower, "upper": lower + width})


def _groups(rng: Rng, n: int, radius: float, positive: bool) -> Part:
    return Part("GroupBall", {"groups": rng.integers(0, max(1, n // 2), n), "radius": radius})


def _sparse(rng: Rng, n: int, radius: float, positive: bool) -> Part:
    return Part("KSparse", {"k": int(rng.integers(1, min(n, 8) + 1)), "radius": radius})


def _some(name: str) -> Callable[[Rng, int, float, bool], Part]:
    def make(rng: Rng, n: int, radius: float, positive: bool) -> Part:
        return Part(name, {"k": int(rng.integers(1, min(n, 8) + 1)), "scale": radius})

    return make


def _birkhoff(rng: Rng, n: int, radius: float, positive: bool) -> Part:
    return Part("Birkhoff", {"n": math.isqrt(n)})


def _hull(rng: Rng, n: int, radius: float, positive: bool) -> Part:
    points = rng.standard_normal((int(rng.integers(1, 2 * min(n, 30) + 2)), n)) * radius
    if rng.random() < 0.3:
        points = points * 10.0 ** rng.uniform(-3, 3, n)
    points = np.abs(points) if positive else points
    return Part(
        "ConvexHull", {"points": points.astype(np.float32 if rng.random() < 0.1 else float)}
    )


def _product(rng: Rng, n: int, radius: float, positive: bool) -> Part:
    cuts = np.unique(rng.integers(1, n + 1, 2))
    lengths = np.diff([0, *cuts, n])
    names = [
        name
        for name in (POSITIVE[:5] if positive else SHAPES)
        if name not in ("Product", "Birkhoff")
    ]
    blocks = []
    for length in map(int, lengths[lengths > 0]):
        blocks.append((SHAPES[str(rng.choice(names))](rng, length, radius, positive), length))
    return Part("Product", {"blocks": blocks})


def _oracle(name: str, size: str) -> Callable[[Rng, int, float, bool], Part]:
    def make(rng: Rng, n: int, radius: float, positive: bool) -> Part:
        return Part(name, {size: radius, "n": n})

    return make


SHAPES: dict[str, Callable[[Rng, int, float, bool], Part]] = {
    "L1Ball": _ball("L1Ball"),
    "L2Ball": _ball("L2Ball"),
    "LInfBall": _ball("LInfBall"),
    "LpBall": _lp,
    "Simplex": _scaled("Simplex"),
    "UnitSimplex": _scaled("UnitSimplex"),
    "Box": _box,
    "GroupBall": _groups,
    "KSparse": _sparse,
    "Hypersimplex": _some("Hypersimplex"),
    "UnitHypersimplex": _some("UnitHypersimplex"),
    "Birkhoff": _birkhoff,
    "ConvexHull": _hull,
    "Product": _product,
    "OracleRegion_simplex": _oracle("OracleRegion_simplex", "scale"),
    "OracleRegion_ball": _oracle("OracleRegion_ball", "radius"),
}
"""Regions of vectors: how a random one is made."""


def _nuclear(rng: Rng, n: int, radius: float, positive: bool) -> Part:
    return Part("NuclearBall", {"radius": radius, "exact_below": int(rng.choice([0, 2500]))})


def _spectraplex(rng: Rng, n: int, radius: float, positive: bool) -> Part:
    return Part("Spectraplex", {"trace": radius, "at_most": bool(rng.random() < 0.5)})


MATRIX_SHAPES = {"NuclearBall": _nuclear, "Spectraplex": _spectraplex}
"""Regions of matrices."""


def shape(rng: Rng, name: str, n: int, radius: float, *, positive: bool = False) -> Part:
    """A random region of that name in n variables."""
    return {**SHAPES, **MATRIX_SHAPES}[name](rng, n, float(radius), positive)
