"""Means of ratings: what each row and column adds, shrunk toward zero."""

from __future__ import annotations

import math
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
    rows: Ints,
    columns: Ints,
    y: Floats,
    shape: tuple[int, int],
    ridge: Ridges,
    *,
    start: Effects | None = None,
    delta: float = math.inf,
) -> Effects:
    """Row and column means, shrunk toward zero by `ridge` ratings each, in ten sweeps.

    The sweeps begin at `start`, whose mean stays. Beyond `delta` from what is fitted, a rating
    weighs as much less as it is farther: a step of the reweighted means by which the Huber loss is
    minimized.
    """
    if start is None:
        start = Effects(float(y.mean()), np.zeros(shape[0]), np.zeros(shape[1]))
    row, column = start.row, start.column
    above = y - start.mean
    weight, row_count, column_count = None, np.empty(0), np.empty(0)
    for sweep in range(SWEEPS):
        if sweep == 0 or math.isfinite(delta):
            if math.isfinite(delta):
                away = np.abs(above - row[rows] - column[columns])
                weight = delta / np.maximum(away, delta)
            row_count = np.bincount(rows, weight, minlength=shape[0]) + ridge[0]
            column_count = np.bincount(columns, weight, minlength=shape[1]) + ridge[1]
        rest = above - column[columns]
        row = np.bincount(rows, _times(weight, rest), minlength=shape[0]) / row_count
        rest = above - row[rows]
        column = np.bincount(columns, _times(weight, rest), minlength=shape[1]) / column_count
    return Effects(start.mean, row, column)


def _times(weight: Floats | None, rest: Floats) -> Floats:
    return rest if weight is None else weight * rest


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
