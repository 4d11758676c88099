"""A method is five parts; this is the only class that puts them together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import Combination, Direction, Model, Oracle, Step
from frankwolfe.methods.parts.combinations import Stay
from frankwolfe.methods.parts.directions import Toward
from frankwolfe.methods.parts.models import Tangent
from frankwolfe.methods.parts.oracles import Exact
from frankwolfe.methods.parts.steps import OpenLoop
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.memory import Memory
from frankwolfe.numerics.points import Room

__all__ = [
    "FrankWolfe",
    "Method",
    "OwnSteps",
    "beyond",
    "check_accepted",
    "without_curvature",
]

REFRESH = 1000  # steps after which z = Ax is computed anew

PARTS = {  # the five parts, and what each can do
    "model": "update",
    "oracle": "ask",
    "direction": "aim",
    "step": "size",
    "combination": "move",
}
EXAMPLES = {
    "model": "Tangent()",
    "oracle": "Exact()",
    "direction": "Toward()",
    "step": "OpenLoop(2)",
    "combination": "Stay()",
}


class Method(Protocol):
    """What the loop needs of a method."""

    patience: int
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
        """The state at the start."""

    def advance(self, state: State) -> None:
        """One step: move, then look."""


class OwnSteps:
    """What methods with an `init` and `advance` of their own share."""

    name: str
    reference: str
    patience: int = 0

    def citation(self) -> str:
        """The reference of the method, in BibTeX."""
        return self.reference

    def __str__(self) -> str:
        return self.name


def without_curvature(name: str, problem: Problem) -> str | None:
    """Why a method that needs vectors, convexity and second derivatives cannot run, if so."""
    objective = problem.objective
    if not isinstance(objective.shape, int):
        return f"{name} works with vectors, not matrices: use hybrid() or in_face()."
    if not objective.convex:
        return f"{name} needs a convex objective: use frank_wolfe(ExactLineSearch())."
    if not objective.curved:
        return (
            f"{name} needs second derivatives, which {objective!r} does not give: use "
            "blended_pairwise() over a polytope, frank_wolfe(Backtracking()) elsewhere."
        )
    return None


def beyond(name: str) -> str:
    """Why a method that does not ask how far f is finite cannot run."""
    return (
        f"{name} does not look how far the objective is finite: use pairwise(), away_step() or "
        "frank_wolfe(ExactLineSearch())."
    )


def check_accepted(method: Method, problem: Problem) -> None:
    """Raise what the method says against the problem, if anything."""
    refusal = method.accepts(problem)
    if refusal is not None:
        raise InvalidInput(refusal)


@dataclass(frozen=True)
class FrankWolfe:
    """A Frank-Wolfe method assembled from five parts.

    Parameters
    ----------
    model : Model
        Which affine model of f is minimized (the tangent).
    oracle : Oracle
        How the region is asked (one exact call).
    direction : Direction
        Where the iterate moves (toward the atom).
    step : Step
        How far (2/(k+2)).
    combination : Combination
        How past iterates enter (not at all).
    name, reference : str
        For tables, and for `citation`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> from frankwolfe.methods.parts.steps import LogAdaptive
    >>> method = fw.FrankWolfe(step=LogAdaptive(), name="log-adaptive FW")
    >>> problem = fw.Problem(fw.SquaredError(np.eye(2), [1.0, 2.0]), fw.L2Ball(1.0))
    >>> for state in fw.states(problem, method):
    ...     if state.gap < 1e-3:
    ...         break
    >>> bool(state.value <= problem.objective(np.array([1, 2]) / 5**0.5) + 1e-3)
    True
    """

    model: Model = field(default_factory=Tangent)
    oracle: Oracle = field(default_factory=Exact)
    direction: Direction = field(default_factory=Toward)
    step: Step = field(default_factory=OpenLoop)
    combination: Combination = field(default_factory=Stay)
    name: str = "Frank-Wolfe"
    reference: str = ""
    patience = 0

    def __post_init__(self) -> None:
        for part, action in PARTS.items():
            given = getattr(self, part)
            if isinstance(given, type) or not hasattr(given, action):
                raise InvalidInput(
                    f"{part} must be a {part} part such as {EXAMPLES[part]}, got {given!r}."
                )
        if self.step.needs_tangent and not self.model.tangent:
            raise InvalidInput(
                f"{type(self.step).__name__} needs the slope of f along the direction, which "
                f"{type(self.model).__name__} does not give: use ExactLineSearch or OpenLoop."
            )
        if self.direction.needs_tangent and not self.model.tangent:
            raise InvalidInput(
                f"{type(self.direction).__name__} compares slopes of f, which "
                f"{type(self.model).__name__} does not give: use Tangent()."
            )

        if self.oracle.needs_tangent and not self.model.tangent:
            raise InvalidInput(
                f"{type(self.oracle).__name__} compares slopes of f, which "
                f"{type(self.model).__name__} does not give: use Exact()."
            )
        if self.combination.toward and not isinstance(self.direction, Toward):
            raise InvalidInput(
                f"{type(self.combination).__name__} goes with Toward(): past iterates enter a "
                "step toward the atom only."
            )

    @property
    def monotone(self) -> bool:
        """Whether f never rises."""
        return self.step.monotone and self.combination.monotone

    def accepts(self, problem: Problem) -> str | None:
        """None, or why one of the parts cannot work on this problem."""
        try:
            self.memory(problem)
        except InvalidInput as refusal:
            return str(refusal)
        return None

    def init(self, problem: Problem, x0: Any = None) -> State:
        """The state at the start, looked at."""
        memory = self.memory(problem)
        x = self.direction.start(problem, x0, memory["direction"])
        state = State(problem, x, memory)
        self.look(state)
        return state

    def memory(self, problem: Problem) -> dict[str, Memory]:
        """Fresh memory of every part."""
        return {name: getattr(self, name).memory(problem) for name in PARTS}

    def advance(self, state: State) -> None:
        """One step: move, then look."""
        room = state.iterate.make_room()
        if room is not Room.ENOUGH:
            state.cuts += room is Room.CUT
            self.combination.room_made(state, room)
        self.direction.aim(state)
        gamma = self.step.size(state, state.look_ahead())
        state.step = self.combination.move(state, gamma)
        self.direction.moved(state, state.step)
        state.k += 1
        if state.k % REFRESH == 0:
            state.iterate.refresh()
        self.look(state)

    def look(self, state: State) -> None:
        """Value, atom and gap at the current point."""
        self.model.update(state)
        support, error = self.oracle.ask(state, self.model)
        state.certify(support, error)

    def citation(self) -> str:
        """The reference of the method, in BibTeX."""
        return self.reference

    def __str__(self) -> str:
        return self.name
