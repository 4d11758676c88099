"""Data maps of scipy sparse matrices, and of the identity."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from frankwolfe.base.arrays import AnyArray, Array, Indices, Matrix
from frankwolfe.base.checks import frobenius
from frankwolfe.base.kernels import sparse
from frankwolfe.base.threads import (
    GATHER_COST,
    MIN_CHUNKED_LENGTH,
    PARTS,
    PIECES,
    balanced,
    many,
)
from frankwolfe.core.atoms import Atom, Dense, Sparse, Vertex
from frankwolfe.core.centring import sparse_moved
from frankwolfe.core.kernels import rows as some
from frankwolfe.core.place import HERE, Place
from frankwolfe.core.products import as_columns, canonical, vertices, weighted_gram

__all__ = ["IdentityMap", "SparseMap"]

MAX_BYTES_TWICE = 2**28  # bytes up to which a sparse matrix is kept by rows and by columns
MIN_ENTRIES_PER_SUM = (
    4  # entries for each part of a sum: so many more, and adding up parts is little
)


class SparseMap:
    """A data map of a scipy sparse matrix, in the compressed rows or columns in which it came.

    Products with A and A' read that form, whatever else has been made, so that a run is the
    same bits each time. The other form is made when a column or a row is asked for, unless
    that would take much memory: then a column is searched for in each row.
    """

    place: Place = HERE
    sparse, leaps, sums_in_double = True, False, False

    def __init__(self, matrix: Matrix) -> None:
        given = matrix if matrix.format in ("csr", "csc") else matrix.tocsr()
        self._given = canonical(given)
        self.shape: tuple[int, int] = (int(matrix.shape[0]), int(matrix.shape[1]))
        self.dtype = matrix.dtype
        self._small = given.data.nbytes + given.indices.nbytes <= MAX_BYTES_TWICE
        self._many = GATHER_COST * given.nnz >= MIN_CHUNKED_LENGTH

    @property
    def by_rows(self) -> bool:
        """True if `parts` are compressed rows, false if columns."""
        return bool(self._given.format == "csr")

    @cached_property
    def _rows(self) -> Matrix:
        return self._given if self._given.format == "csr" else canonical(self._given.tocsr())

    @cached_property
    def _columns(self) -> Matrix:
        return self._given if self._given.format == "csc" else canonical(self._given.tocsc())

    @property
    def _columns_at_hand(self) -> bool:
        """True if A is stored by columns, or small enough to be stored so too."""
        return bool(self._small or self._given.format == "csc")

    def apply(self, x: Array, out: Array) -> None:
        if x.ndim == 2:
            out[:] = self._given @ x
        else:
            self._multiply(self._given.format == "csr", x, out)

    def adjoint(self, y: Array, out: Array) -> None:
        if y.ndim == 2:
            out[:] = self._given.T @ y
        else:
            self._multiply(self._given.format == "csc", y, out)

    def _multiply(self, along: bool, x: Array, out: Array) -> None:
        """Product out = A x or A' x: along the compressed rows or columns, or across them."""
        a = self._given
        given, kind = (a.indptr, a.indices, a.data, x), self._kind
        if along and self._many:
            getattr(sparse, f"{kind}product_in_pieces")(*given, out, self._pieces)
        elif along:
            sparse.product(*given, out)
        elif self._many and self._parts > 1:
            loop = getattr(sparse, f"{kind}transposed_in_parts")
            loop(*given, self._room, out, self._rows_of_parts)
        else:
            sparse.transposed_product(*given, out)

    @property
    def _kind(self) -> str:
        """Prefix of the names of loops: "parallel_" if they may use threads, else empty."""
        return "parallel_" if self._many and many(GATHER_COST * self._given.nnz) else ""

    @cached_property
    def _pieces(self) -> Indices:
        return balanced(self._given.indptr, PIECES)

    @cached_property
    def _parts(self) -> int:
        """Number of partial sums of a product across the compressed rows or columns."""
        across = self.shape[1] if self.by_rows else self.shape[0]
        return int(min(PARTS, self._given.nnz // (MIN_ENTRIES_PER_SUM * across)))

    @cached_property
    def _rows_of_parts(self) -> Indices:
        return balanced(self._given.indptr, self._parts)

    @cached_property
    def _room(self) -> Array:
        across = self.shape[1] if self.by_rows else self.shape[0]
        return np.empty((self._parts, across), dtype=self.dtype)

    def column(self, index: int, scale: float, out: Array) -> None:
        if self._columns_at_hand:
            a = self._columns
            sparse.column(a.indptr, a.indices, a.data, index, scale, out)
        else:
            a, loop = self._rows, getattr(sparse, f"{self._kind}column_of_rows")
            loop(a.indptr, a.indices, a.data, index, scale, out)

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
            places, values = vertices(atoms)
            found = self._columns[:, places]
            found.data *= np.repeat(values, np.diff(found.indptr)).astype(self.dtype)
            return found
        return (self._columns @ as_columns(atoms, self.shape[1])).tocsc()

    @cached_property
    def column_norms(self) -> Array:
        """2-norm of each column, summed in double precision."""
        squares = np.zeros(self.shape[1])
        a = self._given
        entries = a.data.astype(np.float64) ** 2
        if a.format == "csr":
            squares += np.bincount(a.indices, entries, minlength=self.shape[1])
        else:
            places = np.flatnonzero(np.diff(a.indptr))
            squares[places] = np.add.reduceat(entries, a.indptr[places])
        return np.asarray(np.sqrt(squares))

    @cached_property
    def norm(self) -> float:
        """Frobenius norm of A."""
        return frobenius(self._given.data)

    def weighted_gram(self, weights: Array) -> Array:
        return weighted_gram(self._rows, self._rows, weights)

    def gram(self, side: str) -> Array:
        a = self._given
        return np.asarray((a.T @ a if side == "columns" else a @ a.T).toarray())

    def centred(self) -> tuple[SparseMap, Array] | None:
        found = sparse_moved(self._given)
        return None if found is None else (SparseMap(found[0]), found[1])

    def parts(self) -> list[AnyArray]:
        return [self._given.indptr, self._given.indices, self._given.data]

    def in_double(self) -> SparseMap:
        """The map with entries in double precision."""
        return SparseMap(self._given.astype(np.float64))

    def here(self) -> SparseMap:
        return self


class IdentityMap(SparseMap):
    """A data map of the identity, as in a projection: its products are copies.

    The sparse matrix is made only when something else is asked for.
    """

    def __init__(self, n: int, dtype: DTypeLike) -> None:
        self.shape = (n, n)
        self.dtype = np.dtype(dtype)
        self._small, self._many = True, False

    @cached_property
    def _given(self) -> Matrix:
        from scipy.sparse import identity

        return identity(self.shape[0], dtype=self.dtype, format="csr")

    @cached_property
    def norm(self) -> float:
        """Norm of each column, 1, not the Frobenius norm: copies lose no more than that."""
        return 1.0

    @cached_property
    def column_norms(self) -> Array:
        """Vector of ones, the norms of the columns."""
        return np.ones(self.shape[0])

    def centred(self) -> None:
        """Return None, since no column of the identity is far from zero."""
        return

    def parts(self) -> list[Any]:
        return ["identity", self.shape[0]]

    def in_double(self) -> IdentityMap:
        return IdentityMap(self.shape[0], np.float64)

    def apply(self, x: Array, out: Array) -> None:
        out[:] = x

    def adjoint(self, y: Array, out: Array) -> None:
        if out is not y:
            out[:] = y

    def column(self, index: int, scale: float, out: Array) -> None:
        out[:] = 0.0
        out[index] = scale

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        out[:] = 0.0
        out[indices] = values

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        if all(isinstance(atom, Dense) for atom in atoms):  # which sparse columns would slow down
            columns = np.stack([atom.dense(self.shape[1]) for atom in atoms], axis=1)
            return np.asfortranarray(columns)
        return as_columns(atoms, self.shape[1])
