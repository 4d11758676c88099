r"""Rounds of the method of multipliers: runs over the region alone, with moving multipliers.

.. code-block:: text

    y <- 0
    for each round:
        x <- a run on the augmented Lagrangian for y and rho, from where the last one ended
        y <- rho (Ax + y/rho - the nearest point of the bounds)
        rho <- 10 rho where Ax is hardly nearer to the bounds, and the run was exact enough to say

(M. Hestenes 1969, M. Powell 1969, R. T. Rockafellar 1976). The Lagrangian is an objective, and a
run is :func:`~frankwolfe.solve`. What differs between vectors and matrices is handed in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from time import perf_counter

import numpy as np

from frankwolfe.apps.constraints.course import Counts, Course, Watch, packed_point
from frankwolfe.apps.constraints.evidence import Evidence
from frankwolfe.apps.constraints.feasible import holds
from frankwolfe.apps.constraints.formulation import Formulation, Lagrangian, RoundOutcome
from frankwolfe.apps.constraints.nearest import start_of_nearest
from frankwolfe.apps.constraints.outcome import Outcome, outcome_of
from frankwolfe.apps.constraints.policy import POLICY
from frankwolfe.apps.constraints.scales import measured
from frankwolfe.base import Array, CheckpointError, Memory, Point, due, group, grouped, seconds_left
from frankwolfe.core import Problem, unpack_point
from frankwolfe.methods import Method, best_for
from frankwolfe.solver import (
    UNCONSTRAINED_RUN,
    Callbacks,
    Result,
    RunPart,
    Saved,
    Seconds,
    Status,
    read_checkpoint,
    restored,
    solve_part,
)

__all__ = ["Options", "Rounds"]

BROKEN_OFF = Status.INTERRUPTED, Status.LOST, Status.NOT_FINITE, Status.MAX_TIME


@dataclass(frozen=True)
class Options:
    """The caller's options."""

    method: Method | None
    tol: float
    most: int  # steps of all rounds together
    seconds: float = math.inf
    callback: Callbacks = None
    resume: str | PathLike[str] | None = None


