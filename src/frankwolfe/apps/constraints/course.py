"""The state that rounds pass on from one to the next, and that checkpoints keep."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from frankwolfe.apps.constraints.formulation import RoundOutcome
from frankwolfe.apps.constraints.policy import POLICY
from frankwolfe.base import Array, Memory, Point, grouped
from frankwolfe.core import ActiveSet, pack_point
from frankwolfe.solver import Result, Status

__all__ = ["Counts", "Course", "Watch", "packed_point"]


@dataclass(slots=True)
class Counts(Memory):
    """Steps, evaluations and time of all runs together."""

    nit: int = 0
    nfev: int = 0
    njev: int = 0
    nlmo: int = 0
    seconds: float = 0.0

    def add(self, result: Result) -> None:
        """Add the counts of one run."""
        for part in fields(self):
            setattr(self, part.name, getattr(self, part.name) + getattr(result, part.name))


@dataclass(slots=True)
class Watch(Memory):
    """Progress of rounds: the best optimality and feasibility so far, and rounds since then."""

    short: float = math.inf
    violated: float = math.inf
    rounds: int = 0  # since they did

    def idle(self, short: float, violated: float) -> bool:
        """True if the last `max_idle_rounds` rounds came hardly nearer to either."""
        self.rounds += 1
        if short < POLICY.slow * self.short or violated < POLICY.slow * self.violated:
            self.rounds = 0
            self.short, self.violated = min(short, self.short), min(violated, self.violated)
        return self.rounds >= POLICY.max_idle_rounds


@dataclass(slots=True)
class Course(Memory):
    """The state with which a round begins.

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
        Lower bound on f under the constraints.
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

    def small_gap(self, seen: RoundOutcome) -> float:
        """Gap of a round's run up to which its violation may be due to the penalty."""
        cost = self.penalty * float(seen.off @ seen.off)
        return max(POLICY.penalty_gap * cost, POLICY.final_gap * seen.wanted)

    def advance(self, seen: RoundOutcome, *, penalty_shows: bool) -> None:
        """Go on to the next round, with the multipliers of this one.

        The penalty is raised only where a violation that stays `penalty_shows`, and not the run.
        """
        if seen.violated > POLICY.violation_decrease * self.violated and not seen.feasible:
            if penalty_shows:
                slow = seen.violated <= POLICY.slow * self.violated
                factor = POLICY.penalty_increase if slow else POLICY.penalty_increase**2
                self.penalty = min(factor * self.penalty, self.largest)
            elif seen.result.status is Status.STALLED and self.penalty > self.first:
                # rounding of so large a penalty hides f: go back, and never there again
                self.largest = self.penalty
                self.penalty /= POLICY.penalty_increase
        self.violated, self.multipliers = seen.violated, seen.multipliers
        if not seen.result.nit:  # x did not move: the tolerance of the run was too loose
            self.fine *= POLICY.gap_decrease
        self.gap = max(POLICY.gap_decrease * self.gap, self.fine * seen.wanted)

    def check(self, rows: int) -> None:
        """Raise if rounds with so many rows cannot have these numbers."""
        if self.multipliers.shape != (rows,) or not np.isfinite(self.multipliers).all():
            raise ValueError(f"multipliers must be {rows} finite numbers")
        sizes = self.penalty, self.first, self.largest, self.unit, self.gap, self.fine, self.change
        if not all(0.0 <= size < math.inf for size in sizes) or not self.penalty > 0.0:
            raise ValueError("penalties and gaps must be finite and >= 0")
        counts = self.stuck, self.rounds, self.spent
        if min(counts) < 0 or math.isnan(self.bound) or math.isnan(self.violated):
            raise ValueError("counts must be >= 0, and the bound a number")


def packed_point(name: str, given: Point) -> dict[str, Array]:
    """A point, or that of an active set, as named arrays; empty for None."""
    if given is None:
        return {}
    return grouped(name, pack_point(given.point() if isinstance(given, ActiveSet) else given))
