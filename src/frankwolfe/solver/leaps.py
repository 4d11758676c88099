"""Steps of known size where the objective makes one pass of the image of an atom and a gradient.

As the plain path takes them, up to rounding: `FrankWolfe.advance` reads the data twice.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

from frankwolfe.core.atoms import Dense
from frankwolfe.core.problem import Problem
from frankwolfe.methods.base import REFRESH, Method
from frankwolfe.methods.frank_wolfe import FrankWolfe
from frankwolfe.methods.parts.combinations import Stay
from frankwolfe.methods.parts.directions import Toward
from frankwolfe.methods.parts.models import Tangent
from frankwolfe.methods.parts.oracles import Exact
from frankwolfe.methods.parts.steps import KnownStep
from frankwolfe.solver.run import Run
from frankwolfe.solver.stopping import Alarm

__all__ = ["Leaps", "takes_leaps"]

PARTS = {"model": Tangent, "oracle": Exact, "direction": Toward, "combination": Stay}


def takes_leaps(method: Method, problem: Problem) -> bool:
    """Whether the steps are known beforehand, toward atoms that are stored in full."""
    if type(method) is not FrankWolfe or problem.region.sparse_atoms:
        return False
    plain = all(type(getattr(method, name)) is kind for name, kind in PARTS.items())
    return plain and isinstance(method.step, KnownStep)


class Leaps:
    """The steps of one run, each one pass."""

    def __init__(self, method: Any) -> None:
        self._method = method

    def takes(self, state: Any) -> bool:
        """Whether the next step is one of these; the image is made anew by the plain path."""
        return isinstance(state.atom, Dense) and (state.k + 1) % REFRESH != 0

    def advance(self, run: Run, alarm: Alarm) -> None:
        """One step and its evaluation."""
        state, began = run.state, perf_counter()
        gamma = min(1.0, float(self._method.step.at(state.k)))
        state.leap(gamma)
        state.step = gamma
        state.k += 1
        state.certify(*self._method.oracle.ask(state, self._method.model, state.memory.oracle))
        state.seconds += perf_counter() - began
