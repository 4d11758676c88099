"""Blocks of text read cell by cell, for what the fast reader does not take: odd cells, errors."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from frankwolfe.datasets.readers.cells import as_number, like_number, not_utf8
from frankwolfe.datasets.readers.layout import Layout, count_of_cells
from frankwolfe.numerics.errors import InvalidInput

__all__ = ["BadCell", "CarefulCells", "blanks_of"]


@dataclass(eq=False)
class BadCell(Exception):
    """A cell that should hold a number and does not.

    Attributes
    ----------
    row : int
        Its row in the block, from 0.
    line, column : int
        Its line in the file, from 1, and its column, from 0.
    text : str
    words : list of int
        The columns that hold more words than numbers in the block.
    numbers : array
        The block's rows before, one column for each column of numbers.
    """

    row: int
    line: int
    column: int
    text: str
    words: list[int]
    numbers: NDArray[np.float64]


class CarefulCells:
    """Columns of numbers and of words, by the csv module."""

    def __init__(
        self, path: Path, layout: Layout, numbers: Sequence[int], words: Sequence[int]
    ) -> None:
        self.path, self.layout, self.numbers, self.words = path, layout, numbers, words

    def read(self, block: bytes, line: int) -> tuple[NDArray[np.float64], list[list[str]]]:
        """Numbers, a row a line, and words, a list a column; `line` is the first line's number."""
        lines, rows, wrong = self._rows(block, line)
        numbers = np.empty((len(rows), len(self.numbers)))
        for row, cells in enumerate(rows):
            for place, column in enumerate(self.numbers):
                value = as_number(cells[column])
                if value is None:
                    self._check_text(cells[column], lines[row])
                    raise BadCell(
                        row, lines[row], column, cells[column], self._words(rows), numbers[:row]
                    )
                numbers[row, place] = value
            for column in self.words:
                self._check_text(cells[column], lines[row])
        if wrong is not None:
            raise wrong
        return numbers, [[cells[column] for cells in rows] for column in self.words]

    def _rows(
        self, block: bytes, line: int
    ) -> tuple[list[int], list[list[str]], InvalidInput | None]:
        """The lines with cells, up to one that is wrong, and what is wrong with it."""
        count, blanks = len(self.layout.first), blanks_of(self.layout)
        lines: list[int] = []
        rows: list[list[str]] = []
        for number, raw in enumerate(block.split(b"\n")[:-1], line):
            text = raw.decode("utf-8", "surrogateescape").rstrip("\r")
            if not text.strip(blanks):
                continue
            where = f"{self.path}, line {number}"
            try:
                cells = self._cells(text)
            except csv.Error:
                said = f"{where}: a quote is opened and not closed in the same line."
                return lines, rows, InvalidInput(said)
            if len(cells) != count:
                said = f"{where} has {count_of_cells(len(cells))}, but the lines before have"
                return lines, rows, InvalidInput(f"{said} {count}.")
            lines.append(number)
            rows.append(cells)
        return lines, rows, None

    def _cells(self, text: str) -> list[str]:
        """The cells of a line, without blanks around them."""
        mark = self.layout.delimiter
        if self.layout.runs:
            text = text.replace(self.layout.second, mark).strip(f"{mark} ")
            while mark != " " and 2 * mark in text:
                text = text.replace(2 * mark, mark)
        try:
            cells = next(csv.reader([text], delimiter=mark, skipinitialspace=True, strict=True))
        except csv.Error as error:
            if "end of data" in str(error):
                raise
            cells = next(csv.reader([text], delimiter=mark, skipinitialspace=True))
        return [cell.strip() for cell in cells]

    def _check_text(self, text: str, line: int) -> None:
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise not_utf8(self.path, line) from None

    def _words(self, rows: list[list[str]]) -> list[int]:
        """The columns of numbers that hold more words than numbers."""
        found = []
        for column in self.numbers:
            cells = [cells[column] for cells in rows]
            words = sum(not like_number(cell) for cell in cells)
            values = (as_number(cell) for cell in cells)
            if words > sum(value is not None and np.isfinite(value) for value in values):
                found.append(column)
        return found


def blanks_of(layout: Layout) -> str:
    """The letters that a line without cells may hold."""
    return f" \r{layout.delimiter}{layout.second}" if layout.runs else " \r"
