"""LIBSVM and SVMlight files: a target and index:value pairs a line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frankwolfe.datasets.readers.cells import as_number, grown, number_or_error, text_of
from frankwolfe.datasets.readers.source import line_blocks
from frankwolfe.datasets.readers.table import Request, Table
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.kernels import text as kernel

__all__ = ["read"]

BOM = b"\xef\xbb\xbf"
WRONG = {
    3: "pairs are written index:value, both numbers",
    4: "indices must grow along a line",
    5: "the index is too large",
}


def read(request: Request) -> Table:
    """Read pairs into compressed rows.

    Where nothing is said of it, indices count from 0 if a 0 occurs, else from 1.
    """
    from scipy.sparse import csr_matrix

    reader = _Reader(request)
    for number, block in enumerate(line_blocks(request)):
        reader.take(block if number else block.removeprefix(BOM))
    if reader.row == 0:
        raise InvalidInput(f"{request.path} has no rows.")
    indices, values = reader.indices[: reader.filled], reader.values[: reader.filled]
    base = _base(request, indices)
    indices -= base
    width = _width(request, int(indices.max()) + 1 if indices.size else 1, base)
    ends = reader.ends[: reader.row + 1]
    if reader.filled <= np.iinfo(np.int32).max:
        ends = ends.astype(np.int32)
    X = csr_matrix((values, indices, ends), shape=(reader.row, width))
    return Table(X=X, y=reader.y[: reader.row], target="1", format="libsvm", base=base)


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


class _Reader:
    """Arrays that grow while blocks come in."""

    def __init__(self, request: Request) -> None:
        self.request, self.line, self.row, self.filled = request, 1, 0, 0
        self.y, self.values = np.empty(0), np.empty(0)
        self.ends: NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        self.indices: NDArray[np.int32] = np.empty(0, dtype=np.int32)

    def take(self, block: bytes) -> None:
        """Read the rows of a block."""
        lines, most = block.count(b"\n"), block.count(b":")
        self.y = grown(self.y, self.row + lines)  # type: ignore[assignment]
        self.ends = grown(self.ends, self.row + lines + 1)  # type: ignore[assignment]
        self.indices = grown(self.indices, self.filled + most)  # type: ignore[assignment]
        self.values = grown(self.values, self.filled + most)  # type: ignore[assignment]
        odd = np.empty((most + lines, 5), dtype=np.int64)
        self.line, self.row, self.filled, strange, code, at = kernel.pairs(
            np.frombuffer(block, dtype=np.uint8),
            0,
            self.line,
            self.y,
            self.ends,
            self.indices,
            self.values,
            self.row,
            self.filled,
            odd,
        )
        for odd_one in odd[:strange].tolist():
            self._look_at(block, *odd_one)
        if code:
            token = block[at : at + 40].split(None, 1)[0].decode("utf-8", "replace")
            raise InvalidInput(
                f"{self.request.path}, line {self.line}: {WRONG[code]}, got {token!r}."
            )

    def _look_at(
        self, block: bytes, place: int, index: int, line: int, first: int, last: int
    ) -> None:
        """A number that the fast reader left alone: a value, or a target (index -1)."""
        path, raw = self.request.path, block[first:last]
        if index >= 0:
            self.values[place] = number_or_error(raw, path, line, str(index))
            return
        text = text_of(raw, path, line)
        value = as_number(text)
        if value is None:
            raise InvalidInput(
                f"{path}, line {line}: the line must start with a number, the target, "
                f"got {text[:40]!r}."
            )
        self.y[place] = value
