"""Loops over the observed cells for matrices given by their factors, on a device."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from frankwolfe.engines.cells_layout import Side
from frankwolfe.engines.cuda import losses
from frankwolfe.engines.cuda.cells_factor_source import FACTORS, LOSS, SUMS
from frankwolfe.engines.cuda.launch import Launcher
from frankwolfe.engines.cuda.source import TYPES, compiled

__all__ = ["INDEX", "NOWHERE", "FactorLoops"]

INDEX = {np.dtype(np.uint16): "unsigned short", np.dtype(np.int32): "int"}
NOWHERE = np.uint64(0)  # a pointer to nothing
WITH_LOSS = losses.PRELUDE + losses.TERMS + FACTORS + LOSS
THREADS = 256
WARPS = THREADS // 32
ROOM = 2**28  # bytes for the sums of pieces, beyond which panels are taken one after another
VECTOR = 16  # bytes that a thread reads at once


class FactorLoops:
    """Loops that read a row of factors for each cell, from both sides of a layout.

    Rows are padded to whole vectors of 16 bytes; sums of a piece are in the type of the factors,
    as on the CPU, those of a line's pieces in double precision.
    """

    def __init__(self, by_row: Side, by_column: Side, dtype: Any, launcher: Launcher) -> None:
        self._by_row, self._by_column = by_row, by_column
        self._dtype, self._launcher = np.dtype(dtype), launcher

    def factored(self, left: Any, right: Any, out: Any) -> None:
        """out = <left_i, right_j>."""
        side, vecs = self._by_row, self._vectors(left)
        padded = self._padded(left), self._padded(right)
        given = side.starts, side.owner, np.int32(side.pieces), side.index
        kernel = compiled(FACTORS, "factored", **self._names(side, vecs))
        kernel(_warps(side.pieces), (THREADS,), (*given, *padded, np.int32(vecs), out))

    def loss_gradient(
        self, loss: Any, tau: float, left: Any, right: Any, out: Any, other: Any
    ) -> tuple[float, float]:
        """Loss of tau L R' and <G, tau L R'>; out = G R, other = G' L."""
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
        del partial
        self._weighted(self._by_column, slope, mine, vecs, other)
        arguments = totals, side.pieces
        kind = TYPES[self._dtype]
        found = self._launcher.sums(SUMS, "both_sums", side.pieces, arguments, 2, {}, T=kind)
        return found[0], found[1]

    def weighted(self, side: Side, values: Any, factors: Any, out: Any) -> None:
        """out = the sum of values times rows of factors, over the cells of each line."""
        self._weighted(side, values, self._padded(factors), self._vectors(factors), out)

    def _weighted(self, side: Side, values: Any, factors: Any, vecs: int, out: Any) -> None:
        kernel = compiled(FACTORS, "weighted", **self._names(side, vecs))
        places = NOWHERE if side.places is None else side.places
        for first, last in _batches(side.borders, VECTOR * vecs):
            low, high = side.borders[first], side.borders[last]
            most = max(side.borders[p + 1] - side.borders[p] for p in range(first, last))
            partial = self._room(high - low, vecs)
            given = side.starts, side.panels, np.int32(first), side.index, places, values, factors
            sizes = np.int32(side.width), np.int32(vecs), partial, np.int32(low)
            kernel((*_warps(most), last - first), (THREADS,), (*given, *sizes))
            self._add_up(side, partial, (low, high), out, vecs)

    def _add_up(
        self, side: Side, partial: Any, pieces: tuple[int, int], out: Any, vecs: int
    ) -> None:
        """The sums of these pieces, line by line; later ones are added to what is there."""
        ids = NOWHERE if side.ids is None else side.ids
        lines, rank = out.shape
        low, high = map(np.int32, pieces)
        sizes = np.int32(lines), np.int32(rank), np.int32(self._width(vecs))
        given = partial, side.ends, ids, low, high, np.int32(low > 0), out
        kernel = compiled(SUMS, "line_rows", T=TYPES[self._dtype])
        kernel((-(-lines * rank // THREADS),), (THREADS,), (*given, *sizes))

    def _vectors(self, factors: Any) -> int:
        """Vectors of 16 bytes that hold a row."""
        return int(-(-factors.shape[1] * self._dtype.itemsize // VECTOR))

    def _width(self, vecs: int) -> int:
        """Entries of a padded row."""
        return int(vecs * VECTOR // self._dtype.itemsize)

    def _room(self, pieces: int, vecs: int) -> Any:
        return cupy.empty((pieces, self._width(vecs)), self._dtype)

    def _padded(self, factors: Any) -> Any:
        """Factors with rows of whole vectors."""
        lines, rank = factors.shape
        width = self._width(self._vectors(factors))
        factors = cupy.ascontiguousarray(cupy.asarray(factors, self._dtype))
        if width == rank and factors.data.ptr % VECTOR == 0:
            return factors
        out = self._room(lines, self._vectors(factors))
        sizes = np.int32(lines), np.int32(rank), np.int32(width)
        kernel = compiled(SUMS, "pad", T=TYPES[self._dtype])
        kernel((-(-out.size // THREADS),), (THREADS,), (factors, out, *sizes))
        return out

    def _names(self, side: Side, vecs: int) -> dict[str, str]:
        """Macros: G threads take a cell, Q vectors each; few kinds, for each is compiled."""
        each = 1 if vecs == 1 else 4
        group = 1
        while group < 32 and group * each < vecs:
            group *= 2
        each = max(each, -(-vecs // group))
        types = {"T": TYPES[self._dtype], "I": INDEX[side.index.dtype]}
        return {**types, "G": str(group), "Q": str(each)}


def _warps(count: int) -> tuple[int]:
    """Blocks with a warp for each."""
    return (max(1, -(-count // WARPS)),)


def _batches(borders: tuple[int, ...], bytes_a_piece: int) -> list[tuple[int, int]]:
    """Panels, first and beyond the last, whose pieces' sums fit into the room; at least one."""
    found, first, end = [], 0, len(borders) - 1
    for panel in range(1, end + 1):
        if panel == end or bytes_a_piece * (borders[panel + 1] - borders[first]) > ROOM:
            found.append((first, panel))
            first = panel
    return found
