"""Matrix completion as an imputer."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.checks import number
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.sklearn.new_rows import NewRows
from frankwolfe.sklearn.ratings import MatrixCompletion as Engine

__all__ = ["MatrixCompletion"]


class MatrixCompletion(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Fill missing entries of a table by a matrix with a small nuclear norm.

    A mean and shrunken row and column effects are taken out, the rest is completed by
    :class:`frankwolfe.MatrixCompletion`. A row, seen or new, is then completed from its known
    entries by the columns' factors, so that ``fit(X).transform(X)`` and ``fit_transform(X)`` are
    the same. Known entries stay as they are.

    For a large table of which little is known, given as cells and ratings, use
    :class:`frankwolfe.MatrixCompletion` itself.

    Parameters
    ----------
    radius : float or "auto"
        The nuclear norm of what remains after the effects; "auto" chooses it on known entries
        that are held out.
    loss : {"squared", "huber"}
        For tables with outliers, Huber.
    delta : float
        The Huber loss's threshold, in units of X.
    max_rank : int
        Most terms of the completed matrix.
    ridge : float
        Entries by which the effects are shrunk.
    validation : float
        Share of the known entries held out to choose the radius.
    tol : float
        Relative gap at which a fit stops; it stops too where a step changes the loss by less
        than 0.2 %.
    random_state : int, RandomState or None
        For the held-out part.

    Attributes
    ----------
    radius_ : float
    components_ : array of shape (terms, n_features)
        The columns' factors, one term a row.
    rows_ : NewRows
        Completes rows.
    scores_ : dict of float to float
        Root mean squared error on the held-out part, by radius.
    dual_gap_, certified_, n_iter_
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
    """

    def __init__(
        self,
        radius: Any = "auto",
        *,
        loss: str = "squared",
        delta: float = 1.0,
        max_rank: int = 40,
        ridge: float = 3.0,
        validation: float = 0.1,
        tol: float = 0.02,
        random_state: Any = 0,
    ) -> None:
        self.radius, self.loss, self.delta = radius, loss, delta
        self.max_rank, self.ridge, self.validation = max_rank, ridge, validation
        self.tol, self.random_state = tol, random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit to the entries of X that are not NaN; `y` is ignored."""
        X = validate_data(
            self,
            X,
            dtype=np.float64,
            ensure_all_finite="allow-nan",
            ensure_min_samples=2,
            ensure_min_features=2,
        )
        cells = np.argwhere(~np.isnan(X))
        if len(cells) < 2:
            raise InvalidInput("X must have at least two entries that are not NaN.")
        values = X[cells[:, 0], cells[:, 1]]
        unit = float(values.std()) or 1.0  # the engine's tolerances suit numbers about 1
        engine = self._engine(unit).fit(cells, values / unit, shape=X.shape)
        self.rows_ = NewRows.of(engine, cells, values / unit)
        self.unit_ = unit
        self.components_ = self.rows_.factors.T * np.sqrt(unit)
        self.radius_ = engine.radius_ * unit
        self.scores_ = {r * unit: score * unit for r, score in engine.scores_.items()}
        self.dual_gap_, self.certified_ = engine.dual_gap_ * unit**2, engine.certified_
        self.n_iter_ = engine.n_iter_
        return self

    def transform(self, X: Any) -> Array:
        """X with its NaN replaced, each row from its own known entries."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        missing = np.isnan(X)
        filled: Array = X.copy()
        for i in np.flatnonzero(missing.any(axis=1)):
            row = self.rows_.complete(X[i] / self.unit_)
            filled[i, missing[i]] = self.unit_ * row[missing[i]]
        return filled

    def _engine(self, unit: float) -> Engine:
        seed = self.random_state
        if not isinstance(seed, int | np.integer):
            seed = int(check_random_state(seed).randint(2**31))
        automatic = isinstance(self.radius, str) and self.radius == "auto"
        radius: Any = "auto" if automatic else number("radius", self.radius, above=0.0) / unit
        return Engine(
            radius,
            loss=self.loss,  # type: ignore[arg-type]  # checked by the engine
            delta=number("delta", self.delta, above=0.0) / unit,
            max_rank=self.max_rank,
            ridge=self.ridge,
            validation=self.validation,
            tol=self.tol,
            random_state=int(seed),
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
