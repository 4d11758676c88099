"""A gradient with values on the observed cells, where the cells live."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.gradients import MatrixGradient

__all__ = ["DeviceCellMatrix"]


class DeviceCellMatrix(MatrixGradient):
    """A matrix with values on the observed cells and zero elsewhere.

    Vectors and blocks may live here or there, and so may what is written.
    """

    def __init__(self, where: Any, values: Any) -> None:
        self.cells, self.values, self.place = where, values, where.place
        self.shape, self.dtype = where.shape, values.dtype

    @cached_property
    def _turned(self) -> Any:
        """The values in the order of columns."""
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

    def _written(self, loop: Any, values: Any, given: Any, out: Any, dtype: Any) -> None:
        """A loop in the type that it works in; what it finds is brought to where `out` is."""
        place = self.cells.place
        there = type(out) is type(values)
        direct = there and out.dtype == dtype and out.flags.c_contiguous
        found = out if direct else place.empty(out.shape, dtype)
        loop(values, place.there(given, dtype), found)
        if not direct:
            place.deliver(found, out)

    def between(self, left: Array, right: Array) -> Array:
        place = self.cells.place
        image = place.empty((self.shape[0], right.shape[0]), self.dtype)
        self.apply_block(right.T, image)
        return np.asarray(place.get(place.there(left, np.float64) @ image.astype(np.float64)))

    def frobenius(self) -> float:
        square = self.cells.place.vectors(len(self.cells)).dot(self.values, self.values)
        return math.sqrt(square * self.cells.multiplicity)

    def dense(self) -> Array:
        get, full = self.cells.place.get, np.zeros(self.shape)
        np.add.at(full, (get(self.cells.rows()), get(self.cells.columns)), get(self.values))
        return full
