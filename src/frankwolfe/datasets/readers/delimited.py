"""Tables of cells: CSV, TSV, semicolons, blanks; numbers, and a target that may be words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from frankwolfe.datasets.readers.cells import (
    as_number,
    grown,
    has_comma,
    is_missing_word,
    not_a_number,
    text_of,
)
from frankwolfe.datasets.readers.layout import Layout, count_of_cells, layout_of, like_number
from frankwolfe.datasets.readers.source import line_blocks
from frankwolfe.datasets.readers.table import Columns, NotNumbers, Request, Table
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.kernels import text as kernel

__all__ = ["Grid", "read", "read_grid"]

CLASSES = 100  # more different numbers before a first word are no classes


@dataclass(frozen=True, eq=False)
class Grid:
    """The numbers of some columns, the numbers of one more, and the words of others."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    words: list[list[str]]


class _Word(Exception):
    """A word in a target that held numbers until then."""


def read(request: Request) -> Table:
    """Read a table of cells."""
    layout = layout_of(request)
    if request.header is None and not layout.names and not any(map(like_number, layout.first)):
        raise InvalidInput(f"{request.path} has a header but no rows.")
    columns = Columns.of(request, layout.names, len(layout.first))
    target = columns.target if request.target_file is None else None
    worded = target is not None and not like_number(layout.first[target])
    try:
        X, y = _read(request, layout, columns.features, target, worded)
    except _Word:
        X, y = _read(request, layout, columns.features, target, True)
    return Table(
        X=X,
        y=y,
        names=tuple(layout.names[c] for c in columns.features) if layout.names else (),
        target=""
        if target is None
        else (layout.names[target] if layout.names else str(target + 1)),
        format="csv",
        left_out=columns.left_out(len(layout.first)),
        where=lambda row: f"line {_line(request, layout, row)}",
    )


def _read(
    request: Request, layout: Layout, features: list[int], target: int | None, worded: bool
) -> tuple[NDArray[np.float64], NDArray[Any] | None]:
    """Features and target; with `worded` the target's cells as they stand."""
    if target is None or not worded:
        grid = read_grid(request, layout, features, number=target, table=True)
        return grid.X, None if target is None else grid.y
    grid = read_grid(request, layout, features, words=[target], table=True)
    for row, word in enumerate(grid.words[0]):
        if is_missing_word(word):
            line = _line(request, layout, row)
            raise InvalidInput(f"{request.path}: the target of line {line} is missing.")
    return grid.X, np.array(grid.words[0])


def _line(request: Request, layout: Layout, row: int) -> int:
    """The line of a row, by reading the file again."""
    empty = f" \r{layout.delimiter}{layout.second}" if layout.runs else " \r"
    line = layout.lines
    for block in _without(line_blocks(replace(request, progress=None)), layout.skip):
        for raw in block.split(b"\n")[:-1]:
            line += 1
            row -= bool(raw.strip(empty.encode()))
            if row < 0:
                return line
    return line


def read_grid(
    request: Request,
    layout: Layout,
    numbers: Sequence[int],
    *,
    number: int | None = None,
    words: Sequence[int] = (),
    table: bool = False,
) -> Grid:
    """Columns `numbers` as a matrix, column `number` as a vector, columns `words` as texts.

    In a `table` the target may turn out to be words, and columns may be left out.
    """
    place = np.full(len(layout.first), -1)
    place[list(numbers)] = np.arange(len(numbers))
    if number is not None:
        place[number] = -2
    place[list(words)] = -3 - np.arange(len(words))
    reader = _Reader(request, layout, place, len(numbers), len(words), number is not None)
    reader.table = table
    for block in _without(line_blocks(request), layout.skip):
        reader.take(block)
    return reader.done()


def _without(blocks: Iterator[bytes], skip: int) -> Iterator[bytes]:
    """The blocks, less the first bytes."""
    for block in blocks:
        yield block[skip:] if skip else block
        skip = 0


def _are_classes(y: NDArray[np.float64]) -> bool:
    """Whether numbers may be names of classes: whole, and not too many."""
    known = y[np.isfinite(y)]
    return bool((known == np.rint(known)).all()) and np.unique(known).size <= CLASSES


