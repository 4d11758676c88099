"""A convex quadratic over a box with bounds on the sum of the entries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.subproblems.kernels import summed
from frankwolfe.subproblems.kernels import water_filling as fill

__all__ = ["Summed", "candidates", "minimize_over_sum", "movable", "part_of", "price"]

MAX_PIVOTS_PER_VARIABLE = 20  # of the active-set method
MAX_WORK = 1e9  # operations of all pivots, about; the caller goes on from the best point
GAP_ROUNDING = 2.0**-54  # of |c| times the widths: a smaller gap is rounding
ON_BOUND = 1e-12  # relative: a sum this close to its bound is on it
RIDGE = 1e-12  # of the unit curvature to which H is scaled: it holds back flat directions


@dataclass(frozen=True)
class Summed:
    """The set of y with lower <= y <= upper and least <= sum(y) <= most, all of them finite."""

    lower: Array
    upper: Array
    least: float
    most: float

    def gap(self, r: Array, x: Array) -> float:
        """Gap <r, x> - min <r, y> over the set."""
        at = self.price(r)
        away = r - at
        over = np.where(away > 0.0, away * (x - self.lower), away * (x - self.upper)).sum()
        total = float(x.sum())
        left = at * (total - (self.most if at < 0.0 else self.least)) if at != 0.0 else 0.0
        return float(over) + left

    def minimize(self, H: Array, c: Array, x: Array, tolerance: float) -> Array:
        """Minimizer of y'Hy/2 + c'y over the set, from x."""
        return minimize_over_sum(H, c, self, x, tolerance)

    def price(self, r: Array) -> float:
        """Multiplier of the sum at the minimum of <r, y>; zero where no bound on it is active."""
        return price(r, self.lower, self.upper, self.least, self.most)

    def nearest(self, p: Array) -> Array:
        """Projection of p onto the set.

        Examples
        --------
        >>> import numpy as np
        >>> from frankwolfe.subproblems.quadratics.summed import Summed
        >>> part = Summed(np.zeros(3), np.ones(3), 1.0, 1.0)
        >>> part.nearest(np.array([0.6, 0.3, -0.4]))
        array([0.65, 0.35, 0.  ])
        """
        y = np.clip(p, self.lower, self.upper)
        total = float(y.sum())
        if self.least <= total <= self.most:
            return y
        goal = self.most if total > self.most else self.least
        if abs(total - goal) > ON_BOUND * float(np.abs(y).sum()):
            width = self.upper - self.lower
            above = min(max(goal - float(self.lower.sum()), 0.0), float(width.sum()))
            fill.pour(p - self.lower, np.ones(p.size), width, above, y)
            y = np.clip(self.lower + y, self.lower, self.upper)
        return self._filled(y, goal)

    def _filled(self, y: Array, goal: float) -> Array:
        """y with sum `goal`: the rounding error of the sum goes to entries off their bounds.

        Those on a bound stay there, where a projection would lift all of them by rounding.
        """
        off = goal - float(y.sum())
        room = (self.upper - y) if off > 0.0 else (y - self.lower)
        room = np.where((y > self.lower) & (y < self.upper), room, 0.0)
        space = float(room.sum())
        return y + off * (room / space) if space > abs(off) else y


def part_of(x: Array, places: Indices, upper: Array, least: float, most: float) -> Summed:
    """Set of the entries x[places] between 0 and `upper` while the others stay fixed.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.quadratics.summed import part_of
    >>> part_of(np.array([0.5, 0.25, 0.25]), np.array([0, 2]), np.ones(3), 1.0, 1.0).most
    0.75
    """
    others = float(x.sum(dtype=np.float64)) - float(x[places].sum(dtype=np.float64))
    return Summed(np.zeros(places.size), upper[places], least - others, most - others)


def price(r: Array, lower: Array, upper: Array, least: float, most: float) -> float:
    """Multiplier of the sum at the minimum of <r, y>: zero where no bound on it is active.

    Entries with r below it are at their upper bound, entries above it at their lower one.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.quadratics.summed import price
    >>> price(np.array([3.0, 1.0, 2.0]), np.zeros(3), np.ones(3), 2.0, 2.0)
    2.5
    """
    free = float(np.where(r < 0.0, upper, lower).sum())
    if least <= free <= most:
        return 0.0
    order = np.argsort(r, kind="stable")
    sums = float(lower.sum()) + np.cumsum((upper - lower)[order])
    goal = most if free > most else least
    at = min(int(np.searchsorted(sums, goal - ON_BOUND * abs(goal))), r.size - 1)
    # where the last entry is quite full any price up to the next r will do: the middle is safest
    whole = at + 1 < r.size and sums[at] <= goal + ON_BOUND * abs(goal)
    return float(0.5 * (r[order[at]] + r[order[at + 1]]) if whole else r[order[at]])


def candidates(
    x: Array, g: Array, upper: Array, sums: tuple[float, float], count: int, most: int
) -> Indices:
    """Entries of x off their bounds, and the best of those that the gradient moves off one."""
    at = price(g, np.zeros(g.size), upper, *sums)
    return movable(x, g - at, 0.0, upper, count, most)


def movable(
    x: Array, away: Array, lower: float | Array, upper: float | Array, count: int, most: int
) -> Indices:
    """Indices of entries that can move, where `away` is the gradient less the price.

    All entries between their bounds, and of those that leave one the best `count` upward and the
    best `count` downward; about `most` in all.
    """
    off = np.flatnonzero((x > lower) & (x < upper))
    if off.size > most:  # keep those farthest from the price, to both sides
        order = off[np.argsort(away[off], kind="stable")]
        off = np.concatenate([order[: most // 2], order[-(most - most // 2) :]])
    rising = np.flatnonzero((x <= lower) & (away <= 0.0))
    falling = np.flatnonzero((x >= upper) & (away >= 0.0))
    several = max(count, off.size)
    if rising.size > several:
        rising = rising[np.argpartition(away[rising], several - 1)[:several]]
    if falling.size > several:
        falling = falling[np.argpartition(-away[falling], several - 1)[:several]]
    return np.sort(np.concatenate([off, rising, falling]))


def minimize_over_sum(H: Array, c: Array, part: Summed, x: Array, tolerance: float) -> Array:
    r"""Minimizer of :math:`\frac12 x'Hx + c'x` over the set `part`, from x.

    H is positive semidefinite. By an active-set method, in variables scaled to a unit diagonal of
    H: a change of scale of the entries changes nothing. Ends where the gap of the linear oracle
    is at most `tolerance`, or with its budget.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.quadratics.summed import Summed, minimize_over_sum
    >>> part = Summed(np.zeros(3), np.ones(3), 1.0, 1.0)
    >>> c = np.array([-0.6, -0.3, 0.4])
    >>> minimize_over_sum(np.eye(3), c, part, np.array([1.0, 0.0, 0.0]), 1e-12).round(12)
    array([0.65, 0.35, 0.  ])
    """
    diagonal = np.maximum(H.diagonal(), 0.0)
    width = float((part.upper - part.lower).max(initial=0.0)) or 1.0
    flat = 1e-6 * float(np.abs(c).max(initial=0.0)) / width or 1.0  # H may be zero (Huber)
    scale = np.sqrt(diagonal + (RIDGE * float(diagonal.max(initial=0.0)) or flat))
    x = part.nearest(x)
    y, w = scale * x, 1.0 / scale
    tolerance = max(tolerance, GAP_ROUNDING * float(np.abs(c) @ (part.upper - part.lower)))
    pivots = max(min(MAX_PIVOTS_PER_VARIABLE * c.size, int(MAX_WORK / c.size**2)), 2 * c.size)
    H, c = w[:, None] * H * w, w * c
    lower, upper, sums = scale * part.lower, scale * part.upper, (part.least, part.most)
    summed.minimize(H, c, lower, upper, w, *sums, y, RIDGE, tolerance, pivots)
    return part.nearest(w * y)
