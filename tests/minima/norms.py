"""Norms, cones and permutations: over all subsets, by another solver, or by a plain inverse."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from programs import program

import frankwolfe as fw
from minima import least


def _length(v: np.ndarray) -> float:
    """The 2-norm; no square over- or underflows."""
    size = float(np.abs(v).max()) or 1.0
    return size * float(np.linalg.norm(v / size))


@least.register
def all_supports(region: fw.KSupportBall, g: np.ndarray) -> float:
    size = min(region.k, g.size)
    return -region.radius * max(
        _length(g[list(support)]) for support in combinations(range(g.size), size)
    )


@least.register
def all_groups(region: fw.regions.LatentGroupBall, g: np.ndarray) -> float:
    groups = np.split(region._order, region._starts[1:-1])
    weighted = zip(groups, region.weights, strict=True)
    return -region.radius * max(_length(g[group]) / w for group, w in weighted)


@least.register
def by_the_inverse(region: fw.Ellipsoid, g: np.ndarray) -> float:
    given = region._given
    A = given[0] if given[0].ndim == 2 else np.diag(given[0]) + given[1] @ given[1].T
    size = float(np.abs(g).max()) or 1.0
    around = float((g / size) @ region.center)
    return size * (
        around - region.radius * float(np.sqrt((g / size) @ np.linalg.inv(A) @ (g / size)))
    )


@least.register
def by_means(region: fw.regions.IsotonicBall, g: np.ndarray) -> float:
    """The nearest point of the cone to -g: the largest of the least means around each entry."""
    size = float(np.abs(g).max()) or 1.0
    y, n = -g / size, g.size
    rising = [
        max(min(y[j : k + 1].mean() for k in range(i, n)) for j in range(i + 1)) for i in range(n)
    ]
    return -size * region.radius * float(np.linalg.norm(rising))


@least.register
def all_permutations(region: fw.Permutahedron, g: np.ndarray) -> float:
    return float((g @ program(region, g.size).lift).min())
