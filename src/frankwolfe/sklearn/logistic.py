"""Logistic regression with coefficients in a region."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.objectives import Logistic, Multinomial, Objective
from frankwolfe.sklearn.linear import ConstrainedLinear, Data
from frankwolfe.sklearn.task import Task

__all__ = ["ConstrainedLogisticRegression"]


class LogisticModel(ClassifierMixin, ConstrainedLinear):  # type: ignore[misc]
    """Classes from a linear prediction; what the two estimators share."""

    class_weight: Any

    @property
    def _outputs(self) -> int:
        count = int(self.classes_.size)
        return 1 if count == 2 else count

    def _targets(self, data: Data) -> Array:
        check_classification_targets(data.y)
        self.classes_, codes = np.unique(data.y, return_inverse=True)
        if self.classes_.size < 2:
            raise InvalidInput(
                f"y must hold at least two classes, but there is one class only: "
                f"{self.classes_.tolist()[0]!r}."
            )
        return np.asarray(codes)

    def _weights(self, data: Data) -> Array:
        if self.class_weight is None:
            return data.weight
        codes = data.y.astype(np.intp, copy=False)
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            totals = np.bincount(codes, data.weight)
            factors = totals.sum() / (totals.size * totals)
        else:
            labels = self.classes_[codes]
            factors = compute_class_weight(self.class_weight, classes=self.classes_, y=labels)
        return np.asarray(data.weight * factors[codes])

    def _loss(self) -> Callable[..., Objective]:
        return Logistic if self._outputs == 1 else Multinomial

    def _thinned(self, data: Data) -> Data:
        thin = super()._thinned(data)
        return thin if np.unique(thin.y).size == self.classes_.size else data

    def _strata(self, data: Data) -> NDArray[np.int64]:
        return data.y.astype(np.int64)

    def _intercept(self, task: Task, x: Array) -> Array:
        b = super()._intercept(task, x)
        return b if b.size == 1 else b - b.mean()  # a common shift changes no probability

    def decision_function(self, X: Any) -> Array:
        """The linear prediction: one number a row for two classes, else one a class."""
        z = self._linear(X)
        return z[:, 0] if z.shape[1] == 1 else z

    def predict(self, X: Any) -> Any:
        """The likeliest class of every row."""
        z = self.decision_function(X)
        return self.classes_[(z > 0.0).astype(int) if z.ndim == 1 else z.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Array:
        """The probability of every class, one column a class."""
        z = self.decision_function(X)
        return np.asarray(softmax(z, axis=1) if z.ndim == 2 else expit(np.column_stack([-z, z])))

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of the probabilities."""
        z = self.decision_function(X)
        if z.ndim == 2:
            return np.asarray(log_softmax(z, axis=1))
        return np.asarray(log_expit(np.column_stack([-z, z])))


class ConstrainedLogisticRegression(LogisticModel):
    r"""Logistic regression with coefficients in a region, binary or multinomial.

    Minimizes the mean logistic loss over :math:`w \in C`, with a free intercept. The answer
    comes with a bound on its distance from the optimum, `dual_gap_`.

    Parameters
    ----------
    region : str or Region
        "l1", "l2", "linf", "group", "simplex" or "unit_simplex", of size `radius`, or a region
        object such as ``frankwolfe.Box(0.0, 1.0)``. With more than two classes the coefficients
        of all classes lie in one region; a region object then has n_features * n_classes
        variables, those of a feature beside one another.
    radius : float or "auto"
        The bound on the norm of the coefficients. "auto" takes the one with the
        least loss on a fifth of the observations held out: each fifth in turn, or two of them for
        more than 500 (every so many of more than 10,000 are used).
        :class:`ConstrainedLogisticRegressionCV` chooses by accuracy, or another score.
    groups : array of shape (n_features,), optional
        Labels of the features' groups, for "group"; by default a feature is a group, with its
        coefficients of all classes.
    fit_intercept : bool
        Whether there is an intercept; it is not constrained.
    class_weight : dict, "balanced" or None
        Weights of the classes, as in scikit-learn.
    tol : float
        Stop at a certified gap of `tol` times the loss of a constant prediction.
    max_iter : int
        Most steps.
    method : str, method or None
        One of ``frankwolfe.METHODS``; by default what suits loss and region.
    warm_start : bool
        Whether a fit begins from the coefficients of the last one.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
    intercept_ : array of shape (1,) or (n_classes,)
    radius_ : float
        The radius used; NaN where a region object has none.
    region_ : Region
        The region of the coefficients.
    dual_gap_ : float
        Where `certified_`, a bound on the mean loss minus the least one.
    certified_ : bool
        Whether `dual_gap_` is a bound.
    n_iter_ : int
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from frankwolfe.sklearn import ConstrainedLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConstrainedLogisticRegression(region="l1", radius=5.0).fit(X, y)
    >>> model.coef_.shape, bool(abs(model.coef_).sum() <= 5.0 + 1e-9), model.certified_
    ((3, 4), True, True)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        region: Any = "l2",
        radius: Any = "auto",
        *,
        groups: Any = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        method: Any = None,
        warm_start: bool = False,
    ) -> None:
        self.region, self.radius, self.groups = region, radius, groups
        self.fit_intercept, self.class_weight = fit_intercept, class_weight
        self.tol, self.max_iter, self.method = tol, max_iter, method
        self.warm_start = warm_start
