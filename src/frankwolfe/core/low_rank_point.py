"""The current point x as a factored matrix that moves toward rank-one atoms."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.foreign import like, to_same_device
from frankwolfe.core.atoms import RankOne
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.points import Compression, Terms

__all__ = ["FactoredPoint"]


class FactoredPoint:
    """X as a list of rank-one terms with two weights each: one now, one in the previous point.

    A move appends a term and changes weights. When the room for terms is used up, the list is
    replaced by the singular value decomposition of X, exact to rounding, or cut to `rank_cap`
    terms if X has a higher rank.
    """

    def __init__(self, x: FactoredMatrix, rank_cap: int) -> None:
        self._cap = rank_cap
        # room for X, for one earlier X beside it (momentum), and for steps until the next time
        self._room = 2 * rank_cap + max(16, rank_cap // 2)
        self._load(x)

    def _load(self, x: FactoredMatrix) -> None:
        capacity = min(self._room, max(16, 2 * x.terms))
        self._count = x.terms
        capacity = max(capacity, x.terms)
        self._left, self._right = _room(x.left, capacity), _room(x.right, capacity)
        self._left[: x.terms], self._right[: x.terms] = x.left, x.right
        self._now = x.weights.astype(np.float64, copy=True)
        self._before = self._now.copy()
        self._left_behind: FactoredMatrix | None = None  # the previous point, after a jump
        self._uncut: FactoredMatrix | None = None  # the point before a cut, until the next move

    def array(self) -> FactoredMatrix:
        return self._matrix(self._now)

    def previous(self) -> FactoredMatrix:
        return self._matrix(self._before) if self._left_behind is None else self._left_behind

    def jump(self, x: FactoredMatrix) -> None:
        before = self.array()
        self._load(x)
        self._left_behind = before

    def snapshot(self, room: object) -> FactoredMatrix:
        return self.array()

    def _matrix(self, weights: Array) -> FactoredMatrix:
        n = self._count  # rows already written never change: views are safe
        return FactoredMatrix(self._left[:n], weights.copy(), self._right[:n])

    def make_room(self) -> Compression:
        """Compress the list if the next term would not fit."""
        if self._count < self._room:
            return Compression.NONE
        before = self.array()
        smaller, cut = before.compressed(self._cap)
        self._load(smaller)
        self._uncut = before if cut else None
        return Compression.TRUNCATED if cut else Compression.LOSSLESS

    def rescale(self, factor: float) -> None:
        """Multiply X, and the previous point with it, by `factor`."""
        self._now *= factor
        self._before *= factor

    def _append(self, left: Array, right: Array) -> None:
        """Append terms with weight zero, which change neither point."""
        count = self._count + left.shape[0]
        if count > self._left.shape[0]:
            capacity = max(count, min(self._room, 2 * self._left.shape[0]))
            self._left = _grown(self._left, self._count, capacity)
            self._right = _grown(self._right, self._count, capacity)
        self._left[self._count : count] = to_same_device(self._left, left)
        self._right[self._count : count] = to_same_device(self._right, right)
        zeros = np.zeros(left.shape[0])
        self._now = np.concatenate([self._now, zeros])
        self._before = np.concatenate([self._before, zeros])
        self._count = count

    def shift(self, keep: float, terms: Terms) -> None:
        for _, atom in terms:
            if not isinstance(atom, RankOne):
                raise TypeError("a FactoredPoint moves along rank-one atoms only")
            self._append(atom.u[None], atom.v[None])
        # after a cut the previous point is the one before it: it is not in the new list of terms
        self._before, self._left_behind, self._uncut = self._now.copy(), self._uncut, None
        self._now *= keep
        for place, (weight, atom) in enumerate(terms, start=self._count - len(terms)):
            self._now[place] += weight * atom.scale  # type: ignore[attr-defined]

    def snap_to(self, x: FactoredMatrix) -> None:
        before = self.previous()
        self._load(x)
        self._left_behind = before

    def snap_at(self, places: Indices | slice, values: Array) -> None:
        raise TypeError("a factored matrix has no entries of its own")

    def combine(self, a: float, b: float) -> None:
        self._now = a * self._now + b * self._before

    def add(self, weight: float, other: FactoredMatrix) -> None:
        earlier = other.terms <= self._count and (
            np.shares_memory(other.left, self._left)
            or bool(np.array_equal(other.left, self._left[: other.terms]))
        )
        if earlier:  # the same list with other weights
            self._now[: other.terms] += weight * other.weights
            return
        self._append(other.left, other.right)
        self._now[-other.terms :] += weight * other.weights

    def extend(self, momentum: float, other: FactoredMatrix) -> None:
        self._now *= 1.0 + momentum
        self.add(-momentum, other)

    def pack(self) -> dict[str, Array]:
        n = self._count
        return {
            "left": self._left[:n],
            "right": self._right[:n],
            "now": self._now,
            "before": self._before,
        }

    def restore(self, arrays: Mapping[str, Array]) -> None:
        left, right = like(self._left, arrays["left"]), like(self._right, arrays["right"])
        x = FactoredMatrix(left, arrays["now"], right)
        if x.shape != self.array().shape or arrays["before"].shape != arrays["now"].shape:
            raise ValueError(f"the terms are those of a matrix of shape {x.shape}")
        self._load(x)
        self._before = np.array(arrays["before"], dtype=np.float64)


def _room(side: Array, capacity: int) -> Array:
    """Uninitialized array for `capacity` terms, in the memory of `side`."""
    return np.empty_like(side, shape=(capacity, side.shape[1]), order="C")


def _grown(array: Array, used: int, capacity: int) -> Array:
    """Copy with room for `capacity` terms, of which the first `used` are kept."""
    larger = _room(array, capacity)
    larger[:used] = array[:used]
    return larger
