"""Atoms: the points that oracles return, stored in the form in which they are cheap.

An atom knows its dot product with a gradient, how to add itself to a buffer, and which
product gives its image under a linear map, so that a vertex of the l1 ball costs O(1)
and a permutation matrix O(its ones), where a dense point costs O(n).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Gradient, Indices, Variable
from frankwolfe.base.kernels import vectors

if TYPE_CHECKING:
    from frankwolfe.core.entries import Cells

__all__ = [
    "Atom",
    "Dense",
    "LinearMap",
    "RankOne",
    "Sparse",
    "Vertex",
    "stored_entries",
    "unpack_atom",
]


class LinearMap(Protocol):
    """A linear map A with the products that give the image of an atom."""

    def apply(self, x: Array, out: Array) -> None:
        """out = A x, for a vector or, in data, a matrix x."""

    def column(self, index: int, scale: float, out: Array) -> None:
        """out = scale times column `index` of A."""

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        """out = the sum of `values` times columns `indices` of A."""


class Atom(Protocol):
    """A point of a region, with the operations that methods need of it."""

    def dot(self, g: Gradient) -> float:
        """Inner product with the gradient g."""

    def add_to(self, buffer: Array, weight: float) -> None:
        """buffer += weight * atom."""

    def dense(self, n: Variable) -> Array:
        """The atom in full, as a new array of shape n."""

    def image(self, linear: Variable, out: Array) -> None:
        """out = A times the atom."""

    def pack(self) -> dict[str, AnyArray]:
        """Arrays from which `unpack_atom` builds the atom again."""


@dataclass(slots=True)
class Vertex:
    """The vector with `value` at `index` and zero elsewhere.

    Examples
    --------
    >>> from frankwolfe.core.atoms import Vertex
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

    def pack(self) -> dict[str, AnyArray]:
        return {"vertex": np.array([self.index, self.value], dtype=np.float64)}


@dataclass(slots=True)
class Sparse:
    """A vector with `values` at `indices`, distinct and increasing, and zero elsewhere.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.core.atoms import Sparse
    >>> Sparse(np.array([0, 2]), np.array([1.0, -3.0])).dense(4)
    array([ 1.,  0., -3.,  0.])
    """

    indices: Indices
    values: Array

    def dot(self, g: Array) -> float:
        return float(self.values.dot(g[self.indices]))

    def add_to(self, buffer: Array, weight: float) -> None:
        buffer[self.indices] += weight * self.values

    def dense(self, n: int) -> Array:
        x = np.zeros(n)
        x[self.indices] = self.values
        return x

    def image(self, linear: LinearMap, out: Array) -> None:
        linear.columns(self.indices, self.values, out)

    def pack(self) -> dict[str, AnyArray]:
        return {"indices": self.indices, "values": self.values}


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

    def pack(self) -> dict[str, AnyArray]:
        return {"dense": self.array}


@dataclass(slots=True)
class RankOne:
    """The matrix scale * u v', stored as two unit vectors and a number."""

    scale: float
    u: Array
    v: Array

    def dot(self, g: Gradient) -> float:
        """<G, scale u v'> = scale u' G v, for a matrix with `apply` or a dense one."""
        if isinstance(g, np.ndarray):
            return self.scale * float(self.u @ g @ self.v)
        out = g.place.empty(self.u.size, np.float64)
        g.apply(self.v, out)
        return self.scale * float(self.u @ out)

    def add_to(self, buffer: Array, weight: float) -> None:
        buffer += weight * self.scale * np.outer(self.u, self.v).reshape(buffer.shape)

    def dense(self, n: Variable) -> Array:
        return self.scale * np.outer(self.u, self.v)

    def image(self, linear: Cells, out: Array) -> None:
        linear.rank_one(self.scale, self.u, self.v, out)

    def pack(self) -> dict[str, AnyArray]:
        return {"u": self.u, "v": self.v, "scale": np.asarray(self.scale)}


def stored_entries(atom: Atom) -> tuple[Indices, Array]:
    """Indices and values of the entries that a vector atom stores."""
    if isinstance(atom, Vertex):
        return np.array([atom.index]), np.array([atom.value])
    if isinstance(atom, Sparse):
        return atom.indices, atom.values
    if isinstance(atom, Dense):
        return np.arange(atom.array.size), atom.array
    raise TypeError(f"a vector is needed, not {type(atom).__name__}")


def unpack_atom(arrays: Mapping[str, AnyArray]) -> Atom:
    """Make the atom again from the arrays of its `pack`."""
    if "vertex" in arrays:
        index, value = arrays["vertex"]
        return Vertex(int(index), float(value))
    if "indices" in arrays:
        return Sparse(arrays["indices"].copy(), arrays["values"].copy())
    if "u" in arrays:
        return RankOne(float(arrays["scale"]), arrays["u"].copy(), arrays["v"].copy())
    return Dense(arrays["dense"].copy())
