"""Reader of Matrix Market files, whose targets are in a file of their own.

scipy.io.mmread is faster, but it takes 1,5 and 1x for 1, drops cells after the last one of a line,
and ends the process at a byte 0 (SciPy 1.17), so that a damaged file would be read as another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import AnyArray, Matrix
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files import is_number
from frankwolfe.datasets.readers.parse import parsed, pyarrow_csv
from frankwolfe.datasets.readers.source import line_blocks
from frankwolfe.datasets.readers.table import Request, Table, not_empty

__all__ = ["read"]

Floats = NDArray[np.float64]
WORDS = {
    "object": ("matrix",),
    "format": ("coordinate", "array"),
    "field": ("real", "double", "integer", "unsigned-integer", "pattern", "complex"),
    "symmetry": ("general", "symmetric", "skew-symmetric", "hermitian"),
}
BLANKS = re.compile(rb"[ \t\r]+")
EDGES = re.compile(rb"(?m)^\t|\t$")
MAX_LINE_BYTES = 1024  # what is read of a line of the head; comments may be longer
MAX_SIDE = 2**31 - 1  # indices are int32


@dataclass(frozen=True)
class _Head:
    """Header of a file: format, field and symmetry of the matrix, its sizes and entries."""

    coordinate: bool
    pattern: bool
    symmetry: str
    rows: int
    columns: int
    entries: int
    line: int  # of the sizes, from 1

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the numbers in a line."""
        if not self.coordinate:
            return ("value",)
        return ("row", "column") if self.pattern else ("row", "column", "value")


def read(request: Request) -> Table:
    """Read a matrix, dense or in compressed rows."""
    blocks = line_blocks(request)
    head, rest = _head(request, blocks)
    if 0 in (head.rows, head.columns):
        not_empty(request.path, np.empty((head.rows, head.columns)))
    _check_size(request, head)
    parts = [_numbers(request, head, part, line) for part, line in _with_lines(head, rest, blocks)]
    columns = [np.concatenate(column) for column in zip(*filter(None, parts), strict=True)]
    count = columns[0].size if columns else 0
    if count != head.entries:
        raise _wrong(request, f"line {head.line} says {head.entries:,} entries, it has {count:,}")
    X = _sparse(head, columns) if head.coordinate else _dense(head, columns[0])
    return Table(X=not_empty(request.path, X), y=None, format="mtx")


def _head(request: Request, blocks: Iterator[bytes]) -> tuple[_Head, bytes]:
    """Head of a file, and the rest of the block in which it ends."""
    text = next(blocks, b"")
    first, _, rest = text.partition(b"\n")
    words = first[:MAX_LINE_BYTES].decode("ascii", "replace").lower().split()
    if len(words) != 5 or words[0] != "%%matrixmarket":
        raise _wrong(request, "it must begin with %%MatrixMarket and four words")
    for word, (what, known) in zip(words[1:], WORDS.items(), strict=True):
        if word not in known:
            raise _wrong(request, f"its {what} must be one of {', '.join(known)}, got {word[:20]}")
    if words[3] == "complex":
        raise InvalidInput(f"{request.path} holds complex numbers; features must be real.")
    coordinate, pattern = words[2] == "coordinate", words[3] == "pattern"
    if pattern and not coordinate:
        raise _wrong(request, "a pattern has coordinates")
    line = 2
    while rest.startswith(b"%") or not rest.split(b"\n", 1)[0].strip():  # comments, blank lines
        _, found, rest = rest.partition(b"\n")
        line += bool(found)
        if not rest:
            rest = next(blocks, b"")
            if not rest:
                raise _wrong(request, "it has no sizes")
    sizes, _, rest = rest.partition(b"\n")
    numbers = [
        int(size) for size in sizes[:MAX_LINE_BYTES].split() if size.isdigit() and len(size) < 19
    ]
    if len(numbers) != (3 if coordinate else 2) or len(numbers) != len(sizes.split(None, 3)):
        wanted = "rows, columns and entries" if coordinate else "rows and columns"
        shown = sizes[:40].decode("ascii", "replace")
        raise _wrong(request, f"line {line} must hold its {wanted}, got {shown!r}")
    if words[4] != "general" and numbers[0] != numbers[1]:
        raise _wrong(request, f"a {words[4]} matrix must be square")
    entries = numbers[2] if coordinate else _stored(words[4], *numbers)
    return _Head(coordinate, pattern, words[4], numbers[0], numbers[1], entries, line), rest


def _stored(symmetry: str, rows: int, columns: int) -> int:
    """Number of stored entries of an array: its lower triangle where it is symmetric."""
    if symmetry == "general":
        return rows * columns
    return rows * (rows + 1) // 2 if symmetry != "skew-symmetric" else rows * (rows - 1) // 2


