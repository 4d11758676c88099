"""Columns of a text of cells, parsed block by block by pyarrow: numbers and words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from frankwolfe.datasets.readers.cells import SPELLINGS
from frankwolfe.datasets.readers.diagnose import diagnosed
from frankwolfe.datasets.readers.layout import Layout
from frankwolfe.datasets.readers.parse import parsed, pyarrow_csv
from frankwolfe.datasets.readers.source import line_blocks
from frankwolfe.datasets.readers.table import Request
from frankwolfe.datasets.readers.wide import WIDE, wide_rows
from frankwolfe.numerics.errors import InvalidInput

__all__ = ["read_grid", "rows_from"]

Floats = NDArray[np.float64]
Piece: TypeAlias = tuple[Sequence[Any], list[Any]]
"""Columns of numbers, and columns of words."""


def rows_from(request: Request, layout: Layout) -> Iterator[bytes]:
    """Blocks of lines, from the first row on."""
    skip = layout.skip
    for block in line_blocks(request):
        yield layout.plain(block[skip:])
        skip = 0


def read_grid(
    request: Request,
    layout: Layout,
    numbers: Sequence[int],
    words: Sequence[int] = (),
    *,
    table: bool = False,
) -> tuple[Floats, list[list[Any]]]:
    """Columns `numbers` as a matrix, the pieces of columns `words`; in a `table` some may go."""
    X, row, line = np.empty((0, len(numbers))), 0, layout.lines + 1
    chunks: list[list[Any]] = [[] for _ in words]
    options = _options(layout, numbers, words)
    for block in rows_from(request, layout):
        pieces = _pieces(block, layout, numbers, words, options) if block.strip() else []
        if isinstance(pieces, str):
            raise diagnosed(request, layout, block, line, numbers, table=table, reason=pieces)
        for columns, others in pieces:
            count = len((*columns, *others)[0])
            end = row + count
            request.hold(8 * len(numbers) * count + sum(other.nbytes for other in others))
            if end > len(X):
                X.resize((max(end, len(X) * 3 // 2), len(numbers)), refcheck=False)
            for place, column in enumerate(columns):
                X[row:end, place] = column
            for found, other in zip(chunks, others, strict=True):
                found.append(other)
            row = end
        line += block.count(b"\n")
    if row == 0:
        raise InvalidInput(f"{request.path} has no rows.")
    X.resize((row, len(numbers)), refcheck=False)
    return X, chunks


def _pieces(
    block: bytes, layout: Layout, numbers: Sequence[int], words: Sequence[int], options: Any
) -> list[Piece] | str:
    """The columns of a block, in pieces; or why they cannot be read."""
    if len(layout.first) >= WIDE and b'"' not in block:
        found = wide_rows(block, layout, numbers, words)
        return found if isinstance(found, str) else [(found[0].T, found[1])]
    names = [str(column) for column in range(len(layout.first))]
    part = parsed(block, names, *options)
    if isinstance(part, str):
        return part
    if b'"' in block and part.num_rows != _full(block):
        return "a quote goes on in the next line"
    return [
        (
            [column.to_numpy(zero_copy_only=False) for column in batch.columns[: len(numbers)]],
            batch.columns[len(numbers) :],
        )
        for batch in part.to_batches()
    ]


def _options(layout: Layout, numbers: Sequence[int], words: Sequence[int]) -> tuple[Any, Any]:
    """How pyarrow is to parse lines and to convert cells."""
    csv = pyarrow_csv()
    import pyarrow

    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    types = {str(c): pyarrow.float64() for c in numbers} | {str(c): text for c in words}
    return csv.ParseOptions(delimiter=layout.delimiter), csv.ConvertOptions(
        column_types=types, include_columns=list(types), null_values=SPELLINGS
    )


def _full(block: bytes) -> int:
    """The number of lines that are not empty."""
    return sum(1 for line in block.split(b"\n") if line.rstrip(b"\r"))
