"""Linear programs by HiGHS's simplex method: one feasible set, many costs.

A call is a function of the cost and of the basis to start from, and of nothing that was solved
before: a run that goes on from a stored basis goes on bit for bit.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Flags, Indices, Matrix
from frankwolfe.base.errors import MissingExtra
from frankwolfe.base.memory import Memory

__all__ = [
    "FREELY",
    "MIN_TOLERANCE",
    "Basis",
    "Constraints",
    "LinearProgram",
    "Solved",
    "choose",
    "highs_module",
    "loaded",
    "solve_once",
]

Highs: TypeAlias = Any
"""The module highspy, or an object of it: a solver, a basis; it ships no types."""

Options: TypeAlias = dict[str, bool | int | float | str]
"""Options of HiGHS by name."""

MIN_TOLERANCE = 1e-10  # the tightest feasibility tolerance that HiGHS takes
BASIC = 1  # HighsBasisStatus.kBasic
COMMON_OPTIONS: Options = {
    **{"output_flag": False, "parallel": "off", "small_matrix_value": 1e-12},
    **{"primal_feasibility_tolerance": MIN_TOLERANCE, "dual_feasibility_tolerance": MIN_TOLERANCE},
}
# primal pivots, so that a new cost begins from a feasible basis; unscaled, since HiGHS would keep
# its scales from one cost to the next, and an answer would depend on what was solved before
BY_PIVOTS: Options = {
    **{"presolve": "off", "solver": "simplex"},
    **{"simplex_strategy": 4, "simplex_scale_strategy": 0},
}
FREELY: Options = {
    **{"presolve": "choose", "solver": "choose"},
    **{"simplex_strategy": 0, "simplex_scale_strategy": 2},
}
PIVOTS_PER_LINE = 100  # at most, for each row and column
BASE_SECONDS, SECONDS_PER_SQUARE = 1.0, 1e-5
"""Time limit of a solve: 1 s, and 10 us times (rows + columns)^2.

The limit of pivots is not enough: rounding may make the tries between two pivots endless.
"""
MIN_SECONDS = 0.05  # that a solve always gets: with less HiGHS finds nothing
MAX_REFINEMENTS = 3  # rounds; it ends before them where residuals are rounding
UNIT = 2.0**-53


def highs_module() -> Highs:
    """Import highspy when it is first needed, or say which extra brings it."""
    try:
        import highspy
    except ImportError:
        raise MissingExtra("a polytope by inequalities", "highspy", "lp") from None
    return highspy


class Constraints(NamedTuple):
    """The set of all x with lower <= x <= upper and low <= A x <= high."""

    A: Matrix
    low: Array
    high: Array
    lower: Array
    upper: Array

    @property
    def equations(self) -> Flags:
        """Flags of the rows that are equations."""
        return np.equal(self.low, self.high)


@dataclass(slots=True)
class Basis(Memory):
    """Basis statuses (HiGHS's numbers) of columns and rows; empty before the first solve."""

    columns: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int8))
    rows: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int8))

    def take_form(self, arrays: Mapping[str, AnyArray]) -> None:
        self.columns = np.zeros(arrays["columns"].size, dtype=np.int8)
        self.rows = np.zeros(arrays["rows"].size, dtype=np.int8)


class Solved(NamedTuple):
    """HiGHS's answer: the status, a basic solution, multipliers of the rows, and the basis."""

    status: str  # "optimal", "infeasible", "unbounded", or "stopped"
    x: Array
    y: Array
    basis: Basis


