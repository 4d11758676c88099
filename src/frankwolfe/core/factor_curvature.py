"""The Hessian of a loss on cells of L R' as a function of the factors L and R."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Matrix

if TYPE_CHECKING:
    from frankwolfe.core.entries import Cells
    from frankwolfe.core.gradients import MatrixGradient

__all__ = ["CellCurvature", "FactorCurvature", "composed"]

MIN_IN_SINGLE, MAX_IN_SINGLE = 1e-9, 1e9
"""Bounds of the largest entry between which products of three neither over- nor underflow."""


class CellProducts(Protocol):
    """Cells of a matrix in any place, with the products that `composed` is made of."""

    def factored(self, left: Array, right: Array, out: Array) -> None:
        """out_ij = <left_i, right_j> on the cells."""

    def matrix(self, values: Array) -> MatrixGradient:
        """Matrix with these values on the cells, zero elsewhere."""


class CellCurvature(NamedTuple):
    """The Hessian of phi on the cells: diag(bend) + K'K.

    K = `together` is a sparse matrix with a column for each cell; None where phi is separable.
    """

    bend: Array
    together: Matrix = None


class FactorCurvature:
    """The Hessian of (L, R) -> phi(L R'), known by its products.

    Parameters
    ----------
    cells : Cells
        The observed cells, here or elsewhere.
    slope : array
        First derivatives of the loss, cell by cell.
    curvature : CellCurvature
        Second derivatives of the loss.
    factors : pair of arrays
        L and R, one row a row or column.
    inner : float
        <G, L R'>, G the gradient of the loss in the matrix.
    """

    def __init__(
        self,
        cells: Cells,
        slope: Array,
        curvature: CellCurvature,
        factors: tuple[Array, Array],
        inner: float,
    ) -> None:
        self._cells, self._given = cells, (slope, curvature.bend)
        self._together = curvature.together
        self._factors, self.inner = factors, inner

    def single(self) -> FactorCurvature:
        """The Hessian in single precision if its numbers allow it: half as much to read."""
        parts = *self._given, *self._factors
        sizes = [float(abs(part).max()) for part in parts if part.size]
        if self._together is not None or not self._cells.place.here:
            return self
        if not MIN_IN_SINGLE < max(sizes) < MAX_IN_SINGLE:
            return self
        slope, bend, left, right = (part.astype(np.float32) for part in parts)
        return FactorCurvature(self._cells, slope, CellCurvature(bend), (left, right), self.inner)

    @property
    def dtype(self) -> Dtype:
        """Element type of the moves that `times` takes."""
        return self._given[0].dtype

    def times(self, left: Array, right: Array, by_row: Array, by_column: Array) -> None:
        """Write the product with the move (left, right) into `by_row` and `by_column`."""
        self._cells.bend(self._given, self._factors, (left, right), by_row, by_column)
        if self._together is not None:
            self._add_together(left, right, by_row, by_column)

    def _add_together(self, left: Array, right: Array, by_row: Array, by_column: Array) -> None:
        """Add the product with the part K'K, which couples cells."""
        change, more = np.empty_like(self._given[0]), np.empty_like(self._given[0])
        mine, other = self._factors
        self._cells.factored(mine, right, change)
        self._cells.factored(left, other, more)
        matrix = self._cells.matrix(self._together.T @ (self._together @ (change + more)))
        rooms = np.empty_like(by_row), np.empty_like(by_column)
        matrix.apply_block(other, rooms[0])
        matrix.adjoint_block(mine, rooms[1])
        by_row += rooms[0]
        by_column += rooms[1]

    def diagonal(self, by_row: Array, by_column: Array) -> None:
        """Write the diagonal: sums of curvatures times squares of the other factor.

        Of the part K'K only its diagonal on the cells counts: the result serves as a scaling.
        """
        bend = self._given[1]
        if self._together is not None:
            bend = bend + np.asarray(self._together.multiply(self._together).sum(axis=0)).ravel()
        matrix = self._cells.matrix(bend)
        left, right = self._factors
        matrix.apply_block(right * right, by_row)
        matrix.adjoint_block(left * left, by_column)


def composed(
    cells: CellProducts,
    given: tuple[Array, Array],
    factors: tuple[Array, Array],
    moves: tuple[Array, Array],
    out: tuple[Array, Array],
) -> None:
    """Compute `Cells.bend` by products with matrices, for cells without a loop for it."""
    slope, bend = given
    change, more = np.empty_like(slope), np.empty_like(slope)
    cells.factored(factors[0], moves[1], change)
    cells.factored(moves[0], factors[1], more)
    change += more
    change *= bend
    second, first = cells.matrix(change), cells.matrix(slope)
    rooms = np.empty_like(out[0]), np.empty_like(out[1])
    second.apply_block(factors[1], out[0])
    first.apply_block(moves[1], rooms[0])
    second.adjoint_block(factors[0], out[1])
    first.adjoint_block(moves[0], rooms[1])
    np.add(out[0], rooms[0], out=out[0])
    np.add(out[1], rooms[1], out=out[1])
