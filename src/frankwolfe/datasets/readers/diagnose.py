"""Diagnosis of a block of lines that pyarrow refuses: its first bad line or cell."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files import (
    MISSING,
    SPELLINGS,
    decoded,
    is_number,
    like_number,
    not_a_number,
)
from frankwolfe.datasets.readers.layout import TextLayout, count_of_cells
from frankwolfe.datasets.readers.table import NotNumbers, Request

__all__ = ["diagnosed"]


def diagnosed(
    request: Request,
    layout: TextLayout,
    block: bytes,
    line: int,
    numbers: Sequence[int],
    *,
    table: bool,
    reason: str,
) -> InvalidInput:
    """Error about a block whose first line has the number `line`; `reason` is pyarrow's message.

    In a `table`, columns that hold words may be left out or encoded, and the error says so.
    """
    try:
        for at, cells in _rows(request, layout, block, line):
            for column in numbers:
                if cells[column] not in SPELLINGS and not is_number(cells[column]):
                    words = _columns_of_words(layout, block, numbers) if table else []
                    names = [layout.name_of(c) for c in words]
                    if words:
                        return NotNumbers(request.path, names, "words", words)
                    optional = table and request.wants_target
                    advice = "correct it" + (", or leave the column out" if optional else "")
                    name = layout.name_of(column)
                    return not_a_number(cells[column], request.path, at, name, advice)
    except InvalidInput as error:
        return error
    last = line + block.count(b"\n") - 1
    return InvalidInput(f"{request.path}, lines {line} to {last} cannot be read: {reason}.")


def _rows(
    request: Request, layout: TextLayout, block: bytes, line: int
) -> Iterator[tuple[int, list[str]]]:
    """Number and cells of each line that is not blank, up to one that is wrong."""
    count = len(layout.first)
    for number, raw in enumerate(block.split(b"\n"), line):
        text = decoded(raw, request.path, number).rstrip("\r")
        if not text:
            continue
        where = f"{request.path}, line {number}"
        try:
            cells = layout.cells(text)
        except csv.Error:
            raise InvalidInput(
                f"{where}: a quote is opened and not closed in the same line."
            ) from None
        if len(cells) != count:
            found = count_of_cells(len(cells))
            raise InvalidInput(f"{where} has {found}, but the lines before have {count}.")
        yield number, cells


def _columns_of_words(layout: TextLayout, block: bytes, numbers: Sequence[int]) -> list[int]:
    """Columns, among those of numbers, that hold more words than numbers in a block."""
    lines = block.decode("utf-8", "replace").split("\n")
    rows = [layout.cells(line, strict=False) for line in lines]
    found = []
    for column in numbers:
        cells = [cells[column] for cells in rows if len(cells) == len(layout.first)]
        words = sum(not like_number(cell) for cell in cells)
        missing = sum(cell.strip().lower() in MISSING for cell in cells)
        if words > len(cells) - words - missing:
            found.append(column)
    return found
