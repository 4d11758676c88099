"""The ball of the OWL norm, as in SLOPE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import number
from frankwolfe.core.atoms import Atom, Sparse
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Projection, Projector
from frankwolfe.regions.balls.sorted_norm import best_prefix, nearest, sorted_norm
from frankwolfe.regions.balls.weights import falling
from frankwolfe.regions.select import up_to

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["OWLBall"]


class OWLBall(Region, Projector):
    r"""The ball of the ordered weighted l1 norm, :math:`\sum_i w_i |x|_{(i)} \le` radius.

    Here :math:`|x|_{(1)} \ge |x|_{(2)} \ge \dots` are the sizes in order. Equal weights give the
    l1 norm, one weight and zeros the l-infinity norm, falling ones (SLOPE) coefficients that are
    sparse and, where features are correlated, equal.

    Parameters
    ----------
    weights : array of shape (n,)
        Weights w, >= 0, the largest first and > 0.
    radius : float
        > 0.

    References
    ----------
    M. Bogdan, E. van den Berg, C. Sabatti, W. Su and E. Candès, *SLOPE: adaptive variable
    selection via convex optimization*, Annals of Applied Statistics 9, 2015; X. Zeng and M.
    Figueiredo, *The ordered weighted l1 norm: atomic formulation, projections, and algorithms*,
    arXiv:1409.4271, for the atoms; D. Davis, *An O(n log n) algorithm for projecting onto the
    ordered weighted l1 norm ball*, arXiv:1505.00870.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> ball = fw.OWLBall([2.0, 1.0, 1.0], 3.0)
    >>> ball.lmo(np.array([3.0, -2.0, 0.1])).dense(3)
    array([-1.,  1.,  0.])
    >>> ball.contains([1.0, 1.0, 0.0]), ball.contains([1.1, 1.0, 0.0])
    (True, False)
    """

    family = "norms"
    formula = r"\sum_i w_i |x|_{(i)} \le r"
    atom = "the k largest gradient entries against their signs, all of one size"
    cost = "n log n"

    key = "owl_ball"
    polytope = True
    needs_room = False

    def __init__(self, weights: ArrayLike, radius: float = 1.0) -> None:
        self.weights = falling("weights", weights)
        self.radius = number("radius", radius, above=0.0)
        self.dimension = self.weights.size
        self._sums = np.cumsum(self.weights)

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        sizes = np.abs(g)
        k, ordered = best_prefix(sizes, self._sums)
        if k == 1:  # or not finite
            indices = np.array([int(sizes.argmax())])
        else:
            indices = up_to(np.negative(sizes, out=sizes), -ordered[k - 1], k)
        values = np.full(k, self.radius / self._sums[k - 1], dtype=g.dtype)
        return Sparse(indices, -np.copysign(values, g[indices]))

    def project(self, p: Array) -> Projection:
        return Projection(nearest(p, self.weights, self.radius))

    def diameter(self, n: int) -> float:
        counts = np.arange(1, self._sums.size + 1)
        return 2.0 * self.radius * float((np.sqrt(counts) / self._sums).max())

    def reach(self, weights: Array, n: int) -> float:
        k, ordered = best_prefix(np.broadcast_to(weights, (n,)), self._sums)
        return self.radius * float(ordered[:k].sum()) / float(self._sums[k - 1])

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64) / self.radius
        return max(0.0, sorted_norm(x, self.weights) - 1.0)

    def start(self, n: int) -> Array:
        return np.zeros(n)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        few = np.where(np.arange(n) < 2, 1.0, 0.0)
        return [cls(np.linspace(2.0, 0.5, n), 1.5), cls(few, 0.7)]

    def __repr__(self) -> str:
        return f"OWLBall({self.dimension} weights, radius={self.radius:g})"
