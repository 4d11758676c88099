"""A step rule, and a method that uses it."""

from __future__ import annotations

from dataclasses import dataclass

from frankwolfe.methods.assembled import FrankWolfe
from frankwolfe.methods.parts.base import StepRule

__all__ = ["SlowOpen", "slow_frank_wolfe"]


@dataclass(frozen=True)
class SlowOpen(StepRule):
    """The step 3 / (k + 4)."""

    def size(self, state, largest, memory):
        return min(3.0 / (state.k + 4.0), largest)


def slow_frank_wolfe():
    """Frank-Wolfe with that step."""
    return FrankWolfe(step=SlowOpen(), name="slow")
