"""The observed cells elsewhere (`elsewhere`): the CPU's loops, on arrays that are not here."""

from __future__ import annotations

from typing import Any

import numpy as np
from elsewhere import Elsewhere, Far

from frankwolfe.base.kernels import losses
from frankwolfe.core.entries import CellMatrix, Cells
from frankwolfe.core.factor_curvature import composed
from frankwolfe.engines.cells_gradient import DeviceCellMatrix


def inner(array: Any) -> Any:
    """What is behind the wall; what is not there yet is refused."""
    if not isinstance(array, Far):
        raise TypeError(f"an array that is here: {type(array)}")
    return array._array


class FarCells:
    """As `frankwolfe.engines.cuda.cells.DeviceCells`."""

    def __init__(self, rows: Any, columns: Any, shape: tuple[int, int]) -> None:
        indptr = np.searchsorted(rows, np.arange(shape[0] + 1)).astype(np.int64)
        self._cells = Cells(shape, indptr, columns.astype(np.int32))
        self.shape, self.place = shape, Elsewhere()
        self.multiplicity = self._cells.multiplicity
        self.columns = Far(self._cells.columns)

    def __len__(self) -> int:
        return len(self._cells)

    def matrix(self, values: Far) -> DeviceCellMatrix:
        return DeviceCellMatrix(self, values)

    def here(self) -> Cells:
        return self._cells

    def parts(self) -> list[Far]:
        return [Far(part) for part in self._cells.parts()]

    def rows(self) -> Far:
        return Far(self._cells.rows())

    def rank_one(self, scale: float, u: Any, v: Any, out: Far) -> None:
        there = (inner(self.place.to_device(part, out.dtype)) for part in (u, v))
        self._cells.rank_one(scale, *there, inner(out))

    def factored(self, left: Any, right: Any, out: Far) -> None:
        there = (inner(self.place.to_device(part, out.dtype)) for part in (left, right))
        self._cells.factored(*there, inner(out))

    def loss_gradient(self, loss: Any, tau: float, *arrays: Far) -> tuple[float, float]:
        code, delta, b, w = loss
        return self._cells.loss_gradient(
            (code, delta, inner(b), inner(w)), tau, *map(inner, arrays)
        )

    def bend(self, given: Any, factors: Any, moves: Any, out: Far, other: Far) -> None:
        composed(self, given, factors, moves, (out, other))

    def evaluate(self, loss: Any, z: Far, slope: Far, out: Far) -> tuple[float, float]:
        code, delta, b, w = loss
        arrays = (inner(part) for part in (z, b, w, slope))
        pair = losses.linearize(code, delta, *arrays)
        inner(out)[:] = inner(slope)
        return pair

    def turned(self, values: Far, out: Far) -> None:
        inner(out)[:] = inner(values)[self._cells.flipped[1]]

    def product(self, values: Far, v: Far, out: Far) -> None:
        self._cells.product(inner(values), inner(v), inner(out))

    def transposed_product(self, values: Far, u: Far, out: Far) -> None:
        self._cells.flipped[0].product(inner(values), inner(u), inner(out))

    def weighted_rows(self, values: Far, right: Far, out: Far) -> None:
        self._cells.weighted_rows(inner(values), inner(right), inner(out))

    def weighted_columns(self, values: Far, left: Far, out: Far) -> None:
        CellMatrix(self._cells, inner(values)).adjoint_block(inner(left), inner(out))
