r"""Rounds of the method of multipliers: runs over the region alone, with moving multipliers.

.. code-block:: text

    y <- 0
    for each round:
        x <- a run on the augmented Lagrangian for y and rho, from where the last one ended
        y <- rho (Ax + y/rho - the nearest point of the bounds)
        rho <- 10 rho where Ax is hardly nearer to the bounds, and the run was exact enough to say

(M. Hestenes 1969, M. Powell 1969, R. T. Rockafellar 1976). The Lagrangian is an objective
(:class:`~frankwolfe.apps.constraints.augmented.Augmented`), and a run is :func:`~frankwolfe.solve`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.augmented import Augmented
from frankwolfe.apps.constraints.augmented_cells import AugmentedCells
from frankwolfe.apps.constraints.course import SLOW_SHARE, Counts, Course, Watch, packed_point
from frankwolfe.apps.constraints.evidence import SAFE_ZERO, Evidence
from frankwolfe.apps.constraints.feasible import holds
from frankwolfe.apps.constraints.nearest import start_of_nearest
from frankwolfe.base.arrays import Array, Point
from frankwolfe.base.checks import frobenius
from frankwolfe.base.clock import due, seconds_left
from frankwolfe.base.errors import CheckpointError
from frankwolfe.base.memory import group, grouped
from frankwolfe.core.low_rank import unpack_point
from frankwolfe.core.problem import Problem
from frankwolfe.methods.base import Method
from frankwolfe.methods.default import best_for
from frankwolfe.objectives import Quadratic
from frankwolfe.solver.callbacks import Callbacks
from frankwolfe.solver.checkpoint import UNCONSTRAINED_RUN, Saved, read, restored
from frankwolfe.solver.loop import solve_part
from frankwolfe.solver.result import Result, Status
from frankwolfe.solver.run import RunPart
from frankwolfe.solver.stopping import Gap, Iterations, Seconds, Spent, Stalled, StoppingRule

__all__ = ["Fields", "Lagrangian", "Options", "Rounds", "Scales"]

MAX_ROUNDS = 60  # of multipliers; a method that converges takes a handful
FIRST_GAP_SHARE = 1e-2  # gap of the first run, over the range of f's tangent on the region
GAP_DECREASE = 0.1  # gap of a run over that of the run before
FINE_GAP_SHARE = 0.25  # least gap of a run, over the gap that is asked for in the end
MIN_DECREASE = 0.25  # violation over the one before; where more is left, the penalty grows
PENALTY_INCREASE = 10.0  # factor of the penalty
MAX_PENALTY_RATIO = 1e8  # largest penalty over the first: beyond, rounding hides f
PENALTY_GAP_SHARE = 0.1  # of rho |off|^2: a gap so small leaves the violation to the penalty
PROOF_SHARE = 1e-2  # of the feasibility tolerance, by which a proof must exclude all, at first
MIN_ROW_CHANGE = 1e-3  # of the diameter: rows are not taken to change by less over the region
MIN_UNIT_SHARE = 1e-4  # of the largest row over the region: bounds are not taken for smaller
UNCHANGED_SHARE = 1e-12  # of the unit of rows: a smaller change over the region is rounding
MIN_SQUARED_LENGTH = 1e-150  # a shorter length has no square in double precision
NEARLY_FEASIBLE = 0.03  # violation over the bounds, below which feasible points are looked for
PATIENT_ROUNDS = 4  # rounds without MIN_DECREASE before feasibility alone is looked at
MIN_RUN_SECONDS = 1e-3  # for a run, so that its time limit is above zero
BROKEN_OFF = Status.INTERRUPTED, Status.LOST, Status.NOT_FINITE, Status.MAX_TIME


Fields: TypeAlias = dict[str, Any]
"""Fields of a `ConstrainedResult` by name, with those from which its message is made."""

Lagrangian: TypeAlias = Augmented | AugmentedCells
"""The augmented Lagrangian of a function of a vector, or of a matrix."""


@dataclass(frozen=True)
class Options:
    """The caller's options."""

    method: Method | None
    tol: float
    most: int  # steps of all rounds together
    seconds: float = math.inf
    callback: Callbacks = None
    resume: str | PathLike[str] | None = None


class Scales(NamedTuple):
    """The scales of a problem."""

    objective_range: float  # range of the tangent at the start over the region
    penalty: float  # the first
    unit: float  # of the rows


