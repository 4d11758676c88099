"""Logistic regression with coefficients in a region."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from frankwolfe.base.arrays import AnyArray, Array, Ints, TableLike
from frankwolfe.base.errors import InvalidInput
from frankwolfe.methods import Method
from frankwolfe.objectives import Logistic, Multinomial, Objective
from frankwolfe.regions import Region
from frankwolfe.sklearn.distributed import Predictions, RowDraft, RowSample, applied, lazy_engine
from frankwolfe.sklearn.linear import ConstrainedLinear
from frankwolfe.sklearn.task import Observations, Task

__all__ = ["ClassWeight", "ConstrainedLogisticRegression"]

ClassWeight: TypeAlias = Mapping[Any, float] | str | None
"""Weights of classes, as in scikit-learn: by label, or "balanced"."""


class LogisticModel(ClassifierMixin, ConstrainedLinear):  # type: ignore[misc]
    """Classifier by a linear prediction: base of the estimators with one radius and with many."""

    class_weight: ClassWeight

    @property
    def _outputs(self) -> int:
        count = int(self.classes_.size)
        return 1 if count == 2 else count

    def _targets(self, data: Observations) -> Array:
        check_classification_targets(data.y)
        self.classes_, codes = np.unique(data.y, return_inverse=True)
        self._check_classes()
        return np.asarray(codes)

    def _check_classes(self) -> None:
        if self.classes_.size < 2:
            raise InvalidInput(
                f"y must hold at least two classes, but there is one class only: "
                f"{self.classes_.tolist()[0]!r}."
            )

    def _drafted(self, draft: RowDraft) -> tuple[Objective, Callable[[RowSample], Observations]]:
        classes, totals = draft.whole.classes, draft.whole.totals
        assert classes is not None  # for labels were asked for
        assert totals is not None
        check_classification_targets(classes)
        self.classes_ = classes[totals > 0.0]
        if self.classes_.size < classes.size > 1:
            raise InvalidInput(
                f"all rows of the class {classes[totals == 0.0].tolist()[0]!r} have weight zero: "
                "leave them out."
            )
        self._check_classes()
        factors = self._factors(totals, classes) if self.class_weight is not None else None
        loss = draft.loss(self._loss(), factors=factors)

        def observations(rows: RowSample) -> Observations:
            codes = np.searchsorted(classes, rows.targets)
            if np.unique(codes).size < classes.size:
                raise InvalidInput(
                    'radius="auto" looks at every so many rows, and these miss a class: give a '
                    "radius."
                )
            weight = rows.weights if factors is None else rows.weights * factors[codes]
            return Observations(rows.data, codes, weight)

        return loss, observations

    def _weights(self, data: Observations) -> Array:
        if self.class_weight is None:
            return data.weight
        codes = data.y.astype(np.intp, copy=False)
        factors = self._factors(np.bincount(codes, data.weight), self.classes_[codes])
        return np.asarray(data.weight * factors[codes])

    def _factors(self, totals: AnyArray, labels: AnyArray) -> Array:
        """Factor of each class by `class_weight`, from the total weights of the classes."""
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            return np.asarray(totals.sum() / (totals.size * totals))
        found = compute_class_weight(self.class_weight, classes=self.classes_, y=labels)
        return np.asarray(found)

    def _loss(self) -> Callable[..., Objective]:
        return Logistic if self._outputs == 1 else Multinomial

    def _thinned(self, data: Observations) -> Observations:
        thin = super()._thinned(data)
        # every class must have a row, or its coefficients would not be determined
        return thin if np.unique(thin.y).size == self.classes_.size else data

    def _strata(self, data: Observations) -> Ints:
        return data.y.astype(np.int64)

    def _intercept(self, task: Task, x: Array) -> Array:
        b = super()._intercept(task, x)
        return b if b.size == 1 else b - b.mean()  # a common shift changes no probability

    def decision_function(self, X: TableLike) -> Predictions:
        """Linear prediction: one number a row for two classes, else one a class."""
        return applied(_flat, self._linear(X))

    def predict(self, X: TableLike) -> Predictions:
        """Likeliest class of every row."""
        return applied(_likeliest, self._linear(X), self.classes_)

    def predict_proba(self, X: TableLike) -> Predictions:
        """Probabilities of the classes, one column a class."""
        return applied(_probabilities, self._linear(X))

    def predict_log_proba(self, X: TableLike) -> Predictions:
        """Logarithms of the probabilities of the classes, one column a class."""
        return applied(_log_probabilities, self._linear(X))

    def score(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy: the weighted share of rows whose class is predicted."""
        engine = lazy_engine(X)
        if engine is None:
            return float(super().score(X, y, sample_weight))
        decide = partial(_likeliest, self.classes_)
        return float(engine.accuracy(decide, self._linear(X), y, sample_weight))


def _flat(z: Array) -> Array:
    return z[:, 0] if z.shape[1] == 1 else z


def _likeliest(classes: AnyArray, z: Array) -> AnyArray:
    place = (z[:, 0] > 0.0).astype(int) if z.shape[1] == 1 else z.argmax(axis=1)
    chosen: AnyArray = classes[place]
    return chosen


def _probabilities(z: Array) -> Array:
    return np.asarray(softmax(z, axis=1) if z.shape[1] > 1 else expit(np.hstack([-z, z])))


def _log_probabilities(z: Array) -> Array:
    return np.asarray(log_softmax(z, axis=1) if z.shape[1] > 1 else log_expit(np.hstack([-z, z])))


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
        One of ``frankwolfe.methods.METHODS``; by default what suits loss and region.
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
        region: str | Region = "l2",
        radius: float | str = "auto",
        *,
        groups: ArrayLike | None = None,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        method: str | Method | None = None,
        warm_start: bool = False,
    ) -> None:
        self.region, self.radius, self.groups = region, radius, groups
        self.fit_intercept, self.class_weight = fit_intercept, class_weight
        self.tol, self.max_iter, self.method = tol, max_iter, method
        self.warm_start = warm_start
