"""Columns of DataFrames and other tables with named columns, as numbers or as labels."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import numpy as np

from frankwolfe.apps.traffic.tntp_text import as_number
from frankwolfe.base.arrays import AnyArray, Array
from frankwolfe.base.errors import InvalidInput

__all__ = [
    "DataFrame",
    "NamedColumns",
    "column_names",
    "is_label",
    "length_of",
    "listed",
    "values_of",
]


DataFrame: TypeAlias = Any
"""Table with named columns: a DataFrame of pandas or polars, a pyarrow Table, a dict of columns."""


@dataclass(frozen=True)
class NamedColumns:
    """Table with its columns found by name, and errors that name the row."""

    table: DataFrame
    names: Mapping[str, object]  # label in the table, by what the column holds
    kind: str  # links, nodes or trips, for messages

    @classmethod
    def of(
        cls,
        kind: str,
        table: DataFrame,
        wanted: Collection[str],
        aliases: Mapping[str, str],
        columns: Mapping[str, object] | None,
    ) -> NamedColumns:
        """Find the wanted columns as the caller says, or by their usual names."""
        there, given = column_names(table), dict(columns or {})
        own = {_key(name): name for name in wanted}
        names: dict[str, object] = {}
        for label in there:
            if any(label == taken for taken in given.values()):
                continue
            name = own.get(_key(label)) or aliases.get(_key(label), "")
            if name in wanted and name not in given:
                names.setdefault(name, label)
        for name, label in given.items():
            if name not in wanted:
                raise InvalidInput(
                    f"columns must say what {', '.join(wanted)} are called, got {name!r}."
                )
            if label not in there:
                raise InvalidInput(
                    f"columns says {label!r} for {name}, but the table has {listed(there)}."
                )
            names[name] = label
        return cls(table, names, kind)

    def need(self, *wanted: str) -> None:
        """Raise if the table lacks one of these columns."""
        for name in wanted:
            if name not in self.names:
                raise InvalidInput(
                    f"the {self.kind} must have a column {name}, or columns={{{name!r}: ...}} must "
                    f"name it; there are {listed(column_names(self.table))}."
                )

    def wrong(self, row: int, what: str) -> NoReturn:
        """Raise an error about a row."""
        raise InvalidInput(f"row {row} of the {self.kind}, counted from 0: {what}.")

    def numbers(self, name: str, default: float | None = None) -> Array:
        """Column as numbers; filled with the default where there is no such column."""
        values = values_of(self.table, self.names[name]) if name in self.names else None
        if values is None:
            return np.full(length_of(self.table), default)
        if values.dtype.kind in "fiu":
            return np.asarray(values, dtype=np.float64)
        found: Array = np.array([_number(value) for value in values])
        wrong = np.flatnonzero(np.isnan(found))
        if wrong.size:
            self.wrong(int(wrong[0]), f"{name} must be a number, got {values[wrong[0]]!r}")
        return found

    def labels(self, name: str) -> AnyArray:
        """Column as labels: all whole numbers, or all texts."""
        values = values_of(self.table, self.names[name])
        if values.dtype.kind in "iuUS":
            return values
        entries = values.tolist()
        for kinds in ((int, float), (str,)):
            if all(isinstance(entry, kinds) and is_label(entry) for entry in entries):
                return np.array(entries, dtype=np.int64 if kinds[0] is int else np.str_)
        texts = bool(entries) and isinstance(entries[0], str)
        for row, entry in enumerate(entries):
            if not is_label(entry) or isinstance(entry, str) != texts:
                other = "a text, as others are" if texts else "a whole number, or all must be texts"
                self.wrong(row, f"{name} must be {other}, got {entry!r}")
        raise AssertionError("every row has a label")


def _key(label: object) -> str:
    """Name in small letters, without blanks, underscores and signs, to compare names by."""
    return re.sub(r"\W|_", "", str(label).lower())


def listed(names: Sequence[object]) -> str:
    """First twelve names between commas, for a message."""
    shown = ", ".join(str(name) for name in names[:12])
    return f"{shown}, ..." if len(names) > 12 else shown or "none"


def column_names(table: DataFrame) -> list[object]:
    """Labels of the columns of a table."""
    if isinstance(table, Mapping):
        return list(table)
    for attribute in ("column_names", "columns"):  # pyarrow's `columns` are arrays, no names
        names = getattr(table, attribute, None)
        if names is not None:
            return list(names)
    raise InvalidInput(
        f"a table must have named columns, such as a DataFrame has, got {type(table).__name__}."
    )


def values_of(table: DataFrame, name: object) -> AnyArray:
    """Column of a table as a vector."""
    try:
        values = np.asarray(table[name])
    except ValueError:
        raise InvalidInput(f"column {name} must hold one entry a row.") from None
    if values.ndim != 1:
        raise InvalidInput(f"a table must have one column {name}, got shape {values.shape}.")
    return values


def length_of(table: DataFrame) -> int:
    """Number of rows of a table."""
    there = column_names(table)
    return len(values_of(table, there[0])) if there else 0


def _number(value: Any) -> float:
    """Number, also one written as a text; NaN for all else."""
    if isinstance(value, str):
        return as_number(value)
    if isinstance(value, np.datetime64 | np.timedelta64):  # float() would take them
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def is_label(entry: object) -> bool:
    """True if an entry is a text or a whole number of 64 bits."""
    if isinstance(entry, str):
        return True
    if isinstance(entry, bool) or not isinstance(entry, int | float):
        return False
    return -(2**63) <= entry < 2**63 and entry == int(entry)
