r"""Rounds of the method of multipliers: runs over the region alone, and what they show.

Each run is of the augmented Lagrangian for multipliers y and a penalty rho
(:class:`~frankwolfe.objectives.augmented.Augmented`), from where the one before has ended. A bound
of such a run is one on f under the constraints, whatever y is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from frankwolfe.core.problem import Problem
from frankwolfe.methods.base import Method
from frankwolfe.methods.default import best_for
from frankwolfe.numerics.affine import Affine
from frankwolfe.numerics.arrays import Array
from frankwolfe.objectives import Quadratic
from frankwolfe.objectives.augmented import Augmented
from frankwolfe.regions.abilities import Accuracy
from frankwolfe.solver.feasible import feasible_point
from frankwolfe.solver.loop import solve
from frankwolfe.solver.result import Result, Status
from frankwolfe.solver.stopping import Gap, Iterations, Spent, Stalled, StoppingRule

__all__ = ["Options", "Rounds"]

ROUNDS = 60  # of multipliers
FIRST, LESS = 1e-2, 0.1  # the gap of the first round, of what f may change by; and of each later
BETTER, MORE, MOST = 0.25, 10.0, 1e8  # of what is violated, or else a larger penalty, up to
SLIGHT = 1e-4  # of the largest row over the region: bounds are not taken for smaller
SHARE = 0.1  # of what the violation costs: a gap so small leaves it
ROUNDING = 1e-14  # of the terms of a bound
STILL = 0.9  # of it: then far more
NEARLY = 0.03  # of the bounds: so little is violated, and feasible points are looked for
PATIENT = 4  # rounds without that before the constraints alone are looked at
BROKEN = Status.INTERRUPTED, Status.LOST, Status.NOT_FINITE


@dataclass(frozen=True)
class Options:
    """What the caller asks for."""

    method: Method | None
    tol: float
    most: int  # steps in all
    callback: Any = None


class Rounds:
    """Runs with one set of multipliers after the other; rows have the norm one."""

    def __init__(self, problem: Problem, rows: Affine, options: Options) -> None:
        self.problem, self.rows, self.options = problem, rows, options
        self.left, self.tol = options.most, options.tol
        self.bound = -math.inf
        self.best: float = math.inf  # of points that are feasible
        self.best_x: Any = None
        self.counts = dict.fromkeys(("nit", "nfev", "njev", "nlmo", "seconds"), 0)
        self.failure = 0.0

    def solved(self, x0: Any) -> dict[str, Any]:
        """What the result holds."""
        first = self.problem.start(x0)
        swing, rho, enough = self.scales(first)
        most = MOST * rho * max(1.0, abs(self.problem.objective(first)) / swing, 1.0 / swing)
        first_rho = rho
        gap, stuck, before = FIRST * swing, 0, math.inf
        y: Array = np.zeros(self.rows.rows)
        start = x0
        for turn in range(ROUNDS):
            f = self._augmented(y, rho)
            result = self._run(f, gap, start)
            start = result.x if result.active_set is None else result.active_set
            y = f.next_multipliers(result.x)
            off = self.rows.excess(result.x)
            violated = float(np.abs(off).max())
            value = self.problem.objective(result.x)
            wanted, feasible = self.tol * max(1.0, abs(value)), violated <= enough
            if violated <= NEARLY * max(self.rows.size, enough):
                self._round(result)
            self._learn(f, result, value, wanted, feasible)
            close = min(abs(value - self.bound) if feasible else math.inf, self.distance)
            status = self._verdict(result, close <= wanted)
            stuck = 0 if violated <= BETTER * before else stuck + 1
            if status is None and not feasible and self._impossible(y, alone=stuck == PATIENT):
                status, self.bound = Status.INFEASIBLE, math.inf
            if status is not None or turn == ROUNDS - 1:
                break
            if violated > BETTER * before and not feasible:
                if self._settled(result, max(SHARE * rho * float(off @ off), 0.25 * wanted)):
                    rho = min((MORE if violated <= STILL * before else MORE**2) * rho, most)
                elif result.status is Status.STALLED and rho > first_rho:
                    rho, most = rho / MORE, rho
            before, gap = violated, max(LESS * gap, 0.25 * wanted)
        found = Status.STALLED if status is None else status
        return self._told(
            result, value, found, infeasibility=violated, multipliers=y, feasible=feasible
        )

    def _round(self, result: Result) -> None:
        """Look for a feasible point near that of a run."""
        x = feasible_point(self.problem, self.rows, result)
        value = math.inf if x is None else self.problem.objective(x)
        if value < self.best:
            self.best, self.best_x = value, x

    @property
    def distance(self) -> float:
        """How far f at the best feasible point may be from the least; rounding may make it 0."""
        return math.inf if self.best_x is None else max(self.best - self.bound, 0.0)

    def _augmented(self, y: Array, rho: float) -> Any:
        return Augmented(self.problem.objective, self.rows, y, rho)

    def _learn(self, f: Any, result: Result, value: float, wanted: float, feasible: bool) -> None:
        """Take what a run has shown of the least f.

        Where the best point is not good enough for that, the bound of the plain Lagrangian there,
        whose digits no penalty drowns.
        """
        self._take(result)
        if wanted < self.distance < math.inf:
            y = f.next_multipliers(result.x)
            self.bound = max(self.bound, self._priced(self.best_x, y))

    def _take(self, result: Result) -> None:
        if result.certified:
            self.bound = max(self.bound, result.lower_bound)

    def _priced(self, x: Array, y: Array) -> float:
        """f(x) + <grad f(x), v - x> + <y, Av> at its least, less the most of <y, w>.

        Below f under the constraints for every y, up to rounding, which is taken off.
        """
        f = self.problem.objective
        g, value, most = f.grad(x), f(x), self.rows.support(y)
        least, reach = self._least(g + self.rows.covector(y), math.inf)
        terms = abs(value) + float(np.abs(g) @ np.abs(x)) + abs(most) + reach
        return value - float(g @ x) + least - most - ROUNDING * terms

    def _settled(self, result: Result, small: float) -> bool:
        """Whether a run came so far that what is violated tells of the penalty.

        The Lagrangian rises with the squared distance in the rows, half of it times the penalty,
        so that a gap which is `small` beside that leaves it.
        """
        return result.gap <= small

    def _verdict(self, result: Result, reached: bool) -> Status | None:
        """Why the rounds end after this one; None where they do not."""
        if reached:
            return Status.CONVERGED
        if result.status in BROKEN:
            return result.status
        return Status.MAX_ITERATIONS if self.left <= 0 else None

    def scales(self, x: Any) -> tuple[float, float, float]:
        """By how much the tangent at x changes over the region, a penalty, and a small violation.

        All three are in the units of f, of its square over that of a row, and of the rows.
        """
        f = self.problem.objective
        g = f.grad(x)
        swings, there = zip(*(self._end(g, sign) for sign in (1.0, -1.0)), strict=True)
        swing = max(swings[1] - swings[0], 1e-12 * max(1.0, abs(f(x))), 1e-300)
        off, across = self.rows.excess(x), there[1] - there[0]
        width = max(float(across @ across), float(off @ off), 1e-300)
        widest = max(float(np.abs(part).max()) for part in (*there, self.rows.apply(x), off))
        unit = max(self.rows.size, SLIGHT * widest) if self.rows.size else widest
        return swing, 2.0 * swing / width, self.tol * (unit or 1.0)

    def _end(self, g: Array, sign: float) -> tuple[float, Array]:
        """<g, s> and the rows at the point s of the region that is least for the gradient."""
        s = self.problem.region.lmo(sign * g).dense(g.size)
        return float(g @ s), self.rows.apply(s)

    def _rule(self, gap: float, method: Method) -> StoppingRule:
        patience: int = getattr(method, "patience", 0)
        calm = Stalled(patience=patience, tolerance=1e-12) if patience else Spent()
        return Gap(gap) | Iterations(max(self.left, 1)) | calm

    def _run(self, f: Any, gap: float, start: Any) -> Result:
        problem, options = Problem(f, self.problem.region), self.options
        method = best_for(problem) if options.method is None else options.method
        rule = self._rule(gap, method)
        result = solve(problem, method, rule, x0=start, callback=options.callback)
        self.left -= max(result.nit, 1)
        for name in self.counts:
            self.counts[name] += getattr(result, name)
        self.failure = min(self.failure + result.failure_probability, 1.0)
        return result

    def _impossible(self, y: Array, *, alone: bool) -> bool:
        """Whether multipliers prove that no point of the region satisfies the constraints.

        These, or where they are looked at `alone`, those of the nearest point of the region.
        """
        if self._prove(y):
            return True
        return alone and self._prove(self._of_nearest())

    def _of_nearest(self) -> Array:
        """The multipliers of the point of the region that is nearest to the constraints."""
        import scipy.sparse as sp

        n = self.problem.n
        nothing = Quadratic(sp.csr_array((n, n)), convex=True)
        f = Augmented(nothing, self.rows, np.zeros(self.rows.rows), 1.0)
        return f.next_multipliers(self._run(f, 0.25 * self.tol**2, None).x)

    def _prove(self, y: Array) -> bool:
        """Whether <y, Ax> is larger on all of the region than anywhere within the bounds."""
        size = float(np.linalg.norm(y))
        if not size > 0.0:
            return False
        most = self.rows.support(y / size)
        least, reach = self._least(self.rows.covector(y / size), most)
        return least > most + 1e-12 * (reach + abs(most))

    def _least(self, g: Any, hoped: float) -> tuple[float, float]:
        """A bound below <g, x> over the region, and one on the size of its terms.

        It need not be tight where it is not above what is `hoped` for.
        """
        region, n = self.problem.region, self.problem.n
        memory = region.oracle_memory(n, g.dtype)
        _, least, error = region.inexact_lmo(g, memory, Accuracy(0.0, math.inf, 1.0, 0))
        return least - error, region.reach(np.abs(g), n)

    def _told(self, result: Result, value: float, status: Status, **more: Any) -> dict[str, Any]:
        """What is known, of the last run and of all of them.

        The point is the feasible one where that is as good as was asked for.
        """
        x = result.x
        known = self.best_x is not None and status is not Status.INFEASIBLE
        if known and self.distance <= self.tol * max(1.0, abs(self.best)):
            x, value = self.best_x, self.best
            more["infeasibility"] = float(np.abs(self.rows.excess(x)).max())
            more["feasible"] = True
        return {
            **{name: result[name] for name in result if name != "message"},
            **self.counts,
            **more,
            "x": x,
            "fun": value,
            "feasible_x": self.best_x,
            "feasible_fun": self.best if self.best_x is not None else math.nan,
            "gap": value - self.bound,
            "lower_bound": self.bound,
            "failure_probability": self.failure,
            "certified": self.bound > -math.inf,
            "status": status,
            "success": status is Status.CONVERGED,
            "problem": self.problem,
        }
