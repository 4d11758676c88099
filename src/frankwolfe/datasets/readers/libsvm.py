"""Reader of LIBSVM and SVMlight files: a target and index:value pairs in each line."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import AnyArray
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files import decoded, is_number, not_a_number
from frankwolfe.datasets.readers.parse import Arrow, parsed, pyarrow_csv
from frankwolfe.datasets.readers.source import BOM, line_blocks
from frankwolfe.datasets.readers.table import Request, Table

__all__ = ["read"]

MAX_INDEX = np.iinfo(np.int32).max  # indices are int32
TOKENS = bytes.maketrans(b" \t\r", b"\n\n\n")
ASIDE = re.compile(rb"#[^\n]*|(?<=[ \t])qid\S*")
LEADING = re.compile(rb"(?m)^ +")
PLUS = re.compile(rb"(?m)(^|:)\+(?=[0-9.])")  # pyarrow takes no sign +
Arrays = tuple[AnyArray, ...]
INDEX = re.compile(r"[0-9]+")


def read(request: Request) -> Table:
    """Read targets and pairs, these into compressed rows.

    Without a base in the request indices count from 0 if a 0 occurs, else from 1.
    """
    from scipy.sparse import csr_matrix

    y, ends, indices, values = _read(request)
    if not y.size:
        raise InvalidInput(f"{request.path} has no rows.")
    base = _base(request, indices)
    indices -= base
    width = _width(request, int(indices.max()) + 1 if indices.size else 1, base)
    request.needs_features(width)
    if indices.size <= MAX_INDEX:
        ends = ends.astype(np.int32)
    X = csr_matrix((values, indices, ends), shape=(y.size, width))
    return Table(X=X, y=y, target="1", format="libsvm", base=base)


def _base(request: Request, indices: NDArray[np.int32]) -> int:
    """Index of the first feature, 0 or 1."""
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
    """Number of features: the model's where there is one, else the file's."""
    if request.width is None:
        return width
    if width > request.width:
        raise InvalidInput(
            f"{request.path} has the index {width - 1 + base}, but the model has "
            f"{request.width} features, with indices from {base} to {request.width - 1 + base}."
        )
    return request.width


def _read(request: Request) -> Arrays:
    """Targets, end of each row, indices and values of the whole file."""
    import pyarrow

    csv = pyarrow_csv()
    parse = csv.ParseOptions(delimiter=":", quote_char=False)
    types = {"index": pyarrow.int32(), "value": pyarrow.float64()}
    convert = csv.ConvertOptions(column_types=types, null_values=[""])
    none: Arrays = (np.empty(0), np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0))
    line, parts = 1, [none]
    for number, block in enumerate(line_blocks(request)):
        text = block if number else block.removeprefix(BOM)
        text = ASIDE.sub(b"", text) if b"#" in text or b"qid" in text else text
        part = _rows(text, parse, convert)
        if part is None:
            raise _diagnosed(request, text, line)
        parts.append(part)
        request.hold(sum(array.nbytes for array in part))
        line += block.count(b"\n")
    y, counts, indices, values = map(np.concatenate, zip(*parts, strict=True))
    return y, np.cumsum(counts), indices, values


def _rows(text: bytes, parse: Arrow, convert: Arrow) -> Arrays | None:
    """Targets, counts, indices and values of a block's rows; None where a token is wrong.

    Pyarrow parses one token a line, as index:value; a row's target is given the index -1.
    """
    text = LEADING.sub(b"", text) if b"\n " in text or text[:1] == b" " else text
    signed = PLUS.sub(rb"\1", text) if b"+" in text else text
    tokens = (b"-1:" + signed[:-1].replace(b"\n", b"\n-1:")).translate(TOKENS)
    table = parsed(tokens, ("index", "value"), parse, convert)
    if isinstance(table, str) or table.column(0).null_count:
        return None
    indices, values = table.column(0).to_numpy(), table.column(1).to_numpy()
    first = indices < 0
    increasing = (indices[1:] > indices[:-1]) | first[1:]
    if np.count_nonzero(first) != text.count(b"\n") or not increasing.all():
        return None
    if table.column(1).null_count:  # blank lines, if nothing else
        null = table.column(1).is_null().to_numpy()
        if (null & ~first).any() or not (first[1:] | ~null[:-1]).all():
            return None
        indices, values = indices[~null], values[~null]
    pair = indices >= 0
    first = np.flatnonzero(~pair)
    counts = np.diff(np.append(first, indices.size)) - 1
    return values[first], counts, indices[pair], values[pair]


def _diagnosed(request: Request, text: bytes, line: int) -> InvalidInput:
    """Error for the first token of a block that is wrong."""
    for number, raw in enumerate(text.split(b"\n"), line):
        where, previous = f"{request.path}, line {number}", -1
        for place, token in enumerate(decoded(raw, request.path, number).split()):
            index, _, cell = token.partition(":")
            if place == 0:
                wrong = "the line must start with a number, the target"
                wrong = "" if is_number(token) else wrong
            elif not cell or not INDEX.fullmatch(index):
                wrong = "pairs are written index:value, both numbers"
            elif int(index) > MAX_INDEX:
                wrong = "the index is too large"
            elif int(index) <= previous:
                wrong = "indices must grow along a line"
            elif not is_number(cell):
                return not_a_number(cell, request.path, number, index)
            else:
                wrong, previous = "", int(index)
            if wrong:
                return InvalidInput(f"{where}: {wrong}, got {token[:40]!r}.")
    last = line + text.count(b"\n") - 1
    return InvalidInput(f"{request.path}, lines {line} to {last} are not in LIBSVM's format.")
