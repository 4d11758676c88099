"""Readers of any format: :func:`read_table` and :func:`read_features`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from frankwolfe.base.arrays import AnyArray
from frankwolfe.base.budget import Budget
from frankwolfe.base.checks import all_finite
from frankwolfe.base.errors import InvalidInput
from frankwolfe.datasets.readers.source import beginning, checked, inner_suffix
from frankwolfe.datasets.readers.table import Columns, Progress, Request, Table, row_number, several

__all__ = ["FORMATS", "format_of", "read_features", "read_table"]


def _csv(request: Request) -> Table:
    from frankwolfe.datasets.readers import delimited

    return delimited.read(request)


def _libsvm(request: Request) -> Table:
    from frankwolfe.datasets.readers import libsvm

    return libsvm.read(request)


def _parquet(request: Request) -> Table:
    from frankwolfe.datasets.readers import parquet

    return parquet.read(request)


def _npz(request: Request) -> Table:
    from frankwolfe.datasets.readers import npz

    return npz.read(request)


def _mtx(request: Request) -> Table:
    from frankwolfe.datasets.readers import matrix_market

    return matrix_market.read(request)


FORMATS: dict[str, Callable[[Request], Table]] = {
    "csv": _csv,
    "libsvm": _libsvm,
    "parquet": _parquet,
    "npz": _npz,
    "mtx": _mtx,
}
"""Reader of each format, whose module is imported when the first such file is read."""
SUFFIXES = dict.fromkeys((".svm", ".svmlight", ".libsvm"), "libsvm")
SUFFIXES |= dict.fromkeys((".csv", ".tsv"), "csv")
MAGIC = {b"PAR1": "parquet", b"PK\x03\x04": "npz", b"%%MatrixMarket": "mtx"}
PAIRS = re.compile(rb"\s*[-+.\deE]+(\s+(qid:\S+|\d+:[^:\s]+))+\s*(#.*)?$")


def read_table(
    path: str | os.PathLike[str],
    target: str | int | None = None,
    *,
    drop: Columns = (),
    header: bool | None = None,
    format: str | None = None,  # noqa: A002
    target_file: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    base: int | None = None,
    encode: bool | Columns = False,
    row_groups: Sequence[int] | None = None,
    max_memory: int | str | None = None,
) -> Table:
    r"""Read observations and targets from a file.

    CSV and its relatives (the delimiter and the header are found out), LIBSVM/SVMlight, both
    also compressed (.gz, .bz2, .xz); Parquet, npz (arrays X and y, or a scipy sparse matrix),
    Matrix Market.

    Parameters
    ----------
    path : path
    target : str or int, optional
        Target column of a CSV or Parquet file, by name or by number from 1 (negative from
        the end); the last that is not dropped by default.
    drop : str, int or sequence of these
        Columns to leave out, by names or numbers.
    header : bool, optional
        True if the first line names the columns; found out by default.
    format : {"csv", "libsvm", "parquet", "npz", "mtx"}, optional
        Format of the file; found out by default.
    target_file : path, optional
        File with one target a line, for formats that have none.
    progress : callable, optional
        Called with the bytes read and the bytes that there are.
    base : {0, 1}, optional
        Index of the first feature in a LIBSVM file; by default 0 where a 0 occurs, else 1.
    encode : bool, str, int or sequence of these
        Columns to read as words, by names or numbers; with True all features that hold words.
        Words are in the table's `encoded`, and :func:`one_hot` makes a column of each.
    row_groups : sequence of int, optional
        Only these row groups of a Parquet file, counted from 0.
    max_memory : int or str, optional
        Largest memory that the data may take, in bytes or as in "4GB"; a file that would take more
        is refused before it does. By default half of what the machine, or the container, has left.

    Returns
    -------
    Table

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from frankwolfe.datasets.readers import read_table
    >>> path = Path(tempfile.mkdtemp(), "flowers.csv")
    >>> _ = path.write_text("width,length,kind\n1.5,2,iris\n1,2.5,rose\n")
    >>> table = read_table(path, target="kind")
    >>> table
    Table(2 rows x 2 features, csv)
    >>> table.names, table.y.tolist(), table.X.tolist()
    (('width', 'length'), ['iris', 'rose'], [[1.5, 2.0], [1.0, 2.5]])
    """
    budget = Budget.of(max_memory)
    encode = encode if isinstance(encode, bool) else several(encode)
    request = Request(
        checked(path, budget), target, True, several(drop), header, target_file=target_file,
        progress=progress, base=base, encode=encode, row_groups=row_groups, budget=budget,
    )  # fmt: skip
    kind = _format(format, request.path)
    if row_groups is not None and kind != "parquet":
        raise InvalidInput(
            f"{path}: only Parquet files have row groups, and this is {kind}; leave row_groups out."
        )
    table = FORMATS[kind](request)
    if not isinstance(encode, bool) and len(encode) and not table.encoded:
        raise InvalidInput(
            f"{path}: only columns of CSV and Parquet files are encoded, and this is "
            f"{table.format}; leave encode out."
        )
    if target_file is not None:
        y = _targets(target_file, table.X.shape[0], budget)
        table = replace(table, y=y, target=str(target_file))
    if table.y is None:
        raise InvalidInput(
            f"{path} holds no target: name a file with one target a line as target file."
        )
    return table


def read_features(
    path: str | os.PathLike[str],
    *,
    names: Sequence[str] = (),
    width: int | None = None,
    target: str | int | None = None,
    drop: Columns = (),
    header: bool | None = None,
    format: str | None = None,  # noqa: A002
    progress: Progress | None = None,
    base: int | None = None,
    categories: Mapping[int, Sequence[str]] | None = None,
    max_memory: int | str | None = None,
) -> Table:
    """Read observations without targets, for a model that knows its features.

    Parameters
    ----------
    path : path
    names : sequence of str
        Features of the model, found by name where the file has names; other columns are left out.
    width : int, optional
        Number of features of the model. A file without names may hold just these, or also the
        columns that were left out, in their old places.
    target, drop
        Columns that were left out when the model was fitted.
    header, format, progress, base, max_memory
        See :func:`read_table`.
    categories : mapping, optional
        Words of encoded features by their indices: `encoded` of the table of the fit.

    Returns
    -------
    Table
    """
    budget = Budget.of(max_memory)
    request = Request(
        checked(path, budget), target, False, several(drop), header, features=names or None,
        width=width, progress=progress, base=base, categories=categories or {}, budget=budget,
    )  # fmt: skip
    table = FORMATS[_format(format, request.path)](request)
    if width is not None and table.X.shape[1] != width:
        raise InvalidInput(f"{path} has {table.X.shape[1]} features, but the model has {width}.")
    return table


def format_of(path: Path) -> str:
    """Format of a file, by its first bytes, or by its name where these say nothing."""
    start = beginning(path)
    for magic, name in MAGIC.items():
        if start.startswith(magic):
            return name
    suffix = inner_suffix(path)
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    lines = [line for line in start.splitlines()[:50] if line.strip() and line[:1] != b"#"]
    # any, not all: a row whose features are all 0 is a target alone
    return "libsvm" if any(PAIRS.match(line) for line in lines[:5]) else "csv"


def _format(name: str | None, path: Path) -> str:
    """Format that was asked for, checked, or that of the file."""
    name = format_of(path) if name is None else name
    if name not in FORMATS:
        raise InvalidInput(f"format must be one of {', '.join(FORMATS)}, got {name!r}.")
    return name


def _targets(path: str | os.PathLike[str], rows: int, budget: Budget) -> AnyArray:
    """Targets of a separate file: a .npy array, or one number or word in each line."""
    from frankwolfe.datasets.readers.targets import read_targets

    y = read_targets(Request(checked(path, budget), budget=budget))
    if y.size != rows:
        raise InvalidInput(f"{path} has {y.size:,} targets, but there are {rows:,} rows.")
    if y.dtype.kind == "f" and not all_finite(y):
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        raise InvalidInput(f"{path}: the target of {row_number(row)} is missing or infinite.")
    return y
