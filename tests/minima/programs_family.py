"""Integer points one by one; a ball that is cut, and a cut l1 ball in a box, by duality."""

from __future__ import annotations

import numpy as np
from programs import program
from scipy.optimize import linprog, minimize_scalar

import frankwolfe as fw
from minima import least


@least.register
def best_point(region: fw.regions.IntegerPolytope, g: np.ndarray) -> float:
    written = program(region, g.size)
    return float((g @ written.lift).min())


@least.register
def cut(region: fw.regions.CvxpySet, g: np.ndarray) -> float:
    """The two examples, by other solvers: a line search in the multiplier, or linprog."""
    size = float(np.abs(g).max()) or 1.0
    g, weights = g / size, np.random.default_rng(1).uniform(0.5, 1.5, g.size)
    if not g.any():
        return 0.0
    if "2 constraints" in repr(region):

        def dual(t: float) -> float:  # of the sum; what is left is a minimum over an ellipsoid
            return 0.5 * t + float(np.linalg.norm((g + t) / weights))

        return -size * float(
            minimize_scalar(
                dual, bounds=(0.0, 100.0), method="bounded", options={"xatol": 1e-13}
            ).fun
        )
    n = g.size
    rows = np.hstack([np.ones((1, n)), np.ones((1, n))])
    bounds = [(0.0, w) for w in weights] + [(0.0, 0.5)] * n
    return size * float(linprog(np.concatenate([g, -g]), A_ub=rows, b_ub=[2.0], bounds=bounds).fun)
