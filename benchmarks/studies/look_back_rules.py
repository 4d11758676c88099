"""Step rules that lost against `LookBack`, each with what it lacks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import frankwolfe as fw
from frankwolfe.base.memory import Memory
from frankwolfe.methods.parts import look_back_numbers as look_back
from frankwolfe.methods.parts.base import Step

__all__ = ["RULES"]


@dataclass(slots=True)
class _Notes(Memory):
    pace: float = 2.0
    curvature: float = 0.0
    length: float = 0.0


@dataclass(frozen=True)
class _Slopes(Step[_Notes]):
    """What the rules have in common: the slopes before and after a step."""

    monotone = False
    needs_tangent = True

    def memory(self, problem: fw.Problem) -> _Notes:
        return _Notes()

    def look(self, state: fw.core.State, memory: _Notes) -> None:
        if state.step > 0.0:
            self.learn(memory, state.step, state.descent, state.slope_behind())

    def learn(self, memory: _Notes, gamma: float, before: float, behind: float) -> None:
        raise NotImplementedError


@dataclass(frozen=True)
class Pace(_Slopes):
    """c/(k+2) with c multiplied by a power of the secant's multiplier, cut to [1/2, 2]."""

    power: float = 0.1
    low: float = 0.01
    high: float = 6.0

    def size(self, state: fw.core.State, largest: float, memory: _Notes) -> float:
        return min(largest, memory.pace / (state.k + 2.0))

    def learn(self, memory: _Notes, gamma: float, before: float, behind: float) -> None:
        difference = before + behind
        wanted = before / difference if difference > 0.0 else 2.0
        pace = memory.pace * min(max(wanted, 0.5), 2.0) ** self.power
        memory.pace = min(max(pace, self.low), self.high)


@dataclass(frozen=True)
class Short(_Slopes):
    """A short step with the curvature of the last directions, or that over |Ad|^2.

    Without `by_length` and with `forget` 0 it is the step of Barzilai and Borwein.
    """

    by_length: bool = False
    forget: float = 0.0
    high: float = math.inf
    first: float = 1.0

    def size(self, state: fw.core.State, largest: float, memory: _Notes) -> float:
        k, image = state.k, state.direction_image()
        memory.length = float(image.dot(image)) if self.by_length else 1.0
        curvature = memory.curvature * memory.length
        if k == 0:
            return min(largest, self.first)
        short = state.descent / curvature if curvature > 0.0 else 2.0 / (k + 2.0)
        return min(largest, short, self.high / (k + 2.0))

    def learn(self, memory: _Notes, gamma: float, before: float, behind: float) -> None:
        along = max(before + behind, 0.0) / gamma / max(memory.length, 1e-300)
        memory.curvature = max(along, self.forget * memory.curvature)


@dataclass(frozen=True)
class Unwatched(fw.steps.LookBack):
    """LookBack that takes every region for one with a curved boundary: it zigzags on faces."""

    def memory(self, problem):  # type: ignore[no-untyped-def]
        made = super().memory(problem)
        made.numbers[look_back.FACES] = made.numbers[look_back.OPEN] = 0.0
        return made


RULES: dict[str, Step] = {
    "c, power 0.1": Pace(),
    "c, power 0.1, c >= 2": Pace(low=2.0),
    "c, power 0.3": Pace(power=0.3),
    "c, power 0.5": Pace(power=0.5),
    "last curvature": Short(),
    "last curvature, c <= 4": Short(high=4.0),
    "largest curvature, fading": Short(forget=0.9, high=4.0),
    "last curvature over |Ad|^2": Short(by_length=True),
    "largest over |Ad|^2, fading": Short(by_length=True, forget=0.9),
    "the same, first step 0.001": Short(by_length=True, forget=0.9, first=1e-3),
    "LookBack, unwatched": Unwatched(),
}
