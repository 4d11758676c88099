"""A method is five parts; this is the only class that puts them together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.memory import M
from frankwolfe.core.evaluate import evaluate
from frankwolfe.core.points import Compression
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.base import REFRESH, Named
from frankwolfe.methods.parts.base import Combination, Direction, Memories, Model, Oracle, Step
from frankwolfe.methods.parts.combinations import Stay
from frankwolfe.methods.parts.directions import ToAtom, Toward
from frankwolfe.methods.parts.models import Tangent
from frankwolfe.methods.parts.oracles import Exact
from frankwolfe.methods.parts.steps import ExactLineSearch, OpenLoop, describe

__all__ = ["FrankWolfe", "with_line_search"]

PARTS = {  # the five parts: what each can do, and an example
    "model": ("update", "Tangent()"),
    "oracle": ("ask", "Exact()"),
    "direction": ("aim", "Toward()"),
    "step": ("size", "OpenLoop(2)"),
    "combination": ("move", "Stay()"),
}
WITHOUT_SLOPES = {  # what goes with a model that is not the tangent
    "step": "ExactLineSearch() or OpenLoop()",
    "direction": "Toward(), or the model Tangent()",
    "oracle": "Exact()",
}


@dataclass(frozen=True)
class FrankWolfe(Named):
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
        """Whether f never rises."""
        return self.step.monotone and self.combination.monotone

    def accepts(self, problem: Problem) -> str | None:
        """None, or why one of the parts cannot work on this problem."""
        try:
            self.memory(problem)
        except InvalidInput as refusal:
            return str(refusal)
        return None

    def init(self, problem: Problem, x0: Any = None) -> State[Memories]:
        """The state at the start, evaluated."""
        memory = self.memory(problem)
        return self.begin(problem, x0, memory, memory)

    def begin(self, problem: Problem, x0: Any, memory: Memories, whole: M) -> State[M]:
        """The same, with the parts' memories given; the state keeps `whole`, which has them."""
        x, active_set = self.direction.start(problem, x0, memory.direction)
        state = State(problem, x, whole, active_set)
        evaluate(state, self.model, self.oracle, memory.model, memory.oracle)
        return state

    def memory(self, problem: Problem) -> Memories:
        """Fresh memory of every part."""
        return Memories(*(getattr(self, name).memory(problem) for name in PARTS))

    def advance(self, state: State, memory: Memories | None = None) -> None:
        """One step: move, then evaluate.

        The parts get what is theirs of `memory`, which is the state's own unless it is given.
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
        self.step.look(state, memory.step)


def with_line_search(name: str, step: Step | None, reference: str, **parts: Any) -> FrankWolfe:
    """A method with an exact line search, or with another step, which its name then says."""
    step = ExactLineSearch() if step is None else step
    name = name if isinstance(step, ExactLineSearch) else f"{name} ({describe(step)})"
    return FrankWolfe(step=step, name=name, reference=reference, **parts)
