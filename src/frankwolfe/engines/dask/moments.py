"""Means and variances of columns, by blocks of rows."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.base.checks import is_sparse, quiet
from frankwolfe.engines.dask.draft import each
from frankwolfe.engines.dask.layout import RowBlock

if TYPE_CHECKING:
    from frankwolfe.engines.dask.layout import Collection

__all__ = ["Moments", "moments"]


class Moments(NamedTuple):
    """Weight, mean and squared deviations of each column, over entries that are not missing.

    Two blocks are combined by the formula of Chan, Golub and LeVeque (1983), which loses no
    digits when means are far from zero.
    """

    rows: float
    weight: Array  # of the entries that are not missing
    mean: Array
    squares: Array  # weighted sum of squared distances from the mean

    @classmethod
    def of(cls, X: Array, weights: Array | None = None) -> Moments:
        """Moments of a dense block, whose missing entries are NaN."""
        w = np.ones(X.shape[0]) if weights is None else np.asarray(weights, dtype=np.float64)
        there = ~np.isnan(X)
        weight = w @ there
        safe = np.where(weight > 0.0, weight, 1.0)
        filled = np.where(there, X, 0.0).astype(np.float64, copy=False)
        mean = (w @ filled) / safe
        away = np.where(there, filled - mean, 0.0)
        mean += (
            w @ away
        ) / safe  # the rounding error of the mean, which is not small beside a tiny spread
        away = np.where(there, filled - mean, 0.0)
        return cls(float(w.sum()), weight, mean, np.einsum("i,ij,ij->j", w, away, away))

    @classmethod
    def of_sparse(cls, X: Matrix) -> Moments:
        """Moments of a CSR matrix, no entry of which counts as missing."""
        rows, columns = X.shape
        mean = np.bincount(X.indices, X.data, minlength=columns) / rows
        apart = X.data - mean[X.indices]
        stored = np.bincount(X.indices, minlength=columns)
        squares = np.bincount(X.indices, apart**2, minlength=columns) + (rows - stored) * mean**2
        return cls(float(rows), np.full(columns, float(rows)), mean, squares)

    def plus(self, other: Moments) -> Moments:
        """Moments of two blocks together; columns that one lacks are zero there."""
        mine, theirs = _as_wide(self, other), _as_wide(other, self)
        weight = mine.weight + theirs.weight
        share = theirs.weight / np.where(weight > 0.0, weight, 1.0)
        apart = theirs.mean - mine.mean
        return Moments(
            mine.rows + theirs.rows,
            weight,
            mine.mean + share * apart,
            mine.squares + theirs.squares + mine.weight * share * apart**2,
        )

    @staticmethod
    def sum(parts: Iterable[Moments]) -> Moments:
        """Moments of all blocks together, combined in their order."""
        return reduce(Moments.plus, parts)


def _as_wide(these: Moments, as_those: Moments) -> Moments:
    """Moments with columns of zeros added on the right, up to the number in `as_those`."""
    more = as_those.mean.size - these.mean.size
    if more <= 0:
        return these
    zeros = np.zeros(more)
    return Moments(
        these.rows,
        np.concatenate([these.weight, np.full(more, these.rows)]),
        np.concatenate([these.mean, zeros]),
        np.concatenate([these.squares, zeros]),
    )


def moments(data: Collection) -> Moments:
    """Moments of the columns of a Dask array or DataFrame, in one pass that keeps no rows."""
    return Moments.sum(each(_of_rows, data))


def _of_rows(row: RowBlock) -> Moments:
    """Moments of a block."""
    with quiet():
        return Moments.of_sparse(row.data) if is_sparse(row.data) else Moments.of(row.data)
