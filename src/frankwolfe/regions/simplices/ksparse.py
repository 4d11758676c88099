"""The hull of vectors with few entries, all of one size."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import at_least_one, number
from frankwolfe.base.kernels import level
from frankwolfe.core.atoms import Atom, Sparse
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.feasibility import (
    l1_room,
    largest_size,
    project_sizes,
    rounding,
    snap_to_bounds,
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
from frankwolfe.core.standard_form.form import StandardForm, split
from frankwolfe.regions.select import largest, smallest, sum_of_largest
from frankwolfe.subproblems.quadratics.signed import SignedSum
from frankwolfe.subproblems.quadratics.summed import movable, price

__all__ = ["KSparse"]


class KSparse(Region, Projector, Restrictor, Faces, Formulation, ExactBound):
    r"""The hull of vectors with at most k entries that are not zero, each ± radius.

    This is the cube :math:`\|x\|_\infty \le r` cut by :math:`\|x\|_1 \le k r`: the l1 ball for
    k = 1, the cube for k >= n.

    Parameters
    ----------
    k : int
        Entries that are not zero, >= 1.
    radius : float
        Size r of each, > 0.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.KSparse(2, 5.0).lmo(np.array([1.0, -3.0, 2.0])).dense(3)
    array([ 0.,  5., -5.])
    """

    family = "norms"
    formula = r"\max_i |x_i| \le r,\ \|x\|_1 \le kr"
    atom = "k entries ± r"
    cost = "n"

    polytope = many_vertices = True
    needs_room = False

    def __init__(self, k: int, radius: float = 1.0) -> None:
        self.k = at_least_one("k", k)
        self.radius = number("radius", radius, above=0.0)

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        indices = largest(g, self.k)
        return Sparse(indices, -np.copysign(self.radius, g[indices]))

    def project(self, p: Array) -> Projection:
        return Projection(project_sizes(p, self.radius, self.k * self.radius))

    def standard_form(self, n: int) -> StandardForm:
        return split(n, self.radius, self.k * self.radius)

    def part(self, x: Array, places: Indices) -> Restriction:
        others = float(np.abs(x).sum(dtype=np.float64))
        others -= float(np.abs(x[places]).sum(dtype=np.float64))
        return SignedSum(self.radius, self.k * self.radius - others)

    def candidates(self, x: Array, g: Array, above: float, count: int, most: int) -> Indices:
        """Variables between zero and the radius in size, and the best that leave either bound."""
        sizes = np.abs(x)
        slopes = np.where(x != 0.0, np.sign(x) * g, -np.abs(g))
        low, high = np.zeros(g.size), np.full(g.size, self.radius)
        at = price(-np.abs(g), low, high, 0.0, self.k * self.radius)
        return movable(sizes, slopes - at, 0.0, self.radius, count, most)

    def diameter(self, n: int) -> float:
        return 2.0 * self.radius * math.sqrt(min(self.k, n))

    def reach(self, weights: Array, n: int) -> float:
        return self.radius * sum_of_largest(weights, min(self.k, n))

    def least(self, g: Doubled) -> Fraction:
        sizes = g.sizes()
        most = min(self.k, sizes.high.size)
        total = sizes.at(sizes.order()[-most:]).total().high
        return -Fraction(self.radius) * (total + most * g.slack)

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        total = float(level.sizes(x, math.inf)[0])
        return max(0.0, largest_size(x) / self.radius - 1.0, total / self.radius / self.k - 1.0)

    def start(self, n: int) -> Array:
        return np.zeros(n)

    def face_atom(self, g: Array, x: Array) -> Atom:
        """Best vertex of the face: full entries stay; on the l1 bound all signs and zeros do."""
        sizes, near = np.abs(x) / self.radius, rounding(x)
        full = sizes >= 1.0 - near
        fixed, free = np.flatnonzero(full), np.flatnonzero(~full)
        signs = np.where(g < 0.0, -1.0, 1.0)
        if float(sizes.sum()) >= self.k * (1.0 - near):
            free = np.flatnonzero((sizes > near) & ~full)
            signs[free] = np.sign(x[free])
        signs[fixed] = np.sign(x[fixed])
        count = min(self.k, x.size) - fixed.size
        if count > 0:
            fixed = np.concatenate([fixed, free[smallest(-signs[free] * g[free], count)]])
        indices = np.sort(fixed)
        return Sparse(indices, (self.radius * signs[indices]).astype(g.dtype))

    def snap_to_face(self, x: Array) -> Array:
        x = np.where(np.abs(x) > rounding(x) * self.radius, x, x.dtype.type(0.0))
        return snap_to_bounds(x, -self.radius, self.radius, self.radius)

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        moving = x[where]
        moving = np.where(np.abs(moving) > rounding(x) * self.radius, moving, 0.0)
        still = float(np.abs(x).sum()) - float(np.abs(moving).sum())
        box = within(moving, d, -self.radius, self.radius)
        return min(box, l1_room(moving, d, self.k * self.radius - still))

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(2, 1.5), cls(n, 0.6)]

    def __repr__(self) -> str:
        return f"KSparse(k={self.k}, radius={self.radius:g})"
