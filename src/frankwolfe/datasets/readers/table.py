"""What is read, and what was asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from frankwolfe.base.budget import Budget
from frankwolfe.base.errors import InvalidInput

__all__ = ["NotNumbers", "Progress", "Request", "Table", "Unseen", "not_empty", "row_number"]

WORK = 2  # the data, and another time while they are put together
A_FEATURE = 256  # bytes that a feature takes in a fit: some thirty vectors of this length
Progress = Callable[[int, int], None]
"""Called with the bytes that are read and the bytes that the file has."""


class NotNumbers(InvalidInput):
    """Whole columns hold something else than numbers.

    Parameters
    ----------
    path : Path
    columns : sequence of str
        Their names or, where they have none, numbers.
    what : str
        What they hold, as in "words".
    places : sequence of int
        Their places, from 0.
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
        """The word for them."""
        return "it" if len(self.columns) == 1 else "them"

    def message(self, advice: str) -> str:
        """The sentence, with what to do."""
        several = len(self.columns) > 1
        listed = " and ".join(filter(None, [", ".join(self.columns[:-1]), self.columns[-1]]))
        return (
            f"{self.path}: column{'s' if several else ''} {listed} hold{'' if several else 's'} "
            f"{self.what}, which are no numbers: {advice}."
        )


@dataclass(frozen=True)
class Unseen:
    """Words of a column that a model does not know, and in how many rows they are."""

    column: str
    words: tuple[str, ...]
    rows: int


def row_number(row: int) -> str:
    """A row in words, counted from 1."""
    return f"row {row + 1}"


def not_empty(path: Path, X: Any) -> Any:
    """X, which must have rows and features."""
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
        The target's name, or its column's number, from 1.
    format : str
        Which reader read it.
    base : int, optional
        The index of the first feature, 0 or 1, where the file writes indices.
    left_out : tuple of int
        The numbers, from 1, of the file's columns that are no features; the target's among them.
    where : callable
        Where a row stands in the file, in words such as "line 7".
    encoded : dict
        By the place of a feature that holds words, these words in order. X has their places
        there (NaN where one is missing, -1 where it is none of them);
        :func:`frankwolfe.datasets.readers.one_hot` makes a column of each word.
    unseen : tuple of Unseen
        Words that are none of the model's.
    """

    X: Any
    y: NDArray[Any] | None
    names: tuple[str, ...] = ()
    target: str = ""
    format: str = ""
    base: int | None = None
    left_out: tuple[int, ...] = ()
    where: Callable[[int], str] = row_number
    encoded: Mapping[int, Sequence[str]] = field(default_factory=dict)
    unseen: tuple[Unseen, ...] = ()

    def name_of(self, feature: int) -> str:
        """The name of a feature or, where it has none, the number of its column."""
        if self.names:
            return self.names[feature]
        if self.base is not None:  # it has an index of its own in the file
            return str(feature + self.base)
        column = feature + 1
        for other in self.left_out:
            column += other <= column
        return str(column)

    def __repr__(self) -> str:
        rows, features = self.X.shape
        return f"Table({rows:,} rows x {features:,} features, {self.format})"


@dataclass(frozen=True)
class Request:
    """What to read of a file; what is not said here is as in :func:`read_table`.

    Attributes
    ----------
    wants_target : bool
        Whether a target must be there.
    features : sequence of str, optional
        Only these columns, in this order.
    width : int, optional
        How many features there must be.
    categories : mapping
        By the place of a feature, its words as a model knows them.
    row_groups : sequence of int, optional
        Only these parts of a Parquet file.
    budget : Budget
        The memory that may be taken.
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
        """Take so many bytes for what is read; the budget may refuse."""
        self.budget.hold(WORK * size, self.path)

    def needs_features(self, count: int) -> None:
        """Whether there is room for a model of so many features."""
        self.budget.need(A_FEATURE * count, f"{self.path}, with {count:,} features,")

    def say(self, done: int, total: int) -> None:
        """Report how much is read."""
        if self.progress is not None:
            self.progress(done, total)
