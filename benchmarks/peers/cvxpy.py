"""cvxpy with Clarabel, SCS, ECOS and OSQP; the model is built and compiled before the clock."""

from __future__ import annotations

import warnings
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

import numpy as np
from suite.problem import Problem

from peers.base import Budget, Solver

LARGEST = 200_000  # variables or entries of data beyond which a cone program is not built
OPTIONS = {
    "CLARABEL": lambda t: {"tol_gap_abs": t, "tol_gap_rel": t, "tol_feas": t, "max_iter": 500},
    "ECOS": lambda t: {"abstol": t, "reltol": t, "feastol": t, "max_iters": 500},
    "SCS": lambda t: {"eps_abs": t, "eps_rel": t, "max_iters": 10**7},
    "OSQP": lambda t: {"eps_abs": t, "eps_rel": t, "max_iter": 10**7, "polishing": True},
}


def _model(problem: Problem) -> tuple[Any, Any]:
    """The variable and the problem."""
    import cvxpy as cp

    x, loss, region = cp.Variable(problem.n), problem.loss, problem.region
    z = x if problem.A is None else problem.A @ x
    if loss.name == "logistic":
        f = loss.weight * cp.sum(cp.logistic(cp.multiply(-loss.b, z)))
    elif loss.name == "huber":
        f = loss.weight * cp.sum(cp.huber(z - loss.b, loss.delta))
    else:
        f = 0.5 * loss.weight * cp.sum_squares(z - loss.b)
    if region.name == "l2":
        within = [cp.norm2(x) <= region.radius]
    elif region.name == "l1":
        within = [cp.norm1(x) <= region.radius]
    elif region.name == "ksparse":
        within = [cp.norm1(x) <= region.k * region.radius, cp.norm_inf(x) <= region.radius]
    elif region.name == "birkhoff":
        X = cp.reshape(x, (region.k, region.k), order="C")
        within = [x >= 0, cp.sum(X, axis=0) == 1, cp.sum(X, axis=1) == 1]
    else:
        within = [x >= 0, cp.sum(x) == region.radius]
    return x, cp.Problem(cp.Minimize(f), within)


class Cone(Solver):
    """One of its solvers, by tolerance."""

    package = "cvxpy"
    tolerances = tuple(10.0**-k for k in range(2, 14))

    def __init__(self, name: str, title: str) -> None:
        self.solver, self.name = name, f"cvxpy {title}"
        self.model: tuple[Problem, Any, Any] | None = None

    def skip(self, problem: Problem) -> str | None:
        if problem.cells is not None:
            return "an SDP of 2,625 rows is out of reach"
        if problem.n > LARGEST:
            return "too many variables for a cone program"
        quadratic = problem.loss.name == "squares" and problem.region.name != "l2"
        if self.solver == "OSQP" and not quadratic:
            return "for quadratic programs"
        return None

    def absent(self) -> str | None:
        there = find_spec(self.package) and find_spec(self.solver.lower())
        return None if there else "not installed"

    def prepare(self, problem: Problem) -> None:
        if self.model is None or self.model[0] is not problem:
            self.model = (problem, *_model(problem))

    def run(self, problem: Problem, budget: Budget) -> Any:
        import cvxpy as cp

        assert self.model is not None
        _, x, model = self.model
        x.value = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # inaccurate solutions are judged by their value
            options = OPTIONS[self.solver](budget.tolerance)
            with suppress(cp.SolverError):  # at this tolerance
                model.solve(solver=self.solver, warm_start=False, **options)
        if x.value is None:
            return problem.x0
        return np.asarray(x.value)


SOLVERS = (
    Cone("CLARABEL", "Clarabel"),
    Cone("ECOS", "ECOS"),
    Cone("SCS", "SCS"),
    Cone("OSQP", "OSQP"),
)
