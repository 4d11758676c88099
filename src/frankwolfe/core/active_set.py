"""A point as a convex combination of atoms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import DTypeLike

from frankwolfe.base.arrays import AnyArray, Array, Flags, Indices
from frankwolfe.core.atom_pool import AtomPool
from frankwolfe.core.atoms import Atom, Dense, Sparse, stored_entries
from frankwolfe.core.kernels import active as loops

__all__ = ["ActiveSet"]

MIN_WEIGHT = 1e-15  # of the sum, which is one: a smaller weight is rounding of a step that took all


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

    def __init__(self, n: int, dtype: DTypeLike = np.float64) -> None:
        super().__init__(n, dtype)
        # region of the run whose atoms these are: another method of that run need not check them
        self.source: object = None
        # rounding by which x and the weights have drifted apart since x was last computed, in steps
        self.drift = 0.0

    @property
    def weights(self) -> Array:
        """Weights of the atoms, as a view."""
        return self._weights[: len(self)]

    def __iter__(self) -> Iterator[tuple[float, Atom]]:
        return iter([(float(w), self.atom(k)) for k, w in enumerate(self.weights)])

    def dots(self, g: Array) -> Array:
        """The inner product of every atom with g."""
        out = np.empty(len(self))
        loops.dots(*self._pool(), g, out)
        return out

    def point(self) -> Array:
        """The point Σ_k w_k a_k, as a new array."""
        return self.combination(self.weights)

    def combination(self, weights: Array) -> Array:
        """Σ_k weights_k a_k for any weights, as a new array."""
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
        """x <- x + gamma (x - a), a the atom at `place`: an away step."""
        self.weights[:] *= 1.0 + gamma
        self._weights[place] -= gamma

    def shift(self, loses: int, gains: int, gamma: float) -> None:
        """x <- x + gamma (a_gains - a_loses): a pairwise step."""
        self._weights[loses] -= gamma
        self._weights[gains] += gamma

    def set_weights(self, weights: Array) -> None:
        """Replace all weights by others >= 0."""
        self.weights[:] = weights

    def select(self, keep: Flags) -> None:
        """Drop all atoms but those in `keep`, which stay in their order."""
        kept = [pair for pair, stays in zip(self, keep, strict=True) if stays]
        self._clear(self._values.dtype)
        for weight, atom in kept:
            self._give(atom, weight)

    def drop(self) -> Indices | slice | None:
        """Drop atoms without weight; return the variables they used, None if none was dropped."""
        if self.weights.min(initial=1.0) > MIN_WEIGHT:
            return None
        gone = np.flatnonzero(self.weights <= MIN_WEIGHT)
        if not gone.size:  # weights of NaN: nothing to drop, and seen elsewhere
            return None
        atoms = [self.atom(place) for place in gone.tolist()]
        dense = any(isinstance(atom, Dense) for atom in atoms)
        used = [] if dense else [stored_entries(atom)[0] for atom in atoms]
        places = slice(None) if dense else np.unique(np.concatenate(used))
        self.remove(gone)
        self.weights[:] /= self.weights.sum()
        return places

    def point_at(self, places: Indices | slice) -> Array:
        """Entries of the point at `places`; cheap where all atoms are single coordinates."""
        starts, lengths, indices, values = self._pool()
        if isinstance(places, slice) or self.n == 1 or not (lengths == 1).all():
            return np.asarray(self.point()[places])
        terms, where = self.weights * values[starts], indices[starts]
        return np.array([terms[where == place].sum() for place in places], dtype=values.dtype)

    def touched(self) -> Indices:
        """Variables in which atoms have entries; all of them unless every atom is a vertex."""
        starts, lengths, indices, _ = self._pool()
        single = self.n > 1 and (lengths == 1).all()
        return indices[starts] if single else np.arange(self.n)

    def remove(self, places: Sequence[int] | Indices) -> None:
        """Remove the atoms at increasing `places`; the other weights stay."""
        for place in places[::-1]:  # from the end: the last atom takes the place of a removed one
            self._remove(int(place))
        if (
            self.stored < self._used // 2
        ):  # compact the pool only now: that costs as much as is stored
            self.select(np.ones(len(self), dtype=bool))

    def _give(self, atom: Atom, weight: float) -> None:
        place = self.place(atom)  # may reallocate the weights: before they are written
        self._weights[place] += weight

    def copy(self) -> ActiveSet:
        """A copy that shares nothing."""
        other = ActiveSet(self.n)
        for name in ("_weights", "_starts", "_lengths", "_values", "_indices", "_keys", "_places"):
            setattr(other, name, getattr(self, name).copy())
        other._used, other.drift = self._used, self.drift
        return other

    def pack(self) -> dict[str, Array]:
        """Weights and entries of the atoms as arrays, from which `restore` makes the same set."""
        starts, lengths, indices, values = self._pool()
        ends = np.cumsum(lengths)  # removed atoms leave gaps in the pool: gather what is in use
        where = np.arange(self.stored) + np.repeat(starts - (ends - lengths), lengths)
        sparse = np.repeat(lengths < self.n, lengths)
        packed: dict[str, AnyArray] = {
            "drift": np.asarray(self.drift),
            "weights": self.weights.copy(),
            "lengths": lengths.astype(np.float64),
            "indices": indices[where[sparse]],
            "values": values[where],
        }
        return packed

    def restore(self, arrays: Mapping[str, AnyArray]) -> None:
        """Restore the set from the arrays of `pack`, which may come from a damaged file."""
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
                atom = Sparse(arrays["indices"][at_index : at_index + size], values)
                at_index += size
            self._give(atom, float(weight))

    def __repr__(self) -> str:
        return f"ActiveSet({len(self)} atoms in {self.n} variables)"
