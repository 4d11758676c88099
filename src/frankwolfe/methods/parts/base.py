"""Protocols of the five parts of a method; model and oracle are those of `core.evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from frankwolfe.base.arrays import Point
from frankwolfe.base.memory import M, Memory
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.evaluate import AffineModel, Memoryless, MethodPart, Oracle
from frankwolfe.core.points import Compression
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.state import State

__all__ = [
    "AffineModel",
    "Combination",
    "Direction",
    "Memories",
    "MethodPart",
    "Oracle",
    "Step",
    "StepRule",
]


class Direction(MethodPart[M], Protocol[M]):
    """The direction d in which the iterate moves."""

    needs_tangent: bool
    """True if it works with the tangent at x only: it compares slopes of f."""

    def start(self, problem: Problem, x0: Start, memory: M) -> tuple[Point, ActiveSet | None]:
        """First point, in the region, and its atoms where the direction keeps them."""
        return problem.start(x0), None

    def aim(self, state: State, memory: M) -> None:
        """Set `state.direction`: d with its slope <g, d>, its image A d and the largest step."""

    def moved(self, state: State, gamma: float, memory: M) -> None:
        """Update the memory after a step of size `gamma` along the direction."""
        return


class Step(MethodPart[M], Protocol[M]):
    """The step rule: how far to go along the direction."""

    monotone: bool
    """True if f never rises."""

    needs_tangent: bool
    """True if it takes <g, d> for the slope of f."""

    looks_back: bool = False
    """True if it takes the last move for a step along the direction."""

    def size(self, state: State, largest: float, memory: M) -> float:
        """Step size in [0, largest]."""

    def look(self, state: State, memory: M) -> None:
        """Learn from the evaluation after the step, of which `state.direction` still is."""
        return


@dataclass(frozen=True)
class StepRule(Memoryless, Step[Memory]):
    """Base of step rules without memory, for any model; f may rise unless they say otherwise."""

    monotone = False
    needs_tangent = False


class Combination(MethodPart[M], Protocol[M]):
    """The combination of the step with past iterates (momentum, Jacobi recursion)."""

    toward: bool
    """True if it needs the direction s - x."""

    monotone: bool
    """True if it never raises f when the step rule does not."""

    straight: bool = True
    """True if x moves along the direction alone."""

    def room_made(self, state: State, room: Compression, memory: M) -> None:
        """Follow the compression, or the cut in rank, of a matrix x before this move."""
        return

    def move(self, state: State, gamma: float, memory: M) -> float:
        """Move the iterate; return the step that was taken along the direction."""


@dataclass(slots=True)
class Memories(Memory):
    """Memories of the five parts of a method."""

    model: Memory
    oracle: Memory
    direction: Memory
    step: Memory
    combination: Memory
