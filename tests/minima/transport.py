"""Transport by all vertices where they are few: a leaf of a forest has all its mass in one cell."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from programs import program

import frankwolfe as fw
from minima import least


@least.register
def every_order(region: fw.Transport, g: np.ndarray) -> float:
    """The cheapest plan that some order of the cells fills greedily; a linear program elsewhere."""
    if region.dimension > 6:
        size = float(np.abs(g).max()) or 1.0
        return size * program(region, g.size).minimum(g / size)
    best = np.inf
    for order in permutations(range(region.dimension)):
        rows, columns, cost = region.a.copy(), region.b.copy(), 0.0
        for cell in order:
            i, j = divmod(cell, columns.size)
            mass = min(rows[i], columns[j])
            rows[i] -= mass
            columns[j] -= mass
            cost += mass * g[cell]
        best = min(best, cost)
    return best
