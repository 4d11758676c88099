"""The protocol of a method, as the loop sees it, and the base of methods with their own steps."""

from __future__ import annotations

from typing import ClassVar, Protocol

from frankwolfe.base.arrays import Point
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.memory import M, Memory
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.evaluate import evaluate
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import AffineModel, Oracle
from frankwolfe.methods.parts.models import Tangent
from frankwolfe.methods.parts.oracles import Exact

__all__ = [
    "REFRESH",
    "Method",
    "OwnSteps",
    "beyond",
    "check_accepted",
    "value_rounding",
    "without_convexity",
    "without_curvature",
]

VALUE_ROUNDING = 1e-15  # relative to |f(x)| + |<g, x>|: a few units in the last place
REFRESH = 1000  # steps between two computations of z = Ax: rounding against a pass over A


class Method(Protocol):
    """A method, as the loop sees it: `init` makes a state, `advance` makes a step."""

    @property
    def patience(self) -> int:
        """Steps without progress after which the loop gives up on it; 0 for never."""

    @property
    def name(self) -> str:
        """Name in tables and messages."""

    def accepts(self, problem: Problem) -> str | None:
        """None if the method can run; else a sentence: what is missing, and what to use instead.

        `init` raises InvalidInput with the same sentence. The loop does not ask; whoever
        chooses among methods does.
        """

    def init(self, problem: Problem, x0: Start = None) -> State:
        """Make the state at the start, evaluated."""

    def advance(self, state: State) -> None:
        """Make one step: move, then evaluate at the new point."""


class NamedMethod:
    """Base of whatever has a name and a reference to cite."""

    name: str
    reference: str

    def citation(self) -> str:
        """Reference of the method, in BibTeX."""
        return self.reference

    def __str__(self) -> str:
        return self.name


class OwnSteps(NamedMethod):
    """Base of methods with an `init` and `advance` of their own, not assembled from parts."""

    patience: int = 0

    model: ClassVar[AffineModel[Memory]] = Tangent()
    oracle: ClassVar[Oracle[Memory]] = Exact()

    def memory(self, problem: Problem) -> Memory:
        """Fresh memory for a run that goes on from another method's state; nothing by default."""
        return Memory()

    def evaluate(self, state: State) -> None:
        """Set value, atom and gap at the current point."""
        evaluate(state, self.model, self.oracle)

    def begin(
        self, problem: Problem, x: Point, memory: M, active_set: ActiveSet | None = None
    ) -> State[M]:
        """Make the state at the point x, evaluated."""
        state = State(problem, x, memory, active_set)
        self.evaluate(state)
        return state


def without_convexity(name: str, problem: Problem) -> str | None:
    """Why a method that needs vectors and a convex f cannot run; None if it can."""
    objective = problem.objective
    if not isinstance(objective.shape, int):
        return f"{name} works with vectors, not matrices: use hybrid() or in_face()."
    if not objective.convex:
        return f"{name} needs a convex objective: use frank_wolfe(ExactLineSearch())."
    return None


def without_curvature(name: str, problem: Problem) -> str | None:
    """Why a method that needs vectors, a convex f and its Hessian cannot run; None if it can."""
    objective, refusal = problem.objective, without_convexity(name, problem)
    if refusal is not None:
        return refusal
    if objective.second_order is None:
        return (
            f"{name} needs second derivatives, which {objective!r} does not give: use "
            "blended_pairwise() over a polytope, frank_wolfe(Backtracking()) elsewhere."
        )
    return None


def value_rounding(state: State) -> float:
    """Rounding of f(x) and <g, x>: a restricted problem or a model is not solved to less."""
    return VALUE_ROUNDING * (abs(state.value) + abs(state.above))


def beyond(name: str) -> str:
    """Sentence for a method that does not check the domain of f, where f has one."""
    return (
        f"{name} does not check how far the objective is finite: use pairwise(), away_step() or "
        "frank_wolfe(ExactLineSearch())."
    )


def check_accepted(method: Method, problem: Problem) -> None:
    """Raise InvalidInput with the method's sentence, if it does not accept the problem."""
    refusal = method.accepts(problem)
    if refusal is not None:
        raise InvalidInput(refusal)
