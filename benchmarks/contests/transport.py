"""Transport plans beside POT."""

from __future__ import annotations

import numpy as np

import frankwolfe as fw
from contests import Contest, Solve


def all_contests() -> list[Contest]:
    """Costs that change slowly, between places in the plane and at random."""
    return [_contest(*shape) for shape in ((50, 50), (200, 200), (100, 400), (1000, 1000))]


def _contest(rows: int, columns: int) -> Contest:
    rng = np.random.default_rng(0)
    a, b = rng.dirichlet(np.ones(rows)), rng.dirichlet(np.ones(columns))
    start, end = rng.standard_normal((rows, 2)), rng.standard_normal((columns, 2))
    costs = [((start[:, None] - end) ** 2).sum(axis=2).ravel()]
    for _ in range(9 if rows < 1000 else 4):
        costs.append(costs[-1] + 0.02 * rng.standard_normal(costs[-1].size))
    name, size = f"Transport {rows} x {columns}", rows * columns
    return Contest(name, fw.Transport(a, b), size, {"ot.emd": _emd(a, b)}, costs)


def _emd(a: np.ndarray, b: np.ndarray) -> Solve:
    import ot

    def solve(g: np.ndarray) -> float:
        cost = g.reshape(a.size, b.size)
        return float((ot.emd(a, b, cost, numItermax=10**6) * cost).sum())

    return solve
