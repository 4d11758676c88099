"""Layout of delimited text: its delimiter, its header, and where its rows begin."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files import decoded, like_number
from frankwolfe.datasets.readers.source import BOM, PARSED_BYTES_PER_BYTE, beginning
from frankwolfe.datasets.readers.table import Request

__all__ = ["TextLayout", "count_of_cells", "layout_of"]

DELIMITERS = (",", "\t", ";", "|")
BYTES_PER_COLUMN = 512  # a column's name, first cells and options as Python objects
BLANKS = re.compile(rb"[ \t]+")
BLANK_LINE = re.compile(rb"(?m)^ +(?=\r?$)")


@dataclass(frozen=True)
class TextLayout:
    """Layout of a delimited text.

    Attributes
    ----------
    mark : str
        Delimiter: a letter, `::`, or a blank, which stands for any number of blanks and tabs.
    names : tuple of str
        Names of the columns; empty without a header.
    first : list of str
        Cells of the first row.
    skip, lines : int
        Bytes and lines before the first row.
    """

    mark: str
    names: tuple[str, ...] = ()
    first: Sequence[str] = ()
    skip: int = 0
    lines: int = 0

    @property
    def delimiter(self) -> str:
        """Delimiter of a `plain` block: one letter, as pyarrow takes."""
        return "\t" if self.mark in (" ", "::") else self.mark

    def plain(self, block: bytes) -> bytes:
        """Block of lines rewritten with a delimiter of one letter, and with blank lines empty."""
        if self.mark == " ":
            parts = enumerate(block.split(b'"'))  # odd parts are quoted
            block = b'"'.join(part if k % 2 else BLANKS.sub(b"\t", part) for k, part in parts)
            return b"\n".join(line.strip(b"\t\r") for line in block.split(b"\n"))
        mark = self.mark.encode()
        if self.mark == "::":
            block = block.replace(mark, b"\t")
        else:
            block = block.replace(mark + b' "', mark + b'"')
        blank = block[:1] == b" " or b"\n " in block
        return BLANK_LINE.sub(b"", block) if blank else block

    def cells(self, text: str, *, strict: bool = True) -> list[str]:
        """Cells of a line of a plain block."""
        try:
            return next(csv.reader([text], delimiter=self.delimiter, strict=strict), [])
        except csv.Error as error:
            if "end of data" in str(error):  # within a quote: callers say so
                raise
            return self.cells(text, strict=False) if strict else text.split(self.delimiter)

    def name_of(self, column: int) -> str:
        """Name of a column or, where it has none, its number from 1."""
        return self.names[column] if self.names else str(column + 1)


def layout_of(request: Request) -> TextLayout:
    """Find out the layout of a file from its first two lines that are not blank."""
    path = request.path
    places, lines = _two_lines(request)
    if not lines:
        raise InvalidInput(f"{path} is empty.")
    layout = TextLayout(_mark(lines))
    longest = max(line.count(layout.mark) for line in lines)
    request.needs_features(longest)
    request.budget.need(BYTES_PER_COLUMN * longest, f"{path}, with {longest + 1:,} columns,")
    plain = [layout.plain(line.encode()).decode() for line in lines]
    rows = [[cell.strip() for cell in layout.cells(line, strict=False)] for line in plain]
    header = _is_header(rows) if request.header is None else request.header
    if header and len(rows) < 2:
        raise InvalidInput(f"{path} has a header but no rows.")
    if header and len(rows[0]) != len(rows[1]):
        line, cells = places[1][1] + 1, count_of_cells(len(rows[1]))
        raise InvalidInput(f"{path}, line {line} has {cells}, but the header has {len(rows[0])}.")
    return TextLayout(
        layout.mark, tuple(rows[0]) if header else (), rows[int(header)], *places[int(header)]
    )


def _two_lines(request: Request) -> tuple[list[tuple[int, int]], list[str]]:
    """First two lines that are not blank, and the numbers of bytes and lines before each."""
    path, size = request.path, 65536
    start = beginning(path, size)
    while len(start) == size and sum(map(bool, map(bytes.strip, start.split(b"\n")[:-1]))) < 2:
        size *= 4
        request.budget.need(PARSED_BYTES_PER_BYTE * size, f"{path}, with such long lines,")
        start = beginning(path, size)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InvalidInput(f"{path} is UTF-16 text: save it as UTF-8.")
    skip = len(BOM) if start.startswith(BOM) else 0
    places: list[tuple[int, int]] = []
    lines: list[str] = []
    for number, raw in enumerate(start[skip:].split(b"\n")):
        if raw.strip():
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


def count_of_cells(count: int) -> str:
    """Number of cells in words: 1 cell, 2 cells."""
    return f"{count} cell{'' if count == 1 else 's'}"


def _mark(lines: Sequence[str]) -> str:
    """Delimiter between the cells of the first lines."""
    bare = ["".join(line.split('"')[::2]) for line in lines]  # without what is quoted
    if all("::" in line for line in bare):
        return "::"
    if all(";" in line for line in bare) and all(map(like_number, bare[-1].split(";"))):
        return ";"  # before commas, which may be in its numbers
    for mark in DELIMITERS:
        if all(mark in line for line in bare):
            return mark
    return " " if all(len(line.split()) > 1 for line in bare) else ","


def _is_header(rows: list[list[str]]) -> bool:
    """True if the first row names columns: it has a word over a number, or words alone."""
    first = [like_number(cell) for cell in rows[0]]
    if not any(first):
        return len(rows) > 1
    second = [like_number(cell) for cell in rows[1]] if len(rows) > 1 else []
    return any(b and not a for a, b in zip(first, second, strict=False))
