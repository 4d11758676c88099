r"""Rounds of the method of multipliers: runs over the region alone, and what they show.

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
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.augmented import Augmented
from frankwolfe.apps.constraints.course import STILL, Counts, Course, Watch, packed_point
from frankwolfe.apps.constraints.evidence import TINY, Evidence
from frankwolfe.apps.constraints.feasible import holds
from frankwolfe.apps.constraints.nearest import start_of_nearest
from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import frobenius
from frankwolfe.base.clock import due, seconds_left
from frankwolfe.base.errors import CheckpointError
from frankwolfe.base.memory import group, grouped
from frankwolfe.core.low_rank import unpack_point
from frankwolfe.core.problem import Problem
from frankwolfe.methods.base import Method
from frankwolfe.methods.default import best_for
from frankwolfe.objectives import Quadratic
from frankwolfe.solver.checkpoint import ALONE, Saved, read, restored
from frankwolfe.solver.loop import solve_part
from frankwolfe.solver.result import Result, Status
from frankwolfe.solver.run import Part
from frankwolfe.solver.stopping import Gap, Iterations, Seconds, Spent, Stalled, StoppingRule

__all__ = ["Options", "Rounds", "Scales"]

ROUNDS = 60  # of multipliers
FIRST, LESS = 1e-2, 0.1  # the gap of the first round, of what f may change by; and of each later
FINE = 0.25  # of the gap that is asked for, at least, in a round
BETTER, MORE, MOST = 0.25, 10.0, 1e8  # of what is violated, or else a larger penalty, up to
SHARE = 0.1  # of what the violation costs: a gap so small leaves it
PROVED = 1e-2  # of a violation that is none: by so much a proof must exclude all, at first
NARROW = 1e-3  # of the diameter: rows are not taken to change by less over the region
SLIGHT = 1e-4  # of the largest row over the region: bounds are not taken for smaller
SAME = 1e-12  # of the unit of rows: over a region where they change by less they do not change
SQUARED = 1e-150  # what is shorter has no square
NEARLY = 0.03  # of the bounds: so little is violated, and feasible points are looked for
PATIENT = 4  # rounds without that before the constraints alone are looked at
LEAST = 1e-3  # seconds for a run
BROKEN = Status.INTERRUPTED, Status.LOST, Status.NOT_FINITE, Status.MAX_TIME


@dataclass(frozen=True)
class Options:
    """What the caller asks for."""

    method: Method | None
    tol: float
    most: int  # steps in all
    seconds: float = math.inf
    callback: Any = None
    resume: Any = None  # a file


class Scales(NamedTuple):
    """The units of a problem."""

    swing: float  # by how much the tangent at the start changes over the region
    penalty: float
    unit: float  # of the rows


class Seen(NamedTuple):
    """What one round ended with."""

    result: Result
    value: float
    off: Array  # by row, from the bounds
    multipliers: Array
    wanted: float  # the gap that is asked for
    feasible: bool  # up to the tolerance

    @property
    def violated(self) -> float:
        """The largest violation."""
        return float(np.abs(self.off).max())


class Rounds:
    """Runs with one set of multipliers after the other; rows have the norm one."""

    def __init__(self, problem: Problem, rows: Affine, options: Options) -> None:
        self.problem, self.rows, self.options = problem, rows, options
        self.left, self.tol = options.most, options.tol
        self.counts, self.watch = Counts(), Watch()
        self.course: Course  # where the round stands
        self.known = self.evidence()
        self.notes: dict[str, str] = {}  # of callbacks, for the message

    def evidence(self) -> Evidence:
        """What will be known."""
        return Evidence(self.problem, self.rows)

    @property
    def slight(self) -> float:
        """A violation that is none."""
        return self.tol * self.course.unit

    def solved(self, x0: Any) -> dict[str, Any]:
        """What the result holds."""
        resume = self.options.resume
        saved = None if resume is None else read(resume)
        start = self._begun(x0) if saved is None else self._resumed(saved)
        course, status = self.course, None
        while True:
            seen = self._round(course, start, saved)
            result, y, saved = seen.result, seen.multipliers, None
            start = result.x if result.active_set is None else result.active_set
            status = self._verdict(seen)
            course.stuck = 0 if seen.violated <= BETTER * course.violated else course.stuck + 1
            alone = course.stuck == PATIENT
            if status is None and not seen.feasible and self._impossible(y, alone):
                status, self.known.bound = Status.INFEASIBLE, math.inf
            idle = self.watch.idle(self.short(seen), math.inf if seen.feasible else seen.violated)
            course.rounds += 1
            if status is not None or idle or course.rounds >= ROUNDS:
                break
            course.penalty, course.largest = self._penalty(seen, course)
            course.violated, course.multipliers = seen.violated, y
            if not result.nit:  # x has stayed: what is asked for is not enough
                course.fine *= LESS
            course.gap = max(LESS * course.gap, course.fine * seen.wanted)
        return self._told(seen, self._ended(y) if status is None else status)

    def _begun(self, x0: Any) -> Any:
        """Where the first run starts; the course begins."""
        first = self.problem.start(x0)
        scales = self.scales(first)
        size = max(1.0, abs(self.problem.objective(first)) / scales.swing)
        y, start = self._first(x0)
        self.course = Course(
            *(y, scales.penalty, scales.penalty, MOST * scales.penalty * size, scales.unit),
            *(FIRST * scales.swing, FINE, self.known.first_gap),
        )
        return first if start is x0 and x0 is not None else start

    def _resumed(self, saved: Saved) -> Any:
        """Where the run of a checkpoint started; the course goes on from there."""
        if not saved.beside:
            raise CheckpointError(ALONE.format(saved.path))
        found: list[Any] = []
        restored(saved.path, lambda: found.append(self.restore(saved.beside)))
        self.known.taken_over = True
        return found[0]

    def pack(self, start: Any) -> dict[str, Array]:
        """What checkpoints keep of a round that begins at `start`."""
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

    def restore(self, arrays: Mapping[str, Array]) -> Any:
        """Take what `pack` gave, checked; returns the start."""
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
        """What rounds that come no nearer show; rows off by less than the tolerance count now."""
        if self.known.best_x is None and self.known.excludes(y, 0.0):
            self.known.bound = math.inf
            return Status.INFEASIBLE
        return Status.STALLED

    def _first(self, x0: Any) -> tuple[Array, Any]:
        """The multipliers and the start of the first round."""
        none = np.zeros(self.rows.rows), x0
        if self.options.method is not None:
            return none
        began = perf_counter()
        known = start_of_nearest(self.problem, self.rows, due)
        self.counts.seconds += perf_counter() - began
        return none if known is None else known

    def _round(self, course: Course, start: Any, saved: Saved | None) -> Seen:
        """One run, and what it shows."""
        f = self._augmented(course.multipliers, course.penalty)
        part = Part(self.pack(start), notes=self.notes)
        result = self._run(f, course.gap, start, part, saved)
        value, off = self.problem.objective(result.x), self.rows.excess(result.x)
        violated = float(np.abs(off).max())
        feasible = violated <= self.slight or holds(self.rows, result.x)  # terms that cancel
        seen = Seen(
            *(result, value, off, f.next_multipliers(result.x)),
            *(self.known.enough(self.tol, value), feasible),
        )
        if feasible or violated <= NEARLY * max(self.rows.size, self.slight):
            self.known.look_near(result)
        self._learn(f, seen)
        return seen

    def _augmented(self, y: Array, rho: float) -> Any:
        return Augmented(self.problem.objective, self.rows, y, rho)

    def _learn(self, f: Any, seen: Seen) -> None:
        """Take what a run has shown of the least f."""
        self.known.take(seen.result)
        if self.short(seen) > 1.0:
            self.known.learn(seen.multipliers)

    def short(self, seen: Seen) -> float:
        """How far the bound is from a value that counts, in units of what is asked for."""
        there = abs(seen.value - self.known.bound) / (seen.wanted or TINY)
        return min(there if seen.feasible else math.inf, self.known.short(self.tol))

    def _verdict(self, seen: Seen) -> Status | None:
        """Why the rounds end after this one; None where they do not."""
        if self.short(seen) <= 1.0:
            return Status.CONVERGED
        if seen.result.status in BROKEN:
            return seen.result.status
        if seconds_left(late=0.0) <= 0.0:
            return Status.MAX_TIME
        return Status.MAX_ITERATIONS if self.left <= 0 else None

    def _penalty(self, seen: Seen, course: Course) -> tuple[float, float]:
        """The next penalty and the largest, by the first, the last and the largest so far."""
        first, rho, most, before = course.first, course.penalty, course.largest, course.violated
        if seen.violated <= BETTER * before or seen.feasible:
            return rho, most
        cost = rho * float(seen.off @ seen.off)
        if self._settled(seen.result, max(SHARE * cost, FINE * seen.wanted)):
            return min((MORE if seen.violated <= STILL * before else MORE**2) * rho, most), most
        if seen.result.status is Status.STALLED and rho > first:
            return rho / MORE, rho
        return rho, most

    def _settled(self, result: Result, small: float) -> bool:
        """Whether a run came so far that what is violated tells of the penalty.

        The Lagrangian rises with the squared distance in the rows, half of it times the penalty,
        so that a gap which is `small` beside that leaves it.
        """
        return result.gap <= small

    def scales(self, x: Any) -> Scales:
        """The units of f, of its square over that of a row, and of the rows, seen from x."""
        f = self.problem.objective
        g = f.grad(x)
        swings, there = zip(*(self._end(g, sign) for sign in (1.0, -1.0)), strict=True)
        self.known.first_gap = swings[1] - swings[0]
        swing = max(self.known.first_gap, 1e-12 * abs(f(x))) or 1.0  # f = 0 has no unit
        off, across = self.rows.excess(x), there[1] - there[0]
        diameter = self.problem.region.diameter(f.shape)  # no row, of the norm one, changes by more
        widest = max(float(np.abs(part).max()) for part in (*there, self.rows.apply(x), off))
        unit = max(self.rows.size, SLIGHT * widest) if self.rows.size else widest
        # where rows are zero at all these points, they may be as large as the region
        unit = unit or diameter or 1.0
        seen = max(frobenius(across), frobenius(off)) or diameter
        width = max(seen, NARROW * diameter, SAME * unit)
        return Scales(swing, 2.0 * swing / max(width, SQUARED) ** 2, unit)

    def _end(self, g: Array, sign: float) -> tuple[float, Array]:
        """<g, s> and the rows at the point s of the region that is least for the gradient."""
        s = self.problem.region.ask(sign * g).dense(g.size)
        return float(g @ s), self.rows.apply(s)

    def _rule(self, gap: float, method: Method) -> StoppingRule:
        patience: int = getattr(method, "patience", 0)
        calm = Stalled(patience=patience, tolerance=1e-12) if patience else Spent()
        return Gap(gap) | Iterations(max(self.left, 1)) | calm

    def _run(
        self, f: Any, gap: float, start: Any, part: Part | None = None, saved: Saved | None = None
    ) -> Result:
        """A run over the region; without a `part` the rounds cannot go on from within it."""
        part = Part({}, kept=False, notes=self.notes) if part is None else part
        problem, options = Problem(f, self.problem.region), self.options
        method = best_for(problem, patient=False) if options.method is None else options.method
        rule = self._rule(gap, method)
        if options.seconds < math.inf:
            rule = rule | Seconds(max(seconds_left(late=0.0), LEAST))
        result = solve_part(
            problem, method, rule, part, x0=start, callback=options.callback, resume=saved
        )
        self.left -= max(result.nit, 1)
        self.counts.add(result)
        self.known.failure = min(self.known.failure + result.failure_probability, 1.0)
        return result

    def _impossible(self, y: Array, alone: bool) -> bool:
        """Whether multipliers prove that no point of the region satisfies the constraints.

        These, or where they are looked at `alone`, those of the nearest point of the region.
        """
        excludes, far = self.known.excludes, PROVED * self.slight
        return excludes(y, far) or (alone and excludes(self._of_nearest(), far))

    def _of_nearest(self) -> Array:
        """The multipliers of the point of the region that is nearest to the constraints."""
        import scipy.sparse as sp

        n = self.problem.n
        nothing = Quadratic(sp.csr_array((n, n)), convex=True)  # any penalty is its unit
        f = Augmented(nothing, self.rows, np.zeros(self.rows.rows), 1.0)
        return f.next_multipliers(self._run(f, 0.25 * self.slight**2, None).x)

    def _told(self, seen: Seen, status: Status) -> dict[str, Any]:
        """What is known, of the last run and of all of them.

        The point is the feasible one where that is as good as was asked for, or the last is not.
        """
        known, x, value, violated = self.known, seen.result.x, seen.value, seen.violated
        own = seen.feasible and abs(value - known.bound) <= seen.wanted
        better = known.short(self.tol) <= 1.0 or not own
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
