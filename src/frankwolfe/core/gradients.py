"""Gradient matrices, with the products that oracles and methods of matrix regions need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Gradient
from frankwolfe.base.checks import all_finite, as_float_array, is_sparse
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.place import HERE, Place

__all__ = ["DenseGradient", "MatrixGradient", "matrix_gradient"]


class MatrixGradient(ABC):
    """A matrix G, known by its products.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns.
    dtype : numpy.dtype
        Element type of the atoms that are made of its singular vectors.
    full : bool
        True if all entries are stored.
    place : Place
        Memory of the vectors that it is multiplied with.
    """

    shape: tuple[int, int]
    dtype: Dtype
    full: bool = False
    place: Place = HERE

    @abstractmethod
    def apply(self, v: Array, out: Array) -> None:
        """out = G v."""

    @abstractmethod
    def adjoint(self, u: Array, out: Array) -> None:
        """out = G' u."""

    @abstractmethod
    def apply_block(self, block: Array, out: Array) -> None:
        """out = G B, for a matrix B of a few columns."""

    @abstractmethod
    def adjoint_block(self, block: Array, out: Array) -> None:
        """out = G' B."""

    @abstractmethod
    def between(self, left: Array, right: Array) -> Array:
        """left G right' as a NumPy array, for matrices whose rows are vectors."""

    @abstractmethod
    def frobenius(self) -> float:
        """Upper bound on the Frobenius norm, and so on every singular value."""

    @abstractmethod
    def dense(self) -> Array:
        """The matrix in full, as a NumPy array; for small matrices unless it is `full`."""

    def symmetric(self, x: Array, out: Array, room: Array) -> None:
        """out = (G + G')x, for a square G; `room` is a workspace as long as x."""
        self.apply(x, out)
        self.adjoint(x, room)
        out += room


class DenseGradient(MatrixGradient):
    """A gradient matrix that is stored in full."""

    full = True
    dtype = np.dtype(np.float64)

    def __init__(self, matrix: Array) -> None:
        self._matrix = matrix
        self.shape = matrix.shape[0], matrix.shape[1]

    @cached_property
    def _with_transpose(self) -> Array:
        return self._matrix + self._matrix.T

    def apply(self, v: Array, out: Array) -> None:
        out[:] = self._matrix @ v

    def adjoint(self, u: Array, out: Array) -> None:
        out[:] = self._matrix.T @ u

    def apply_block(self, block: Array, out: Array) -> None:
        out[:] = self._matrix @ block

    def adjoint_block(self, block: Array, out: Array) -> None:
        out[:] = self._matrix.T @ block

    def between(self, left: Array, right: Array) -> Array:
        return np.asarray(left @ self._matrix @ right.T)

    def frobenius(self) -> float:
        return float(np.linalg.norm(self._matrix))

    def dense(self) -> Array:
        return self._matrix

    def symmetric(self, x: Array, out: Array, room: Array) -> None:
        np.dot(self._with_transpose, x, out=out)


def matrix_gradient(g: Gradient) -> MatrixGradient:
    """Check a gradient that a caller passes: a `MatrixGradient`, or a dense or sparse matrix."""
    if isinstance(g, MatrixGradient):
        return g
    full = as_float_array("g", g.toarray() if is_sparse(g) else g)
    if full.ndim != 2 or not full.size or not all_finite(full):
        raise InvalidInput(f"g must be a finite matrix, got an array of shape {full.shape}.")
    return DenseGradient(full)
