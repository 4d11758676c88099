"""Matrix completion: an imputer of tables, and a predictor of ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from frankwolfe.apps.completion.cell_estimator import CellPredictorMixin
from frankwolfe.apps.completion.fold_in import FoldIn
from frankwolfe.apps.completion.rating_model import GivenFeatures, RatingModel, read_cells
from frankwolfe.apps.completion.recommend import CellIds
from frankwolfe.base import (
    Array,
    Floats,
    Ints,
    InvalidInput,
    Matrix,
    TableLike,
    is_sparse,
    number,
    quiet,
)
from frankwolfe.core import checked_structure

__all__ = ["MatrixCompletion"]


class MatrixCompletion(CellPredictorMixin, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Complete a matrix by one with a small nuclear norm: fill a table, or predict ratings.

    A mean, shrunken row and column effects and a matrix with a small nuclear norm are fitted
    together to the known entries, as one convex problem. In the norm, rows and columns weigh half
    alike and half by how often they were seen. How much the effects are shrunk and the radius are
    chosen on a held-out part of the entries, the radius from zero (effects alone) along a path of
    growing ones with warm starts, and the model is then fitted to all.

    Two ways to give what is known:

    - ``fit(X)`` takes a table with NaN, or a scipy sparse matrix whose *stored* entries are the
      known ones, zeros too; ``transform`` fills a table. A row, seen or new, is completed from its
      known entries by the columns' factors, so that ``fit(X).transform(X)`` and
      ``fit_transform(X)`` are the same. Known entries stay as they are.
    - ``fit_cells(cells, values)`` takes ratings, each with its (row, column): of a user and an
      item, say. ``predict(cells)`` gives others, ``predict_interval(cells)`` says how far off they
      may be, ``recommend(users)`` gives the best unseen items, and ``similar_items(items)`` those
      with like factors. Nothing of the size of the table is formed.

    Parameters
    ----------
    radius : float or "auto"
        The weighted nuclear norm of what is added to the effects, > 0, with weights that are 1 on
        the average over the known entries; "auto" chooses it, or zero where effects alone do
        better.
    loss : {"squared", "huber"}
        For data with outliers, Huber.
    delta : float
        The Huber loss's threshold, in units of the data.
    max_rank : int
        Most terms of the completed matrix; a cap is a second regularization, and bounds time
        and memory.
    ridge : float, pair of floats or "auto"
        Entries by which the effects are shrunk: of rows and columns alike, or of each. "auto"
        chooses both, among six from 0.3 to 100.
    validation : float
        Share of the known entries held out to choose ridges and radius.
    tol : float
        Relative gap at which the matrix is good enough for the effects; a fit stops too where a
        step changes the loss by less than 0.2 %, for certificates take much longer than values to
        settle (see `dual_gap_`).
    random_state : int, RandomState or None
        For the held-out part.

    Attributes
    ----------
    radius_ : float
        Zero where effects alone did best.
    ridge_ : tuple of float
        Of rows and of columns.
    effects_ : mean, row and column effects
    matrix_ : FactoredMatrix
        What is added to the effects.
    shape_ : tuple of int
        Rows and columns of the matrix fitted to.
    ids_ : object or None
        Where the numbers of rows or columns given to ``fit_cells`` are from a million on and have
        wide gaps: those in use (``ids_.rows.known``, ``ids_.columns.known``). Effects, matrix and
        shape then have a row and a column for each of them, and a last one for all others;
        the methods take and give the numbers themselves.
    components_ : array of shape (terms, n_features)
        The columns' factors, one term a row.
    rows_ : FoldIn
        Completes rows, in units of `unit_`.
    unit_ : float
        By what a table's entries are divided before the fit: their standard deviation. Ratings
        given as cells are taken as they are: 1.
    scores_ : dict of float to float
        Root mean squared error on the held-out part, by radius; zero for effects alone.
    dual_gap_ : float
        What the loss with the effects' penalties is above the least one, at most
        (:mod:`frankwolfe.apps.completion.joint`).
    certified_, n_iter_
        Of the last fit.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.sklearn import MatrixCompletion
    >>> rng = np.random.default_rng(0)
    >>> full = rng.standard_normal((60, 2)) @ rng.standard_normal((2, 12))
    >>> X = np.where(rng.random(full.shape) < 0.3, np.nan, full)
    >>> filled = MatrixCompletion().fit_transform(X)
    >>> missing = np.isnan(X)
    >>> bool(np.std((filled - full)[missing]) < 0.5 * np.std(full[missing]))
    True

    Ratings, each with its row and column:

    >>> from frankwolfe.datasets import synthetic_ratings
    >>> data = synthetic_ratings(60, 80, 1500)
    >>> cells, values = np.column_stack([data.users, data.movies]), data.values
    >>> test = rng.random(values.size) < 0.2
    >>> model = MatrixCompletion().fit_cells(cells[~test], values[~test], shape=(80, 60))
    >>> model.predict(cells[test]).shape == values[test].shape
    True
    >>> low, high = model.predict_interval(cells[test], 0.9).T
    >>> bool(np.mean((low <= values[test]) & (values[test] <= high)) > 0.8)
    True
    >>> model.recommend([0, 7], 5).items.shape
    (2, 5)

    References
    ----------
    R. Foygel, R. Salakhutdinov, O. Shamir and N. Srebro, *Learning with the Weighted Trace-norm
    under Arbitrary Sampling Distributions*, NIPS 2011; Y. Koren, *Factorization Meets the
    Neighborhood*, KDD 2008, on effects and factors fitted together.
    """

    def __init__(
        self,
        radius: float | str = "auto",
        *,
        loss: str = "squared",
        delta: float = 1.0,
        max_rank: int = 40,
        ridge: float | Sequence[float] | str = "auto",
        validation: float = 0.1,
        tol: float = 0.02,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.radius, self.loss, self.delta = radius, loss, delta
        self.max_rank, self.ridge, self.validation = max_rank, ridge, validation
        self.tol, self.random_state = tol, random_state

    def fit(self, X: TableLike, y: object = None) -> Self:
        """Fit to the entries of X that are not NaN, or stored where X is sparse; no `y` is used."""
        X = self._validated(X, reset=True, ensure_min_samples=2, ensure_min_features=2)
        cells, values = _known(X)
        if len(cells) < 2:
            raise InvalidInput("X must have at least two entries that are not NaN.")
        unit = float(values.std()) or 1.0  # the model's tolerances suit numbers about 1
        self._fit(cells, values / unit, X.shape, unit)
        self._by_cells, self.ids_ = False, None
        return self

    def fit_cells(
        self,
        cells: ArrayLike,
        values: ArrayLike,
        shape: tuple[int, int] | None = None,
        *,
        user_features: ArrayLike | None = None,
        item_features: ArrayLike | None = None,
    ) -> Self:
        """Fit to `values` at `cells`, one (row, column) a line.

        The matrix is the smallest that holds all cells, or of the `shape` given; numbers of rows
        and columns may have gaps. Features, a line
        for each row and a line for each column, explain a part of their effects, which then is all
        that is known of those without ratings. Their slopes are shrunk as effects are, so
        indicators and numbers about 1 are right.
        """
        features = user_features, item_features
        free = shape is None and user_features is None and item_features is None
        self.ids_ = CellIds.of(cells) if free else None
        if self.ids_ is not None:
            shape, cells = self.ids_.shape, np.column_stack(self.ids_.places(*read_cells(cells)))
        self._keep_cells(self._fit(cells, values, shape, 1.0, features))
        self.n_features_in_ = self.shape_[1]
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit to a table
        self._by_cells = True
        return self

    def _fit(
        self,
        cells: ArrayLike,
        values: ArrayLike,
        shape: tuple[int, int] | None,
        unit: float,
        features: GivenFeatures = (None, None),
    ) -> RatingModel:
        """Fit the model of ratings in units of `unit`, and set the attributes in the data's."""
        with quiet():
            model = self._model(unit).fit(cells, values, shape=shape, features=features)
        self.rows_ = FoldIn.of(model)
        self.unit_, self.shape_ = unit, model.shape_
        self.effects_, self.matrix_ = model.effects_.times(unit), model.matrix_.times(unit)
        self.components_ = self.rows_.factors.T * np.sqrt(unit)
        self.radius_, self.ridge_ = model.radius_ * unit, model.ridge_
        self.scores_ = {r * unit: score * unit for r, score in model.scores_.items()}
        self.dual_gap_, self.certified_ = model.dual_gap_ * unit**2, model.certified_
        self.n_iter_ = model.n_iter_
        return model

    def transform(self, X: TableLike) -> Array:
        """Complete each row of X, where NaN or not stored, from its known entries."""
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        filled: Array = _table(X) if is_sparse(X) else X.copy()
        missing = np.isnan(filled)
        for i in np.flatnonzero(missing.any(axis=1)):
            row = self.rows_.complete(filled[i] / self.unit_)
            filled[i, missing[i]] = self.unit_ * row[missing[i]]
        return filled

    def _validated(self, X: TableLike, **options: Any) -> Matrix:
        options |= {"dtype": np.float64, "accept_sparse": "csr"}
        X = checked_structure("X", X)
        return validate_data(self, X, ensure_all_finite="allow-nan", **options)

    def _model(self, unit: float) -> RatingModel:
        seed = self.random_state
        if not isinstance(seed, int | np.integer):
            seed = int(check_random_state(seed).randint(2**31))
        automatic = isinstance(self.radius, str) and self.radius == "auto"
        radius = "auto" if automatic else number("radius", self.radius, above=0.0) / unit
        delta = number("delta", self.delta, above=0.0) / unit
        own = {"radius": radius, "delta": delta, "random_state": int(seed)}
        return RatingModel(**self.get_params(deep=False) | own)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _table(X: Matrix) -> Array:
    """Table of a sparse matrix, with NaN where it stores nothing."""
    table = np.full(X.shape, np.nan)
    entries = X.tocoo()
    table[entries.row, entries.col] = entries.data
    return table


def _known(X: Matrix) -> tuple[Ints, Floats]:
    """Cells of the known entries, row after row, and the entries."""
    if not is_sparse(X):
        cells = np.argwhere(~np.isnan(X))
        return cells, X[cells[:, 0], cells[:, 1]]
    X = X.copy()
    X.sum_duplicates()
    entries = X.tocoo()
    cells = np.column_stack([entries.row, entries.col]).astype(np.int64)
    return cells[~np.isnan(entries.data)], entries.data[~np.isnan(entries.data)]
