"""The current point x and the one before it, in the form that suits the atoms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, Protocol, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.kernels import vectors
from frankwolfe.core.atoms import Atom

__all__ = ["DensePoint", "Point", "Room", "Terms", "copied"]

Terms: TypeAlias = Sequence[tuple[float, Atom]]
"""Weights and atoms."""


class Room(IntEnum):
    """What it took to make room for a term."""

    ENOUGH = 0
    COMPRESSED = 1  # the same x in other terms
    CUT = 2  # another x, of a lower rank


class Point(Protocol):
    """A point x that moves along atoms and remembers where it was.

    Here x is a vector; a matrix is a :class:`~frankwolfe.FactoredMatrix`.
    """

    def array(self) -> Any:
        """x, as a new object."""

    def previous(self) -> Any:
        """x before the last move, as a new object."""

    def rescale(self, factor: float) -> None:
        """x <- factor x."""

    def snapshot(self, room: Any) -> Any:
        """x, written into `room` where that fits."""

    def shift(self, keep: float, terms: Terms) -> None:
        """x <- keep x + the sum of weights times atoms; the old x becomes the previous."""

    def snap_to(self, x: Any) -> None:
        """x <- the same point without rounding; the previous one stays."""

    def snap_at(self, places: Any, values: Array) -> None:
        """The same at a few entries of a vector, or at all."""

    def combine(self, a: float, b: float) -> None:
        """x <- a x + b previous."""

    def jump(self, x: Any) -> None:
        """x <- another point; the old one becomes the previous."""

    def add(self, weight: float, other: Any) -> None:
        """x <- x + weight * other."""

    def extend(self, momentum: float, other: Any) -> None:
        """x <- x + momentum (x - other), a long way on without the rounding of long terms."""

    def make_room(self) -> Room:
        """Prepare for a move, and say what that took."""

    def pack(self) -> dict[str, Array]:
        """Arrays from which `restore` makes the same point."""

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Take the state that `pack` gave."""


class DensePoint:
    """Two full buffers: a move writes the new x over the old previous.

    The first is the `x` that it is made of, its own from then on; the second is made when x first
    changes.
    """

    def __init__(self, x: Array) -> None:
        self._now = x
        self._old: Array | None = None  # None: the same as x

    def _kept(self) -> Array:
        """The previous point, before x is changed in place."""
        if self._old is None:
            self._old = self._now.copy()
        return self._old

    def _turn(self) -> Array:
        """x becomes the previous point; room for the new one, with nothing of meaning in it."""
        room = np.empty_like(self._now) if self._old is None else self._old
        self._now, self._old = room, self._now
        return room

    def array(self) -> Array:
        return self._now.copy()

    def previous(self) -> Array:
        return self._now.copy() if self._old is None else self._old.copy()

    def rescale(self, factor: float) -> None:
        self._kept()
        self._now *= factor

    def snapshot(self, room: Any) -> Array:
        return copied(self._now, 1.0, room)

    def make_room(self) -> Room:
        return Room.ENOUGH

    def shift(self, keep: float, terms: Terms) -> None:
        x = self._now
        ahead = self._turn()
        np.multiply(x, keep, out=ahead)
        for weight, atom in terms:
            atom.add_to(ahead, weight)

    def snap_to(self, x: Any) -> None:
        self._kept()
        self._now[:] = x

    def snap_at(self, places: Any, values: Array) -> None:
        self._kept()
        self._now[places] = values

    def combine(self, a: float, b: float) -> None:
        vectors.combine(self._now, a, b, self._kept())

    def jump(self, x: Any) -> None:
        self._turn()[:] = x

    def add(self, weight: float, other: Array) -> None:
        self._kept()
        vectors.add_scaled(self._now, weight, other)

    def extend(self, momentum: float, other: Array) -> None:
        self._kept()
        vectors.extend(self._now, momentum, other)

    def pack(self) -> dict[str, Array]:
        return {"now": self._now, "before": self._kept()}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        self._now[:], self._kept()[:] = arrays["now"], arrays["before"]


def copied(x: Array, scale: float, room: Any) -> Array:
    """`scale` x, in `room` where that has x's shape."""
    fits = isinstance(room, np.ndarray) and room.shape == x.shape
    out: Array = room if fits else np.empty_like(x)
    np.multiply(x, scale, out=out)
    return out
