"""Regions made of others, beside the region alone and what one would write around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import frankwolfe as fw
from contests import Contest, Solve
from frankwolfe.core.region_abilities import Accuracy

N = 100_000
TIGHT = Accuracy(0.0, 0.0, 0.0, 0)


def all_contests() -> list[Contest]:
    """What a wrapper costs at n = 1e5, for atoms of one entry, of some, and of all."""
    kinds: dict[str, Any] = {
        "L1Ball": fw.L1Ball(1.5),
        "Hypersimplex k=100": fw.Hypersimplex(100),
        "LpBall p=3": fw.LpBall(3.0, 1.5),
        "L2Ball": fw.L2Ball(1.5),
    }
    found = []
    for name, inner in kinds.items():
        alone = {"the region alone": plain(inner)}
        twice = {"the region alone": plain(inner, lambda value: 2.0 * value)}
        found += [
            Contest(f"Counted({name})", fw.regions.Counted(inner), N, alone),
            Contest(f"Cached({name}), asked exactly", fw.regions.Cached(inner), N, alone),
            Contest(f"Scaled({name})", fw.regions.Scaled(inner, 2.0), N, twice),
        ]
    return [*found, *_moved(), *_mapped()]


def _moved() -> list[Contest]:
    """Dense atoms in any case: beside NumPy's sum."""
    away = np.random.default_rng(3).standard_normal(N)

    def around(inner: Any) -> dict[str, Solve]:
        return {"lmo(g) + a": lambda g: float((inner.lmo(g).dense(N) + away) @ g)}

    def added(g: np.ndarray) -> float:
        s = inner.lmo(g).dense(N)
        s += ball.lmo(g).dense(N)
        return float(s @ g)

    inner, ball = fw.Hypersimplex(100), fw.L2Ball(0.5)
    return [
        Contest("Shifted(L1Ball)", fw.regions.Shifted(fw.L1Ball(), away), N, around(fw.L1Ball())),
        Contest("Shifted(L2Ball)", fw.regions.Shifted(fw.L2Ball(), away), N, around(fw.L2Ball())),
        Contest(
            "MinkowskiSum(Hypersimplex, L2Ball)",
            fw.MinkowskiSum([inner, ball]),
            N,
            {"lmo(g) + lmo(g)": added},
        ),
    ]


def _mapped() -> list[Contest]:
    """A dense map onto a thousand variables."""
    M = np.random.default_rng(4).standard_normal((1000, 2000))

    def corner(g: np.ndarray) -> float:
        s = M @ np.where(M.T @ g < 0.0, 1.0, 0.0)
        return float(s @ g)

    def column(g: np.ndarray) -> float:
        return float(M[:, (M.T @ g).argmin()] @ g)

    image = fw.regions.LinearImage
    return [
        Contest("LinearImage(1000 x 2000, Box)", image(M, fw.Box()), 1000, {"NumPy": corner}),
        Contest(
            "LinearImage(1000 x 2000, Simplex)", image(M, fw.Simplex()), 1000, {"NumPy": column}
        ),
    ]


def plain(inner: Any, then: Callable[[float], float] = float) -> Solve:
    """The region alone, as a run calls it."""
    memory = inner.oracle_memory(N, np.dtype(float))
    return lambda g: then(float(inner.inexact_lmo(g, memory, TIGHT)[1]))
