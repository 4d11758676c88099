"""Parquet files, by pyarrow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.errors import InvalidInput, MissingExtra
from frankwolfe.readers.source import reading
from frankwolfe.readers.table import Columns, Request, Table

__all__ = ["read"]


def read(request: Request) -> Table:
    """Read columns of numbers, row group by row group; the target may be words."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("Reading Parquet", "pyarrow", "parquet") from None
    path = request.path
    try:
        with reading(path), pyarrow.parquet.ParquetFile(path) as file:
            return _read(request, file)
    except pyarrow.ArrowException as error:
        words = str(error).splitlines()[0].rstrip(".")
        raise InvalidInput(f"{path} is not a whole Parquet file: {words}.") from None


def _read(request: Request, file: Any) -> Table:
    names = tuple(file.schema_arrow.names)
    columns = Columns.of(request, names, len(names))
    rows, size = file.metadata.num_rows, request.path.stat().st_size
    if rows == 0:
        raise InvalidInput(f"{request.path} has no rows.")
    features = [names[c] for c in columns.features]
    target = None if columns.target is None or request.target_file else names[columns.target]
    X, y, at = np.empty((rows, len(features))), [], 0
    for group in range(file.num_row_groups):
        part = file.read_row_group(group, columns=features + ([target] if target else []))
        for j, name in enumerate(features):
            X[at : at + part.num_rows, j] = _numbers(request, name, part.column(name))
        if target:
            y.append(_target(part.column(target)))
        at += part.num_rows
        request.say(size * at // rows, size)
    return Table(
        X=X,
        y=np.concatenate(y) if y else None,
        names=tuple(features),
        target=target or "",
        format="parquet",
    )


def _numbers(request: Request, name: str, column: Any) -> NDArray[np.float64]:
    """A column as numbers, NaN where there is none."""
    import pyarrow.types as kinds

    kind = column.type
    if kinds.is_boolean(kind):
        column = column.cast("uint8")
    elif not (kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind)):
        raise InvalidInput(
            f"{request.path}, column {name}: its type is {kind}, but features must be numbers; "
            "leave the column out."
        )
    return np.asarray(column.cast("float64", safe=False).to_numpy())


def _target(column: Any) -> NDArray[Any]:
    """The target as numbers, or as words."""
    import pyarrow.types as kinds

    kind = column.type
    if kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind):
        return np.asarray(column.cast("float64", safe=False).to_numpy())
    return np.array([str(word) for word in column.to_pylist()])
