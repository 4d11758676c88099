"""Observations in many files as Dask arrays; workers read the files they need."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import numpy as np

from frankwolfe.base.arrays import AnyArray, Matrix
from frankwolfe.base.checks import is_sparse
from frankwolfe.base.errors import InvalidInput
from frankwolfe.datasets.readers.read import format_of, read_table
from frankwolfe.datasets.readers.source import files_of
from frankwolfe.datasets.readers.table import Columns, Table, several

__all__ = ["Parts", "read_parts"]

Ready = Callable[[Table, str], AnyArray]
"""Function that checks the table of a file, given its path, and returns its targets."""


class _Options(TypedDict):
    """Keyword arguments of :func:`read_table` that all files share."""

    drop: tuple[str | int, ...]
    header: bool | None
    format: str | None
    base: int | None
    max_memory: int | str | None


@dataclass(frozen=True, eq=False, repr=False)
class Parts(Table):
    """Table of observations in many files, whose X and y are Dask arrays.

    Attributes
    ----------
    files : tuple of str
        Paths of the files.
    first : array
        Targets of the first file.
    sparse : bool
        True if blocks are compressed rows.
    """

    files: tuple[str, ...] = ()
    first: Any = None
    sparse: bool = False

    def __repr__(self) -> str:
        return f"Parts({len(self.files)} files x {self.X.shape[1]} features, {self.format})"


def read_parts(
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    target: str | int | None = None,
    *,
    drop: Columns = (),
    header: bool | None = None,
    format: str | None = None,  # noqa: A002
    base: int | None = None,
    max_memory: int | str | None = None,
    ready: Ready | None = None,
) -> Parts:
    r"""Observations and targets in many files, as Dask arrays with a block for each file.

    Each row group of a Parquet file is a block. The first block is read here, to learn its
    columns; nothing else is, until the arrays are used, by the workers of a cluster: those of a
    shard one after the other. All files must be where workers find them under the same names.

    Parameters
    ----------
    files : path, pattern such as "part-*.parquet", or sequence of these
    target, drop, header, format, max_memory
        Arguments of :func:`read_table` for each file.
    base : {0, 1}, optional
        Index of the first feature in LIBSVM files; by default as in the first file.
    ready : callable, optional
        Called with each table and its path, before its data are used; returns the targets.

    Returns
    -------
    Parts
        Table whose X and y are Dask arrays.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from frankwolfe.datasets.readers import read_parts
    >>> folder = Path(tempfile.mkdtemp())
    >>> for k in range(3):
    ...     _ = (folder / f"part-{k}.csv").write_text(f"width,kind\n1.5,a\n{k},b\n")
    >>> table = read_parts(folder / "part-*.csv", target="kind")  # doctest: +SKIP
    >>> table.X.numblocks, table.names                            # doctest: +SKIP
    ((3, 1), ('width',))
    """
    from frankwolfe.engines import dask

    paths = files_of(files)
    options: _Options = {
        "drop": tuple(several(drop)), "header": header, "format": format, "base": base,
        "max_memory": max_memory,
    }  # fmt: skip
    pieces = [piece for path in paths for piece in _pieces(path, format)]
    if not pieces:
        raise InvalidInput(f"{paths[0]} has no rows{', nor has another' if paths[1:] else ''}.")
    first = pieces[0].path
    head = read_table(first, target, row_groups=pieces[0].row_groups, **options)
    y = _targets(head, first, ready)
    if head.base is not None:
        options["base"] = head.base
    wide = head.base is not None  # indices of other files may be larger
    plan = _Part(
        first,
        head.names,
        head.target,
        head.X.shape[1],
        is_sparse(head.X),
        wide,
        y.dtype.kind in "USO",
    )
    read = _Reader(target, options, plan, ready)
    X, targets = dask.of_parts(read, pieces, None if wide else plan.width, y)
    return Parts(
        X=X,
        y=targets,
        names=head.names,
        target=head.target,
        format=head.format,
        base=head.base,
        left_out=head.left_out,
        files=tuple(paths),
        first=y,
        sparse=plan.sparse,
    )


def _targets(table: Table, path: str, ready: Ready | None) -> AnyArray:
    """Targets of a file's table, checked where there is a function to check it."""
    return np.asarray(table.y) if ready is None else ready(table, path)


class _Piece(NamedTuple):
    """One file, or row groups of one: what becomes a block."""

    path: str
    row_groups: tuple[int, ...] | None = None


def _pieces(path: str, name: str | None) -> list[_Piece]:
    """Pieces of a file: the row groups of a Parquet file, any other file as a whole.

    Row groups without rows are left out: of many programs that write, some have nothing to write.
    """
    if (format_of(Path(path)) if name is None else name) != "parquet":
        return [_Piece(path)]
    from frankwolfe.datasets.readers.parquet import row_groups

    return [_Piece(path, (group,)) for group in row_groups(Path(path))]


@dataclass(frozen=True)
class _Part:
    """Properties of the first file that all others must share."""

    path: str
    names: tuple[str, ...]
    target: str
    width: int
    sparse: bool
    wide: bool  # others may have more features, or fewer (LIBSVM)
    words: bool  # targets are words

    def check(self, table: Table, path: str) -> Table:
        """Table with its columns in the order of the first file; raises where they are others."""
        if bool(self.names) != bool(table.names):
            has, lacks = (self.path, path) if self.names else (path, self.path)
            raise InvalidInput(f"{has} names its columns, but {lacks} does not: files must agree.")
        gone = [name for name in self.names if name not in table.names]
        new = [name for name in table.names if name not in self.names]
        if gone:
            raise InvalidInput(f"{path} has no column {gone[0]}, which {self.path} has.")
        if new:
            raise InvalidInput(
                f"{path} has a column {new[0]}, which {self.path} has not: leave it out of both."
            )
        if self.target != table.target:
            raise InvalidInput(
                f"{path} has {table.target} for its target, but {self.path} has {self.target}: "
                "name one."
            )
        if not self.wide and table.X.shape[1] != self.width:
            raise InvalidInput(
                f"{path} has {table.X.shape[1]} features, but {self.path} has {self.width}."
            )
        if is_sparse(table.X) != self.sparse:
            raise InvalidInput(f"one of {path} and {self.path} is sparse: both must be, or none.")
        if table.names == self.names:
            return table
        order = [table.names.index(name) for name in self.names]
        return replace(table, X=table.X[:, order], names=self.names)

    def check_targets(self, y: AnyArray, path: str) -> None:
        """Raise if targets of one file are words and those of the other numbers."""
        if self.words != (y.dtype.kind in "USO"):
            words, numbers = (self.path, path) if self.words else (path, self.path)
            raise InvalidInput(
                f"the targets of {words} are words, but those of {numbers} are numbers: all must "
                "be of one kind."
            )


def _let_go() -> None:
    """Return the memory of a reader to the system: pyarrow would keep it for the next block."""
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None:
        pyarrow.default_memory_pool().release_unused()


@dataclass(frozen=True)
class _Reader:
    """Function that reads one piece; workers get it by pickle."""

    target: str | int | None
    options: _Options
    plan: _Part
    ready: Ready | None

    def __call__(self, piece: _Piece) -> tuple[Matrix, AnyArray]:
        path, groups = piece
        table = read_table(path, self.target, row_groups=groups, **self.options)
        _let_go()
        table = self.plan.check(table, path)
        y = _targets(table, path, self.ready)
        self.plan.check_targets(y, path)
        return table.X.tocsr() if is_sparse(table.X) else table.X, y
