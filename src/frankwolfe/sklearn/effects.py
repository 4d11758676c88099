"""Means of ratings: what each row and column adds, shrunk toward zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.numerics.checks import number
from frankwolfe.numerics.errors import InvalidInput

__all__ = ["Effects", "Floats", "Ints", "Ridges", "fit_effects", "read_ridge"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ridges = tuple[float, float]  # of rows and of columns
SWEEPS = 10  # rows and columns in turn


@dataclass(frozen=True)
class Effects:
    """A mean, and what each row and column adds to it."""

    mean: float
    row: Floats
    column: Floats

    def at(self, rows: Ints, columns: Ints) -> Floats:
        """Mean and effects of cells."""
        return np.asarray(self.mean + self.row[rows] + self.column[columns])

    def times(self, unit: float) -> Effects:
        """The same in other units."""
        return Effects(unit * self.mean, unit * self.row, unit * self.column)


def fit_effects(
    rows: Ints, columns: Ints, y: Floats, shape: tuple[int, int], ridge: Ridges
) -> Effects:
    """Row and column means, shrunk toward zero by `ridge` ratings each, in ten sweeps."""
    mean = float(y.mean())
    row, column = np.zeros(shape[0]), np.zeros(shape[1])
    row_count = np.bincount(rows, minlength=shape[0]) + ridge[0]
    column_count = np.bincount(columns, minlength=shape[1]) + ridge[1]
    for _ in range(SWEEPS):
        rest = y - mean - column[columns]
        row = np.bincount(rows, rest, minlength=shape[0]) / row_count
        rest = y - mean - row[rows]
        column = np.bincount(columns, rest, minlength=shape[1]) / column_count
    return Effects(mean, row, column)


def read_ridge(ridge: Any) -> Ridges | None:
    """The ridges of rows and columns, from one number or two; None where they are to be chosen."""
    if isinstance(ridge, str) and ridge == "auto":
        return None
    pair = ridge if isinstance(ridge, tuple | list) else (ridge, ridge)
    if len(pair) != 2:
        raise InvalidInput(
            f'ridge must be a number, one for rows and one for columns, or "auto", got {ridge!r}.'
        )
    return number("ridge", pair[0], above=0.0), number("ridge", pair[1], above=0.0)
