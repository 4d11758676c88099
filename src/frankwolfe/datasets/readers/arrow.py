"""Blocks of text parsed by pyarrow, which rounds numbers correctly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from frankwolfe.datasets.readers.cells import MISSING
from frankwolfe.datasets.readers.layout import Layout
from frankwolfe.numerics.errors import MissingExtra

__all__ = ["ArrowCells", "parsed", "pyarrow_csv"]

PIECE = 1 << 20
QUOTE = b'"'
SPELLINGS = [
    blank + "".join(letters)
    for word in sorted(MISSING)
    for letters in product(*(sorted({letter, letter.upper()}) for letter in word))
    for blank in ("", " ")
]


def pyarrow_csv() -> Any:
    """The module, or one sentence where it is missing."""
    try:
        import pyarrow.csv
    except ImportError:
        raise MissingExtra("Reading text files", "pyarrow", "cli") from None
    return pyarrow.csv


def parsed(text: bytes, names: Sequence[str], parse: Any, convert: Any) -> Any:
    """A table of pyarrow, or None where a cell or a line is not as it should be."""
    import pyarrow

    short = len(text) < PIECE * (1 + text.count(b"\n")) // 16
    size = PIECE if short else len(text) + 1
    read = pyarrow_csv().ReadOptions(column_names=list(names), block_size=size)
    try:
        return pyarrow_csv().read_csv(pyarrow.BufferReader(text), read, parse, convert)
    except pyarrow.ArrowInvalid:
        return None


class ArrowCells:
    """Columns of numbers and of words in blocks of lines.

    Parameters
    ----------
    layout : Layout
    numbers, words : sequence of int
        The columns, from 0.
    """

    def __init__(self, layout: Layout, numbers: Sequence[int], words: Sequence[int]) -> None:
        import pyarrow

        self.layout = layout
        self.names = [str(column) for column in range(len(layout.first))]
        text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
        types = {str(c): pyarrow.float64() for c in numbers} | {str(c): text for c in words}
        self.parse = pyarrow_csv().ParseOptions(delimiter=layout.delimiter)
        self.convert = pyarrow_csv().ConvertOptions(
            column_types=types,
            include_columns=list(types) or self.names[:1],
            null_values=SPELLINGS,
        )

    def read(self, block: bytes) -> Any:
        """The table of a block, or None where somebody more careful has to look at it."""
        quoted = QUOTE in block
        if self.layout.runs:
            block = b"" if quoted else _squeezed(block, self.layout)
        table = parsed(block, self.names, self.parse, self.convert)
        if table is not None and quoted and table.num_rows != _full(block):
            return None  # a quote goes on in the next line
        return table


def _squeezed(block: bytes, layout: Layout) -> bytes:
    """The block with one delimiter between cells and none around them."""
    one, end = layout.delimiter.encode(), b"\n"
    block = block.replace(layout.second.encode(), one).replace(b"\r\n", end)
    while 2 * one in block:
        block = block.replace(2 * one, one)
    return block.replace(one + end, end).replace(end + one, end).removeprefix(one)


def _full(block: bytes) -> int:
    """The number of lines that are not empty."""
    return sum(1 for line in block.split(b"\n") if line.rstrip(b"\r"))
