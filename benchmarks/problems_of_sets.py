"""Least squares and logistic regression over the sets of the gallery, in moderate sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import frankwolfe as fw

Made = Callable[[], fw.Problem]


def _data(m: int, n: int, seed: int = 21) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    A = np.asfortranarray(rng.standard_normal((m, n)))
    x = np.zeros(n)
    x[rng.permutation(n)[: max(n // 10, 3)]] = rng.standard_normal(max(n // 10, 3))
    return A, A @ x + 0.3 * rng.standard_normal(m)


def _over(make: Callable[[], fw.Region], m: int, n: int, loss: Any = fw.SquaredError) -> Made:
    def made() -> fw.Problem:
        A, b = _data(m, n)
        return fw.Problem(loss(A, np.sign(b) if loss is fw.Logistic else b), make())

    return made


def _edges(nodes: int, count: int) -> np.ndarray:
    """A path through all nodes, and random edges forward."""
    rng = np.random.default_rng(22)
    path = np.column_stack([np.arange(nodes - 1), np.arange(1, nodes)])
    pairs = np.sort(rng.integers(0, nodes, (count, 2)), axis=1)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    return np.unique(np.vstack([path, pairs]), axis=0)


def _near_edges(region: Callable[[np.ndarray], fw.Region], nodes: int, count: int) -> Made:
    """Edges by a noisy linear model of theirs, as many rows as edges."""

    def made() -> fw.Problem:
        edges = _edges(nodes, count)
        A, b = _data(len(edges), len(edges), 23)
        return fw.Problem(fw.SquaredError(A + 3.0 * np.eye(len(edges)), b), region(edges))

    return made


def _polytope(m: int, n: int) -> fw.Region:
    rng = np.random.default_rng(24)
    A = rng.standard_normal((m, n)) * (rng.random((m, n)) < 0.1)
    return fw.Polytope(A, np.abs(A).sum(axis=1) * 0.05 + 0.1, bounds=(-0.2, 0.2))


def _plans(n: int) -> fw.Problem:
    rng = np.random.default_rng(25)
    a, b = rng.uniform(0.5, 1.5, n), rng.uniform(0.5, 1.5, n)
    a, b = a / a.sum(), b / b.sum()
    A = rng.standard_normal((2 * n, n * n))
    plan = np.outer(a, b) + 0.02 * rng.standard_normal((n, n))  # near the set, not in it
    return fw.Problem(fw.SquaredError(A, A @ plan.ravel()), fw.Transport(a, b))


def _covering(n: int) -> fw.Region:
    """The base polytope of a coverage function plus a modular one."""
    rng = np.random.default_rng(27)
    sets, prices = rng.random((n, 3 * n)) < 0.1, rng.uniform(0.0, 4.0, n)

    def covered(chosen: Any) -> float:
        chosen = np.asarray(chosen, dtype=np.int64)
        return float(sets[chosen].any(axis=0).sum() - prices[chosen].sum())

    return fw.regions.SubmodularBase(covered, n)


def _curved(n: int) -> fw.Region:
    rng = np.random.default_rng(28)
    half = rng.standard_normal((n, n))
    return fw.Ellipsoid(half @ half.T / n + 0.1 * np.eye(n))


def _groups(n: int) -> list[list[int]]:
    return [list(range(i, min(i + 8, n))) for i in range(0, n - 2, 5)]


PROBLEMS: dict[str, Made] = {
    "weighted l1 300x400": _over(
        lambda: fw.regions.WeightedL1Ball(np.linspace(0.5, 2.0, 400), 8.0), 300, 400
    ),
    "weighted linf 300x200": _over(
        lambda: fw.regions.WeightedLInfBall(np.linspace(0.5, 2.0, 200), 0.1), 300, 200
    ),
    "owl 300x200": _over(lambda: fw.OWLBall(np.linspace(1.0, 0.1, 200), 3.0), 300, 200),
    "owl logistic 300x200": _over(
        lambda: fw.OWLBall(np.linspace(1.0, 0.1, 200), 3.0), 300, 200, fw.Logistic
    ),
    "k-support 300x200": _over(lambda: fw.KSupportBall(10, 2.0), 300, 200),
    "top-k 300x200": _over(lambda: fw.regions.TopKBall(10, 2.0), 300, 200),
    "ellipsoid 300x100": _over(lambda: _curved(100), 300, 100),
    "total variation 300x200": _over(lambda: fw.regions.TVBall(3.0), 300, 200),
    "latent groups 300x200": _over(lambda: fw.regions.LatentGroupBall(_groups(200), 3.0), 300, 200),
    "isotonic 300x100": _over(lambda: fw.regions.IsotonicBall(2.0), 300, 100),
    "capped simplex 300x200": _over(
        lambda: fw.CappedSimplex(np.linspace(0.02, 0.3, 200), 1.0), 300, 200
    ),
    "capped simplex 400x400": _over(
        lambda: fw.CappedSimplex(np.linspace(0.02, 0.3, 400), 4.0), 400, 400
    ),
    "permutahedron 300x100": _over(lambda: fw.Permutahedron(np.linspace(-0.5, 0.5, 100)), 300, 100),
    "polytope 60x150": _over(lambda: _polytope(60, 150), 300, 150),
    "polytope logistic 60x150": _over(lambda: _polytope(60, 150), 300, 150, fw.Logistic),
    "unit flow 60 nodes": _near_edges(lambda e: fw.regions.UnitFlow(e, 0, 59), 60, 300),
    "min-cost flow 60 nodes": _near_edges(
        lambda e: fw.regions.MinCostFlow(e, {0: 3.0, 59: -3.0}, 1.0), 60, 500
    ),
    "spanning trees 25 nodes": _near_edges(fw.regions.SpanningTrees, 25, 150),
    "matching 20 nodes": _near_edges(fw.regions.Matching, 20, 100),
    "cuts 30 nodes": _near_edges(lambda e: fw.regions.Cuts(e, 0, 29), 30, 150),
    "submodular base n=60": lambda: fw.Problem(fw.squared_distance(np.zeros(60)), _covering(60)),
    "birkhoff 8": _over(lambda: fw.Birkhoff(8), 300, 64),
    "birkhoff 20": _over(lambda: fw.Birkhoff(20), 300, 400),
    "transport 15x15": lambda: _plans(15),
    "transport 30x30": lambda: _plans(30),
    "spectral ball 12x10": _over(lambda: fw.regions.SpectralBall(12, 10, 0.3), 300, 120),
    "fantope 12": _over(lambda: fw.regions.Fantope(12, 3), 300, 144),
    "minkowski l1 + l2": _over(lambda: fw.MinkowskiSum([fw.L1Ball(1.0), fw.L2Ball(0.5)]), 300, 100),
    "image of a simplex": _over(
        lambda: fw.regions.LinearImage(
            np.random.default_rng(29).standard_normal((100, 150)), fw.Simplex()
        ),
        300,
        100,
    ),
}
"""By name; what a set needs besides the library may be missing."""
