"""The fast path: many steps of a simple method on a simple problem in one compiled call.

For the library's own linear losses and simple regions, and steps that are known beforehand,
nothing between two steps needs Python. The fast path records the same figures as the plain path
and returns where a stopping rule or a callback may have something to say. Which steps it makes
depends on the problem, the method and the state alone, never on the callbacks or how the steps
are grouped: the iterates of a run are the same bits, however it is cut into blocks.
"""

from __future__ import annotations

import math
from time import perf_counter
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.kernels import may_thread
from frankwolfe.base.memory import Buffer
from frankwolfe.core.atoms import Dense, Vertex
from frankwolfe.core.problem import Problem
from frankwolfe.core.region_abilities import CompiledOracle
from frankwolfe.core.state import State
from frankwolfe.methods.assembled import FrankWolfe
from frankwolfe.methods.base import REFRESH, Method
from frankwolfe.methods.parts.combinations import Jacobi, Stay, StepSchedule
from frankwolfe.methods.parts.directions import Toward
from frankwolfe.methods.parts.look_back import LookBack
from frankwolfe.methods.parts.models import Tangent
from frankwolfe.methods.parts.oracles import Exact
from frankwolfe.methods.parts.steps import (
    Constant,
    ExactLineSearch,
    KnownStep,
    LogAdaptive,
    NonConvexDecay,
    OpenLoop,
)
from frankwolfe.objectives import Huber, Logistic, Quantile, SquaredError
from frankwolfe.solver.kernels import fast_path as kernel
from frankwolfe.solver.leaps import Leaps, takes_leaps
from frankwolfe.solver.run import Run
from frankwolfe.solver.stopping import Alarm

__all__ = ["FastPath", "fast_path_for"]

PLAIN_STEPS = 10  # made in Python first: a short run need not load or compile the kernel
MAX_KERNEL_ENTRIES = 100_000  # of A; beyond, products take the time, and BLAS has threads for them
MIN_ONE_PASS_ENTRIES = 4_000_000  # of A; from here on one pass over rows beats two by BLAS
MAX_ONE_PASS_COLUMNS = 50_000  # of A; beyond, four rows do not stay in a cache
BLOCK_SECONDS = 0.02  # for a block, so that Ctrl-C and callbacks are answered at once
MIN_PLANNED_STEPS = 256  # whose sizes are computed together: a schedule costs a few NumPy calls
MAX_BLOCK_STEPS = 10_000  # rows of figures that a block has room for

LOSSES = (Logistic, SquaredError, Huber, Quantile)
MODELS, ORACLES, DIRECTIONS = (Tangent,), (Exact,), (Toward,)
STEPS: dict[type, tuple[type, ...]] = {  # and the combinations that go with them
    **dict.fromkeys((OpenLoop, LogAdaptive, Constant, NonConvexDecay), (Stay, Jacobi)),
    **dict.fromkeys((ExactLineSearch, LookBack), (Stay,)),
}


def fast_path_for(method: Method, problem: Problem) -> FastPath | Leaps | None:
    """The fast path of a run; None if it has none. Types must match: a subclass may differ."""
    data = problem.objective.dense_data
    if problem.objective.single_pass is not None and takes_leaps(method, problem):
        return Leaps(method)
    if type(method) is not FrankWolfe or type(problem.objective) not in LOSSES or data is None:
        return None
    pairs = (
        (method.model, MODELS),
        (method.oracle, ORACLES),
        (method.direction, DIRECTIONS),
        (method.combination, STEPS.get(type(method.step), ())),
    )
    if not all(type(part) in types for part, types in pairs):
        return None
    in_one_pass = _in_one_pass(method, problem, data.matrix)
    if data.matrix.size > MAX_KERNEL_ENTRIES and not in_one_pass:
        return None
    # an inherited oracle is that of another set, unless the class says otherwise
    own = "compiled" in vars(type(problem.region))
    oracle = problem.region.compiled(problem.n) if own else None
    return None if oracle is None else FastPath(method, problem, oracle, in_one_pass)


def _in_one_pass(method: FrankWolfe, problem: Problem, matrix: Array) -> bool:
    """True if one pass over A makes both the image of an atom and the next gradient faster."""
    known = isinstance(method.step, KnownStep) and not problem.region.sparse_atoms
    large = matrix.size >= MIN_ONE_PASS_ENTRIES and matrix.shape[1] <= MAX_ONE_PASS_COLUMNS
    return known and large and bool(matrix.flags.c_contiguous)


