"""What an oracle returns: a point of the region, at the cost of what it stores.

An atom knows its dot product with a gradient, how to add itself to a buffer, and which
product gives its image under a linear map, so that a vertex of the l1 ball costs O(1)
where a dense point costs O(n).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from frankwolfe.arrays import Array
from frankwolfe.kernels import vectors

__all__ = ["Atom", "Dense", "LinearMap", "Vertex", "unpack_atom"]


class LinearMap(Protocol):
    """A linear map A, as an atom needs it."""

    def apply(self, x: Array, out: Array) -> None:
        """out = A x."""

    def column(self, index: int, scale: float, out: Array) -> None:
        """out = scale times column `index` of A."""


class Atom(Protocol):
    """A point of a region."""

    def dot(self, g: Array) -> float:
        """Inner product with `g`."""

    def add_to(self, buffer: Array, weight: float) -> None:
        """buffer += weight * atom."""

    def dense(self, n: int) -> Array:
        """The atom as a new array of n entries."""

    def image(self, linear: LinearMap, out: Array) -> None:
        """out = A times the atom."""

    def pack(self) -> dict[str, Array]:
        """Arrays from which `unpack_atom` builds the atom again."""


@dataclass(slots=True)
class Vertex:
    """`value` times the unit vector `index`.

    Examples
    --------
    >>> from frankwolfe.atoms import Vertex
    >>> Vertex(1, -3.0).dense(3)
    array([ 0., -3.,  0.])
    """

    index: int
    value: float

    def dot(self, g: Array) -> float:
        return self.value * float(g[self.index])

    def add_to(self, buffer: Array, weight: float) -> None:
        buffer[self.index] += weight * self.value

    def dense(self, n: int) -> Array:
        x = np.zeros(n)
        x[self.index] = self.value
        return x

    def image(self, linear: LinearMap, out: Array) -> None:
        linear.column(self.index, self.value, out)

    def pack(self) -> dict[str, Array]:
        return {"vertex": np.array([self.index, self.value], dtype=np.float64)}


@dataclass(slots=True)
class Dense:
    """A point stored in full."""

    array: Array

    def dot(self, g: Array) -> float:
        return float(self.array.dot(g))

    def add_to(self, buffer: Array, weight: float) -> None:
        vectors.add_scaled(buffer, weight, self.array)

    def dense(self, n: int) -> Array:
        return self.array.copy()

    def image(self, linear: LinearMap, out: Array) -> None:
        linear.apply(self.array, out)

    def pack(self) -> dict[str, Array]:
        return {"dense": self.array}


def unpack_atom(arrays: Mapping[str, Array]) -> Atom:
    """The atom that `pack` took apart."""
    if "vertex" in arrays:
        index, value = arrays["vertex"]
        return Vertex(int(index), float(value))
    return Dense(arrays["dense"].copy())