class Rounds:
    """The method of multipliers: a run for each set of them; rows have the norm one."""

    def __init__(self, formulation: Formulation, options: Options) -> None:
        self.formulation, self.options = formulation, options
        self.left, self.rows = options.most, formulation.rows
        self.counts, self.watch = Counts(), Watch()
        self.course: Course  # the state of the round, set by `solved`
        self.known = Evidence(formulation, options.tol)
        self.notes: dict[str, str] = {}  # of callbacks, for the message

    @property
    def problem(self) -> Problem:
        """The problem without constraints, as the next run takes it."""
        return self.formulation.problem

    @property
    def feasibility_tol(self) -> float:
        """The largest violation that counts as feasible."""
        return self.options.tol * self.course.unit

    def solved(self, x0: Point) -> Outcome:
        """Solve, and return the point with all that is known of it."""
        resume = self.options.resume
        saved = None if resume is None else read_checkpoint(resume)
        start = self._begun(x0) if saved is None else self._resumed(saved)
        course, status = self.course, None
        while True:
            seen = self._round(course, start, saved)
            result, y, saved = seen.result, seen.multipliers, None
            start = result.x if result.active_set is None else result.active_set
            status = self._verdict(seen)
            nearer = seen.violated <= POLICY.violation_decrease * course.violated
            course.stuck = 0 if nearer else course.stuck + 1
            alone = course.stuck == POLICY.patient_rounds
            if status is None and not seen.feasible and self._impossible(y, alone):
                status, self.known.bound = Status.INFEASIBLE, math.inf
            violated = math.inf if seen.feasible else seen.violated
            idle = self.watch.idle(self.known.ratio_at(seen), violated)
            course.rounds += 1
            if status is not None or idle or course.rounds >= POLICY.max_rounds:
                break
            shows = self.formulation.penalty_shows(result, course.small_gap(seen))
            course.advance(seen, penalty_shows=shows)
        status = self._ended(y) if status is None else status
        return outcome_of(seen, status, self.known, self.counts, [*self.notes.values()])

    def _begun(self, x0: Point) -> Point:
        """Start of the first run; the course is set to its beginning."""
        first = self.problem.start(x0)
        scales = measured(self.formulation, first)
        self.known.first_gap = scales.change
        size = max(1.0, abs(self.problem.objective(first)) / scales.objective_range)
        y, start = self._first(x0)
        self.course = Course(
            multipliers=y,
            penalty=scales.penalty,
            first=scales.penalty,
            largest=POLICY.max_penalty * scales.penalty * size,
            unit=scales.unit,
            gap=POLICY.first_gap * scales.objective_range,
            fine=POLICY.final_gap,
            change=scales.change,
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

    def _memories(self) -> dict[str, Memory]:
        """What changes from round to round, by its names in checkpoints."""
        own = {"course": self.course, "counts": self.counts, "watch": self.watch}
        return {**own, "search": self.formulation.memory}

    def pack(self, start: Point) -> dict[str, Array]:
        """Arrays for a checkpoint of a round that begins at `start`."""
        course, known = self.course, self.known
        course.spent, course.failure = self.options.most - self.left, known.failure
        course.bound = known.bound
        arrays = {**packed_point("start", start), **packed_point("best", known.best_x)}
        for name, memory in self._memories().items():
            arrays |= grouped(name, memory.pack())
        return arrays

    def restore(self, arrays: Mapping[str, Array]) -> Point:
        """Restore what `pack` returned, checked; return the start."""
        course = self.course = Course(np.zeros(0), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for name, memory in self._memories().items():
            memory.restore(group(name, arrays))
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

    def _round(self, course: Course, start: Point, saved: Saved | None) -> RoundOutcome:
        """Make one run, and take the bounds and points that it shows."""
        f = self.formulation.lagrangian(course.multipliers, course.penalty)
        part = RunPart(self.pack(start), notes=self.notes)
        result = self._run(f, course.gap, start, part, saved)
        value, off = self.problem.objective(result.x), self.rows.excess(result.x)
        violated = float(np.abs(off).max())
        # `holds` also allows for the rounding of terms that cancel in a row
        feasible = violated <= self.feasibility_tol or holds(self.rows, result.x)
        seen = RoundOutcome(
            *(result, value, off, f.next_multipliers(result.x)),
            *(self.known.enough(value), feasible),
        )
        near = POLICY.nearly_feasible * max(self.rows.size, self.feasibility_tol)
        if feasible or violated <= near:
            self.known.look_near(result)
        self.formulation.update_bounds(self.known, f, seen)
        return seen

    def _verdict(self, seen: RoundOutcome) -> Status | None:
        """Why the rounds end after this one; None if they go on."""
        if self.known.ratio_at(seen) <= 1.0:
            return Status.CONVERGED
        if seen.result.status in BROKEN_OFF:
            return seen.result.status
        if seconds_left(late=0.0) <= 0.0:
            return Status.MAX_TIME
        if self.left <= 0:
            return Status.MAX_ITERATIONS
        return Status.STALLED if self.formulation.exhausted else None

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
        rule = self.formulation.rule(gap, self.left, method)
        if options.seconds < math.inf:
            rule = rule | Seconds(max(seconds_left(late=0.0), POLICY.min_run_seconds))
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
        proves, far = self.known.proves_infeasible, POLICY.proof_distance * self.feasibility_tol
        return proves(y, far) or (alone and proves(self._of_nearest(), far))

    def _of_nearest(self) -> Array:
        """Multipliers of the point of the region that is nearest to the bounds."""
        f = self.formulation.squared_distance()
        x: Point = None
        for _ in range(self.formulation.nearest_runs):
            x = self._run(f, POLICY.nearest_gap * self.feasibility_tol**2, x).x
        return f.next_multipliers(x)
