"""Relative gap (TSTT - SPTT) / TSTT of an assignment, and the stopping rule on it."""

from __future__ import annotations

from dataclasses import dataclass

from frankwolfe.core import State
from frankwolfe.solver import History, Status, Stop, Within

__all__ = ["RelativeExcess", "excess_share"]


def excess_share(state: State) -> float:
    """Relative gap (TSTT - SPTT) / TSTT at the current point; 0 where nobody travels."""
    return max(state.model_gap, 0.0) / state.above if state.above > 0.0 else 0.0


@dataclass(frozen=True)
class RelativeExcess(Within):
    """Stop when the relative gap (TSTT - SPTT) / TSTT is at most `tolerance`."""

    def check(self, state: State, history: History) -> Stop | None:
        share = excess_share(state)
        if not share <= self.tolerance:
            return None
        return Stop(Status.CONVERGED, f"relative gap {share:.2e} <= {self.tolerance:.2e}", True)
