"""The probability simplex and the unit simplex, with a scale."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import number
from frankwolfe.core.atoms import Atom, Vertex
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.feasibility import clip_rounding, project_to_sum, rounding, within
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import (
    CompiledOracle,
    CoordinateScores,
    ExactBound,
    Faces,
    Formulation,
    Projection,
    Projector,
)
from frankwolfe.core.standard_form.form import StandardForm, summed
from frankwolfe.core.vertices import SIMPLEX, UNIT_SIMPLEX, unit_simplex_vertex
from frankwolfe.regions.select import smallest

__all__ = ["Simplex", "UnitSimplex"]


class Simplex(Region, Projector, Faces, Formulation, ExactBound, CoordinateScores):
    """The probability simplex: x >= 0 with sum(x) = scale.

    Parameters
    ----------
    scale : float
        The sum of the entries, > 0.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.Simplex().lmo(np.array([3.0, 1.0, 2.0]))
    Vertex(index=1, value=1.0)
    """

    family = "shares and choices"
    formula = r"x \ge 0,\ \sum_i x_i = s"
    atom = "one coordinate"
    cost = "n"

    short = "simplex"
    polytope = sparse_atoms = True

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = number("scale", scale, above=0.0)

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        return Vertex(int(g.argmin()), self.scale)

    def compiled(self, n: int) -> CompiledOracle:
        return SIMPLEX, self.scale, np.zeros(0), np.zeros(0)

    def merit(self, g: Array) -> Array:
        return g

    def passed_by(self, found: Array) -> float:
        return float(np.nextafter(found.max(), found.dtype.type(np.inf)))

    def project(self, p: Array) -> Projection:
        return Projection(project_to_sum(p, 0.0, math.inf, self.scale))

    def standard_form(self, n: int) -> StandardForm | None:
        return summed(n, math.inf, self.scale, slack=False)

    def diameter(self, n: int) -> float:
        return self.scale * math.sqrt(2.0) if n > 1 else 0.0

    def reach(self, weights: Array, n: int) -> float:
        return self.scale * float(weights.max())

    def least(self, g: Doubled) -> Fraction:
        return Fraction(self.scale) * g.least()

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        return max(0.0, -float(x.min()), abs(float(x.sum()) - self.scale)) / self.scale

    def start(self, n: int) -> Array:
        x = np.zeros(n)
        x[0] = self.scale
        return x

    def several(self, g: Array, count: int) -> list[Atom]:
        places = smallest(g, min(count, g.size))
        return [Vertex(int(i), self.scale) for i in places[np.argsort(g[places])]]

    def middle(self, n: int) -> Array:
        return np.full(n, self.scale / n)

    def snap(self, x: Array) -> Array:
        return clip_rounding(x, 0.0, None, self.scale)

    def decompose(self, x: Array) -> list[tuple[float, Atom]] | None:
        share = np.maximum(x, 0.0) / self.scale
        return [(float(share[i]), Vertex(int(i), self.scale)) for i in np.flatnonzero(share)]

    def face_atom(self, g: Array, x: Array) -> Atom:
        support = np.flatnonzero(x > rounding(x) * self.scale)
        return Vertex(int(support[g[support].argmax()]), self.scale)

    def snap_to_face(self, x: Array) -> Array:
        x = self._positive(x)
        x *= self.scale / float(x.sum())
        return x

    def _positive(self, x: Array) -> Array:
        """Copy of x, zero where an entry is zero up to rounding."""
        return np.where(x > rounding(x) * self.scale, x, x.dtype.type(0.0))

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        return within(x[where], d, 0.0, math.inf)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(), cls(2.5)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(scale={self.scale:g})"


class UnitSimplex(Simplex):
    """The unit simplex: x >= 0 with sum(x) <= scale.

    Parameters are those of :class:`~frankwolfe.Simplex`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.UnitSimplex().lmo(np.array([3.0, 1.0, 2.0]))       # zero is best
    Vertex(index=0, value=0.0)
    """

    family = "shares and choices"
    formula = r"x \ge 0,\ \sum_i x_i \le s"
    atom = "one coordinate, or zero"
    cost = "n"

    short = "unit_simplex"

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        index = int(g.argmin())
        return Vertex(*unit_simplex_vertex(index, g[index], self.scale))

    def compiled(self, n: int) -> CompiledOracle:
        return UNIT_SIMPLEX, self.scale, np.zeros(0), np.zeros(0)

    def project(self, p: Array) -> Projection:
        x = np.maximum(p, p.dtype.type(0.0))
        inside = float(x.sum(dtype=np.float64)) <= self.scale
        return Projection(x) if inside else super().project(p)

    def least(self, g: Doubled) -> Fraction:
        return min(super().least(g), Fraction(0))

    def standard_form(self, n: int) -> StandardForm | None:
        return summed(n, math.inf, self.scale, slack=True)

    def diameter(self, n: int) -> float:
        return self.scale * math.sqrt(2.0) if n > 1 else self.scale

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        return max(0.0, -float(x.min()), float(x.sum()) - self.scale) / self.scale

    def start(self, n: int) -> Array:
        return np.zeros(n)

    def several(self, g: Array, count: int) -> list[Atom]:
        return [*super().several(g, count), Vertex(0, 0.0)]

    def middle(self, n: int) -> Array:
        return np.full(n, self.scale / (n + 1))

    def decompose(self, x: Array) -> list[tuple[float, Atom]] | None:
        rest = max(0.0, 1.0 - float(np.maximum(x, 0.0).sum()) / self.scale)
        return [*(super().decompose(x) or []), (rest, Vertex(0, 0.0))]

    def face_atom(self, g: Array, x: Array) -> Atom:
        near = rounding(x) * self.scale
        support = np.flatnonzero(x > near)
        zero = self.scale - float(x.sum()) > near  # then zero is a vertex of the face
        if support.size == 0:
            return Vertex(0, 0.0)
        best = int(support[g[support].argmax()])
        return Vertex(0, 0.0) if zero and g[best] < 0.0 else Vertex(best, self.scale)

    def snap_to_face(self, x: Array) -> Array:
        x = self._positive(x)
        total = float(x.sum())
        if total >= self.scale * (1.0 - rounding(x)):
            x *= self.scale / total
        return x

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        rise = float(d.sum())
        below = math.inf if rise <= 0.0 else (self.scale - float(x.sum())) / rise
        return min(below, super().longest_step(x, where, d))
