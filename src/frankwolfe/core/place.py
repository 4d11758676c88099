"""Places: the kinds of memory in which images live, with the operations on arrays there.

A data map names its place (`DataMap.place`); nothing else needs to know it.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from frankwolfe.base.arrays import Array, Flags, Indices, Matrix
from frankwolfe.base.checks import is_sparse
from frankwolfe.base.kernels import (
    MIN_CHUNKED_LENGTH,
    blocks,
    for_length,
    losses,
    parallel,
    vectors,
)
from frankwolfe.base.threads import many
from frankwolfe.core.kernels import krylov, logs, multinomial
from frankwolfe.core.products import dense_times, weighted_gram

__all__ = ["HERE", "Loops", "Place", "unit_noise"]

Loops: TypeAlias = Any
"""A module of compiled loops (Numba's, or a device's with the same names), or one of them."""

T = TypeVar("T")  # an array, here or there
MIN_ROWS_PER_ENTRY = 4
"""Sparse images with fewer than 1/4 as many entries as z has rows are packed into those rows."""


class Place(Protocol):
    """A kind of memory, and the operations on arrays that live there."""

    here: bool
    """True for this process's own memory."""

    @property
    def moved(self) -> tuple[int, int] | None:
        """Number of round trips and bytes moved so far, both ways; None where nothing moves."""

    def empty(self, size: int | tuple[int, int], dtype: DTypeLike) -> Array:
        """Uninitialized vector or matrix."""

    def columns(self, rows: int, count: int, dtype: DTypeLike) -> Matrix:
        """Uninitialized matrix in Fortran order: each column in one piece."""

    def put(self, array: T) -> T:
        """Copy a NumPy array to this place."""

    def get(self, array: T) -> T:
        """Copy an array of this place to NumPy's memory."""

    def noise(self, seed: tuple[int, int], size: int) -> Array:
        """Random unit vector; the numbers are the same in every place."""

    def norm(self, x: Array) -> float:
        """2-norm of a vector."""

    def vectors(self, size: int) -> Loops:
        """Vector loops for images of that length (`kernels.vectors`)."""

    def losses(self, size: int) -> Loops:
        """Loops of separable losses for images of that length (`kernels.losses`)."""

    @property
    def krylov(self) -> Loops:
        """Loops of the Lanczos method (`kernels.krylov`)."""

    @property
    def logs(self) -> Loops:
        """Loops of losses with a logarithm (`kernels.logs`)."""

    @property
    def multinomial(self) -> Loops:
        """Loops of the softmax loss (`kernels.multinomial`)."""

    def weighted_square(self, weights: Array, x: Array) -> float:
        """Σ_i w_i x_i^2, for one weight or one for each entry."""

    def beside(self, images: Matrix, more: Matrix) -> Matrix:
        """Concatenate two sets of images, as columns of one matrix."""

    def select(self, images: Matrix, keep: Flags) -> Matrix:
        """Columns of the images at which `keep` is true."""

    def reached(self, images: Matrix, *, apart: bool) -> tuple[Indices | None, Matrix]:
        """Rows that are kept (None for all), and the images on them in a form that is read fast.

        With `apart`, images that are zero in most rows are packed into the others.
        """

    def combination(self, images: Matrix, weights: Array, dtype: DTypeLike) -> Array:
        """Σ_k weights_k times image k."""

    def dots(self, images: Matrix, y: Array) -> Array:
        """Inner product of each image with y, as NumPy's doubles."""

    def gram(self, left: Matrix, right: Matrix, weights: Array) -> Array:
        """B' diag(weights) C, as NumPy's doubles."""


def unit_noise(seed: tuple[int, int], size: int) -> Array:
    """Random unit vector, uniform on the sphere."""
    noise = np.random.default_rng(seed).standard_normal(size)
    noise /= np.linalg.norm(noise)
    return noise


class _Here:
    """Memory of this process: NumPy arrays and scipy matrices."""

    here = True
    moved = None
    krylov, logs, multinomial = krylov, logs, multinomial

    def empty(self, size: int | tuple[int, int], dtype: DTypeLike) -> Array:
        return np.empty(size, dtype=dtype)

    def columns(self, rows: int, count: int, dtype: DTypeLike) -> Matrix:
        return np.empty((rows, count), dtype=dtype, order="F")

    def put(self, array: T) -> T:
        return array

    def get(self, array: T) -> T:
        return array

    def noise(self, seed: tuple[int, int], size: int) -> Array:
        return unit_noise(seed, size)

    def norm(self, x: Array) -> float:
        return float(np.linalg.norm(x))

    def vectors(self, size: int) -> Loops:
        return for_length(size)

    def losses(self, size: int) -> Loops:
        if size < MIN_CHUNKED_LENGTH:
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

    def select(self, images: Matrix, keep: Flags) -> Matrix:
        found = images[:, keep]
        return found if is_sparse(found) else np.asfortranarray(found)

    def reached(self, images: Matrix, *, apart: bool) -> tuple[Indices | None, Matrix]:
        if not is_sparse(images):
            return None, images
        if apart and 0 < images.nnz < images.shape[0] // MIN_ROWS_PER_ENTRY:
            from scipy.sparse import csc_array

            places, rows = np.unique(images.indices, return_inverse=True)
            shape = (places.size, images.shape[1])
            return places, csc_array((images.data, rows, images.indptr), shape=shape).tocsr()
        return None, images.tocsr()

    def combination(self, images: Matrix, weights: Array, dtype: DTypeLike) -> Array:
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
    """True if our loops serve a product: contiguous columns, in double precision, and many."""
    if is_sparse(images) or images.size < MIN_CHUNKED_LENGTH or vector.ndim != 1:
        return False
    return bool(images.flags.f_contiguous and images.dtype == vector.dtype == np.float64)


HERE = _Here()
