"""What the loop needs of a method, and what methods with steps of their own share."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.memory import M, Memory
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.evaluate import evaluate
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import Model, Oracle
from frankwolfe.methods.parts.models import Tangent
from frankwolfe.methods.parts.oracles import Exact

__all__ = [
    "REFRESH",
    "Method",
    "OwnSteps",
    "beyond",
    "check_accepted",
    "without_convexity",
    "without_curvature",
]

REFRESH = 1000  # steps after which z = Ax is computed again


class Method(Protocol):
    """What the loop needs of a method."""

    @property
    def patience(self) -> int:
        """Steps without progress after which it has nothing more to give; 0: it never says so."""

    @property
    def name(self) -> str:
        """What tables and messages call it."""

    def accepts(self, problem: Problem) -> str | None:
        """None where it can run; else one sentence: what is missing, and what to use instead.

        `init` raises InvalidInput with the same sentence. The loop does not ask; whoever
        chooses among methods does.
        """

    def init(self, problem: Problem, x0: Any = None) -> State:
        """The state at the start, evaluated."""

    def advance(self, state: State) -> None:
        """One step: move, then evaluate."""


class Named:
    """What has a name and a reference."""

    name: str
    reference: str

    def citation(self) -> str:
        """The reference of the method, in BibTeX."""
        return self.reference

    def __str__(self) -> str:
        return self.name


class OwnSteps(Named):
    """What methods with an `init` and `advance` of their own share."""

    patience: int = 0

    model: ClassVar[Model[Memory]] = Tangent()
    oracle: ClassVar[Oracle[Memory]] = Exact()

    def memory(self, problem: Problem) -> Memory:
        """Fresh memory for a run that goes on from another method's state; nothing by default."""
        return Memory()

    def evaluate(self, state: State) -> None:
        """Value, atom and gap at the current point."""
        evaluate(state, self.model, self.oracle)

    def begin(
        self, problem: Problem, x: Any, memory: M, active_set: ActiveSet | None = None
    ) -> State[M]:
        """The state at the point x, evaluated."""
        state = State(problem, x, memory, active_set)
        self.evaluate(state)
        return state


def without_convexity(name: str, problem: Problem) -> str | None:
    """Why a method that needs vectors and convexity cannot run, if so."""
    objective = problem.objective
    if not isinstance(objective.shape, int):
        return f"{name} works with vectors, not matrices: use hybrid() or in_face()."
    if not objective.convex:
        return f"{name} needs a convex objective: use frank_wolfe(ExactLineSearch())."
    return None


def without_curvature(name: str, problem: Problem) -> str | None:
    """Why a method that needs vectors, convexity and second derivatives cannot run, if so."""
    objective, refusal = problem.objective, without_convexity(name, problem)
    if refusal is not None:
        return refusal
    if not objective.twice_differentiable:
        return (
            f"{name} needs second derivatives, which {objective!r} does not give: use "
            "blended_pairwise() over a polytope, frank_wolfe(Backtracking()) elsewhere."
        )
    return None


def beyond(name: str) -> str:
    """Why a method that does not check how far f is finite cannot run."""
    return (
        f"{name} does not check how far the objective is finite: use pairwise(), away_step() or "
        "frank_wolfe(ExactLineSearch())."
    )


def check_accepted(method: Method, problem: Problem) -> None:
    """Raise what the method says against the problem, if anything."""
    refusal = method.accepts(problem)
    if refusal is not None:
        raise InvalidInput(refusal)
