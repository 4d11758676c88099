"""Products of regions over blocks of the variables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, Self, TypeVar, cast

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Indices, Shape
from frankwolfe.base.checks import at_least_one
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import Atom, Dense, Sparse, Vertex
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import (
    Accuracy,
    ExactBound,
    Faces,
    Formulation,
    InexactAtom,
    OracleMemory,
)
from frankwolfe.core.standard_form.form import StandardForm, side_by_side
from frankwolfe.regions.around.together import all_able, all_formulated, ask_all, doubt, memories
from frankwolfe.regions.balls.box import Box
from frankwolfe.regions.balls.l2_ball import L2Ball
from frankwolfe.regions.simplices.simplex import Simplex, UnitSimplex

__all__ = ["Product"]

A = TypeVar("A")

WANTED = "blocks must be pairs (region, size), such as [(Simplex(), 3), (L2Ball(), 2)]"


class Product(Region, Faces, Formulation, ExactBound):
    """The product of regions: consecutive blocks of x, each in a region of its own.

    Parameters
    ----------
    blocks : iterable of (Region, int)
        The region and the number of variables of each block.

    Attributes
    ----------
    regions : tuple of Region
        The region of each block.
    blocks : tuple of slice
        Where each block lies in x.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> both = fw.Product([(fw.Simplex(), 2), (fw.Box(-1.0, 1.0), 3)])
    >>> both.lmo(np.array([2.0, 1.0, 3.0, -1.0, 4.0])).dense(5)
    array([ 0.,  1., -1.,  1., -1.])
    >>> both.blocks
    (slice(0, 2, None), slice(2, 5, None))
    """

    family = "combined"
    formula = r"C_1 \times \dots \times C_m"
    atom = "an atom of each"
    cost = "the sum of theirs"

    def __init__(self, blocks: Iterable[tuple[Region, int]]) -> None:
        pairs = _pairs(blocks)
        self.regions = tuple(region for region, _ in pairs)
        self.sizes = tuple(size for _, size in pairs)
        ends = np.cumsum(self.sizes).tolist()
        self.blocks = tuple(map(slice, [0, *ends[:-1]], ends))
        self.dimension = ends[-1]
        self.polytope = all(region.polytope for region in self.regions)
        self.exactness = max(region.exactness for region in self.regions)

    @property
    def exact_oracle(self) -> bool:
        return all(region.exact_oracle for region in self.regions)

    def ability(self, kind: type[A]) -> A | None:
        """Ability of the product, where all regions have it."""
        found = super().ability(kind)
        if found is None or kind is Formulation:  # which says itself that a part has none
            return found
        return None if all_able(self.regions, kind) is None else found

    def _each(self, kind: type[A]) -> Iterator[tuple[A, slice]]:
        """Ability of each region, with its block."""
        parts = all_able(self.regions, kind)
        assert parts is not None
        return zip(parts, self.blocks, strict=True)

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        out = np.empty_like(g) if out is None else out
        each = zip(self.regions, self.blocks, strict=True)
        atoms = [region.ask(g[block], out[block]) for region, block in each]
        if any(isinstance(atom, Dense) for atom in atoms):
            return self._dense(atoms, out)
        return self._sparse(atoms, g.dtype)

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> Memory:
        if self.exact_oracle:
            return super().oracle_memory(shape, dtype)
        return memories(self.regions, self.sizes, dtype, sum(self.sizes))

    def inexact_lmo(self, g: Array, memory: OracleMemory, wanted: Accuracy) -> InexactAtom:
        """Inexact oracle of all blocks, whose errors add up."""
        if self.exact_oracle:
            return super().inexact_lmo(g, memory, wanted)
        parts = [g[block] for block in self.blocks]
        atoms, value, error = ask_all(self.regions, parts, memory, wanted)
        return self._gathered(atoms, memory.array), value, error

    def failure_probability(self, memory: OracleMemory) -> float:
        return 0.0 if self.exact_oracle else doubt(self.regions, memory)

    def _gathered(self, atoms: list[Atom], out: Array) -> Atom:
        """Joint atom of one atom a block, in `out` where some are dense."""
        if not any(isinstance(atom, Dense) for atom in atoms):
            return self._sparse(atoms, out.dtype)
        for atom, block in zip(atoms, self.blocks, strict=True):
            if isinstance(atom, Dense):
                out[block] = atom.array
        return self._dense(atoms, out)

    def _dense(self, atoms: list[Atom], out: Array) -> Atom:
        """Joint atom in `out`, where the dense blocks already are."""
        for atom, block in zip(atoms, self.blocks, strict=True):
            if not isinstance(atom, Dense):
                out[block] = 0.0
                atom.add_to(out[block], 1.0)
        return Dense(out)

    def _sparse(self, atoms: list[Atom], dtype: Dtype) -> Atom:
        """Sparse joint atom: the entries of all blocks, one after the other."""
        if all(isinstance(atom, Vertex) for atom in atoms):
            pairs = list(zip(cast("list[Vertex]", atoms), self.blocks, strict=True))
            places = np.array([block.start + atom.index for atom, block in pairs])
            return Sparse(places, np.array([atom.value for atom, _ in pairs], dtype=dtype))
        indices, values = [], []
        for atom, block in zip(atoms, self.blocks, strict=True):
            if isinstance(atom, Vertex):
                indices.append(np.array([block.start + atom.index]))
                values.append(np.array([atom.value], dtype=dtype))
            else:
                assert isinstance(atom, Sparse)
                indices.append(block.start + atom.indices)
                values.append(atom.values)
        return Sparse(np.concatenate(indices), np.concatenate(values))

    def standard_form(self, n: int) -> StandardForm | None:
        frames = all_formulated(zip(self.regions, self.sizes, strict=True))
        if frames is None:
            return None
        center, atoms = np.zeros(n), []
        for frame, block in zip(frames, self.blocks, strict=True):
            if frame.center is not None:
                center[block] = frame.center
            atoms += [_placed(atom, block, n) for atom in frame.atoms]
        return side_by_side(frames, atoms, center)

    def diameter(self, n: int) -> float:
        each = zip(self.regions, self.sizes, strict=True)
        return math.hypot(*(region.diameter(size) for region, size in each))

    def reach(self, weights: Array, n: int) -> float:
        each = np.broadcast_to(weights, (n,))
        parts = zip(self.regions, self.blocks, self.sizes, strict=True)
        return sum(region.reach(each[block], size) for region, block, size in parts)

    def least(self, g: Doubled) -> Fraction:
        each = self._each(ExactBound)
        return sum((bound.least(g.at(block)) for bound, block in each), Fraction(0))

    def inside(self, x: Array) -> Array:
        each = zip(self.regions, self.blocks, strict=True)
        return np.concatenate([region.inside(x[block]) for region, block in each])

    def violation(self, x: Array) -> float:
        x = np.asarray(x)
        each = zip(self.regions, self.blocks, strict=True)
        return max(region.violation(x[block]) for region, block in each)

    def resolution(self, n: int, dtype: Dtype) -> float:
        each = zip(self.regions, self.sizes, strict=True)
        return max(region.resolution(size, dtype) for region, size in each)

    def start(self, n: int) -> Array:
        each = zip(self.regions, self.sizes, strict=True)
        return np.concatenate([region.start(size) for region, size in each])

    def face_atom(self, g: Array, x: Array) -> Atom:
        atoms = [faces.face_atom(g[block], x[block]) for faces, block in self._each(Faces)]
        return self._gathered(atoms, np.empty_like(g))

    def snap_to_face(self, x: Array) -> Array:
        return np.concatenate([faces.snap_to_face(x[block]) for faces, block in self._each(Faces)])

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        longest = math.inf
        for faces, block in self._each(Faces):
            here = (where >= block.start) & (where < block.stop)
            if here.any():
                step = faces.longest_step(x[block], where[here] - block.start, d[here])
                longest = min(longest, step)
        return longest

    def middle(self, n: int) -> Array:
        each = zip(self.regions, self.sizes, strict=True)
        return np.concatenate([region.middle(size) for region, size in each])

    def snap(self, x: Array) -> Array:
        for region, block in zip(self.regions, self.blocks, strict=True):
            region.snap(x[block])
        return x

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        if n < 4:
            return [cls([(Simplex(1.5), n)]), cls([(L2Ball(1.3), n), (UnitSimplex(), 1)])]
        return [
            cls([(Simplex(), 2), (L2Ball(1.3), n - 2)]),
            cls([(UnitSimplex(2.0), n - 3), (cls([(Simplex(), 2), (Box(-0.5, 1.0), 1)]), 3)]),
            cls([(Simplex(1.5), 3), (UnitSimplex(), n - 3)]),
        ]

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [self.sizes, *(r.fingerprint() for r in self.regions)])

    def __repr__(self) -> str:
        parts = [f"{r!r} on {size}" for r, size in zip(self.regions, self.sizes, strict=True)]
        shown = parts if len(parts) <= 4 else [*parts[:2], f"... {len(parts) - 3} more", parts[-1]]
        return f"Product({' x '.join(shown)} variables)"


def _placed(atom: Atom, block: slice, n: int) -> Atom:
    """Atom of one block, embedded in all n variables."""
    if isinstance(atom, Vertex):
        return Vertex(block.start + atom.index, atom.value)
    if isinstance(atom, Sparse):
        return Sparse(block.start + atom.indices, atom.values)
    whole = np.zeros(n)
    atom.add_to(whole[block], 1.0)
    return Dense(whole)


def _pairs(blocks: Any) -> list[tuple[Region, int]]:
    """Validate the blocks, and return them as pairs (region, size)."""
    try:
        pairs = [(region, size) for region, size in blocks]
    except (TypeError, ValueError):
        raise InvalidInput(f"{WANTED}, got {str(blocks)[:40]!r}.") from None
    if not pairs:
        raise InvalidInput(f"{WANTED}, got none.")
    for region, size in pairs:
        if not isinstance(region, Region):
            raise InvalidInput(f"{WANTED}, got {type(region).__name__} for a region.")
        at_least_one("the size of a block", size)
        if region.dimension not in (None, size):
            raise InvalidInput(
                f"the region {region!r} has {region.dimension} variables, its block {size}."
            )
        region.check_dimension(int(size))
    return [(region, int(size)) for region, size in pairs]
