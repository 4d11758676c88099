"""A GPU as the place of images: CuPy's arrays, our kernels, and a count of what moves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from threading import get_ident
from typing import TYPE_CHECKING

import cupy
import cupyx
import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Indices
from frankwolfe.engines.cuda.columns import MAX_WIDENED_ENTRIES, DeviceColumns
from frankwolfe.engines.cuda.compressed import CompressedProducts, LongRows
from frankwolfe.engines.cuda.dense import DenseProducts
from frankwolfe.engines.cuda.krylov import Krylov, Noise
from frankwolfe.engines.cuda.launch import Launcher
from frankwolfe.engines.cuda.loops import Loops
from frankwolfe.engines.cuda.losses import Logarithms, Losses
from frankwolfe.engines.cuda.one_pass import OnePass
from frankwolfe.engines.sparse import DeviceSparse

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from frankwolfe.engines.cuda.softmax import Softmax
    from frankwolfe.engines.maps import DeviceArray, DeviceMatrix

__all__ = ["Device"]

MIN_PINNED_SIZE = 4096  # entries; longer vectors go by pinned memory, which moves at full speed


class Device(DeviceColumns):
    """The current GPU as the place of one objective's images; it counts what moves."""

    here = False

    def __init__(self) -> None:
        self.launcher = Launcher()
        self._dense = DenseProducts(self.launcher)
        self._compressed = CompressedProducts(self.launcher)
        self._loops, self._losses = Loops(self.launcher), Losses(self.launcher)
        self.logs = Logarithms(self.launcher)
        self.krylov, self._noise = Krylov(self), Noise()
        self._passages: dict[tuple[int, str, int, Dtype], Array] = {}
        self.rows_dot, self.rows_sum = self._dense.rows_dot, self._dense.rows_sum
        self.take = self._dense.take

    def __reduce__(self) -> tuple[type[Device], tuple[()]]:
        return Device, ()  # rooms and compiled kernels are made again where it arrives

    @property
    def moved(self) -> tuple[int, int]:
        """Number of answers waited for, and bytes moved either way."""
        return self.launcher.rounds, self.launcher.bytes

    @property
    def multinomial(self) -> Softmax:
        """Kernels of the softmax loss."""
        from frankwolfe.engines.cuda.softmax import Softmax

        return Softmax(self.launcher)

    def empty(self, size: int | tuple[int, ...], dtype: DTypeLike) -> DeviceArray:
        return cupy.empty(size, dtype=dtype)

    def columns(self, rows: int, count: int, dtype: DTypeLike) -> DeviceArray:
        """New dense matrix, each column of which is contiguous."""
        return cupy.empty((rows, count), dtype=dtype, order="F")

    def contiguous(self, array: DeviceArray) -> DeviceArray:
        return cupy.ascontiguousarray(array)

    def put(self, array: DeviceArray) -> DeviceArray:
        """Copy of a NumPy array on the device; an array of the device itself."""
        if isinstance(array, cupy.ndarray):
            return array
        self.launcher.bytes += array.nbytes
        return cupy.asarray(array)

    def get(self, array: DeviceArray) -> DeviceArray:
        """Copy of a device array in this process's memory, as NumPy's."""
        if not isinstance(array, cupy.ndarray):
            return np.asarray(array)
        self.launcher.bytes += array.nbytes
        self.launcher.rounds += 1
        return cupy.asnumpy(array)

    def to_device(self, array: DeviceArray, dtype: DTypeLike) -> DeviceArray:
        """Contiguous array of type `dtype` on the device, from either side."""
        if isinstance(array, cupy.ndarray):
            return cupy.ascontiguousarray(array, dtype=dtype)
        room = cupy.empty(array.shape, dtype=dtype)
        if array.ndim != 1 or array.size < MIN_PINNED_SIZE:
            room.set(np.ascontiguousarray(array, dtype=dtype))
        else:
            passage = self._passage("up", array.size, dtype)
            passage[:] = array
            room.set(passage)
        self.launcher.bytes += room.nbytes
        return room

    def deliver(self, array: DeviceArray, out: DeviceArray) -> None:
        """out = an array of the device, for an `out` on either side."""
        if isinstance(out, cupy.ndarray):
            out[...] = array
            return
        self.launcher.bytes += array.nbytes
        self.launcher.rounds += 1
        if array.size < MIN_PINNED_SIZE:
            out[...] = array.get()
            return
        passage = self._passage("down", array.size, array.dtype)
        array.get(out=passage)
        out[...] = passage

    def _passage(self, way: str, size: int, dtype: DTypeLike) -> Array:
        """Pinned memory for one way and length; of this thread alone, for copies are not locked."""
        key = get_ident(), way, size, np.dtype(dtype)
        if key not in self._passages:
            self._passages[key] = cupyx.empty_pinned(size, dtype=dtype)
        return self._passages[key]

    def roomy(self, size: int) -> bool:
        """True if 2 × size bytes of memory are free, on the device or in CuPy's pool."""
        pool = cupy.get_default_memory_pool()
        free = cupy.cuda.runtime.memGetInfo()[0] + pool.free_bytes()
        return bool(2 * size < free)

    def noise(self, seed: tuple[int, int], size: int) -> DeviceArray:
        return self.put(self._noise(seed, size))

    def norm(self, x: DeviceArray) -> float:
        return math.sqrt(self._loops.dot(x, x))

    def vectors(self, size: int) -> Loops:
        return self._loops

    def losses(self, size: int) -> Losses:
        return self._losses

    def weighted_square(self, weights: DeviceArray, x: DeviceArray) -> float:
        return self._loops.weighted_square(weights, x)

    def distinct(self, places: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
        """Sorted distinct entries, and the position of each entry among them."""
        found, where = cupy.unique(places, return_inverse=True)
        return found, where

    def one_pass(self, matrix: DeviceArray) -> OnePass | None:
        """Step of known size in one pass over a dense matrix; None if the kernel cannot read it."""
        if not OnePass.takes(matrix):
            return None
        return OnePass(self.launcher, matrix)

    def long(self, ends: Indices) -> LongRows:
        """Plan of the work on compressed rows with these ends."""
        return LongRows(ends)

    def sparse_dot(
        self, matrix: DeviceMatrix, long: LongRows, x: DeviceArray | None, out: DeviceArray
    ) -> None:
        """out = compressed rows (or columns) times x; their squared norms without x."""
        self._compressed.dot(matrix.indptr, matrix.indices, matrix.data, long, x, out)

    def scatter(
        self, matrix: DeviceMatrix, low: int, high: int, scale: float, out: DeviceArray
    ) -> None:
        """Add scale times the stored entries low, ..., high - 1 to out."""
        self._compressed.scatter(matrix.indices, matrix.data, low, high, scale, out)

    def pieces(self, matrix: DeviceMatrix) -> Iterator[tuple[slice, DeviceArray]]:
        """Compressed rows as dense blocks; of a CSC matrix, its columns as rows."""
        rows = matrix if matrix.format == "csr" else matrix.T
        count, across = rows.shape
        each = max(1, MAX_WIDENED_ENTRIES // max(across, 1))
        for first in range(0, count, each):
            some = slice(first, min(first + each, count))
            yield some, rows[some].toarray()

    def sparse_map(self, parts: list[Array], by_rows: bool, shape: tuple[int, int]) -> DeviceSparse:
        """Map of a compressed matrix, copied from the NumPy arrays (ends, places, data)."""
        from cupyx.scipy.sparse import csc_matrix, csr_matrix

        ends, places, data = map(self.put, parts)
        matrix = (csr_matrix if by_rows else csc_matrix)((data, places, ends), shape=shape)
        return DeviceSparse(self, matrix.tocsr(), matrix.tocsc())