class LinearProgram:
    """Linear programs over one set of constraints, which HiGHS holds from one cost to the next.

    Numbers should be about one: HiGHS's tolerances are absolute.
    """

    def __init__(self, constraints: Constraints) -> None:
        self.constraints = constraints
        self.sizes = abs(constraints.A)
        self._solver: Highs = None
        self._seconds = BASE_SECONDS + SECONDS_PER_SQUARE * float(sum(constraints.A.shape)) ** 2
        self._stuck = False  # True once pivots from a basis ran out of time: then not tried again
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Constraints]:
        return {"constraints": self.constraints}

    def __setstate__(self, state: dict[str, Constraints]) -> None:
        self.__init__(state["constraints"])  # type: ignore[misc]

    def minimize(
        self, cost: Array, start: Basis | None = None, seconds: float = math.inf
    ) -> Solved:
        """A vertex of least cost, by pivots from basis `start`, or the best within `seconds`."""
        with self._lock:
            return self._twice(self._ready(), cost, start, max(seconds, MIN_SECONDS))

    def _twice(
        self, solver: Highs, cost: Array, start: Basis | None, seconds: float = math.inf
    ) -> Solved:
        """Solve from the basis; if rounding defeats that, anew by HiGHS's choice of method."""
        end = perf_counter() + seconds
        if not self._stuck:
            found = self.solved(solver, cost, start, seconds)
            if found.status == "optimal" or perf_counter() >= end:
                return found
            self._stuck = solver.getModelStatus() == highs_module().HighsModelStatus.kTimeLimit
        try:
            choose(solver, FREELY)
            return self.solved(solver, cost, None, max(end - perf_counter(), MIN_SECONDS))
        finally:
            choose(solver, BY_PIVOTS)

    def minimize_on(self, cost: Array, columns: tuple[Array, Array], rows: tuple[Array, Array]
                    ) -> Solved:  # fmt: skip
        """A vertex of least cost under narrower bounds, which hold for this call only."""
        given = self.constraints
        with self._lock:
            solver = self._ready()
            try:
                _set_bounds(solver, columns, rows)
                return self._twice(solver, cost, None)
            finally:
                _set_bounds(solver, (given.lower, given.upper), (given.low, given.high))

    def _ready(self) -> Highs:
        """The solver with the constraints, made at the first call."""
        if self._solver is None:
            size = sum(self.constraints.A.shape)
            self._solver = loaded(self.constraints)
            self._solver.setOptionValue("simplex_iteration_limit", PIVOTS_PER_LINE * (size + 10))
        return self._solver

    def solved(
        self, solver: Highs, cost: Array, start: Basis | None, seconds: float = math.inf
    ) -> Solved:
        """Run a solver that holds the constraints, and refine its solution."""
        n = cost.size
        solver.clearSolver()
        solver.changeColsCost(n, np.arange(n, dtype=np.int32), np.asarray(cost, dtype=np.float64))
        if start is not None and start.columns.size == n:
            solver.setBasis(_given(start))
        # the limit is on a clock that HiGHS never resets
        solver.setOptionValue("time_limit", solver.getRunTime() + min(self._seconds, seconds))
        solver.run()
        status, solution = _status(solver), solver.getSolution()
        basis = solver.getBasis()
        found = Basis(_numbers(basis.col_status), _numbers(basis.row_status))
        x, y = np.array(solution.col_value), np.array(solution.row_dual)
        if status in {"optimal", "stopped"} and x.size == n and found.columns.size == n:
            x = self._refined(solver, x, found)
        return Solved(status, x, y, found)

    def _refined(self, solver: Highs, x: Array, basis: Basis) -> Array:
        """Iterative refinement of a basic solution, by HiGHS's factors of the basis."""
        A, low, high, lower, upper = self.constraints
        x = np.clip(x, lower, upper)
        held = basis.rows != BASIC
        if not held.any():
            return x
        activity = A @ x
        level = np.where(np.abs(activity - low) <= np.abs(activity - high), low, high)
        size = np.abs(level) + self.sizes @ np.abs(x)
        order = solver.getBasicVariables()[1]
        own = order >= 0  # negative numbers are rows: their slacks need no correction
        for _ in range(MAX_REFINEMENTS):
            rest = np.where(held, level - activity, 0.0)
            if not (np.abs(rest) > 4.0 * UNIT * size)[held].any():  # as good as rounding allows
                break
            ahead = x.copy()
            ahead[order[own]] += solver.getBasisSolve(rest)[1][own]
            after = A @ ahead
            if not np.abs(level - after)[held].max() < np.abs(rest).max():
                break
            x, activity = ahead, after
        return np.clip(x, lower, upper)


def solve_once(constraints: Constraints, cost: Array) -> Solved:
    """Solve one linear program once, with HiGHS's own choice of method and presolve."""
    solver = loaded(constraints)
    choose(solver, FREELY)
    return LinearProgram(constraints).solved(solver, cost, None)


def loaded(given: Constraints) -> Highs:
    """New HiGHS solver that holds the constraints, with options for pivots from a basis."""
    from scipy.sparse import csc_array

    highspy = highs_module()
    solver, program = highspy.Highs(), highspy.HighsLp()
    choose(solver, {**COMMON_OPTIONS, **BY_PIVOTS})
    rows, columns = given.A.shape
    program.num_col_, program.num_row_ = columns, rows
    program.col_cost_ = np.zeros(columns)
    program.col_lower_, program.col_upper_ = given.lower, given.upper
    program.row_lower_, program.row_upper_ = given.low, given.high
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    A = csc_array(given.A)
    program.a_matrix_.start_ = A.indptr.astype(np.int32)
    program.a_matrix_.index_ = A.indices.astype(np.int32)
    program.a_matrix_.value_ = A.data
    solver.passModel(program)
    return solver


def choose(solver: Highs, options: Options) -> None:
    """Set options of a HiGHS solver by name."""
    for name, value in options.items():
        solver.setOptionValue(name, value)


def _set_bounds(solver: Highs, columns: tuple[Array, Array], rows: tuple[Array, Array]) -> None:
    n, m = columns[0].size, rows[0].size
    solver.clearSolver()
    solver.changeColsBounds(n, np.arange(n, dtype=np.int32), *columns)
    if m:
        solver.changeRowsBounds(m, np.arange(m, dtype=np.int32), *rows)


def _status(solver: Highs) -> str:
    """Status of the last run, in the words of `Solved`."""
    kinds = highs_module().HighsModelStatus
    names = {
        kinds.kOptimal: "optimal",
        kinds.kInfeasible: "infeasible",
        kinds.kUnbounded: "unbounded",
        kinds.kUnboundedOrInfeasible: "unbounded",
    }
    return names.get(solver.getModelStatus(), "stopped")


def _numbers(statuses: list[Highs]) -> Indices:
    """Basis statuses as numbers, which can be stored."""
    return np.fromiter(map(int, statuses), dtype=np.int8, count=len(statuses))


def _given(basis: Basis) -> Highs:
    """HiGHS's object for a stored basis."""
    highspy = highs_module()
    kinds = [highspy.HighsBasisStatus(k) for k in range(5)]
    made = highspy.HighsBasis()
    made.col_status = [kinds[k] for k in basis.columns.tolist()]
    made.row_status = [kinds[k] for k in basis.rows.tolist()]
    made.valid = True
    return made
