"""The ball of the group norm."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import number, power, unmasked
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels import select
from frankwolfe.core.atoms import Atom, Sparse
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.exact_norms import norm_above
from frankwolfe.core.feasibility import project_to_sum
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import (
    ExactBound,
    Formulation,
    Projection,
    Projector,
    Restriction,
    Restrictor,
)
from frankwolfe.core.standard_form.form import StandardForm, grouped
from frankwolfe.regions.select import smallest
from frankwolfe.subproblems.quadratics.group import GroupPart

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["GroupBall"]


class GroupBall(Region, Projector, Restrictor, Formulation, ExactBound):
    r"""The ball of the group norm, :math:`\sum_g \|x_g\|_2 \le` radius, as in the group lasso.

    An atom is a point of one group. With groups of one variable this is the l1 ball.

    Parameters
    ----------
    groups : array of shape (n,)
        A label for each variable, number or text; variables with the same label make a group.
    radius : float
        > 0.

    References
    ----------
    M. Yuan and Y. Lin, *Model selection and estimation in regression with grouped variables*,
    Journal of the Royal Statistical Society B 68, 2006.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.GroupBall([0, 0, 1], 5.0).lmo(np.array([3.0, 4.0, -4.5])).dense(3)
    array([-3., -4.,  0.])
    """

    family = "norms"
    formula = r"\sum_g \|x_g\|_2 \le r"
    atom = "a vector in one group"
    cost = "n"

    short, grouped = "group", True
    flat_faces = True
    needs_room = False

    def __init__(self, groups: ArrayLike, radius: float = 1.0) -> None:
        self.groups, self.count = _numbered(groups)
        self.radius = number("radius", radius, above=0.0)
        self.dimension = self.groups.size
        self.polytope = self.count == self.dimension
        sizes = np.bincount(self.groups)
        self._order = np.argsort(self.groups, kind="stable")  # group after group
        self._starts = np.concatenate([[0], np.cumsum(sizes)])

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        alike = np.ones(self.count)
        best, norm, unit = select.largest_group(g, self._order, self._starts, alike)
        indices = self._order[self._starts[best] : self._starts[best + 1]]
        if norm == 0.0:
            values = np.zeros(indices.size, dtype=g.dtype)
            values[0] = self.radius
        else:
            values = (g[indices] / g.dtype.type(unit)) * g.dtype.type(-self.radius / norm)
        return Sparse(indices, values)

    def project(self, p: Array) -> Projection:
        norms = self.norms(p)
        if float(norms.sum()) <= self.radius:
            return Projection(p.copy())
        shrunk = project_to_sum(norms, 0.0, math.inf, self.radius)
        scale = shrunk / np.where(norms > 0.0, norms, 1.0)
        return Projection((p * scale[self.groups]).astype(p.dtype))

    @property
    def together(self) -> int:
        """Size of the largest group."""
        return int(np.diff(self._starts).max())

    def part(self, x: Array, places: Indices) -> Restriction:
        """Restriction to whole groups, whose variables `places` lists group after group."""
        labels = self.groups[places]
        return GroupPart(np.flatnonzero(np.diff(labels, prepend=-1)), self.radius)

    def candidates(self, x: Array, g: Array, above: float, count: int, most: int) -> Indices:
        """Variables of the groups that are not zero, and of those with the steepest gradients."""
        steep, support = self.norms(g), np.flatnonzero(self.norms(x))
        best = smallest(-steep, min(max(count, support.size), steep.size))
        best = best[-self.radius * steep[best] < above]
        best = best[np.argsort(-steep[best], kind="stable")]
        sizes = np.bincount(self.groups)[best]
        best = best[: 1 + int(np.searchsorted(np.cumsum(sizes), most))]
        return self.entries(np.union1d(support, best))[0]

    def entries(self, groups: Indices) -> tuple[Indices, Indices]:
        """Entries of some groups, group after group, and where in that list each group begins."""
        sizes = self._starts[groups + 1] - self._starts[groups]
        begin = np.cumsum(sizes) - sizes
        inner = np.arange(int(sizes.sum())) - np.repeat(begin, sizes)
        return self._order[np.repeat(self._starts[groups], sizes) + inner], begin

    def norms(self, x: Array) -> Array:
        """The 2-norm |x_g| of every group."""
        unit = power(float(np.abs(x).max()))  # no square over- or underflows
        squares = np.square(x[self._order] / unit, dtype=np.float64)
        return np.asarray(unit * np.sqrt(np.add.reduceat(squares, self._starts[:-1])))

    def reach(self, weights: Array, n: int) -> float:
        return self.radius * float(self.norms(np.broadcast_to(weights, (n,))).max())

    def least(self, g: Doubled) -> Fraction:
        norms = self.norms(g.high)
        # only groups that may be the largest, by their rounded norms, are computed exactly
        top = Fraction(0)
        for group in np.flatnonzero(norms >= (1.0 - 1e-9) * norms.max()):
            places = self._order[self._starts[group] : self._starts[group + 1]]
            top = max(top, norm_above(g.at(places), 2.0))
        return -Fraction(self.radius) * (top + self.together * g.slack)

    def standard_form(self, n: int) -> StandardForm:
        return grouped(np.split(self._order, self._starts[1:-1]), self.radius)

    def diameter(self, n: int) -> float:
        return 2.0 * self.radius

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        largest = float(np.abs(x).max())
        if largest == 0.0:
            return 0.0
        norms = np.sqrt(np.bincount(self.groups, (x / largest) ** 2))  # no square overflows
        return max(0.0, largest / self.radius * float(norms.sum()) - 1.0)

    def start(self, n: int) -> Array:
        return np.zeros(n)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(np.arange(n) // 2, 1.5), cls(["a", "b"] + ["a"] * (n - 2), 0.7)]

    def __repr__(self) -> str:
        return (
            f"GroupBall({self.dimension} variables in {self.count} groups, radius={self.radius:g})"
        )


def _numbered(groups: ArrayLike) -> tuple[Indices, int]:
    """Labels as numbers 0, 1, ..., and the number of groups."""
    wanted = "groups must hold one label for each variable, such as [0, 0, 1, 1]"
    unmasked("groups", groups)
    try:
        labels = np.asarray(groups)
        if labels.ndim != 1 or labels.size == 0:
            raise InvalidInput(f"{wanted}, got an array of shape {labels.shape}.")
        if labels.dtype.kind in "fc" and not np.isfinite(labels).all():
            raise InvalidInput(f"{wanted}, but some are NaN or infinity.")
        names, numbers = np.unique(labels, return_inverse=True)
    except InvalidInput:
        raise
    except (TypeError, ValueError):
        raise InvalidInput(f"{wanted}, all of one kind.") from None
    return numbers, int(names.size)
