"""The current point x for atoms that are single coordinates, where a move costs O(1)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.kernels import vectors
from frankwolfe.core.atoms import Vertex, stored_entries
from frankwolfe.core.points import Compression, Terms, copied

__all__ = ["ScaledPoint"]


class ScaledPoint:
    """x = scale * buffer, for atoms of one coordinate: a move changes the scale and one entry.

    The previous point differs in its scale and in a few entries of the buffer, which are kept. The
    buffer is the `x` that is passed, its own from then on.
    """

    def __init__(self, x: Array) -> None:
        self._buffer = x
        self._scale = 1.0
        # a smaller scale is multiplied into the buffer before entries over it overflow
        self._least_scale = 1e-100 if x.itemsize == 8 else 1e-10
        self._old_scale = 1.0
        self._entries: dict[int, float] = {}  # old values of entries that changed in the last move
        self._old: Array | None = None  # the previous point in full, after a step of 1

    def array(self) -> Array:
        return np.asarray(self._scale * self._buffer, dtype=self._buffer.dtype)

    def rescale(self, factor: float) -> None:
        self._buffer *= factor

    def snapshot(self, room: object) -> Array:
        return copied(self._buffer, self._scale, room)

    def previous(self) -> Array:
        if self._old is not None:
            return self._old.copy()
        x = self._old_scale * self._buffer
        for index, entry in self._entries.items():
            x[index] = self._old_scale * entry
        return np.asarray(x, dtype=self._buffer.dtype)

    def make_room(self) -> Compression:
        return Compression.NONE

    def shift(self, keep: float, terms: Terms) -> None:
        self._old = None
        self._entries = {}
        for _, atom in terms:
            if isinstance(atom, Vertex):
                self._entries[atom.index] = float(self._buffer[atom.index])
            else:  # of one variable it is dense
                places, _ = stored_entries(atom)
                old = self._buffer[places].tolist()
                self._entries.update(zip(places.tolist(), old, strict=True))
        self._old_scale = self._scale
        self._rescale(keep * self._scale)
        for weight, atom in terms:
            if isinstance(atom, Vertex):
                self._buffer[atom.index] += weight * atom.value / self._scale
            else:
                atom.add_to(self._buffer, weight / self._scale)

    def snap_to(self, x: Array) -> None:
        if self._old is None:
            self._old = self.previous()
        self._buffer[:], self._scale = x, 1.0

    def snap_at(self, places: Indices | slice, values: Array) -> None:
        if isinstance(places, slice):
            self.snap_to(values)
            return
        for place, value in zip(places.tolist(), values.tolist(), strict=True):
            self._entries.setdefault(place, float(self._buffer[place]))
            self._buffer[place] = value / self._scale

    def jump(self, x: Array) -> None:
        room = np.empty_like(self._buffer) if self._old is None else self._old
        self._buffer *= self._scale
        self._old, self._buffer = self._buffer, room
        self._buffer[:], self._scale = x, 1.0

    def combine(self, a: float, b: float) -> None:
        if self._old is not None:
            self.add(b, self._old, keep=a)
            return
        entries = {
            i: a * self._scale * self._buffer[i] + b * self._old_scale * old
            for i, old in self._entries.items()
        }
        self._rescale(a * self._scale + b * self._old_scale)
        for i, entry in entries.items():
            self._buffer[i] = entry / self._scale

    def add(self, weight: float, other: Array, keep: float = 1.0) -> None:
        if self._old is None:
            self._old = self.previous()
        self._buffer *= keep * self._scale
        vectors.add_scaled(self._buffer, weight, other)
        self._scale = 1.0

    def extend(self, momentum: float, other: Array) -> None:
        if self._old is None:
            self._old = self.previous()
        self._buffer *= self._scale
        vectors.extend(self._buffer, momentum, other)
        self._scale = 1.0

    def _rescale(self, scale: float) -> None:
        if abs(scale) < self._least_scale:  # a step of 1, or thousands of steps: start a new buffer
            if self._old is None:
                self._old = self.previous()
            self._buffer *= scale
            scale = 1.0
        self._scale = scale

    def pack(self) -> dict[str, Array]:
        arrays: dict[str, Array] = {
            "buffer": self._buffer,
            "scales": np.array([self._scale, self._old_scale]),
            "places": np.array(list(self._entries), dtype=np.float64),
            "entries": np.array(list(self._entries.values()), dtype=np.float64),
        }
        return arrays if self._old is None else {**arrays, "old": self._old}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        self._buffer[:] = arrays["buffer"]
        self._scale, self._old_scale = map(float, arrays["scales"])
        places, entries = arrays["places"].astype(int), arrays["entries"]
        if "old" in arrays and arrays["old"].shape != self._buffer.shape:
            raise ValueError("the point before has another length")
        self._entries = dict(zip(places.tolist(), entries.tolist(), strict=True))
        self._old = arrays["old"].copy() if "old" in arrays else None
