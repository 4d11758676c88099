"""Directions: where the iterate moves."""

from __future__ import annotations

from dataclasses import dataclass

from frankwolfe.memory import Memory
from frankwolfe.problem import Problem
from frankwolfe.state import State

__all__ = ["Toward"]


@dataclass(frozen=True)
class Toward:
    """Toward the atom: d = s - x, a step of at most 1."""

    def memory(self, problem: Problem) -> Memory:
        return Memory()

    def aim(self, state: State) -> None:
        state.head_for_atom()

    def moved(self, state: State, gamma: float) -> None:
        return None
