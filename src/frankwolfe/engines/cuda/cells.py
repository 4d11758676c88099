"""The observed cells of a matrix on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

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
from frankwolfe.engines.cuda.cells_factors import INDEX, NULL, FactorLoops
from frankwolfe.engines.cuda.cells_source import EVALUATE, PLAIN, VECTORS
from frankwolfe.engines.cuda.device import Device
from frankwolfe.engines.cuda.source import TYPES, compiled

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from frankwolfe.engines.cuda.cells_factors import CellLoss
    from frankwolfe.engines.cuda.source import Kernel
    from frankwolfe.engines.maps import DeviceArray

__all__ = ["DeviceCells", "as_cells"]

WITH_TERMS = losses.PRELUDE + losses.TERMS + EVALUATE
THREADS = 1024  # of a block, which share a panel: the most that a block may have
RESIDENT_BLOCKS = 2  # of a multiprocessor: one computes while the other loads its panel
CELLS_AHEAD = 8  # cells that a thread reads before it uses the first, to hide the latency of memory
MIN_BLOCKS = 528  # four for each of 132 multiprocessors, so that none waits at the end
MIN_PIECES_FOR_WARP = 4  # pieces of a line, on average; above, a warp adds them, else one thread

Pair: TypeAlias = "tuple[DeviceArray, DeviceArray]"
Plan: TypeAlias = "tuple[Kernel, tuple[int], tuple[object, ...], int]"
"""A kernel, its grid, its last arguments and its bytes of shared memory."""


class DeviceCells:
    """Observed cells (i, j) on a device, sorted by row, with the loops of `Cells` over them.

    Sums have a fixed order: a loop gives the same bits each time.
    """

    def __init__(
        self, shape: tuple[int, int], rows: DeviceArray, columns: DeviceArray, dtype: DTypeLike
    ) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        shared = cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"] // 8
        self._by_row = by_row(cupy, rows, columns, shape, shared)
        self._by_column = by_column(cupy, rows, columns, shape, shared)
        self.multiplicity = multiplicity(cupy, rows, columns, self._by_column.places)
        self.place = Device()
        self.factors = FactorLoops(self._by_row, self._by_column, dtype, self.place.launcher)
        self._plans: dict[tuple[str, bool], Plan] = {}  # for each kernel and side

    def __len__(self) -> int:
        return self._by_row.cells

    def matrix(self, values: DeviceArray) -> DeviceCellMatrix:
        """Sparse matrix with these values on the cells."""
        return DeviceCellMatrix(self, values)

    def here(self) -> Cells:
        """Copy of the cells in this process's memory."""
        rows, columns = map(self.place.get, (self.rows(), self.columns))
        indptr = np.searchsorted(rows, np.arange(self.shape[0] + 1)).astype(np.int64)
        return Cells(self.shape, indptr, columns.astype(np.int32))

    def parts(self) -> list[DeviceArray]:
        """Arrays that say which cells these are, for fingerprints."""
        return [self._by_row.starts, self._by_row.owner, self.columns]

    def rows(self) -> DeviceArray:
        """Row of every cell, as a new array."""
        side = self._by_row
        return side.owner[cupy.searchsorted(side.starts, cupy.arange(len(self)), side="right") - 1]

    @property
    def columns(self) -> DeviceArray:
        """Column of every cell."""
        return self._by_row.index

    def rank_one(self, scale: float, u: DeviceArray, v: DeviceArray, out: DeviceArray) -> None:
        """out_k = scale u_i v_j for each cell k = (i, j)."""
        side = self._by_row
        u, v = (cupy.ascontiguousarray(cupy.asarray(part, self.dtype)) for part in (u, v))
        given = side.starts, side.panels, side.owner, side.index, np.float64(scale), u, v, out
        self._over_panels("rank_one", side, given, self.dtype.itemsize)

    def product(self, values: DeviceArray, v: DeviceArray, out: DeviceArray) -> None:
        """out = G v."""
        self._product(self._by_row, values, v, out)

    def transposed_product(self, values: DeviceArray, u: DeviceArray, out: DeviceArray) -> None:
        """out = G'u, for values in the order of columns (`turned`)."""
        self._product(self._by_column, values, u, out)

    def factored(self, left: DeviceArray, right: DeviceArray, out: DeviceArray) -> None:
        """out_k = <left_i, right_j> for each cell k = (i, j)."""
        if left.shape[1] == 0:
            out[:] = 0.0
        else:
            self.factors.factored(left, right, out)

    def loss_gradient(
        self,
        loss: CellLoss,
        tau: float,
        left: DeviceArray,
        right: DeviceArray,
        out: DeviceArray,
        other: DeviceArray,
    ) -> tuple[float, float]:
        """Loss of τLR' and <G, τLR'> for its gradient G; out = GR, other = G'L."""
        return self.factors.loss_gradient(loss, tau, left, right, out, other)

    def bend(
        self, given: Pair, factors: Pair, moves: Pair, out: DeviceArray, other: DeviceArray
    ) -> None:
        """Derivative of (GR, G'L) along a move of L and R, into `out` and `other`."""
        composed(self, given, factors, moves, (out, other))

    def weighted_rows(self, values: DeviceArray, right: DeviceArray, out: DeviceArray) -> None:
        """out_i = Σ_j values_ij right_j over the cells of row i."""
        self.factors.weighted(self._by_row, values, right, out)

    def weighted_columns(self, values: DeviceArray, left: DeviceArray, out: DeviceArray) -> None:
        """out_j = Σ_i values_ij left_i over the cells of column j."""
        self.factors.weighted(self._by_column, values, left, out)

    def evaluate(
        self, loss: CellLoss, z: DeviceArray, slope: DeviceArray, out: DeviceArray
    ) -> tuple[float, float]:
        """slope = out = phi'(z), the gradient on the cells; return phi(z) and <phi'(z), z>."""
        code, delta, b, w = loss
        turns = float(delta), float(delta)  # one threshold on both sides
        arguments = *turns, z, b, w, w.size == 1, z.size, slope, out
        found = self.place.launcher.sums(
            WITH_TERMS, "evaluate", z.size, arguments, 2, {},
            T=TYPES[self.dtype], CODE=str(int(code)),
        )  # fmt: skip
        return found[0], found[1]

    def turned(self, values: DeviceArray, out: DeviceArray) -> None:
        """out = values in the order of columns."""
        blocks = -(-len(self) // 256)
        kernel = compiled(PLAIN, "gather", T=TYPES[self.dtype])
        kernel((blocks,), (256,), (values, self._by_column.places, out, np.int64(len(self))))

    def _product(
        self, side: Side, values: DeviceArray, vector: DeviceArray, out: DeviceArray
    ) -> None:
        """out = G v by the lines of a side: sums of pieces, then of the pieces of a line."""
        partial = out if side.whole else cupy.empty(side.pieces, np.float64)
        given = side.starts, side.panels, side.index, values, vector, partial
        self._over_panels("piece_sums", side, given, 8)
        if side.whole:
            return
        wide = side.pieces > MIN_PIECES_FOR_WARP * side.lines
        name, threads = ("long_line_sums", 32) if wide else ("line_sums", 1)
        ids = NULL if side.ids is None else side.ids
        kernel = compiled(PLAIN, name, T=TYPES[self.dtype])
        blocks = -(-side.lines * threads // 256)
        kernel((blocks,), (256,), (partial, side.ends, ids, out, np.int32(side.lines)))

    def _over_panels(self, name: str, side: Side, given: tuple[object, ...], size: int) -> None:
        """Start a kernel over all pieces, with a panel of a vector in shared memory if it fits."""
        plan = self._plans.get((name, side is self._by_row))
        if plan is None:
            plan = self._plans[name, side is self._by_row] = self._plan(name, side, size)
        kernel, blocks, sizes, shared = plan
        kernel(blocks, (THREADS,), (*given, *sizes), shared_mem=shared)

    def _plan(self, name: str, side: Side, size: int) -> Plan:
        """Kernel, its grid, the sizes that it asks for, and its bytes of shared memory."""
        lanes, panels = _lanes(side), len(side.borders) - 1
        most = int(np.diff(side.borders).max())
        chunks = max(1, min(-(-MIN_BLOCKS // panels), -(-most * lanes // THREADS)))
        kernel = compiled(
            VECTORS, name, T=TYPES[self.dtype], I=INDEX[side.index.dtype], LANES=str(lanes),
            AHEAD=str(CELLS_AHEAD), BLOCK=str(THREADS), RESIDENT=str(RESIDENT_BLOCKS),
            SHARED=str(int(side.fits)),
        )  # fmt: skip
        shared = size * min(side.width, side.across) if side.fits else 0
        kernel.max_dynamic_shared_size_bytes = max(kernel.max_dynamic_shared_size_bytes, shared)
        sizes = np.int32(side.width), np.int64(side.across), np.int32(chunks)
        return kernel, (panels * chunks,), sizes, shared


def _lanes(side: Side) -> int:
    """Threads for a piece: a power of two, smaller where pieces are short."""
    lanes = 32
    while lanes > 4 and side.cells < 0.7 * lanes * side.pieces:
        lanes //= 2
    return lanes


def as_cells(
    rows: DeviceArray, columns: DeviceArray, shape: tuple[int, int], dtype: DTypeLike
) -> tuple[DeviceCells, DeviceArray | None]:
    """Observed cells on the device, and the permutation that sorts them by row, if needed."""
    checked_count(rows.size)
    rows, columns = rows.astype(np.int32, copy=False), columns.astype(np.int32, copy=False)
    order = row_order(cupy, rows)
    if order is not None:
        rows, columns = rows[order], columns[order]
    found = DeviceCells(shape, rows, columns, dtype)
    del rows, columns
    cupy.get_default_memory_pool().free_all_blocks()  # keys as long as the ratings are done with
    return found, order
