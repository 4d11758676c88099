"""Scaled and shifted regions: all abilities follow from the inner region."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Shape
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import Atom
from frankwolfe.core.feasibility import spacing
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Accuracy, InexactAtom, OracleMemory
from frankwolfe.regions.around.affine_abilities import image_of
from frankwolfe.regions.around.affine_map import AffineMap
from frankwolfe.regions.around.wrapped import A, Wrapped, a_region

__all__ = ["AffineWrapper"]


@dataclass(slots=True)
class AffineMemory(Memory):
    """Memory of the inner oracle, and a buffer for the image of its atom."""

    inner: Memory
    room: Array


class AffineWrapper(Wrapped):
    """Image factor·C + offset of a region C of vectors; factor is 1 or offset is None."""

    def __init__(self, region: Region, factor: float, offset: Array | None) -> None:
        super().__init__(a_region("region", region, vectors=True))
        self.factor, self.offset = factor, offset
        self.map = AffineMap(factor, offset)
        self.sparse_atoms = self.sparse_atoms and offset is None

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        if out is None and not self.sparse_atoms:
            out = np.empty_like(g)
        return self.map.placed(self.region.ask(self.map.toward(g), out), g.size, out)

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> Memory:
        if self.exact_oracle:
            return Region.oracle_memory(self, shape, dtype)
        return AffineMemory(self.region.oracle_memory(shape, dtype), np.empty(shape, dtype=dtype))

    def inexact_lmo(self, g: Array, memory: OracleMemory, wanted: Accuracy) -> InexactAtom:
        if self.exact_oracle:
            return Region.inexact_lmo(self, g, memory, wanted)
        along = self.map.along(g)
        # <g, cy + a> = |c| <± g, y> + <g, a>: values and errors of y scale by |c|
        above, slack = (wanted.above - along) / self.map.size, wanted.slack / self.map.size
        inner = Accuracy(above, slack, wanted.share, wanted.between)
        atom, value, error = self.region.inexact_lmo(self.map.toward(g), memory.inner, inner)
        value = self.map.size * value + along
        return self.map.placed(atom, g.size, memory.room), value, self.map.size * error

    def failure_probability(self, memory: OracleMemory) -> float:
        return 0.0 if self.exact_oracle else self.region.failure_probability(memory.inner)

    def several(self, g: Array, count: int) -> list[Atom]:
        atoms = self.region.several(self.map.toward(g), count)
        return [self.map.beside(atom, g) for atom in atoms]

    def ability(self, kind: type[A]) -> A | None:
        inner = self.region.ability(kind)
        return None if inner is None else image_of(inner, kind, self.map)

    def decompose(self, x: Array) -> list[tuple[float, Atom]] | None:
        found = self.region.decompose(self.map.back(x))
        return None if found is None else [(w, self.map.beside(atom, x)) for w, atom in found]

    def diameter(self, n: int) -> float:
        return self.map.size * self.region.diameter(n)

    def reach(self, weights: Array, n: int) -> float:
        away = 0.0 if self.offset is None else float((weights * np.abs(self.offset)).sum())
        return self.map.size * self.region.reach(weights, n) + away

    def resolution(self, n: int, dtype: Dtype) -> float:
        inner = self.region.resolution(n, dtype)
        if inner == 0.0:  # not known
            return 0.0
        away = 0.0 if self.offset is None else float(np.abs(self.offset).max())
        size = self.diameter(n) or self.map.size * float(np.abs(self.region.start(n)).max())
        size = size or away or 1.0
        return max(inner, spacing(dtype, size + away, size))

    def violation(self, x: Array) -> float:
        return self.region.violation(self.map.back(np.asarray(x, dtype=np.float64)))

    def inside(self, x: Array) -> Array:
        y = self.map.back(x)
        moved = self.region.inside(y.copy())
        return x if np.array_equal(moved, y) else self.map.image(moved)

    def snap(self, x: Array) -> Array:
        y = self.map.back(x)
        snapped = self.region.snap(y.copy())
        changed = snapped != y
        if changed.any():
            np.copyto(x, self.map.image(snapped), where=changed & ~np.isnan(y))
        return x

    def start(self, n: int) -> Array:
        return self.map.image(self.region.start(n))

    def middle(self, n: int) -> Array:
        return self.map.image(self.region.middle(n))
