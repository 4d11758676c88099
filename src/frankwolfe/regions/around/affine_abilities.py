"""Abilities of scaled and shifted regions, made of those of the inner region."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.region_abilities import Projection, Projector
from frankwolfe.regions.around.affine_map import AffineMap

__all__ = ["AffineProjector"]


@dataclass(frozen=True)
class AffineProjector(Projector):
    """Projection onto the image of a region that can project."""

    inner: Projector
    map: AffineMap

    @property
    def iterates(self) -> bool:
        return self.inner.iterates

    def project(self, p: Array) -> Projection:
        y = self.map.back(p)
        found = self.inner.project(y)
        x = p.copy() if np.array_equal(found.x, y) else self.map.image(found.x)
        inner, factor = found.bound, self.map.factor

        def bound(g: Array, scale: float) -> float:
            assert inner is not None
            # <g, cy + a> = <cg, y> + <g, a>, and cg is c² scale times the way of y
            return inner(factor * g, factor**2 * scale) + self.map.along(g)

        return Projection(x, None if inner is None else bound)
