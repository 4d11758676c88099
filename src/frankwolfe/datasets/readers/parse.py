"""Text to tables, by pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from frankwolfe.base.errors import MissingExtra

__all__ = ["parsed", "pyarrow_csv"]


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
