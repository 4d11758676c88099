"""The ball of the latent group norm: groups may overlap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels import select
from frankwolfe.core.atoms import Atom, Sparse, Vertex
from frankwolfe.core.region import OUTSIDE_TOL, Region
from frankwolfe.core.region_abilities import Formulation
from frankwolfe.core.standard_form.form import StandardForm, grouped
from frankwolfe.regions.balls.weights import positive, quotients
from frankwolfe.regions.groups.latent_norm import NormBounds, latent_norm

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["LatentGroupBall"]


class LatentGroupBall(Region, Formulation):
    r"""The ball of the latent group norm, :math:`\min_{\sum v_g = x} \sum_g w_g \|v_g\|_2 \le r`.

    The hull of the vectors that live in one group g and have 2-norm radius / w_g at most. Groups
    may overlap: x is then a sum of few groups, so that its support is a union of groups, where
    the sum of the norms of overlapping groups would give the complement of one.

    Parameters
    ----------
    groups : list of lists of int
        The variables of each group, by their places 0, 1, ...; every variable up to the largest
        must be in one at least.
    radius : float
        > 0.
    weights : array, optional
        A weight > 0 for each group, one by default.

    Notes
    -----
    Whether a point lies inside is a convex program, solved here by an interior-point method in
    one variable for each group (a plain iteration for more than 1000), and judged by the lower
    bound of its norm: a point of the region is never refused, and one outside is told, where
    that method converges, if it is outside by more than 1e-12.

    References
    ----------
    L. Jacob, G. Obozinski and J.-P. Vert, *Group lasso with overlap and graph lasso*, ICML 2009;
    G. Obozinski, L. Jacob and J.-P. Vert, *Group lasso with overlaps: the latent group lasso
    approach*, arXiv:1110.0413.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> ball = fw.regions.LatentGroupBall([[0, 1], [1, 2]], 5.0)
    >>> ball.lmo(np.array([1.0, 3.0, -4.0])).dense(3)
    array([ 0., -3.,  4.])
    >>> ball.contains([2.0, 2.0, 2.0]), ball.contains([3.0, 3.0, 3.0])
    (True, False)
    """

    family = "norms"
    formula = r"\min_{\sum_g v_g = x} \sum_g w_g \|v_g\|_2 \le r"
    atom = "a vector in one group, 2-norm r/w"
    cost = "the sizes of all groups"

    flat_faces = True
    needs_room = False

    def __init__(
        self,
        groups: Iterable[ArrayLike],
        radius: float = 1.0,
        weights: ArrayLike | None = None,
    ) -> None:
        self._order, self._starts, self.dimension = _members(groups)
        self.radius = number("radius", radius, above=0.0)
        count = self._starts.size - 1
        self.weights = np.ones(count) if weights is None else positive("weights", weights)
        if self.weights.size != count:
            raise InvalidInput(
                f"weights must have one entry for each of the {count} groups, "
                f"got {self.weights.size}."
            )
        self._sizes = quotients(self.radius, self.weights)
        self.polytope = bool((np.diff(self._starts) == 1).all())

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        best, norm, unit = select.largest_group(g, self._order, self._starts, self._sizes)
        indices = self._group(best)
        if norm == 0.0:
            values = np.zeros(indices.size, dtype=g.dtype)
            values[0] = self._sizes[best]
        else:
            values = (g[indices] / g.dtype.type(unit)) * g.dtype.type(-self._sizes[best] / norm)
        return Sparse(indices, values)

    def _group(self, group: int) -> Indices:
        """Variables of one group, in increasing order."""
        return self._order[self._starts[group] : self._starts[group + 1]]

    def norm(self, x: Array, enough: float = 0.0) -> NormBounds:
        """Lower and upper bound of the norm; loose ones once the upper is at most `enough`."""
        wide = np.asarray(x, dtype=np.float64)
        return latent_norm(wide, self._order, self._starts, self.weights, enough)

    def inside(self, x: Array) -> Array:
        found = self.norm(x, self.radius)
        out = found.low > self.radius * (1.0 + OUTSIDE_TOL[x.itemsize])
        return (x * (self.radius / found.high)).astype(x.dtype) if out else x

    def standard_form(self, n: int) -> StandardForm:
        """Standard form in the parts v_g of the groups, each in units of 1/w_g."""
        count = self.weights.size
        plain = grouped([self._group(group) for group in range(count)], self.radius)
        units = (1.0 / np.repeat(self.weights, np.diff(self._starts))).tolist()
        atoms: list[Atom] = [
            Vertex(j, unit) for j, unit in zip(self._order.tolist(), units, strict=True)
        ]
        return replace(plain, atoms=[*atoms, *plain.atoms[len(atoms) :]])

    def reach(self, weights: Array, n: int) -> float:
        each = np.broadcast_to(weights, (n,)).astype(np.float64)
        unit = float(each.max()) or 1.0  # no square over- or underflows
        squares = np.square(each[self._order] / unit)
        norms = np.sqrt(np.add.reduceat(squares, self._starts[:-1]))
        return unit * float((norms * self._sizes).max())

    def diameter(self, n: int) -> float:
        return 2.0 * float(self._sizes.max())

    def violation(self, x: Array) -> float:
        return max(0.0, self.norm(x, self.radius).low / self.radius - 1.0)

    def start(self, n: int) -> Array:
        return np.zeros(n)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        chain = [[j, j + 1] for j in range(n - 1)] or [[0]]
        nested = [list(range(n)), list(range((n + 1) // 2)), [n - 1]]
        return [cls(chain, 1.5), cls(nested, 0.7, [1.3, 1.0, 0.8])]

    def __repr__(self) -> str:
        return (
            f"LatentGroupBall({self.dimension} variables in {self.weights.size} groups, "
            f"radius={self.radius:g})"
        )


def _members(groups: Iterable[ArrayLike]) -> tuple[Indices, Indices, int]:
    """Variables of all groups, group after group, where each group begins, and n."""
    wanted = "groups must be lists of places of variables, such as [[0, 1], [1, 2]]"
    try:
        lists = [np.asarray(group) for group in groups]
    except (TypeError, ValueError):
        raise InvalidInput(f"{wanted}, got {type(groups).__name__}.") from None
    for number_of, group in enumerate(lists):
        if group.ndim != 1 or group.size == 0 or group.dtype.kind not in "iu":
            raise InvalidInput(f"{wanted}, but group {number_of} is not.")
        if group.min() < 0 or np.unique(group).size < group.size:
            raise InvalidInput(f"{wanted}, but group {number_of} has a place < 0, or one twice.")
    if not lists:
        raise InvalidInput(f"{wanted}, got none.")
    order = np.concatenate([np.sort(group) for group in lists]).astype(np.int64)
    held = np.bincount(order)
    if not held.all():
        raise InvalidInput(
            f"every variable must be in a group, but {int((held == 0).argmax())} is in none: "
            "give it one of its own."
        )
    starts = np.concatenate([[0], np.cumsum([group.size for group in lists])]).astype(np.int64)
    return order, starts, held.size
