"""The question that each of the five parts answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from frankwolfe.base.memory import M, Memory
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.evaluate import Memoryless, Model, Oracle, Part
from frankwolfe.core.points import Compression
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State

__all__ = ["Combination", "Direction", "Memories", "Model", "Oracle", "Part", "Step", "StepRule"]


class Direction(Part[M], Protocol[M]):
    """Where do we move?"""

    needs_tangent: bool

    def start(self, problem: Problem, x0: Any, memory: M) -> tuple[Any, ActiveSet | None]:
        """The first point, in the region, and its atoms where the direction keeps them."""
        return problem.start(x0), None

    def aim(self, state: State, memory: M) -> None:
        """Set `state.direction`: the direction, its slope and image, and the largest step."""

    def moved(self, state: State, gamma: float, memory: M) -> None:
        """Follow a step of that size along the direction."""
        return


class Step(Part[M], Protocol[M]):
    """How far?"""

    monotone: bool
    needs_tangent: bool

    looks_back: bool = False
    """Whether it takes the last move for a step along the direction."""

    def size(self, state: State, largest: float, memory: M) -> float:
        """A step in [0, largest]."""

    def look(self, state: State, memory: M) -> None:
        """Learn from the evaluation after the step; `state.direction` is still that of the step."""
        return


@dataclass(frozen=True)
class StepRule(Memoryless, Step[Memory]):
    """A step rule without memory, for any model, under which f may rise."""

    monotone = False
    needs_tangent = False


class Combination(Part[M], Protocol[M]):
    """How do past iterates enter?"""

    toward: bool
    """Whether it needs the direction s - x."""

    monotone: bool
    """Whether f never rises, where the step's f does not."""

    straight: bool = True
    """Whether x moves along the direction alone."""

    def room_made(self, state: State, room: Compression, memory: M) -> None:
        """Follow the compression, or the cut, of a matrix's terms before this move."""
        return

    def move(self, state: State, gamma: float, memory: M) -> float:
        """Move the iterate; return the step that was really taken toward the atom."""


@dataclass(slots=True)
class Memories(Memory):
    """What each of the five parts of a method remembers."""

    model: Memory
    oracle: Memory
    direction: Memory
    step: Memory
    combination: Memory
