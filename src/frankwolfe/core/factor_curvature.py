"""Second derivatives of a loss over cells, as a function of a matrix's factors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array

__all__ = ["Curvature", "FactorCurvature", "composed"]

SMALL, LARGE = 1e-9, 1e9  # products of three such numbers are known to single precision


class Curvature(NamedTuple):
    """Second derivatives of phi in the cells: diag(bend) + K'K.

    K is a sparse matrix with a column for each cell; None where cells do not bend together.
    """

    bend: Array
    together: Any = None


class FactorCurvature:
    """The Hessian of (L, R) -> f(L R'), known by its products.

    Parameters
    ----------
    cells : Cells
        The observed cells, here or elsewhere.
    slope : array
        First derivatives of the loss, cell by cell.
    curvature : Curvature
        Its second derivatives.
    factors : pair of arrays
        L and R, one row a row or column.
    inner : float
        <G, L R'>.
    """

    def __init__(
        self,
        cells: Any,
        slope: Array,
        curvature: Curvature,
        factors: tuple[Array, Array],
        inner: float,
    ) -> None:
        self._cells, self._given = cells, (slope, curvature.bend)
        self._together = curvature.together
        self._factors, self.inner = factors, inner

    def single(self) -> FactorCurvature:
        """The same in single precision, where its numbers allow it: half as much to read."""
        parts = *self._given, *self._factors
        sizes = [float(abs(part).max()) for part in parts if part.size]
        if self._together is not None or not self._cells.place.here:
            return self
        if not SMALL < max(sizes) < LARGE:
            return self
        slope, bend, left, right = (part.astype(np.float32) for part in parts)
        return FactorCurvature(self._cells, slope, Curvature(bend), (left, right), self.inner)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the moves."""
        return self._given[0].dtype

    def times(self, left: Array, right: Array, by_row: Array, by_column: Array) -> None:
        """Write the product with a move of both factors."""
        self._cells.bend(self._given, self._factors, (left, right), by_row, by_column)
        if self._together is not None:
            self._add_together(left, right, by_row, by_column)

    def _add_together(self, left: Array, right: Array, by_row: Array, by_column: Array) -> None:
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

        Of cells that bend together each one's own share alone: a scaling.
        """
        bend = self._given[1]
        if self._together is not None:
            bend = bend + np.asarray(self._together.multiply(self._together).sum(axis=0)).ravel()
        matrix = self._cells.matrix(bend)
        left, right = self._factors
        matrix.apply_block(right * right, by_row)
        matrix.adjoint_block(left * left, by_column)


def composed(
    cells: Any,
    given: tuple[Array, Array],
    factors: tuple[Array, Array],
    moves: tuple[Array, Array],
    out: tuple[Array, Array],
) -> None:
    """`Cells.bend` of other loops over the cells, where none does it all in one."""
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
