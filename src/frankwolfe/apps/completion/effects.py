"""Effects of rows and columns on ratings: means shrunk toward zero."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from frankwolfe.base import Array, Floats, Ints, InvalidInput, number

__all__ = ["Effects", "Features", "Ridges", "fit_effects", "read_ridge"]

Ridges = tuple[float, float]  # of rows and of columns
Features = tuple[Array | None, Array | None]  # of rows and of columns, a line for each
SWEEPS = 10  # of block descent, rows and columns in turn; enough for effects to settle


@dataclass(frozen=True)
class Effects:
    """Mean, row effects and column effects, with the slopes of row and column features."""

    mean: float
    row: Floats
    column: Floats
    slopes: tuple[Floats, Floats] = (np.empty(0), np.empty(0))

    def at(self, rows: Ints, columns: Ints) -> Floats:
        """Predictions mean + row effect + column effect at cells."""
        return np.asarray(self.mean + self.row[rows] + self.column[columns])

    def times(self, unit: float) -> Effects:
        """Effects in another unit: all of them multiplied by `unit`."""
        slopes = unit * self.slopes[0], unit * self.slopes[1]
        return Effects(unit * self.mean, unit * self.row, unit * self.column, slopes)

    def parts(self, features: Features) -> tuple[Floats, Floats]:
        """Shrunken coefficients (d, w) of rows and of columns: effects d + F w, slopes w."""
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
    """Fit row and column effects by ten sweeps of ridge regression, rows and columns in turn.

    An effect is a mean of residuals shrunk toward zero as if `ridge` more ratings had none. With
    features F it is d + F w, and d and w are shrunk alike. The sweeps begin at `start`, whose mean
    stays. A rating farther than `delta` from its prediction has weight delta / distance: a step of
    the iteratively reweighted least squares for the Huber loss.
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
    """Sum of the values with each index; their count, if `values` is None."""
    return np.bincount(index, values, minlength=size).astype(np.float64)


def _shrunken(
    sums: Floats, counts: Floats, ridge: float, known: Array | None
) -> tuple[Floats, Floats]:
    """Effects of one side from sums of residuals, and the slopes of its features.

    With d eliminated, the mean of n residuals has weight n ridge / (n + ridge) in the normal
    equations for the slopes.
    """
    share = 1.0 / (counts + ridge)
    if known is None:
        return sums * share, np.empty(0)
    gram = known.T @ (known * (ridge * counts * share)[:, None])
    gram[np.diag_indices_from(gram)] += ridge
    slopes = np.linalg.solve(gram, known.T @ (ridge * share * sums))
    explained = known @ slopes
    return explained + (sums - counts * explained) * share, np.asarray(slopes)


def read_ridge(ridge: object) -> Ridges | None:
    """Ridges of rows and of columns, from one number or two, checked; None for "auto"."""
    if isinstance(ridge, str) and ridge == "auto":
        return None
    pair = ridge if isinstance(ridge, tuple | list) else (ridge, ridge)
    if len(pair) != 2:
        raise InvalidInput(
            f'ridge must be a number, one for rows and one for columns, or "auto", got {ridge!r}.'
        )
    return number("ridge", pair[0], above=0.0), number("ridge", pair[1], above=0.0)
