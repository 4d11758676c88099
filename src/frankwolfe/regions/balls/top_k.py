"""The ball of the sum of the k largest sizes."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import at_least_one, number
from frankwolfe.core.atoms import Atom, Dense, Vertex
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import ExactBound, Projection, Projector
from frankwolfe.regions.balls.l1_ball import vertex_against
from frankwolfe.regions.balls.linf_ball import corner_against
from frankwolfe.regions.balls.sorted_norm import nearest
from frankwolfe.regions.select import sum_of_largest

__all__ = ["TopKBall"]


class TopKBall(Region, Projector, ExactBound):
    r"""The ball of the top-k norm: the k largest sizes of x sum to the radius at most.

    It is the hull of the l1 ball of the radius and the cube of half-width radius / k: the cube
    for k = 1, the l1 ball for k >= n.

    Parameters
    ----------
    k : int
        How many of the largest sizes are summed, >= 1.
    radius : float
        > 0.

    References
    ----------
    B. Wu, C. Ding, D. Sun and K.-C. Toh, *On the Moreau-Yosida regularization of the vector
    k-norm related functions*, SIAM Journal on Optimization 24, 2014.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> ball = fw.regions.TopKBall(2, 4.0)
    >>> ball.lmo(np.array([3.0, -1.0, 0.5]))
    Vertex(index=0, value=-4.0)
    >>> ball.lmo(np.array([3.0, -2.0, 2.0])).dense(3)
    array([-2.,  2., -2.])
    """

    family = "norms"
    formula = r"\sum_{i \le k} |x|_{(i)} \le r"
    atom = "one coordinate ± r, or all ± r/k"
    cost = "n"

    polytope = True

    def __init__(self, k: int, radius: float = 1.0) -> None:
        self.k = at_least_one("k", k)
        self.radius = number("radius", radius, above=0.0)

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        vertex = vertex_against(g, self.radius)
        out = np.empty_like(g) if out is None else out
        total = float(np.abs(g, out=out).sum(dtype=np.float64))
        if not self.k * abs(float(g[vertex.index])) < total:
            return vertex
        corner_against(g, self.radius / self.k, out)
        return Dense(out)

    def several(self, g: Array, count: int) -> list[Atom]:
        """Both kinds: the best coordinate and the best corner."""
        corner = np.empty_like(g)
        corner_against(g, self.radius / self.k, corner)
        both: list[Atom] = [vertex_against(g, self.radius), Dense(corner), Vertex(0, 0.0)]
        return sorted(both, key=lambda atom: atom.dot(g))[: max(count, 1)]

    def project(self, p: Array) -> Projection:
        weights = np.zeros(p.size)
        weights[: self.k] = 1.0
        return Projection(nearest(p, weights, self.radius))

    def diameter(self, n: int) -> float:
        return 2.0 * self.radius * max(1.0, math.sqrt(n) / self.k)

    def reach(self, weights: Array, n: int) -> float:
        each = np.broadcast_to(weights, (n,))
        return self.radius * max(float(each.max()), float(each.sum()) / self.k)

    def least(self, g: Doubled) -> Fraction:
        sizes = g.sizes()
        return -Fraction(self.radius) * max(sizes.most(), sizes.total().high / self.k)

    def violation(self, x: Array) -> float:
        sizes = np.abs(np.asarray(x, dtype=np.float64)) / self.radius
        total = sizes.sum() if self.k >= sizes.size else sum_of_largest(sizes, self.k)
        return max(0.0, float(total) - 1.0)

    def start(self, n: int) -> Array:
        return np.zeros(n)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(2, 1.5), cls(3, 0.7)]

    def __repr__(self) -> str:
        return f"TopKBall(k={self.k}, radius={self.radius:g})"
