"""A gradient with values on the observed cells, on a device, and Lanczos steps there."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import cupy
import numpy as np

from frankwolfe.engines.cuda.cells_source import KRYLOV
from frankwolfe.engines.cuda.source import compiled
from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.gradients import MatrixGradient

if TYPE_CHECKING:
    from frankwolfe.engines.cuda.cells import DeviceCells

__all__ = ["DeviceCellMatrix", "Krylov"]


class DeviceCellMatrix(MatrixGradient):
    """A matrix with values on the observed cells and zero elsewhere.

    Vectors and blocks may live here or there, what is written too.
    """

    def __init__(self, where: DeviceCells, values: Any) -> None:
        self.cells, self.values, self.place = where, values, where.place
        self.shape, self.dtype = where.shape, where.dtype

    @cached_property
    def _turned(self) -> Any:
        """The values in the order of columns."""
        out = cupy.empty_like(self.values)
        self.cells.turned(self.values, out)
        return out

    def apply(self, v: Array, out: Array) -> None:
        self._product(self.cells.product, self.values, v, out)

    def adjoint(self, u: Array, out: Array) -> None:
        self._product(self.cells.transposed_product, self._turned, u, out)

    def _product(self, loop: Any, values: Any, vector: Any, out: Any) -> None:
        place = self.cells.place
        direct = isinstance(out, cupy.ndarray) and out.dtype == np.float64
        found = out if direct else cupy.empty(out.size, np.float64)
        loop(values, place.there(vector, np.float64), found)
        if not direct:
            place.deliver(found, out)

    def apply_block(self, block: Array, out: Array) -> None:
        self._block(self.cells.factors.weighted_rows, block, out)

    def adjoint_block(self, block: Array, out: Array) -> None:
        self._block(self.cells.factors.weighted_columns, block, out)

    def _block(self, loop: Any, block: Any, out: Any) -> None:
        place = self.cells.place
        direct = isinstance(out, cupy.ndarray) and out.flags.c_contiguous
        direct = direct and out.dtype == self.dtype
        found = out if direct else cupy.empty(out.shape, self.dtype)
        loop(self.values, place.there(block, self.dtype), found)
        if not direct:
            place.deliver(found, out)

    def between(self, left: Array, right: Array) -> Array:
        place = self.cells.place
        image = cupy.empty((self.shape[0], right.shape[0]), self.dtype)
        self.apply_block(right.T, image)
        return place.get(place.there(left, np.float64) @ image.astype(np.float64))

    def frobenius(self) -> float:
        square = self.cells.place.vectors(len(self.cells)).dot(self.values, self.values)
        return math.sqrt(square * self.cells.multiplicity)

    def dense(self) -> Array:
        get, full = self.cells.place.get, np.zeros(self.shape)
        np.add.at(full, (get(self.cells.rows()), get(self.cells.columns)), get(self.values))
        return full


class Krylov:
    """Steps of the Lanczos method, as `frankwolfe.numerics.kernels.krylov` has them."""

    def __init__(self, place: Any) -> None:
        self._place = place

    def orthogonalize(self, basis: Any, k: int, w: Any) -> tuple[float, float]:
        """Take the parts along basis[0..k] out of w, twice; return <basis[k], w> and |w|."""
        n, count = np.int64(w.size), k + 1
        numbers = cupy.empty(2 * count + 1, np.float64)
        products, subtract = (compiled(KRYLOV, name) for name in ("products", "subtract"))
        blocks = (-(-w.size // 256),)
        for parts in (numbers[:count], numbers[count:-1]):
            products((count,), (1024,), (basis, w, n, parts))
            subtract(blocks, (256,), (basis, parts, np.int32(count), n, w))
        products((1,), (1024,), (w, w, n, numbers[-1:]))
        found = self._place.get(numbers)
        return float(found[k]), math.sqrt(float(found[-1]))
