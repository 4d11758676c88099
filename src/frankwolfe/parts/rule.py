"""What step rules have in common."""

from __future__ import annotations

from dataclasses import dataclass

from frankwolfe.memory import Memory
from frankwolfe.problem import Problem

__all__ = ["Rule"]


@dataclass(frozen=True)
class Rule:
    """A step rule without memory, for any model, under which f may rise."""

    monotone = False
    needs_tangent = False

    def memory(self, problem: Problem) -> Memory:
        return Memory()
