"""Linear programs by HiGHS's simplex method: one set, many costs.

A call is a function of the cost and of the basis to start from, and of nothing that was solved
before: a run that goes on from a stored basis goes on bit for bit.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.errors import MissingExtra
from frankwolfe.base.memory import Memory

__all__ = [
    "FREELY",
    "SHARP",
    "Basis",
    "Constraints",
    "LinearProgram",
    "Solved",
    "choose",
    "highs_module",
    "loaded",
    "solve_once",
]

SHARP = 1e-10  # the tightest tolerance that HiGHS takes
BASIC = 1  # HiGHS's number for what is in the basis
ALWAYS = {
    **{"output_flag": False, "parallel": "off", "small_matrix_value": 1e-12},
    **{"primal_feasibility_tolerance": SHARP, "dual_feasibility_tolerance": SHARP},
}
# primal pivots; HiGHS would keep its own scales from one cost to the next
BY_PIVOTS = {
    **{"presolve": "off", "solver": "simplex"},
    **{"simplex_strategy": 4, "simplex_scale_strategy": 0},
}
FREELY = {
    **{"presolve": "choose", "solver": "choose"},
    **{"simplex_strategy": 0, "simplex_scale_strategy": 2},
}
PIVOTS = 100  # for each row and column, at most
# of the clock, and for the square of the number of rows and columns: rounding may make the tries
# between two pivots endless
SECONDS, EACH = 1.0, 1e-5
BRIEF = 0.05  # seconds that are always left
REFINED = 3  # rounds
UNIT = 2.0**-53


def highs_module() -> Any:
    """The package, imported when it is first needed."""
    try:
        import highspy
    except ImportError:
        raise MissingExtra("a polytope by inequalities", "highspy", "lp") from None
    return highspy


class Constraints(NamedTuple):
    """All x with lower <= x <= upper and low <= A x <= high."""

    A: Any  # dense, or sparse by columns
    low: Array
    high: Array
    lower: Array
    upper: Array

    @property
    def equations(self) -> Any:
        """Which rows are equations."""
        return self.low == self.high


@dataclass(slots=True)
class Basis(Memory):
    """Which columns and rows are basic, at which bound the others are; empty before the first."""

    columns: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int8))
    rows: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int8))

    def take_form(self, arrays: Any) -> None:
        self.columns = np.zeros(arrays["columns"].size, dtype=np.int8)
        self.rows = np.zeros(arrays["rows"].size, dtype=np.int8)


class Solved(NamedTuple):
    """What HiGHS says of a program: a basic solution, multipliers of the rows, and the status."""

    status: str  # "optimal", "infeasible", "unbounded", or "stopped"
    x: Array
    y: Array
    basis: Basis


class LinearProgram:
    """Constraints in HiGHS's hands. Numbers should be about one: its tolerances are absolute."""

    def __init__(self, constraints: Constraints) -> None:
        self.constraints = constraints
        self.sizes = abs(constraints.A)
        self._solver: Any = None
        self._seconds = SECONDS + EACH * float(sum(constraints.A.shape)) ** 2
        self._stuck = False  # whether pivots were endless once
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {"constraints": self.constraints}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["constraints"])  # type: ignore[misc]

    def minimize(
        self, cost: Array, start: Basis | None = None, seconds: float = math.inf
    ) -> Solved:
        """A vertex with the least cost, by pivots from a basis; the best found in so many seconds.

        Without time HiGHS finds nothing: a little is always left to it.
        """
        with self._lock:
            return self._twice(self._ready(), cost, start, max(seconds, BRIEF))

    def _twice(
        self, solver: Any, cost: Array, start: Basis | None, seconds: float = math.inf
    ) -> Solved:
        """From the basis, and where that ends in rounding, as HiGHS likes it best."""
        end = perf_counter() + seconds
        if not self._stuck:
            found = self.solved(solver, cost, start, seconds)
            if found.status == "optimal" or perf_counter() >= end:
                return found
            self._stuck = solver.getModelStatus() == highs_module().HighsModelStatus.kTimeLimit
        try:
            choose(solver, FREELY)
            return self.solved(solver, cost, None, max(end - perf_counter(), BRIEF))
        finally:
            choose(solver, BY_PIVOTS)

    def minimize_on(self, cost: Array, columns: tuple[Array, Array], rows: tuple[Array, Array]
                    ) -> Solved:  # fmt: skip
        """The same between narrower bounds."""
        given = self.constraints
        with self._lock:
            solver = self._ready()
            try:
                _set_bounds(solver, columns, rows)
                return self._twice(solver, cost, None)
            finally:
                _set_bounds(solver, (given.lower, given.upper), (given.low, given.high))

    def _ready(self) -> Any:
        if self._solver is None:
            size = sum(self.constraints.A.shape)
            self._solver = loaded(self.constraints)
            self._solver.setOptionValue("simplex_iteration_limit", PIVOTS * (size + 10))
        return self._solver

    def solved(
        self, solver: Any, cost: Array, start: Basis | None, seconds: float = math.inf
    ) -> Solved:
        """What a solver that holds the constraints finds."""
        n = cost.size
        solver.clearSolver()
        solver.changeColsCost(n, np.arange(n, dtype=np.int32), np.asarray(cost, dtype=np.float64))
        if start is not None and start.columns.size == n:
            solver.setBasis(_given(start))
        # its clock goes on from run to run
        solver.setOptionValue("time_limit", solver.getRunTime() + min(self._seconds, seconds))
        solver.run()
        status, solution = _status(solver), solver.getSolution()
        basis = solver.getBasis()
        found = Basis(_numbers(basis.col_status), _numbers(basis.row_status))
        x, y = np.array(solution.col_value), np.array(solution.row_dual)
        if status in {"optimal", "stopped"} and x.size == n and found.columns.size == n:
            x = self._refined(solver, x, found)
        return Solved(status, x, y, found)

    def _refined(self, solver: Any, x: Array, basis: Basis) -> Array:
        """The basic solution to the last digits, from residuals and HiGHS's own factors."""
        A, low, high, lower, upper = self.constraints
        x = np.clip(x, lower, upper)
        held = basis.rows != BASIC
        if not held.any():
            return x
        activity = A @ x
        level = np.where(np.abs(activity - low) <= np.abs(activity - high), low, high)
        size = np.abs(level) + self.sizes @ np.abs(x)
        order = solver.getBasicVariables()[1]
        own = order >= 0
        for _ in range(REFINED):
            rest = np.where(held, level - activity, 0.0)
            if not (np.abs(rest) > 4.0 * UNIT * size)[held].any():
                break
            ahead = x.copy()
            ahead[order[own]] += solver.getBasisSolve(rest)[1][own]
            after = A @ ahead
            if not np.abs(level - after)[held].max() < np.abs(rest).max():
                break
            x, activity = ahead, after
        return np.clip(x, lower, upper)


