"""Base classes of the balls of norms."""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array, Dtype
from frankwolfe.base.checks import finite_vector, frobenius, number
from frankwolfe.core.atoms import Atom, Dense, Vertex
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.exact_norms import norm_above
from frankwolfe.core.feasibility import spacing
from frankwolfe.core.region import OUTSIDE_TOL, Region
from frankwolfe.core.region_abilities import (
    CompiledOracle,
    ExactBound,
    Formulation,
    QuadraticMinimizer,
)
from frankwolfe.core.standard_form.form import StandardForm, ball
from frankwolfe.subproblems.quadratics.norm import quickly_over_norm_ball

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["NormBall", "RoundBall"]


class NormBall(Region, ExactBound):
    """Ball |x - center|_p <= radius; a subclass gives the atom of the ball around zero."""

    p: float

    def __init__(self, radius: float = 1.0, *, center: ArrayLike | None = None) -> None:
        self.radius = number("radius", radius, above=0.0)
        self.center = None if center is None else finite_vector("center", center).copy()
        self.dimension = None if self.center is None else self.center.size
        self.sparse_atoms = self.sparse_atoms and self.center is None

    @abstractmethod
    def _centered_atom(self, g: Array, out: Array) -> Atom:
        """Atom of the ball around zero; a dense one is written into `out`."""

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        if out is None and not self.sparse_atoms:
            out = np.empty_like(g)
        atom = self._centered_atom(g, out)  # type: ignore[arg-type]
        if self.center is None:
            return atom
        assert out is not None
        if isinstance(atom, Vertex):
            out[:] = 0.0
            atom.add_to(out, 1.0)
        out += self.center
        return Dense(out)

    def from_center(self, x: Array) -> Array:
        """Difference x - center, of the type of x."""
        return x if self.center is None else (x - self.center).astype(x.dtype)

    def to_center(self, away: Array) -> Array:
        """Point center + away, of the type of `away`."""
        return away if self.center is None else (away + self.center).astype(away.dtype)

    def _compiled(self, kind: int) -> CompiledOracle:
        """Description of an oracle of this kind for the compiled fast path."""
        none = np.zeros(0)
        center = none if self.center is None else self.center.astype(np.float64)
        return kind, self.radius, center, none

    def diameter(self, n: int) -> float:
        # the farthest point of the unit lp ball from 0: a vertex for p <= 2, a corner above
        return 2.0 * self.radius * math.pow(n, max(0.0, 0.5 - 1.0 / self.p))

    def violation(self, x: Array) -> float:
        away = self.from_center(np.asarray(x, dtype=np.float64))
        return max(0.0, _norm(away / self.radius, self.p) - 1.0)

    def inside(self, x: Array) -> Array:
        if self.projection is not None:
            return super().inside(x)
        out = self.violation(x)
        return (
            x
            if out <= OUTSIDE_TOL[x.itemsize]
            else self.to_center(self.from_center(x) / (1.0 + out))
        )

    def resolution(self, n: int, dtype: Dtype) -> float:
        away = 0.0 if self.center is None else _norm(self.center, self.p)
        return spacing(dtype, 2.0 * self.radius + away, self.radius)

    def reach(self, weights: Array, n: int) -> float:
        dual = 1.0 if self.p == math.inf else self.p / (self.p - 1.0) if self.p > 1.0 else math.inf
        if weights.size == 1:
            norm = float(weights[0]) * math.pow(n, 1.0 / dual)
        else:
            largest = float(weights.max(initial=0.0)) or 1.0
            norm = largest * float(np.linalg.norm(weights / largest, dual))  # no power overflows
        center = 0.0 if self.center is None else float((weights * np.abs(self.center)).sum())
        return self.radius * norm + center

    def least(self, g: Doubled) -> Fraction:
        found = -Fraction(self.radius) * norm_above(g, self.p)
        return found if self.center is None else found + g.dot(self.center).low

    def start(self, n: int) -> Array:
        return np.zeros(n) if self.center is None else self.center.astype(np.float64)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(1.5), cls(0.7, center=rng.standard_normal(n))]

    def _order(self) -> str:
        """Order p of the norm for the repr, where the class does not fix it."""
        return ""

    def __repr__(self) -> str:
        center = "" if self.center is None else f", center of {self.center.size} entries"
        return f"{type(self).__name__}({self._order()}radius={self.radius:g}{center})"


class RoundBall(NormBall, Formulation, QuadraticMinimizer):
    """A ball over which a quadratic can be minimized by Newton's method, for 1 < p < infinity."""

    def standard_form(self, n: int) -> StandardForm | None:
        return ball(n, self.p, self.radius, self.center) if 1.0 < self.p < math.inf else None

    def quadratic_step(self, H: Array, g: Array, x: Array) -> Array | None:
        center = np.zeros(x.size) if self.center is None else self.center
        c = g - H @ (x - center)
        y = quickly_over_norm_ball(H, c, self.p, self.radius, x - center)
        return None if y is None else np.asarray(center + y)


def _norm(x: Array, p: float) -> float:
    """Norm of order p; no power overflows."""
    if p == 2.0:
        return frobenius(x)
    largest = float(np.abs(x).max())
    if not 0.0 < largest < math.inf:
        return largest
    return largest * float(np.linalg.norm(x / largest, ord=p))
