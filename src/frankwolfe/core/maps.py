"""Data maps: one interface to a data matrix A, for dense arrays and scipy sparse matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol, cast

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Dtype, Indices, Matrix
from frankwolfe.base.checks import all_finite, as_float_array, frobenius, is_sparse
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.foreign import engine_of
from frankwolfe.base.kernels import dense
from frankwolfe.base.threads import many
from frankwolfe.core.atoms import Atom, Dense, LinearMap, Vertex
from frankwolfe.core.centring import MAX_COPIED_BYTES, MovedMap, far_means
from frankwolfe.core.kernels import rows as some
from frankwolfe.core.place import HERE, Place
from frankwolfe.core.products import as_columns, dense_times, vertices, weighted_gram
from frankwolfe.core.sparse_map import IdentityMap, SparseMap
from frankwolfe.core.structure import checked_structure

__all__ = ["DataMap", "DenseMap", "as_map"]

MAX_SMALL_PRODUCT = 900_000  # multiplications up to which BLAS uses its quicker loops
MIN_THREADED_PRODUCT = 20_000_000  # multiplications from which BLAS's threads are quicker still
MIN_ROWS_PER_PRODUCT = 256  # fewer rows a product: calls cost more than the quicker loops save
CACHE_LINE_BYTES = 64  # read at once, however few of them are needed


class DataMap(LinearMap, Protocol):
    """A data matrix A, dense or sparse, in any memory, with the products that solvers need."""

    shape: tuple[int, int]
    dtype: Dtype
    place: Place  # memory of the images
    sparse: bool
    leaps: bool  # True if it has a `leap` for losses: move and evaluation in one pass, on a device
    sums_in_double: bool  # True if entries are in single precision and sums in double

    def adjoint(self, y: Array, out: Array) -> None:
        """out = A' y, for a vector or a matrix y."""

    def apply_block(self, v: Array, block: slice, out: Array) -> None:
        """out = A[:, block] v."""

    def adjoint_block(self, y: Array, block: slice, out: Array) -> None:
        """out = (A' y)[block]; only those columns are read."""

    def products(self, rows: Indices, x: Array, out: Array) -> None:
        """out = (A x)[rows]; only those rows are read."""

    def add_rows(self, rows: Indices, values: Array, out: Array) -> None:
        """out = out + A[rows]' values."""

    def row(self, index: int) -> Atom:
        """Row `index` as an atom that shares the entries of A."""

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        """Matrix with A times atom k as column k."""

    def weighted_gram(self, weights: Array) -> Array:
        """Weighted Gram matrix A' diag(weights) A."""

    def gram(self, side: str) -> Array:
        """Gram matrix A' A for `side` "columns", A A' for "rows"."""

    @property
    def column_norms(self) -> Array:
        """2-norm of each column."""

    @property
    def norm(self) -> float:
        """Frobenius norm of A."""

    def centred(self) -> tuple[DataMap, Array] | None:
        """A - 1 m' and m, the means of columns far from zero; None if no column is."""

    def parts(self) -> list[AnyArray]:
        """Arrays that determine A: for fingerprints, and for proofs."""

    def in_double(self) -> DataMap:
        """The map with entries in double precision."""

    def here(self) -> DataMap:
        """The map in this process's memory."""