class FastPath:
    """Blocks of compiled steps of one run."""

    _x: Array  # buffers for the point, the one before, the best one, the atom, and two images
    _before: Array
    _best: Array
    _atom: Array
    _slope: Array
    _direction: Array
    _parts: Array | None

    def __init__(
        self, method: FrankWolfe, problem: Problem, oracle: CompiledOracle, in_one_pass: bool
    ) -> None:
        self._step: Any = method.step
        self._searched = isinstance(method.step, ExactLineSearch)
        self._looks_back = isinstance(method.step, LookBack)
        self._combination: Any = method.combination
        self._problem, self._oracle = problem, oracle
        self._in_one_pass = in_one_pass
        self._data: tuple[Any, ...] | None = None  # A', the loss and the region, for the kernel
        self._pace = 0.0  # seconds a step, in the last block
        self._planned = 0  # the step k at which the plan begins
        self._plan: StepSchedule = (np.zeros(0), np.zeros(0, dtype=bool))

    def takes(self, state: State) -> bool:
        """True if the fast path makes the next step."""
        return state.k >= PLAIN_STEPS and state.certified

    def advance(self, run: Run, alarm: Alarm) -> None:
        """Make steps up to the alarm at most; evaluations before the last are recorded."""
        state, began = run.state, perf_counter()
        first, count = state.k, self._count(state, alarm)
        steps, cut = self._schedule(state, count)
        rows = np.empty((count, 4))
        done = self._march(run, steps, alarm, rows)
        state.step = float(steps[done - 1])
        state.cuts += int(cut[:done].sum())
        taken = perf_counter() - began
        if done > 1:
            past = np.arange(1.0, done)
            seconds = state.seconds + taken / done * past
            run.history.extend(np.column_stack([first + past, rows[: done - 1], seconds]))
        state.seconds += taken
        self._pace = taken / done

    def _schedule(self, state: State, count: int) -> StepSchedule:
        """The next step sizes, from a plan of many; uninitialized where they are searched for."""
        first, (steps, cut) = state.k - self._planned, self._plan
        if not 0 <= first <= steps.size - count:
            k = np.arange(state.k, state.k + max(count, MIN_PLANNED_STEPS), dtype=np.float64)
            known = not (self._searched or self._looks_back)
            gammas = self._step.schedule(k) if known else np.empty(k.size)
            steps, cut = self._combination.schedule(state.memory.combination, k, gammas)
            first, self._planned, self._plan = 0, state.k, (steps, cut)
        return steps[first : first + count], cut[first : first + count]

    def _count(self, state: State, alarm: Alarm) -> int:
        """Number of steps until the alarm that take no more than the time of a block."""
        seconds = min(BLOCK_SECONDS, alarm.seconds - state.seconds)
        most = seconds / self._pace if self._pace else 16.0  # the first block measures the pace
        return max(int(min(most, MAX_BLOCK_STEPS, alarm.step - state.k)), 1)

    def _march(self, run: Run, steps: Array, alarm: Alarm, rows: Array) -> int:
        """Run the kernel on the state's arrays; return the number of steps done."""
        state, best = run.state, run.best
        if self._data is None:  # at the first block: short runs never copy A
            self._prepare(state)
        iterate, s = state.iterate, self._atom
        iterate.point.snapshot(self._x)
        s[:] = state.atom.dense(s.size)
        index = state.atom.index if isinstance(state.atom, Vertex) else -1
        known = [state.lower_bound, self._eps, state.gain, index, 0.0]
        evaluation = np.array([math.nan] * 3 + known)
        top = np.array([best.value, best.gap, best.x is None, False])
        images = (iterate.image, iterate.previous_image, state.atom_image, self._slope)
        points = (self._x, self._before, s, state.gradient, self._best)
        compared = state.levels() if alarm.relative >= 0.0 else (0.0, 0.0, 0.0)
        levels = (alarm.gap, alarm.relative, alarm.value, *compared)
        first = (state.k, REFRESH, self._in_one_pass and may_thread())
        search = (self._problem.objective.quadratic, self._direction) if self._searched else None
        arrays = (points, images, evaluation, top, levels, rows)
        book = state.memory.step.numbers if self._looks_back else None
        done: int = kernel.march(self._data, steps, search, book, self._parts, first, *arrays)
        best.value, best.gap, at_best, saved = top.tolist()
        if at_best or saved:
            best.x = None if at_best else self._best.copy()
        if done % 2:  # the kernel swaps both buffers in every step
            iterate.image, iterate.previous_image = iterate.previous_image, iterate.image
            self._x, self._before = self._before, self._x
        iterate.fresh = False
        # two jumps: the iterate also keeps the point before the last
        iterate.point.jump(self._before)
        iterate.point.jump(self._x)
        state.k += done
        state.gradient_calls += done
        state.oracle_calls += done
        state.value, state.above, support, state.lower_bound, *_, place, trials = (
            evaluation.tolist()
        )
        state.value_calls += int(trials)
        sparse = self._problem.region.sparse_atoms
        state.atom = Vertex(int(place), float(s[int(place)])) if sparse else Dense(s)
        state.certify(support)
        return done

    def _prepare(self, state: State) -> None:
        """Make the arrays that all blocks share, and buffers for points, atom and images."""
        objective: Any = self._problem.objective
        A, rows = objective.linear.matrix, self._in_one_pass
        by = A if rows else np.ascontiguousarray(A.T)
        self._data = (by, objective.terms, self._oracle)
        self._parts = np.empty((kernel.BLOCKS, self._problem.n)) if rows else None
        self._eps = float(np.finfo(objective.dtype).eps)
        self._slope, self._direction = (np.empty_like(state.atom_image) for _ in range(2))
        self._x = state.iterate.point.array()
        self._before, self._best = self._x.copy(), self._x.copy()
        oracle = state.oracle_memory
        assert isinstance(oracle, Buffer)
        self._atom = oracle.array if oracle.array.size else np.zeros_like(self._x)
