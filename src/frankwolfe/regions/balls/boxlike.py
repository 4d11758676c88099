"""Base class of regions with bounds on every entry."""

from __future__ import annotations

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.core.feasibility import corner, within
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import (
    EntryBounds,
    Faces,
    Formulation,
    Projection,
    Projector,
    Restriction,
    Restrictor,
)
from frankwolfe.core.standard_form.form import StandardForm, between
from frankwolfe.subproblems.quadratics.box import BoxPart

__all__ = ["Boxlike"]


class Boxlike(Region, Projector, Restrictor, Faces, Formulation, EntryBounds):
    """Region lower <= x <= upper; a subclass gives `bounds`."""

    polytope = many_vertices = True

    def project(self, p: Array) -> Projection:
        lower, upper = self.bounds(p.size)
        return Projection(np.clip(p, lower, upper).astype(p.dtype, copy=False))

    def reach(self, weights: Array, n: int) -> float:
        lower, upper = self.bounds(n)
        far = np.negative(lower, dtype=np.float64)
        np.maximum(far, upper, out=far)  # the larger size of the two, as lower <= upper
        return float(np.multiply(far, weights, out=far).sum())

    def standard_form(self, n: int) -> StandardForm:
        return between(*self.bounds(n))

    def part(self, x: Array, places: Indices) -> Restriction:
        lower, upper = (bound[places].astype(x.dtype) for bound in self.bounds(x.size))
        return BoxPart(lower.astype(np.float64), upper.astype(np.float64))

    def candidates(self, x: Array, g: Array, above: float, count: int, most: int) -> Indices:
        """All variables that the gradient does not hold on a bound."""
        lower, upper = (bound.astype(x.dtype, copy=False) for bound in self.bounds(x.size))
        return np.flatnonzero(~np.where(g > 0.0, x <= lower, x >= upper))

    def face_atom(self, g: Array, x: Array) -> Atom:
        return Dense(corner(g, x, *self.bounds(x.size)))

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        lower, upper = self.bounds(x.size)
        return within(x[where], d, lower[where], upper[where])
