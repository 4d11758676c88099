"""The current point x and the one before it, stored in the form that suits the atoms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Protocol, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array, Indices, Point
from frankwolfe.base.kernels import vectors
from frankwolfe.core.atoms import Atom

__all__ = ["Compression", "DensePoint", "MovingPoint", "Terms", "copied"]

Terms: TypeAlias = Sequence[tuple[float, Atom]]
"""Pairs of a weight and an atom: a sum of atoms."""


class Compression(IntEnum):
    """Outcome of `Point.make_room`: how the terms of x were compressed to fit one more."""

    NONE = 0  # there was room
    LOSSLESS = 1  # x is unchanged but for rounding, in fewer terms
    TRUNCATED = 2  # x has changed: its smallest singular values were dropped


class MovingPoint(Protocol):
    """A point x that moves along atoms and remembers where it was.

    Mostly x is a vector; a matrix is a :class:`~frankwolfe.FactoredMatrix`.
    """

    def array(self) -> Point:
        """x, as a new object."""

    def previous(self) -> Point:
        """x before the last move, as a new object."""

    def rescale(self, factor: float) -> None:
        """x <- factor x, without a move: after x was cut."""

    def snapshot(self, room: Point) -> Point:
        """x, written into the array `room` if that has its shape."""

    def shift(self, keep: float, terms: Terms) -> None:
        """x <- keep x + Σ weight * atom; the old x becomes the previous one."""

    def snap_to(self, x: Point) -> None:
        """Replace x by the same point without accumulated rounding; the previous one stays."""

    def snap_at(self, places: Indices | slice, values: Array) -> None:
        """Replace entries of a vector x by values without accumulated rounding, as `snap_to`."""

    def combine(self, a: float, b: float) -> None:
        """x <- a x + b previous."""

    def jump(self, x: Point) -> None:
        """Replace x by another point; the old one becomes the previous one."""

    def add(self, weight: float, other: Point) -> None:
        """x <- x + weight * other."""

    def extend(self, momentum: float, other: Point) -> None:
        """x <- x + momentum (x - other), in the order that rounds least for large momentum."""

    def make_room(self) -> Compression:
        """Make room for the terms of a move, and return how x was compressed for it."""

    def pack(self) -> dict[str, Array]:
        """Named arrays from which `restore` makes the same point."""

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Restore the point from the arrays of `pack`."""


class DensePoint:
    """x and the previous point in two full buffers: a move writes the new x over the older one.

    The first buffer is the `x` that is passed, its own from then on; the second is allocated when
    x first changes.
    """

    def __init__(self, x: Array) -> None:
        self._now = x
        self._old: Array | None = None  # None: the same as x

    def _kept(self) -> Array:
        """The previous point, copied from x if x is about to change in place for the first time."""
        if self._old is None:
            self._old = self._now.copy()
        return self._old

    def _turn(self) -> Array:
        """Make x the previous point; return the buffer of the new one, with undefined content."""
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

    def snapshot(self, room: Point) -> Array:
        return copied(self._now, 1.0, room)

    def make_room(self) -> Compression:
        return Compression.NONE

    def shift(self, keep: float, terms: Terms) -> None:
        x = self._now
        ahead = self._turn()
        np.multiply(x, keep, out=ahead)
        for weight, atom in terms:
            atom.add_to(ahead, weight)

    def snap_to(self, x: Array) -> None:
        self._kept()
        self._now[:] = x

    def snap_at(self, places: Indices | slice, values: Array) -> None:
        self._kept()
        self._now[places] = values

    def combine(self, a: float, b: float) -> None:
        vectors.combine(self._now, a, b, self._kept())

    def jump(self, x: Array) -> None:
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


def copied(x: Array, scale: float, room: Point) -> Array:
    """`scale` times x, written into `room` if that is an array of x's shape."""
    fits = isinstance(room, np.ndarray) and room.shape == x.shape
    out: Array = room if fits else np.empty_like(x)
    np.multiply(x, scale, out=out)
    return out
