"""Oracles: how the region is asked."""

from __future__ import annotations

from dataclasses import dataclass

from frankwolfe.memory import Memory
from frankwolfe.parts.base import Model
from frankwolfe.problem import Problem
from frankwolfe.state import State

__all__ = ["Exact"]


@dataclass(frozen=True)
class Exact:
    """One call of the region's linear minimization oracle, as exact as the region makes it.

    Where the region bounds its error at a cost (singular values), it does so tightly with
    `calls_between` quick calls in between; there the gap rests on the last tight bound.
    """

    calls_between: int = 20

    def memory(self, problem: Problem) -> Memory:
        objective = problem.objective
        return problem.region.oracle_memory(objective.shape, objective.dtype)

    def ask(self, state: State, model: Model) -> tuple[float, float]:
        return state.ask(tangent=model.tangent, between=self.calls_between)
