"""Balls by their dual norms, and regions given by a function."""

from __future__ import annotations

import math

import numpy as np
from programs import program

import frankwolfe as fw
from frankwolfe.regions.balls.norm_ball import NormBall
from minima import least


@least.register(NormBall)
def dual_norm(region: NormBall, g: np.ndarray) -> float:
    p = region.p
    dual = 1.0 if math.isinf(p) else math.inf if p == 1.0 else p / (p - 1.0)
    around = 0.0 if region.center is None else float(g @ region.center)
    largest = float(np.abs(g).max()) or 1.0
    return around - region.radius * largest * float(np.linalg.norm(g / largest, dual))


@least.register
def by_group(region: fw.GroupBall, g: np.ndarray) -> float:
    largest = float(np.abs(g).max()) or 1.0
    return -region.radius * max(
        largest * float(np.linalg.norm(g[region.groups == label] / largest))
        for label in range(region.count)
    )


@least.register
def side_by_side(region: fw.Product, g: np.ndarray) -> float:
    return sum(least(r, g[block]) for r, block in zip(region.regions, region.blocks, strict=True))


@least.register
def known(region: fw.regions.OracleRegion, g: np.ndarray) -> float:
    return float(g.min()) if region.polytope else -float(np.linalg.norm(g))


@least.register
def listed(region: fw.ConvexHull, g: np.ndarray) -> float:
    written = program(region, g.size)
    return min(float(g @ point) for point in written.lift.T)
