"""Ours: the method the library chooses itself; the objective is built within the time."""

from __future__ import annotations

from typing import Any

from problems import Problem

import frankwolfe as fw
from peers.base import Budget, Solver

REGIONS = {
    "l2": lambda r: fw.L2Ball(r.radius),
    "l1": lambda r: fw.L1Ball(r.radius),
    "simplex": lambda r: fw.Simplex(r.radius),
    "birkhoff": lambda r: fw.Birkhoff(r.k),
    "ksparse": lambda r: fw.KSparse(r.k, r.radius),
    "nuclear": lambda r: fw.NuclearBall(r.radius),
}


def objective(problem: Problem) -> fw.Objective:
    """The loss as the library has it."""
    loss = problem.loss
    if problem.cells is not None:
        ratings = (*problem.cells, loss.b)
        return fw.Completion(ratings, shape=problem.region.shape, delta=loss.delta)
    if problem.A is None:
        return fw.squared_distance(loss.b)
    A = problem.A
    if loss.name == "squares":
        return fw.SquaredError(A, loss.b, reduction="sum")
    return (
        fw.Logistic(A, loss.b) if loss.name == "logistic" else fw.Huber(A, loss.b, delta=loss.delta)
    )


def region(problem: Problem) -> fw.Region:
    """The region as the library has it."""
    return REGIONS[problem.region.name](problem.region)


class Default(Solver):
    """`minimize` with method=None, from the common start, until the value is reached."""

    name = "frankwolfe"
    package = "frankwolfe"
    budget = "target"
    compiles = True

    def run(self, problem: Problem, budget: Budget) -> Any:
        stop = fw.Target(budget.target) | fw.Seconds(budget.seconds)
        result = fw.minimize(objective(problem), region(problem), x0=problem.x0, stop=stop)
        budget.counts.update(
            iterations=result.nit, gradients=result.njev, values=result.nfev, oracles=result.nlmo
        )
        return result.x


def optimum(problem: Problem, seconds: float) -> tuple[Any, float]:
    """The best point the library finds in this time, and its certified gap."""
    stop = fw.Gap(1e-13 * abs(problem.start_value)) | fw.Seconds(seconds) | fw.Stalled(100)
    result = fw.minimize(objective(problem), region(problem), x0=problem.x0, stop=stop)
    return result.x, result.gap if result.certified else float("inf")


SOLVERS = (Default(),)
