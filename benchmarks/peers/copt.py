"""copt: Frank-Wolfe and accelerated projected gradient; it is given the sets it lacks."""

from __future__ import annotations

import io
import warnings
from contextlib import redirect_stdout
from typing import Any

import numpy as np
from suite.problem import Problem

from peers.base import Budget, Solver


def _start(problem: Problem) -> np.ndarray:
    return np.ravel(problem.x0.toarray()) if problem.cells is not None else problem.x0


class FrankWolfe(Solver):
    """Plain Frank-Wolfe; `step` is copt's name of the rule."""

    package = "copt"
    budget = "iterations"

    def __init__(self, name: str, step: str) -> None:
        self.name, self.step = f"copt {name}", step

    def skip(self, problem: Problem) -> str | None:
        if self.step == "DR" and problem.cells is not None:
            return "the short step is for the other problems"
        return None

    def prepare(self, problem: Problem) -> None:
        _ = problem.lipschitz

    def run(self, problem: Problem, budget: Budget) -> Any:
        import copt

        def lmo(u: np.ndarray, x: np.ndarray, active: Any = None) -> tuple[Any, ...]:
            return problem.region.lmo(-u) - x, None, None, 1.0

        with redirect_stdout(io.StringIO()):  # it prints
            return copt.minimize_frank_wolfe(
                problem.both,
                _start(problem),
                lmo,
                jac=True,
                step=self.step,
                lipschitz=problem.lipschitz if self.step == "DR" else None,
                max_iter=budget.iterations,
                tol=0.0,
            ).x


class Pairwise(Solver):
    """Pairwise Frank-Wolfe over the l1 ball, copt's own oracle."""

    name = "copt pairwise FW"
    package = "copt"
    budget = "iterations"

    def skip(self, problem: Problem) -> str | None:
        return None if problem.region.name == "l1" else "its oracle is for the l1 ball"

    def run(self, problem: Problem, budget: Budget) -> Any:
        import copt

        ball = copt.constraint.L1Ball(problem.region.radius)
        i = int(np.flatnonzero(problem.x0)[0])
        with redirect_stdout(io.StringIO()):
            return copt.minimize_frank_wolfe(
                problem.both,
                problem.x0,
                ball.lmo_pairwise,
                x0_rep=(float(np.sign(problem.x0[i])), i),
                variant="pairwise",
                jac=True,
                max_iter=budget.iterations,
                tol=0.0,
            ).x


class Projected(Solver):
    """Accelerated projected gradient: backtracking, or the step 1/L."""

    package = "copt"
    budget = "iterations"

    def __init__(self, *, fixed: bool) -> None:
        self.fixed = fixed
        self.name = "copt APGD, 1/L" if fixed else "copt APGD"

    def skip(self, problem: Problem) -> str | None:
        return None if problem.region.projects else "no projection"

    def prepare(self, problem: Problem) -> None:
        _ = problem.lipschitz

    def run(self, problem: Problem, budget: Budget) -> Any:
        import copt

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the tolerance is not reached
            return copt.minimize_proximal_gradient(
                problem.both,
                _start(problem),
                lambda x, _: problem.region.project(x),
                jac=True,
                step=(lambda _: 1.0 / problem.lipschitz) if self.fixed else "backtracking",
                accelerated=True,
                max_iter=budget.iterations - 1,
                tol=0.0,
            ).x


SOLVERS = (
    FrankWolfe("FW backtracking", "backtracking"),
    FrankWolfe("FW short step", "DR"),
    FrankWolfe("FW 2/(k+2)", "sublinear"),
    Pairwise(),
    Projected(fixed=False),
    Projected(fixed=True),
)
