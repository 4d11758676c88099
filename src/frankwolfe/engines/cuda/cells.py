"""The observed cells of a matrix on a device."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from frankwolfe.core.entries import Cells
from frankwolfe.core.factor_curvature import composed
from frankwolfe.engines.cells_gradient import DeviceCellMatrix
from frankwolfe.engines.cells_layout import (
    Side,
    by_column,
    by_row,
    checked_count,
    multiplicity,
    row_order,
)
from frankwolfe.engines.cuda import losses
from frankwolfe.engines.cuda.cells_factors import INDEX, NOWHERE, FactorLoops
from frankwolfe.engines.cuda.cells_source import EVALUATE, PLAIN, VECTORS
from frankwolfe.engines.cuda.device import Device
from frankwolfe.engines.cuda.source import TYPES, compiled

__all__ = ["DeviceCells", "as_cells"]

WITH_TERMS = losses.PRELUDE + losses.TERMS + EVALUATE
BLOCK = 1024  # threads that share a panel
RESIDENT = 2  # blocks that a multiprocessor runs at once
AHEAD = 8  # cells that a thread reads before it uses the first
BLOCKS = 528  # of them at least: four times what a large device runs at once
MANY = 4  # pieces a line from which on a warp adds them


class DeviceCells:
    """A list of cells (i, j), sorted by row, with loops over them, as `Cells` has them.

    Sums have a fixed order, so that a loop gives the same bits each time.
    """

    def __init__(self, shape: tuple[int, int], rows: Any, columns: Any, dtype: Any) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        shared = cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"] // 8
        self._by_row = by_row(cupy, rows, columns, shape, shared)
        self._by_column = by_column(cupy, rows, columns, shape, shared)
        self.multiplicity = multiplicity(cupy, rows, columns, self._by_column.places)
        self.place = Device()
        self.factors = FactorLoops(self._by_row, self._by_column, dtype, self.place.launcher)
        self._plans: dict[Any, tuple[Any, ...]] = {}  # how kernels are started

    def __len__(self) -> int:
        return self._by_row.cells

    def matrix(self, values: Any) -> DeviceCellMatrix:
        """The matrix with these values on the cells."""
        return DeviceCellMatrix(self, values)

    def here(self) -> Cells:
        """The same cells in this process's memory."""
        rows, columns = map(self.place.get, (self.rows(), self.columns))
        indptr = np.searchsorted(rows, np.arange(self.shape[0] + 1)).astype(np.int64)
        return Cells(self.shape, indptr, columns.astype(np.int32))

    def parts(self) -> list[Any]:
        """The arrays that say which cells these are (fingerprints)."""
        return [self._by_row.starts, self._by_row.owner, self.columns]

    def rows(self) -> Any:
        """The row of every cell, as a new array."""
        side = self._by_row
        return side.owner[cupy.searchsorted(side.starts, cupy.arange(len(self)), side="right") - 1]

    @property
    def columns(self) -> Any:
        """The column of every cell."""
        return self._by_row.index

    def rank_one(self, scale: float, u: Any, v: Any, out: Any) -> None:
        """out = scale u_i v_j."""
        side = self._by_row
        u, v = (cupy.ascontiguousarray(cupy.asarray(part, self.dtype)) for part in (u, v))
        given = side.starts, side.panels, side.owner, side.index, np.float64(scale), u, v, out
        self._over_panels("rank_one", side, given, self.dtype.itemsize)

    def product(self, values: Any, v: Any, out: Any) -> None:
        """out = G v."""
        self._product(self._by_row, values, v, out)

    def transposed_product(self, values: Any, u: Any, out: Any) -> None:
        """out = G' u, for values in the order of columns (`turned`)."""
        self._product(self._by_column, values, u, out)

    def factored(self, left: Any, right: Any, out: Any) -> None:
        """out = <left_i, right_j>, for factors with one row a row or column."""
        if left.shape[1] == 0:
            out[:] = 0.0
        else:
            self.factors.factored(left, right, out)

    def loss_gradient(
        self, loss: Any, tau: float, left: Any, right: Any, out: Any, other: Any
    ) -> tuple[float, float]:
        """Loss of tau L R' and <G, tau L R'>; out = G R, other = G' L, with G its gradient."""
        return self.factors.loss_gradient(loss, tau, left, right, out, other)

    def bend(self, given: Any, factors: Any, moves: Any, out: Any, other: Any) -> None:
        """The derivative of (G R, G' L) along a move of L and R, into `out` and `other`."""
        composed(self, given, factors, moves, (out, other))

    def weighted_rows(self, values: Any, right: Any, out: Any) -> None:
        """out_i = sum of values_ij right_j over the cells of row i."""
        self.factors.weighted(self._by_row, values, right, out)

    def weighted_columns(self, values: Any, left: Any, out: Any) -> None:
        """out_j = sum of values_ij left_i over the cells of column j."""
        self.factors.weighted(self._by_column, values, left, out)

    def evaluate(self, loss: Any, z: Any, slope: Any, out: Any) -> tuple[float, float]:
        """Write phi'(z), the gradient, into both; return phi(z) and <phi'(z), z>."""
        code, delta, b, w = loss
        turns = float(delta), float(delta)
        arguments = *turns, z, b, w, w.size == 1, z.size, slope, out
        found = self.place.launcher.sums(
            WITH_TERMS, "evaluate", z.size, arguments, 2, {},
            T=TYPES[self.dtype], CODE=str(int(code)),
        )  # fmt: skip
        return found[0], found[1]

    def turned(self, values: Any, out: Any) -> None:
        """Write the values in the order of columns."""
        blocks = -(-len(self) // 256)
        kernel = compiled(PLAIN, "gather", T=TYPES[self.dtype])
        kernel((blocks,), (256,), (values, self._by_column.places, out, np.int64(len(self))))

    def _product(self, side: Side, values: Any, vector: Any, out: Any) -> None:
        partial = out if side.whole else cupy.empty(side.pieces, np.float64)
        given = side.starts, side.panels, side.index, values, vector, partial
        self._over_panels("piece_sums", side, given, 8)
        if side.whole:
            return
        wide = side.pieces > MANY * side.lines
        name, threads = ("long_line_sums", 32) if wide else ("line_sums", 1)
        ids = NOWHERE if side.ids is None else side.ids
        kernel = compiled(PLAIN, name, T=TYPES[self.dtype])
        blocks = -(-side.lines * threads // 256)
        kernel((blocks,), (256,), (partial, side.ends, ids, out, np.int32(side.lines)))

    def _over_panels(self, name: str, side: Side, given: tuple[Any, ...], size: int) -> None:
        """A kernel over all pieces, with a panel of a vector in shared memory where it fits."""
        plan = self._plans.get((name, side is self._by_row))
        if plan is None:
            plan = self._plans[name, side is self._by_row] = self._plan(name, side, size)
        kernel, blocks, sizes, shared = plan
        kernel(blocks, (BLOCK,), (*given, *sizes), shared_mem=shared)

    def _plan(self, name: str, side: Side, size: int) -> tuple[Any, ...]:
        """The kernel, its blocks, the sizes that it asks for, and its shared memory."""
        lanes, panels = _lanes(side), len(side.borders) - 1
        most = int(np.diff(side.borders).max())
        chunks = max(1, min(-(-BLOCKS // panels), -(-most * lanes // BLOCK)))
        kernel = compiled(
            VECTORS, name, T=TYPES[self.dtype], I=INDEX[side.index.dtype], LANES=str(lanes),
            AHEAD=str(AHEAD), BLOCK=str(BLOCK), RESIDENT=str(RESIDENT),
            SHARED=str(int(side.fits)),
        )  # fmt: skip
        shared = size * min(side.width, side.across) if side.fits else 0
        kernel.max_dynamic_shared_size_bytes = max(kernel.max_dynamic_shared_size_bytes, shared)
        sizes = np.int32(side.width), np.int64(side.across), np.int32(chunks)
        return kernel, (panels * chunks,), sizes, shared


def _lanes(side: Side) -> int:
    """Threads for a piece: fewer where pieces are short."""
    lanes = 32
    while lanes > 4 and side.cells < 0.7 * lanes * side.pieces:
        lanes //= 2
    return lanes


def as_cells(
    rows: Any, columns: Any, shape: tuple[int, int], dtype: Any
) -> tuple[DeviceCells, Any]:
    """The cells on the device, and the permutation that sorts them (None where sorted)."""
    checked_count(rows.size)
    rows, columns = rows.astype(np.int32, copy=False), columns.astype(np.int32, copy=False)
    order = row_order(cupy, rows)
    if order is not None:
        rows, columns = rows[order], columns[order]
    found = DeviceCells(shape, rows, columns, dtype)
    del rows, columns
    cupy.get_default_memory_pool().free_all_blocks()  # keys as long as the ratings are done with
    return found, order
