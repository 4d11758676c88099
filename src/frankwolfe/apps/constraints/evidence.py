r"""Bounds, proofs of infeasibility, and the best feasible point under constraints.

For any multipliers y, the tangent of f at any x, and w = Av,

.. math:: f(v) \ge f(x) + \langle \nabla f(x) + A'y, v - x\rangle + \langle y, Ax\rangle
          - \max_{l \le w \le u} \langle y, w\rangle

for every v of the region with :math:`l \le Av \le u`. The least of the right-hand side over the
region is one call of its oracle.
"""

from __future__ import annotations

import math

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.course import Course
from frankwolfe.apps.constraints.feasible import feasible_point, holds
from frankwolfe.base.arrays import Array, Point
from frankwolfe.core.objective import Covector
from frankwolfe.core.problem import Problem
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.solver.result import Result

__all__ = ["SAFE_ZERO", "Evidence"]

BOUND_ROUNDING = 1e-14  # share of the terms of a bound that is subtracted for rounding
SAFE_ZERO = 1e-300  # in place of zero as a divisor
PROOF_MARGIN = 1e-12  # share of the terms by which a proof of infeasibility must clear rounding
RESTORE_TOL = 1e-6  # share of a value, or of the region, by which a checkpoint may be off


class Evidence:
    """Bounds and points that runs have shown of a problem whose rows have the norm one.

    Attributes
    ----------
    bound : float
        A lower bound on f under the constraints; at first f's own, 0 for losses.
    best, best_x : float and a point
        The least f at points that satisfy them up to rounding, and where; infinite and None
        where none is known.
    failure : float
        The probability that a bound is false (spectral oracles).
    taken_over : bool
        True if the bound rests on a checkpoint.
    """

    def __init__(self, problem: Problem, rows: Affine) -> None:
        self.problem, self.rows = problem, rows
        self.bound = problem.objective.least
        self.best: float = math.inf
        self.first_gap = math.inf  # range of the tangent at the start over the region
        self.best_x: Point = None
        self.failure = 0.0
        self.taken_over = False

    def restore(self, course: Course, best_x: Point) -> None:
        """Restore from a checkpoint: the bound as it is, but the point's value is recomputed."""
        self.bound, self.failure = course.bound, course.failure
        self.first_gap = course.change
        if best_x is None:
            return
        self.best, self.best_x = self.problem.objective(best_x), best_x
        inside = self.problem.region.violation(best_x) <= RESTORE_TOL and holds(self.rows, best_x)
        if not inside or self.bound > self.best + abs(self.best) * RESTORE_TOL:
            raise ValueError("its feasible point is outside, or below the bound")

    def remark(self) -> list[str]:
        """A sentence on the origin of the bound, if it rests on a checkpoint."""
        if not self.taken_over or self.bound == -math.inf:
            return []
        return ["The run was resumed, and its lower bound rests on the checkpoint."]

    def optimality_ratio(self, tol: float) -> float:
        """Gap of the best feasible point over the gap asked for; at most 1 means success."""
        if self.best_x is None:
            return math.inf
        return max(self.best - self.bound, 0.0) / (self.enough(tol, self.best) or SAFE_ZERO)

    def enough(self, tol: float, value: float) -> float:
        """The gap at which a relative tolerance is met where f is `value`."""
        return self.problem.enough(tol, value, self.first_gap)

    def take(self, result: Result) -> None:
        """Take a run's lower bound: one on the Lagrangian is one on f under the constraints."""
        if result.certified:
            self.bound = max(self.bound, result.lower_bound)

    def look_near(self, result: Result) -> None:
        """Look for a feasible point near the one of a run."""
        x = feasible_point(self.problem, self.rows, result)
        value = math.inf if x is None else self.problem.objective(x)
        if value < self.best:
            self.best, self.best_x = value, x

    def update_dual_bound(self, y: Array) -> None:
        """Improve the bound by the plain Lagrangian at the best point, where no penalty rounds.

        If no constraint binds, or f hardly changes, y = 0 is better: products with y have a
        rounding of their own.
        """
        for multipliers in (y, np.zeros_like(y)) if self.best_x is not None else ():
            self.bound = max(self.bound, self.lagrangian_bound(self.best_x, multipliers))

    def lagrangian_bound(self, x: Array, y: Array) -> float:
        """Lower bound by the tangent of f at x and multipliers y, minus a rounding allowance."""
        f = self.problem.objective
        g, value, most = f.grad(x), f(x), self.rows.support(y)
        least, reach = self.least(g + self.rows.covector(y), math.inf)
        terms = abs(value) + float(np.abs(g) @ np.abs(x)) + abs(most) + reach
        return value - float(g @ x) + least - most - BOUND_ROUNDING * terms

    def least(self, g: Covector, hoped: float) -> tuple[float, float]:
        """Lower bound on <g, v> over the region, and an upper one on Σ_j |g_j v_j|.

        It need not be tight if it is not above what is `hoped` for.
        """
        region, n = self.problem.region, self.problem.n
        memory = region.oracle_memory(n, g.dtype)
        _, least, error = region.inexact_lmo(g, memory, Accuracy(0.0, math.inf, 1.0, 0))
        return least - error, region.reach(np.abs(g), n)

    def proves_infeasible(self, y: Array, far: float) -> bool:
        """True if y proves infeasibility: min <y, Av> over the region > max <y, w> in the bounds.

        For y of the norm one every point is farther from the bounds than the difference, which
        must be more than `far`, and than rounding.
        """
        size = float(np.linalg.norm(y))
        if not size > 0.0:
            return False
        most = self.rows.support(y / size)
        least, reach = self.least(self.rows.covector(y / size), most + far)
        return least > most + max(far, PROOF_MARGIN * (reach + abs(most)))
