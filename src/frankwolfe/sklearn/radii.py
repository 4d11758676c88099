"""Radii worth a try, from where the loss begins to fall to where the constraint is slack.

Along growing radii the least loss v(R) is convex and falls, and -v'(R) is the price of the
constraint, the largest <-g, s> over the region of radius 1. So v falls by at most R times the
price at zero, and the price at R is at most v(0) / R. The first bound says below which radius
nothing happens, the second says that growth ends.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.extmath import safe_sparse_dot

from frankwolfe.base.arrays import Array, Ints, Matrix
from frankwolfe.base.checks import at_least_one, finite_vector, number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.sklearn.task import HoldOutTask, Settings, Task

__all__ = ["find_grid", "find_radius", "part_numbers", "radii_for", "read_radius"]

FIRST_FALL = 0.01  # share of the loss by which it can have fallen at the first radius of a grid
FIRST_JUDGED_FALL = 0.1  # share by which it can have fallen at the first radius judged for "auto"
SLACK_PRICE_RATIO = 1e-3  # of the price at zero; a constraint with a lower price counts as slack
FALLBACK_PRICE_RATIO = 0.1  # of the price at zero, for "auto" where no observations can be held out
RADIUS_RATIO = 4.0  # of neighbouring radii in a search: a fit each, so coarse, and refined after
REFINEMENTS = 2  # evaluations between the last two radii of the search for a slack constraint
PRICE_GAP = 1e-3  # gap at which prices are evaluated; they only place the ends of a grid
JUDGING_GAP = 1e-4  # gap at which radii are judged, so also the difference that counts as a tie
MIN_CURVATURE = 100.0 * JUDGING_GAP  # of losses at three radii; below, a parabola fits the gaps
PATIENCE = 2  # radii in a row that are worse than the best, before the search ends
PARTS = 5  # of equal size, each a fifth of the rows
EQUAL_ROWS_TOL = 1e-9  # of the spread of the rows' projections; nearer rows count as one
MIN_ROWS = 10  # different rows; of fewer none is held out, for too few would be left
MAX_ROWS_ALL_PARTS = 500  # rows up to which all five parts are judged; beyond, two tell enough


def read_radius(task: Task, settings: Settings, radius: object) -> float:
    """Radius as given, or found if it is "auto"; 1 for a region object, which has its own size."""
    automatic = isinstance(radius, str) and radius == "auto"
    if task.fixed:
        if not automatic:
            raise InvalidInput(
                "radius goes with a region's name; this region has its own size: leave "
                'radius="auto".'
            )
        return 1.0
    return find_radius(task, settings) if automatic else number("radius", radius, above=0.0)


def radii_for(task: Task, settings: Settings, radii: int | ArrayLike) -> Array:
    """Radii of a path in growing order: those given, or a grid of as many as were asked for."""
    if task.fixed:
        raise InvalidInput(
            'a path needs a region\'s name, such as "l1": a region object has one size only.'
        )
    if isinstance(radii, int | np.integer):
        return find_grid(task, settings, at_least_one("radii", radii))
    values = np.sort(finite_vector("radii", radii)).astype(np.float64)
    if values[0] <= 0.0:
        raise InvalidInput(f"radii must be > 0, got {values[0]:g}.")
    return values


def find_grid(task: Task, settings: Settings, count: int) -> Array:
    """Grid of `count` radii in equal ratios, from a loss fallen by 1 % to a slack constraint."""
    least, most = _ends(task, settings, SLACK_PRICE_RATIO)
    return np.geomspace(least, most, count) if most > least else np.array([least])


def find_radius(task: Task, settings: Settings) -> float:
    """Radius with the least loss on parts held out.

    It is searched in ratios of four until two radii are worse or the constraint is slack, then in
    ratios of two, and between these by a parabola. Where nothing can be held out, it is the radius
    at which the price of the constraint has fallen to a tenth.
    """
    parts = task.parts() if task.parts is not None else []
    if not parts:
        return _ends(task, settings, FALLBACK_PRICE_RATIO)[1]
    sample = task.sample() if task.sample is not None else task
    first = sample.price(np.zeros(task.objective.n, dtype=task.objective.dtype))
    if not first > sample.rounding():  # nothing in the region lowers the loss
        return 1.0
    judged = _Judged(parts, settings._replace(tol=max(settings.tol, JUDGING_GAP)))
    best, worse, radius = FIRST_JUDGED_FALL / first, 0, FIRST_JUDGED_FALL / first
    for _ in range(math.ceil(-math.log(FIRST_JUDGED_FALL * SLACK_PRICE_RATIO, RADIUS_RATIO)) + 1):
        better = judged.loss(radius) < judged.loss(best) - JUDGING_GAP
        best, worse = (radius, 0) if better or radius == best else (best, worse + 1)
        if worse == PATIENCE or judged.price(radius) <= SLACK_PRICE_RATIO * first:
            break
        radius *= RADIUS_RATIO
    half = math.sqrt(RADIUS_RATIO)
    # of losses that tie within their gaps the smallest radius: next() takes the first
    near = best / half, best, best * half
    least = min(judged.loss(radius) for radius in near)
    best = next(radius for radius in near if judged.loss(radius) <= least + JUDGING_GAP)
    low, middle, high = (judged.loss(radius) for radius in (best / half, best, best * half))
    curvature = low - 2.0 * middle + high
    if curvature <= MIN_CURVATURE:
        return best
    share = 0.5 * (low - high) / curvature  # of the parabola's lowest point, in steps
    return float(best * half ** min(max(share, -0.5), 0.5))


class _Judged:
    """Losses on the parts held out, by radius; each fit starts from that of the nearest radius."""

    def __init__(self, parts: list[HoldOutTask], settings: Settings) -> None:
        self.parts, self.settings = parts, settings
        self._fits: dict[float, list[Array]] = {}
        self._losses: dict[float, float] = {}

    def loss(self, radius: float) -> float:
        """Mean over the parts of the loss held out, at a radius."""
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
        """Largest price of the constraint among the parts; `loss` was called at this radius."""
        fits = zip(self.parts, self._fits[radius], strict=True)
        return max(part.task.price(x) for part, x in fits)


def _ends(task: Task, settings: Settings, level: float) -> tuple[float, float]:
    """First radius of a grid, and the radius where the price is `level` times that at zero."""
    task = task.sample() if task.sample is not None else task
    x = np.zeros(task.objective.n, dtype=task.objective.dtype)
    first = task.price(x)
    if not first > task.rounding():  # nothing in the region lowers the loss
        return 1.0, 1.0
    rough = settings._replace(tol=max(settings.tol, PRICE_GAP))
    least = FIRST_FALL / first
    low = high = _Price(least, 1.0, x)
    for _ in range(math.ceil(-math.log(FIRST_FALL * level, RADIUS_RATIO)) + 1):
        low, high = high, _price_at(task, RADIUS_RATIO * high.radius, rough, high.x, first)
        if high.price <= level:
            break
    for _ in range(REFINEMENTS):
        middle = _price_at(task, _between(low, high, level), rough, low.x, first)
        low, high = (low, middle) if middle.price <= level else (middle, high)
    return least, max(least, _between(low, high, level))


class _Price(NamedTuple):
    """Price of the constraint at a radius, over that at zero, and the coefficients there."""

    radius: float
    price: float
    x: Array


def _price_at(task: Task, radius: float, settings: Settings, start: Array, first: float) -> _Price:
    x = task.solve(radius, settings, start).x
    return _Price(radius, task.price(x) / first, x)


def _between(low: _Price, high: _Price, level: float) -> float:
    """Radius where the price is `level`, by log-log interpolation between two radii."""
    price = max(high.price, 0.1 * level)  # it may be zero
    if not low.price > level >= price:
        return high.radius
    share = math.log(low.price / level) / math.log(low.price / price)
    return float(low.radius * (high.radius / low.radius) ** share)


def part_numbers(X: Matrix, strata: Ints) -> tuple[Ints, int]:
    """Part number of each row, and how many of the parts are to be held out, one after the other.

    Rows of one stratum come in equal shares. Equal rows come together, so that weights are as good
    as repeated rows, and neither order nor units change anything: rows are counted along one
    direction. Of a stratum with one row none is held out (-1).

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.sklearn.radii import part_numbers
    >>> X = np.repeat(np.arange(10.0), 2)[:, None]
    >>> part_numbers(X, np.zeros(20, dtype=np.int64))
    (array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4]), 5)
    """
    # a positive random direction: different rows have different projections, almost surely, and a
    # change of order or unit keeps equal rows together
    direction = np.random.default_rng(0).uniform(0.5, 1.5, X.shape[1]).astype(X.dtype)
    place = np.asarray(safe_sparse_dot(X, direction), dtype=np.float64)
    order = np.lexsort((place, strata))
    apart = np.diff(place[order]) > EQUAL_ROWS_TOL * np.ptp(place)
    new = np.concatenate([[True], apart | (np.diff(strata[order]) != 0)])
    row = np.empty(order.size, dtype=np.int64)
    row[order] = np.cumsum(new) - 1
    count = int(new.sum())
    if count < MIN_ROWS:
        return np.full(order.size, -1), 0
    alone = np.bincount(strata[order][new])[strata] == 1
    return np.where(alone, -1, row % PARTS), PARTS if count <= MAX_ROWS_ALL_PARTS else 2
