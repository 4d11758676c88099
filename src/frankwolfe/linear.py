"""The data matrix A: one interface for dense arrays and scipy sparse matrices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from frankwolfe.arrays import Array, Indices, Matrix
from frankwolfe.atoms import Atom, Dense, Sparse, Vertex, entries
from frankwolfe.checks import all_finite, as_float_array, is_sparse
from frankwolfe.errors import InvalidInput
from frankwolfe.kernels import LONG, dense, parallel_sparse, sparse
from frankwolfe.kernels import rows as some

__all__ = [
    "DataMap",
    "DenseMap",
    "IdentityMap",
    "SparseMap",
    "as_columns",
    "as_map",
    "weighted_gram",
]


ROOMY = 2**28  # bytes up to which a sparse matrix is kept by rows and by columns
CROWDED = 8  # entries for each row and column from which threads pay


class DataMap(Protocol):
    """A linear map with its adjoint, its columns and rows, and the type of its entries."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]

    def apply(self, x: Array, out: Array) -> None:
        """out = A x."""

    def adjoint(self, y: Array, out: Array) -> None:
        """out = A' y."""

    def column(self, index: int, scale: float, out: Array) -> None:
        """out = scale times column `index`."""

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        """out = the sum of `values` times columns `indices`."""

    def apply_block(self, v: Array, block: slice, out: Array) -> None:
        """out = the columns of `block` times v."""

    def adjoint_block(self, y: Array, block: slice, out: Array) -> None:
        """out = the entries `block` of A' y; only those columns are read."""

    def products(self, rows: Indices, x: Array, out: Array) -> None:
        """out = the entries `rows` of A x; only those rows are read."""

    def add_rows(self, rows: Indices, values: Array, out: Array) -> None:
        """out = out + the sum of `values` times `rows`."""

    def row(self, index: int) -> Atom:
        """Row `index` as a point, which shares the map's entries."""

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        """A times each of the atoms, as columns."""

    def weighted_gram(self, weights: Array) -> Array:
        """A' diag(weights) A."""

    def gram(self, side: str) -> Array:
        """A' A for `side` "columns", A A' for "rows"."""

    def parts(self) -> list[Any]:
        """The arrays that hold the entries (fingerprints)."""


class DenseMap:
    """A NumPy array; kept as it is when contiguous, in either order."""

    def __init__(self, matrix: Array) -> None:
        if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
            matrix = np.ascontiguousarray(matrix)
        self.matrix = matrix
        self._transposed = matrix.T
        self.shape: tuple[int, int] = (matrix.shape[0], matrix.shape[1])
        self.dtype = matrix.dtype

    def apply(self, x: Array, out: Array) -> None:
        np.dot(self.matrix, x, out=out)

    def adjoint(self, y: Array, out: Array) -> None:
        np.dot(self._transposed, y, out=out)

    def column(self, index: int, scale: float, out: Array) -> None:
        np.multiply(self.matrix[:, index], scale, out=out)

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        if self.matrix.flags.c_contiguous:
            dense.columns(self.matrix, indices, values, out)
        else:
            dense.transposed_rows(self._transposed, indices, values, out)

    def apply_block(self, v: Array, block: slice, out: Array) -> None:
        np.dot(self.matrix[:, block], v, out=out)

    def adjoint_block(self, y: Array, block: slice, out: Array) -> None:
        np.dot(self._transposed[block], y, out=out)

    def products(self, rows: Indices, x: Array, out: Array) -> None:
        some.dense(self.matrix, rows, x, out)

    def add_rows(self, rows: Indices, values: Array, out: Array) -> None:
        some.add_dense(self.matrix, rows, values, out)

    def row(self, index: int) -> Atom:
        return Dense(self.matrix[index])

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        if all(isinstance(atom, Vertex) for atom in atoms):
            places, values = _vertices(atoms)
            return (self._transposed[places] * values.astype(self.dtype)[:, None]).T
        return np.asfortranarray((as_columns(atoms, self.shape[1]).T @ self._transposed).T)

    def weighted_gram(self, weights: Array) -> Array:
        return weighted_gram(self.matrix, self.matrix, weights)

    def gram(self, side: str) -> Array:
        a = self.matrix
        return np.asarray(a.T @ a if side == "columns" else a @ a.T)

    def parts(self) -> list[Any]:
        return [self.matrix]


