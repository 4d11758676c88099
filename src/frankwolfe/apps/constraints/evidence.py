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

from frankwolfe.apps.constraints.course import Course
from frankwolfe.apps.constraints.feasible import holds
from frankwolfe.apps.constraints.formulation import Formulation, LinearBound, RoundOutcome
from frankwolfe.apps.constraints.policy import POLICY
from frankwolfe.base import Array, Point
from frankwolfe.core import Covector
from frankwolfe.solver import Result

__all__ = ["Evidence"]

SAFE_ZERO = 1e-300  # in place of zero as a divisor


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

    def __init__(self, formulation: Formulation, tol: float) -> None:
        self.formulation, self.tol = formulation, tol
        self.problem, self.rows = formulation.problem, formulation.rows
        self.bound = self.problem.objective.least
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
        inside = self.problem.region.violation(best_x) <= POLICY.restore_tol and holds(
            self.rows, best_x
        )
        if not inside or self.bound > self.best + abs(self.best) * POLICY.restore_tol:
            raise ValueError("its feasible point is outside, or below the bound")

    def remark(self) -> list[str]:
        """A sentence on the origin of the bound, if it rests on a checkpoint."""
        if not self.taken_over or self.bound == -math.inf:
            return []
        return ["The run was resumed, and its lower bound rests on the checkpoint."]

    def optimality_ratio(self) -> float:
        """Gap of the best feasible point over the gap asked for; at most 1 means success."""
        if self.best_x is None:
            return math.inf
        return max(self.best - self.bound, 0.0) / (self.enough(self.best) or SAFE_ZERO)

    def ratio_at(self, seen: RoundOutcome) -> float:
        """The smaller optimality ratio: of the best feasible point, or of a round's if feasible."""
        there = abs(seen.value - self.bound) / (seen.wanted or SAFE_ZERO)
        return min(there if seen.feasible else math.inf, self.optimality_ratio())

    def enough(self, value: float) -> float:
        """The gap at which the tolerance is met where f is `value`."""
        return self.problem.enough(self.tol, value, self.first_gap)

    def take(self, result: Result) -> None:
        """Take a run's lower bound: one on the Lagrangian is one on f under the constraints."""
        if result.certified:
            self.bound = max(self.bound, result.lower_bound)

    def look_near(self, result: Result) -> None:
        """Look for a feasible point near the one of a run."""
        x = self.formulation.feasible_point(result)
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
        least, reach, _ = self._least(g + self.rows.covector(y), math.inf)
        terms = abs(value) + float(np.abs(g) @ np.abs(x)) + abs(most) + reach
        return value - float(g @ x) + least - most - POLICY.bound_rounding * terms

    def _least(self, g: Covector, hoped: float) -> LinearBound:
        """Bounds on <g, v> over the region, whose probability of a failure is counted."""
        found = self.formulation.least(g, hoped)
        self.failure = min(self.failure + found.failure, 1.0)
        return found

    def proves_infeasible(self, y: Array, far: float) -> bool:
        """True if y proves infeasibility: min <y, Av> over the region > max <y, w> in the bounds.

        For y of the norm one every point is farther from the bounds than the difference, which
        must be more than `far`, and than rounding.
        """
        size = float(np.linalg.norm(y))
        if not size > 0.0:
            return False
        most = self.rows.support(y / size)
        least, reach, _ = self._least(self.rows.covector(y / size), most + far)
        return least > most + max(far, POLICY.proof_rounding * (reach + abs(most)))
