"""Each oracle beside what one would write or call instead; a family has a file here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Solve = Callable[[np.ndarray], float]
"""From a gradient to the least <g, s> that was found."""


@dataclass(frozen=True)
class Contest:
    """One region in one size: our oracle, the obvious alternatives, and the gradients."""

    name: str
    region: Any
    n: int
    others: dict[str, Solve]
    gradients: list[np.ndarray] = field(default_factory=list)

    def costs(self) -> list[np.ndarray]:
        """The gradients to solve for: five random ones where none are given."""
        rng = np.random.default_rng(0)
        return self.gradients or [rng.standard_normal(self.n) for _ in range(5)]


def slowly(n: int, count: int = 100, share: float = 0.02) -> list[np.ndarray]:
    """Costs that change slowly from one to the next, as gradients along a run do."""
    rng = np.random.default_rng(0)
    found = [rng.standard_normal(n)]
    for _ in range(count - 1):
        found.append(found[-1] + share * rng.standard_normal(n))
    return found


def warm_highs(A: Any, rows: tuple[np.ndarray, np.ndarray], upper: np.ndarray) -> Solve:
    """HiGHS from the basis of the call before: the program min <g, x>, A x between, 0 <= x <= u."""
    import highspy
    from scipy.sparse import csc_array

    columns = csc_array(A)
    m, n = columns.shape
    solver, program = highspy.Highs(), highspy.HighsLp()
    program.num_col_, program.num_row_, program.col_cost_ = n, m, np.zeros(n)
    program.col_lower_, program.col_upper_ = np.zeros(n), upper
    program.row_lower_, program.row_upper_ = rows
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_, program.a_matrix_.index_ = columns.indptr, columns.indices
    program.a_matrix_.value_ = columns.data
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("simplex_strategy", 4)  # primal: only costs change
    solver.passModel(program)
    places = np.arange(n, dtype=np.int32)

    def solve(g: np.ndarray) -> float:
        solver.changeColsCost(n, places, g)
        solver.run()
        return float(solver.getInfo().objective_function_value)

    return solve
