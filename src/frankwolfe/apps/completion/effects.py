"""Means of ratings: what each row and column adds, shrunk toward zero."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput

__all__ = ["Effects", "Features", "Floats", "Ints", "Ridges", "fit_effects", "read_ridge"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ridges = tuple[float, float]  # of rows and of columns
Features = tuple[Array | None, Array | None]  # likewise
SWEEPS = 10  # rows and columns in turn


@dataclass(frozen=True)
class Effects:
    """A mean, and what each row and column adds to it, with the slopes of their features."""

    mean: float
    row: Floats
    column: Floats
    slopes: tuple[Floats, Floats] = (np.empty(0), np.empty(0))

    def at(self, rows: Ints, columns: Ints) -> Floats:
        """Mean and effects of cells."""
        return np.asarray(self.mean + self.row[rows] + self.column[columns])

    def times(self, unit: float) -> Effects:
        """The same in other units."""
        slopes = unit * self.slopes[0], unit * self.slopes[1]
        return Effects(unit * self.mean, unit * self.row, unit * self.column, slopes)

    def parts(self, features: Features) -> tuple[Floats, Floats]:
        """What is shrunk, of rows and of columns: what features do not explain, and slopes."""
        sides = zip((self.row, self.column), self.slopes, features, strict=True)
        first, second = (
            effect if known is None else np.concatenate([effect - known @ slopes, slopes])
            for effect, slopes, known in sides
        )
        return first, second


def fit_effects(
    rows: Ints,
    columns: Ints,
    y: Floats,
    shape: tuple[int, int],
    ridge: Ridges,
    *,
    features: Features = (None, None),
    start: Effects | None = None,
    delta: float = math.inf,
) -> Effects:
    """Row and column means, shrunk toward zero by `ridge` ratings each, in ten sweeps.

    With features, what they explain is a linear regression whose slopes are shrunk likewise, and
    the rest of an effect is shrunk toward zero. The sweeps begin at `start`, whose mean stays.
    Beyond `delta` from what is fitted, a rating weighs as much less as it is farther: a step of the
    reweighted means by which the Huber loss is minimized.
    """
    if start is None:
        start = Effects(float(y.mean()), np.zeros(shape[0]), np.zeros(shape[1]))
    row, column, slopes, above = start.row, start.column, start.slopes, y - start.mean
    weight = None
    counts = _sums(rows, weight, shape[0]), _sums(columns, weight, shape[1])
    for _ in range(SWEEPS):
        if math.isfinite(delta):
            weight = delta / np.maximum(np.abs(above - row[rows] - column[columns]), delta)
            counts = _sums(rows, weight, shape[0]), _sums(columns, weight, shape[1])
        rest = above - column[columns]
        sums = _sums(rows, rest if weight is None else weight * rest, shape[0])
        row, first = _shrunken(sums, counts[0], ridge[0], features[0])
        rest = above - row[rows]
        sums = _sums(columns, rest if weight is None else weight * rest, shape[1])
        column, second = _shrunken(sums, counts[1], ridge[1], features[1])
        slopes = first, second
    return Effects(start.mean, row, column, slopes)


def _sums(index: Ints, values: Floats | None, size: int) -> Floats:
    """Of the values with each index; how many there are, where none are given."""
    return np.bincount(index, values, minlength=size).astype(np.float64)


def _shrunken(
    sums: Floats, counts: Floats, ridge: float, known: Array | None
) -> tuple[Floats, Floats]:
    """One side's effects from sums of ratings, and the slopes of its features.

    With what is left beside the features put in, a mean counts as n ridge / (n + ridge) ratings.
    """
    share = 1.0 / (counts + ridge)
    if known is None:
        return sums * share, np.empty(0)
    gram = known.T @ (known * (ridge * counts * share)[:, None])
    gram[np.diag_indices_from(gram)] += ridge
    slopes = np.linalg.solve(gram, known.T @ (ridge * share * sums))
    explained = known @ slopes
    return explained + (sums - counts * explained) * share, np.asarray(slopes)


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
