"""Columns of a table by the names of what they hold, with each row's place for messages."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Indices
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files.cells import is_label, number_of

__all__ = ["NamedColumns", "named_columns", "plain_name"]

MAX_EXACT_INTEGER = 2.0**53  # from here on doubles skip whole numbers
NO_LETTER = re.compile(r"[\W_]")


def plain_name(label: object) -> str:
    """Name in small letters, without blanks and signs, to compare names by.

    Examples
    --------
    >>> from frankwolfe.base.files import plain_name
    >>> plain_name("User_ID"), plain_name("free-flow time")
    ('userid', 'freeflowtime')
    """
    return NO_LETTER.sub("", str(label).lower())


def named_columns(
    labels: Sequence[object], usual: Sequence[str], aliases: Mapping[str, str]
) -> dict[str, int]:
    """Index of the first column of each name that labels spell; `aliases` are other spellings."""
    own = {plain_name(name): name for name in usual}
    found: dict[str, int] = {}
    for place, label in enumerate(labels):
        key = plain_name(label)
        name = own.get(key) or aliases.get(key)
        if name is not None:
            found.setdefault(name, place)
    return found


@dataclass(frozen=True)
class NamedColumns:
    """Columns of a table, as numbers or labels; errors say where a bad cell stands.

    Attributes
    ----------
    columns : dict of vectors
        Each column by its name; texts may be numbers as they are written.
    where : callable
        Function from a row to where it stands, such as "net.tntp, line 7".
    """

    columns: Mapping[str, AnyArray]
    where: Callable[[int], str]

    def __len__(self) -> int:
        return max(map(len, self.columns.values()), default=0)

    def wrong(self, row: int, what: str) -> NoReturn:
        """Raise an error about a row."""
        raise InvalidInput(f"{self.where(row)}: {what}.")

    def numbers(self, name: str, default: float | None = None) -> Array:
        """Column as numbers; filled with the default where there is no such column."""
        if name not in self.columns and default is not None:
            return np.full(len(self), default)
        values = self.columns[name]
        if values.dtype.kind in "fiu":
            return np.asarray(values, dtype=np.float64)
        entries = values.tolist()
        try:
            text = "".join(entries)
            if text.isascii() and "_" not in text:  # float would take them: 1_0 is 10
                return np.array(list(map(float, entries)))
        except (TypeError, ValueError):
            pass
        found: Array = np.array([_number(value) for value in values])
        wrong = np.flatnonzero(np.isnan(found))
        if wrong.size:
            self.wrong(int(wrong[0]), f"{name} must be a number, got {values[wrong[0]]!r}")
        return found

    def whole(self, name: str) -> Indices:
        """Column as whole numbers, which doubles hold exactly."""
        values = self.numbers(name)
        fine = (values == np.rint(values)) & (np.abs(values) < MAX_EXACT_INTEGER)
        if not fine.all():
            row = int(np.argmin(fine))
            self.wrong(row, f"{name} must be a whole number, got {values[row]:g}")
        return values.astype(np.int64)

    def labels(self, name: str) -> AnyArray:
        """Column as labels: all whole numbers, or all texts."""
        values = self.columns[name]
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


def _number(value: object) -> float:
    """Number, also one written as a text; NaN for all else."""
    if isinstance(value, str):
        number = number_of(value)
        return math.nan if number is None else number
    if isinstance(value, np.datetime64 | np.timedelta64):  # float() would take them
        return math.nan
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan
