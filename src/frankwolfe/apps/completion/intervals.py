r"""Prediction intervals of ratings, calibrated on ratings that the fit has not seen.

A rating's error is divided by how much its row and column spread and by how little is known of
them. The n scores of ratings that were not fitted to, and that of a new one, are as likely in any
order if the ratings are exchangeable (drawn alike, in whatever order). The new score is then at
most the k-th smallest, :math:`k = \lceil (n + 1)\, c \rceil`, with probability c or more, whatever
the distribution and however wrong the model. That holds on average over ratings, not for each row:
the division makes it hold about equally well for rows seen often and seldom.

J. Lei, M. G'Sell, A. Rinaldo, R. Tibshirani and L. Wasserman, *Distribution-Free Predictive
Inference for Regression*, JASA 2018.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from frankwolfe.apps.completion.effects import Ridges
from frankwolfe.apps.completion.joint import Joint, RatingCells
from frankwolfe.apps.completion.rating_model import RatingModel
from frankwolfe.base import Floats, Ints, InvalidInput

__all__ = ["Intervals", "Spread", "quantile"]

PRIOR = 20.0  # ratings of the common variance, averaged with those of a row that has few


class Spread(NamedTuple):
    r"""Size of errors by row and column, the root of :math:`v_i v_j\, (a + b\, w_i + c\, w_j)`.

    v are mean squares of what a fit leaves of its own ratings, those of rows and columns averaged
    with the common one, and :math:`w = 1 / \sqrt{n + \rho}` is what is unknown of an effect after
    n ratings. How much more a, b and c >= 0 make of it is fitted to errors of ratings that were
    held out; without these they are 1.
    """

    row: Floats
    column: Floats
    row_unknown: Floats
    column_unknown: Floats
    shares: Floats = np.ones(3)

    @classmethod
    def of(cls, ratings: RatingCells, fit: Joint, ridge: Ridges) -> Spread:
        """Spread of a fit, from the residuals of the ratings that it was fitted to."""
        rows, columns, values, shape, _ = ratings
        squares = np.square(values - fit.at(rows, columns))
        squares /= float(squares.mean()) or 1.0  # a perfect fit: all spread alike
        (by_row, by_column), (m, n) = ratings.counts(), shape
        return cls(
            (np.bincount(rows, squares, m) + PRIOR) / (by_row + PRIOR),
            (np.bincount(columns, squares, n) + PRIOR) / (by_column + PRIOR),
            np.asarray((by_row + ridge[0]) ** -0.5, dtype=np.float64),
            np.asarray((by_column + ridge[1]) ** -0.5, dtype=np.float64),
        )

    def fitted(self, rows: Ints, columns: Ints, errors: Floats) -> Spread:
        """Spread with shares (a, b, c) >= 0 by least squares on the squares of these errors."""
        squares = np.square(errors) / (self.row[rows] * self.column[columns])
        shares, _ = nnls(self._parts(rows, columns), squares)
        return self._replace(shares=shares) if shares.any() else self

    def at(self, rows: Ints, columns: Ints) -> Floats:
        """Spread of the errors at cells."""
        unknown = self._parts(rows, columns) @ self.shares
        return np.asarray(np.sqrt(self.row[rows] * self.column[columns] * unknown))

    def _parts(self, rows: Ints, columns: Ints) -> Floats:
        ones = np.ones(rows.size)
        return np.column_stack([ones, self.row_unknown[rows], self.column_unknown[columns]])


@dataclass(frozen=True, eq=False)
class Intervals:
    """Spread of a fit, and the sorted scores |error| / spread of ratings that it has not seen.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.apps.completion.intervals import quantile
    >>> scores = np.arange(1.0, 10.0)
    >>> quantile(scores, 0.8), quantile(scores, 0.9), quantile(scores, 0.95)
    (8.0, 9.0, inf)
    """

    spread: Spread
    scores: Floats

    @classmethod
    def of(cls, model: RatingModel) -> Intervals:
        """Intervals of a model, with scores of the part held out in the fit without it, if any."""
        spread = Spread.of(model.ratings_, model.fit_, model.ridge_)
        if model.judged_ is None:
            return cls(spread, np.empty(0))
        parts, without = model.judged_
        held = parts.held.rows, parts.held.columns, parts.errors(without)
        earlier = Spread.of(parts.kept, without, model.ridge_).fitted(*held)
        scores = cls(earlier, np.empty(0)).calibrated(*held).scores
        return cls(spread._replace(shares=earlier.shares), scores)

    def calibrated(self, rows: Ints, columns: Ints, errors: Floats) -> Intervals:
        """Intervals with the scores of these errors instead."""
        return replace(self, scores=np.sort(np.abs(errors) / self.spread.at(rows, columns)))

    def half_widths(self, rows: Ints, columns: Ints, coverage: float) -> Floats:
        """Half-widths of the intervals of cells that hold with probability `coverage`."""
        if not self.scores.size:
            raise InvalidInput(
                "no ratings were held out of this fit: call calibrate with some that it has not "
                'seen, or fit with radius="auto".'
            )
        return quantile(self.scores, coverage) * self.spread.at(rows, columns)


def quantile(scores: Floats, coverage: float) -> float:
    """Upper bound on a further score with probability `coverage`; infinity if scores are few."""
    # the factor undoes rounding: 0.7 * 10 is a little above 7
    place = math.ceil((scores.size + 1) * coverage * (1.0 - 1e-12))
    return float(scores[place - 1]) if place <= scores.size else math.inf
