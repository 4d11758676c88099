"""Where images live: what makes them, loops over them, and takes a few of them as columns.

Data maps say it (`DataMap.place`); everything above asks for nothing else.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import Array, Indices, Matrix
from frankwolfe.base.checks import is_sparse
from frankwolfe.base.kernels import LONG, blocks, for_length, losses, parallel, vectors
from frankwolfe.base.threads import many
from frankwolfe.core.kernels import krylov, logs, multinomial
from frankwolfe.core.products import dense_times, weighted_gram

__all__ = ["HERE", "Place", "unit_noise"]

T = TypeVar("T")  # an array, here or there
FEW = 4  # sparse images with less than 1/4 as many entries as z are treated apart


class Place(Protocol):
    """A kind of memory, and what works on it."""

    here: bool
    """Whether it is this process's own."""

    @property
    def moved(self) -> tuple[int, int] | None:
        """How often an answer was waited for, and bytes both ways; None where nothing moves."""

    def empty(self, size: int | tuple[int, int], dtype: Any) -> Array:
        """Room for a vector, or a matrix."""

    def columns(self, rows: int, count: int, dtype: Any) -> Matrix:
        """Room for vectors side by side, each in one piece."""

    def put(self, array: T) -> T:
        """A NumPy array there."""

    def get(self, array: T) -> T:
        """An array from there as NumPy's."""

    def noise(self, seed: tuple[int, int], size: int) -> Array:
        """A random unit vector: the same numbers in every place."""

    def norm(self, x: Array) -> float:
        """The 2-norm."""

    def vectors(self, size: int) -> Any:
        """The vector loops for images of that length (`kernels.vectors`)."""

    def losses(self, size: int) -> Any:
        """The loops of separable losses (`kernels.losses`)."""

    @property
    def krylov(self) -> Any:
        """Those of the Lanczos method (`kernels.krylov`)."""

    @property
    def logs(self) -> Any:
        """Those of terms with a logarithm (`kernels.logs`)."""

    @property
    def multinomial(self) -> Any:
        """Those of the softmax loss (`kernels.multinomial`)."""

    def weighted_square(self, weights: Array, x: Array) -> float:
        """The sum of w x^2, for one weight or one for each entry."""

    def beside(self, images: Matrix, more: Matrix) -> Matrix:
        """Both, as columns of one matrix."""

    def select(self, images: Matrix, keep: NDArray[np.bool_]) -> Matrix:
        """Some of the columns."""

    def reached(self, images: Matrix, *, apart: bool) -> tuple[Indices | None, Matrix]:
        """The images to be read fast; `apart`, where few rows are not zero, these and no others.

        The rows come first where it is so.
        """

    def combination(self, images: Matrix, weights: Array, dtype: Any) -> Array:
        """The images times the weights."""

    def dots(self, images: Matrix, y: Array) -> Array:
        """The product of each image with y, as NumPy's doubles."""

    def gram(self, left: Matrix, right: Matrix, weights: Array) -> Array:
        """B' diag(weights) C, as NumPy's doubles."""


def unit_noise(seed: tuple[int, int], size: int) -> Array:
    """A random unit vector, without a preferred direction."""
    noise = np.random.default_rng(seed).standard_normal(size)
    noise /= np.linalg.norm(noise)
    return noise


class _Here:
    """NumPy's arrays and scipy's matrices."""

    here = True
    moved = None
    krylov, logs, multinomial = krylov, logs, multinomial

    def empty(self, size: int | tuple[int, int], dtype: Any) -> Array:
        return np.empty(size, dtype=dtype)

    def columns(self, rows: int, count: int, dtype: Any) -> Matrix:
        return np.empty((rows, count), dtype=dtype, order="F")

    def put(self, array: T) -> T:
        return array

    def get(self, array: T) -> T:
        return array

    def noise(self, seed: tuple[int, int], size: int) -> Array:
        return unit_noise(seed, size)

    def norm(self, x: Array) -> float:
        return float(np.linalg.norm(x))

    def vectors(self, size: int) -> Any:
        return for_length(size)

    def losses(self, size: int) -> Any:
        if size < LONG:
            return losses
        return parallel if many(size) else blocks

    def weighted_square(self, weights: Array, x: Array) -> float:
        return float(vectors.weighted_square(weights, x))

    def beside(self, images: Matrix, more: Matrix) -> Matrix:
        if is_sparse(images) or is_sparse(more):
            from scipy.sparse import csc_array, hstack

            return hstack([csc_array(images), csc_array(more)], format="csc")
        count = images.shape[1]
        both = self.columns(images.shape[0], count + more.shape[1], images.dtype)
        both[:, :count], both[:, count:] = images, more
        return both

    def select(self, images: Matrix, keep: NDArray[np.bool_]) -> Matrix:
        found = images[:, keep]
        return found if is_sparse(found) else np.asfortranarray(found)

    def reached(self, images: Matrix, *, apart: bool) -> tuple[Indices | None, Matrix]:
        if not is_sparse(images):
            return None, images
        if apart and 0 < images.nnz < images.shape[0] // FEW:
            from scipy.sparse import csc_array

            places, rows = np.unique(images.indices, return_inverse=True)
            shape = (places.size, images.shape[1])
            return places, csc_array((images.data, rows, images.indptr), shape=shape).tocsr()
        return None, images.tocsr()

    def combination(self, images: Matrix, weights: Array, dtype: Any) -> Array:
        if _of_doubles(images, weights):
            out = np.empty(images.shape[0])
            dense_times(images, weights, out)
            return out.astype(dtype, copy=False)
        return np.asarray(images @ weights, dtype=dtype)

    def dots(self, images: Matrix, y: Array) -> Array:
        if _of_doubles(images, y):
            out = np.empty(images.shape[1])
            dense_times(images.T, y, out)
            return out
        return np.asarray(images.T @ y, dtype=np.float64)

    def gram(self, left: Matrix, right: Matrix, weights: Array) -> Array:
        return weighted_gram(left, right, weights)


def _of_doubles(images: Matrix, vector: Array) -> bool:
    """Whether a product is one for our loops: columns in one piece, in double precision."""
    if is_sparse(images) or images.size < LONG or vector.ndim != 1:
        return False
    return bool(images.flags.f_contiguous and images.dtype == vector.dtype == np.float64)


HERE = _Here()
