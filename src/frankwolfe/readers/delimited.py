"""Tables of cells: CSV, TSV, semicolons, blanks; numbers, and a target that may be words."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from frankwolfe.errors import InvalidInput
from frankwolfe.kernels import text as kernel
from frankwolfe.readers.cells import (
    as_number,
    decoded,
    grown,
    has_comma,
    is_missing_word,
    not_a_number,
    text_of,
)
from frankwolfe.readers.source import beginning, line_blocks
from frankwolfe.readers.table import Columns, NotNumbers, Request, Table

__all__ = ["Grid", "Layout", "layout_of", "read", "read_grid"]

BOM = b"\xef\xbb\xbf"
DELIMITERS = (",", "\t", ";", "|")
CLASSES = 100  # more different numbers before a first word are no classes


@dataclass(frozen=True)
class Layout:
    """How a text is laid out.

    Attributes
    ----------
    delimiter, second : str
        What stands between cells.
    runs : bool
        Whether several of them count as one.
    names : tuple of str
        The names of the columns; empty without a header.
    first : list of str
        The cells of the first row.
    skip : int
        Bytes before the first row.
    lines : int
        Lines before the first row.
    """

    delimiter: str
    second: str
    runs: bool
    names: tuple[str, ...]
    first: list[str]
    skip: int
    lines: int


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
    if request.header is None and not layout.names and not any(map(_like_number, layout.first)):
        raise InvalidInput(f"{request.path} has a header but no rows.")
    columns = Columns.of(request, layout.names, len(layout.first))
    target = columns.target if request.target_file is None else None
    worded = target is not None and not _like_number(layout.first[target])
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


def layout_of(request: Request) -> Layout:
    """What the beginning of the file says of its layout."""
    path = request.path
    places, lines = _two_lines(request)
    if not lines:
        raise InvalidInput(f"{path} is empty.")
    delimiter, second, runs = _delimiter(lines)
    rows = [_split(line, delimiter, second, runs) for line in lines]
    header = _is_header(rows) if request.header is None else request.header
    names = tuple(rows[0]) if header else ()
    if header and len(rows) < 2:
        raise InvalidInput(f"{path} has a header but no rows.")
    if header and len(rows[0]) != len(rows[1]):
        raise InvalidInput(
            f"{path}, line {places[1][1] + 1} has {_cells(len(rows[1]))}, but the header has "
            f"{len(rows[0])}."
        )
    skip, number = places[1 if header else 0]
    return Layout(delimiter, second, runs, names, rows[1 if header else 0], skip, number)


def _two_lines(request: Request) -> tuple[list[tuple[int, int]], list[str]]:
    """The first two lines that are not blank, and the bytes and lines before each."""
    path, size = request.path, 65536
    start = beginning(path, size)
    while len(start) == size and len(list(_full(start.split(b"\n")[:-1]))) < 2:
        size *= 4
        start = beginning(path, size)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InvalidInput(f"{path} is UTF-16 text: save it as UTF-8.")
    skip = len(BOM) if start.startswith(BOM) else 0
    places: list[tuple[int, int]] = []
    lines: list[str] = []
    for number, raw in enumerate(start[skip:].split(b"\n")):
        if raw.strip(b" \r"):
            if b"\r" in raw.rstrip(b"\r"):
                raise InvalidInput(
                    f"{path} ends lines by carriage returns alone: save it with line feeds."
                )
            places.append((skip, number))
            lines.append(decoded(raw.rstrip(b"\r"), path, number + 1))
            if len(lines) == 2:
                break
        skip += len(raw) + 1
    return places, lines


def _full(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines that are not blank."""
    return (line for line in lines if line.strip(b" \r"))


def _cells(count: int) -> str:
    return f"{count} cell{'' if count == 1 else 's'}"


def _delimiter(lines: Sequence[str]) -> tuple[str, str, bool]:
    """The delimiter of the first lines, its twin, and whether runs of it count as one."""
    bare = [_unquoted(line) for line in lines]
    if all("::" in line for line in bare):
        return ":", ":", True
    if all(";" in line for line in bare) and all(map(_like_number, bare[-1].split(";"))):
        return ";", ";", False  # and commas in its numbers
    for mark in DELIMITERS:
        if all(mark in line for line in bare):
            return mark, mark, False
    if all(len(line.split()) > 1 for line in bare):
        return " ", "\t", True
    return ",", ",", False


def _unquoted(line: str) -> str:
    return "".join(line.split('"')[::2])


def _split(line: str, delimiter: str, second: str, runs: bool) -> list[str]:
    if runs:
        return [cell for cell in line.replace(second, delimiter).split(delimiter) if cell.strip()]
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter))]


def _like_number(cell: str) -> bool:
    """Whether a cell is a number, a missing one, or one with a comma."""
    return as_number(cell) is not None or has_comma(cell)


def _is_header(rows: list[list[str]]) -> bool:
    """A word over a number, or nothing but words."""
    first = [_like_number(cell) for cell in rows[0]]
    if not any(first):
        return len(rows) > 1
    if len(rows) < 2:
        return False
    second = [_like_number(cell) for cell in rows[1]]
    return any(b and not a for a, b in zip(first, second, strict=False))


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
            words[column] += not _like_number(text_of(block[first:last], self.request.path, line))
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
                f"{where} has {_cells(count)}, but the lines before have {self.place.size}."
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
