"""Polytopes by their rows: HiGHS from the last basis, beside linprog, and HiGHS anew and warm."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csc_array

import frankwolfe as fw
from contests import Contest, Solve, slowly, warm_highs

M, N = 500, 1000


SHARES = (0.1, 0.25, 0.5)  # of their sums that rows allow: the more, the easier for all


def all_contests() -> list[Contest]:
    """Programs of 500 rows and 1000 variables, and 100 costs that change slowly."""
    rng = np.random.default_rng(0)
    dense = rng.random((M, N))
    sparse = csc_array(np.where(rng.random((M, N)) < 0.05, dense, 0.0))
    kinds = {"5 %": sparse, "dense": dense}
    return [_contest(f"{name}, {share}", A, share) for name, A in kinds.items() for share in SHARES]


def _contest(name: str, A: Any, share: float) -> Contest:
    b = share * np.asarray(A.sum(axis=1)).ravel() * np.random.default_rng(1).uniform(0.8, 1.2, M)
    region = fw.Polytope(A_ub=A, b_ub=b, bounds=(0.0, 1.0))
    others = {
        "linprog": _linprog(A, b),
        "highspy anew": _anew(A, b),
        "highspy warm": warm_highs(A, (np.full(M, -np.inf), b), np.ones(N)),
    }
    return Contest(f"Polytope {M} x {N}, {name}", region, N, others, slowly(N))


def _linprog(A: Any, b: np.ndarray) -> Solve:
    def solve(g: np.ndarray) -> float:
        return float(linprog(g, A_ub=A, b_ub=b, bounds=(0.0, 1.0)).fun)

    return solve


def _anew(A: Any, b: np.ndarray) -> Solve:
    import highspy

    columns = csc_array(A)

    def solve(g: np.ndarray) -> float:
        solver, program = highspy.Highs(), highspy.HighsLp()
        solver.setOptionValue("output_flag", False)
        program.num_col_, program.num_row_, program.col_cost_ = N, M, g
        program.col_lower_, program.col_upper_ = np.zeros(N), np.ones(N)
        program.row_lower_, program.row_upper_ = np.full(M, -np.inf), b
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_, program.a_matrix_.index_ = columns.indptr, columns.indices
        program.a_matrix_.value_ = columns.data
        solver.passModel(program)
        solver.run()
        return float(solver.getInfo().objective_function_value)

    return solve
