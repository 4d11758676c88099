"""Ours: the method the library chooses itself; the objective is built within the time."""

from __future__ import annotations

from typing import Any

from problems import objective, region
from suite.problem import Problem

import frankwolfe as fw
from peers.base import Budget, Solver


class Default(Solver):
    """`minimize` with method=None, from the common start, until the value is reached."""

    name = "frankwolfe"
    package = "frankwolfe"
    budget = "target"
    compiles = True

    def run(self, problem: Problem, budget: Budget) -> Any:
        stop = fw.stopping.Target(budget.target) | fw.Seconds(budget.seconds)
        result = fw.minimize(objective(problem), region(problem), x0=problem.x0, stop=stop)
        budget.counts.update(
            iterations=result.nit, gradients=result.njev, values=result.nfev, oracles=result.nlmo
        )
        return result.x


def optimum(problem: Problem, seconds: float) -> tuple[Any, float]:
    """The best point the library finds in this time, and its certified gap."""
    stop = fw.Gap(1e-13 * abs(problem.start_value)) | fw.Seconds(seconds) | fw.stopping.Stalled(100)
    result = fw.minimize(objective(problem), region(problem), x0=problem.x0, stop=stop)
    return result.x, result.gap if result.certified else float("inf")


SOLVERS = (Default(),)
