"""Abilities of scaled and shifted regions, made of those of the inner region."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Generic, TypeVar, cast

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.core.atoms import Atom
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.region_abilities import (
    CoordinateScores,
    EntryBounds,
    ExactBound,
    Faces,
    Formulation,
    Projection,
    Projector,
    QuadraticMinimizer,
    Restriction,
    Restrictor,
)
from frankwolfe.core.standard_form.form import StandardForm
from frankwolfe.regions.around.affine_map import AffineMap, multiple

__all__ = ["image_of"]

A = TypeVar("A")


@dataclass(frozen=True)
class _Image(Generic[A]):
    """Ability of the image of a region, made of the region's own."""

    inner: A
    map: AffineMap


class AffineProjector(_Image[Projector], Projector):
    """Projection onto the image of a region that can project."""

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


class AffineRestrictor(_Image[Restrictor], Restrictor):
    """Restrictions of the image of a region that can be restricted."""

    @property
    def together(self) -> int:
        return self.inner.together

    def part(self, x: Array, places: Indices) -> Restriction:
        offset = None if self.map.offset is None else self.map.offset[places]
        part = self.inner.part(self.map.back(x), places)
        return AffineRestriction(part, self.map.factor, offset)

    def candidates(self, x: Array, g: Array, above: float, count: int, most: int) -> Indices:
        above = (above - self.map.along(g)) / self.map.size
        return self.inner.candidates(self.map.back(x), self.map.toward(g), above, count, most)


class AffineRestriction:
    """Restriction of a scaled and shifted region, by that of the inner region."""

    def __init__(self, part: Restriction, factor: float, offset: Array | None) -> None:
        self._part, self._factor = part, factor
        self._offset: Array | float = 0.0 if offset is None else offset

    def gap(self, r: Array, x: Array) -> float:
        return self._part.gap(self._factor * r, (x - self._offset) / self._factor)

    def minimize(self, H: Array, c: Array, x: Array, tolerance: float) -> Array:
        moved = c + H @ np.broadcast_to(self._offset, x.shape)
        y = (x - self._offset) / self._factor
        found = self._part.minimize(self._factor**2 * H, self._factor * moved, y, tolerance)
        return np.asarray(self._factor * found + self._offset)


class AffineFaces(_Image[Faces], Faces):
    """Faces of the image of a region."""

    @property
    def costly_faces(self) -> bool:
        return self.inner.costly_faces

    def face_atom(self, g: Array, x: Array) -> Atom:
        return self.map.beside(self.inner.face_atom(self.map.toward(g), self.map.back(x)), g)

    def snap_to_face(self, x: Array) -> Array:
        return self.map.image(self.inner.snap_to_face(self.map.back(x)))

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        return self.inner.longest_step(self.map.back(x), where, d / self.map.factor)


class AffineFormulation(_Image[Formulation], Formulation):
    """Standard form of the image of a region."""

    def standard_form(self, n: int) -> StandardForm | None:
        found = self.inner.standard_form(n)
        if found is None:
            return None
        atoms = [multiple(atom, self.map.factor, None) for atom in found.atoms]
        center = np.zeros(n) if found.center is None else found.center
        return replace(found, atoms=atoms, center=self.map.image(center))


class AffineExactBound(_Image[ExactBound], ExactBound):
    """Bounds of linear functions over the image of a region."""

    def least(self, g: Doubled) -> Fraction:
        inner = self.inner.least(g if self.map.sign > 0.0 else g.times(np.array(-1.0)))
        found = Fraction(self.map.size) * inner
        return found if self.map.offset is None else found + g.dot(self.map.offset).low


class AffineQuadraticMinimizer(_Image[QuadraticMinimizer], QuadraticMinimizer):
    """Minimizers of quadratic models over the image of a region."""

    def quadratic_step(self, H: Array, g: Array, x: Array) -> Array | None:
        c = self.map.factor
        y = self.inner.quadratic_step(c**2 * H, c * g, self.map.back(x))
        return None if y is None else self.map.image(y)


class AffineCoordinateScores(_Image[CoordinateScores], CoordinateScores):
    """Scores of the coordinates of a multiple of a region."""

    def merit(self, g: Array) -> Array:
        return self.inner.merit(self.map.toward(g))

    def passed_by(self, found: Array) -> float:
        return self.map.sign * self.inner.passed_by(self.map.toward(found))


class AffineEntryBounds(_Image[EntryBounds], EntryBounds):
    """Bounds of the entries of the image of a region."""

    def bounds(self, n: int) -> tuple[Array, Array]:
        ends = [self.map.image(end.astype(np.float64)) for end in self.inner.bounds(n)]
        return (ends[0], ends[1]) if self.map.sign > 0.0 else (ends[1], ends[0])


IMAGES: dict[type, Callable[..., object]] = {
    Projector: AffineProjector,
    Restrictor: AffineRestrictor,
    Faces: AffineFaces,
    Formulation: AffineFormulation,
    ExactBound: AffineExactBound,
    QuadraticMinimizer: AffineQuadraticMinimizer,
    CoordinateScores: AffineCoordinateScores,
    EntryBounds: AffineEntryBounds,
}


def image_of(inner: A, kind: type[A], affine: AffineMap) -> A | None:
    """Ability of a region's image, made of the region's own."""
    made = IMAGES.get(kind)
    return None if made is None else cast("A", made(inner, affine))
