"""What is read, and what was asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeGuard

from numpy.typing import NDArray

from frankwolfe.numerics.errors import InvalidInput

__all__ = ["Columns", "NotNumbers", "Progress", "Request", "Table", "row_number"]

Progress = Callable[[int, int], None]
"""Told how many bytes of the file are read, and how many it has."""


class NotNumbers(InvalidInput):
    """Whole columns hold something else than numbers.

    Parameters
    ----------
    path : Path
    columns : sequence of str
        Their names or, where they have none, numbers.
    what : str
        What they hold, as in "words".
    """

    def __init__(self, path: Path, columns: Sequence[str], what: str) -> None:
        self.path, self.columns, self.what = path, list(columns), what
        super().__init__(self.told(f"leave {self.them} out by drop={self.columns!r}"))

    @property
    def them(self) -> str:
        """The word for them."""
        return "it" if len(self.columns) == 1 else "them"

    def told(self, advice: str) -> str:
        """The sentence, with what to do."""
        several = len(self.columns) > 1
        listed = " and ".join(filter(None, [", ".join(self.columns[:-1]), self.columns[-1]]))
        return (
            f"{self.path}: column{'s' if several else ''} {listed} hold{'' if several else 's'} "
            f"{self.what}, which are no numbers: {advice}."
        )


def row_number(row: int) -> str:
    """A row in words, counted from 1."""
    return f"row {row + 1}"


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
    """

    X: Any
    y: NDArray[Any] | None
    names: tuple[str, ...] = ()
    target: str = ""
    format: str = ""
    base: int | None = None
    left_out: tuple[int, ...] = ()
    where: Callable[[int], str] = row_number

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
    """What to read of a file.

    Attributes
    ----------
    path : Path
    target : str, int or None
        Name of the target column or its number, from 1; negative ones count from the end. None
        is the last that is not dropped.
    wants_target : bool
        Whether a target must be there.
    drop : sequence of str or int
        Columns to leave out.
    header : bool, optional
        Whether the first line names the columns; found out by default.
    features : sequence of str, optional
        Only these columns, in this order.
    width : int, optional
        How many features there must be.
    target_file : path, optional
        A file with one target a line.
    progress : callable, optional
    base : int, optional
        The index of the first feature, 0 or 1, in files with indices; found out by default.
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

    def say(self, done: int, total: int) -> None:
        """Tell how far the reading is."""
        if self.progress is not None:
            self.progress(done, total)


@dataclass(frozen=True)
class Columns:
    """Which column of a file is what: places of the features, place of the target or None."""

    features: list[int]
    target: int | None

    @classmethod
    def of(cls, request: Request, names: Sequence[str], count: int) -> Columns:
        """By the request, the file's names (none: empty) and its number of columns."""
        if request.features is not None and names:
            return cls([_place(request, name, names, count) for name in request.features], None)
        if request.width is not None and not request.wants_target:
            return cls._to_predict(request, names, count)
        left = _left(request, names, count)
        target = left[-1] if left and request.target_file is None else None
        if request.target is not None:
            target = _place(request, request.target, names, count)
            if target not in left:
                raise InvalidInput(
                    f"{request.path}: column {request.target} cannot be both the target and "
                    "left out."
                )
        features = [c for c in left if c != target]
        if not features:
            raise InvalidInput(
                f"{request.path} has no column left for features: it has {count} in all."
            )
        _refuse_twins(request, names, features if target is None else [*features, target])
        return cls(features, target)

    def left_out(self, count: int) -> tuple[int, ...]:
        """The numbers, from 1, of all columns but the features."""
        return tuple(sorted(c + 1 for c in set(range(count)) - set(self.features)))

    @classmethod
    def _to_predict(cls, request: Request, names: Sequence[str], count: int) -> Columns:
        """All columns but those left out at the time of the fit, where they are still there."""
        if count == request.width:
            return cls(list(range(count)), None)
        numbers = [name for name in request.drop if _is_number(name)]
        features = _left(replace(request, drop=numbers), names, count, strict=False)
        if len(features) != request.width and request.target is None:
            features = features[:-1]
        elif len(features) != request.width and _is_number(request.target):
            target = _place(request, request.target, names, count)
            features = [c for c in features if c != target]
        if len(features) != request.width:
            raise InvalidInput(
                f"{request.path} has {count} columns, but the model has {request.width} features."
            )
        return cls(features, None)


def _is_number(which: str | int | None) -> TypeGuard[str | int]:
    """Whether a column is given by its number."""
    return isinstance(which, int) or (which is not None and which.lstrip("-").isdigit())


def _left(request: Request, names: Sequence[str], count: int, *, strict: bool = True) -> list[int]:
    """The places of all columns but those to drop; a name drops all columns of that name."""
    dropped: set[int] = set()
    for which in request.drop:
        named = {c for c, name in enumerate(names) if name == which}
        if named or strict:
            dropped |= named or {_place(request, which, names, count)}
        elif abs(int(which)) <= count:
            dropped.add(_place(request, which, names, count))
    return [c for c in range(count) if c not in dropped]


def _refuse_twins(request: Request, names: Sequence[str], used: Sequence[int]) -> None:
    """Two columns of one name cannot be told apart when a model is used."""
    seen: dict[str, int] = {}
    for c in sorted(used) if names else ():
        if names[c] in seen:
            raise InvalidInput(
                f"{request.path}: columns {seen[names[c]] + 1} and {c + 1} are both named "
                f"{names[c]!r}; rename one, or leave it out by its number."
            )
        seen[names[c]] = c


def _place(request: Request, which: str | int, names: Sequence[str], count: int) -> int:
    """The place of a column that is given by name or by number."""
    if isinstance(which, str) and which in names:
        if names.count(which) > 1:
            _refuse_twins(request, names, [c for c in range(count) if names[c] == which])
        return names.index(which)
    try:
        number = int(which)
    except ValueError:
        number = 0
    if 1 <= number <= count:
        return number - 1
    if -count <= number <= -1:
        return count + number
    listed = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    have = f"its columns are {listed}" if names else f"it has {count} columns and no names"
    raise InvalidInput(f"{request.path} has no column {which!r}: {have}.")