class SparseMap:
    """A scipy sparse matrix, in compressed rows or columns, whichever it came in.

    Products with A and A' read that form, whatever else has been made, so that a run is the
    same bits each time. The other form is made when a column or a row is asked for, unless
    that would take much memory: then a column is looked for in each row.
    """

    def __init__(self, matrix: Matrix) -> None:
        given = matrix if matrix.format in ("csr", "csc") else matrix.tocsr()
        self._given = _canonical(given)
        self.shape: tuple[int, int] = (int(matrix.shape[0]), int(matrix.shape[1]))
        self.dtype = matrix.dtype
        self._small = given.data.nbytes + given.indices.nbytes <= ROOMY
        many = given.nnz >= max(LONG, CROWDED * max(self.shape))
        self._loops: Any = parallel_sparse if many else sparse

    @cached_property
    def _rows(self) -> Any:
        return self._given if self._given.format == "csr" else _canonical(self._given.tocsr())

    @cached_property
    def _columns(self) -> Any:
        return self._given if self._given.format == "csc" else _canonical(self._given.tocsc())

    @property
    def _columns_at_hand(self) -> bool:
        """Whether columns are there, or may be made."""
        return bool(self._small or self._given.format == "csc")

    def apply(self, x: Array, out: Array) -> None:
        if self._given.format == "csr":
            a = self._rows
            self._loops.product(a.indptr, a.indices, a.data, x, out)
        else:
            a = self._columns  # transposed, it is in compressed rows
            self._loops.transposed_product(a.indptr, a.indices, a.data, x, out)

    def adjoint(self, y: Array, out: Array) -> None:
        if self._given.format == "csc":
            a = self._columns
            self._loops.product(a.indptr, a.indices, a.data, y, out)
        else:
            a = self._rows
            self._loops.transposed_product(a.indptr, a.indices, a.data, y, out)

    def column(self, index: int, scale: float, out: Array) -> None:
        if self._columns_at_hand:
            a = self._columns
            sparse.column(a.indptr, a.indices, a.data, index, scale, out)
        else:
            a = self._rows
            sparse.column_of_rows(a.indptr, a.indices, a.data, index, scale, out)

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        if self._columns_at_hand:
            a = self._columns
            sparse.columns(a.indptr, a.indices, a.data, indices, values, out)
        else:
            x = np.zeros(self.shape[1], dtype=self.dtype)
            x[indices] = values
            self.apply(x, out)

    def apply_block(self, v: Array, block: slice, out: Array) -> None:
        a = self._columns  # transposed, it is in compressed rows
        ends = a.indptr[block.start : block.stop + 1]
        sparse.transposed_product(ends, a.indices, a.data, v, out)

    def adjoint_block(self, y: Array, block: slice, out: Array) -> None:
        a = self._columns
        ends = a.indptr[block.start : block.stop + 1]
        sparse.product(ends, a.indices, a.data, y, out)

    def products(self, rows: Indices, x: Array, out: Array) -> None:
        a = self._rows
        some.sparse(a.indptr, a.indices, a.data, rows, x, out)

    def add_rows(self, rows: Indices, values: Array, out: Array) -> None:
        a = self._rows
        some.add_sparse(a.indptr, a.indices, a.data, rows, values, out)

    def row(self, index: int) -> Atom:
        a = self._rows
        part = slice(a.indptr[index], a.indptr[index + 1])
        return Sparse(a.indices[part], a.data[part])

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        if not self._columns_at_hand:
            return (self._rows @ as_columns(atoms, self.shape[1])).tocsc()
        if all(isinstance(atom, Vertex) for atom in atoms):
            places, values = _vertices(atoms)
            found = self._columns[:, places]
            found.data *= np.repeat(values, np.diff(found.indptr)).astype(self.dtype)
            return found
        return (self._columns @ as_columns(atoms, self.shape[1])).tocsc()

    def weighted_gram(self, weights: Array) -> Array:
        return weighted_gram(self._rows, self._rows, weights)

    def gram(self, side: str) -> Array:
        a = self._given
        return np.asarray((a.T @ a if side == "columns" else a @ a.T).toarray())

    def parts(self) -> list[Any]:
        return [self._given.indptr, self._given.indices, self._given.data]


