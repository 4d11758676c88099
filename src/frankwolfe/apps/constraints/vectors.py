"""Rounds for functions of a vector: each run makes its own bounds."""

from __future__ import annotations

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.augmented import Augmented
from frankwolfe.apps.constraints.evidence import Evidence
from frankwolfe.apps.constraints.feasible import feasible_point
from frankwolfe.apps.constraints.formulation import (
    Formulation,
    Lagrangian,
    LinearBound,
    RoundOutcome,
    run_rule,
)
from frankwolfe.base import Array, Memory, Point
from frankwolfe.core import Accuracy, Covector, Problem
from frankwolfe.methods import Method
from frankwolfe.objectives import Quadratic
from frankwolfe.solver import Result, StoppingRule

__all__ = ["VectorFormulation"]


class VectorFormulation(Formulation):
    """A function of a vector under linear constraints."""

    nearest_runs = 1
    exhausted = False

    def __init__(self, problem: Problem, rows: Affine) -> None:
        self._problem, self.rows, self.memory = problem, rows, Memory()

    @property
    def problem(self) -> Problem:
        return self._problem

    def lagrangian(self, y: Array, rho: float) -> Lagrangian:
        return Augmented(self.problem.objective, self.rows, y, rho)

    def squared_distance(self) -> Lagrangian:
        import scipy.sparse as sp

        n = self.problem.n
        nothing = Quadratic(sp.csr_array((n, n)), convex=True)  # f = 0: any penalty will do
        return Augmented(nothing, self.rows, np.zeros(self.rows.rows), 1.0)

    def extreme(self, g: Array, sign: float) -> tuple[float, Array]:
        s = self.problem.region.ask(sign * g).dense(g.size)
        return float(g @ s), self.rows.apply(s)

    def rule(self, gap: float, steps: int, method: Method) -> StoppingRule:
        return run_rule(gap, steps, method)

    def penalty_shows(self, result: Result, small: float) -> bool:
        return result.gap <= small

    def least(self, g: Covector, hoped: float) -> LinearBound:
        region, n = self.problem.region, self.problem.n
        memory = region.oracle_memory(n, g.dtype)
        _, least, error = region.inexact_lmo(g, memory, Accuracy(0.0, np.inf, 1.0, 0))
        return LinearBound(least - error, region.reach(np.abs(g), n))

    def feasible_point(self, result: Result) -> Point:
        return feasible_point(self.problem, self.rows, result)

    def update_bounds(self, known: Evidence, f: Lagrangian, seen: RoundOutcome) -> None:
        known.take(seen.result)
        if known.ratio_at(seen) > 1.0:
            known.update_dual_bound(seen.multipliers)
