"""What an oracle returns: a point of the region, at the cost of what it stores.

An atom knows its dot product with a gradient, how to add itself to a buffer, and which
product gives its image under a linear map, so that a vertex of the l1 ball costs O(1)
and a permutation matrix O(its ones), where a dense point costs O(n).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.kernels import vectors

__all__ = ["Atom", "Dense", "LinearMap", "RankOne", "Sparse", "Vertex", "entries", "unpack_atom"]


class LinearMap(Protocol):
    """A linear map A, as an atom needs it."""

    def apply(self, x: Array, out: Array) -> None:
        """out = A x, for a vector or, in data, a matrix x."""

    def column(self, index: int, scale: float, out: Array) -> None:
        """out = scale times column `index` of A."""

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        """out = the sum of `values` times columns `indices` of A."""


class Atom(Protocol):
    """A point of a region."""

    def dot(self, g: Any) -> float:
        """Inner product with `g`."""

    def add_to(self, buffer: Array, weight: float) -> None:
        """buffer += weight * atom."""

    def dense(self, n: Any) -> Array:
        """The atom as a new array of that shape."""

    def image(self, linear: Any, out: Array) -> None:
        """out = A times the atom."""

    def pack(self) -> dict[str, Array]:
        """Arrays from which `unpack_atom` builds the atom again."""


@dataclass(slots=True)
class Vertex:
    """`value` times the unit vector `index`.

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

    def pack(self) -> dict[str, Array]:
        return {"vertex": np.array([self.index, self.value], dtype=np.float64)}


@dataclass(slots=True)
class Sparse:
    """`values` at `indices`, zero elsewhere; the indices are distinct and increase.

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

    def pack(self) -> dict[str, Array]:
        return {"indices": self.indices, "values": self.values}  # type: ignore[dict-item]


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


@dataclass(slots=True)
class RankOne:
    """The matrix scale * u v', as two unit vectors and a number."""

    scale: float
    u: Array
    v: Array

    def dot(self, g: Any) -> float:
        """<G, scale u v'> = scale u' G v, for a matrix with `apply` or a dense one."""
        if isinstance(g, np.ndarray):
            return self.scale * float(self.u @ g @ self.v)
        out = g.place.empty(self.u.size, np.float64)
        g.apply(self.v, out)
        return self.scale * float(self.u @ out)

    def add_to(self, buffer: Array, weight: float) -> None:
        buffer += weight * self.scale * np.outer(self.u, self.v).reshape(buffer.shape)

    def dense(self, n: Any) -> Array:
        return self.scale * np.outer(self.u, self.v)

    def image(self, linear: Any, out: Array) -> None:
        linear.rank_one(self.scale, self.u, self.v, out)

    def pack(self) -> dict[str, Array]:
        return {"u": self.u, "v": self.v, "scale": np.asarray(self.scale)}


def entries(atom: Atom) -> tuple[Indices, Array]:
    """Indices and values of a vector's entries."""
    if isinstance(atom, Vertex):
        return np.array([atom.index]), np.array([atom.value])
    if isinstance(atom, Sparse):
        return atom.indices, atom.values
    if isinstance(atom, Dense):
        return np.arange(atom.array.size), atom.array
    raise TypeError(f"a vector is needed, not {type(atom).__name__}")


def unpack_atom(arrays: Mapping[str, Array]) -> Atom:
    """The atom that `pack` took apart."""
    if "vertex" in arrays:
        index, value = arrays["vertex"]
        return Vertex(int(index), float(value))
    if "indices" in arrays:
        return Sparse(arrays["indices"].copy(), arrays["values"].copy())  # type: ignore[arg-type]
    if "u" in arrays:
        return RankOne(float(arrays["scale"]), arrays["u"].copy(), arrays["v"].copy())
    return Dense(arrays["dense"].copy())
