"""Shares with a limit on each and a given sum."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import all_finite, as_float_array, frobenius, number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.atoms import Atom, Sparse, Vertex
from frankwolfe.core.double_double import Doubled, exact
from frankwolfe.core.feasibility import clip_rounding, rounding, snap_to_bounds, with_sum, within
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import (
    ExactBound,
    Faces,
    Formulation,
    Projection,
    Projector,
    Restriction,
    Restrictor,
)
from frankwolfe.core.standard_form.form import StandardForm
from frankwolfe.core.standard_form.lifting import plain
from frankwolfe.regions.select import smallest
from frankwolfe.subproblems.kernels import water_filling as fill
from frankwolfe.subproblems.quadratics.summed import candidates, part_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["CappedSimplex"]

TOTAL_TOL = 1e-12  # relative; nearer, a total is a sum of limits: k/n and per cent are rounded


class CappedSimplex(Region, Projector, Restrictor, Faces, Formulation, ExactBound):
    r"""Entries between 0 and limits of their own, with a given sum.

    With one limit s for all and the sum k s this is the hypersimplex; with limits that never
    bind, the simplex. Portfolios with a largest position for each asset, allocations with
    capacities, support vectors with box constraints.

    Parameters
    ----------
    upper : float or array of shape (n,)
        The limits, > 0; a number stands for every variable. Infinite where there is none.
    total : float
        The sum, > 0 and at most that of the limits.

    Notes
    -----
    The diameter is exact for one common limit. For limits of their own it is an upper bound: the
    exact one would say whether numbers can be divided into two halves of one sum.

    References
    ----------
    W. Wang and C. Lu, *Projection onto the capped simplex*, arXiv:1503.01002.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> region = fw.CappedSimplex([0.5, 0.4, 0.3], 1.0)
    >>> region.lmo(np.array([2.0, 1.0, 3.0])).dense(3)
    array([0.5, 0.4, 0.1])
    >>> region.project(np.array([0.9, 0.2, 0.1])).x
    array([0.5, 0.3, 0.2])
    """

    family = "shares and choices"
    formula = r"0 \le x \le u,\ \sum_i x_i = s"
    atom = "entries at their limits, one between"
    cost = "n"

    polytope = many_vertices = True
    needs_room = False

    def __init__(self, upper: ArrayLike, total: float = 1.0) -> None:
        self.total = number("total", total, above=0.0)
        given = as_float_array("upper", upper).astype(np.float64)
        if given.ndim > 1 or given.size == 0:
            raise InvalidInput(f"upper must be a number or a vector, got shape {given.shape}.")
        if not (given > 0.0).all():
            raise InvalidInput("upper must be > 0 in every entry: leave out what must be zero.")
        self.upper = np.minimum(given, self.total)
        self.dimension = self.upper.size if self.upper.ndim else None
        if self.dimension is not None:
            self.check_dimension(self.dimension)
            self.total = min(self.total, math.fsum(self.upper))

    def check_dimension(self, n: int) -> None:
        super().check_dimension(n)
        most = float(np.broadcast_to(self.upper, (n,)).sum())
        if most < self.total * (1.0 - TOTAL_TOL):
            raise InvalidInput(
                f"the limits sum to {most:g}, which is less than the total {self.total:g}: "
                "raise upper or lower total."
            )

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        if self.dimension is None:
            self.check_dimension(g.size)
            return self._alike(g)
        return self._atom(*_filled(g, self.upper, self.total), g)

    def _alike(self, g: Array) -> Atom:
        """Atom for one common limit: the smallest entries of g; the last gets what is left."""
        count = min(math.ceil(self.total / float(self.upper) * (1.0 - TOTAL_TOL)), g.size)
        indices = smallest(g, count)
        last = int(np.where(np.isnan(g[indices]), -np.inf, g[indices]).argmax())
        return self._atom(np.delete(indices, last), int(indices[last]), g)

    def _atom(self, full: Indices, last: int | None, g: Array) -> Atom:
        """Vertex as an atom of the type of a gradient."""
        found = _vertex(full, last, np.broadcast_to(self.upper, (g.size,)), self.total)
        return Sparse(found.indices, found.values.astype(g.dtype))

    def project(self, p: Array) -> Projection:
        # x = clip(p - t, 0, u) for the level t at which the sum is right
        wide = p.astype(np.float64, copy=False)
        x, ones = np.empty_like(wide), np.ones(p.size)
        limits = np.broadcast_to(self.upper, (p.size,)).copy()
        fill.pour(wide, ones, limits, self.total, x)
        return Projection(x.astype(p.dtype, copy=False))

    def part(self, x: Array, places: Indices) -> Restriction:
        upper = np.broadcast_to(self.upper, (x.size,))
        return part_of(x, places, upper, self.total, self.total)

    def candidates(self, x: Array, g: Array, above: float, count: int, most: int) -> Indices:
        upper = np.broadcast_to(self.upper, (g.size,))
        return candidates(x, g, upper, (self.total, self.total), count, most)

    def standard_form(self, n: int) -> StandardForm | None:
        limits = np.broadcast_to(self.upper, (n,)).astype(np.float64)
        most = float(limits.sum())
        if n == 1 or self.total >= most * (1.0 - TOTAL_TOL):
            return None
        start, axes = limits * (self.total / most), [Vertex(j, 1.0) for j in range(n)]
        sums, totals = np.ones((1, n)), np.array([self.total])
        return StandardForm(axes, np.zeros(n), limits, start, sums, totals, layout=plain(n))

    def diameter(self, n: int) -> float:
        limits = np.sort(np.broadcast_to(self.upper, (n,)))[::-1]
        swap = max(min(self.total, float(limits.sum()) - self.total), 0.0)  # can change places
        if limits[0] == limits[-1]:
            full = math.floor(swap / limits[0] * (1.0 + TOTAL_TOL))
            rest = max(swap - full * limits[0], 0.0) if 2 * full + 2 <= n else 0.0
            return math.sqrt(2.0) * math.hypot(math.sqrt(full) * float(limits[0]), rest)
        shares = np.clip(2.0 * swap - (np.cumsum(limits) - limits), 0.0, limits)
        return frobenius(shares)

    def reach(self, weights: Array, n: int) -> float:
        if weights.size == 1:
            return self.total * float(weights[0])
        each = -np.broadcast_to(weights, (n,))
        return -self.ask(np.ascontiguousarray(each)).dot(each)

    def least(self, g: Doubled) -> Fraction:
        """Lower bound by a multiplier of the sum: entries below it are full, those above zero."""
        order = g.order()
        limits = np.broadcast_to(self.upper, order.shape)[order]
        last = min(int(np.searchsorted(np.cumsum(limits), self.total)), order.size - 1)
        level, below = g.entry(int(order[last])), order[:last]
        full = exact(limits[:last]).total()
        price = level * Fraction(self.total) - max(level * full.low, level * full.high)
        unsure = exact(g.error[order]).dot(limits).high  # on which side of the level it is
        return g.at(below).dot(limits[:last]).low + price - unsure

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        outside = float((np.maximum(-x, x - self.upper) / self.upper).max())
        return max(0.0, outside, abs(float(x.sum()) / self.total - 1.0))

    def start(self, n: int) -> Array:
        limits = np.broadcast_to(self.upper, (n,))
        x: Array = np.clip(self.total - (np.cumsum(limits) - limits), 0.0, limits)
        return x

    def middle(self, n: int) -> Array:
        limits = np.broadcast_to(self.upper, (n,))
        return limits * min(self.total / float(limits.sum()), 1.0)

    def snap(self, x: Array) -> Array:
        return clip_rounding(x, 0.0, self.upper, self.upper)

    def face_atom(self, g: Array, x: Array) -> Atom:
        """Best vertex of the face: full entries stay, the others fill up, the largest g first.

        Those at zero come last, for what rounding has left.
        """
        limits, near = np.broadcast_to(self.upper, (x.size,)), rounding(x)
        rank = np.where(x > near * limits, -g, math.inf)
        rank[x >= limits * (1.0 - near)] = -math.inf
        return self._atom(*_filled(rank, limits, self.total), g)

    def snap_to_face(self, x: Array) -> Array:
        return with_sum(snap_to_bounds(x, 0.0, self.upper, self.upper), 0.0, self.upper, self.total)

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        limits = np.broadcast_to(self.upper, (x.size,))[where]
        return within(x[where], d, 0.0, limits, rounding(x) * limits)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        pairs = 1.0 / (1.0 + np.arange(n) // 2)
        half = 0.5 * float(pairs.sum()) if n > 1 else 1.0
        return [cls(0.6, min(1.5, 0.6 * n)), cls(pairs, half)]

    def __repr__(self) -> str:
        limits = f"{float(self.upper):g}" if self.dimension is None else f"{self.dimension} limits"
        return f"CappedSimplex({limits}, total={self.total:g})"


def _filled(g: Array, limits: Array, total: float) -> tuple[Indices, int]:
    """Entries at their limits, smallest g first, and the one that takes what is left.

    NaN is smallest. What that one gets is between zero and its limit, up to rounding: otherwise
    the level found is wrong, and all are put in order.
    """
    values = g if all_finite(g) else np.where(np.isnan(g), -np.inf, g)
    at = fill.threshold(values.astype(np.float64), limits.copy(), total)
    full, tied = np.flatnonzero(values < at), np.flatnonzero(values == at)
    left, each = total - float(limits[full].sum()), np.cumsum(limits[tied])
    near = _rounding(limits, total)
    if not (tied.size and -near <= left <= each[-1] + near):
        full, tied, left = full[:0], np.argsort(values, kind="stable"), total
        each = np.cumsum(limits[tied])
    more = min(int(np.searchsorted(each, left)), tied.size - 1)
    return np.concatenate([full, tied[:more]]), int(tied[more])


def _rounding(limits: Array, total: float) -> float:
    """Bound on the rounding of partial sums of the limits, in whatever order."""
    return 2.0**-52 * limits.size * total


def _vertex(full: Indices, last: int | None, limits: Array, total: float) -> Sparse:
    """Vertex with some entries at their limits, and one that takes what is left.

    It depends on which entries these are and on nothing else, so that two ways to one vertex
    have no difference: none of rounding, that a step could follow out of the region.
    """
    full = np.sort(full)
    amounts = limits[full]
    if last is None:
        return Sparse(full, amounts)
    left, near = total - float(amounts.sum()), _rounding(limits, total)
    if left <= near:
        return Sparse(full, amounts)
    most = float(limits[last])
    place = int(np.searchsorted(full, last))
    left = most if left >= most - near else left
    return Sparse(np.insert(full, place, last), np.insert(amounts, place, left))
