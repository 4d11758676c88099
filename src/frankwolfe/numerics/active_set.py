"""A point as a convex combination of atoms."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.atoms import Atom, Dense, Sparse, Vertex, entries
from frankwolfe.numerics.kernels import active as loops
from frankwolfe.numerics.memory import Memory

__all__ = ["ActiveSet"]

LEAST = 1e-15  # a weight below it is rounding


class ActiveSet(Memory):
    """Atoms and weights, the weights > 0 with sum 1.

    The atoms' entries lie one after another in one growing pool of indices and values; an
    atom is found by its content, and its place given to the last one when it is dropped.

    Parameters
    ----------
    n : int
        Number of variables.
    dtype : numpy.dtype
        Type of the atoms' entries.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.numerics.active_set import ActiveSet
    >>> from frankwolfe.numerics.atoms import Vertex
    >>> points = ActiveSet(3)
    >>> points.toward(Vertex(0, 1.0), 1.0)
    >>> points.toward(Vertex(2, 1.0), 0.25)
    >>> points.point()
    array([0.75, 0.  , 0.25])
    >>> points
    ActiveSet(2 atoms in 3 variables)
    """

    __slots__ = (
        *("_indices", "_keys", "_lengths", "_places", "_starts", "_used", "_values"),
        *("_weights", "drift", "n"),
    )

    def __init__(self, n: int, dtype: Any = np.float64) -> None:
        self.n = n
        self.drift = 0.0  # rounding since the point was last computed from the weights, in steps
        self._clear(dtype)

    def _clear(self, dtype: Any) -> None:
        self._weights, self._starts, self._lengths = np.empty(0), _ints(0), _ints(0)
        self._values, self._indices = np.empty(0, dtype=dtype), _ints(0)
        self._used = 0
        self._keys: list[Hashable] = []
        self._places: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def weights(self) -> Array:
        """The weights, as a view."""
        return self._weights[: len(self)]

    def atom(self, place: int) -> Atom:
        """The atom at a place."""
        first, length = int(self._starts[place]), int(self._lengths[place])
        values = self._values[first : first + length]
        if length == self.n:
            return Dense(values)
        if length == 1:
            return Vertex(int(self._indices[first]), float(values[0]))
        return Sparse(self._indices[first : first + length], values)

    def __iter__(self) -> Iterator[tuple[float, Atom]]:
        return iter([(float(w), self.atom(k)) for k, w in enumerate(self.weights)])

    def dots(self, g: Array) -> Array:
        """The inner product of every atom with g."""
        out = np.empty(len(self))
        loops.dots(*self._pool(), g, out)
        return out

    def point(self) -> Array:
        """The combination, as a new array."""
        return self.combination(self.weights)

    def combination(self, weights: Array) -> Array:
        """The sum of other weights times the atoms, as a new array."""
        x = np.empty(self.n, dtype=self._values.dtype)
        loops.combine(*self._pool(), weights, x)
        return x

    def toward(self, atom: Atom, gamma: float) -> None:
        """x <- (1 - gamma) x + gamma atom."""
        if gamma >= 1.0:
            self._clear(self._values.dtype)
        self.weights[:] *= 1.0 - gamma
        self._give(atom, gamma)

    def away(self, place: int, gamma: float) -> None:
        """x <- x + gamma (x - atom)."""
        self.weights[:] *= 1.0 + gamma
        self._weights[place] -= gamma

    def shift(self, loses: int, gains: int, gamma: float) -> None:
        """x <- x + gamma (the atom at one place - that at another)."""
        self._weights[loses] -= gamma
        self._weights[gains] += gamma

    def set_weights(self, weights: Array) -> None:
        """Give every atom a new weight >= 0."""
        self.weights[:] = weights

    def select(self, keep: NDArray[np.bool_]) -> None:
        """Only these atoms stay, in their order."""
        kept = [pair for pair, stays in zip(self, keep, strict=True) if stays]
        self._clear(self._values.dtype)
        for weight, atom in kept:
            self._give(atom, weight)

    def drop(self) -> Any:
        """Drop atoms without weight; return where they had entries, None where there were none."""
        if self.weights.min(initial=1.0) > LEAST:
            return None
        gone = np.flatnonzero(self.weights <= LEAST)
        atoms = [self.atom(place) for place in gone.tolist()]
        dense = any(isinstance(atom, Dense) for atom in atoms)
        places = slice(None) if dense else np.unique(np.concatenate([entries(a)[0] for a in atoms]))
        self.remove(gone)
        self.weights[:] /= self.weights.sum()
        return places

    def point_at(self, places: Any) -> Array:
        """The combination at some entries; cheap where all atoms are single coordinates."""
        starts, lengths, indices, values = self._pool()
        if isinstance(places, slice) or not (lengths == 1).all():
            return np.asarray(self.point()[places])
        terms, where = self.weights * values[starts], indices[starts]
        return np.array([terms[where == place].sum() for place in places], dtype=values.dtype)

    def touched(self) -> Any:
        """The variables in which atoms have entries; all where not every atom is a vertex."""
        starts, lengths, indices, _ = self._pool()
        single = self.n > 1 and (lengths == 1).all()
        return indices[starts] if single else np.arange(self.n)

    def remove(self, places: Any) -> None:
        """Take the atoms at these places, which increase, out; the other weights stay."""
        for place in places[::-1]:
            self._remove(int(place))
        if self.stored < self._used // 2:
            self._compact()

    @property
    def stored(self) -> int:
        """How many entries the atoms have together."""
        return int(self._lengths[: len(self)].sum())

    def _give(self, atom: Atom, weight: float) -> None:
        place = self.place(atom)  # may move the arrays
        self._weights[place] += weight

    def place(self, atom: Atom) -> int:
        """The place of an atom, which is new with weight zero where it was not in the set."""
        if isinstance(atom, Vertex):  # the common case, without arrays
            key: Hashable = (atom.index, float(self._values.dtype.type(atom.value)))
            place = self._places.get(key)
            return self._add(key, *self._entries(atom)) if place is None else place
        indices, values = self._entries(atom)
        key = self._key(indices, values)
        place = self._places.get(key)
        return self._add(key, indices, values) if place is None else place

    def extend(self, atoms: Sequence[Atom]) -> list[Atom]:
        """Take in those that are new, with weight zero; return them as they are kept."""
        if self.n > 1 and all(isinstance(atom, Vertex) for atom in atoms):
            return self._extend(cast("Sequence[Vertex]", atoms))
        before = len(self)
        for atom in atoms:
            self.place(atom)
        return [self.atom(place) for place in range(before, len(self))]

    def _extend(self, atoms: Sequence[Vertex]) -> list[Atom]:
        """The same for many vertices at once."""
        indices = [atom.index for atom in atoms]
        values = np.array([atom.value for atom in atoms], dtype=self._values.dtype) + 0.0
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

    def _key(self, indices: Any, values: Array) -> Hashable:
        """What an atom is found by: its content; equal for a vertex however it is written."""
        if values.size == 1:
            return (int(indices[0]) if indices.size else 0, float(values[0]))
        return (indices.tobytes(), values.tobytes())

    def _add(self, key: Hashable, indices: Any, values: Array) -> int:
        place = self._places[key] = len(self)
        self._keys.append(key)
        self._append(indices, values)
        return place

    def _entries(self, atom: Atom) -> tuple[Any, Array]:
        """Indices and values; no indices where all entries are there."""
        if isinstance(atom, Dense):
            indices, values = _ints(0), atom.array
        else:
            indices, values = entries(atom)
        values = values.astype(self._values.dtype, copy=False) + 0.0  # minus zero becomes zero
        whole = values.size == self.n
        return (_ints(0) if whole else indices.astype(np.int64, copy=False)), values

    def _append(self, indices: Any, values: Array) -> None:
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
        """Room for so many atoms, with so many entries."""
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

    def _compact(self) -> None:
        """Move the entries together."""
        self.select(np.ones(len(self), dtype=bool))

    def _pool(self) -> tuple[Any, ...]:
        count = len(self)
        return self._starts[:count], self._lengths[:count], self._indices, self._values

    def copy(self) -> ActiveSet:
        """A copy that shares nothing."""
        other = ActiveSet(self.n)
        for name in ("_weights", "_starts", "_lengths", "_values", "_indices", "_keys", "_places"):
            setattr(other, name, getattr(self, name).copy())
        other._used, other.drift = self._used, self.drift
        return other

    def pack(self) -> dict[str, Array]:
        """Weights, and the entries of the atoms one after another."""
        starts, lengths, indices, values = self._pool()
        ends = np.cumsum(lengths)
        where = np.arange(self.stored) + np.repeat(starts - (ends - lengths), lengths)
        sparse = np.repeat(lengths < self.n, lengths)
        return {
            "drift": np.asarray(self.drift),
            "weights": self.weights.copy(),
            "lengths": lengths.astype(np.float64),
            "indices": indices[where[sparse]],
            "values": values[where],
        }

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Take what `pack` gave."""
        self._clear(arrays["values"].dtype)
        self.drift = float(arrays["drift"])
        at_index = at_value = 0
        for weight, size in zip(arrays["weights"], arrays["lengths"].astype(int), strict=True):
            values = arrays["values"][at_value : at_value + size]
            at_value += size
            if size == self.n:
                atom: Atom = Dense(values)
            else:
                atom = Sparse(arrays["indices"][at_index : at_index + size], values)  # type: ignore[arg-type]
                at_index += size
            self._give(atom, float(weight))

    def __repr__(self) -> str:
        return f"ActiveSet({len(self)} atoms in {self.n} variables)"


def _ints(size: int) -> Any:
    return np.empty(size, dtype=np.int64)


def _room(array: Any, needed: int) -> Any:
    """The array, or a longer one with the same beginning."""
    if needed <= array.size:
        return array
    longer = np.empty(max(needed, 2 * array.size, 16), dtype=array.dtype)
    longer[: array.size] = array
    return longer
