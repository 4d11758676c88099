"""Radii chosen by cross-validation, along warm-started paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring, make_scorer, mean_pinball_loss
from sklearn.model_selection import check_cv
from sklearn.utils.parallel import Parallel, delayed

from frankwolfe.base.arrays import Array, TableLike
from frankwolfe.base.checks import quiet
from frankwolfe.base.errors import InvalidInput
from frankwolfe.methods import Method
from frankwolfe.regions import Region
from frankwolfe.sklearn.distributed import refuse_distributed
from frankwolfe.sklearn.linear import ConstrainedLinear, PosedProblem
from frankwolfe.sklearn.logistic import (
    ClassWeight,
    ConstrainedLogisticRegression,
    LogisticModel,
)
from frankwolfe.sklearn.radii import radii_for
from frankwolfe.sklearn.regression import ConstrainedRegressor, RegressionModel
from frankwolfe.sklearn.task import Fit, Observations, read_observations, warn_unless_converged

__all__ = ["ConstrainedLogisticRegressionCV", "ConstrainedRegressorCV"]


class _Fold(NamedTuple):
    """Fits of one fold along the radii, and their scores on the part left out."""

    scores: list[float]
    fits: list[Fit]


class CrossValidated(ConstrainedLinear):
    """Linear estimator with a cross-validated radius; `_plain` is the estimator of one radius."""

    radii: int | ArrayLike
    cv: object
    scoring: object
    n_jobs: int | None
    _plain: type[ConstrainedLinear]

    def fit(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose the radius by cross-validation, and fit to all observations with it.

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
            Weights >= 0, of the fits and of the scores.
        """
        refuse_distributed(X, "cross-validation", "give a radius, or pass a sample of the rows.")
        with quiet():
            data = read_observations(self, X, y, sample_weight)
            return self._fit(data, weighted=sample_weight is not None)

    def _fit(self, data: Observations, *, weighted: bool) -> Self:
        posed = PosedProblem.of_observations(self, data)
        self.radii_ = radii_for(posed.task, posed.settings, self.radii)
        folds = self._folds(data, weighted=weighted)
        self.cv_scores_ = np.array([fold.scores for fold in folds])
        means = self.cv_scores_.mean(axis=0)
        if not np.isfinite(means).all():
            raise InvalidInput(
                "a score of the cross-validation is not a finite number: choose another scoring, "
                "or folds with more observations."
            )
        best = int(np.argmax(means))  # the first maximum: of equal ones the smallest radius
        self.best_score_ = float(means[best])
        fit = posed.solve(float(self.radii_[best]))
        warn_unless_converged([*(f for fold in folds for f in fold.fits), fit], type(self).__name__)
        return self

    def _folds(self, data: Observations, *, weighted: bool) -> list[_Fold]:
        splitter = check_cv(self.cv, data.y, classifier=is_classifier(self))
        model, radii = self._model(), self.radii_
        scoring = self._own_scoring() if self.scoring is None else self.scoring
        if not (scoring is None or isinstance(scoring, str) or callable(scoring)):
            raise InvalidInput(f"scoring must be one name or one function, got {scoring!r}.")
        scorer = _Scorer(check_scoring(model, scoring=scoring), weighted)
        folds = Parallel(n_jobs=self.n_jobs)(
            delayed(_fold)(clone(model), data.rows(train), data.rows(test), radii, scorer)
            for train, test in splitter.split(data.X, data.y)
        )
        return list(folds)

    def _own_scoring(self) -> Callable[..., float] | None:
        """Scorer used if `scoring` is None; None for the estimator's own score."""
        return None

    def _model(self) -> ConstrainedLinear:
        """Estimator of one radius, with the parameters of this one."""
        mine = self.get_params(deep=False)
        known = self._plain().get_params(deep=False)
        return self._plain(**{name: mine[name] for name in known if name in mine})


class _Scorer(NamedTuple):
    """Score of a model on the part left out, by scikit-learn's scorer, weighted if fits are."""

    scorer: Callable[..., float]
    weighted: bool

    def __call__(self, model: ConstrainedLinear, left: Observations) -> float:
        if not self.weighted:
            return float(self.scorer(model, left.X, left.y))
        try:
            return float(self.scorer(model, left.X, left.y, sample_weight=left.weight))
        except TypeError as error:
            if "sample_weight" not in str(error):
                raise
            raise InvalidInput(
                "scoring must take sample_weight, since there are weights: choose one that does, "
                "or fit without weights."
            ) from None


