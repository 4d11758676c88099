"""celer with the l1 penalty matched: lasso and logistic regression."""

from __future__ import annotations

import warnings
from typing import Any

from suite.problem import Problem

from peers.base import Budget, Solver, multiplier, only


class Celer(Solver):
    """Dual extrapolation and working sets."""

    name = "celer"
    package = "celer"

    def skip(self, problem: Problem) -> str | None:
        return only(problem, "logistic squares", "l1")

    def prepare(self, problem: Problem) -> None:
        from scipy.sparse import csc_matrix, issparse

        self.X = csc_matrix(problem.A) if issparse(problem.A) else problem.A
        self.penalty = multiplier(problem)

    def run(self, problem: Problem, budget: Budget) -> Any:
        from celer import Lasso, LogisticRegression

        m, tol = problem.loss.b.size, budget.tolerance
        if problem.loss.name == "squares":
            model = Lasso(self.penalty / m, fit_intercept=False, tol=tol, max_iter=1000)
        else:
            model = LogisticRegression(1.0 / (m * self.penalty), tol=tol, max_iter=1000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(self.X, problem.loss.b).coef_.ravel()


SOLVERS = (Celer(),)
