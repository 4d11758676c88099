"""Loops over the observed cells for matrices given by their factors, on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import cupy
import numpy as np

from frankwolfe.engines.cells_layout import Side
from frankwolfe.engines.cuda import losses
from frankwolfe.engines.cuda.cells_factor_source import FACTORS, LOSS, SUMS
from frankwolfe.engines.cuda.launch import Launcher
from frankwolfe.engines.cuda.source import TYPES, compiled

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from frankwolfe.engines.maps import DeviceArray

__all__ = ["INDEX", "NULL", "FactorLoops"]

INDEX = {np.dtype(np.uint16): "unsigned short", np.dtype(np.int32): "int"}
NULL = np.uint64(0)  # null pointer, as a kernel's argument
WITH_LOSS = losses.PRELUDE + losses.TERMS + FACTORS + LOSS
THREADS = 256  # of a block
WARPS_A_BLOCK = THREADS // 32
MAX_PARTIAL_BYTES = 2**28  # for the sums of pieces; beyond, panels are taken in batches
VECTOR_BYTES = 16  # that a thread reads at once: the widest load of the hardware

CellLoss: TypeAlias = "tuple[int, float, DeviceArray, DeviceArray]"
"""A loss on the cells: the code of its term, its threshold, targets and weights."""


class FactorLoops:
    """Loops that read a row of factors for each cell, from both sides of a layout.

    Rows are padded to whole vectors of 16 bytes; sums of a piece are in the type of the factors,
    as on the CPU, those of a line's pieces in double precision.
    """

    def __init__(self, by_row: Side, by_column: Side, dtype: DTypeLike, launcher: Launcher) -> None:
        self._by_row, self._by_column = by_row, by_column
        self._dtype, self._launcher = np.dtype(dtype), launcher

    def factored(self, left: DeviceArray, right: DeviceArray, out: DeviceArray) -> None:
        """out_k = <left_i, right_j> for each cell k = (i, j)."""
        side, vecs = self._by_row, self._vectors(left)
        padded = self._padded(left), self._padded(right)
        given = side.starts, side.owner, np.int32(side.pieces), side.index
        kernel = compiled(FACTORS, "factored", **self._names(side, vecs))
        kernel(_warps(side.pieces), (THREADS,), (*given, *padded, np.int32(vecs), out))

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
        code, delta, b, w = loss
        side, vecs = self._by_row, self._vectors(left)
        mine, theirs = self._padded(left), self._padded(right)
        slope = cupy.empty(side.cells, self._dtype)
        partial = self._room(side.pieces, vecs)
        totals = cupy.empty(2 * side.pieces, np.float64)
        names = self._names(side, vecs)
        kernel = compiled(WITH_LOSS, "loss_rows", **names, CODE=str(int(code)))
        given = side.starts, side.owner, np.int32(side.pieces), side.index, mine, theirs
        turns = np.float64(tau), np.float64(delta), np.float64(delta)
        rest = b, w, np.int32(w.size == 1), slope, partial, totals
        kernel(_warps(side.pieces), (THREADS,), (*given, np.int32(vecs), *turns, *rest))
        self._add_up(side, partial, (0, side.pieces), out, vecs)
        del partial  # the largest array, before the other side needs its own
        self._weighted(self._by_column, slope, mine, vecs, other)
        arguments = totals, side.pieces
        kind = TYPES[self._dtype]
        found = self._launcher.sums(SUMS, "both_sums", side.pieces, arguments, 2, {}, T=kind)
        return found[0], found[1]

    def weighted(
        self, side: Side, values: DeviceArray, factors: DeviceArray, out: DeviceArray
    ) -> None:
        """out_l = Σ_k values_k factors_k over the cells k of each line l."""
        self._weighted(side, values, self._padded(factors), self._vectors(factors), out)

    def _weighted(
        self, side: Side, values: DeviceArray, factors: DeviceArray, vecs: int, out: DeviceArray
    ) -> None:
        """`weighted` for factors that are padded already."""
        kernel = compiled(FACTORS, "weighted", **self._names(side, vecs))
        places = NULL if side.places is None else side.places
        for first, last in _batches(side.borders, VECTOR_BYTES * vecs):
            low, high = side.borders[first], side.borders[last]
            most = max(side.borders[p + 1] - side.borders[p] for p in range(first, last))
            partial = self._room(high - low, vecs)
            given = side.starts, side.panels, np.int32(first), side.index, places, values, factors
            sizes = np.int32(side.width), np.int32(vecs), partial, np.int32(low)
            kernel((*_warps(most), last - first), (THREADS,), (*given, *sizes))
            self._add_up(side, partial, (low, high), out, vecs)

    def _add_up(
        self, side: Side, partial: DeviceArray, pieces: tuple[int, int], out: DeviceArray, vecs: int
    ) -> None:
        """out = (or +=, after the first batch) the sums of these pieces, line by line."""
        ids = NULL if side.ids is None else side.ids
        lines, rank = out.shape
        low, high = map(np.int32, pieces)
        sizes = np.int32(lines), np.int32(rank), np.int32(self._width(vecs))
        given = partial, side.ends, ids, low, high, np.int32(low > 0), out
        kernel = compiled(SUMS, "line_rows", T=TYPES[self._dtype])
        kernel((-(-lines * rank // THREADS),), (THREADS,), (*given, *sizes))

    def _vectors(self, factors: DeviceArray) -> int:
        """Number of vectors of 16 bytes that hold a row."""
        return int(-(-factors.shape[1] * self._dtype.itemsize // VECTOR_BYTES))

    def _width(self, vecs: int) -> int:
        """Number of entries of a padded row."""
        return int(vecs * VECTOR_BYTES // self._dtype.itemsize)

    def _room(self, pieces: int, vecs: int) -> DeviceArray:
        """New array for the sums of pieces."""
        return cupy.empty((pieces, self._width(vecs)), self._dtype)

    def _padded(self, factors: DeviceArray) -> DeviceArray:
        """Factors with rows padded by zeros to whole vectors; themselves if they are so already."""
        lines, rank = factors.shape
        width = self._width(self._vectors(factors))
        factors = cupy.ascontiguousarray(cupy.asarray(factors, self._dtype))
        if width == rank and factors.data.ptr % VECTOR_BYTES == 0:
            return factors
        out = self._room(lines, self._vectors(factors))
        sizes = np.int32(lines), np.int32(rank), np.int32(width)
        kernel = compiled(SUMS, "pad", T=TYPES[self._dtype])
        kernel((-(-out.size // THREADS),), (THREADS,), (factors, out, *sizes))
        return out

    def _names(self, side: Side, vecs: int) -> dict[str, str]:
        """Macros of a kernel: G threads take a cell, Q vectors each.

        Rounded up to few kinds, for each pair is compiled.
        """
        each = 1 if vecs == 1 else 4
        group = 1
        while group < 32 and group * each < vecs:
            group *= 2
        each = max(each, -(-vecs // group))
        types = {"T": TYPES[self._dtype], "I": INDEX[side.index.dtype]}
        return {**types, "G": str(group), "Q": str(each)}


def _warps(count: int) -> tuple[int]:
    """Grid of blocks with one warp for each of `count` pieces."""
    return (max(1, -(-count // WARPS_A_BLOCK)),)


def _batches(borders: tuple[int, ...], bytes_a_piece: int) -> list[tuple[int, int]]:
    """Ranges of panels whose pieces' sums fit into `MAX_PARTIAL_BYTES`, or of one panel."""
    found, first, end = [], 0, len(borders) - 1
    for panel in range(1, end + 1):
        if (
            panel == end
            or bytes_a_piece * (borders[panel + 1] - borders[first]) > MAX_PARTIAL_BYTES
        ):
            found.append((first, panel))
            first = panel
    return found
