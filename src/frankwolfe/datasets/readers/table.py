"""Result of a reader (Table), and what it is asked for (Request)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from frankwolfe.base.arrays import AnyArray, Matrix
from frankwolfe.base.budget import Budget
from frankwolfe.base.errors import InvalidInput

__all__ = [
    "Columns",
    "NotNumbers",
    "Progress",
    "Request",
    "Table",
    "Unseen",
    "not_empty",
    "row_number",
    "several",
]

COPIES_IN_MEMORY = 2  # pieces, and the whole while it is put together
BYTES_PER_FEATURE = 256  # of a fit: some thirty vectors of doubles with an entry a feature
Columns: TypeAlias = str | int | Sequence[str | int]
"""One column or several, by names or by numbers from 1."""
Progress = Callable[[int, int], None]
"""Function that is called with the bytes read so far and the bytes of the file."""


class NotNumbers(InvalidInput):
    """Error: whole columns hold something else than numbers.

    Parameters
    ----------
    path : Path
    columns : sequence of str
        Names of the columns or, where they have none, numbers.
    what : str
        Kind of what they hold, such as "words".
    places : sequence of int
        Indices of the columns.
    """

    def __init__(
        self, path: Path, columns: Sequence[str], what: str, places: Sequence[int] = ()
    ) -> None:
        self.path, self.columns, self.what, self.places = path, list(columns), what, places
        listed = f"{self.columns!r}"
        super().__init__(
            self.message(
                f"encode {self.them} by encode={listed} or leave {self.them} out by drop={listed}"
            )
        )

    @property
    def them(self) -> str:
        """Pronoun for the columns: it or them."""
        return "it" if len(self.columns) == 1 else "them"

    def message(self, advice: str) -> str:
        """Sentence about the columns that ends with advice."""
        several = len(self.columns) > 1
        listed = " and ".join(filter(None, [", ".join(self.columns[:-1]), self.columns[-1]]))
        return (
            f"{self.path}: column{'s' if several else ''} {listed} hold{'' if several else 's'} "
            f"{self.what}, which are no numbers: {advice}."
        )


@dataclass(frozen=True)
class Unseen:
    """Words of a column that a model does not know, and the number of rows with them."""

    column: str
    words: tuple[str, ...]
    rows: int


def several(columns: Columns) -> Sequence[str | int]:
    """Columns as a sequence: a name alone is one column, not its letters."""
    return (columns,) if isinstance(columns, str | int) else columns


def row_number(row: int) -> str:
    """Name of a row, counted from 1, for messages: row 7."""
    return f"row {row + 1}"


def not_empty(path: Path, X: Matrix) -> Matrix:
    """X, once it is checked to have rows and features."""
    if not all(X.shape):
        raise InvalidInput(f"{path} has no {'features' if X.shape[0] else 'rows'}.")
    return X


@dataclass(frozen=True, eq=False)
class Table:
    """Observations and their targets, as read from a file.

    Attributes
    ----------
    X : array or scipy sparse matrix of shape (rows, features)
        NaN where a cell was empty.
    y : array of shape (rows,), or None
        Numbers, or texts where the target column holds words.
    names : tuple of str
        Names of the features; empty where the file has none.
    target : str
        Name of the target, or the number of its column, from 1.
    format : str
        Format of the file.
    base : int, optional
        Index of the first feature, 0 or 1, where the file writes indices (LIBSVM).
    left_out : tuple of int
        Numbers, from 1, of the file's columns that are no features; the target's among them.
    where : callable
        Function from a row to where it stands in the file, such as "line 7".
    encoded : dict
        Words, in order, of each feature that holds words, by the feature's index. X has the index
        of each row's word there (NaN where it is missing, -1 where it is none of them);
        :func:`frankwolfe.datasets.readers.one_hot` makes a column of each word.
    unseen : tuple of Unseen
        Words that the model does not know.
    """

    X: Matrix
    y: AnyArray | None
    names: tuple[str, ...] = ()
    target: str = ""
    format: str = ""
    base: int | None = None
    left_out: tuple[int, ...] = ()
    where: Callable[[int], str] = row_number
    encoded: Mapping[int, Sequence[str]] = field(default_factory=dict)
    unseen: tuple[Unseen, ...] = ()

    def name_of(self, feature: int) -> str:
        """Name of a feature or, where it has none, the number of its column."""
        if self.names:
            return self.names[feature]
        if self.base is not None:  # it has an index of its own in the file
            return str(feature + self.base)
        column = feature + 1
        for other in self.left_out:  # sorted: each at or before it moves it on by one
            column += other <= column
        return str(column)

    def __repr__(self) -> str:
        rows, features = self.X.shape
        return f"Table({rows:,} rows x {features:,} features, {self.format})"


@dataclass(frozen=True)
class Request:
    """Arguments of a reader; those not described here are those of :func:`read_table`.

    Attributes
    ----------
    wants_target : bool
        True if the file must have a target.
    features : sequence of str, optional
        Names of the columns to read, in this order.
    width : int, optional
        Number of features of the model.
    categories : mapping
        Words of encoded features as a model knows them, by the feature's index.
    row_groups : sequence of int, optional
        Row groups of a Parquet file to read.
    budget : Budget
        Memory that may be taken.
    """

    path: Path
    target: str | int | None = None
    wants_target: bool = True
    drop: Sequence[str | int] = ()
    header: bool | None = None
    features: Sequence[str] | None = None
    width: int | None = None
    target_file: str | os.PathLike[str] | None = None
    progress: Progress | None = None
    base: int | None = None
    encode: bool | Sequence[str | int] = False
    categories: Mapping[int, Sequence[str]] = field(default_factory=dict)
    row_groups: Sequence[int] | None = None
    budget: Budget = field(default_factory=Budget.of)

    def hold(self, size: int) -> None:
        """Take `size` bytes of the budget, twice, for what is read; raises where it is spent."""
        self.budget.hold(COPIES_IN_MEMORY * size, self.path)

    def needs_features(self, count: int) -> None:
        """Raise if the budget has no room for the fit of a model of `count` features."""
        self.budget.need(BYTES_PER_FEATURE * count, f"{self.path}, with {count:,} features,")

    def say(self, done: int, total: int) -> None:
        """Report the bytes read so far, and in all."""
        if self.progress is not None:
            self.progress(done, total)