def solve_once(constraints: Constraints, cost: Array) -> Solved:
    """One program for one cost, as HiGHS likes it best."""
    solver = loaded(constraints)
    choose(solver, FREELY)
    return LinearProgram(constraints).solved(solver, cost, None)


def loaded(given: Constraints) -> Any:
    """A solver with the constraints, set to go on from the last basis."""
    from scipy.sparse import csc_array

    highspy = highs_module()
    solver, program = highspy.Highs(), highspy.HighsLp()
    choose(solver, {**ALWAYS, **BY_PIVOTS})
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


def choose(solver: Any, options: dict[str, Any]) -> None:
    """Set options."""
    for name, value in options.items():
        solver.setOptionValue(name, value)


def _set_bounds(solver: Any, columns: tuple[Array, Array], rows: tuple[Array, Array]) -> None:
    n, m = columns[0].size, rows[0].size
    solver.clearSolver()
    solver.changeColsBounds(n, np.arange(n, dtype=np.int32), *columns)
    if m:
        solver.changeRowsBounds(m, np.arange(m, dtype=np.int32), *rows)


def _status(solver: Any) -> str:
    kinds = highs_module().HighsModelStatus
    names = {
        kinds.kOptimal: "optimal",
        kinds.kInfeasible: "infeasible",
        kinds.kUnbounded: "unbounded",
        kinds.kUnboundedOrInfeasible: "unbounded",
    }
    return names.get(solver.getModelStatus(), "stopped")


def _numbers(statuses: list[Any]) -> Indices:
    return np.fromiter(map(int, statuses), dtype=np.int8, count=len(statuses))


def _given(basis: Basis) -> Any:
    highspy = highs_module()
    kinds = [highspy.HighsBasisStatus(k) for k in range(5)]
    made = highspy.HighsBasis()
    made.col_status = [kinds[k] for k in basis.columns.tolist()]
    made.row_status = [kinds[k] for k in basis.rows.tolist()]
    made.valid = True
    return made
