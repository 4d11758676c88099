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

from frankwolfe.numerics.arrays import Array
from frankwolfe.sklearn.task import Settings, Task

__all__ = ["find_grid", "find_radius"]

SHARE = 0.01  # below the first radius the loss falls by less than this share
SLACK = 1e-3  # the share of its first price at which a constraint counts as slack
THUMB = 0.1  # the same where one radius is chosen by a rule of thumb
STEP = 4.0  # ratio of radii at which prices are evaluated
REFINE = 2  # evaluations between the last two of these
ROUGH = 1e-3  # gap at which prices are evaluated


def find_grid(task: Task, settings: Settings, count: int) -> Array:
    """`count` radii in equal ratios, from where something happens to where nothing more does."""
    least, most = _ends(task, settings, SLACK)
    return np.geomspace(least, most, count) if most > least else np.array([least])


def find_radius(task: Task, settings: Settings) -> float:
    """The radius at which the price of the constraint has fallen to a tenth."""
    return _ends(task, settings, THUMB)[1]


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
