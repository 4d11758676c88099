"""Data matrices whose columns far from zero are centred.

Where an intercept is free, A and A - 1 m' make the same problem, but for the intercept. In a
column whose mean is c times its spread, a product with A loses the digits of c and a Gram matrix
those of its square; A - 1 m' loses none. m has the type of the entries, so that a - m is exact
for entries from m/2 to 2m.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Indices, Matrix
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.core.place import HERE, Place
from frankwolfe.core.products import as_columns, weighted_gram

__all__ = ["MAX_COPIED_BYTES", "MovedMap", "far_means", "sparse_moved"]

MIN_MEAN_OVER_SPREAD = 3.0  # mean over spread from which a column is far from zero
MIN_STORED_SHARE = MIN_MEAN_OVER_SPREAD**2 / (
    1.0 + MIN_MEAN_OVER_SPREAD**2
)  # of the entries, what a sparse column then stores at least
MAX_COPIED_BYTES = 2**28  # larger dense data are centred in every product, not copied
BLOCK_ENTRIES = 2**16  # entries centred at a time: they stay in the cache


def far_means(matrix: Array) -> Array:
    """Means of the columns with |mean| > 3 standard deviations, and zero for the others."""
    rows, columns = matrix.shape
    total, squares = np.zeros((2, columns))
    with np.errstate(over="ignore", invalid="ignore"):
        for block in _blocks(matrix):
            part = matrix[block].astype(np.float64, copy=False)
            total += part.sum(axis=0)
            squares += np.einsum("ij,ij->j", part, part)
        means = total / rows
        far = MIN_MEAN_OVER_SPREAD**2 * (squares / rows - means**2) < means**2
    shift: Array = np.where(far, means, 0.0).astype(matrix.dtype)
    if not far.any():
        return shift
    rest = np.zeros(columns)
    for block in _blocks(matrix):  # once more from there: a constant column becomes zero
        rest += (matrix[block] - shift).sum(axis=0, dtype=np.float64)
    return np.where(far, shift + rest / rows, 0.0).astype(matrix.dtype)


def sparse_moved(matrix: Matrix) -> tuple[Matrix, Array] | None:
    """A compressed matrix with far columns centred, and their means; None if no column is far.

    A column that is far from zero stores nine tenths of its entries or more, so that storing the
    others too costs little.
    """
    rows, columns = matrix.shape
    by_column = matrix.format == "csc"
    counts = np.diff(matrix.indptr) if by_column else np.bincount(matrix.indices, None, columns)
    full = counts >= MIN_STORED_SHARE * rows
    if not full.any():
        return None
    dense = matrix[:, full].toarray()
    shift: Array = np.zeros(columns, dtype=matrix.dtype)
    shift[full] = means = far_means(dense)
    if not means.any():
        return None
    from scipy.sparse import csc_array, hstack

    dense -= means
    order = np.argsort(np.concatenate([np.flatnonzero(~full), np.flatnonzero(full)]))
    whole = hstack([csc_array(matrix[:, ~full]), csc_array(dense)], format="csc")
    return whole[:, order].asformat(matrix.format), shift


def _blocks(matrix: Array) -> Iterator[slice]:
    """Slices of rows with about `BLOCK_ENTRIES` entries each."""
    rows, columns = matrix.shape
    size = max(1, BLOCK_ENTRIES // columns)
    return (slice(first, first + size) for first in range(0, rows, size))


class MovedMap:
    """The map x -> (A - 1 m')x of dense data that are too large for a copy.

    Every product subtracts m from a few rows at a time: A x - (m'x) 1 would cancel.
    """

    place: Place = HERE
    sparse = leaps = sums_in_double = False

    def __init__(self, matrix: Array, shift: Array) -> None:
        self.matrix, self.shift = matrix, shift
        self.shape: tuple[int, int] = (matrix.shape[0], matrix.shape[1])
        self.dtype = matrix.dtype

    def _moved(self) -> Iterator[tuple[slice, Array]]:
        return ((block, self.matrix[block] - self.shift) for block in _blocks(self.matrix))

    def apply(self, x: Array, out: Array) -> None:
        for block, part in self._moved():
            out[block] = part @ x

    def adjoint(self, y: Array, out: Array) -> None:
        out[:] = 0.0
        for block, part in self._moved():
            out += part.T @ y[block]

    def column(self, index: int, scale: float, out: Array) -> None:
        np.subtract(self.matrix[:, index], self.shift[index], out=out)
        out *= self.dtype.type(scale)

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        out[:] = (self.matrix[:, indices] - self.shift[indices]) @ values

    def apply_block(self, v: Array, block: slice, out: Array) -> None:
        MovedMap(self.matrix[:, block], self.shift[block]).apply(v, out)

    def adjoint_block(self, y: Array, block: slice, out: Array) -> None:
        MovedMap(self.matrix[:, block], self.shift[block]).adjoint(y, out)

    def products(self, rows: Indices, x: Array, out: Array) -> None:
        out[:] = (self.matrix[rows] - self.shift) @ x

    def add_rows(self, rows: Indices, values: Array, out: Array) -> None:
        out += (self.matrix[rows] - self.shift).T @ values

    def row(self, index: int) -> Atom:
        return Dense(self.matrix[index] - self.shift)

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        points = as_columns(atoms, self.shape[1])
        out: Array = np.empty((self.shape[0], len(atoms)), dtype=self.dtype, order="F")
        for block, part in self._moved():
            out[block] = part @ points
        return out

    def in_double(self) -> MovedMap:
        """The map A - 1 m' with entries in double precision."""
        return MovedMap(self.matrix.astype(np.float64), self.shift.astype(np.float64))

    def here(self) -> MovedMap:
        return self

    def weighted_gram(self, weights: Array) -> Array:
        out = np.zeros((self.shape[1], self.shape[1]))
        for block, part in self._moved():
            out += weighted_gram(part, part, weights[block])
        return out

    def gram(self, side: str) -> Array:
        if side == "columns":
            return self.weighted_gram(np.ones(self.shape[0]))
        out = np.zeros((self.shape[0], self.shape[0]))
        for first in range(0, self.shape[1], max(1, BLOCK_ENTRIES // self.shape[0])):
            some = slice(first, first + max(1, BLOCK_ENTRIES // self.shape[0]))
            part = self.matrix[:, some] - self.shift[some]
            out += part @ part.T
        return out

    @cached_property
    def column_norms(self) -> Array:
        """2-norm of each column of A - 1 m'."""
        squares = np.zeros(self.shape[1])
        for _, part in self._moved():
            squares += np.einsum("ij,ij->j", part, part, dtype=np.float64)
        return np.asarray(np.sqrt(squares))

    @property
    def norm(self) -> float:
        """Frobenius norm of A - 1 m'."""
        return float(np.linalg.norm(self.column_norms))

    def centred(self) -> None:
        """Return None, since the columns are centred already."""
        return

    def parts(self) -> list[AnyArray]:
        return [self.matrix, self.shift]
