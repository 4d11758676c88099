"""Where rounds stand: what one leaves to the next, and what checkpoints keep of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.memory import Memory, grouped
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.low_rank import pack_point
from frankwolfe.solver.result import Result

__all__ = ["Counts", "Course", "Watch", "packed_point"]

STILL = 0.9  # of the violation of the round before: then a far larger penalty
IDLE = 12  # rounds in which nothing has come nearer


@dataclass(slots=True)
class Counts(Memory):
    """Steps, evaluations and time of all runs together."""

    nit: int = 0
    nfev: int = 0
    njev: int = 0
    nlmo: int = 0
    seconds: float = 0.0

    def add(self, result: Result) -> None:
        """Add those of one run."""
        for part in fields(self):
            setattr(self, part.name, getattr(self, part.name) + getattr(result, part.name))

    def shown(self) -> dict[str, float]:
        """The numbers by their names in a result."""
        return {part.name: getattr(self, part.name) for part in fields(self)}


@dataclass(slots=True)
class Watch(Memory):
    """Whether rounds still come a tenth nearer, to a bound or to the constraints."""

    short: float = math.inf
    violated: float = math.inf
    rounds: int = 0  # since they did

    def idle(self, short: float, violated: float) -> bool:
        """Whether the last rounds have brought nothing."""
        self.rounds += 1
        if short < STILL * self.short or violated < STILL * self.violated:
            self.rounds = 0
            self.short, self.violated = min(short, self.short), min(violated, self.violated)
        return self.rounds >= IDLE


@dataclass(slots=True)
class Course(Memory):
    """What a round begins with.

    Attributes
    ----------
    multipliers : array
        y, a number for each row of the norm one.
    penalty, first, largest : float
        rho, that of the first round, and the largest that may follow.
    unit : float
        The size of a row over the region, or of its bounds: violations are relative to it.
    gap, fine : float
        The gap that is asked of the next run, and its least share of the gap asked for.
    change : float
        By how much the tangent at the start changes over the region.
    violated : float
        The largest violation after the round before.
    stuck, rounds, spent : int
        Rounds without a violation much smaller, rounds and steps so far.
    failure : float
        The probability that a bound is false.
    bound : float
        What is known of the least f.
    """

    multipliers: Array
    penalty: float
    first: float
    largest: float
    unit: float
    gap: float
    fine: float
    change: float
    violated: float = math.inf
    stuck: int = 0
    rounds: int = 0
    spent: int = 0
    failure: float = 0.0
    bound: float = -math.inf

    def check(self, rows: int) -> None:
        """Raise where these are no numbers that rounds of so many rows can have."""
        if self.multipliers.shape != (rows,) or not np.isfinite(self.multipliers).all():
            raise ValueError(f"multipliers must be {rows} finite numbers")
        sizes = self.penalty, self.first, self.largest, self.unit, self.gap, self.fine, self.change
        if not all(0.0 <= size < math.inf for size in sizes) or not self.penalty > 0.0:
            raise ValueError("penalties and gaps must be finite and >= 0")
        counts = self.stuck, self.rounds, self.spent
        if min(counts) < 0 or math.isnan(self.bound) or math.isnan(self.violated):
            raise ValueError("counts must be >= 0, and the bound a number")


def packed_point(name: str, given: Any) -> dict[str, Array]:
    """A point, or that of an active set, as arrays; none where there is none."""
    if given is None:
        return {}
    return grouped(name, pack_point(given.point() if isinstance(given, ActiveSet) else given))
