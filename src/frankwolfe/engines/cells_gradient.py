"""Gradient of a loss over observed cells that live on a device."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.gradients import MatrixGradient

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike

    from frankwolfe.engines.maps import DeviceArray, DevicePlace

__all__ = ["DeviceCellMatrix"]


class CellLoops(Protocol):
    """Observed cells on a device, with the loops over them that a gradient asks for."""

    shape: tuple[int, int]
    multiplicity: int

    @property
    def place(self) -> DevicePlace:
        """Device on which the cells live."""

    def __len__(self) -> int: ...

    @property
    def columns(self) -> DeviceArray:
        """Column of every cell."""

    def rows(self) -> DeviceArray:
        """Row of every cell, as a new array."""

    def turned(self, values: DeviceArray, out: DeviceArray) -> None:
        """out = values in the order of columns."""

    def product(self, values: DeviceArray, v: DeviceArray, out: DeviceArray) -> None:
        """out = G v."""

    def transposed_product(self, values: DeviceArray, u: DeviceArray, out: DeviceArray) -> None:
        """out = G'u, for values in the order of columns."""

    def weighted_rows(self, values: DeviceArray, right: DeviceArray, out: DeviceArray) -> None:
        """out = G R for a block R."""

    def weighted_columns(self, values: DeviceArray, left: DeviceArray, out: DeviceArray) -> None:
        """out = G'L for a block L."""


class DeviceCellMatrix(MatrixGradient):
    """Sparse matrix on a device: values on the observed cells, zero elsewhere.

    Vectors, blocks and outputs may be NumPy's arrays or the device's.
    """

    def __init__(self, where: CellLoops, values: DeviceArray) -> None:
        self.cells, self.values, self.place = where, values, where.place
        self.shape, self.dtype = where.shape, values.dtype

    @cached_property
    def _turned(self) -> DeviceArray:
        """Values in the order of columns."""
        out = np.empty_like(self.values)
        self.cells.turned(self.values, out)
        return out

    def apply(self, v: Array, out: Array) -> None:
        self._written(self.cells.product, self.values, v, out, np.float64)

    def adjoint(self, u: Array, out: Array) -> None:
        self._written(self.cells.transposed_product, self._turned, u, out, np.float64)

    def apply_block(self, block: Array, out: Array) -> None:
        self._written(self.cells.weighted_rows, self.values, block, out, self.dtype)

    def adjoint_block(self, block: Array, out: Array) -> None:
        self._written(self.cells.weighted_columns, self.values, block, out, self.dtype)

    def _written(
        self,
        loop: Callable[[DeviceArray, DeviceArray, DeviceArray], None],
        values: DeviceArray,
        given: Array | DeviceArray,
        out: Array | DeviceArray,
        dtype: DTypeLike,
    ) -> None:
        """Run a loop in the type `dtype` that it works in, and bring the result to `out`."""
        place = self.cells.place
        there = type(out) is type(values)
        # kernels write contiguous arrays of their own type; anything else goes through a buffer
        direct = there and out.dtype == dtype and out.flags.c_contiguous
        found = out if direct else place.empty(out.shape, dtype)
        loop(values, place.to_device(given, dtype), found)
        if not direct:
            place.deliver(found, out)

    def between(self, left: Array, right: Array) -> Array:
        place = self.cells.place
        image = place.empty((self.shape[0], right.shape[0]), self.dtype)
        self.apply_block(right.T, image)
        return np.asarray(place.get(place.to_device(left, np.float64) @ image.astype(np.float64)))

    def frobenius(self) -> float:
        square = self.cells.place.vectors(len(self.cells)).dot(self.values, self.values)
        return math.sqrt(square * self.cells.multiplicity)

    def dense(self) -> Array:
        get, full = self.cells.place.get, np.zeros(self.shape)
        np.add.at(full, (get(self.cells.rows()), get(self.cells.columns)), get(self.values))
        return full
