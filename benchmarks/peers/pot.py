"""POT: the projections that optimal transport needs, onto the simplex and onto Birkhoff's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from suite.problem import Problem

from peers.base import Budget, Solver


class SimplexProjection(Solver):
    """`ot.utils.proj_simplex`, by sorting."""

    name = "POT proj_simplex"
    package = "ot"
    tolerances = (1e-10,)

    def skip(self, problem: Problem) -> str | None:
        fits = problem.region.name == "simplex" and problem.A is None
        return None if fits else "for projections onto the simplex"

    def run(self, problem: Problem, budget: Budget) -> Any:
        from ot.utils import proj_simplex

        return proj_simplex(problem.loss.b, problem.region.radius)


class SmoothTransport(Solver):
    """Transport with a quadratic regularizer is a projection; `form` is "dual" or "semi_dual"."""

    package = "ot"

    def __init__(self, form: str) -> None:
        self.form, self.name = form, f"POT smooth_ot_{form}"

    def skip(self, problem: Problem) -> str | None:
        return None if problem.region.name == "birkhoff" else "for transport plans"

    def run(self, problem: Problem, budget: Budget) -> Any:
        from ot import smooth

        k = problem.region.k
        solve, ones = getattr(smooth, f"smooth_ot_{self.form}"), np.ones(k)
        cost = -problem.loss.b.reshape(k, k)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plan = solve(ones, ones, cost, 1.0, "l2", stopThr=budget.tolerance, numItermax=10**5)
        return np.ravel(plan)


SOLVERS = (SimplexProjection(), SmoothTransport("dual"), SmoothTransport("semi_dual"))
