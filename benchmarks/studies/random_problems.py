"""Random problems for studies of step rules: losses, balls and polytopes of many sizes, by seed.

The radius is 0.1 to 10,000 times the norm of the model that made the data (polytopes: mostly up
to 10 times), columns are scaled by up to a hundred, rows may be correlated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import frankwolfe as fw

__all__ = ["Drawn", "draw", "drawn"]

SETS = {"development": 1000, "held-out": 170_000}  # the first seed of each
BALLS = ("l2", "l2", "lp", "lp")  # with a curved boundary
POLYTOPES = ("l1", "l1", "linf", "box", "simplex", "unit simplex", "k-sparse", "groups")
Rng = np.random.Generator


class Drawn(NamedTuple):
    """A problem, and what it is."""

    name: str
    curved: bool
    problem: fw.Problem


def drawn(which: str, count: int) -> Iterator[Drawn]:
    """The first problems of the development set, or of the set kept apart."""
    return (draw(SETS[which] + i) for i in range(count))


def draw(seed: int) -> Drawn:
    """The problem of a seed."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 50))
    A = rng.standard_normal((int(n * rng.uniform(2, 8)), n))
    if rng.random() < 0.3:
        A += rng.uniform(0, 2) * rng.standard_normal((A.shape[0], 1))
    scale = 10.0 ** (rng.choice([0.0, 1.0, 2.0]) * rng.uniform(-1, 1, n))
    x = rng.standard_normal(n) * (rng.random(n) < rng.uniform(0.2, 1.0))
    x[0] += not x.any()
    A, x = A * scale, x / scale
    loss = str(rng.choice(list(LOSSES)))
    objective = LOSSES[loss](A, A @ x, rng)
    kind = str(rng.choice(BALLS + POLYTOPES))
    wide = kind in BALLS or rng.random() < 0.3
    factor = 10.0 ** rng.uniform(-1, 4 if wide else 1)
    region = REGIONS[kind](factor * x, rng)
    name = f"{seed} {loss}, {kind}, {factor:.2g} times the norm, {n} variables"
    return Drawn(name, kind in BALLS, fw.Problem(objective, region))


def _noisy(z: np.ndarray, rng: Rng) -> tuple[np.ndarray, float]:
    noise = float(rng.uniform(0.05, 1.0) * z.std())
    return z + noise * rng.standard_normal(z.size), noise


def _logistic(A: np.ndarray, z: np.ndarray, rng: Rng) -> fw.Objective:
    sure = 1.0 / (1.0 + np.exp(-z / z.std() * rng.uniform(1, 4)))
    return fw.Logistic(A, np.where(rng.random(z.size) < sure, 1.0, -1.0))


def _squares(A: np.ndarray, z: np.ndarray, rng: Rng) -> fw.Objective:
    return fw.SquaredError(A, _noisy(z, rng)[0])


def _huber(A: np.ndarray, z: np.ndarray, rng: Rng) -> fw.Objective:
    b, noise = _noisy(z, rng)
    outliers = 10.0 * z.std() * (rng.random(z.size) < 0.05)
    return fw.Huber(A, b + outliers, delta=float(rng.uniform(0.2, 2.0)) * noise)


def _quantile(A: np.ndarray, z: np.ndarray, rng: Rng) -> fw.Objective:
    b, noise = _noisy(z, rng)
    delta = float(rng.uniform(0.05, 0.5)) * noise
    return fw.Quantile(A, b, quantile=float(rng.uniform(0.2, 0.8)), delta=delta)


LOSSES: dict[str, Callable[[np.ndarray, np.ndarray, Rng], fw.Objective]] = {
    "logistic": _logistic,
    "squared": _squares,
    "Huber": _huber,
    "quantile": _quantile,
}


def _size(x: np.ndarray, p: float) -> float:
    return float(np.linalg.norm(x, p))


def _lp(x: np.ndarray, rng: Rng) -> fw.Region:
    p = float(rng.choice([1.1, 1.3, 1.5, 1.8, 2.5, 3.0, 5.0, 10.0]))
    return fw.LpBall(p, _size(x, p))


def _box(x: np.ndarray, rng: Rng) -> fw.Region:
    low, high = _size(x, np.inf) * rng.uniform(0.2, 1.0, (2, x.size))
    return fw.Box(-low, high)


REGIONS: dict[str, Callable[[np.ndarray, Rng], Any]] = {
    "l2": lambda x, rng: fw.L2Ball(_size(x, 2)),
    "lp": _lp,
    "l1": lambda x, rng: fw.L1Ball(_size(x, 1)),
    "linf": lambda x, rng: fw.LInfBall(_size(x, np.inf)),
    "box": _box,
    "simplex": lambda x, rng: fw.Simplex(_size(x, 1)),
    "unit simplex": lambda x, rng: fw.UnitSimplex(_size(x, 1)),
    "k-sparse": lambda x, rng: fw.KSparse(int(rng.integers(1, x.size)), 0.5 * _size(x, np.inf)),
    "groups": lambda x, rng: fw.GroupBall(np.arange(x.size) // 3, _size(x, 2)),
}
