"""Submodular functions: orders of base polytope vertices, and violations of submodularity."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Indices

__all__ = ["Broken", "broken", "order_behind"]

Value = Callable[[list[int] | Indices], float]
"""F as a function of a set of indices."""


class Broken(NamedTuple):
    """Violated submodularity: F(rest + element) - F(rest) = alone < after, with `other` in rest."""

    element: int
    other: int
    rest: Indices
    alone: float
    after: float


def order_behind(value: Value, x: Array, low: Array, high: Array, near: float) -> Indices | None:
    """Order of the elements whose greedy vertex is x, up to `near`; None where x is no vertex.

    Every prefix S of a vertex's order is tight, F(S) = x(S), and from any tight set some element
    leads to the next. `low` and `high` are the least and the largest gains of elements.
    """
    chosen: list[int] = []
    left, before = (x >= low - near) & (x <= high + near), 0.0
    for _ in range(x.size):
        for e in np.flatnonzero(left).tolist():
            ahead = value([*chosen, e])
            if abs(ahead - before - x[e]) <= near:
                break
        else:
            return None
        chosen.append(e)
        left[e], before = False, ahead
    return np.array(chosen)


def broken(value: Value, n: int, tries: int, seed: int, near: float) -> Broken | None:
    """Violation of submodularity on random sets, or None if `tries` of them show none."""
    rng = np.random.default_rng(seed)
    for _ in range(tries if n > 1 else 0):
        order = rng.permutation(n)
        i, j, rest = int(order[0]), int(order[1]), order[2 : 2 + rng.integers(0, n - 1)]
        alone = value([*rest, i]) - value(rest)
        after = value([*rest, j, i]) - value([*rest, j])
        if after > alone + near:
            return Broken(i, j, np.sort(rest), alone, after)
    return None
