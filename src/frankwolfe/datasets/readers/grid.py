"""Columns of a text of cells, parsed block by block by pyarrow: numbers and words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.datasets.readers.cells import SPELLINGS
from frankwolfe.datasets.readers.diagnose import diagnosed
from frankwolfe.datasets.readers.layout import Layout
from frankwolfe.datasets.readers.source import line_blocks
from frankwolfe.datasets.readers.table import Request
from frankwolfe.numerics.errors import InvalidInput, MissingExtra

__all__ = ["parsed", "pyarrow_csv", "read_grid", "rows_from"]

Floats = NDArray[np.float64]


def pyarrow_csv() -> Any:
    """The module, or one sentence where it is missing."""
    try:
        import pyarrow.csv
    except ImportError:
        raise MissingExtra("Reading text files", "pyarrow", "cli") from None
    return pyarrow.csv


def parsed(text: bytes, names: Sequence[str], parse: Any, convert: Any) -> Any:
    """A table of pyarrow, or in a few words why there is none."""
    import pyarrow

    read = pyarrow_csv().ReadOptions(column_names=list(names), block_size=len(text) + 1)
    try:
        return pyarrow_csv().read_csv(pyarrow.BufferReader(text), read, parse, convert)
    except pyarrow.ArrowInvalid as error:
        return str(error).splitlines()[0].rstrip(".")


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
    names = [str(column) for column in range(len(layout.first))]
    parse, convert = _options(layout, numbers, words)
    X, row, line = np.empty((0, len(numbers))), 0, layout.lines + 1
    chunks: list[list[Any]] = [[] for _ in words]
    for block in rows_from(request, layout):
        part = parsed(block, names, parse, convert) if block.strip() else None
        if isinstance(part, str) or (part and b'"' in block and part.num_rows != _full(block)):
            reason = part if isinstance(part, str) else "a quote goes on in the next line"
            raise diagnosed(
                request, layout, block, line, numbers, table=table, reason=reason
            ) from None
        for batch in part.to_batches() if part else ():
            end = row + batch.num_rows
            if end > len(X):
                X.resize((max(end, len(X) * 3 // 2), len(numbers)), refcheck=False)
            for place, column in enumerate(batch.columns[: len(numbers)]):
                X[row:end, place] = column.to_numpy(zero_copy_only=False)
            for found, column in zip(chunks, batch.columns[len(numbers) :], strict=True):
                found.append(column)
            row = end
        line += block.count(b"\n")
    if row == 0:
        raise InvalidInput(f"{request.path} has no rows.")
    X.resize((row, len(numbers)), refcheck=False)
    return X, chunks


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
