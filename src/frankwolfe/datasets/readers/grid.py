"""Columns of a text of cells, block by block: numbers as arrays, words as words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from frankwolfe.datasets.readers.arrow import ArrowCells, pyarrow_csv
from frankwolfe.datasets.readers.careful import BadCell, CarefulCells
from frankwolfe.datasets.readers.cells import grown, has_comma, not_a_number
from frankwolfe.datasets.readers.layout import Layout
from frankwolfe.datasets.readers.source import line_blocks
from frankwolfe.datasets.readers.table import NotNumbers, Request
from frankwolfe.datasets.readers.words import Words
from frankwolfe.numerics.errors import InvalidInput

__all__ = ["Grid", "TargetOfWords", "read_grid", "rows_from"]

CLASSES = 100  # more different numbers before a first word are no classes


@dataclass(frozen=True, eq=False)
class Grid:
    """The numbers of some columns, the numbers of one more, and the words of others."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    words: list[Words]


class TargetOfWords(Exception):
    """A word in a target that held numbers until then."""


def read_grid(
    request: Request,
    layout: Layout,
    numbers: Sequence[int],
    *,
    number: int | None = None,
    words: Sequence[int] = (),
    table: bool = False,
) -> Grid:
    """Columns `numbers` as a matrix, column `number` as a vector, columns `words` as words.

    In a `table` the target may turn out to be words, and columns may be left out.
    """
    pyarrow_csv()
    reader = _Reader(request, layout, list(numbers), number, words)
    reader.table = table
    for block in rows_from(request, layout):
        reader.take(block)
    return reader.done()


def rows_from(request: Request, layout: Layout) -> Iterator[bytes]:
    """Blocks of lines, from the first row on."""
    skip = layout.skip
    for block in line_blocks(request):
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
        numbers: list[int],
        number: int | None,
        words: Sequence[int],
    ) -> None:
        self.request, self.layout, self.target = request, layout, number
        self.line, self.row = layout.lines + 1, 0
        self.width, every = len(numbers), numbers if number is None else [*numbers, number]
        self.fast = ArrowCells(layout, every, words)
        self.careful = CarefulCells(request.path, layout, every, words)
        self.X, self.y = np.empty((0, self.width)), np.empty(0)
        self.words = [Words() for _ in words]

    def take(self, block: bytes) -> None:
        """Read the rows of a block."""
        found = self.fast.read(block)
        if found is None:
            self._take_carefully(block)
        else:
            batches = found.to_batches()
            self._grow(found.num_rows)
            for batch in batches:
                self._put(batch.columns, batch.num_rows)
            for words, column in zip(self.words, found.columns[-len(self.words) :], strict=False):
                words.add_arrow(column)
        self.line += block.count(b"\n")

    def _take_carefully(self, block: bytes) -> None:
        try:
            numbers, texts = self.careful.read(block, self.line)
        except BadCell as bad:
            self._refuse(bad)
        self._grow(len(numbers))
        self._put(list(numbers.T), len(numbers))
        for words, column in zip(self.words, texts, strict=True):
            words.add(column, np.arange(len(column)))

    def _grow(self, rows: int) -> None:
        self.X = grown(self.X, self.row + rows)  # type: ignore[assignment]
        if self.target is not None:
            self.y = grown(self.y, self.row + rows)  # type: ignore[assignment]

    def _put(self, columns: Sequence[Any], rows: int) -> None:
        """Rows of numbers, given by columns of which the target's is the last."""
        here = slice(self.row, self.row + rows)
        for place, column in enumerate(columns[: self.width]):
            self.X[here, place] = _numbers(column)
        if self.target is not None:
            self.y[here] = _numbers(columns[self.width])
        self.row += rows

    def _refuse(self, bad: BadCell) -> NoReturn:
        """Say what is wrong with a cell that is no number, and with whole columns like it."""
        path, target = self.request.path, bad.column == self.target
        if self.table:
            before = [self.y[: self.row], bad.numbers[:, -1] if target else np.empty(0)]
            if target and not has_comma(bad.text) and _are_classes(np.concatenate(before)):
                raise TargetOfWords from None
            words = [column for column in bad.words if column != self.target]
            if words:
                names = [self.layout.name_of(c) for c in words]
                raise NotNumbers(path, names, "words", words) from None
        optional = self.table and self.request.wants_target and not target
        advice = "correct it, or leave the column out" if optional else "correct it"
        column = self.layout.name_of(bad.column)
        raise not_a_number(bad.text, path, bad.line, column, advice) from None

    def done(self) -> Grid:
        """What was read."""
        if self.row == 0:
            raise InvalidInput(f"{self.request.path} has no rows.")
        self.X.resize((self.row, self.width), refcheck=False)
        self.y.resize(self.row if self.target is not None else 0, refcheck=False)
        return Grid(self.X, self.y, self.words)


def _numbers(column: Any) -> Any:
    """A column of numbers, NaN where there is none."""
    is_arrow = hasattr(column, "to_numpy")
    return column.to_numpy(zero_copy_only=False) if is_arrow else column
