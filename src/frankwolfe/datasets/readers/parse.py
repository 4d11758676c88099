"""Text to tables of pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from frankwolfe.base.errors import MissingExtra

__all__ = ["Arrow", "parsed", "pyarrow_csv"]

Arrow: TypeAlias = Any
"""Module, table, array, type or options of pyarrow, which ships no types."""


def pyarrow_csv() -> Arrow:
    """Import pyarrow.csv; an error that names the extra where it is missing."""
    try:
        import pyarrow.csv
    except ImportError:
        raise MissingExtra("Reading text files", "pyarrow", "cli") from None
    return pyarrow.csv


def parsed(text: bytes, names: Sequence[str], parse: Arrow, convert: Arrow) -> Arrow | str:
    """Table of pyarrow from a text, or in a few words the reason why there is none."""
    import pyarrow

    read = pyarrow_csv().ReadOptions(column_names=list(names), block_size=len(text) + 1)
    try:
        return pyarrow_csv().read_csv(pyarrow.BufferReader(text), read, parse, convert)
    except pyarrow.ArrowInvalid as error:
        return str(error).splitlines()[0].rstrip(".")
