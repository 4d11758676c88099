"""The class that assembles a Frank-Wolfe method from five parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.memory import M
from frankwolfe.core.evaluate import evaluate
from frankwolfe.core.points import Compression
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.state import State
from frankwolfe.methods.base import REFRESH, NamedMethod
from frankwolfe.methods.parts.base import (
    AffineModel,
    Combination,
    Direction,
    Memories,
    Oracle,
    Step,
)
from frankwolfe.methods.parts.combinations import Stay
from frankwolfe.methods.parts.directions import ToAtom, Toward
from frankwolfe.methods.parts.models import Tangent
from frankwolfe.methods.parts.oracles import Exact
from frankwolfe.methods.parts.steps import ExactLineSearch, OpenLoop, describe

if TYPE_CHECKING:
    from typing_extensions import Unpack  # before Python 3.11 typing has none

__all__ = ["FrankWolfe", "with_line_search"]

PARTS = {  # name of each part: the method that it must have, and an example for messages
    "model": ("update", "Tangent()"),
    "oracle": ("ask", "Exact()"),
    "direction": ("aim", "Toward()"),
    "step": ("size", "OpenLoop(2)"),
    "combination": ("move", "Stay()"),
}
WITHOUT_SLOPES = {  # parts to suggest for a model that is not the tangent
    "step": "ExactLineSearch() or OpenLoop()",
    "direction": "Toward(), or the model Tangent()",
    "oracle": "Exact()",
}


@dataclass(frozen=True)
class FrankWolfe(NamedMethod):
    """A Frank-Wolfe method assembled from five parts.

    Parameters
    ----------
    model : AffineModel
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

    model: AffineModel = field(default_factory=Tangent)
    oracle: Oracle = field(default_factory=Exact)
    direction: Direction = field(default_factory=Toward)
    step: Step = field(default_factory=OpenLoop)
    combination: Combination = field(default_factory=Stay)
    name: str = "Frank-Wolfe"
    reference: str = ""
    patience = 0

    def __post_init__(self) -> None:
        for part, (action, example) in PARTS.items():
            given = getattr(self, part)
            if isinstance(given, type) or not hasattr(given, action):
                raise InvalidInput(
                    f"{part} must be a {part} part such as {example}, got {given!r}."
                )
        for part, remedy in WITHOUT_SLOPES.items():
            given = getattr(self, part)
            if given.needs_tangent and not self.model.tangent:
                raise InvalidInput(
                    f"{type(given).__name__} needs slopes of f, which "
                    f"{type(self.model).__name__} does not give: use {remedy}."
                )
        if self.combination.toward and not isinstance(self.direction, ToAtom):
            raise InvalidInput(
                f"{type(self.combination).__name__} goes with Toward(): past iterates enter a "
                "step toward the atom only."
            )

        if self.step.looks_back and not self.combination.straight:
            raise InvalidInput(
                f"{type(self.step).__name__} looks back along the direction, which "
                f"{type(self.combination).__name__} leaves: use the combination Stay()."
            )

    @property
    def monotone(self) -> bool:
        """True if f never rises."""
        return self.step.monotone and self.combination.monotone

    def accepts(self, problem: Problem) -> str | None:
        """None if all parts can work on this problem; else the sentence of one that cannot."""
        try:
            self.memory(problem)
        except InvalidInput as refusal:
            return str(refusal)
        return None

    def init(self, problem: Problem, x0: Start = None) -> State[Memories]:
        """Make the state at the start, evaluated."""
        memory = self.memory(problem)
        return self.begin(problem, x0, memory, memory)

    def begin(self, problem: Problem, x0: Start, memory: Memories, whole: M) -> State[M]:
        """Make the state at the start with the parts' memories given; it keeps `whole`.

        `whole` is the memory of a method around this one, in which `memory` is contained.
        """
        x, active_set = self.direction.start(problem, x0, memory.direction)
        state = State(problem, x, whole, active_set)
        evaluate(state, self.model, self.oracle, memory.model, memory.oracle)
        return state

    def memory(self, problem: Problem) -> Memories:
        """Fresh memories of the five parts."""
        return Memories(*(getattr(self, name).memory(problem) for name in PARTS))

    def advance(self, state: State, memory: Memories | None = None) -> None:
        """Make one step: aim, choose a step size, move, then evaluate at the new point.

        The parts get their memories from `memory`, by default the state's own.
        """
        if memory is None:
            memory = state.memory
        room = state.iterate.make_room()
        if room is not Compression.NONE:
            state.cuts += room is Compression.TRUNCATED
            self.combination.room_made(state, room, memory.combination)
        self.direction.aim(state, memory.direction)
        gamma = self.step.size(state, state.limit_step(), memory.step)
        state.step = self.combination.move(state, gamma, memory.combination)
        self.direction.moved(state, state.step, memory.direction)
        state.k += 1
        if state.k % REFRESH == 0:
            state.iterate.refresh()
        evaluate(state, self.model, self.oracle, memory.model, memory.oracle)
        self.step.look(state, memory.step)  # the new gradient shows how good the step was


class OtherParts(TypedDict, total=False):
    """Parts of a method but its step rule, as keyword arguments."""

    model: AffineModel
    oracle: Oracle
    direction: Direction
    combination: Combination


def with_line_search(
    name: str, step: Step | None, reference: str, **parts: Unpack[OtherParts]
) -> FrankWolfe:
    """Assemble a method with an exact line search, or another step, which its name then says."""
    step = ExactLineSearch() if step is None else step
    name = name if isinstance(step, ExactLineSearch) else f"{name} ({describe(step)})"
    return FrankWolfe(step=step, name=name, reference=reference, **parts)
