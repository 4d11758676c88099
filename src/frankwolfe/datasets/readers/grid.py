"""Columns of delimited text, parsed block by block by pyarrow: numbers and words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files import SPELLINGS
from frankwolfe.datasets.readers.diagnose import diagnosed
from frankwolfe.datasets.readers.layout import TextLayout
from frankwolfe.datasets.readers.parse import Arrow, parsed, pyarrow_csv
from frankwolfe.datasets.readers.source import line_blocks
from frankwolfe.datasets.readers.table import Request
from frankwolfe.datasets.readers.wide import MIN_WIDE_COLUMNS, wide_rows

__all__ = ["read_grid", "rows_from"]

Floats = NDArray[np.float64]


class _Piece(NamedTuple):
    """Some rows: their number, their numbers (columns of pyarrow, or a matrix), their words."""

    rows: int
    numbers: Floats | Sequence[Arrow]
    words: list[Arrow]

    def write(self, out: Floats) -> None:
        """Write the numbers into `out`."""
        if isinstance(self.numbers, np.ndarray):
            out[:] = self.numbers
            return
        for place, column in enumerate(self.numbers):
            out[:, place] = column.to_numpy(zero_copy_only=False)


def rows_from(request: Request, layout: TextLayout) -> Iterator[bytes]:
    """Blocks of whole lines in plain form, from the first row on."""
    skip = layout.skip
    for block in line_blocks(request):
        yield layout.plain(block[skip:])
        skip = 0


def read_grid(
    request: Request,
    layout: TextLayout,
    numbers: Sequence[int],
    words: Sequence[int] = (),
    *,
    table: bool = False,
) -> tuple[Floats, list[list[Arrow]]]:
    """Columns `numbers` as a matrix, and the pieces of each of the columns `words`.

    In a `table` columns may be left out or encoded, and errors advise it.
    """
    X, row, line = np.empty((0, len(numbers))), 0, layout.lines + 1
    chunks: list[list[Arrow]] = [[] for _ in words]
    for block in rows_from(request, layout):
        pieces = _pieces(block, layout, numbers, words) if block.strip() else []
        if isinstance(pieces, str):
            raise diagnosed(request, layout, block, line, numbers, table=table, reason=pieces)
        for piece in pieces:
            end = row + piece.rows
            request.hold(8 * len(numbers) * piece.rows + sum(word.nbytes for word in piece.words))
            if end > len(X):
                X.resize((max(end, len(X) * 3 // 2), len(numbers)), refcheck=False)
            piece.write(X[row:end])
            for found, word in zip(chunks, piece.words, strict=True):
                found.append(word)
            row = end
        line += block.count(b"\n")
    if row == 0:
        raise InvalidInput(f"{request.path} has no rows.")
    X.resize((row, len(numbers)), refcheck=False)
    return X, chunks


def _pieces(
    block: bytes, layout: TextLayout, numbers: Sequence[int], words: Sequence[int]
) -> list[_Piece] | str:
    """Columns of a block, in pieces; or the reason why they cannot be read."""
    if len(layout.first) >= MIN_WIDE_COLUMNS and b'"' not in block:
        found = wide_rows(block, layout, numbers, words)
        return found if isinstance(found, str) else [_Piece(len(found[0]), *found)]
    names = [str(column) for column in range(len(layout.first))]
    part = parsed(block, names, *_options(layout, numbers, words))
    if isinstance(part, str):
        return part
    # pyarrow lets quoted cells span lines, and so blocks: such a cell may have been cut in two
    if b'"' in block and part.num_rows != _full(block):
        return "a quote goes on in the next line"
    split = len(numbers)
    return [
        _Piece(batch.num_rows, batch.columns[:split], batch.columns[split:])
        for batch in part.to_batches()
    ]


def _options(
    layout: TextLayout, numbers: Sequence[int], words: Sequence[int]
) -> tuple[Arrow, Arrow]:
    """Options of pyarrow for parsing lines, and for converting cells."""
    csv = pyarrow_csv()
    import pyarrow

    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    types = {str(c): pyarrow.float64() for c in numbers} | {str(c): text for c in words}
    return csv.ParseOptions(delimiter=layout.delimiter), csv.ConvertOptions(
        column_types=types, include_columns=list(types), null_values=SPELLINGS
    )


def _full(block: bytes) -> int:
    """Number of lines that are not empty."""
    return sum(1 for line in block.split(b"\n") if line.rstrip(b"\r"))
