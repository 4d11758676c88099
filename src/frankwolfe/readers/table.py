"""What is read, and what was asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.errors import InvalidInput

__all__ = ["Columns", "Progress", "Request", "Table"]

Progress = Callable[[int, int], None]
"""Told how many bytes of the file are read, and how many it has."""


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
    """

    X: Any
    y: NDArray[Any] | None
    names: tuple[str, ...] = ()
    target: str = ""
    format: str = ""
    base: int | None = None

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
        is the last.
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
        target: int | None = count - 1
        if request.target is not None:
            target = _place(request, request.target, names, count)
        elif request.target_file is not None:
            target = None
        dropped = {_place(request, name, names, count) for name in request.drop}
        features = [c for c in range(count) if c != target and c not in dropped]
        if not features:
            raise InvalidInput(
                f"{request.path} has no column left for features: it has {count} in all."
            )
        return cls(features, target)

    @classmethod
    def _to_predict(cls, request: Request, names: Sequence[str], count: int) -> Columns:
        """All columns but those left out at the time of the fit, where they are still there."""
        if count == request.width:
            return cls(list(range(count)), None)
        left_out = set()
        for name in (*request.drop, -1 if request.target is None else request.target):
            if isinstance(name, int) or name.lstrip("-").isdigit():
                left_out.add(_place(request, name, names, count))
        features = [c for c in range(count) if c not in left_out]
        if len(features) != request.width:
            raise InvalidInput(
                f"{request.path} has {count} columns, but the model has {request.width} features."
            )
        return cls(features, None)


def _place(request: Request, which: str | int, names: Sequence[str], count: int) -> int:
    """The place of a column that is given by name or by number."""
    if isinstance(which, str) and which in names:
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


def numbers_or_words(texts: Sequence[str]) -> NDArray[Any]:
    """Targets as numbers where all are, otherwise as they are."""
    try:
        return np.array([float(text) for text in texts])
    except ValueError:
        return np.array(texts)
