"""A pool of atoms with weights, stored in a few growing arrays."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from frankwolfe.base.arrays import AnyArray, Array, Indices
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import Atom, Dense, Sparse, Vertex, stored_entries

__all__ = ["AtomPool"]

Pool: TypeAlias = tuple[Indices, Indices, Indices, Array]
"""Starts and lengths of the atoms, and the indices and values of all their entries."""


class AtomPool(Memory):
    """Atoms whose entries lie one after another in one growing pool of indices and values.

    An atom is found by its content in a dictionary; when it is removed, the last one takes its
    place, so that the arrays stay without gaps at the cost of one move.
    """

    __slots__ = (
        *("_indices", "_keys", "_lengths", "_places", "_starts", "_used", "_values"),
        *("_weights", "n"),
    )

    def __init__(self, n: int, dtype: DTypeLike) -> None:
        self.n = n
        self._clear(dtype)

    def _clear(self, dtype: DTypeLike) -> None:
        self._weights, self._starts, self._lengths = np.empty(0), _ints(0), _ints(0)
        self._values, self._indices = np.empty(0, dtype=dtype), _ints(0)
        self._used = 0
        self._keys: list[Hashable] = []
        self._places: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def atom(self, place: int) -> Atom:
        """The atom at `place`, as a view of its entries."""
        first, length = int(self._starts[place]), int(self._lengths[place])
        values = self._values[first : first + length]
        if length == self.n:
            return Dense(values)
        if length == 1:
            return Vertex(int(self._indices[first]), float(values[0]))
        return Sparse(self._indices[first : first + length], values)

    @property
    def stored(self) -> int:
        """Number of entries of all atoms together."""
        return int(self._lengths[: len(self)].sum())

    def place(self, atom: Atom) -> int:
        """Place of an atom in the pool; one that is not there is added with weight zero."""
        if isinstance(atom, Vertex):  # the common case, without arrays
            key: Hashable = (atom.index, float(self._values.dtype.type(atom.value)))
            place = self._places.get(key)
            return self._add(key, *self._entries(atom)) if place is None else place
        indices, values = self._entries(atom)
        key = self._key(indices, values)
        place = self._places.get(key)
        return self._add(key, indices, values) if place is None else place

    def extend(self, atoms: Sequence[Atom]) -> list[Atom]:
        """Add the atoms that are new, with weight zero; return these as they are stored."""
        if self.n > 1 and all(isinstance(atom, Vertex) for atom in atoms):
            return self._extend(cast("Sequence[Vertex]", atoms))
        before = len(self)
        for atom in atoms:
            self.place(atom)
        return [self.atom(place) for place in range(before, len(self))]

    def _extend(self, atoms: Sequence[Vertex]) -> list[Atom]:
        """Add many vertices at once: one resize of each array, where `place` makes one each."""
        indices = [atom.index for atom in atoms]
        values = np.array([atom.value for atom in atoms], dtype=self._values.dtype) + 0.0
        # + 0.0 above makes -0.0 and 0.0 the same atom; a dictionary drops repeated ones in order
        keys = dict.fromkeys(zip(indices, values.tolist(), strict=True))
        new = [key for key in keys if key not in self._places]
        if not new:
            return []
        count, used, end = len(self), self._used, self._used + len(new)
        self._places.update(zip(new, range(count, count + len(new)), strict=True))
        self._keys.extend(new)
        self._reserve(len(self), end)
        self._indices = _room(self._indices, end)
        self._indices[used:end] = [index for index, _ in new]
        self._values[used:end] = [value for _, value in new]
        self._weights[count : len(self)] = 0.0
        self._starts[count : len(self)] = np.arange(used, end)
        self._lengths[count : len(self)] = 1
        self._used = end
        return [Vertex(index, value) for index, value in new]

    def _key(self, indices: Indices, values: Array) -> Hashable:
        """Dictionary key of an atom: its content, equal for a vertex however it is written."""
        if values.size == 1:
            return (int(indices[0]) if indices.size else 0, float(values[0]))
        return (indices.tobytes(), values.tobytes())

    def _add(self, key: Hashable, indices: Indices, values: Array) -> int:
        place = self._places[key] = len(self)
        self._keys.append(key)
        self._append(indices, values)
        return place

    def _entries(self, atom: Atom) -> tuple[Indices, Array]:
        """Indices and values of an atom as stored; no indices where all entries are there."""
        indices, values = (
            (_ints(0), atom.array) if isinstance(atom, Dense) else stored_entries(atom)
        )
        values = values.astype(self._values.dtype, copy=False) + 0.0  # minus zero becomes zero
        whole = values.size == self.n
        return (_ints(0) if whole else indices.astype(np.int64, copy=False)), values

    def _append(self, indices: Indices, values: Array) -> None:
        count, end = len(self), self._used + values.size
        self._reserve(count, end)
        if indices.size:
            self._indices = _room(self._indices, end)
            self._indices[self._used : end] = indices
        self._values[self._used : end] = values
        self._weights[count - 1] = 0.0
        self._starts[count - 1], self._lengths[count - 1] = self._used, values.size
        self._used = end

    def _reserve(self, count: int, end: int) -> None:
        """Make room for `count` atoms, and for entries up to `end`."""
        if count > self._weights.size:
            self._weights, self._starts, self._lengths = (
                _room(array, count) for array in (self._weights, self._starts, self._lengths)
            )
        self._values = _room(self._values, end)

    def _remove(self, place: int) -> None:
        last = len(self) - 1
        del self._places[self._keys[place]]
        if place != last:
            for array in (self._weights, self._starts, self._lengths):
                array[place] = array[last]
            self._keys[place] = self._keys[last]
            self._places[self._keys[place]] = place
        self._keys.pop()

    def _pool(self) -> Pool:
        """The stored atoms as the loops of `kernels.active` take them."""
        count = len(self)
        return self._starts[:count], self._lengths[:count], self._indices, self._values


def _ints(size: int) -> NDArray[np.int64]:
    return np.empty(size, dtype=np.int64)


def _room(array: AnyArray, needed: int) -> AnyArray:
    """The array, or a copy at least twice as long: appending costs O(1) on average."""
    if needed <= array.size:
        return array
    longer = np.empty(max(needed, 2 * array.size, 16), dtype=array.dtype)
    longer[: array.size] = array
    return longer