class IdentityMap(SparseMap):
    """The identity, as in a projection: its products are copies."""

    def apply(self, x: Array, out: Array) -> None:
        out[:] = x

    def adjoint(self, y: Array, out: Array) -> None:
        out[:] = y

    def column(self, index: int, scale: float, out: Array) -> None:
        out[:] = 0.0
        out[index] = scale

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        out[:] = 0.0
        out[indices] = values

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        return as_columns(atoms, self.shape[1])


def as_columns(atoms: Sequence[Atom], n: int) -> Any:
    """Atoms as the columns of a sparse matrix."""
    from scipy.sparse import csc_array

    if all(isinstance(atom, Vertex) for atom in atoms):
        places, values = _vertices(atoms)
        return csc_array((values, places, np.arange(len(atoms) + 1)), shape=(n, len(atoms)))
    pieces = [entries(atom) for atom in atoms]
    ends = np.cumsum([0, *(values.size for _, values in pieces)])
    indices = np.concatenate([places for places, _ in pieces])
    values = np.concatenate([values for _, values in pieces])
    return csc_array((values, indices, ends), shape=(n, len(atoms)))


def _vertices(atoms: Sequence[Any]) -> tuple[Indices, Array]:
    """Index and value of each vertex."""
    return (
        np.array([atom.index for atom in atoms], dtype=np.int64),
        np.array([atom.value for atom in atoms]),
    )


def weighted_gram(left: Matrix, right: Matrix, weights: Array) -> Array:
    """B' diag(weights) C."""
    if is_sparse(left):
        return _sparse_gram(left, right, weights)
    if left is right:  # one side of the symmetric product is enough
        scaled = left * np.sqrt(weights)[:, None]
        return np.asarray(scaled.T @ scaled, dtype=np.float64)
    return np.asarray(left.T @ (right * weights[:, None]), dtype=np.float64)


def _sparse_gram(left: Any, right: Any, weights: Array) -> Array:
    """The same row by row: scipy would store the scaled matrix and a sparse product first."""
    out = np.empty((left.shape[1], right.shape[1]))
    a = _canonical(left.tocsr())
    if left is right:
        sparse.gram(a.indptr, a.indices, a.data, weights, out)
        return out
    b = _canonical(right.tocsr())
    sparse.cross_gram(a.indptr, a.indices, a.data, b.indptr, b.indices, b.data, weights, out)
    return out


def _canonical(matrix: Any) -> Any:
    """The compressed matrix without duplicate entries; the caller's is left as it was."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _is_identity(matrix: Any) -> bool:
    """Whether a sparse matrix has ones on its diagonal and nothing else."""
    rows, columns = matrix.shape
    return rows == columns == matrix.nnz and bool((matrix.diagonal() == 1.0).all())


def as_map(name: str, matrix: Matrix, rows: str = "observations") -> DataMap:
    """`matrix` as a linear map, after checking that it is two-dimensional and finite."""
    if is_sparse(matrix):
        if np.issubdtype(matrix.dtype, np.complexfloating):
            raise InvalidInput(f"{name} must be a matrix of real numbers, got complex ones.")
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
    if entries.size and not all_finite(entries):
        raise InvalidInput(f"{name} must be finite, but it holds NaN or infinity.")
    if not is_sparse(matrix):
        return DenseMap(matrix)
    return IdentityMap(matrix) if _is_identity(matrix) else SparseMap(matrix)
