"""The observed cells of a matrix, and a matrix that is zero elsewhere."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.gradients import MatrixGradient
from frankwolfe.numerics.kernels import LONG, cells, factor_curvature, low_rank, may_thread
from frankwolfe.numerics.place import HERE, Place

__all__ = ["CellMatrix", "Cells"]

PIECES = 16
PARTS = 4  # sums of a transposed product, each as long as a row


class Cells:
    """A list of cells (i, j), sorted by row; a cell may occur more than once.

    Attributes
    ----------
    shape : tuple of int
    indptr, columns : array of int
        Compressed rows: row i has the columns ``columns[indptr[i]:indptr[i + 1]]``.
    place : Place
        Where values on the cells live.
    """

    place: Place = HERE

    def __init__(self, shape: tuple[int, int], indptr: NDArray[Any], columns: NDArray[Any]) -> None:
        self.shape = shape
        self.indptr, self.columns = indptr, columns
        targets = np.linspace(0, columns.size, PIECES + 1)
        self.splits = np.searchsorted(indptr, targets).astype(np.int64)
        self.splits[0], self.splits[-1] = 0, shape[0]
        self._long = columns.size >= LONG
        self._parts = np.empty((PARTS, shape[1] if self._long else 0))

    def __len__(self) -> int:
        return int(self.columns.size)

    def matrix(self, values: Array) -> CellMatrix:
        """The matrix with these values on the cells."""
        return CellMatrix(self, values)

    def here(self) -> Cells:
        """The same cells in this process's memory."""
        return self

    def parts(self) -> list[NDArray[Any]]:
        """The arrays that say which cells these are (fingerprints)."""
        return [self.indptr, self.columns]

    def rows(self) -> NDArray[Any]:
        """The row of every cell, as a new array."""
        counts = np.diff(self.indptr)
        return np.repeat(np.arange(self.shape[0], dtype=self.columns.dtype), counts)

    @cached_property
    def multiplicity(self) -> int:
        """How often the most frequent cell occurs."""
        rows = self.rows().astype(np.int64)
        keys = np.sort(rows * self.shape[1] + self.columns)
        runs = np.diff(np.flatnonzero(np.concatenate([[True], np.diff(keys) != 0, [True]])))
        return int(runs.max())

    @cached_property
    def flipped(self) -> tuple[Cells, NDArray[Any]]:
        """The same cells by column, and where each of them stands by row."""
        order = np.argsort(self.columns, kind="stable")
        counts = np.bincount(self.columns, minlength=self.shape[1])
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        rows = self.rows()[order]
        return Cells((self.shape[1], self.shape[0]), indptr, rows), order

    def weighted_rows(self, slope: Array, right: Array, out: Array) -> None:
        """out_i = sum of slope_ij right_j over the cells of row i."""
        cells = self.indptr, self.columns
        if self._many(right.shape[1]):
            low_rank.parallel_weighted_rows(*cells, slope, right, out, self.splits)
        else:
            low_rank.weighted_rows(*cells, slope, right, out, 0, self.shape[0])

    def rank_one(self, scale: float, u: Array, v: Array, out: Array) -> None:
        """out = scale u_i v_j."""
        self._loop("rank_one", scale, u, v, out)

    def factored(self, left: Array, right: Array, out: Array) -> None:
        """out = <left_i, right_j>, for factors with one row a row or column."""
        if left.shape[1] == 0:
            out[:] = 0.0
        elif self._many(left.shape[1]):
            cells.parallel_factored(self.indptr, self.columns, left, right, out, self.splits)
        else:
            cells.factored(self.indptr, self.columns, left, right, out, 0, self.shape[0])

    def evaluate(self, loss: Any, z: Array, slope: Array, out: Array) -> tuple[float, float]:
        """Write phi'(z), the gradient, into both; return phi(z) and <phi'(z), z>."""
        code, delta, b, w = loss
        pair: tuple[float, float]
        pair = self.place.losses(len(self)).linearize(code, delta, z, b, w, slope)
        out[:] = slope
        return pair

    def loss_gradient(
        self, loss: Any, tau: float, left: Array, right: Array, out: Array, other: Array
    ) -> tuple[float, float]:
        """Loss of tau L R' and <G, tau L R'>; out = G R, other = G' L, with G its gradient.

        `loss` is the code, threshold, targets and weights of the loss's kernel.
        """
        given = loss, (self.indptr, self.columns), tau, left, right, out
        if not self._many(left.shape[1]):
            other[:] = 0.0
            return low_rank.loss_gradient(*given, other, 0, self.shape[0])  # type: ignore[no-any-return]
        parts = np.empty((PARTS, *right.shape), dtype=right.dtype)
        splits = np.ascontiguousarray(self.splits[:: PIECES // PARTS])
        pair: tuple[float, float] = low_rank.parallel_loss_gradient(*given, parts, splits)
        other[:] = parts[0]
        return pair

    def bend(
        self,
        given: tuple[Array, Array],
        factors: tuple[Array, Array],
        moves: tuple[Array, Array],
        out: Array,
        other: Array,
    ) -> None:
        """The derivative of (G R, G' L) along a move of L and R, into `out` and `other`.

        `given` are the slopes and curvatures of the cells.
        """
        flipped, order = self.flipped
        slope, change = given[0], np.empty(len(self), dtype=given[0].dtype)
        row = (self.indptr, self.columns), given, factors, moves, change, out
        sides = factors[0], moves[0]
        column = (flipped.indptr, flipped.columns), order, (slope, change), sides, other
        if self._many(2 * out.shape[1]):
            factor_curvature.parallel_by_row(*row, self.splits)
            factor_curvature.parallel_by_column(*column, flipped.splits)
        else:
            factor_curvature.by_row(*row, 0, self.shape[0])
            factor_curvature.by_column(*column, 0, self.shape[1])

    def _many(self, width: int) -> bool:
        """Whether a loop with that many operations a cell is worth all threads."""
        return len(self) * width >= 10 * LONG and may_thread()

    def product(self, values: Array, v: Array, out: Array) -> None:
        """out = G v."""
        self._loop("product", values, v, out)

    def transposed_product(self, values: Array, u: Array, out: Array) -> None:
        """out = G' u."""
        where = self.indptr, self.columns
        if self._long and may_thread():
            splits = np.ascontiguousarray(self.splits[:: PIECES // PARTS])
            cells.parallel_transposed_product(*where, values, u, self._parts, out, splits)
        else:
            cells.transposed_product(*where, values, u, out, 0, self.shape[0])

    def _loop(self, name: str, *arrays: Any) -> None:
        """Run a loop over all rows, on one thread or on all."""
        if self._long and may_thread():
            loop = getattr(cells, f"parallel_{name}")
            loop(self.indptr, self.columns, *arrays, self.splits)
        else:
            getattr(cells, name)(self.indptr, self.columns, *arrays, 0, self.shape[0])


class CellMatrix(MatrixGradient):
    """A matrix with values on the observed cells and zero elsewhere: a gradient."""

    def __init__(self, where: Cells, values: Array) -> None:
        self.cells, self.values = where, values
        self.shape, self.dtype = where.shape, values.dtype

    @cached_property
    def _flipped(self) -> tuple[Cells, Array]:
        """The cells by column, and the values in that order."""
        flipped, order = self.cells.flipped
        return flipped, self.values[order]

    def apply(self, v: Array, out: Array) -> None:
        self.cells.product(self.values, v, out)

    def adjoint(self, u: Array, out: Array) -> None:
        self.cells.transposed_product(self.values, u, out)

    def apply_block(self, block: Array, out: Array) -> None:
        self.cells.weighted_rows(self.values, block, out)

    def adjoint_block(self, block: Array, out: Array) -> None:
        where, values = self._flipped
        where.weighted_rows(values, block, out)

    def between(self, left: Array, right: Array) -> Array:
        """left G right', for vectors that are rows: as many products as there are rows."""
        image = np.empty((self.shape[0], right.shape[0]))
        self.cells.weighted_rows(self.values, np.ascontiguousarray(right.T), image)
        return np.asarray(left @ image)

    def frobenius(self) -> float:
        """The root of the sum of squares; an upper bound on every singular value.

        Where a cell occurs more than once its values add up, to at most the root of the
        number of times longer; the bound counts that in.
        """
        return math.sqrt(cells.square(self.values) * self.cells.multiplicity)

    def dense(self) -> Array:
        full = np.zeros(self.shape)
        np.add.at(full, (self.cells.rows(), self.cells.columns), self.values)
        return full
