"""Columns of DataFrames and other tables with named columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from frankwolfe.base import AnyArray, InvalidInput
from frankwolfe.base.files import NamedColumns, named_columns

__all__ = [
    "DataFrame",
    "column_names",
    "columns_of",
    "find_columns",
    "length_of",
    "listed",
    "values_of",
]


DataFrame: TypeAlias = Any
"""Table with named columns: a DataFrame of pandas or polars, a pyarrow Table, a dict of columns."""


def find_columns(
    table: DataFrame,
    wanted: Collection[str],
    aliases: Mapping[str, str],
    columns: Mapping[str, object] | None,
) -> dict[str, object]:
    """Label in a table of each wanted column, as the caller says, or by its usual names."""
    there, given = column_names(table), dict(columns or {})
    free = [label for label in there if not any(label == taken for taken in given.values())]
    places = named_columns(free, tuple(wanted), aliases)
    names = {name: free[place] for name, place in places.items() if name in wanted}
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
    return names


def columns_of(
    kind: str, table: DataFrame, names: Mapping[str, object], needed: Sequence[str] = ()
) -> NamedColumns:
    """Columns of a table by the labels in `names`; `kind` is what the rows are: links, trips."""
    for name in needed:
        if name not in names:
            raise InvalidInput(
                f"the {kind} must have a column {name}, or columns={{{name!r}: ...}} must "
                f"name it; there are {listed(column_names(table))}."
            )
    found = {name: values_of(table, label) for name, label in names.items()}
    return NamedColumns(found, lambda row: f"row {row} of the {kind}, counted from 0")


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