class DenseMap:
    """A data map of a NumPy array, which is kept as it is if contiguous in either order."""

    place: Place = HERE
    sparse = leaps = sums_in_double = False

    def __init__(self, matrix: Array) -> None:
        if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
            matrix = np.ascontiguousarray(matrix)
        self.matrix = matrix
        self._transposed = matrix.T
        self.shape: tuple[int, int] = (matrix.shape[0], matrix.shape[1])
        self.dtype = matrix.dtype

    def apply(self, x: Array, out: Array) -> None:
        if x.ndim == 1:
            dense_times(self.matrix, x, out)
            return
        for rows in self._portions(x, MIN_THREADED_PRODUCT):
            np.dot(self.matrix[rows], x, out=out[rows])

    def adjoint(self, y: Array, out: Array) -> None:
        if y.ndim == 1:
            dense_times(self._transposed, y, out)
            return
        first, *others = self._portions(y)
        total = np.dot(y[first].T, self.matrix[first])  # few columns are read faster from the left
        for rows in others:
            total += np.dot(y[rows].T, self.matrix[rows])
        out[:] = total.T

    def _portions(self, other: Array, most: float = math.inf) -> list[slice]:
        """Slices of rows for a product with few columns; one slice if portions are no faster.

        BLAS has quicker loops for small products. Products larger than `most` are left to its
        threads.
        """
        count, columns = self.shape
        each = MAX_SMALL_PRODUCT // (columns * other.shape[1])
        if not MIN_ROWS_PER_PRODUCT <= each < count or count * columns * other.shape[1] > most:
            return [slice(count)]
        return [slice(first, first + each) for first in range(0, count, each)]

    def column(self, index: int, scale: float, out: Array) -> None:
        np.multiply(self.matrix[:, index], scale, out=out)

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        if self.matrix.flags.c_contiguous:
            some.dense_columns(self.matrix, indices, values, out)
        else:
            out[:] = 0.0
            some.add_dense(self._transposed, indices, values, out)

    def apply_block(self, v: Array, block: slice, out: Array) -> None:
        np.dot(self.matrix[:, block], v, out=out)

    def adjoint_block(self, y: Array, block: slice, out: Array) -> None:
        np.dot(self._transposed[block], y, out=out)

    def adjoint_at(self, places: Indices, y: Array) -> Array:
        """Entries `places` of A' y; only those columns are read."""
        out = np.empty(places.size, dtype=self.dtype)
        if self.matrix.flags.f_contiguous:
            some.dense(self._transposed, places, y, out)
        else:
            some.dense_column_products(self.matrix, places, y, out)
        return out

    @property
    def column_cost(self) -> float:
        """Cost of reading one column, over its share of reading all: by rows, whole cache lines."""
        return 1.0 if self.matrix.flags.f_contiguous else CACHE_LINE_BYTES / self.matrix.itemsize

    @cached_property
    def column_norms(self) -> Array:
        """2-norm of each column, summed in double precision."""
        squares = np.einsum("ij,ij->j", self.matrix, self.matrix, dtype=np.float64)
        return np.asarray(np.sqrt(squares))

    @cached_property
    def norm(self) -> float:
        """Frobenius norm of A."""
        return frobenius(self.matrix)

    def products(self, rows: Indices, x: Array, out: Array) -> None:
        some.dense(self.matrix, rows, x, out)

    def add_rows(self, rows: Indices, values: Array, out: Array) -> None:
        some.add_dense(self.matrix, rows, values, out)

    def row(self, index: int) -> Atom:
        return Dense(self.matrix[index])

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        if all(isinstance(atom, Vertex) for atom in atoms):
            places, values = vertices(atoms)
            out = np.empty((places.size, self.shape[0]), dtype=self.dtype)
            loop = dense.parallel_scaled if many(out.size) else dense.scaled
            loop(self._transposed, places, values.astype(self.dtype), out)
            return out.T
        return np.asfortranarray((as_columns(atoms, self.shape[1]).T @ self._transposed).T)

    def weighted_gram(self, weights: Array) -> Array:
        return weighted_gram(self.matrix, self.matrix, weights)

    def gram(self, side: str) -> Array:
        a = self.matrix
        return np.asarray(a.T @ a if side == "columns" else a @ a.T)

    def centred(self) -> tuple[DataMap, Array] | None:
        shift = far_means(self.matrix)
        if not shift.any():
            return None
        if self.matrix.nbytes > MAX_COPIED_BYTES:
            return MovedMap(self.matrix, shift), shift
        return DenseMap(self.matrix - shift), shift

    def parts(self) -> list[AnyArray]:
        return [self.matrix]

    def in_double(self) -> DenseMap:
        """The map with entries in double precision."""
        return DenseMap(self.matrix.astype(np.float64))

    def here(self) -> DenseMap:
        return self


def _is_identity(matrix: Matrix) -> bool:
    """True if a sparse matrix has ones on its diagonal and nothing else."""
    rows, columns = matrix.shape
    return rows == columns == matrix.nnz and bool((matrix.diagonal() == 1.0).all())


def as_map(name: str, matrix: Matrix, rows: str = "observations") -> DataMap:
    """Data map of `matrix`, after checking that it is two-dimensional, non-empty and finite."""
    if isinstance(matrix, IdentityMap):
        return matrix
    engine = engine_of(matrix)
    if engine is not None:
        return cast(DataMap, engine.as_map(name, matrix))
    if is_sparse(matrix):
        if np.issubdtype(matrix.dtype, np.complexfloating):
            raise InvalidInput(f"{name} must be a matrix of real numbers, got complex ones.")
        matrix = checked_structure(name, matrix)
        if matrix.dtype not in (np.float32, np.float64):
            matrix = matrix.astype(np.float64)
        entries = matrix.data if matrix.format in ("csr", "csc", "coo") else matrix.tocoo().data
    else:
        matrix = entries = as_float_array(name, matrix)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InvalidInput(
            f"{name} must be a non-empty matrix (rows are {rows}), "
            f"got an array of shape {tuple(matrix.shape)}."
        )
    if not is_sparse(matrix):
        full = DenseMap(matrix)
        _check_finite(name, full.norm, full.matrix)  # one pass for both
        return full
    if entries.size:
        _check_finite(name, frobenius(entries), entries)
    if _is_identity(matrix):
        return IdentityMap(int(matrix.shape[0]), matrix.dtype)
    return SparseMap(matrix)


def _check_finite(name: str, norm: float, entries: Array) -> None:
    """Raise an error unless all entries are finite, as they are if their norm is."""
    if not (math.isfinite(norm) or all_finite(entries)):
        raise InvalidInput(f"{name} must be finite, but it holds NaN or infinity.")