def _check_size(request: Request, head: _Head) -> None:
    """Raise, by the head alone, if a matrix is too large."""
    if head.coordinate:
        if max(head.rows, head.columns) > MAX_SIDE:
            raise _wrong(request, f"a side must be shorter than 2^31, got line {head.line}")
        # row, column and value of 8 bytes an entry, twice where the other triangle is added
        size = head.entries * (24 if head.symmetry == "general" else 48) + 8 * head.rows
    else:
        size = 16 * head.rows * head.columns
    request.budget.need(size, request.path)
    request.needs_features(head.columns)


def _with_lines(head: _Head, rest: bytes, blocks: Iterator[bytes]) -> Iterator[tuple[bytes, int]]:
    """Blocks of lines below the head, each with the number of its first line."""
    line = head.line + 1
    while True:
        yield rest, line
        line += rest.count(b"\n")
        rest = next(blocks, b"")
        if not rest:
            return


def _numbers(request: Request, head: _Head, text: bytes, line: int) -> list[AnyArray] | None:
    """Columns of a block: rows and columns from 0, and values; None for an empty block."""
    import pyarrow

    if not text.strip():
        return None
    plain = _plain(text)
    csv = pyarrow_csv()
    types = {name: pyarrow.int64() for name in ("row", "column")}
    types["value"] = pyarrow.float64()
    convert = csv.ConvertOptions(
        column_types={name: types[name] for name in head.names}, null_values=[]
    )
    parse = csv.ParseOptions(delimiter="\t", quote_char=False)
    table = parsed(plain, head.names, parse, convert)
    if isinstance(table, str):
        raise _diagnosed(request, head, plain, line)
    request.hold(table.nbytes)
    columns = [column.to_numpy() for column in table.columns]
    for places, size in zip(columns[:2], (head.rows, head.columns), strict=False):
        if head.coordinate and places.size and not 1 <= places.min() <= places.max() <= size:
            raise _diagnosed(request, head, plain, line)
    return [column - 1 for column in columns[:2]] + columns[2:] if head.coordinate else columns


def _plain(text: bytes) -> bytes:
    """Block of lines with one tab between numbers, and none around them."""
    text = text.replace(b" ", b"\t")
    if b"\t\t" in text or b"\r" in text:
        text = BLANKS.sub(b"\t", text)
    if b"\t\n" in text or b"\n\t" in text or text.startswith(b"\t"):
        text = EDGES.sub(b"", text)
    return text


def _diagnosed(request: Request, head: _Head, text: bytes, line: int) -> InvalidInput:
    """Error for the first line of a block that is wrong."""
    sizes = (head.rows, head.columns) if head.coordinate else ()
    for number, raw in enumerate(text.split(b"\n"), line):
        cells = [
            cell.decode("utf-8", "replace") for cell in raw[:MAX_LINE_BYTES].split(b"\t") if cell
        ]
        if not cells:
            continue
        shown = f"line {number} must hold {len(head.names)} numbers ({', '.join(head.names)})"
        if len(cells) != len(head.names) or not all(map(is_number, cells)):
            return _wrong(request, f"{shown}, got {' '.join(cells)[:40]!r}")
        for name, cell, size in zip(head.names, cells, sizes, strict=False):
            if not cell.isdecimal() or not 1 <= int(cell[:20]) <= size:
                wanted = f"between 1 and {size}"
                return _wrong(request, f"the {name} of line {number} is {cell[:20]}, not {wanted}")
    last = line + text.count(b"\n") - 1
    return _wrong(request, f"lines {line} to {last} cannot be read")


def _sparse(head: _Head, columns: list[AnyArray]) -> Matrix:
    """Compressed rows from coordinates, with the other triangle where the matrix is symmetric."""
    from scipy.sparse import csr_matrix

    shape = (head.rows, head.columns)
    if not columns:
        return csr_matrix(shape, dtype=np.float64)
    rows, places = columns[0].astype(np.int32), columns[1].astype(np.int32)
    values = np.ones(rows.size) if head.pattern else columns[2]
    if head.symmetry != "general":
        other = rows != places
        sign = -1.0 if head.symmetry == "skew-symmetric" else 1.0
        values = np.concatenate([values, sign * values[other]])
        rows, places = (
            np.concatenate([rows, places[other]]),
            np.concatenate([places, rows[other]]),
        )
    return csr_matrix((values, (rows, places)), shape=shape)


def _dense(head: _Head, values: Floats) -> Floats:
    """Array from values that are listed column by column."""
    if head.symmetry == "general":
        return np.ascontiguousarray(values.reshape(head.columns, head.rows).T)
    skew = head.symmetry == "skew-symmetric"
    X = np.zeros((head.rows, head.rows))
    columns, rows = np.triu_indices(head.rows, k=int(skew))
    X[rows, columns] = values
    X[columns, rows] = -values if skew else values
    return X


def _wrong(request: Request, what: str) -> InvalidInput:
    """Error that says why a file is not in the format."""
    return InvalidInput(f"{request.path} is not a Matrix Market file: {what}.")
