"""Vectors by name, the hash of their entries: shards keep them, so that names are sent again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import NamedTuple, TypeVar

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Indices, Matrix
from frankwolfe.core.atoms import Atom, Sparse, Vertex
from frankwolfe.core.products import as_columns

__all__ = [
    "Each",
    "NamedAtoms",
    "NamedVector",
    "Recent",
    "Unknown",
    "named",
    "named_atoms",
    "named_columns",
]

SPARSE_RATIO = 8  # entries to non-zeros; sparser vectors go, and are multiplied, by these
MAX_NAMES = 16  # remembered by default: more than the points of a step and its line search

K = TypeVar("K")  # a name
V = TypeVar("V")


class Unknown(NamedTuple):
    """Answer of a shard that does not know a name, for it was made again."""

    name: bytes


class Each:
    """Argument that differs between shards, as a function of their position.

    `brief` leaves out what shards know already; `full`, if given, does not.
    """

    def __init__(
        self, brief: Callable[[int], object], full: Callable[[int], object] | None = None
    ) -> None:
        self.brief, self.full = brief, full or brief


class NamedVector(NamedTuple):
    """Vector with its name: dense, by its non-zero entries and `places`, or the name alone."""

    name: bytes
    entries: Array | None
    places: Indices | None

    def alone(self) -> NamedVector:
        """Name without the vector, for shards that know it."""
        return NamedVector(self.name, None, None)

    @property
    def nbytes(self) -> int:
        """Bytes to send the vector."""
        return 16 + sum(part.nbytes for part in self[1:] if isinstance(part, np.ndarray))

    def as_atom(self) -> Atom | None:
        """Sparse atom of a vector that came by its entries; None if it is dense."""
        return None if self.places is None else Sparse(self.places, _present(self.entries))

    def vector(self, n: int) -> Array:
        """Dense vector of n entries."""
        if self.places is None:
            return self.dense()
        x = np.zeros(n, dtype=_present(self.entries).dtype)
        x[self.places] = _present(self.entries)
        return x

    def dense(self) -> Array:
        """Dense vector, if it came so."""
        return _present(self.entries)


class NamedAtoms(NamedTuple):
    """Atoms with their name: indices and values of vertices, or columns of a sparse matrix."""

    name: bytes
    places: Indices
    values: Matrix  # an array, or the sparse matrix

    @property
    def nbytes(self) -> int:
        """Bytes to send the atoms."""
        return 16 + self.places.nbytes + int(getattr(self.values, "nbytes", 0))

    def atoms(self) -> list[Atom]:
        """Atoms that were named."""
        if self.places.size:
            pairs = zip(self.places.tolist(), self.values.tolist(), strict=True)
            return [Vertex(place, value) for place, value in pairs]
        columns = self.values
        ends = columns.indptr
        parts = [slice(*ends[j : j + 2]) for j in range(columns.shape[1])]
        return [Sparse(columns.indices[part], columns.data[part]) for part in parts]


def named(x: Array) -> NamedVector:
    """Vector with its name, by its non-zero entries if these are few."""
    name = _digest(x.dtype.char.encode(), x)
    places = np.flatnonzero(x)
    if SPARSE_RATIO * places.size < x.size:
        return NamedVector(name, x[places], places)
    return NamedVector(name, np.array(x), None)


def named_columns(columns: Matrix) -> NamedAtoms:
    """Columns of a CSC matrix, whose indices are sorted, with their name."""
    columns.sort_indices()  # equal columns have equal names
    parts = (columns.indptr, columns.indices, columns.data)
    return NamedAtoms(_digest(b"m", *parts), np.empty(0, dtype=np.int64), columns)


def named_atoms(atoms: Sequence[Atom], n: int) -> NamedAtoms:
    """Atoms of n entries with their name: all vertices, or columns of a sparse matrix."""
    if all(isinstance(atom, Vertex) for atom in atoms):
        places = np.array([atom.index for atom in atoms])  # type: ignore[attr-defined]
        values = np.array([atom.value for atom in atoms])  # type: ignore[attr-defined]
        return NamedAtoms(_digest(b"v", places, values), places, values)
    return named_columns(as_columns(atoms, n).tocsc())


class Recent(OrderedDict[K, V]):
    """Cache of the `most` values that were used last, by name."""

    def __init__(self, most: int = MAX_NAMES) -> None:
        super().__init__()
        self.most = most

    def find(self, name: K) -> V | None:
        """Value of that name, or None."""
        if name in self:
            self.move_to_end(name)
            return self[name]
        return None

    def keep(self, name: K, what: V) -> V:
        """Remember a value, in place of the oldest if there is no room, and return it."""
        self[name] = what
        while len(self) > self.most:
            self.popitem(last=False)
        return what


def _digest(kind: bytes, *arrays: AnyArray) -> bytes:
    """Hash of arrays of one kind, of 16 bytes."""
    found = blake2b(kind, digest_size=16)
    for array in arrays:
        found.update(np.ascontiguousarray(array).data)
    return found.digest()


def _present(entries: Array | None) -> Array:
    assert entries is not None
    return entries
