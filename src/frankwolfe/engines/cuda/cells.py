"""The observed cells of a matrix on a device, and a gradient with values there."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from frankwolfe.engines.cuda import losses
from frankwolfe.engines.cuda.cells_layout import Side, by_column, by_row, multiplicity
from frankwolfe.engines.cuda.cells_source import FACTORS, VECTORS
from frankwolfe.engines.cuda.launch import Launcher
from frankwolfe.engines.cuda.source import TYPES, compiled

__all__ = ["DeviceCells"]

CODE = losses.PRELUDE + losses.SOURCE + FACTORS
INDEX = {np.dtype(np.uint16): "unsigned short", np.dtype(np.int32): "int"}
BLOCK = 1024  # threads that share a panel
BLOCKS = 1056  # of them at least: four times what fits on a large device
WARPS = 8  # in a block of 256 threads
ROOM = 2**28  # bytes for the sums of pieces, beyond which panels are taken one after another


class DeviceCells:
    """A list of cells (i, j), sorted by row, with loops over them; see `Cells`.

    Sums have a fixed order, so that a loop gives the same bits each time.
    """

    def __init__(self, shape: tuple[int, int], rows: Any, columns: Any, dtype: Any) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        self.by_row = by_row(cupy, rows, columns, shape)
        self.by_column = by_column(cupy, rows, columns, shape)
        self.multiplicity = multiplicity(cupy, rows, columns, self.by_column.places)
        self.launcher = Launcher()
        self._room: dict[Any, int] = {}  # shared memory that each kernel may take

    def __len__(self) -> int:
        return self.by_row.cells

    def rows(self) -> Any:
        """The row of every cell, as a new array."""
        side = self.by_row
        of_cell = cupy.searchsorted(side.starts, cupy.arange(len(self)), side="right") - 1
        return side.owner[of_cell]

    @property
    def columns(self) -> Any:
        """The column of every cell."""
        return self.by_row.index

    def rank_one(self, scale: float, u: Any, v: Any, out: Any) -> None:
        """out = scale u_i v_j."""
        side = self.by_row
        u, v = (cupy.ascontiguousarray(cupy.asarray(part, self.dtype)) for part in (u, v))
        self._over_panels(
            "rank_one", side, out.dtype,
            (side.starts, side.panels, side.owner, side.index, np.float64(scale), u, v, out),
        )  # fmt: skip

    def product(self, values: Any, v: Any, out: Any) -> None:
        """out = G v."""
        self._product(self.by_row, values, v, out)

    def transposed_product(self, values: Any, u: Any, out: Any) -> None:
        """out = G' u, for values in the order of columns (`turned`)."""
        self._product(self.by_column, values, u, out)

    def turned(self, values: Any, out: Any) -> None:
        """The values in the order of columns."""
        side, blocks = self.by_column, max(1, min(2112, -(-len(self) // 256)))
        self._kernel(VECTORS, "gather", side, values.dtype)(
            (blocks,), (256,), (values, side.places, out, np.int64(len(self)))
        )

    def _product(self, side: Side, values: Any, vector: Any, out: Any) -> None:
        partial = out if side.whole else cupy.empty(side.pieces, np.float64)
        given = side.starts, side.panels, side.index, values, vector, partial
        self._over_panels("piece_sums", side, values.dtype, given)
        if side.whole:
            return
        lanes = 32 if side.pieces > 4 * side.lines else 1
        kernel = self._kernel(VECTORS, "line_sums", side, values.dtype, LANES=str(lanes))
        ids = side.starts if side.ids is None else side.ids
        given = partial, side.ends, ids, np.int32(side.ids is None), out, np.int32(side.lines)
        kernel((-(-side.lines * lanes // 256),), (256,), given)

    def _over_panels(self, name: str, side: Side, dtype: Any, given: tuple[Any, ...]) -> None:
        """A kernel over all pieces, with a panel of a vector in shared memory where it fits."""
        panels, each = len(side.borders) - 1, 32
        while each > 4 and side.cells < 0.7 * each * side.pieces:
            each //= 2
        most = max(
            last - first for first, last in zip(side.borders, side.borders[1:], strict=False)
        )
        chunks = max(1, min(-(-BLOCKS // panels), -(-most * each // BLOCK)))
        room = (8 if name == "piece_sums" else dtype.itemsize) * min(side.width, side.across)
        kernel = self._kernel(VECTORS, name, side, dtype, LANES=str(each))
        if side.fits and self._room.get(kernel, 0) < room:
            kernel.max_dynamic_shared_size_bytes = self._room[kernel] = room
        sizes = np.int32(side.width), np.int64(side.across), np.int32(chunks)
        kernel((panels * chunks,), (BLOCK,), (*given, *sizes), shared_mem=room if side.fits else 0)

    def factored(self, left: Any, right: Any, out: Any) -> None:
        """out = <left_i, right_j>, for factors with one row a row or column."""
        if left.shape[1] == 0:
            out[:] = 0.0
            return
        side, vecs = self.by_row, self._vectors(left.shape[1])
        given = side.starts, side.owner, np.int32(side.pieces), side.index
        padded = self._padded(left), self._padded(right)
        kernel = self._factor_kernel("factored", side, vecs)
        kernel(self._warps(side.pieces), (256,), (*given, *padded, np.int32(vecs), out))

    def loss_gradient(
        self, loss: Any, tau: float, left: Any, right: Any, out: Any, other: Any, slope: Any
    ) -> tuple[float, float]:
        """Loss of tau L R' and <G, tau L R'>; out = G R, other = G' L, with G its gradient.

        `loss` is the code, threshold, targets and weights; `slope` is room for G.
        """
        code, delta, b, w = loss
        side, vecs = self.by_row, self._vectors(left.shape[1])
        mine, theirs = self._padded(left), self._padded(right)
        partial = cupy.empty(side.pieces * self._width(vecs), self.dtype)
        totals = cupy.empty(2 * side.pieces, np.float64)
        turns = np.float64(tau), np.float64(delta), np.float64(delta)
        given = side.starts, side.owner, np.int32(side.pieces), side.index, mine, theirs
        kernel = self._factor_kernel("loss_rows", side, vecs, CODE=str(int(code)))
        kernel(
            self._warps(side.pieces), (256,),
            (*given, np.int32(vecs), *turns, b, w, np.int32(w.size == 1), slope, partial, totals),
        )  # fmt: skip
        self._line_rows(side, partial, 0, side.pieces, out, vecs)
        del partial
        self._weighted(self.by_column, slope, mine, vecs, other)
        found = self.launcher.sums(
            CODE, "both_sums", side.pieces, (totals, side.pieces), 2, {}, **self._names(side, vecs)
        )
        return found[0], found[1]

    def weighted_rows(self, values: Any, right: Any, out: Any) -> None:
        """out_i = sum of values_ij right_j over the cells of row i."""
        vecs = self._vectors(right.shape[1])
        self._weighted(self.by_row, values, self._padded(right), vecs, out)

    def weighted_columns(self, values: Any, left: Any, out: Any) -> None:
        """out_j = sum of values_ij left_i over the cells of column j, for values by row."""
        vecs = self._vectors(left.shape[1])
        self._weighted(self.by_column, values, self._padded(left), vecs, out)

    def _weighted(self, side: Side, values: Any, factors: Any, vecs: int, out: Any) -> None:
        place = "k" if side.places is None else "places[k]"
        kernel = self._factor_kernel("weighted", side, vecs, **{"PLACE(k)": place})
        places = side.starts if side.places is None else side.places
        for first, last in self._batches(side, vecs):
            low, high = side.borders[first], side.borders[last]
            most = max(side.borders[p + 1] - side.borders[p] for p in range(first, last))
            partial = cupy.empty((high - low) * self._width(vecs), self.dtype)
            given = side.starts, side.panels, np.int32(first), side.index, places, values, factors
            sizes = np.int32(side.width), np.int32(vecs)
            blocks = (*self._warps(most), last - first)
            kernel(blocks, (256,), (*given, *sizes, partial, np.int32(low)))
            self._line_rows(side, partial, low, high, out, vecs)

    def _batches(self, side: Side, vecs: int) -> list[tuple[int, int]]:
        """Panels whose pieces' sums fit into the room, one batch after another."""
        found, first = [], 0
        for panel in range(1, len(side.borders)):
            more = side.borders[min(panel + 1, len(side.borders) - 1)] - side.borders[first]
            full = 16 * vecs * more > ROOM or panel - first == 2**15
            if panel == len(side.borders) - 1 or full:
                found.append((first, panel))
                first = panel
        return found

    def _line_rows(
        self, side: Side, partial: Any, low: int, high: int, out: Any, vecs: int
    ) -> None:
        """Add the pieces from `low` to `high` up, line by line; later ones to what is there."""
        kernel = self._factor_kernel("line_rows", side, vecs)
        ids = side.starts if side.ids is None else side.ids
        ordered, more = np.int32(side.ids is None), np.int32(low > 0)
        lines, rank = out.shape
        given = partial, side.ends, ids, ordered, np.int32(low), np.int32(high), more, out
        sizes = np.int32(lines), np.int32(rank), np.int32(self._width(vecs))
        kernel((-(-lines * rank // 256),), (256,), (*given, *sizes))

    def _vectors(self, rank: int) -> int:
        """Vectors of 16 bytes that hold a row of factors."""
        return -(-rank * self.dtype.itemsize // 16)

    def _width(self, vecs: int) -> int:
        """Entries of a padded row."""
        return vecs * 16 // self.dtype.itemsize

    def _padded(self, factors: Any) -> Any:
        """Factors with rows of whole vectors."""
        lines, rank = factors.shape
        width = self._width(self._vectors(rank))
        factors = cupy.ascontiguousarray(cupy.asarray(factors, self.dtype))
        if width == rank and factors.data.ptr % 16 == 0:
            return factors
        out = cupy.empty((lines, width), self.dtype)
        kernel = self._factor_kernel("pad", self.by_row, 1)
        sizes = np.int32(lines), np.int32(rank), np.int32(width)
        kernel((-(-out.size // 256),), (256,), (factors, out, *sizes))
        return out

    def _warps(self, count: int) -> tuple[int]:
        return (max(1, -(-count // WARPS)),)

    def _kernel(self, code: str, name: str, side: Side, dtype: Any, **names: str) -> Any:
        given = {"LANES": "32", "AHEAD": "4", "SHARED": str(int(side.fits))}
        given |= {"T": TYPES[np.dtype(dtype)], "I": INDEX[side.index.dtype]}
        return compiled(code, name, **(given | names))

    def _names(self, side: Side, vecs: int, **more: str) -> dict[str, str]:
        """Macros: G threads take a cell, Q vectors each, four at most where that will do."""
        each = min(4, vecs)
        group = 1
        while group < 32 and group * each < vecs:
            group *= 2
        each = -(-vecs // group)
        kind = TYPES[self.dtype]
        names = {"T": kind, "I": INDEX[side.index.dtype], "G": str(group), "Q": str(each)}
        names |= {"Z": kind, "B": kind, "S": kind, "D": kind}
        return {"CODE": "1", "PLACE(k)": "k", **names, **more}

    def _factor_kernel(self, name: str, side: Side, vecs: int, **more: str) -> Any:
        return compiled(CODE, name, **self._names(side, vecs, **more))