class _Reader:
    """Arrays that grow while blocks come in."""

    table = False

    def __init__(
        self,
        request: Request,
        layout: Layout,
        place: NDArray[np.int64],
        features: int,
        words: int,
        target: bool,
    ) -> None:
        self.request, self.layout, self.place, self.target = request, layout, place, target
        self.line, self.row = layout.lines + 1, 0
        self.X, self.y = np.empty((0, features)), np.empty(0)
        self.words: list[list[str]] = [[] for _ in range(words)]

    def take(self, block: bytes) -> None:
        """Read the rows of a block."""
        lines = block.count(b"\n")
        end = self.row + lines
        self.X = grown(self.X, end)  # type: ignore[assignment]
        if self.target:
            self.y = grown(self.y, end)  # type: ignore[assignment]
        texts = np.empty((end if self.words else 0, len(self.words), 2), dtype=np.int64)
        odd = np.empty((lines * self.place.size + 1, 5), dtype=np.int64)
        begun, line, layout = self.row, self.line, self.layout
        self.line, self.row, strange, code, count = kernel.cells(
            np.frombuffer(block, dtype=np.uint8),
            0,
            self.line,
            ord(layout.delimiter),
            ord(layout.second),
            layout.runs,
            self.place,
            self.X,
            self.y,
            texts,
            self.row,
            odd,
        )
        odd = odd[:strange]
        self._look_at(block, odd[odd[:, 0] < self.row], begun)
        self._check(code, count)
        for k, words in enumerate(self.words):
            places = texts[begun : self.row, k].tolist()
            words += [self._word(block, line, first, last) for first, last in places]

    def _look_at(self, block: bytes, odd: NDArray[np.int64], begun: int) -> None:
        """Cells that are no plain numbers."""
        path, place = self.request.path, self.place
        for row, column, line, first, last in odd.tolist():
            text = text_of(block[first:last], path, line)
            value = as_number(text)
            if value is None:
                self._refuse(block, odd, begun, (row, column, line, text))
            elif place[column] >= 0:
                self.X[row, place[column]] = value
            else:
                self.y[row] = value

    def _refuse(
        self,
        block: bytes,
        odd: NDArray[np.int64],
        begun: int,
        cell: tuple[int, int, int, str],
    ) -> NoReturn:
        """Say what is wrong with a cell that is no number, and with whole columns like it."""
        row, column, line, text = cell
        target = self.place[column] < 0
        if self.table:
            if target and not has_comma(text) and _are_classes(self.y[:row]):
                raise _Word
            words = self._columns_of_words(block, odd, begun)
            if words:
                raise NotNumbers(self.request.path, [self._name(c) for c in words], "words")
        optional = self.table and self.request.wants_target and not target
        advice = "correct it, or leave the column out" if optional else "correct it"
        raise not_a_number(text, self.request.path, line, self._name(column), advice)

    def _columns_of_words(self, block: bytes, odd: NDArray[np.int64], begun: int) -> list[int]:
        """The features that hold more words than numbers in a block."""
        words = np.zeros(self.place.size, dtype=np.int64)
        for _, column, line, first, last in odd[self.place[odd[:, 1]] >= 0].tolist():
            words[column] += not like_number(text_of(block[first:last], self.request.path, line))
        return [
            column
            for column in np.flatnonzero(words).tolist()
            if words[column] > np.isfinite(self.X[begun : self.row, self.place[column]]).sum()
        ]

    def _word(self, block: bytes, line: int, first: int, last: int) -> str:
        raw = block[first:last]
        if not raw.isascii():
            try:
                raw.decode()
            except UnicodeDecodeError:
                line += block.count(b"\n", 0, first)
        return text_of(raw, self.request.path, line)

    def _name(self, column: int) -> str:
        return self.layout.names[column] if self.layout.names else str(column + 1)

    def _check(self, code: int, count: int) -> None:
        where = f"{self.request.path}, line {self.line}"
        if code == 1:
            raise InvalidInput(
                f"{where} has {count_of_cells(count)}, but the lines before have {self.place.size}."
            )
        if code == 2:
            raise InvalidInput(f"{where}: a quote is opened and not closed in the same line.")

    def done(self) -> Grid:
        """What was read."""
        if self.row == 0:
            raise InvalidInput(f"{self.request.path} has no rows.")
        self.X.resize((self.row, self.X.shape[1]), refcheck=False)
        self.y.resize(self.row if self.target else 0, refcheck=False)
        return Grid(self.X, self.y, self.words)
