"""Which radii are worth a try: from where something happens to where nothing more does.

Along growing radii the least loss v(R) is convex and falls, and -v'(R) is the price of the
constraint, the largest <-g, s> over the region of radius 1. So v falls by at most R times the
price at zero, and the price at R is at most v(0) / R. The first bound says below which radius
nothing happens, the second says that growth ends.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.sklearn.task import Part, Settings, Task

__all__ = ["find_grid", "find_radius"]

SHARE = 0.01  # below the first radius the loss falls by less than this share
START = 0.1  # the same for the first radius that is judged
SLACK = 1e-3  # the share of its first price at which a constraint counts as slack
THUMB = 0.1  # the same where observations are too few to hold some out
STEP = 4.0  # ratio of radii at which prices are evaluated
REFINE = 2  # evaluations between the last two of these
ROUGH = 1e-3  # gap at which prices are evaluated
FINE = 1e-4  # gap at which radii are judged
FLAT = 100.0 * FINE  # bend of the losses at three radii from which a parabola tells something
PAST = 2  # radii in a row that are worse than the best, after which it is found


def find_grid(task: Task, settings: Settings, count: int) -> Array:
    """`count` radii in equal ratios, from where something happens to where nothing more does."""
    least, most = _ends(task, settings, SLACK)
    return np.geomspace(least, most, count) if most > least else np.array([least])


def find_radius(task: Task, settings: Settings) -> float:
    """The radius with the least loss on parts held out.

    In steps of four until two are worse or the constraint is slack, then in steps of two, and
    between these by a parabola. Where there is nothing to hold out: that at which the price of
    the constraint is a tenth.
    """
    parts = task.parts() if task.parts is not None else []
    if not parts:
        return _ends(task, settings, THUMB)[1]
    sample = task.sample() if task.sample is not None else task
    first = sample.price(np.zeros(task.objective.n, dtype=task.objective.dtype))
    if not first > sample.rounding():  # nothing in the region lowers the loss
        return 1.0
    judged = _Judged(parts, settings._replace(tol=max(settings.tol, FINE)))
    best, worse, radius = START / first, 0, START / first
    for _ in range(math.ceil(-math.log(START * SLACK, STEP)) + 1):
        better = judged.loss(radius) < judged.loss(best) - FINE
        best, worse = (radius, 0) if better or radius == best else (best, worse + 1)
        if worse == PAST or judged.price(radius) <= SLACK * first:
            break
        radius *= STEP
    half = math.sqrt(STEP)
    near = best / half, best, best * half
    least = min(judged.loss(radius) for radius in near)
    best = next(radius for radius in near if judged.loss(radius) <= least + FINE)
    low, middle, high = (judged.loss(radius) for radius in (best / half, best, best * half))
    bend = low - 2.0 * middle + high
    if bend <= FLAT:
        return best
    share = 0.5 * (low - high) / bend  # of the parabola's lowest point, in steps
    return float(best * half ** min(max(share, -0.5), 0.5))


class _Judged:
    """Losses on the parts held out, by radius; each fit begins at that of the nearest radius."""

    def __init__(self, parts: list[Part], settings: Settings) -> None:
        self.parts, self.settings = parts, settings
        self._fits: dict[float, list[Array]] = {}
        self._losses: dict[float, float] = {}

    def loss(self, radius: float) -> float:
        """The mean over the parts."""
        if radius not in self._losses:
            near = min(self._fits, key=lambda other: abs(math.log(other / radius)), default=None)
            starts = [None] * len(self.parts) if near is None else self._fits[near]
            fits = [
                part.task.solve(radius, self.settings, start).x
                for part, start in zip(self.parts, starts, strict=True)
            ]
            losses = [part.judge(x) for part, x in zip(self.parts, fits, strict=True)]
            self._fits[radius], self._losses[radius] = fits, float(np.mean(losses))
        return self._losses[radius]

    def price(self, radius: float) -> float:
        """The largest price of the constraint among the parts."""
        fits = zip(self.parts, self._fits[radius], strict=True)
        return max(part.task.price(x) for part, x in fits)


def _ends(task: Task, settings: Settings, level: float) -> tuple[float, float]:
    """The first radius, and the one where the price is `level` times that at zero."""
    task = task.sample() if task.sample is not None else task
    x = np.zeros(task.objective.n, dtype=task.objective.dtype)
    first = task.price(x)
    if not first > task.rounding():  # nothing in the region lowers the loss
        return 1.0, 1.0
    rough = settings._replace(tol=max(settings.tol, ROUGH))
    least = SHARE / first
    low = high = _Price(least, 1.0, x)
    for _ in range(math.ceil(-math.log(SHARE * level, STEP)) + 1):
        low, high = high, _price_at(task, STEP * high.radius, rough, high.x, first)
        if high.price <= level:
            break
    for _ in range(REFINE):
        middle = _price_at(task, _between(low, high, level), rough, low.x, first)
        low, high = (low, middle) if middle.price <= level else (middle, high)
    return least, max(least, _between(low, high, level))


class _Price(NamedTuple):
    """The price at a radius, over that at zero, and the coefficients there."""

    radius: float
    price: float
    x: Array


def _price_at(task: Task, radius: float, settings: Settings, start: Array, first: float) -> _Price:
    x = task.solve(radius, settings, start).x
    return _Price(radius, task.price(x) / first, x)


def _between(low: _Price, high: _Price, level: float) -> float:
    """The radius where the price is `level`, on a straight line of logarithms."""
    price = max(high.price, 0.1 * level)  # it may be zero
    if not low.price > level >= price:
        return high.radius
    share = math.log(low.price / level) / math.log(low.price / price)
    return float(low.radius * (high.radius / low.radius) ** share)
