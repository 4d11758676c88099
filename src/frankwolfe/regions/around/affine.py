"""Scaled and shifted regions: all abilities follow from the inner region."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Indices, Shape
from frankwolfe.base.checks import all_finite
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import Atom, Dense, Sparse, Vertex
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.feasibility import spacing
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import (
    Accuracy,
    InexactAtom,
    OracleMemory,
    Projection,
    Restriction,
)
from frankwolfe.core.standard_form.form import StandardForm
from frankwolfe.regions.around.wrapped import Wrapped, a_region

__all__ = ["AffineWrapper"]


@dataclass(slots=True)
class AffineMemory(Memory):
    """Memory of the inner oracle, and a buffer for the image of its atom."""

    inner: Memory
    room: Array


def multiple(atom: Atom, factor: float, out: Array | None) -> Atom:
    """Multiple of an atom, as sparse as the atom; a dense one is written into `out`, or new."""
    if isinstance(atom, Vertex):
        return Vertex(atom.index, factor * atom.value)
    if isinstance(atom, Sparse):
        return Sparse(atom.indices, factor * atom.values)
    assert isinstance(atom, Dense)
    return Dense(np.multiply(atom.array, factor, out=out))


class AffineWrapper(Wrapped):
    """Image factor·C + offset of a region C of vectors; factor is 1 or offset is None."""

    def __init__(self, region: Region, factor: float, offset: Array | None) -> None:
        super().__init__(a_region("region", region, vectors=True))
        self.factor, self.offset = factor, offset
        self._size, self._sign = abs(factor), 1.0 if factor > 0.0 else -1.0
        self._exact = not region.offers(Region.inexact_lmo)
        self.sparse_atoms = self.sparse_atoms and offset is None

    def _inner(self, x: Array, places: Indices | slice = slice(None)) -> Array:
        """Preimage y = (x - offset)/factor of some of the entries of x, of the type of x."""
        y = x if self.offset is None else x - self.offset[places]
        return (y / self.factor).astype(x.dtype, copy=False)

    def _outer(self, y: Array) -> Array:
        """Image x = factor·y + offset, of the type of y."""
        x = self.factor * y
        return (x if self.offset is None else x + self.offset).astype(y.dtype, copy=False)

    def _toward(self, g: Array) -> Array:
        """Gradient ± g for y with the same minimizers; entries that are not finite become NaN."""
        if self._sign > 0.0:
            return g
        turned = -g
        return turned if all_finite(turned) else np.where(np.isfinite(turned), turned, np.nan)

    def _along(self, g: Array) -> float:
        """Inner product <g, offset>, zero without an offset."""
        return 0.0 if self.offset is None else float(g.dot(self.offset))

    def _placed(self, atom: Atom, n: int, out: Array | None) -> Atom:
        """Image of an atom; a dense one is written into `out`, or into a new vector."""
        if self.offset is None:
            return multiple(atom, self.factor, out)
        assert out is not None
        if isinstance(atom, Dense):
            np.add(atom.array, self.offset, out=out)
        else:
            out[:] = self.offset
            atom.add_to(out, 1.0)
        return Dense(out)

    def _beside(self, atom: Atom, g: Array) -> Atom:
        """Image of an atom in the type of a gradient, rounded as the oracle rounds it.

        Coordinates have no type; rounded in two ways, one vertex would differ from itself.
        """
        return self._placed(atom, g.size, None if self.offset is None else np.empty_like(g))

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        g = self._gradient(g)
        if out is None and not self.sparse_atoms:
            out = np.empty_like(g)
        return self._placed(self.region.ask(self._toward(g), out), g.size, out)

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> Memory:
        if self._exact:
            return Region.oracle_memory(self, shape, dtype)
        return AffineMemory(self.region.oracle_memory(shape, dtype), np.empty(shape, dtype=dtype))

    def inexact_lmo(self, g: Array, memory: OracleMemory, wanted: Accuracy) -> InexactAtom:
        if self._exact:
            return Region.inexact_lmo(self, g, memory, wanted)
        along = self._along(g)
        # <g, cy + a> = |c| <± g, y> + <g, a>: values and errors of y scale by |c|
        above, slack = (wanted.above - along) / self._size, wanted.slack / self._size
        inner = Accuracy(above, slack, wanted.share, wanted.between)
        atom, value, error = self.region.inexact_lmo(self._toward(g), memory.inner, inner)
        value = self._size * value + along
        return self._placed(atom, g.size, memory.room), value, self._size * error

    def failure_probability(self, memory: OracleMemory) -> float:
        return 0.0 if self._exact else self.region.failure_probability(memory.inner)

    def several(self, g: Array, count: int) -> list[Atom]:
        atoms = self.region.several(self._toward(g), count)
        return [self._beside(atom, g) for atom in atoms]

    def project(self, p: Array) -> Projection | None:
        y = self._inner(p)
        found = self.region.project(y)
        if found is None:
            return None
        inner, x = found.bound, p.copy() if np.array_equal(found.x, y) else self._outer(found.x)

        def bound(g: Array, scale: float) -> float:
            assert inner is not None
            # <g, cy + a> = <cg, y> + <g, a>, and cg is c² scale times the way of y
            return inner(self.factor * g, self.factor**2 * scale) + self._along(g)

        return Projection(x, None if inner is None else bound)

    def quadratic_step(self, H: Array, g: Array, x: Array) -> Array | None:
        y = self.region.quadratic_step(self.factor**2 * H, self.factor * g, self._inner(x))
        return None if y is None else self._outer(y)

    def frame(self, n: int) -> StandardForm | None:
        found = self.region.frame(n)
        if found is None:
            return None
        atoms = [multiple(atom, self.factor, None) for atom in found.atoms]
        center = np.zeros(n) if found.center is None else found.center
        return replace(found, atoms=atoms, center=self._outer(center))

    def part(self, x: Array, places: Indices) -> Restriction:
        offset = None if self.offset is None else self.offset[places]
        return AffineRestriction(self.region.part(self._inner(x), places), self.factor, offset)

    def candidates(self, x: Array, g: Array, above: float, count: int, most: int) -> Indices:
        above = (above - self._along(g)) / self._size
        return self.region.candidates(self._inner(x), self._toward(g), above, count, most)

    def merit(self, g: Array) -> Array:
        return self.region.merit(self._toward(g))

    def passed_by(self, found: Array) -> float:
        return self._sign * self.region.passed_by(self._toward(found))

    def bounds(self, n: int) -> tuple[Array, Array]:
        ends = [self._outer(end.astype(np.float64)) for end in self.region.bounds(n)]
        return (ends[0], ends[1]) if self._sign > 0.0 else (ends[1], ends[0])

    def decompose(self, x: Array) -> list[tuple[float, Atom]] | None:
        found = self.region.decompose(self._inner(x))
        return None if found is None else [(w, self._beside(atom, x)) for w, atom in found]

    def face_atom(self, g: Array, x: Array) -> Atom:
        return self._beside(self.region.face_atom(self._toward(g), self._inner(x)), g)

    def snap_to_face(self, x: Array) -> Array:
        return self._outer(self.region.snap_to_face(self._inner(x)))

    def _room(self, x: Array, where: Indices, d: Array) -> float:
        return self.region._room(self._inner(x), where, d / self.factor)

    def diameter(self, n: int) -> float:
        return self._size * self.region.diameter(n)

    def reach(self, weights: Array, n: int) -> float:
        away = 0.0 if self.offset is None else float((weights * np.abs(self.offset)).sum())
        return self._size * self.region.reach(weights, n) + away

    def resolution(self, n: int, dtype: Dtype) -> float:
        inner = self.region.resolution(n, dtype)
        if inner == 0.0:  # not known
            return 0.0
        away = 0.0 if self.offset is None else float(np.abs(self.offset).max())
        size = self.diameter(n) or self._size * float(np.abs(self.region.start(n)).max())
        size = size or away or 1.0
        return max(inner, spacing(dtype, size + away, size))

    def least(self, g: Doubled) -> Fraction:
        inner = self.region.least(g if self._sign > 0.0 else g.times(np.array(-1.0)))
        found = Fraction(self._size) * inner
        return found if self.offset is None else found + g.dot(self.offset).low

    def violation(self, x: Array) -> float:
        return self.region.violation(self._inner(np.asarray(x, dtype=np.float64)))

    def inside(self, x: Array) -> Array:
        y = self._inner(x)
        moved = self.region.inside(y.copy())
        return x if np.array_equal(moved, y) else self._outer(moved)

    def snap(self, x: Array) -> Array:
        y = self._inner(x)
        snapped = self.region.snap(y.copy())
        changed = snapped != y
        if changed.any():
            np.copyto(x, self._outer(snapped), where=changed & ~np.isnan(y))
        return x

    def start(self, n: int) -> Array:
        return self._outer(self.region.start(n))

    def middle(self, n: int) -> Array:
        return self._outer(self.region.middle(n))


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