class Seen(NamedTuple):
    """The outcome of one round."""

    result: Result
    value: float
    off: Array  # distance of each row from its bounds
    multipliers: Array
    wanted: float  # the gap that is asked for
    feasible: bool  # up to the tolerance

    @property
    def violated(self) -> float:
        """Largest violation of a row."""
        return float(np.abs(self.off).max())


class Rounds:
    """The method of multipliers: a run for each set of them; rows have the norm one."""

    def __init__(self, problem: Problem, rows: Affine, options: Options) -> None:
        self.problem, self.rows, self.options = problem, rows, options
        self.left, self.tol = options.most, options.tol
        self.counts, self.watch = Counts(), Watch()
        self.course: Course  # the state of the round, set by `solved`
        self.known = self.evidence()
        self.notes: dict[str, str] = {}  # of callbacks, for the message

    def evidence(self) -> Evidence:
        """An empty collection of bounds and points."""
        return Evidence(self.problem, self.rows)

    @property
    def feasibility_tol(self) -> float:
        """The largest violation that counts as feasible."""
        return self.tol * self.course.unit

    def solved(self, x0: Point) -> Fields:
        """Solve, and return the fields of the result."""
        resume = self.options.resume
        saved = None if resume is None else read(resume)
        start = self._begun(x0) if saved is None else self._resumed(saved)
        course, status = self.course, None
        while True:
            seen = self._round(course, start, saved)
            result, y, saved = seen.result, seen.multipliers, None
            start = result.x if result.active_set is None else result.active_set
            status = self._verdict(seen)
            nearer = seen.violated <= MIN_DECREASE * course.violated
            course.stuck = 0 if nearer else course.stuck + 1
            alone = course.stuck == PATIENT_ROUNDS
            if status is None and not seen.feasible and self._impossible(y, alone):
                status, self.known.bound = Status.INFEASIBLE, math.inf
            violated = math.inf if seen.feasible else seen.violated
            idle = self.watch.idle(self.optimality_ratio(seen), violated)
            course.rounds += 1
            if status is not None or idle or course.rounds >= MAX_ROUNDS:
                break
            course.penalty, course.largest = self._penalty(seen, course)
            course.violated, course.multipliers = seen.violated, y
            if not result.nit:  # x did not move: the tolerance of the run was too loose
                course.fine *= GAP_DECREASE
            course.gap = max(GAP_DECREASE * course.gap, course.fine * seen.wanted)
        return self._report(seen, self._ended(y) if status is None else status)

    def _begun(self, x0: Point) -> Point:
        """Start of the first run; the course is set to its beginning."""
        first = self.problem.start(x0)
        scales = self.scales(first)
        size = max(1.0, abs(self.problem.objective(first)) / scales.objective_range)
        y, start = self._first(x0)
        largest = MAX_PENALTY_RATIO * scales.penalty * size
        self.course = Course(
            *(y, scales.penalty, scales.penalty, largest, scales.unit),
            *(FIRST_GAP_SHARE * scales.objective_range, FINE_GAP_SHARE, self.known.first_gap),
        )
        return first if start is x0 and x0 is not None else start

    def _resumed(self, saved: Saved) -> Point:
        """Start of the run of a checkpoint, whose course is restored."""
        if not saved.beside:
            raise CheckpointError(UNCONSTRAINED_RUN.format(saved.path))
        found: list[Point] = []
        restored(saved.path, lambda: found.append(self.restore(saved.beside)))
        self.known.taken_over = True
        return found[0]

    def pack(self, start: Point) -> dict[str, Array]:
        """Arrays for a checkpoint of a round that begins at `start`."""
        course, known = self.course, self.known
        course.spent, course.failure = self.options.most - self.left, known.failure
        course.bound = known.bound
        return {
            **grouped("course", course.pack()),
            **grouped("counts", self.counts.pack()),
            **grouped("watch", self.watch.pack()),
            **packed_point("start", start),
            **packed_point("best", known.best_x),
        }

    def restore(self, arrays: Mapping[str, Array]) -> Point:
        """Restore what `pack` returned, checked; return the start."""
        self.course = Course(np.zeros(0), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        memories = {"course": self.course, "counts": self.counts, "watch": self.watch}
        for name, memory in memories.items():
            memory.restore(group(name, arrays))
        course = self.course
        course.check(self.rows.rows)
        self.left = self.options.most - course.spent
        self.known.restore(course, unpack_point(group("best", arrays)))
        return unpack_point(group("start", arrays))

    def _ended(self, y: Array) -> Status:
        """Status if rounds come no nearer: infeasible if a violation is proved, else stalled."""
        if self.known.best_x is None and self.known.proves_infeasible(y, 0.0):
            self.known.bound = math.inf
            return Status.INFEASIBLE
        return Status.STALLED

    def _first(self, x0: Point) -> tuple[Array, Point]:
        """Multipliers and start of the first round."""
        none = np.zeros(self.rows.rows), x0
        if self.options.method is not None:
            return none
        began = perf_counter()
        known = start_of_nearest(self.problem, self.rows, due)
        self.counts.seconds += perf_counter() - began
        return none if known is None else known

    def _round(self, course: Course, start: Point, saved: Saved | None) -> Seen:
        """Make one run, and take the bounds and points that it shows."""
        f = self._augmented(course.multipliers, course.penalty)
        part = RunPart(self.pack(start), notes=self.notes)
        result = self._run(f, course.gap, start, part, saved)
        value, off = self.problem.objective(result.x), self.rows.excess(result.x)
        violated = float(np.abs(off).max())
        # `holds` also allows for the rounding of terms that cancel in a row
        feasible = violated <= self.feasibility_tol or holds(self.rows, result.x)
        seen = Seen(
            *(result, value, off, f.next_multipliers(result.x)),
            *(self.known.enough(self.tol, value), feasible),
        )
        if feasible or violated <= NEARLY_FEASIBLE * max(self.rows.size, self.feasibility_tol):
            self.known.look_near(result)
        self._update_bounds(f, seen)
        return seen

    def _augmented(self, y: Array, rho: float) -> Lagrangian:
        return Augmented(self.problem.objective, self.rows, y, rho)

    def _update_bounds(self, f: Lagrangian, seen: Seen) -> None:
        """Take the lower bounds that a run has shown."""
        self.known.take(seen.result)
        if self.optimality_ratio(seen) > 1.0:
            self.known.update_dual_bound(seen.multipliers)

    def optimality_ratio(self, seen: Seen) -> float:
        """Gap of a feasible point over the gap asked for; at most 1 means success."""
        there = abs(seen.value - self.known.bound) / (seen.wanted or SAFE_ZERO)
        return min(there if seen.feasible else math.inf, self.known.optimality_ratio(self.tol))

    def _verdict(self, seen: Seen) -> Status | None:
        """Why the rounds end after this one; None if they go on."""
        if self.optimality_ratio(seen) <= 1.0:
            return Status.CONVERGED
        if seen.result.status in BROKEN_OFF:
            return seen.result.status
        if seconds_left(late=0.0) <= 0.0:
            return Status.MAX_TIME
        return Status.MAX_ITERATIONS if self.left <= 0 else None

    def _penalty(self, seen: Seen, course: Course) -> tuple[float, float]:
        """The next penalty, and the largest one allowed from now on."""
        first, rho, most, before = course.first, course.penalty, course.largest, course.violated
        if seen.violated <= MIN_DECREASE * before or seen.feasible:
            return rho, most
        cost = rho * float(seen.off @ seen.off)
        if self._settled(seen.result, max(PENALTY_GAP_SHARE * cost, FINE_GAP_SHARE * seen.wanted)):
            slow = seen.violated <= SLOW_SHARE * before
            return min((PENALTY_INCREASE if slow else PENALTY_INCREASE**2) * rho, most), most
        # rounding of so large a penalty hides f: go back, and never there again
        if seen.result.status is Status.STALLED and rho > first:
            return rho / PENALTY_INCREASE, rho
        return rho, most

    def _settled(self, result: Result, small: float) -> bool:
        """True if a run was so exact that its violation is due to the penalty.

        The Lagrangian rises by ρ/2 times the squared violation: a gap that is `small` beside that
        does not explain it.
        """
        return result.gap <= small

    def scales(self, x: Point) -> Scales:
        """Scales of f, of the penalty (f over the square of a row), and of the rows, at x."""
        f = self.problem.objective
        g = f.grad(x)
        ends, there = zip(*(self._end(g, sign) for sign in (1.0, -1.0)), strict=True)
        self.known.first_gap = ends[1] - ends[0]
        objective_range = max(self.known.first_gap, 1e-12 * abs(f(x))) or 1.0  # f = 0 has no unit
        off, across = self.rows.excess(x), there[1] - there[0]
        diameter = self.problem.region.diameter(f.shape)  # no row, of the norm one, changes by more
        widest = max(float(np.abs(part).max()) for part in (*there, self.rows.apply(x), off))
        unit = max(self.rows.size, MIN_UNIT_SHARE * widest) if self.rows.size else widest
        # rows that are zero at all these points may still be as large as the region
        unit = unit or diameter or 1.0
        seen = max(frobenius(across), frobenius(off)) or diameter
        width = max(seen, MIN_ROW_CHANGE * diameter, UNCHANGED_SHARE * unit)
        penalty = 2.0 * objective_range / max(width, MIN_SQUARED_LENGTH) ** 2
        return Scales(objective_range, penalty, unit)

    def _end(self, g: Array, sign: float) -> tuple[float, Array]:
        """Return <g, s> and As at the minimizer s of sign * <g, s> over the region."""
        s = self.problem.region.ask(sign * g).dense(g.size)
        return float(g @ s), self.rows.apply(s)

    def _rule(self, gap: float, method: Method) -> StoppingRule:
        """Stopping rule of one run."""
        patience: int = getattr(method, "patience", 0)
        calm = Stalled(patience=patience, tolerance=1e-12) if patience else Spent()
        return Gap(gap) | Iterations(max(self.left, 1)) | calm

    def _run(
        self,
        f: Lagrangian,
        gap: float,
        start: Point,
        part: RunPart | None = None,
        saved: Saved | None = None,
    ) -> Result:
        """Run over the region; without a `part` the rounds cannot be resumed from within."""
        part = RunPart({}, kept=False, notes=self.notes) if part is None else part
        problem, options = Problem(f, self.problem.region), self.options
        method = best_for(problem, patient=False) if options.method is None else options.method
        rule = self._rule(gap, method)
        if options.seconds < math.inf:
            rule = rule | Seconds(max(seconds_left(late=0.0), MIN_RUN_SECONDS))
        result = solve_part(
            problem, method, rule, part, x0=start, callback=options.callback, resume=saved
        )
        self.left -= max(result.nit, 1)
        self.counts.add(result)
        self.known.failure = min(self.known.failure + result.failure_probability, 1.0)
        return result

    def _impossible(self, y: Array, alone: bool) -> bool:
        """True if multipliers prove that no point of the region is feasible.

        These are y or, if feasibility is looked at `alone`, those of the nearest point.
        """
        proves, far = self.known.proves_infeasible, PROOF_SHARE * self.feasibility_tol
        return proves(y, far) or (alone and proves(self._of_nearest(), far))

    def _of_nearest(self) -> Array:
        """Multipliers of the point of the region that is nearest to the bounds."""
        import scipy.sparse as sp

        n = self.problem.n
        nothing = Quadratic(sp.csr_array((n, n)), convex=True)  # f = 0: any penalty will do
        f = Augmented(nothing, self.rows, np.zeros(self.rows.rows), 1.0)
        return f.next_multipliers(self._run(f, 0.25 * self.feasibility_tol**2, None).x)

    def _report(self, seen: Seen, status: Status) -> Fields:
        """Fields of the result, by the last run and the counts of all.

        The point is the best feasible one if that meets the tolerance, or the last one does not.
        """
        known, x, value, violated = self.known, seen.result.x, seen.value, seen.violated
        own = seen.feasible and abs(value - known.bound) <= seen.wanted
        better = known.optimality_ratio(self.tol) <= 1.0 or not own
        there = known.best_x is not None and better and status is not Status.INFEASIBLE
        if there:
            x, value = known.best_x, known.best
            violated = float(np.abs(self.rows.excess(x)).max())
        result = seen.result
        return {
            **{name: result[name] for name in result if name != "message"},
            **self.counts.shown(),
            **{"x": x, "fun": value, "gap": value - known.bound, "lower_bound": known.bound},
            **{"infeasibility": violated, "multipliers": seen.multipliers},
            **{"feasible": seen.feasible or there, "feasible_x": known.best_x},
            **{"close": abs(value - known.bound) <= known.enough(self.tol, value)},
            **{"feasible_fun": math.nan if known.best_x is None else known.best},
            **{"notes": [*known.remark(), *self.notes.values()]},
            **{"failure_probability": known.failure, "certified": known.bound > -math.inf},
            **{"status": status, "success": status is Status.CONVERGED, "problem": self.problem},
        }
