"""The l1 ball with a weight for each entry."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import number
from frankwolfe.base.kernels import select
from frankwolfe.core.atoms import Atom, Vertex
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import ExactBound, Faces, Formulation, Projection, Projector
from frankwolfe.core.standard_form.form import StandardForm
from frankwolfe.regions.balls.l1_ball import L1Ball
from frankwolfe.regions.balls.weights import positive, quotients
from frankwolfe.subproblems.kernels import water_filling as fill

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["WeightedL1Ball"]


class WeightedL1Ball(Region, Projector, Faces, Formulation, ExactBound):
    r"""The ball of the weighted l1 norm, :math:`\sum_i w_i |x_i| \le` radius.

    Its vertices are single coordinates, of size radius / w_i: a coefficient that costs more has
    a shorter way out. With weights that are one over the sizes of a first estimate this is the
    adaptive lasso.

    Parameters
    ----------
    weights : array of shape (n,)
        Weights w, > 0.
    radius : float
        > 0.

    References
    ----------
    H. Zou, *The adaptive lasso and its oracle properties*, Journal of the American Statistical
    Association 101, 2006.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.regions.WeightedL1Ball([1.0, 4.0], 2.0).lmo(np.array([1.0, -3.0]))
    Vertex(index=0, value=-2.0)
    """

    family = "norms"
    formula = r"\sum_i w_i |x_i| \le r"
    atom = "one coordinate, ± r/wᵢ"
    cost = "n"

    polytope = sparse_atoms = True

    def __init__(self, weights: ArrayLike, radius: float = 1.0) -> None:
        self.weights = positive("weights", weights)
        self.radius = number("radius", radius, above=0.0)
        self.dimension = self.weights.size
        self._sizes = quotients(self.radius, self.weights)
        self._ball = L1Ball(self.radius)  # of w x

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        best = int(select.largest_product(g, self._sizes))
        return Vertex(best, float(np.copysign(self._sizes[best], -g[best])))

    def several(self, g: Array, count: int) -> list[Atom]:
        return [self._back(atom) for atom in self._ball.several(g * self._sizes, count)]

    def _back(self, atom: Atom) -> Atom:
        """Atom of this ball from one of the plain l1 ball of wx."""
        assert isinstance(atom, Vertex)
        size = float(self._sizes[atom.index])
        return Vertex(atom.index, float(np.copysign(size, atom.value)) if atom.value else 0.0)

    def project(self, p: Array) -> Projection:
        base = np.abs(p, dtype=np.float64)
        if float(base @ self.weights) <= self.radius:
            return Projection(p.copy())
        base /= self.weights
        base -= base.max()  # counted from the largest: a huge one has no digits left
        base *= self.weights
        x = np.empty_like(base)
        fill.pour(base, self.weights, np.full(p.size, np.inf), self.radius, x)
        return Projection(np.copysign(x, p, out=x).astype(p.dtype, copy=False))

    def standard_form(self, n: int) -> StandardForm:
        units = (1.0 / self.weights).tolist()
        return replace(
            self._ball.standard_form(n), atoms=[Vertex(j, u) for j, u in enumerate(units)]
        )

    def diameter(self, n: int) -> float:
        return 2.0 * float(self._sizes.max())

    def reach(self, weights: Array, n: int) -> float:
        return float((weights * self._sizes).max())

    def least(self, g: Doubled) -> Fraction:
        most = (np.abs(g.high) + np.abs(g.low) + g.error) * self._sizes
        top = Fraction(0)
        for i in np.flatnonzero(most >= (1.0 - 1e-9) * most.max()).tolist():
            size = abs(g.entry(i)) + Fraction(float(g.error[i]))
            top = max(top, size / Fraction(float(self.weights[i])))
        return -Fraction(self.radius) * top

    def violation(self, x: Array) -> float:
        return max(0.0, float((np.abs(np.asarray(x, dtype=np.float64)) / self._sizes).sum()) - 1.0)

    def start(self, n: int) -> Array:
        return np.zeros(n)

    def decompose(self, x: Array) -> list[tuple[float, Atom]] | None:
        parts = self._ball.decompose(x * self.weights) or []
        return [(share, self._back(atom)) for share, atom in parts]

    def face_atom(self, g: Array, x: Array) -> Atom:
        return self._back(self._ball.face_atom(g * self._sizes, x * self.weights))

    def snap_to_face(self, x: Array) -> Array:
        there = self._ball.snap_to_face((x * self.weights).astype(x.dtype))
        return (there / self.weights).astype(x.dtype)

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        return self._ball.longest_step(x * self.weights, where, d * self.weights[where])

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(np.ones(n), 1.5), cls(rng.uniform(0.3, 3.0, n), 0.7)]

    def __repr__(self) -> str:
        return f"WeightedL1Ball({self.dimension} weights, radius={self.radius:g})"
