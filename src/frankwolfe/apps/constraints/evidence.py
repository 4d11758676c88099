r"""What is known under constraints: bounds, proofs, and the best point that is feasible.

For any multipliers y, the tangent of f at any x, and w = Av,

.. math:: f(v) \ge f(x) + \langle \nabla f(x) + A'y, v - x\rangle + \langle y, Ax\rangle
          - \max_{l \le w \le u} \langle y, w\rangle

for every v of the region with :math:`l \le Av \le u`. The least of the right-hand side over the
region is one call of its oracle.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.course import Course
from frankwolfe.apps.constraints.feasible import feasible_point, holds
from frankwolfe.base.arrays import Array
from frankwolfe.core.problem import Problem
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.solver.result import Result

__all__ = ["TINY", "Evidence"]

ROUNDING = 1e-14  # of the terms of a bound
TINY = 1e-300  # in place of zero in a quotient
ABOVE = 1e-12  # of them, so far a proof must be from rounding
LOOSE = 1e-6  # of a value, or of the region: so far rounding may lead


class Evidence:
    """What runs have shown of a problem under constraints, whose rows have the norm one.

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
        Whether the bound rests on a checkpoint.
    """

    def __init__(self, problem: Problem, rows: Affine) -> None:
        self.problem, self.rows = problem, rows
        self.bound = problem.objective.least
        self.best: float = math.inf
        self.first_gap = math.inf  # by how much the tangent at the start changes over the region
        self.best_x: Any = None
        self.failure = 0.0
        self.taken_over = False

    def restore(self, course: Course, best_x: Any) -> None:
        """Take what a checkpoint holds; the bound as it is, the point and its value anew."""
        self.bound, self.failure = course.bound, course.failure
        self.first_gap = course.change
        if best_x is None:
            return
        self.best, self.best_x = self.problem.objective(best_x), best_x
        inside = self.problem.region.violation(best_x) <= LOOSE and holds(self.rows, best_x)
        if not inside or self.bound > self.best + abs(self.best) * LOOSE:
            raise ValueError("its feasible point is outside, or below the bound")

    def remark(self) -> list[str]:
        """What a result says of its bound."""
        if not self.taken_over or self.bound == -math.inf:
            return []
        return ["The run was resumed, and its lower bound rests on the checkpoint."]

    def short(self, tol: float) -> float:
        """How far f at the best point may be from the least, in units of what is asked for."""
        if self.best_x is None:
            return math.inf
        return max(self.best - self.bound, 0.0) / (self.enough(tol, self.best) or TINY)

    def enough(self, tol: float, value: float) -> float:
        """The gap at which a relative tolerance is met where f is `value`."""
        return self.problem.enough(tol, value, self.first_gap)

    def take(self, result: Result) -> None:
        """A bound on the Lagrangian over the region is one on f under the constraints."""
        if result.certified:
            self.bound = max(self.bound, result.lower_bound)

    def look_near(self, result: Result) -> None:
        """Look for a feasible point near that of a run."""
        x = feasible_point(self.problem, self.rows, result)
        value = math.inf if x is None else self.problem.objective(x)
        if value < self.best:
            self.best, self.best_x = value, x

    def learn(self, y: Array) -> None:
        """Take the bound of the plain Lagrangian at the best point, which no penalty drowns.

        Where constraints bind nothing, or f hardly changes, that of f alone is better, without the
        rounding of products with y.
        """
        for prices in (y, np.zeros_like(y)) if self.best_x is not None else ():
            self.bound = max(self.bound, self.priced(self.best_x, prices))

    def priced(self, x: Array, y: Array) -> float:
        """The bound of the tangent at x and the multipliers y, less what rounding may be."""
        f = self.problem.objective
        g, value, most = f.grad(x), f(x), self.rows.support(y)
        least, reach = self.least(g + self.rows.covector(y), math.inf)
        terms = abs(value) + float(np.abs(g) @ np.abs(x)) + abs(most) + reach
        return value - float(g @ x) + least - most - ROUNDING * terms

    def least(self, g: Any, hoped: float) -> tuple[float, float]:
        """A bound below <g, x> over the region, and one on the size of its terms.

        It need not be tight where it is not above what is `hoped` for.
        """
        region, n = self.problem.region, self.problem.n
        memory = region.oracle_memory(n, g.dtype)
        _, least, error = region.inexact_lmo(g, memory, Accuracy(0.0, math.inf, 1.0, 0))
        return least - error, region.reach(np.abs(g), n)

    def excludes(self, y: Array, far: float) -> bool:
        """Whether <y, Ax> is larger on all of the region than anywhere within the bounds.

        Then nothing in the region satisfies the constraints: all is farther from the bounds than
        the difference is, for y of the norm one. It must be more than `far`, and than rounding.
        """
        size = float(np.linalg.norm(y))
        if not size > 0.0:
            return False
        most = self.rows.support(y / size)
        least, reach = self.least(self.rows.covector(y / size), most + far)
        return least > most + max(far, ABOVE * (reach + abs(most)))
