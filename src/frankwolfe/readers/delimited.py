"""Tables of cells: CSV, TSV, semicolons, blanks; numbers, and a target that may be words."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.errors import InvalidInput
from frankwolfe.kernels import text as kernel
from frankwolfe.readers.cells import as_number, decoded, grown, number_or_error, text_of
from frankwolfe.readers.source import beginning, line_blocks
from frankwolfe.readers.table import Columns, Request, Table

__all__ = ["Grid", "Layout", "layout_of", "read", "read_grid"]

BOM = b"\xef\xbb\xbf"
DELIMITERS = (",", "\t", ";", "|")


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


def read(request: Request) -> Table:
    """Read a table of cells."""
    layout = layout_of(request)
    columns = Columns.of(request, layout.names, len(layout.first))
    target = columns.target if request.target_file is None else None
    worded = target is not None and as_number(layout.first[target]) is None
    grid = read_grid(
        request,
        layout,
        columns.features,
        number=None if worded else target,
        words=[target] if worded and target is not None else [],
    )
    y: NDArray[Any] | None = None
    if target is not None:
        y = np.array(grid.words[0]) if worded else grid.y
    return Table(
        X=grid.X,
        y=y,
        names=tuple(layout.names[c] for c in columns.features) if layout.names else (),
        target=""
        if target is None
        else (layout.names[target] if layout.names else str(target + 1)),
        format="csv",
    )


def layout_of(request: Request) -> Layout:
    """What the beginning of the file says of its layout."""
    path = request.path
    start = beginning(path)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InvalidInput(f"{path} is UTF-16 text: save it as UTF-8.")
    skip = len(BOM) if start.startswith(BOM) else 0
    places: list[tuple[int, int]] = []  # bytes and lines before the first two rows
    lines: list[str] = []
    for number, raw in enumerate(start[skip:].splitlines(keepends=True)):
        if raw.strip(b" \r\n"):
            places.append((skip, number))
            lines.append(decoded(raw.rstrip(b"\r\n"), path, number + 1))
            if len(lines) == 2:
                break
        skip += len(raw)
    if not lines:
        raise InvalidInput(f"{path} is empty.")
    delimiter, second, runs = _delimiter(lines)
    rows = [_split(line, delimiter, second, runs) for line in lines]
    header = _is_header(rows) if request.header is None else request.header
    names = tuple(rows[0]) if header else ()
    if header and len(rows) < 2:
        raise InvalidInput(f"{path} has a header but no rows.")
    skip, number = places[1 if header else 0]
    return Layout(delimiter, second, runs, names, rows[1 if header else 0], skip, number)


def _delimiter(lines: Sequence[str]) -> tuple[str, str, bool]:
    """The delimiter of the first lines, its twin, and whether runs of it count as one."""
    bare = [_unquoted(line) for line in lines]
    if all("::" in line for line in bare):
        return ":", ":", True
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


def _is_header(rows: list[list[str]]) -> bool:
    """A word over a number, or nothing but words."""
    first = [as_number(cell) for cell in rows[0]]
    if all(value is None for value in first):
        return len(rows) > 1
    if len(rows) < 2:
        return False
    second = [as_number(cell) for cell in rows[1]]
    return any(a is None and b is not None for a, b in zip(first, second, strict=False))


def read_grid(
    request: Request,
    layout: Layout,
    numbers: Sequence[int],
    *,
    number: int | None = None,
    words: Sequence[int] = (),
) -> Grid:
    """Columns `numbers` as a matrix, column `number` as a vector, columns `words` as texts."""
    place = np.full(len(layout.first), -1)
    place[list(numbers)] = np.arange(len(numbers))
    if number is not None:
        place[number] = -2
    place[list(words)] = -3 - np.arange(len(words))
    reader = _Reader(request, layout, place, len(numbers), len(words), number is not None)
    for block in _without(line_blocks(request), layout.skip):
        reader.take(block)
    return reader.done()


def _without(blocks: Iterator[bytes], skip: int) -> Iterator[bytes]:
    """The blocks, less the first bytes."""
    for block in blocks:
        yield block[skip:] if skip else block
        skip = 0


class _Reader:
    """Arrays that grow while blocks come in."""

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
        begun, layout = self.row, self.layout
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
        for row, column, line, first, last in odd[:strange].tolist():
            value = number_or_error(block[first:last], self.request.path, line, self._name(column))
            if self.place[column] >= 0:
                self.X[row, self.place[column]] = value
            else:
                self.y[row] = value
        self._check(code, count)
        for k, words in enumerate(self.words):
            places = texts[begun : self.row, k].tolist()
            words += [self._word(block[first:last]) for first, last in places]

    def _word(self, raw: bytes) -> str:
        return text_of(raw, self.request.path, self.line)

    def _name(self, column: int) -> str:
        return self.layout.names[column] if self.layout.names else str(column + 1)

    def _check(self, code: int, count: int) -> None:
        where = f"{self.request.path}, line {self.line}"
        if code == 1:
            raise InvalidInput(
                f"{where} has {count} cell{'' if count == 1 else 's'}, but the lines before have "
                f"{self.place.size}."
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
