"""The hull of vectors with k ones, or at most k, with a scale."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import at_least_one, number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.atoms import Atom, Sparse
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.feasibility import (
    clip_rounding,
    project_to_sum,
    rounding,
    snap_to_bounds,
    with_sum,
    within,
)
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
from frankwolfe.core.standard_form.form import StandardForm, summed
from frankwolfe.regions.select import smallest, sum_of_largest
from frankwolfe.subproblems.quadratics.summed import candidates, part_of

__all__ = ["Hypersimplex", "UnitHypersimplex"]


class Hypersimplex(Region, Projector, Restrictor, Faces, Formulation, ExactBound):
    r"""The hull of 0/1 vectors with k ones, times scale.

    These are the x with :math:`0 \le x_i \le` scale and :math:`\sum_i x_i = k` scale.

    Parameters
    ----------
    k : int
        Number of ones, >= 1 and at most the number of variables.
    scale : float
        The largest entry, > 0.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.Hypersimplex(2).lmo(np.array([3.0, 1.0, 2.0])).dense(3)
    array([0., 1., 1.])
    """

    family = "shares and choices"
    formula = r"0 \le x \le s,\ \sum_i x_i = ks"
    atom = "k entries s"
    cost = "n"

    polytope = many_vertices = True
    needs_room = False

    def __init__(self, k: int, scale: float = 1.0) -> None:
        self.k = at_least_one("k", k)
        self.scale = number("scale", scale, above=0.0)

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        self.check_dimension(g.size)
        return Sparse(smallest(g, self.k), np.full(self.k, self.scale, dtype=g.dtype))

    def project(self, p: Array) -> Projection:
        return Projection(project_to_sum(p, 0.0, self.scale, self.k * self.scale))

    def part(self, x: Array, places: Indices) -> Restriction:
        return part_of(x, places, np.full(x.size, self.scale), *self._sums)

    def candidates(self, x: Array, g: Array, above: float, count: int, most: int) -> Indices:
        return candidates(x, g, np.full(g.size, self.scale), self._sums, count, most)

    @property
    def _sums(self) -> tuple[float, float]:
        """Least and largest sum of the entries."""
        return self.k * self.scale, self.k * self.scale

    def check_dimension(self, n: int) -> None:
        super().check_dimension(n)
        if n < self.k:
            raise InvalidInput(f"the region {self!r} needs at least {self.k} variables, got {n}.")

    def standard_form(self, n: int) -> StandardForm | None:
        return summed(n, self.scale, self.k * self.scale, slack=False)

    def diameter(self, n: int) -> float:
        return self.scale * math.sqrt(2.0 * min(self.k, n - self.k))

    def reach(self, weights: Array, n: int) -> float:
        return self.scale * sum_of_largest(weights, min(self.k, n))

    def least(self, g: Doubled) -> Fraction:
        lowest = self._lowest(g)
        return Fraction(self.scale) * (g.at(lowest).total().low - self.k * g.slack)

    def _lowest(self, g: Doubled) -> Indices:
        """Nonzero entries of a vertex with the smallest <g, s>."""
        return g.order()[: self.k]

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64) / self.scale
        return max(_outside(x), abs(float(x.sum()) / self.k - 1.0))

    def start(self, n: int) -> Array:
        x = np.zeros(n)
        x[: self.k] = self.scale
        return x

    def face_atom(self, g: Array, x: Array) -> Atom:
        # +inf: zero in all of the face; -inf: at its bound in all of the face
        near = rounding(x) * self.scale
        rank = np.where(x > near, self._wanted(g, x), math.inf)
        rank[x >= self.scale - near] = -math.inf
        indices = smallest(rank, self.k)
        indices = indices[rank[indices] < math.inf]
        return Sparse(indices, np.full(indices.size, self.scale, dtype=g.dtype))

    def _wanted(self, g: Array, x: Array) -> Array:
        """Rank of free entries: the smallest are ones of the best vertex of the face."""
        return -g

    def snap_to_face(self, x: Array) -> Array:
        x = snap_to_bounds(x, 0.0, self.scale, self.scale)
        return with_sum(x, 0.0, self.scale, self.k * self.scale) if self._full(x) else x

    def _full(self, x: Array) -> bool:
        """True if the sum of x is at its upper bound."""
        return True

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        return within(x[where], d, 0.0, self.scale)

    def middle(self, n: int) -> Array:
        return np.full(n, self.scale * self.k / n)

    def snap(self, x: Array) -> Array:
        return clip_rounding(x, 0.0, self.scale, self.scale)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(min(2, n)), cls(max(n - 1, 1), 1.5)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(k={self.k}, scale={self.scale:g})"


class UnitHypersimplex(Hypersimplex):
    r"""The hull of 0/1 vectors with at most k ones, times scale.

    These are the x with :math:`0 \le x_i \le` scale and :math:`\sum_i x_i \le k` scale.

    Parameters
    ----------
    k : int
        Most ones, >= 1.
    scale : float
        The largest entry, > 0.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.regions.UnitHypersimplex(2).lmo(np.array([3.0, -1.0, 2.0])).dense(3)
    array([0., 1., 0.])
    """

    family = "shares and choices"
    formula = r"0 \le x \le s,\ \sum_i x_i \le ks"
    atom = "at most k entries s"
    cost = "n"

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        indices = smallest(g, self.k)
        indices = indices[~(g[indices] >= 0.0)]  # NaN stays, and is seen
        return Sparse(indices, np.full(indices.size, self.scale, dtype=g.dtype))

    def project(self, p: Array) -> Projection:
        x = np.clip(p, 0.0, self.scale).astype(p.dtype)
        inside = float(x.sum(dtype=np.float64)) <= self.k * self.scale
        return Projection(x) if inside else super().project(p)

    @property
    def _sums(self) -> tuple[float, float]:
        return 0.0, self.k * self.scale

    def check_dimension(self, n: int) -> None:
        Region.check_dimension(self, n)

    def standard_form(self, n: int) -> StandardForm | None:
        return summed(n, self.scale, self.k * self.scale, slack=True)

    def diameter(self, n: int) -> float:
        return self.scale * math.sqrt(min(2 * self.k, n))

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64) / self.scale
        return max(_outside(x), float(x.sum()) / self.k - 1.0)

    def _lowest(self, g: Doubled) -> Indices:
        lowest = super()._lowest(g)
        return lowest[g.high[lowest] < 0.0]

    def start(self, n: int) -> Array:
        return np.zeros(n)

    def _wanted(self, g: Array, x: Array) -> Array:
        """Rank of free entries; where the sum is not full, those that do not help are infinite."""
        return -g if self._full(x) else np.where(g > 0.0, -g, math.inf)

    def _full(self, x: Array) -> bool:
        return float(x.sum()) >= self.k * self.scale * (1.0 - rounding(x))

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        rise = float(d.sum())
        left = self.k * self.scale - float(x.sum())
        return min(math.inf if rise <= 0.0 else left / rise, super().longest_step(x, where, d))

    def middle(self, n: int) -> Array:
        return np.full(n, self.scale * min(0.5, self.k / (n + 1)))


def _outside(x: Array) -> float:
    """Largest violation of 0 <= x <= 1."""
    return max(0.0, -float(x.min()), float(x.max()) - 1.0)
