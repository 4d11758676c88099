"""Tables of cells: CSV, TSV, semicolons, blanks; numbers, and a target that may be words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.datasets.readers.careful import blanks_of
from frankwolfe.datasets.readers.cells import is_missing_word, like_number
from frankwolfe.datasets.readers.columns import ChosenColumns
from frankwolfe.datasets.readers.encode import Encoded, encoded_columns
from frankwolfe.datasets.readers.grid import TargetOfWords, read_grid, rows_from
from frankwolfe.datasets.readers.layout import Layout, layout_of
from frankwolfe.datasets.readers.table import NotNumbers, Request, Table
from frankwolfe.datasets.readers.words import Words
from frankwolfe.numerics.errors import InvalidInput

__all__ = ["read"]


def read(request: Request) -> Table:
    """Read a table of cells."""
    layout = layout_of(request)
    if request.header is None and not layout.names and not any(map(like_number, layout.first)):
        raise InvalidInput(f"{request.path} has a header but no rows.")
    columns = ChosenColumns.of(request, layout.names, len(layout.first))
    target = columns.target if request.target_file is None else None
    X, y, encoded = _read(request, layout, columns, target)
    return Table(
        X=X,
        y=y,
        names=tuple(layout.names[c] for c in columns.features) if layout.names else (),
        target="" if target is None else layout.name_of(target),
        format="csv",
        left_out=columns.left_out(len(layout.first)),
        where=lambda row: f"line {_line(request, layout, row)}",
        encoded=encoded.categories,
        unseen=tuple(encoded.unseen),
    )


def _read(
    request: Request, layout: Layout, columns: ChosenColumns, target: int | None
) -> tuple[NDArray[np.float64], NDArray[Any] | None, Encoded]:
    """Features and target; again where columns turn out to be words."""
    worded = target is not None and not like_number(layout.first[target])
    encode = encoded_columns(request, columns, layout.names, len(layout.first))
    while True:
        numbers = [c for c in columns.features if c not in encode]
        words = [c for c in columns.features if c in encode]
        texts = [target] if worded and target is not None else []
        number = None if worded else target
        try:
            grid = read_grid(
                request, layout, numbers, number=number, words=[*words, *texts], table=True
            )
        except TargetOfWords:
            worded = True
        except NotNumbers as error:
            if request.encode is not True:
                raise
            encode |= set(error.places)
        else:
            break
    y = _words(request, layout, grid.words[-1]) if worded else grid.y
    places = {columns.features.index(c): found for c, found in zip(words, grid.words, strict=False)}
    encoded = Encoded.of(request, places, lambda j: layout.name_of(columns.features[j]))
    return encoded.beside(grid.X), None if target is None else y, encoded


def _words(request: Request, layout: Layout, words: Words) -> NDArray[Any]:
    """A target of words; none may be missing."""
    missing = [place for place, word in enumerate(words.values) if is_missing_word(word)]
    if missing:
        row = int(np.flatnonzero(np.isin(words.codes, missing))[0])
        line = _line(request, layout, row)
        raise InvalidInput(f"{request.path}: the target of line {line} is missing.")
    return words.texts()


def _line(request: Request, layout: Layout, row: int) -> int:
    """The line of a row, by reading the file again."""
    line, blanks = layout.lines, blanks_of(layout).encode()
    for block in rows_from(replace(request, progress=None), layout):
        for raw in block.split(b"\n")[:-1]:
            line += 1
            row -= bool(raw.strip(blanks))
            if row < 0:
                return line
    return line
