"""A set by equations and bounds, as a path through its inside needs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.core.atoms import Atom, Vertex
from frankwolfe.core.standard_form.balls import Cone, PowerBall
from frankwolfe.core.standard_form.lifting import Layout, mirrored, plain

__all__ = [
    "Frame",
    "ball",
    "between",
    "cells",
    "grouped",
    "side_by_side",
    "split",
    "summed",
]


@dataclass(frozen=True)
class Frame:
    """The points `center` + the sum of variables times atoms, made of coefficients with bounds.

    Attributes
    ----------
    atoms : list of Atom
        What each variable is a multiple of.
    layout : Layout or None
        Which coefficients make each variable; None where each is one.
    lower, upper : arrays
        Bounds of y; only the upper ones may be infinite.
    start : array
        A y between the bounds that has the sums.
    sums, totals : arrays
        sums @ y = totals, with rows that do not depend on each other.
    balls : tuple of PowerBall and Cone
        Norms of blocks of y that are bounded too.
    center : array or None
        Zero where it is None.
    """

    atoms: Sequence[Atom]
    lower: Array
    upper: Array
    start: Array
    sums: Array = field(default_factory=lambda: np.empty((0, 0)))
    totals: Array = field(default_factory=lambda: np.empty(0))
    balls: tuple[PowerBall | Cone, ...] = ()
    center: Array | None = None
    layout: Layout | None = None

    @property
    def plan(self) -> Layout:
        """The layout."""
        if self.layout is not None:
            return self.layout
        return plain(self.lower.size)

    @property
    def equations(self) -> Array:
        """The sums, with a column for each coefficient also where there are none."""
        return self.sums if self.totals.size else np.empty((0, self.lower.size))


def grouped(groups: Sequence[Indices], radius: float) -> Frame:
    """The sum of the 2-norms of groups is at most the radius: a bound t for each, and a slack."""
    count = len(groups)
    n = sum(group.size for group in groups)
    ends = np.cumsum([0, *(group.size for group in groups)]).tolist()
    atoms: list[Atom] = [Vertex(int(j), 1.0) for group in groups for j in group]
    atoms += [Vertex(0, 0.0)] * count
    share = 0.5 * radius / count
    start = np.concatenate([np.zeros(n), np.full(count, share), [radius - share * count]])
    lower = np.concatenate([np.full(n, -2.0 * radius), np.zeros(count + 1)])
    upper = np.concatenate([np.full(n, 2.0 * radius), np.full(count + 1, np.inf)])
    sums = np.concatenate([np.zeros(n), np.ones(count + 1)])[None]
    cones = tuple(Cone(slice(a, b), n + g, radius) for g, (a, b) in enumerate(pairwise(ends)))
    layout = plain(n + count, start.size)
    return Frame(atoms, lower, upper, start, sums, np.array([radius]), cones, layout=layout)


def _axes(n: int) -> list[Atom]:
    """The n unit vectors."""
    return [Vertex(j, 1.0) for j in range(n)]


def between(lower: Array, upper: Array) -> Frame:
    """A box; entries that cannot move are part of its centre."""
    lower, upper = (np.array(bound, dtype=np.float64) for bound in (lower, upper))
    places = np.flatnonzero(lower < upper)
    center = np.where(lower < upper, 0.0, lower)
    lower, upper = lower[places], upper[places]
    atoms = [Vertex(j, 1.0) for j in places.tolist()]
    return Frame(atoms, lower, upper, lower + 0.5 * (upper - lower), center=center)


def summed(n: int, upper: float, total: float, *, slack: bool) -> Frame | None:
    """0 <= x <= upper with that sum, or with a smaller one; None where that is one point."""
    share = total / n if not slack else min(0.5 * upper, 0.5 * total / n)
    if not 0.0 < share < upper or (n == 1 and not slack):
        return None
    start, high = np.full(n, share), np.full(n, upper)
    if slack:
        start, high = np.append(start, total - share * n), np.append(high, np.inf)
    sums, totals = np.ones((1, high.size)), np.array([total])
    layout = plain(n, high.size)
    return Frame(_axes(n), np.zeros(high.size), high, start, sums, totals, layout=layout)


def split(n: int, upper: float, total: float, center: Array | None = None) -> Frame:
    """|x_j| <= upper with that sum of sizes at most, by positive and negative parts."""
    share = min(0.25 * upper, 0.25 * total / n)
    start = np.append(np.full(2 * n, share), total - 2.0 * n * share)
    high = np.append(np.full(2 * n, upper), np.inf)
    sums, totals = np.ones((1, start.size)), np.array([total])
    layout = mirrored(n, start.size)
    return Frame(_axes(n), np.zeros(start.size), high, start, sums, totals, (), center, layout)


def cells(rows: Array, columns: Array) -> Frame:
    """Matrices >= 0 with these sums of rows and columns; the last column's sum follows."""
    many, wide = rows.size, columns.size
    over_rows = np.kron(np.eye(many), np.ones(wide))
    over_columns = np.kron(np.ones(many), np.eye(wide))
    sums, totals = np.vstack([over_rows, over_columns[:-1]]), np.append(rows, columns[:-1])
    start = np.outer(rows, columns / rows.sum()).ravel()
    high = np.full(start.size, np.inf)
    return Frame(_axes(start.size), np.zeros(start.size), high, start, sums, totals)


def ball(n: int, p: float, radius: float, center: Array | None = None) -> Frame:
    """The ball of the p-norm, 1 < p < infinity; below 2 by positive and negative parts.

    There the norm has no second derivative at zero, from which the bounds keep both parts away.
    """
    layout = None
    if p < 2.0:
        share = 0.25 * radius * (2.0 * n) ** (-1.0 / p)
        lower, upper = np.zeros(2 * n), np.full(2 * n, np.inf)
        start, layout = np.full(2 * n, share), mirrored(n, 2 * n)
    else:
        start = np.zeros(n)
        lower, upper = np.full(n, -2.0 * radius), np.full(n, 2.0 * radius)
    balls = (PowerBall(slice(0, start.size), p, radius),)
    return Frame(_axes(n), lower, upper, start, balls=balls, center=center, layout=layout)


def side_by_side(frames: Sequence[Frame], atoms: Sequence[Atom], center: Array | None) -> Frame:
    """The product of sets, whose atoms and centre the caller knows."""
    ends = np.cumsum([0, *(frame.lower.size for frame in frames)])
    sums = np.zeros((sum(frame.totals.size for frame in frames), ends[-1]))
    row = 0
    for frame, begin, end in zip(frames, ends[:-1], ends[1:], strict=True):
        sums[row : row + frame.totals.size, begin:end] = frame.equations
        row += frame.totals.size
    balls = [
        ball.moved(begin)
        for frame, begin in zip(frames, ends.tolist(), strict=False)
        for ball in frame.balls
    ]
    lower, upper, start, totals = (
        np.concatenate([getattr(frame, name) for frame in frames])
        for name in ("lower", "upper", "start", "totals")
    )
    begins, plans = ends[:-1].tolist(), [frame.plan for frame in frames]
    plus = [begin + plan.plus for begin, plan in zip(begins, plans, strict=True)]
    minus = [
        np.where(plan.minus < 0, -1, begin + plan.minus)
        for begin, plan in zip(begins, plans, strict=True)
    ]
    layout = Layout(np.concatenate(plus), np.concatenate(minus), int(ends[-1]))
    return Frame(atoms, lower, upper, start, sums, totals, tuple(balls), center, layout)
