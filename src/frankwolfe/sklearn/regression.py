"""Regression with coefficients in a region."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin

from frankwolfe.base.arrays import Array, TableLike
from frankwolfe.base.checks import finite_vector, number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.methods import Method
from frankwolfe.objectives import LOSSES, Huber, Objective, Quantile
from frankwolfe.objectives.losses import Regression
from frankwolfe.regions import Region
from frankwolfe.sklearn.distributed import Predictions, RowDraft, RowSample, applied, lazy_engine
from frankwolfe.sklearn.linear import ConstrainedLinear
from frankwolfe.sklearn.task import Fit, Observations, Task

__all__ = ["REGRESSIONS", "ConstrainedRegressor"]

REGRESSIONS = {name: kind for name, kind in LOSSES.items() if issubclass(kind, Regression)}
MAX_GATHERED_TARGETS = 50_000_000  # targets brought from workers for their median: 400 MB
DELTAS = {"huber": 1.345, "quantile": 0.05}
"""Default `delta` over the spread of the targets; 1.345 is 95 % efficient for normal errors."""


class RegressionModel(RegressorMixin, ConstrainedLinear):  # type: ignore[misc]
    """Regressor by a linear prediction: base of the estimators with one radius and with many."""

    loss: str
    delta: float | None
    quantile: float
    _outputs = 1

    def _targets(self, data: Observations) -> Array:
        y = np.asarray(data.y, dtype=np.float64)
        self._set_threshold(lambda: (y, data.weight))
        return y

    def _drafted(self, draft: RowDraft) -> tuple[Objective, Callable[[RowSample], Observations]]:
        self._set_threshold(partial(_targets_here, draft))
        made = self._loss()
        kind, options = (made.func, made.keywords) if isinstance(made, partial) else (made, {})
        loss = draft.loss(kind, **options)
        return loss, lambda rows: Observations(
            rows.data, rows.targets.astype(np.float64), rows.weights
        )

    def _set_threshold(self, targets: Callable[[], tuple[Array, Array]]) -> None:
        """Set `delta_` where the loss has one: as given, or by the spread of the targets."""
        if not isinstance(self.loss, str) or self.loss not in REGRESSIONS:
            raise InvalidInput(f"loss must be one of {', '.join(REGRESSIONS)}, got {self.loss!r}.")
        self.__dict__.pop("delta_", None)  # of a fit with another loss
        if self.loss in DELTAS and self.delta is not None:
            self.delta_ = number("delta", self.delta, above=0.0)
        elif self.loss in DELTAS:
            self.delta_ = DELTAS[self.loss] * _spread(*targets())

    def _loss(self) -> Callable[..., Objective]:
        if self.loss == "huber":
            return partial(Huber, delta=self.delta_, scaling="usual")
        if self.loss == "quantile":
            return partial(Quantile, quantile=self.quantile, delta=self.delta_)
        return REGRESSIONS[self.loss]

    def _keep(self, task: Task, fit: Fit) -> None:
        super()._keep(task, fit)
        self.coef_, self.intercept_ = self.coef_[0], self.intercept_[0]

    def predict(self, X: TableLike) -> Predictions:
        """Predicted target of every row."""
        return applied(_first, self._linear(X))

    def score(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Coefficient of determination R^2: the share of the variance of y that is predicted."""
        engine = lazy_engine(X)
        if engine is None:
            return float(super().score(X, y, sample_weight))
        return float(engine.r_squared(self._linear(X), y, sample_weight))


def _first(z: Array) -> Array:
    return z[:, 0]


def _targets_here(draft: RowDraft) -> tuple[Array, Array]:
    """Targets and weights of all rows, gathered from the workers."""
    rows = sum(draft.whole.heights)
    if rows > MAX_GATHERED_TARGETS:
        raise InvalidInput(
            f"delta must be given for {rows:,} rows: its default would bring all targets here."
        )
    y, weight = draft.targets()
    return finite_vector("y", y).astype(np.float64), weight


def _spread(y: Array, weight: Array) -> float:
    """Weighted median absolute deviation, scaled to the standard deviation of a normal law; > 0."""
    middle = _median(y, weight)
    spread = 1.4826 * _median(np.abs(y - middle), weight)  # 1 / 0.6745, its normal quantile
    if spread > 0.0:
        return spread
    # more than half of the targets are equal: their root mean square distance, or 1 if all are
    return float(np.sqrt(np.average((y - middle) ** 2, weights=weight))) or 1.0


def _median(values: Array, weight: Array) -> float:
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weight[order])
    return float(values[order[np.searchsorted(total, 0.5 * total[-1])]])


class ConstrainedRegressor(RegressionModel):
    r"""Linear regression with coefficients in a region.

    Minimizes the mean loss over :math:`w \in C`, with a free intercept: the lasso, ridge and
    group lasso in their constrained forms, robust regression, quantile regression, and mixtures
    (weights that are positive and sum to one). The answer comes with a bound on its distance
    from the optimum, `dual_gap_`.

    Parameters
    ----------
    region : str or Region
        "l1", "l2", "linf", "group", "simplex" or "unit_simplex", of size `radius`, or a region
        object such as ``frankwolfe.Box(0.0, 1.0)``.
    radius : float or "auto"
        The bound on the norm of the coefficients. "auto" takes the one with the
        least loss on a fifth of the observations held out: each fifth in turn, or two of them for
        more than 500 (every so many of more than 10,000 are used).
        :class:`ConstrainedRegressorCV` chooses by another score, or other folds.
    loss : {"squared", "huber", "quantile"}
        Half the squared error; the Huber loss, for outliers; the pinball loss of `quantile`,
        rounded off within `delta` of its corner.
    delta : float, optional
        Where the Huber loss turns from a parabola into a line, or how far the pinball loss is
        smoothed, in units of y. By default 1.345 and 0.05 times the spread of y (its median
        distance from the median, over 0.6745).
    quantile : float
        For the quantile loss, between 0 and 1.
    groups : array of shape (n_features,), optional
        Labels of the features' groups, for "group".
    fit_intercept : bool
        Whether there is an intercept; it is not constrained.
    tol : float
        Stop at a certified gap of `tol` times the loss of a constant prediction.
    max_iter : int
        Most steps.
    method : str, method or None
        One of ``frankwolfe.methods.METHODS``; by default what suits loss and region.
    warm_start : bool
        Whether a fit begins from the coefficients of the last one.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : float
    radius_ : float
        The radius used; NaN where a region object has none.
    region_ : Region
        The region of the coefficients.
    delta_ : float
        The threshold used, where the loss has one.
    dual_gap_ : float
        Where `certified_`, a bound on the mean loss minus the least one.
    certified_ : bool
        Whether `dual_gap_` is a bound.
    n_iter_ : int
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from frankwolfe.sklearn import ConstrainedRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ConstrainedRegressor(region="l1", radius=1000.0, loss="huber").fit(X, y)
    >>> int((model.coef_ != 0.0).sum()), model.certified_
    (4, True)
    """

    def __init__(
        self,
        region: str | Region = "l2",
        radius: float | str = "auto",
        *,
        loss: str = "squared",
        delta: float | None = None,
        quantile: float = 0.5,
        groups: ArrayLike | None = None,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        method: str | Method | None = None,
        warm_start: bool = False,
    ) -> None:
        self.region, self.radius, self.groups = region, radius, groups
        self.loss, self.delta, self.quantile = loss, delta, quantile
        self.fit_intercept = fit_intercept
        self.tol, self.max_iter, self.method = tol, max_iter, method
        self.warm_start = warm_start
