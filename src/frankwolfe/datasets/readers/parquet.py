"""Reader of Parquet files, by pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import AnyArray
from frankwolfe.base.errors import InvalidInput, MissingExtra
from frankwolfe.base.files import reading
from frankwolfe.datasets.readers.columns import ChosenColumns
from frankwolfe.datasets.readers.encode import Encoded, encoded_columns
from frankwolfe.datasets.readers.parse import Arrow
from frankwolfe.datasets.readers.table import NotNumbers, Request, Table, row_number
from frankwolfe.datasets.readers.targets import classes
from frankwolfe.datasets.readers.words import Words

__all__ = ["read", "row_groups"]


def read(request: Request) -> Table:
    """Read features and target, row group by row group; either may be words."""
    pyarrow, path = _pyarrow(), request.path
    with _whole(pyarrow, path), pyarrow.parquet.ParquetFile(path) as file:
        return _read(request, file)


def _pyarrow() -> Arrow:
    """Import pyarrow with Parquet; an error that names the extra where it is missing."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("Reading Parquet", "pyarrow", "parquet") from None
    return pyarrow


@contextmanager
def _whole(pyarrow: Arrow, path: Path) -> Iterator[None]:
    """Turn exceptions of pyarrow about a broken file into one error of a sentence."""
    try:
        with reading(path):
            yield
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        if isinstance(error, InvalidInput):
            raise
        words = " ".join(str(error).split())[:200].rstrip(".")
        raise InvalidInput(f"{path} is not a whole Parquet file: {words}.") from None


def _read(request: Request, file: Arrow) -> Table:
    """Table of an open file."""
    names = tuple(file.schema_arrow.names)
    columns = ChosenColumns.of(request, names, len(names))
    encode = _encode(request, file.schema_arrow, columns)
    where = partial(_row_number, _runs(request, file))
    if _rows(request, file) == 0:
        raise InvalidInput(f"{request.path} has no rows.")
    target = None if request.target_file else columns.target
    numbers = [c for c in columns.features if c not in encode]
    others = [*encode, *([] if target is None else [target])]
    X, found = _columns(request, file, numbers, others)
    words = {c: Words.of(found[c]) for c in encode}
    encoded = Encoded.of(request, columns, words, names.__getitem__)
    return Table(
        X=encoded.beside(X),
        y=None if target is None else _target(request, found[target], where),
        names=tuple(names[c] for c in columns.features),
        target="" if target is None else names[target],
        format="parquet",
        left_out=columns.left_out(len(names)),
        where=where,
        encoded=encoded.categories,
        unseen=tuple(encoded.unseen),
    )


