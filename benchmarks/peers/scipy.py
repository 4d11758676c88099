"""scipy: SLSQP and trust-constr, quasi-Newton where the optimum is interior, and nnls."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from suite.problem import Problem

from peers.base import Budget, Solver, interior

WEIGHT = 1e5  # of the row that makes nnls keep the sum


class Constrained(Solver):
    """`minimize` with the region as constraints; the l1 ball by positive and negative parts."""

    package = "scipy"

    def __init__(self, method: str) -> None:
        self.method, self.name = method, f"scipy {method}"

    def skip(self, problem: Problem) -> str | None:
        if problem.region.name not in {"l2", "l1", "simplex"}:
            return f"no {problem.region.name} region"
        return "dense matrices of n x n" if problem.n > 20_000 else None

    def run(self, problem: Problem, budget: Budget) -> Any:
        from scipy.optimize import LinearConstraint, NonlinearConstraint, minimize

        t, n, tol = problem.region.radius, problem.n, budget.tolerance
        slsqp = self.method == "SLSQP"
        limits: dict[str, Any] = {"maxiter": 10_000}
        limits |= {"ftol": tol} if slsqp else {"gtol": tol, "xtol": tol, "barrier_tol": tol}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if problem.region.name == "l2":
                inside = NonlinearConstraint(
                    lambda x: x @ x,
                    -np.inf,
                    t * t,
                    jac=lambda x: 2 * x[None],
                    hess=lambda x, v: 2 * v[0] * np.eye(n),
                )
                return minimize(
                    problem.both, problem.x0, jac=True, method=self.method,
                    constraints=inside, options=limits,
                ).x  # fmt: skip
            if problem.region.name == "simplex":
                exact = LinearConstraint(np.ones((1, n)), t, t)
                return minimize(
                    problem.both, problem.x0, jac=True, method=self.method,
                    bounds=[(0, None)] * n, constraints=exact, options=limits,
                ).x  # fmt: skip

            def split(w: np.ndarray) -> tuple[float, np.ndarray]:
                value, g = problem.both(w[:n] - w[n:])
                return value, np.concatenate([g, -g])

            below = LinearConstraint(np.ones((1, 2 * n)), -np.inf, t)
            start = np.concatenate([np.maximum(problem.x0, 0), np.maximum(-problem.x0, 0)])
            w = minimize(
                split, start, jac=True, method=self.method,
                bounds=[(0, None)] * (2 * n), constraints=below, options=limits,
            ).x  # fmt: skip
            return w[:n] - w[n:]


class Free(Solver):
    """`minimize` without the constraint, where the optimum is interior."""

    package = "scipy"

    def __init__(self, method: str) -> None:
        self.method, self.name = method, f"scipy {method}"

    def skip(self, problem: Problem) -> str | None:
        return None if interior(problem) else "the optimum is on the boundary"

    def run(self, problem: Problem, budget: Budget) -> Any:
        from scipy.optimize import minimize

        t = budget.tolerance
        limits: dict[str, Any] = {"maxiter": 10**5, "gtol": t}
        limits |= {"ftol": 0.0, "maxfun": 10**6} if self.method == "L-BFGS-B" else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return minimize(
                problem.both, problem.x0, jac=True, method=self.method, options=limits
            ).x


class NonNegative(Solver):
    """nnls with one heavy row for the sum, as is done where no simplex solver is at hand."""

    name = "scipy nnls"
    package = "scipy"
    tolerances = (1e-10,)

    def skip(self, problem: Problem) -> str | None:
        fits = problem.loss.name == "squares" and problem.region.name == "simplex"
        return None if fits and problem.A is not None else "for least squares over a simplex"

    def run(self, problem: Problem, budget: Budget) -> Any:
        from scipy.optimize import nnls

        A = np.vstack([problem.A, np.full((1, problem.n), WEIGHT)])
        b = np.append(problem.loss.b, WEIGHT * problem.region.radius)
        return nnls(A, b)[0]


SOLVERS = (
    Constrained("SLSQP"),
    Constrained("trust-constr"),
    Free("L-BFGS-B"),
    Free("BFGS"),
    NonNegative(),
)
