"""A few images side by side on the device: what a working set asks of them."""

from __future__ import annotations

from typing import Any, Protocol

import cupy
import numpy as np
from cupy.cublas import gemm

from frankwolfe.base.arrays import Array
from frankwolfe.base.errors import InvalidInput
from frankwolfe.engines.sparse import SparseImages

__all__ = ["WIDE", "Columns"]

WIDE = 2**26  # entries that are widened to double at a time
PIECE = 2**16  # rows that are added up in single precision
FEW = 4  # sparse images with less than 1/4 as many entries as z are treated apart


class Columns(Protocol):
    """The part of a device that knows columns; what it stands on is the device's."""

    rows_dot: Any
    rows_sum: Any

    def columns(self, rows: int, count: int, dtype: Any) -> Any:
        """Room for images side by side, each in one piece."""

    def put(self, array: Any) -> Any:
        """An array of NumPy's on the device."""

    def get(self, array: Any) -> Any:
        """An array of the device as NumPy's."""

    def there(self, array: Any, dtype: Any) -> Any:
        """An array of either kind on the device."""

    def roomy(self, size: int) -> bool:
        """Whether so many bytes are free twice."""

    def beside(self, images: Any, more: Any) -> Any:
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

    def select(self, images: Any, keep: Any) -> Any:
        if isinstance(images, SparseImages):
            return images.select(keep)
        return cupy.asfortranarray(images[:, self.put(np.flatnonzero(keep))])

    def reached(self, images: Any, *, apart: bool) -> tuple[Any, Any]:
        if not isinstance(images, SparseImages):
            return None, images
        if apart and 0 < images.nnz < images.shape[0] // FEW:
            return images.apart
        size = images.shape[0] * images.shape[1] * images.values.itemsize
        if not self.roomy(size):
            raise InvalidInput(
                f"{images.shape[1]} images of {images.shape[0]:,} entries do not fit on the "
                "device: use pairwise() or frank_wolfe(), or fewer rows."
            )
        return None, images.full()

    def combination(self, images: Any, weights: Array, dtype: Any) -> Any:
        if isinstance(images, SparseImages):
            out = cupy.zeros(images.shape[0], dtype=dtype)
            places, part = images.apart
            out[places] = self.combination(part, weights, dtype)
            return out
        out = cupy.empty(images.shape[0], dtype=dtype)
        self.rows_sum(images.T, self.there(weights, images.dtype), out)
        return out

    def dots(self, images: Any, y: Any) -> Array:
        if isinstance(images, SparseImages):
            places, part = images.apart
            return self.dots(part, y[places])
        if y.ndim == 2:
            return self.gram(images, y, None)
        room = cupy.empty(images.shape[1], dtype=images.dtype)
        self.rows_dot(images.T, self.there(y, images.dtype), room)
        return np.asarray(self.get(room), dtype=np.float64)

    def matrix_product(self, A: Any, x: Any, out: Any) -> None:
        """out = A X in double, some rows at a time."""
        wide = x.astype(np.float64)
        each = max(1, WIDE // A.shape[1])
        for first in range(0, A.shape[0], each):
            some = slice(first, first + each)
            out[some] = A[some].astype(np.float64, copy=False) @ wide

    def gram(self, left: Any, right: Any, weights: Any) -> Array:
        """B' diag(weights) C, for weights >= 0: pieces in the type of the images, summed in double.

        By the plain routine of BLAS, which has no TF32 whatever the settings of others are.
        """
        dtype = np.promote_types(left.dtype, right.dtype)
        each = PIECE if dtype == np.float32 else max(1, WIDE // max(left.shape[1], right.shape[1]))
        total: Any = None
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


def _part(matrix: Any, some: slice, factor: Any, dtype: Any) -> tuple[Any, bool]:
    """Some rows, each times its factor, read as they lie; and whether they are columns then."""
    turned = bool(matrix.flags.f_contiguous)
    part = (matrix.T[:, some] if turned else matrix[some]).astype(dtype, copy=False)
    if factor is None:
        return part, turned
    factor = factor.astype(dtype)
    return part * (factor if turned else factor[:, None]), turned
