"""How times to an accuracy are read from runs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

ACCURACIES = (1e-3, 1e-6, 1e-8)
SLACK = 1.01  # rounding in f; a target reached by one sum is reached by another


@dataclass(frozen=True)
class Run:
    """One whole run: its budget, its seconds, and (f - f*) / (f(x0) - f*) at its end."""

    budget: float
    seconds: float
    relative: float

    def reaches(self, accuracy: float) -> bool:
        """Whether the point is good enough; a point that is not a number never is."""
        return self.relative <= accuracy * SLACK

    def moved(self, drop: float) -> Run:
        """The same where f* is lower, by `drop` times f(x0) - f*."""
        return replace(self, relative=(self.relative + drop) / (1.0 + drop))


def label(accuracy: float) -> str:
    """The name of an accuracy in files and tables."""
    return f"{accuracy:.0e}"


def smallest(kind: str, runs: Iterable[Run], accuracy: float) -> Run | None:
    """The run with the smallest budget that reaches the accuracy.

    That is the fewest iterations, or the coarsest tolerance or target; not the least time, since
    a single time is noise.
    """
    good = [run for run in runs if run.reaches(accuracy)]
    sign = 1.0 if kind == "iterations" else -1.0
    return min(good, key=lambda run: sign * run.budget) if good else None


def median(times: Sequence[float | None]) -> float:
    """Of rounds, where one that missed (None) counts as endless; no round at all as well."""
    known = [math.inf if time is None else time for time in times]
    return statistics.median_low(known) if known else math.inf


def least(times: Sequence[float | None]) -> float:
    """The best round."""
    return min((time for time in times if time is not None), default=math.inf)


def geometric_mean(ratios: Sequence[float]) -> float:
    """Of positive numbers; not a number if there are none."""
    return math.exp(statistics.fmean(map(math.log, ratios))) if ratios else math.nan
