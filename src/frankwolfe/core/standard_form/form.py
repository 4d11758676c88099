"""Standard forms of sets, by bounds and equations, as interior-point methods need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.core.atoms import Atom, Vertex
from frankwolfe.core.standard_form.balls import Cone, PowerBall
from frankwolfe.core.standard_form.lifting import Lifting, mirrored, plain

__all__ = [
    "StandardForm",
    "ball",
    "between",
    "cells",
    "grouped",
    "side_by_side",
    "split",
    "summed",
]


@dataclass(frozen=True)
class StandardForm:
    """The set of points center + sum_i x_i atom_i, where x = T y for bounded coefficients y.

    Attributes
    ----------
    atoms : list of Atom
        The atom that each variable x_i multiplies.
    layout : Lifting or None
        The map T from coefficients to variables; None for the identity.
    lower, upper : arrays
        Bounds of y; only the upper ones may be infinite.
    start : array
        A y strictly between the bounds that satisfies the equations.
    sums, totals : arrays
        Equations sums @ y = totals, with independent rows.
    balls : tuple of PowerBall and Cone
        Bounds on norms of blocks of y.
    center : array or None
        Zero if None.
    """

    atoms: Sequence[Atom]
    lower: Array
    upper: Array
    start: Array
    sums: Array = field(default_factory=lambda: np.empty((0, 0)))
    totals: Array = field(default_factory=lambda: np.empty(0))
    balls: tuple[PowerBall | Cone, ...] = ()
    center: Array | None = None
    layout: Lifting | None = None

    @property
    def plan(self) -> Lifting:
        """Map from coefficients to variables, the identity by default."""
        if self.layout is not None:
            return self.layout
        return plain(self.lower.size)

    @property
    def equations(self) -> Array:
        """Matrix of the equations, with a column for each coefficient even if it has no row."""
        return self.sums if self.totals.size else np.empty((0, self.lower.size))


def grouped(groups: Sequence[Indices], radius: float) -> StandardForm:
    """Ball of a group norm, sum_g |x_g|_2 <= radius: a cone |x_g|_2 <= t_g each, and a slack."""
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
    return StandardForm(atoms, lower, upper, start, sums, np.array([radius]), cones, layout=layout)


def _axes(n: int) -> list[Atom]:
    """Unit vectors e_1, ..., e_n as atoms."""
    return [Vertex(j, 1.0) for j in range(n)]


def between(lower: Array, upper: Array) -> StandardForm:
    """Box lower <= x <= upper; entries with equal bounds become part of the centre."""
    lower, upper = (np.array(bound, dtype=np.float64) for bound in (lower, upper))
    places = np.flatnonzero(lower < upper)
    center = np.where(lower < upper, 0.0, lower)
    lower, upper = lower[places], upper[places]
    atoms = [Vertex(j, 1.0) for j in places.tolist()]
    return StandardForm(atoms, lower, upper, lower + 0.5 * (upper - lower), center=center)


def summed(n: int, upper: float, total: float, *, slack: bool) -> StandardForm | None:
    """Set of 0 <= x <= upper with sum(x) = total, or <= total with slack; None if one point."""
    share = total / n if not slack else min(0.5 * upper, 0.5 * total / n)
    if not 0.0 < share < upper or (n == 1 and not slack):
        return None
    start, high = np.full(n, share), np.full(n, upper)
    if slack:
        start, high = np.append(start, total - share * n), np.append(high, np.inf)
    sums, totals = np.ones((1, high.size)), np.array([total])
    layout = plain(n, high.size)
    return StandardForm(_axes(n), np.zeros(high.size), high, start, sums, totals, layout=layout)


def split(n: int, upper: float, total: float, center: Array | None = None) -> StandardForm:
    """Set of |x_j| <= upper with sum |x_j| <= total, by positive and negative parts."""
    share = min(0.25 * upper, 0.25 * total / n)
    start = np.append(np.full(2 * n, share), total - 2.0 * n * share)
    high = np.append(np.full(2 * n, upper), np.inf)
    sums, totals = np.ones((1, start.size)), np.array([total])
    layout = mirrored(n, start.size)
    return StandardForm(
        _axes(n), np.zeros(start.size), high, start, sums, totals, (), center, layout
    )


def cells(rows: Array, columns: Array) -> StandardForm:
    """Transport polytope of matrices >= 0 with these sums; that of the last column is implied."""
    many, wide = rows.size, columns.size
    over_rows = np.kron(np.eye(many), np.ones(wide))
    over_columns = np.kron(np.ones(many), np.eye(wide))
    sums, totals = np.vstack([over_rows, over_columns[:-1]]), np.append(rows, columns[:-1])
    start = np.outer(rows, columns / rows.sum()).ravel()
    high = np.full(start.size, np.inf)
    return StandardForm(_axes(start.size), np.zeros(start.size), high, start, sums, totals)


def ball(n: int, p: float, radius: float, center: Array | None = None) -> StandardForm:
    """Ball of the p-norm, 1 < p < infinity; for p < 2 by positive and negative parts.

    For these p the norm has no second derivative at zero, and bounds keep both parts away from it.
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
    return StandardForm(_axes(n), lower, upper, start, balls=balls, center=center, layout=layout)


def side_by_side(
    frames: Sequence[StandardForm], atoms: Sequence[Atom], center: Array | None
) -> StandardForm:
    """Cartesian product of sets, with the atoms and the centre that the caller gives it."""
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
    layout = Lifting(np.concatenate(plus), np.concatenate(minus), int(ends[-1]))
    return StandardForm(atoms, lower, upper, start, sums, totals, tuple(balls), center, layout)
