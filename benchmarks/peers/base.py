"""What a contestant says of itself and can be asked to do."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Literal

from suite.problem import Problem


@dataclass(frozen=True)
class Budget:
    """How far a run may go; a solver reads the entry that it names in `Solver.budget`.

    `counts` is for the solver to fill: "iterations", "gradients", whatever it knows.
    """

    iterations: int = 0
    tolerance: float = 0.0
    target: float = -math.inf
    seconds: float = math.inf
    counts: dict[str, int] = field(default_factory=dict)


class Solver:
    """A contestant.

    Attributes
    ----------
    name : str
        What the tables call it.
    package : str
        The module that must be installed.
    budget : {"iterations", "tolerance", "target"}
        What ends a run. With "iterations" and "tolerance" the suite searches for the smallest
        budget that reaches an accuracy, and the time of a whole run with that budget counts.
        A solver that can stop at a value of f takes "target".
    compiles : bool
        Whether its first call may take long for that reason.
    tolerances : tuple of float
        Those that are tried, coarse to fine.
    """

    name = ""
    package = ""
    budget: Literal["iterations", "tolerance", "target"] = "tolerance"
    compiles = False
    tolerances: tuple[float, ...] = tuple(10.0**-k for k in range(1, 16))

    def skip(self, problem: Problem) -> str | None:
        """Why it cannot take this problem, if so; known without its package."""
        return None

    def prepare(self, problem: Problem) -> None:
        """What is done once and not timed: a model built, arrays handed to a device."""

    def run(self, problem: Problem, budget: Budget) -> Any:
        """Solve and return x; timed from beginning to end."""
        raise NotImplementedError

    def absent(self) -> str | None:
        """Whether its package is missing."""
        return None if find_spec(self.package) else "not installed"


def only(problem: Problem, losses: str, regions: str, *, matrix: bool = True) -> str | None:
    """Why a problem is not among these losses and regions, if so."""
    if problem.loss.name not in losses.split():
        return f"no {problem.loss.name} loss"
    if problem.region.name not in regions.split():
        return f"no {problem.region.name} region"
    return "no data matrix" if matrix and problem.A is None else None


def multiplier(problem: Problem) -> float:
    """The penalty on the region's norm whose minimizer is the constrained optimum."""
    g = problem.gradient(problem.best)
    if problem.region.name == "l1":
        return float(abs(g).max())
    radius = float((problem.best @ problem.best) ** 0.5)
    return float((g @ g) ** 0.5) / radius  # of half the squared 2-norm


def interior(problem: Problem) -> bool:
    """Whether the optimum lies inside, so that the constraint may be left out."""
    if problem.region.name != "l2":
        return False
    return float((problem.best @ problem.best) ** 0.5) < 0.999 * problem.region.radius
