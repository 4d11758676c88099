"""A point as a convex combination of atoms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import Array
from frankwolfe.core.atom_pool import AtomPool
from frankwolfe.core.atoms import Atom, Dense, Sparse, entries
from frankwolfe.core.kernels import active as loops

__all__ = ["ActiveSet"]

LEAST = 1e-15  # a weight below it is rounding


class ActiveSet(AtomPool):
    """Atoms and weights, the weights > 0 with sum 1.

    Parameters
    ----------
    n : int
        Number of variables.
    dtype : numpy.dtype
        Type of the atoms' entries.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.core.active_set import ActiveSet
    >>> from frankwolfe.core.atoms import Vertex
    >>> points = ActiveSet(3)
    >>> points.toward(Vertex(0, 1.0), 1.0)
    >>> points.toward(Vertex(2, 1.0), 0.25)
    >>> points.point()
    array([0.75, 0.  , 0.25])
    >>> points
    ActiveSet(2 atoms in 3 variables)
    """

    __slots__ = ("drift", "source")

    def __init__(self, n: int, dtype: Any = np.float64) -> None:
        super().__init__(n, dtype)
        self.source: object = None  # the region of a run that hands these over; a copy has none
        self.drift = 0.0  # rounding since the point was last computed from the weights, in steps

    @property
    def weights(self) -> Array:
        """The weights, as a view."""
        return self._weights[: len(self)]

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
        if not gone.size:  # weights of NaN: nothing to drop, and seen elsewhere
            return None
        atoms = [self.atom(place) for place in gone.tolist()]
        dense = any(isinstance(atom, Dense) for atom in atoms)
        places = slice(None) if dense else np.unique(np.concatenate([entries(a)[0] for a in atoms]))
        self.remove(gone)
        self.weights[:] /= self.weights.sum()
        return places

    def point_at(self, places: Any) -> Array:
        """The combination at some entries; cheap where all atoms are single coordinates."""
        starts, lengths, indices, values = self._pool()
        if isinstance(places, slice) or self.n == 1 or not (lengths == 1).all():
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
        if self.stored < self._used // 2:  # move the entries together
            self.select(np.ones(len(self), dtype=bool))

    def _give(self, atom: Atom, weight: float) -> None:
        place = self.place(atom)  # may move the arrays
        self._weights[place] += weight

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
        sizes = arrays["lengths"].astype(int)
        sparse = int(sizes[sizes < self.n].sum())
        if sizes.size and not 0 <= sizes.min() <= sizes.max() <= self.n:
            raise ValueError("an atom has too many entries")
        if arrays["values"].shape != (sizes.sum(),) or arrays["indices"].shape != (sparse,):
            raise ValueError("the atoms' entries are not as many as their lengths say")
        places = arrays["indices"]
        if places.size and not 0 <= places.min() <= places.max() < self.n:
            raise ValueError("an atom has an entry that is no variable")
        if not np.isfinite(arrays["weights"]).all() or (arrays["weights"] < -1e-9).any():
            raise ValueError("a weight is negative or infinite")
        self._clear(arrays["values"].dtype)
        self.drift = float(arrays["drift"])
        at_index = at_value = 0
        for weight, size in zip(arrays["weights"], sizes, strict=True):
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
