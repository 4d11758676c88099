"""Which radii are worth a try: from where something happens to where nothing more does.

Along growing radii the least loss v(R) is convex and falls, and -v'(R) is the price of the
constraint, the largest <-g, s> over the region of radius 1. So v falls by at most R times the
price at zero, and the price at R is at most v(0) / R. The first bound says below which radius
nothing happens, the second says that doubling ends.
"""

from __future__ import annotations

import math

import numpy as np

from frankwolfe.arrays import Array
from frankwolfe.sklearn.task import Settings, Task

__all__ = ["find_grid", "find_radius"]

SHARE = 0.01  # below the first radius the loss falls by less than this share
SLACK = 1e-3  # the share of its first price at which a constraint counts as slack
THUMB = 0.1  # the same where one radius is chosen by a rule of thumb
ROUGH = 1e-3  # gap at which prices are looked at


def find_grid(task: Task, settings: Settings, count: int) -> Array:
    """`count` radii in equal ratios, from where something happens to where nothing more does."""
    least, most = _ends(task, settings, SLACK)
    return np.geomspace(least, most, count) if most > least else np.array([least])


def find_radius(task: Task, settings: Settings) -> float:
    """The radius at which the price of the constraint has fallen to a tenth."""
    return _ends(task, settings, THUMB)[1]


def _ends(task: Task, settings: Settings, level: float) -> tuple[float, float]:
    """The first radius, and the one where the price is `level` times that at zero."""
    x: Array | None = None
    zero = np.zeros(task.objective.n, dtype=task.objective.dtype)
    price = first = task.price(zero)
    if not first > 1e-12:  # nothing in the region lowers the loss
        return 1.0, 1.0
    least = radius = before = SHARE / first
    rough = settings._replace(tol=max(settings.tol, ROUGH))
    for _ in range(math.ceil(-math.log2(SHARE * level)) + 1):
        last = price
        x = task.solve(radius, rough, x).x
        price = task.price(x)
        if price <= level * first:
            break
        before, radius = radius, 2.0 * radius
    return least, max(least, _between(before, radius, last / first, price / first, level))


def _between(before: float, radius: float, last: float, price: float, level: float) -> float:
    """The radius where the price is `level`, on a straight line of logarithms."""
    price = max(price, 0.1 * level)
    if not last > level >= price or before == radius:
        return radius
    share = math.log(last / level) / math.log(last / price)
    return before * (radius / before) ** share
