"""A set by equations and bounds, as a path through its inside needs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.atoms import Atom, Vertex

__all__ = ["Frame", "PowerBall", "ball", "between", "cells", "side_by_side", "split", "summed"]


class PowerBall(NamedTuple):
    r"""The bound :math:`\|v\|_p \le` radius on a block v of the coefficients, p > 1."""

    block: slice
    p: float
    radius: float

    def at(self, y: Array) -> tuple[float, Array, Array]:
        """(|v/radius|^p - 1)/p with its first derivatives, and the second, which are diagonal."""
        size = np.abs(y[self.block]) / self.radius
        first, second = np.zeros_like(y), np.zeros_like(y)
        first[self.block] = np.sign(y[self.block]) * size ** (self.p - 1.0) / self.radius
        second[self.block] = (self.p - 1.0) * size ** (self.p - 2.0) / self.radius**2
        return (float(np.sum(size**self.p)) - 1.0) / self.p, first, second


@dataclass(frozen=True)
class Frame:
    """The points `center` + the sum of y_k times atom k, for coefficients y with bounds.

    Attributes
    ----------
    atoms : list of Atom
        What each coefficient is a multiple of; one without entries for a slack.
    lower, upper : arrays
        Bounds of y; only the upper ones may be infinite.
    start : array
        A y between the bounds that has the sums.
    sums, totals : arrays
        sums @ y = totals, with rows that do not depend on each other.
    balls : tuple of PowerBall
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
    balls: tuple[PowerBall, ...] = ()
    center: Array | None = None

    @property
    def equations(self) -> Array:
        """The sums, with a column for each coefficient also where there are none."""
        return self.sums if self.totals.size else np.empty((0, self.lower.size))


def _axes(n: int, value: float = 1.0) -> list[Atom]:
    """The n unit vectors, times a number."""
    return [Vertex(j, value) for j in range(n)]


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
    atoms, start, high = _axes(n), np.full(n, share), np.full(n, upper)
    if slack:
        atoms, start = [*atoms, Vertex(0, 0.0)], np.append(start, total - share * n)
        high = np.append(high, np.inf)
    return Frame(
        atoms, np.zeros(high.size), high, start, np.ones((1, high.size)), np.array([total])
    )


def split(n: int, upper: float, total: float, center: Array | None = None) -> Frame:
    """|x_j| <= upper with that sum of sizes at most, by positive and negative parts."""
    share = min(0.25 * upper, 0.25 * total / n)
    start = np.append(np.full(2 * n, share), total - 2.0 * n * share)
    high = np.append(np.full(2 * n, upper), np.inf)
    atoms = [*_axes(n), *_axes(n, -1.0), Vertex(0, 0.0)]
    sums, totals = np.ones((1, start.size)), np.array([total])
    return Frame(atoms, np.zeros(start.size), high, start, sums, totals, (), center)


def cells(side: int) -> Frame:
    """Square matrices >= 0 whose rows and columns sum to one; the last column's sum follows."""
    n = side * side
    rows, columns = np.kron(np.eye(side), np.ones(side)), np.kron(np.ones(side), np.eye(side))
    sums = np.vstack([rows, columns[:-1]])
    start, high = np.full(n, 1.0 / side), np.full(n, np.inf)
    return Frame(_axes(n), np.zeros(n), high, start, sums, np.ones(2 * side - 1))


def ball(n: int, p: float, radius: float, center: Array | None = None) -> Frame:
    """The ball of the p-norm, 1 < p < infinity; below 2 by positive and negative parts.

    There the norm has no second derivative at zero, from which the bounds keep both parts away.
    """
    if p < 2.0:
        atoms = [*_axes(n), *_axes(n, -1.0)]
        share = 0.25 * radius * (2.0 * n) ** (-1.0 / p)
        lower, upper = np.zeros(2 * n), np.full(2 * n, np.inf)
        start = np.full(2 * n, share)
    else:
        atoms, start = _axes(n), np.zeros(n)
        lower, upper = np.full(n, -2.0 * radius), np.full(n, 2.0 * radius)
    balls = (PowerBall(slice(0, start.size), p, radius),)
    return Frame(atoms, lower, upper, start, balls=balls, center=center)


def side_by_side(frames: Sequence[Frame], atoms: Sequence[Atom], center: Array | None) -> Frame:
    """The product of sets, whose atoms and centre the caller knows."""
    ends = np.cumsum([0, *(frame.lower.size for frame in frames)])
    sums = np.zeros((sum(frame.totals.size for frame in frames), ends[-1]))
    row = 0
    for frame, begin, end in zip(frames, ends[:-1], ends[1:], strict=True):
        sums[row : row + frame.totals.size, begin:end] = frame.equations
        row += frame.totals.size
    balls = [
        PowerBall(slice(begin + ball.block.start, begin + ball.block.stop), ball.p, ball.radius)
        for frame, begin in zip(frames, ends.tolist(), strict=False)
        for ball in frame.balls
    ]
    lower, upper, start, totals = (
        np.concatenate([getattr(frame, name) for frame in frames])
        for name in ("lower", "upper", "start", "totals")
    )
    return Frame(atoms, lower, upper, start, sums, totals, tuple(balls), center)
