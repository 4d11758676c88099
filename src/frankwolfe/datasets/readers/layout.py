"""How a text of cells is laid out: its delimiter, its header, where its rows begin."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from frankwolfe.datasets.readers.cells import decoded, like_number
from frankwolfe.datasets.readers.source import beginning
from frankwolfe.datasets.readers.table import Request
from frankwolfe.numerics.errors import InvalidInput

__all__ = ["Layout", "count_of_cells", "layout_of"]

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

    def name_of(self, column: int) -> str:
        """The name of a column or, where it has none, its number from 1."""
        return self.names[column] if self.names else str(column + 1)


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
        line, cells = places[1][1] + 1, count_of_cells(len(rows[1]))
        raise InvalidInput(f"{path}, line {line} has {cells}, but the header has {len(rows[0])}.")
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


def count_of_cells(count: int) -> str:
    """So many cells, in words."""
    return f"{count} cell{'' if count == 1 else 's'}"


def _delimiter(lines: Sequence[str]) -> tuple[str, str, bool]:
    """The delimiter of the first lines, its twin, and whether runs of it count as one."""
    bare = [_unquoted(line) for line in lines]
    if all("::" in line for line in bare):
        return ":", ":", True
    if all(";" in line for line in bare) and all(map(like_number, bare[-1].split(";"))):
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


def _is_header(rows: list[list[str]]) -> bool:
    """A word over a number, or nothing but words."""
    first = [like_number(cell) for cell in rows[0]]
    if not any(first):
        return len(rows) > 1
    if len(rows) < 2:
        return False
    second = [like_number(cell) for cell in rows[1]]
    return any(b and not a for a, b in zip(first, second, strict=False))