def _fold(
    model: ConstrainedLinear, kept: Observations, left: Observations, radii: Array, score: _Scorer
) -> _Fold:
    if is_classifier(model) and not np.isin(left.y, kept.y).all():
        raise InvalidInput(
            "a class of y has no observation in the training part of a fold: use fewer folds, or "
            "folds that keep the classes' shares (StratifiedKFold)."
        )
    scores, fits = [], []
    for fit in PosedProblem.of_observations(model, kept).along(radii):
        scores.append(score(model, left))
        fits.append(fit)
    return _Fold(scores, fits)


class ConstrainedLogisticRegressionCV(CrossValidated, LogisticModel):
    """Logistic regression with coefficients in a region whose radius is cross-validated.

    The folds are fitted along the radii, each fit beginning at the last one.

    Parameters
    ----------
    region : str
        The name of a region, as in :class:`ConstrainedLogisticRegression`.
    radii : int or array
        The radii to try, or how many: these go in equal ratios from where the loss can have
        fallen by 1 % to where a unit of radius lowers it a thousandth as much as at first.
    cv : int, splitter or iterable, optional
        The folds, as in scikit-learn; five by default.
    scoring : str or callable, optional
        What to make large, as in scikit-learn; accuracy by default.
    n_jobs : int, optional
        Folds at a time.
    groups, fit_intercept, class_weight, tol, max_iter, method
        As in :class:`ConstrainedLogisticRegression`.

    Attributes
    ----------
    radius_ : float
        The best radius; of equal ones the smallest.
    radii_ : array of shape (n_radii,)
    cv_scores_ : array of shape (n_folds, n_radii)
    best_score_ : float
        The mean score of the best radius.
    classes_, coef_, intercept_, region_, dual_gap_, certified_, n_iter_
        Of the fit to all observations, as in :class:`ConstrainedLogisticRegression`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from frankwolfe.sklearn import ConstrainedLogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConstrainedLogisticRegressionCV("l1", radii=8).fit(X, y)
    >>> model.cv_scores_.shape, bool(model.best_score_ > 0.95)
    ((5, 8), True)
    """

    _plain = ConstrainedLogisticRegression

    def __init__(
        self,
        region: str | Region = "l2",
        radii: int | ArrayLike = 20,
        *,
        cv: object = None,
        scoring: object = None,
        n_jobs: int | None = None,
        groups: ArrayLike | None = None,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        method: str | Method | None = None,
    ) -> None:
        self.region, self.radii, self.groups = region, radii, groups
        self.cv, self.scoring, self.n_jobs = cv, scoring, n_jobs
        self.fit_intercept, self.class_weight = fit_intercept, class_weight
        self.tol, self.max_iter, self.method = tol, max_iter, method


class ConstrainedRegressorCV(CrossValidated, RegressionModel):
    """Regression with coefficients in a region whose radius is cross-validated.

    The folds are fitted along the radii, each fit beginning at the last one.

    Parameters
    ----------
    region : str
        The name of a region, as in :class:`ConstrainedRegressor`.
    radii, cv, n_jobs
        As in :class:`ConstrainedLogisticRegressionCV`.
    scoring : str or callable, optional
        What to make large, as in scikit-learn; by default R^2, and for the quantile loss the
        negative mean pinball loss.
    loss, delta, quantile, groups, fit_intercept, tol, max_iter, method
        As in :class:`ConstrainedRegressor`.

    Attributes
    ----------
    radius_, radii_, cv_scores_, best_score_
        As in :class:`ConstrainedLogisticRegressionCV`.
    coef_, intercept_, region_, delta_, dual_gap_, certified_, n_iter_
        Of the fit to all observations, as in :class:`ConstrainedRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from frankwolfe.sklearn import ConstrainedRegressorCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ConstrainedRegressorCV("l1", scoring="neg_mean_absolute_error").fit(X, y)
    >>> model.cv_scores_.shape, bool(model.radii_[0] < model.radius_ <= model.radii_[-1])
    ((5, 20), True)
    """

    _plain = ConstrainedRegressor

    def __init__(
        self,
        region: str | Region = "l2",
        radii: int | ArrayLike = 20,
        *,
        cv: object = None,
        scoring: object = None,
        n_jobs: int | None = None,
        loss: str = "squared",
        delta: float | None = None,
        quantile: float = 0.5,
        groups: ArrayLike | None = None,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        method: str | Method | None = None,
    ) -> None:
        self.region, self.radii, self.groups = region, radii, groups
        self.cv, self.scoring, self.n_jobs = cv, scoring, n_jobs
        self.loss, self.delta, self.quantile = loss, delta, quantile
        self.fit_intercept = fit_intercept
        self.tol, self.max_iter, self.method = tol, max_iter, method

    def _own_scoring(self) -> Callable[..., float] | None:
        if self.loss != "quantile":
            return None
        # R^2 is of means: it would choose the radius of another quantile
        scorer: Callable[..., float] = make_scorer(
            mean_pinball_loss, greater_is_better=False, alpha=self.quantile
        )
        return scorer
