"""A GPU as the place of images: CuPy's arrays, our kernels, and a count of what moves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from threading import get_ident
from typing import Any

import cupy
import cupyx
import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.engines.cuda.columns import WIDE, Columns
from frankwolfe.engines.cuda.compressed import CompressedProducts, Long
from frankwolfe.engines.cuda.dense import DenseProducts
from frankwolfe.engines.cuda.krylov import Krylov, Noise
from frankwolfe.engines.cuda.launch import Launcher
from frankwolfe.engines.cuda.loops import Loops
from frankwolfe.engines.cuda.losses import Logarithms, Losses
from frankwolfe.engines.cuda.one_pass import OnePass
from frankwolfe.engines.sparse import DeviceSparse

__all__ = ["Device"]

LARGE = 4096  # numbers that go by memory which the device reads and writes itself


class Device(Columns):
    """One device; its count of what moves is that of one objective."""

    here = False

    def __init__(self) -> None:
        self.launcher = Launcher()
        self._dense = DenseProducts(self.launcher)
        self._compressed = CompressedProducts(self.launcher)
        self._loops, self._losses = Loops(self.launcher), Losses(self.launcher)
        self.logs = Logarithms(self.launcher)
        self.krylov, self._noise = Krylov(self), Noise()
        self._passages: dict[Any, Any] = {}
        self.rows_dot, self.rows_sum = self._dense.rows_dot, self._dense.rows_sum
        self.take = self._dense.take

    def __reduce__(self) -> Any:
        return Device, ()  # rooms and compiled kernels are made again where it arrives

    @property
    def moved(self) -> tuple[int, int]:
        """Rounds and bytes."""
        return self.launcher.rounds, self.launcher.bytes

    @property
    def multinomial(self) -> Any:
        """The loops of the softmax loss."""
        from frankwolfe.engines.cuda.softmax import Softmax

        return Softmax(self.launcher)

    def empty(self, size: int, dtype: Any) -> Any:
        return cupy.empty(size, dtype=dtype)

    def columns(self, rows: int, count: int, dtype: Any) -> Any:
        """Room for images side by side, each in one piece."""
        return cupy.empty((rows, count), dtype=dtype, order="F")

    def contiguous(self, array: Any) -> Any:
        return cupy.ascontiguousarray(array)

    def put(self, array: Any) -> Any:
        if isinstance(array, cupy.ndarray):
            return array
        self.launcher.bytes += array.nbytes
        return cupy.asarray(array)

    def get(self, array: Any) -> Any:
        if not isinstance(array, cupy.ndarray):
            return np.asarray(array)
        self.launcher.bytes += array.nbytes
        self.launcher.rounds += 1
        return cupy.asnumpy(array)

    def there(self, array: Any, dtype: Any) -> Any:
        """An array of either kind on the device, contiguous and of that type."""
        if isinstance(array, cupy.ndarray):
            return cupy.ascontiguousarray(array, dtype=dtype)
        room = cupy.empty(array.shape, dtype=dtype)
        if array.ndim != 1 or array.size < LARGE:
            room.set(np.ascontiguousarray(array, dtype=dtype))
        else:
            passage = self._passage("up", array.size, dtype)
            passage[:] = array
            room.set(passage)
        self.launcher.bytes += room.nbytes
        return room

    def deliver(self, array: Any, out: Any) -> None:
        """out = an array from the device, wherever `out` is."""
        if isinstance(out, cupy.ndarray):
            out[...] = array
            return
        self.launcher.bytes += array.nbytes
        self.launcher.rounds += 1
        if array.size < LARGE:
            out[...] = array.get()
            return
        passage = self._passage("down", array.size, array.dtype)
        array.get(out=passage)
        out[...] = passage

    def _passage(self, way: str, size: int, dtype: Any) -> Array:
        """Memory of this process that the device reads and writes at full speed."""
        key = get_ident(), way, size, np.dtype(dtype)
        if key not in self._passages:
            self._passages[key] = cupyx.empty_pinned(size, dtype=dtype)
        found: Array = self._passages[key]
        return found

    def roomy(self, size: int) -> bool:
        """Whether so many bytes are free twice."""
        pool = cupy.get_default_memory_pool()
        free = cupy.cuda.runtime.memGetInfo()[0] + pool.free_bytes()
        return bool(2 * size < free)

    def noise(self, seed: tuple[int, int], size: int) -> Any:
        return self.put(self._noise(seed, size))

    def norm(self, x: Any) -> float:
        return math.sqrt(self._loops.dot(x, x))

    def vectors(self, size: int) -> Loops:
        return self._loops

    def losses(self, size: int) -> Losses:
        return self._losses

    def weighted_square(self, weights: Any, x: Any) -> float:
        return self._loops.weighted_square(weights, x)

    def distinct(self, places: Any) -> tuple[Any, Any]:
        """The distinct places in order, and where each one is among them."""
        return cupy.unique(places, return_inverse=True)  # type: ignore[no-any-return]

    def one_pass(self, matrix: Any) -> OnePass | None:
        """A step of known size in one pass over a dense matrix, where it is made for it."""
        if not OnePass.takes(matrix):
            return None
        return OnePass(self.launcher, matrix)

    def long(self, ends: Array) -> Long:
        return Long(ends)

    def sparse_dot(self, matrix: Any, long: Long, x: Any, out: Any) -> None:
        """out = the compressed rows (or columns) times x; their sums of squares without x."""
        self._compressed.dot(matrix.indptr, matrix.indices, matrix.data, long, x, out)

    def scatter(self, matrix: Any, low: int, high: int, scale: float, out: Any) -> None:
        """out = out + scale times some entries of one compressed row (or column)."""
        self._compressed.scatter(matrix.indices, matrix.data, low, high, scale, out)

    def pieces(self, matrix: Any) -> Iterator[tuple[slice, Any]]:
        """A compressed matrix as dense pieces; columns of a CSC matrix are the rows of its own."""
        rows = matrix if matrix.format == "csr" else matrix.T
        count, across = rows.shape
        each = max(1, WIDE // max(across, 1))
        for first in range(0, count, each):
            some = slice(first, min(first + each, count))
            yield some, rows[some].toarray()

    def sparse_map(self, parts: list[Array], by_rows: bool, shape: tuple[int, int]) -> DeviceSparse:
        """A compressed matrix of NumPy's arrays, here."""
        from cupyx.scipy.sparse import csc_matrix, csr_matrix

        ends, places, data = map(self.put, parts)
        matrix = (csr_matrix if by_rows else csc_matrix)((data, places, ends), shape=shape)
        return DeviceSparse(self, matrix.tocsr(), matrix.tocsc())
