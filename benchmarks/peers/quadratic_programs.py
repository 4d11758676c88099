"""Solvers of dense quadratic programs: piqp and quadprog, for least squares over a simplex."""

from __future__ import annotations

from typing import Any

import numpy as np
from suite.problem import Problem

from peers.base import Budget, Solver


class _Dense(Solver):
    def skip(self, problem: Problem) -> str | None:
        fits = problem.loss.name == "squares" and problem.region.name == "simplex"
        return None if fits and problem.A is not None else "for least squares over a simplex"


class Piqp(_Dense):
    """A proximal interior-point method; the Gram matrix is formed within the time."""

    name = "piqp"
    package = "piqp"
    tolerances = tuple(10.0**-k for k in range(1, 13))

    def run(self, problem: Problem, budget: Budget) -> Any:
        import piqp

        A, n = problem.A, problem.n
        solver = piqp.DenseSolver()
        solver.settings.eps_abs = solver.settings.eps_rel = budget.tolerance
        sums, t = np.ones((1, n)), np.array([problem.region.radius])
        lower, upper = np.zeros(n), np.full(n, np.inf)
        solver.setup(A.T @ A, -(A.T @ problem.loss.b), sums, t, x_l=lower, x_u=upper)
        solver.solve()
        return np.array(solver.result.x)


class Quadprog(_Dense):
    """The dual method of Goldfarb and Idnani."""

    name = "quadprog"
    package = "quadprog"
    tolerances = (1e-10,)

    def run(self, problem: Problem, budget: Budget) -> Any:
        from quadprog import solve_qp

        A, n = problem.A, problem.n
        C = np.hstack([np.ones((n, 1)), np.eye(n)])
        bound = np.append(problem.region.radius, np.zeros(n))
        return solve_qp(A.T @ A, A.T @ problem.loss.b, C, bound, 1)[0]


SOLVERS = (Piqp(), Quadprog())
