"""Base class of regions that delegate to an inner region."""

from __future__ import annotations

from typing import TypeVar

from frankwolfe.base.arrays import Array, Dtype, Point, Shape, Variable
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import Atom
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import (
    Accuracy,
    Factoring,
    Gradient,
    InexactAtom,
    OracleMemory,
)

__all__ = ["Wrapped", "a_region"]

A = TypeVar("A")


class Wrapped(Region):
    """Region that delegates all abilities to `region`; a subclass changes what differs.

    The compiled oracle is left out, for it would bypass the subclass, and so is `trust_region`,
    which is true of balls alone.
    """

    def __init__(self, region: Region) -> None:
        self.region = a_region("region", region)
        self.polytope, self.strongly_convex = region.polytope, region.strongly_convex
        self.sparse_atoms, self.many_vertices = region.sparse_atoms, region.many_vertices
        self.matrix, self.dimension = region.matrix, region.dimension
        self.costly_oracle, self.loose_diameter = region.costly_oracle, region.loose_diameter
        self.exactness = region.exactness

    @property
    def strictly_convex(self) -> bool:
        return self.region.strictly_convex

    @property
    def flat_faces(self) -> bool:
        return self.region.flat_faces

    def ability(self, kind: type[A]) -> A | None:
        return self.region.ability(kind)

    @property
    def exact_oracle(self) -> bool:
        return self.region.exact_oracle

    @property
    def factoring(self) -> Factoring | None:
        return self.region.factoring

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        return self.region.ask(g, out)

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> Memory:
        return self.region.oracle_memory(shape, dtype)

    def inexact_lmo(self, g: Gradient, memory: OracleMemory, wanted: Accuracy) -> InexactAtom:
        return self.region.inexact_lmo(g, memory, wanted)

    def failure_probability(self, memory: OracleMemory) -> float:
        return self.region.failure_probability(memory)

    def several(self, g: Array, count: int) -> list[Atom]:
        return self.region.several(g, count)

    def decompose(self, x: Array) -> list[tuple[float, Atom]] | None:
        return self.region.decompose(x)

    def diameter(self, n: Variable) -> float:
        return self.region.diameter(n)

    def reach(self, weights: Array, n: int) -> float:
        return self.region.reach(weights, n)

    def resolution(self, n: Variable, dtype: Dtype) -> float:
        return self.region.resolution(n, dtype)

    def violation(self, x: Point) -> float:
        return self.region.violation(x)

    def inside(self, x: Array) -> Array:
        return self.region.inside(x)

    def snap(self, x: Point) -> Point:
        return self.region.snap(x)

    def start(self, n: Variable) -> Point:
        return self.region.start(n)

    def middle(self, n: Variable) -> Point:
        return self.region.middle(n)

    def check_dimension(self, n: Variable) -> None:
        self.region.check_dimension(n)
        if self.dimension is not None:  # its own, where the inner region takes any number
            super().check_dimension(n)

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [self.region.fingerprint()])


def a_region(name: str, given: object, *, vectors: bool = False) -> Region:
    """Validate that `given` is a region, and one of vectors where that is asked for."""
    if not isinstance(given, Region):
        raise InvalidInput(
            f"{name} must be a region such as Simplex(), got {type(given).__name__}."
        )
    if vectors and given.matrix:
        raise InvalidInput(
            f"{name} must be a region of vectors, but {given!r} holds matrices: use regions of "
            "their entries, such as SpectralBall or Fantope."
        )
    return given
