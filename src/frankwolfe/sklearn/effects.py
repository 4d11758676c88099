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
    row, column, above = start.row, start.column, y - start.mean

    def counts(weight: Floats | None) -> tuple[Floats, Floats]:
        return (
            _sums(rows, weight, shape[0]) + ridge[0],
            _sums(columns, weight, shape[1]) + ridge[1],
        )

    weight, (row_count, column_count) = None, counts(None)
    for _ in range(SWEEPS):
        if math.isfinite(delta):
            weight = delta / np.maximum(np.abs(above - row[rows] - column[columns]), delta)
            row_count, column_count = counts(weight)
        rest = above - column[columns]
        row = _sums(rows, rest if weight is None else weight * rest, shape[0]) / row_count
        rest = above - row[rows]
        column = _sums(columns, rest if weight is None else weight * rest, shape[1]) / column_count
    return Effects(start.mean, row, column)


def _sums(index: Ints, values: Floats | None, size: int) -> Floats:
    """Of the values with each index; how many there are, where none are given."""
    return np.bincount(index, values, minlength=size).astype(np.float64)


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
