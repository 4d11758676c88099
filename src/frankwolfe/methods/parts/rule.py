"""What step rules have in common."""

from __future__ import annotations

from dataclasses import dataclass

from frankwolfe.core.problem import Problem
from frankwolfe.methods.parts.base import Step
from frankwolfe.numerics.memory import Memory

__all__ = ["Rule"]


@dataclass(frozen=True)
class Rule(Step[Memory]):
    """A step rule without memory, for any model, under which f may rise."""

    monotone = False
    needs_tangent = False

    def memory(self, problem: Problem) -> Memory:
        return Memory()
