"""skglm with the l1 penalty matched: Anderson coordinate descent, and prox-Newton."""

from __future__ import annotations

import warnings
from typing import Any

from suite.problem import Problem

from peers.base import Budget, Solver, multiplier, only


class Skglm(Solver):
    """Coordinate descent with working sets; compiled for each problem before the clock."""

    package = "skglm"
    compiles = True

    def __init__(self, solver: str) -> None:
        self.solver, self.name = solver, f"skglm {solver}"

    def skip(self, problem: Problem) -> str | None:
        if self.solver == "ProxNewton" and problem.loss.name == "squares":
            return "AndersonCD is the one for squares"
        return only(problem, "logistic squares", "l1")

    def prepare(self, problem: Problem) -> None:
        from scipy.sparse import csc_matrix, issparse
        from skglm.datafits import Logistic, Quadratic
        from skglm.penalties import L1
        from skglm.utils.jit_compilation import compiled_clone

        m = problem.loss.b.size
        scale = problem.loss.weight * m  # its fits are means
        fit = Logistic() if problem.loss.name == "logistic" else Quadratic()
        self.X = csc_matrix(problem.A) if issparse(problem.A) else problem.A
        self.fit = compiled_clone(fit)
        self.penalty = compiled_clone(L1(multiplier(problem) / scale))

    def run(self, problem: Problem, budget: Budget) -> Any:
        from skglm import solvers

        made = getattr(solvers, self.solver)
        solver = made(tol=budget.tolerance, max_iter=1000, fit_intercept=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return solver.solve(self.X, problem.loss.b, self.fit, self.penalty)[0]


SOLVERS = (Skglm("AndersonCD"), Skglm("ProxNewton"))
