"""Columns of names, kept as they are written, beside a column of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.datasets.readers.cells import number_or_error, text_of
from frankwolfe.datasets.readers.layout import Layout
from frankwolfe.datasets.readers.source import line_blocks
from frankwolfe.datasets.readers.table import Request
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.kernels import text as kernel

__all__ = ["read_named"]


def read_named(
    request: Request, layout: Layout, names: Sequence[int], number: int | None = None
) -> tuple[list[NDArray[Any]], NDArray[np.float64]]:
    """Columns `names`, and the numbers of column `number`.

    A column is of whole numbers where each of its cells is one and is written as one is (no
    zeros before it, at most 18 digits); otherwise it is of texts, just as they stand.
    """
    reader, skip = _Reader(request, layout, names, number), layout.skip
    for block in line_blocks(request):
        reader.take(block[skip:] if skip else block)
        skip = 0
    return reader.done()


class _Reader:
    """Pieces of the columns, a piece a block."""

    def __init__(
        self, request: Request, layout: Layout, names: Sequence[int], number: int | None
    ) -> None:
        self.request, self.layout, self.line = request, layout, layout.lines + 1
        self.place = np.full(len(layout.first), -1)
        self.place[list(names)] = -3 - np.arange(len(names))
        if number is not None:
            self.place[number] = -2
        self.names: list[list[NDArray[Any]]] = [[] for _ in names]
        self.values: list[NDArray[np.float64]] = []

    def take(self, block: bytes) -> None:
        """Read the rows of a block."""
        lines, begun, layout = block.count(b"\n"), self.line, self.layout
        data, values = np.frombuffer(block, dtype=np.uint8), np.empty(lines)
        texts = np.empty((lines, len(self.names), 2), dtype=np.int64)
        odd = np.empty((lines * self.place.size + 1, 5), dtype=np.int64)
        self.line, rows, strange, code, count = kernel.cells(
            data,
            0,
            self.line,
            ord(layout.delimiter),
            ord(layout.second),
            layout.runs,
            self.place,
            np.empty((0, 0)),
            values,
            texts,
            0,
            odd,
        )
        path = self.request.path
        for row, column, line, first, last in odd[:strange].tolist():
            name = layout.names[column] if layout.names else str(column + 1)
            values[row] = number_or_error(block[first:last], path, line, name)
        self._check(code, count)
        self.values.append(values[:rows])
        for k, pieces in enumerate(self.names):
            places, whole = texts[:rows, k], np.empty(rows, dtype=np.int64)
            if kernel.whole_numbers(data, places, whole) < rows:
                pieces.append(np.array(self._texts(block, places.tolist(), begun), dtype=str))
            else:
                pieces.append(whole)

    def _texts(self, block: bytes, places: list[list[int]], begun: int) -> list[str]:
        path, texts = self.request.path, []
        for first, last in places:
            try:
                texts.append(text_of(block[first:last], path, 0))
            except InvalidInput:  # again, with the line
                text_of(block[first:last], path, begun + block.count(b"\n", 0, first))
        return texts

    def _check(self, code: int, count: int) -> None:
        where = f"{self.request.path}, line {self.line}"
        if code == 1:
            raise InvalidInput(
                f"{where} has {count} cell{'' if count == 1 else 's'}, but the lines before have "
                f"{self.place.size}."
            )
        if code == 2:
            raise InvalidInput(f"{where}: a quote is opened and not closed in the same line.")

    def done(self) -> tuple[list[NDArray[Any]], NDArray[np.float64]]:
        """What was read."""
        values = np.concatenate([*self.values, np.empty(0)])
        if not values.size:
            raise InvalidInput(f"{self.request.path} has no rows.")
        return [_joined(pieces) for pieces in self.names], values


def _joined(pieces: list[NDArray[Any]]) -> NDArray[Any]:
    """One column; of texts where one of its pieces is."""
    if any(piece.dtype.kind == "U" for piece in pieces):
        pieces = [piece.astype(str) for piece in pieces]
    return np.concatenate(pieces)
