"""Sets that have been here from the beginning, beside NumPy and scipy."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

import frankwolfe as fw
from contests import Contest


def all_contests() -> list[Contest]:
    """Coordinates, choices and assignments."""
    n, k, side = 100_000, 100, 200
    return [
        Contest("L1Ball n=1e5", fw.L1Ball(), n, {"argmax of abs": lambda g: -np.abs(g).max()}),
        Contest("Simplex n=1e5", fw.Simplex(), n, {"argmin": lambda g: g[g.argmin()]}),
        Contest("L2Ball n=1e5", fw.L2Ball(), n, {"-g / norm": _against}),
        Contest(
            "Hypersimplex n=1e5 k=100",
            fw.Hypersimplex(k),
            n,
            {"argpartition": lambda g: g[np.argpartition(g, k - 1)[:k]].sum()},
        ),
        Contest(
            "Birkhoff 200 x 200",
            fw.Birkhoff(side),
            side**2,
            {"linear_sum_assignment": _assignment},
        ),
    ]


def _against(g: np.ndarray) -> float:
    s = -g / np.linalg.norm(g)
    return float(s @ g)


def _assignment(g: np.ndarray) -> float:
    cost = g.reshape(200, 200)
    rows, columns = linear_sum_assignment(cost)
    return float(cost[rows, columns].sum())
