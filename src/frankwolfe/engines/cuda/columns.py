"""A few images as columns on the device, and the products that a working set asks of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import cupy
import numpy as np
from cupy.cublas import gemm

from frankwolfe.base.arrays import Array
from frankwolfe.base.errors import InvalidInput
from frankwolfe.engines.sparse import SparseImages

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from frankwolfe.base.arrays import Flags
    from frankwolfe.engines.maps import DeviceArray, Product

__all__ = ["MAX_WIDENED_ENTRIES", "DeviceColumns"]

MAX_WIDENED_ENTRIES = 2**26  # entries converted to float64 at a time: 512 MiB
SINGLE_ROWS = 2**16  # rows summed in float32 before they go into a float64 sum: bounds the rounding
SPARSE_RATIO = 4  # rows to stored entries; sparser images are compressed to their rows

Images: TypeAlias = "DeviceArray | SparseImages"
"""Images as columns: a dense matrix of the device, or sparse columns."""


class DeviceColumns(Protocol):
    """Mixin of a device for matrices of a few columns; the protocol is what it stands on."""

    rows_dot: Product
    rows_sum: Product

    def columns(self, rows: int, count: int, dtype: DTypeLike) -> DeviceArray:
        """New dense matrix, each column of which is contiguous."""

    def put(self, array: DeviceArray) -> DeviceArray:
        """Copy of a NumPy array on the device."""

    def get(self, array: DeviceArray) -> DeviceArray:
        """Copy of a device array in this process's memory."""

    def to_device(self, array: DeviceArray, dtype: DTypeLike) -> DeviceArray:
        """Contiguous array of type `dtype` on the device, from either side."""

    def distinct(self, places: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
        """Sorted distinct entries, and the position of each entry among them."""

    def roomy(self, size: int) -> bool:
        """True if 2 × size bytes of the device's memory are free."""

    def beside(self, images: Images, more: Images) -> DeviceArray:
        if isinstance(images, SparseImages) and isinstance(more, SparseImages):
            return SparseImages(
                self,
                images.shape[0],
                np.concatenate([images.ends, images.ends[-1] + more.ends[1:]]),
                cupy.concatenate([images.places, more.places]),
                cupy.concatenate([images.values, more.values]),
            )
        both = [part.full() if isinstance(part, SparseImages) else part for part in (images, more)]
        out = self.columns(both[0].shape[0], both[0].shape[1] + both[1].shape[1], both[0].dtype)
        out[:, : both[0].shape[1]], out[:, both[0].shape[1] :] = both
        return out

    def select(self, images: Images, keep: Flags) -> DeviceArray:
        if isinstance(images, SparseImages):
            return images.select(keep)
        return cupy.asfortranarray(images[:, self.put(np.flatnonzero(keep))])

    def reached(self, images: Images, *, apart: bool) -> tuple[DeviceArray | None, Any]:
        if not isinstance(images, SparseImages):
            return None, images
        if apart and 0 < images.nnz < images.shape[0] // SPARSE_RATIO:
            return images.apart
        size = images.shape[0] * images.shape[1] * images.values.itemsize
        if not self.roomy(size):
            raise InvalidInput(
                f"{images.shape[1]} images of {images.shape[0]:,} entries do not fit on the "
                "device: use pairwise() or frank_wolfe(), or fewer rows."
            )
        return None, images.full()

    def combination(self, images: Images, weights: Array, dtype: DTypeLike) -> DeviceArray:
        if isinstance(images, SparseImages):
            out = cupy.zeros(images.shape[0], dtype=dtype)
            places, part = images.apart
            out[places] = self.combination(part, weights, dtype)
            return out
        out = cupy.empty(images.shape[0], dtype=dtype)
        self.rows_sum(images.T, self.to_device(weights, images.dtype), out)
        return out

    def dots(self, images: Images, y: DeviceArray) -> Array:
        if isinstance(images, SparseImages):
            places, part = images.apart
            return self.dots(part, y[places])
        if y.ndim == 2:
            return self.gram(images, y, None)
        room = cupy.empty(images.shape[1], dtype=images.dtype)
        self.rows_dot(images.T, self.to_device(y, images.dtype), room)
        return np.asarray(self.get(room), dtype=np.float64)

    def matrix_product(self, A: DeviceArray, x: DeviceArray, out: DeviceArray) -> None:
        """out = A X in float64, some rows at a time."""
        wide = x.astype(np.float64)
        each = max(1, MAX_WIDENED_ENTRIES // A.shape[1])
        for first in range(0, A.shape[0], each):
            some = slice(first, first + each)
            out[some] = A[some].astype(np.float64, copy=False) @ wide

    def gram(self, left: DeviceArray, right: DeviceArray, weights: DeviceArray | None) -> Array:
        """Weighted product B' diag(weights) C, weights ≥ 0, summed in float64.

        Blocks of rows are multiplied in the type of the images, by the plain
        routine of BLAS, which has no TF32 whatever the settings of others are.
        B = C has a factor sqrt(weights) on each side, so that the result is symmetric.
        """
        dtype = np.promote_types(left.dtype, right.dtype)
        each = (
            SINGLE_ROWS
            if dtype == np.float32
            else max(1, MAX_WIDENED_ENTRIES // max(left.shape[1], right.shape[1]))
        )
        total: DeviceArray | None = None
        for first in range(0, left.shape[0], each):
            some = slice(first, first + each)
            factor = None if weights is None else weights[some]
            if left is right:
                factor = None if factor is None else cupy.sqrt(factor)
                a, turned = b, other = _part(left, some, factor, dtype)
            else:
                a, turned = _part(left, some, None, dtype)
                b, other = _part(right, some, factor, dtype)
            part = gemm("N" if turned else "T", "T" if other else "N", a, b)
            part = part.astype(np.float64, copy=False)
            total = part if total is None else total + part
        return np.asarray(self.get(total))


def _part(
    matrix: DeviceArray, some: slice, factor: DeviceArray | None, dtype: DTypeLike
) -> tuple[Any, bool]:
    """Some rows, each times its factor, in their layout in memory; and True if transposed."""
    turned = bool(matrix.flags.f_contiguous)
    part = (matrix.T[:, some] if turned else matrix[some]).astype(dtype, copy=False)
    if factor is None:
        return part, turned
    factor = factor.astype(dtype)
    return part * (factor if turned else factor[:, None]), turned
