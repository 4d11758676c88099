"""Rows that a completed matrix has not seen, from the entries that are known of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frankwolfe.numerics.arrays import Array
from frankwolfe.sklearn.rating_model import RatingModel

__all__ = ["NewRows"]

SWEEPS = 50  # reweighted sweeps for the Huber loss
SAME = 1e-10  # change at which they end


@dataclass(frozen=True, eq=False)
class NewRows:
    r"""Completes one row at a time, by the columns of a fitted :class:`RatingModel`.

    The nuclear norm is the least :math:`\frac12(\|L\|^2 + \|R\|^2)` with :math:`X = LR'`. At the
    optimum a row of L is therefore the ridge regression of what is known of that row of X on R,
    with the price of the constraint as its penalty:

    .. math:: \min_l \sum_{j} \ell(x_j - \langle l, r_j \rangle) + \frac{\lambda}{2} \|l\|^2,
        \qquad \lambda = \frac{\langle -G, X \rangle}{\|X\|_*},

    where G is the gradient. The same regression completes any other row.

    Attributes
    ----------
    mean : float
    columns : array of shape (n_columns,)
        What each column adds to the mean.
    factors : array of shape (n_columns, terms)
        R.
    price : float
        The penalty.
    ridge : float
        Ratings by which the row's own effect is shrunk.
    delta : float
        The Huber loss's threshold; infinity for the squared loss.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.sklearn.new_rows import NewRows
    >>> from frankwolfe.sklearn.rating_model import RatingModel
    >>> table = np.outer(np.arange(1.0, 7.0), [1.0, 2.0, 3.0])
    >>> cells = np.argwhere(table > 0.0)
    >>> model = RatingModel(radius=20.0).fit(cells, table.ravel())
    >>> NewRows.of(model, cells, table.ravel()).complete(np.array([8.0, np.nan, 24.0])).shape
    (3,)
    """

    mean: float
    columns: Array
    factors: Array
    price: float
    ridge: float
    delta: float

    @classmethod
    def of(cls, model: RatingModel, cells: NDArray[np.int64], values: Array) -> NewRows:
        """From a fitted model and the ratings that it was fitted to."""
        effects, matrix = model.effects_, model.matrix_
        compressed = matrix.compressed()[0]
        delta = model.delta if model.loss == "huber" else math.inf
        rest = matrix.predict(cells[:, 0], cells[:, 1])
        slopes = np.clip(values - effects.at(cells[:, 0], cells[:, 1]) - rest, -delta, delta)
        norm = float(np.abs(compressed.weights).sum())
        price = max(0.0, float(slopes @ rest)) / norm if norm > 0.0 else 0.0
        scale = np.sqrt(np.abs(compressed.weights))
        factors = (compressed.right * scale[:, None]).T.astype(np.float64)
        return cls(effects.mean, effects.column, factors, price, model.ridge_[0], delta)

    def complete(self, row: Array) -> Array:
        """The row with its NaN replaced."""
        known = ~np.isnan(row)
        if known.all():
            return row
        base = self.mean + self.columns
        rest = row[known] - base[known]
        effect = float(rest.sum()) / max(rest.size + self.ridge, 1e-300)
        guess = base + effect + self.factors @ self._left(self.factors[known], rest - effect)
        return np.where(known, row, guess)

    def _left(self, R: Array, rest: Array) -> Array:
        """The row's own factor: a ridge regression, reweighted for the Huber loss."""
        left: Array = np.zeros(R.shape[1])
        if not R.size:
            return left
        penalty = max(self.price, 1e-10 * float(np.square(self.factors).sum()), 1e-300)
        weight = np.ones(rest.size)
        for _ in range(SWEEPS):
            before = left
            gram = (R * weight[:, None]).T @ R
            gram[np.diag_indices_from(gram)] += penalty
            left = np.linalg.solve(gram, R.T @ (weight * rest))
            if math.isinf(self.delta) or np.abs(left - before).max() <= SAME * np.abs(left).max():
                break
            weight = self.delta / np.maximum(np.abs(rest - R @ left), self.delta)
        return np.asarray(left)