def _columns(
    request: Request, file: Arrow, numbers: list[int], others: list[int]
) -> tuple[NDArray[np.float64], dict[int, list[Arrow]]]:
    """Columns `numbers` as a matrix, and the pieces of each of the others, by row groups."""
    names, rows = file.schema_arrow.names, _rows(request, file)
    wanted = list(dict.fromkeys(names[c] for c in [*numbers, *others]))
    order = [c for name in wanted for c in range(len(names)) if names[c] == name]
    request.hold(8 * rows * len(numbers))
    X, at = np.empty((rows, len(numbers))), 0
    found: dict[int, list[Arrow]] = {c: [] for c in others}
    size = request.path.stat().st_size
    for group in _groups(request, file):
        request.budget.need(_group_size(file, group, len(wanted)), request.path)
        part = file.read_row_group(
            group, columns=wanted
        )  # by name: pyarrow reads all columns of a name
        if at + part.num_rows > rows:
            raise InvalidInput(f"{request.path} has more rows than its head says: write it again.")
        for j, c in enumerate(numbers):
            X[at : at + part.num_rows, j] = _numbers(part.column(order.index(c)))
        for c in others:
            found[c] += part.column(order.index(c)).chunks
            request.hold(part.column(order.index(c)).nbytes)
        at += part.num_rows
        request.say(size * at // rows, size)
    if at < rows:
        raise InvalidInput(f"{request.path} has fewer rows than its head says: write it again.")
    return X, found


def _groups(request: Request, file: Arrow) -> Sequence[int]:
    """Indices of the row groups to read, checked."""
    known, groups = range(file.num_row_groups), request.row_groups
    if groups is None:
        return known
    if not groups or any(group not in known for group in groups):
        raise InvalidInput(
            f"{request.path}: row_groups must be some of its row groups, from 0 to "
            f"{len(known) - 1}, got {list(groups)}."
        )
    return groups


def _rows(request: Request, file: Arrow) -> int:
    """Number of rows to read."""
    if request.row_groups is None:
        return int(file.metadata.num_rows)
    return sum(count for _, count in _runs(request, file))


def _runs(request: Request, file: Arrow) -> list[tuple[int, int]]:
    """First row in the file, and number of rows, of each row group to read."""
    counts = [int(file.metadata.row_group(k).num_rows) for k in range(file.num_row_groups)]
    return [(sum(counts[:group]), counts[group]) for group in _groups(request, file)]


def _row_number(runs: Sequence[tuple[int, int]], row: int) -> str:
    """Number in the file of a row of these row groups, in words."""
    for first, count in runs:
        if row < count:
            return row_number(first + row)
        row -= count
    raise IndexError(row)


def row_groups(path: Path) -> list[int]:
    """Indices of the row groups of a file that have rows."""
    pyarrow = _pyarrow()
    with _whole(pyarrow, path), pyarrow.parquet.ParquetFile(path) as file:
        head = file.metadata
        return [k for k in range(file.num_row_groups) if head.row_group(k).num_rows]


def _group_size(file: Arrow, group: int, columns: int) -> int:
    """Bytes of a row group, unpacked or as `columns` columns of doubles, whichever is more."""
    head = file.metadata.row_group(group)  # columns have heads, too; a broken one crashes pyarrow
    return max(int(head.total_byte_size), 8 * int(head.num_rows) * columns)


def _encode(request: Request, schema: Arrow, columns: ChosenColumns) -> set[int]:
    """Columns to encode; raises if others are no numbers."""
    encode = encoded_columns(request, columns, schema.names, len(schema.names))
    odd = [c for c in columns.features if not _is_numeric(schema.field(c).type)]
    if request.encode is True:
        encode |= {c for c in odd if _is_words(schema.field(c).type)}
    odd = [c for c in odd if c not in encode]
    if odd:
        kinds = dict.fromkeys(str(schema.field(c).type) for c in odd)
        what = f"values of type {' and '.join(kinds)}"
        raise NotNumbers(request.path, [schema.names[c] for c in odd], what, odd)
    return encode


def _is_numeric(kind: Arrow) -> bool:
    """True for types of numbers and truth values."""
    import pyarrow.types as kinds

    tests = (kinds.is_boolean, kinds.is_integer, kinds.is_floating, kinds.is_decimal)
    return any(test(kind) for test in tests)


def _is_words(kind: Arrow) -> bool:
    """True for types of texts."""
    import pyarrow.types as kinds

    tests = (kinds.is_string, kinds.is_large_string, kinds.is_string_view, kinds.is_dictionary)
    return any(test(kind) for test in tests)


def _numbers(column: Arrow) -> NDArray[np.float64]:
    """Column as numbers, NaN where one is missing."""
    import pyarrow.types as kinds

    if kinds.is_boolean(column.type):
        column = column.cast("uint8")
    return np.asarray(column.cast("float64", safe=False))


def _target(request: Request, chunks: list[Arrow], where: Callable[[int], str]) -> AnyArray:
    """Target as numbers, or as words that name classes."""
    import pyarrow.types as kinds

    kind = chunks[0].type
    if _is_numeric(kind) and not kinds.is_boolean(kind):
        return np.concatenate([_numbers(chunk) for chunk in chunks])
    return classes(request, Words.of(chunks), where)
