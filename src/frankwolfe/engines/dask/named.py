"""Vectors by name: what a shard has seen before need not be sent again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.core.atoms import Atom, Sparse, Vertex
from frankwolfe.core.products import as_columns

__all__ = [
    "Each",
    "Named",
    "NamedAtoms",
    "Recent",
    "Unknown",
    "named",
    "named_atoms",
    "named_columns",
]

FEW = 8  # a vector with fewer than 1/8 of its entries is sent, and multiplied, by these
RECENT = 16  # names that are remembered


class Unknown(NamedTuple):
    """A shard's answer where a name without its vector is new to it: it was made afresh."""

    name: bytes


class Each:
    """An argument that is another one for each shard, by its place.

    `brief` leaves out what shards have heard of; `full`, where it is another, does not.
    """

    def __init__(
        self, brief: Callable[[int], Any], full: Callable[[int], Any] | None = None
    ) -> None:
        self.brief, self.full = brief, full or brief


class Named(NamedTuple):
    """A vector x by name, in full or by its entries; only the name where that is known."""

    name: bytes
    entries: Array | None
    places: Indices | None

    def alone(self) -> Named:
        """The name without the vector."""
        return Named(self.name, None, None)

    @property
    def nbytes(self) -> int:
        """What it takes to send it."""
        return 16 + sum(part.nbytes for part in self[1:] if isinstance(part, np.ndarray))

    def as_atom(self) -> Atom | None:
        """The vector as a sparse atom, where it came by its entries."""
        return None if self.places is None else Sparse(self.places, _there(self.entries))

    def vector(self, n: int) -> Array:
        """The vector, of n entries."""
        if self.places is None:
            return self.dense()
        x = np.zeros(n, dtype=_there(self.entries).dtype)
        x[self.places] = _there(self.entries)
        return x

    def dense(self) -> Array:
        """The vector, where it came in full."""
        return _there(self.entries)


class NamedAtoms(NamedTuple):
    """A few atoms by name: places and values of vertices, or a sparse matrix of columns."""

    name: bytes
    places: Indices
    values: Any

    @property
    def nbytes(self) -> int:
        """What it takes to send them."""
        return 16 + self.places.nbytes + int(getattr(self.values, "nbytes", 0))

    def atoms(self) -> list[Atom]:
        """The atoms again."""
        if self.places.size:
            pairs = zip(self.places.tolist(), self.values.tolist(), strict=True)
            return [Vertex(place, value) for place, value in pairs]
        columns = self.values
        ends = columns.indptr
        parts = [slice(*ends[j : j + 2]) for j in range(columns.shape[1])]
        return [Sparse(columns.indices[part], columns.data[part]) for part in parts]


def named(x: Array) -> Named:
    """A vector with its name, by its entries where these are few."""
    name = _digest(x.dtype.char.encode(), x)
    places = np.flatnonzero(x)
    if FEW * places.size < x.size:
        return Named(name, x[places], places)
    return Named(name, np.array(x), None)


def named_columns(columns: Any) -> NamedAtoms:
    """The columns of a sparse matrix, by columns, with their name."""
    columns.sort_indices()
    parts = (columns.indptr, columns.indices, columns.data)
    return NamedAtoms(_digest(b"m", *parts), np.empty(0, dtype=np.int64), columns)


def named_atoms(atoms: Sequence[Atom], n: int) -> NamedAtoms:
    """Atoms with their name."""
    if all(isinstance(atom, Vertex) for atom in atoms):
        places = np.array([atom.index for atom in atoms])  # type: ignore[attr-defined]
        values: Any = np.array([atom.value for atom in atoms])  # type: ignore[attr-defined]
        return NamedAtoms(_digest(b"v", places, values), places, values)
    return named_columns(as_columns(atoms, n).tocsc())


class Recent(OrderedDict[bytes, Any]):
    """The last few by name; the oldest goes where there is no room."""

    def __init__(self, most: int = RECENT) -> None:
        super().__init__()
        self.most = most

    def find(self, name: bytes) -> Any:
        """What is known by that name, or None."""
        if name in self:
            self.move_to_end(name)
            return self[name]
        return None

    def keep(self, name: bytes, what: Any) -> Any:
        """Remember it; it is returned."""
        self[name] = what
        while len(self) > self.most:
            self.popitem(last=False)
        return what


def _digest(kind: bytes, *arrays: Array) -> bytes:
    found = blake2b(kind, digest_size=16)
    for array in arrays:
        found.update(np.ascontiguousarray(array).data)
    return found.digest()


def _there(entries: Array | None) -> Array:
    assert entries is not None
    return entries
