r"""Minimization over a region under linear constraints, with a bound that holds for both.

The method of multipliers: runs over the region alone, of the augmented Lagrangian for multipliers y
and a penalty rho (:class:`~frankwolfe.objectives.augmented.Augmented`), each from where the one
before has ended. A bound of such a run is one on f under the constraints, whatever y is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from frankwolfe.core.problem import Problem
from frankwolfe.core.proof import Proof
from frankwolfe.methods.base import Method
from frankwolfe.methods.default import best_for
from frankwolfe.numerics.affine import Affine
from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.checks import quiet
from frankwolfe.numerics.errors import InvalidInput, Unproven
from frankwolfe.objectives import Objective, Quadratic
from frankwolfe.objectives.augmented import Augmented
from frankwolfe.regions.abilities import Accuracy
from frankwolfe.solver.loop import solve
from frankwolfe.solver.result import Result, Status
from frankwolfe.solver.stopping import Gap, Iterations, Spent, Stalled

__all__ = ["ConstrainedResult", "constrained"]

ROUNDS = 60  # of multipliers
FIRST, LESS = 1e-2, 0.1  # the gap of the first round, of what f may change by; and of each later
BETTER, MORE, MOST = 0.25, 10.0, 1e8  # of what is violated, or else a larger penalty, up to
PATIENT = 4  # rounds without that before the constraints alone are looked at
BROKEN = Status.INTERRUPTED, Status.LOST, Status.NOT_FINITE


@dataclass(frozen=True, eq=False, repr=False)
class ConstrainedResult(Result):
    """The outcome of :func:`frankwolfe.minimize` under linear constraints.

    Attributes
    ----------
    infeasibility : float
        The largest violation of a constraint, over the norm of its row.
    violations : array
        How far each row of Ax is above its upper bound, or below its lower one (negative).
    multipliers : array
        y, one for each row: positive where the upper bound holds x back, negative where the lower.
    lower_bound : float
        A lower bound on f over the points of the region that satisfy the constraints; infinite
        where it is proved that there are none.
    gap : float
        f(x) - lower_bound. Where x is not quite feasible it may be below zero.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.squared_distance([0.7, 0.2, 0.1])
    >>> result = fw.minimize(f, fw.Simplex(), subject_to=fw.Affine([[1.0, 0, 0]], -np.inf, 0.5))
    >>> result.x.round(4), result.multipliers.round(3)
    (array([0.5, 0.3, 0.2]), array([0.3]))
    >>> fw.minimize(f, fw.Simplex(), subject_to=fw.Affine(np.ones((1, 3)), 2.0)).status
    <Status.INFEASIBLE: 10>
    """

    infeasibility: float = 0.0
    violations: Array = field(default_factory=lambda: np.empty(0))
    multipliers: Array = field(default_factory=lambda: np.empty(0))

    def verify(self, problem: Problem | None = None) -> Proof:
        """Nothing can be proved under constraints yet: `lower_bound` holds up to rounding."""
        raise Unproven(
            "bounds under constraints cannot be proved in floating point: lower_bound holds up to "
            "rounding."
        )

    def _beside(self) -> str:
        return f"  violated: {self.infeasibility:.3g} at most, of {self.multipliers.size} rows\n"


def constrained(
    problem: Problem, given: Any, *, method: Method | None, tol: float, most: int,
    x0: Any = None, callback: Any = None,
) -> ConstrainedResult:  # fmt: skip
    """Minimize under constraints in at most so many steps; see :func:`frankwolfe.minimize`."""
    rows = Affine.of(given, problem.n)
    problem = _taken(problem)
    norms = rows.row_norms()
    factors = 1.0 / np.where(norms > 0.0, norms, 1.0)
    rounds = _Rounds(problem, rows.scaled(factors), method, tol, most, callback)
    with quiet():
        known = rounds.solved(x0)
        return ConstrainedResult(
            **{**known, "multipliers": factors * known["multipliers"]},
            violations=rows.excess(known["x"]),
        )


def _taken(problem: Problem) -> Problem:
    """The problem in double precision, where constraints can be put beside it."""
    f = problem.objective
    if f.matrix or not f.place.here:
        raise InvalidInput(
            f"subject_to goes with vectors and data in this process's memory, not with {f!r}."
        )
    if not f.convex:
        raise InvalidInput(f"subject_to needs a convex objective, and {f!r} is not known to be.")
    if f.dtype.itemsize == 8:
        return problem
    wide = f.in_double()
    if wide is None:
        raise InvalidInput("subject_to needs data in double precision: pass float64 arrays.")
    return Problem(wide, problem.region)


class _Rounds:
    """Runs with one set of multipliers after the other; rows have the norm one."""

    def __init__(
        self, problem: Problem, rows: Affine, method: Method | None, tol: float, left: int,
        callback: Any,
    ) -> None:  # fmt: skip
        self.problem, self.rows, self.method = problem, rows, method
        self.tol, self.left, self.callback = tol, left, callback
        self.bound = -math.inf
        self.counts = dict.fromkeys(("nit", "nfev", "njev", "nlmo", "seconds"), 0)
        self.failure = 0.0

    def solved(self, x0: Any) -> dict[str, Any]:
        """What the result holds."""
        swing, rho, enough = self._scales(self.problem.start(x0))
        most, gap, stuck, before = MOST * rho, FIRST * swing, 0, math.inf
        y: Array = np.zeros(self.rows.rows)
        start = x0
        for turn in range(ROUNDS):
            f = Augmented(self.problem.objective, self.rows, y, rho)
            result = self._run(f, gap, start)
            start = result.x if result.active_set is None else result.active_set
            y = f.next_multipliers(result.x)
            violated = float(np.abs(self.rows.excess(result.x)).max())
            value = self.problem.objective(result.x)
            wanted, feasible = self.tol * max(1.0, abs(value)), violated <= enough
            if result.certified:
                self.bound = max(self.bound, result.lower_bound)
            status = self._verdict(result, feasible and abs(value - self.bound) <= wanted)
            stuck = 0 if violated <= BETTER * before else stuck + 1
            if status is None and not feasible and self._impossible(y, alone=stuck == PATIENT):
                status, self.bound = Status.INFEASIBLE, math.inf
            if status is not None or turn == ROUNDS - 1:
                break
            if violated > BETTER * before and not feasible:
                rho = min(MORE * rho, most)
            before, gap = violated, max(LESS * gap, 0.25 * wanted)
        found = Status.STALLED if status is None else status
        return self._told(result, value, found, infeasibility=violated, multipliers=y)

    def _verdict(self, result: Result, reached: bool) -> Status | None:
        """Why the rounds end after this one; None where they do not."""
        if reached:
            return Status.CONVERGED
        if result.status in BROKEN:
            return result.status
        return Status.MAX_ITERATIONS if self.left <= 0 else None

    def _scales(self, x: Array) -> tuple[float, float, float]:
        """By how much the tangent at x changes over the region, a penalty, and a small violation.

        All three are in the units of f, of its square over that of a row, and of the rows.
        """
        f, region = self.problem.objective, self.problem.region
        g = f.grad(x)
        ends = [region.lmo(side).dense(x.size) for side in (g, -g)]
        swing = max(float(g @ (ends[1] - ends[0])), 1e-12 * max(1.0, abs(f(x))), 1e-300)
        there, off = [self.rows.apply(end) for end in ends], self.rows.excess(x)
        across = there[1] - there[0]
        width = max(float(across @ across), float(off @ off), 1e-300)
        unit = max(float(np.abs(part).max()) for part in (*there, self.rows.apply(x), off))
        return swing, 2.0 * swing / width, self.tol * (unit or 1.0)

    def _run(self, f: Objective, gap: float, start: Any) -> Result:
        problem = Problem(f, self.problem.region)
        method = best_for(problem) if self.method is None else self.method
        patience: int = getattr(method, "patience", 0)
        calm = Stalled(patience=patience, tolerance=1e-12) if patience else Spent()
        rule = Gap(gap) | Iterations(max(self.left, 1)) | calm
        result = solve(problem, method, rule, x0=start, callback=self.callback)
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
        if not alone:
            return False
        import scipy.sparse as sp

        n = self.problem.n
        nothing = Quadratic(sp.csr_array((n, n)), convex=True)
        f = Augmented(nothing, self.rows, np.zeros(self.rows.rows), 1.0)
        return self._prove(f.next_multipliers(self._run(f, 0.25 * self.tol**2, None).x))

    def _prove(self, y: Array) -> bool:
        """Whether <y, Ax> is larger on all of the region than anywhere within the bounds."""
        size = float(np.linalg.norm(y))
        if not size > 0.0:
            return False
        y, region, n = y / size, self.problem.region, self.problem.n
        g = np.empty(n)
        self.rows.linear.adjoint(y, g)
        memory = region.oracle_memory(n, g.dtype)
        _, least, error = region.inexact_lmo(g, memory, Accuracy(0.0, math.inf, 1.0, 0))
        most = self.rows.support(y)
        rounding = 1e-12 * (region.reach(np.abs(g), n) + abs(most))
        return least - error > most + rounding

    def _told(self, result: Result, value: float, status: Status, **more: Any) -> dict[str, Any]:
        """What is known, of the last run and of all of them."""
        return {
            **{name: result[name] for name in result},
            **self.counts,
            **more,
            "fun": value,
            "gap": value - self.bound,
            "lower_bound": self.bound,
            "failure_probability": self.failure,
            "certified": self.bound > -math.inf,
            "status": status,
            "message": status.message,
            "success": status is Status.CONVERGED,
            "problem": self.problem,
        }
