"""scikit-learn where it solves the same problem: interior optimum, or the penalty matched."""

from __future__ import annotations

import warnings
from typing import Any

from suite.problem import Problem

from peers.base import Budget, Solver, interior, multiplier, only


class Ridge(Solver):
    """Logistic regression with the squared 2-norm, or none where the optimum is interior."""

    package = "sklearn"

    def __init__(self, solver: str) -> None:
        self.solver, self.name = solver, f"scikit-learn {solver}"

    def skip(self, problem: Problem) -> str | None:
        return only(problem, "logistic", "l2")

    def prepare(self, problem: Problem) -> None:
        m = problem.loss.b.size
        self.C = float("inf") if interior(problem) else 1.0 / (m * multiplier(problem))

    def run(self, problem: Problem, budget: Budget) -> Any:
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(
            C=self.C,
            fit_intercept=False,
            solver=self.solver,
            tol=budget.tolerance,
            max_iter=10**6,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(problem.A, problem.loss.b)
        return model.coef_[0]


class Sparse(Solver):
    """Logistic regression with the 1-norm."""

    package = "sklearn"

    def __init__(self, solver: str) -> None:
        self.solver, self.name = solver, f"scikit-learn {solver} l1"

    def skip(self, problem: Problem) -> str | None:
        return only(problem, "logistic", "l1")

    def prepare(self, problem: Problem) -> None:
        self.C = 1.0 / (problem.loss.b.size * multiplier(problem))

    def run(self, problem: Problem, budget: Budget) -> Any:
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(
            C=self.C,
            l1_ratio=1.0,
            fit_intercept=False,
            solver=self.solver,
            tol=budget.tolerance,
            max_iter=10**6,
            random_state=0,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(problem.A, problem.loss.b)
        return model.coef_[0]


class Lasso(Solver):
    """Coordinate descent; the Gram matrix where there are more rows than columns."""

    name = "scikit-learn lasso"
    package = "sklearn"

    def skip(self, problem: Problem) -> str | None:
        return only(problem, "squares", "l1")

    def prepare(self, problem: Problem) -> None:
        self.alpha = multiplier(problem) / problem.loss.b.size

    def run(self, problem: Problem, budget: Budget) -> Any:
        from sklearn.linear_model import Lasso as Model

        m, n = problem.A.shape
        model = Model(
            self.alpha, fit_intercept=False, precompute=m > n, tol=budget.tolerance, max_iter=10**6
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(problem.A, problem.loss.b)
        return model.coef_


SOLVERS = (
    Ridge("lbfgs"),
    Ridge("newton-cholesky"),
    Ridge("newton-cg"),
    Sparse("liblinear"),
    Sparse("saga"),
    Lasso(),
)
