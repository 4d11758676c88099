"""Completion of rows that a fit has not seen, from their known entries."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from frankwolfe.apps.completion.joint import Marginal
from frankwolfe.apps.completion.rating_model import RatingModel
from frankwolfe.base import Array
from frankwolfe.core import FactoredMatrix

__all__ = ["FoldIn"]

SWEEPS = 50  # reweighted least squares for the Huber loss; they converge linearly
SWEEP_TOL = 1e-10  # relative change of the largest entry at which they end


@dataclass(frozen=True, eq=False)
class FoldIn:
    r"""Completes one row at a time, by the columns of a fitted :class:`RatingModel`.

    The weighted nuclear norm is the least :math:`\frac12 \sum_i p_i \|l_i\|^2 + \frac12 \sum_j
    q_j \|r_j\|^2` with :math:`X_{ij} = \langle l_i, r_j \rangle`. At the optimum a row's effect
    and its factor are therefore the ridge regression of what is known of that row on one and on
    the columns' factors, with the effects' ridge and the price of the constraint as penalties:

    .. math:: \min_{b, l} \sum_{j} \ell(y_j - \mu - c_j - b - \langle l, r_j \rangle)
        + \frac{\rho}{2} b^2 + \frac{\lambda p}{2} \|l\|^2, \qquad
        \lambda = \frac{\langle -G, X \rangle}{\|X\|},

    where G is the gradient. The same regression completes any other row.

    Attributes
    ----------
    mean : float
    columns : array of shape (n_columns,)
        What each column adds to the mean.
    factors : array of shape (n_columns, terms)
        R.
    price : float
        The penalty of a row of weight one.
    weight : Marginal
        A row's weight, by how many of its entries are known.
    ridge : float
        Ratings by which the row's own effect is shrunk.
    delta : float
        The Huber loss's threshold; infinity for the squared loss.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.apps.completion.fold_in import FoldIn
    >>> from frankwolfe.apps.completion.rating_model import RatingModel
    >>> table = np.outer(np.arange(1.0, 7.0), [1.0, 2.0, 3.0])
    >>> model = RatingModel(radius=20.0).fit(np.argwhere(table > 0.0), table.ravel())
    >>> FoldIn.of(model).complete(np.array([8.0, np.nan, 24.0])).shape
    (3,)
    """

    mean: float
    columns: Array
    factors: Array
    price: float
    weight: Marginal
    ridge: float
    delta: float

    @classmethod
    def of(cls, model: RatingModel) -> FoldIn:
        """Completion of rows by the columns of a fitted model."""
        effects, matrix = model.effects_, model.matrix_
        rows, columns, values = model.ratings_[:3]
        by_row, by_column = (Marginal.of(counts) for counts in model.ratings_.counts())
        p, q = (
            np.sqrt(weight.at(counts))
            for weight, counts in zip((by_row, by_column), model.ratings_.counts(), strict=True)
        )
        weighed = FactoredMatrix(matrix.left * p, matrix.weights, matrix.right * q).compressed()[0]
        delta = model.delta if model.loss == "huber" else math.inf
        rest = matrix.predict(rows, columns)
        slopes = np.clip(values - effects.at(rows, columns) - rest, -delta, delta)
        norm = float(weighed.weights.sum())
        price = max(0.0, float(slopes @ rest)) / norm if norm > 0.0 else 0.0
        factors = (weighed.right * np.sqrt(weighed.weights)[:, None]).T / q[:, None]
        return cls(effects.mean, effects.column, factors, price, by_row, model.ridge_[0], delta)

    def complete(self, row: Array) -> Array:
        """Row with its NaN replaced by predictions from its known entries."""
        known = ~np.isnan(row)
        if known.all():
            return row
        base = self.mean + self.columns
        effect, left = self._row(self.factors[known], row[known] - base[known])
        return np.where(known, row, base + effect + self.factors @ left)

    def _row(self, R: Array, rest: Array) -> tuple[float, Array]:
        """Effect and factor of a row: a ridge regression, reweighted for the Huber loss."""
        found: Array = np.zeros(R.shape[1] + 1)
        if not rest.size:
            return 0.0, found[1:]
        # a penalty of zero would make the equations singular where entries are fewer than terms
        least = 1e-10 * float(np.square(self.factors).sum())
        price = max(self.price * float(self.weight.at(rest.size)), least, 1e-300)
        penalty = np.append(self.ridge, np.full(R.shape[1], price))
        design = np.column_stack([np.ones(rest.size), R])
        weight = np.ones(rest.size)
        for _ in range(SWEEPS):
            before = found
            gram = (design * weight[:, None]).T @ design + np.diag(penalty)
            found = np.linalg.solve(gram, design.T @ (weight * rest))
            if (
                math.isinf(self.delta)
                or np.abs(found - before).max() <= SWEEP_TOL * np.abs(found).max()
            ):
                break
            weight = self.delta / np.maximum(np.abs(rest - design @ found), self.delta)
        return float(found[0]), np.asarray(found[1:])
