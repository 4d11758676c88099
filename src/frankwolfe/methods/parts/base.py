"""What each of the five parts answers."""

from __future__ import annotations

from typing import Any, Protocol

from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.numerics.memory import Memory
from frankwolfe.numerics.points import Room

__all__ = ["Combination", "Direction", "Model", "Oracle", "Step"]


class Part(Protocol):
    """A frozen choice; what it remembers between steps is in the state, not in it."""

    def memory(self, problem: Problem) -> Memory:
        """Fresh memory for a run, after checking that the problem offers what is needed."""


class Model(Part, Protocol):
    """Which affine model of f do we minimize?"""

    tangent: bool
    """Whether the model is the tangent at x, so that its gap is the slope of f."""

    def update(self, state: State) -> None:
        """Set `state.value`, `state.gradient` and `state.above` at the current point."""


class Oracle(Part, Protocol):
    """How do we ask the region?"""

    needs_tangent: bool

    def ask(self, state: State, model: Model) -> tuple[float, float]:
        """Set `state.atom`; return <g, s>, and how far above the minimum that may be.

        An infinite distance says that nothing new is known about the minimum.
        """


class Direction(Part, Protocol):
    """Where do we move?"""

    needs_tangent: bool

    def start(self, problem: Problem, x0: Any, memory: Memory) -> Any:
        """The first point, in the region."""

    def aim(self, state: State) -> None:
        """Set `state.heading`: the direction, its slope and image, and the largest step."""

    def moved(self, state: State, gamma: float) -> None:
        """A step of that size was made along the heading."""


class Step(Part, Protocol):
    """How far?"""

    monotone: bool
    needs_tangent: bool

    def size(self, state: State, largest: float) -> float:
        """A step in [0, largest]."""


class Combination(Part, Protocol):
    """How do past iterates enter?"""

    toward: bool
    """Whether it needs the direction s - x."""

    monotone: bool
    """Whether f never rises, where the step's f does not."""

    def room_made(self, state: State, room: Room) -> None:
        """The list of a matrix's terms was compressed, or cut, before this move."""

    def move(self, state: State, gamma: float) -> float:
        """Move the iterate; return the step that was really taken toward the atom."""
