"""Steps of known size whose image and gradient are made in one pass over the data.

They agree with `FrankWolfe.advance`, which reads the data twice, up to rounding.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, TypeGuard

from frankwolfe.core.atoms import Dense
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.assembled import FrankWolfe
from frankwolfe.methods.base import REFRESH, Method
from frankwolfe.methods.parts.combinations import Stay
from frankwolfe.methods.parts.directions import Toward
from frankwolfe.methods.parts.models import Tangent
from frankwolfe.methods.parts.oracles import Exact
from frankwolfe.methods.parts.steps import KnownStep
from frankwolfe.solver.run import Run
from frankwolfe.solver.stopping import Alarm

__all__ = ["Leaps", "takes_leaps"]

PARTS = {"model": Tangent, "oracle": Exact, "direction": Toward, "combination": Stay}


def takes_leaps(method: Method, problem: Problem) -> TypeGuard[FrankWolfe]:
    """True if step sizes are known beforehand and atoms are stored in full."""
    if type(method) is not FrankWolfe or problem.region.sparse_atoms:
        return False
    plain = all(type(getattr(method, name)) is kind for name, kind in PARTS.items())
    return plain and isinstance(method.step, KnownStep)


class Leaps:
    """The steps of one run, each in one pass over the data."""

    def __init__(self, method: FrankWolfe) -> None:
        self._method = method
        self._step: Any = method.step  # a KnownStep, as `takes_leaps` has seen

    def takes(self, state: State) -> bool:
        """True if the next step can be a leap; every REFRESH-th recomputes the image instead."""
        return isinstance(state.atom, Dense) and (state.k + 1) % REFRESH != 0

    def advance(self, run: Run, alarm: Alarm) -> None:
        """Make one step and evaluate there."""
        state, began = run.state, perf_counter()
        gamma = min(1.0, float(self._step.at(state.k)))
        state.leap(gamma)
        state.step = gamma
        state.k += 1
        state.certify(*self._method.oracle.ask(state, self._method.model, state.memory.oracle))
        state.seconds += perf_counter() - began
