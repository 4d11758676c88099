"""LIBSVM and SVMlight files: a target and index:value pairs a line."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.datasets.readers.arrow import parsed, pyarrow_csv
from frankwolfe.datasets.readers.cells import as_number, decoded, grown, not_a_number
from frankwolfe.datasets.readers.source import line_blocks
from frankwolfe.datasets.readers.table import Request, Table
from frankwolfe.numerics.errors import InvalidInput

__all__ = ["read"]

BOM = b"\xef\xbb\xbf"
MOST = np.iinfo(np.int32).max
TOKENS = bytes.maketrans(b" \t\r", b"\n\n\n")
ASIDE = re.compile(rb"#[^\n]*|(?<=[ \t])qid\S*")
PLUS = re.compile(rb"(?m)^\+(?=[0-9.])")  # before a target; pyarrow takes none
INDEX = re.compile(r"[0-9]+")
Part = tuple[NDArray[np.int32], NDArray[np.float64]]


def read(request: Request) -> Table:
    """Read pairs into compressed rows.

    Where nothing is said of it, indices count from 0 if a 0 occurs, else from 1.
    """
    from scipy.sparse import csr_matrix

    pairs = _Pairs()
    _read(request, pairs)
    y, ends, indices, values = pairs.done()
    rows = y.size
    if not rows:
        raise InvalidInput(f"{request.path} has no rows.")
    base = _base(request, indices)
    indices -= base
    width = _width(request, int(indices.max()) + 1 if indices.size else 1, base)
    if indices.size <= MOST:
        ends = ends.astype(np.int32)
    X = csr_matrix((values, indices, ends), shape=(rows, width))
    return Table(X=X, y=y, target="1", format="libsvm", base=base)


def _base(request: Request, indices: NDArray[np.int32]) -> int:
    """The index of the first feature, 0 or 1."""
    zero = bool(indices.size) and int(indices.min()) == 0
    if request.base is None:
        return 0 if zero else 1
    if zero and request.base == 1:
        whose = "its indices are" if request.width is None else "the model's indices are"
        raise InvalidInput(
            f"{request.path} has an index 0, but {whose} said to count from 1; if they count from "
            "0, say so (zero-based) when the model is fitted."
        )
    return request.base


def _width(request: Request, width: int, base: int) -> int:
    """The number of features: the model's, where there is one, else the file's."""
    if request.width is None:
        return width
    if width > request.width:
        raise InvalidInput(
            f"{request.path} has the index {width - 1 + base}, but the model has "
            f"{request.width} features, with indices from {base} to {request.width - 1 + base}."
        )
    return request.width


class _Pairs:
    """Arrays that grow while blocks come in."""

    def __init__(self) -> None:
        self.filled = 0
        self.indices: NDArray[np.int32] = np.empty(0, dtype=np.int32)
        self.values = np.empty(0)
        self.targets: list[NDArray[np.float64]] = [np.empty(0)]
        self.counts: list[NDArray[np.int64]] = [np.zeros(1, dtype=np.int64)]

    def take(self, part: Part) -> None:
        """Rows of tokens, each begun by its target."""
        indices, values = part
        pair = indices >= 0
        first = np.flatnonzero(~pair)
        self.targets.append(values[first])
        self.counts.append(np.diff(np.append(first, indices.size)) - 1)
        end = self.filled + indices.size - first.size
        self.indices = grown(self.indices, end)  # type: ignore[assignment]
        self.values = grown(self.values, end)  # type: ignore[assignment]
        self.indices[self.filled : end], self.values[self.filled : end] = (
            indices[pair],
            values[pair],
        )
        self.filled = end

    def done(self) -> tuple[NDArray[Any], ...]:
        """Targets, where each row ends, indices, values."""
        ends = np.cumsum(np.concatenate(self.counts))
        self.indices.resize(self.filled, refcheck=False)
        self.values.resize(self.filled, refcheck=False)
        return np.concatenate(self.targets), ends, self.indices, self.values


def _read(request: Request, pairs: _Pairs) -> None:
    """All tokens of the file; a line's target has the index -1."""
    import pyarrow

    csv = pyarrow_csv()
    parse = csv.ParseOptions(delimiter=":", quote_char=False)
    types = {"index": pyarrow.int32(), "value": pyarrow.float64()}
    convert = csv.ConvertOptions(column_types=types, null_values=[""])
    line = 1
    for number, block in enumerate(line_blocks(request)):
        text = block if number else block.removeprefix(BOM)
        text = ASIDE.sub(b"", text) if b"#" in text or b"qid" in text else text
        part = _fast(text, parse, convert)
        pairs.take(_careful(request, text, line) if part is None else part)
        line += block.count(b"\n")


def _fast(text: bytes, parse: Any, convert: Any) -> Part | None:
    """The tokens of a block, a token a line for pyarrow; None where one is odd."""
    signed = PLUS.sub(b"", text) if b"+" in text else text
    tokens = (b"-1:" + signed[:-1].replace(b"\n", b"\n-1:")).translate(TOKENS)
    table = parsed(tokens, ("index", "value"), parse, convert)
    if table is None or table.column(0).null_count:
        return None
    indices, values = table.column(0).to_numpy(), table.column(1).to_numpy()
    first = indices < 0
    if np.count_nonzero(first) != text.count(b"\n"):  # somebody's own index is -1
        return None
    grows = (indices[1:] > indices[:-1]) | first[1:]
    if table.column(1).null_count:  # blank lines, if nothing else
        null = table.column(1).is_null().to_numpy()
        if (null & ~first).any() or not (first[1:] | ~null[:-1]).all():
            return None
        indices, values = indices[~null], values[~null]
    return (indices, values) if grows.all() else None


def _careful(request: Request, text: bytes, line: int) -> Part:
    """The same token by token; what is wrong is named by its line."""
    indices: list[int] = []
    values: list[float] = []
    for number, raw in enumerate(text.split(b"\n")[:-1], line):
        tokens = decoded(raw, request.path, number).split()
        where = f"{request.path}, line {number}"
        for token in tokens[:1]:
            value = as_number(token)
            if value is None:
                raise InvalidInput(
                    f"{where}: the line must start with a number, the target, got {token[:40]!r}."
                )
            indices.append(-1)
            values.append(value)
        for token in tokens[1:]:
            index, _, cell = token.partition(":")
            wrong = _wrong(index, cell, indices[-1])
            if wrong:
                raise InvalidInput(f"{where}: {wrong}, got {token[:40]!r}.")
            value = as_number(cell)
            if value is None:
                raise not_a_number(cell, request.path, number, index)
            indices.append(int(index))
            values.append(value)
    return np.array(indices, dtype=np.int32), np.array(values)


def _wrong(index: str, cell: str, previous: int) -> str:
    """What is wrong with a pair; empty where nothing is."""
    if not cell or not INDEX.fullmatch(index):
        return "pairs are written index:value, both numbers"
    if int(index) > MOST:
        return "the index is too large"
    return "" if int(index) > previous else "indices must grow along a line"
