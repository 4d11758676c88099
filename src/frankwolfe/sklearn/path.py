"""Regularization paths: coefficients along growing radii."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array, TableLike
from frankwolfe.sklearn.linear import ConstrainedLinear, PosedProblem
from frankwolfe.sklearn.logistic import ConstrainedLogisticRegression
from frankwolfe.sklearn.radii import radii_for
from frankwolfe.sklearn.regression import ConstrainedRegressor
from frankwolfe.sklearn.task import warn_unless_converged

__all__ = ["RegularizationPath", "logistic_path", "regression_path"]


@dataclass(frozen=True, eq=False)
class RegularizationPath:
    """Coefficients along growing radii.

    Attributes
    ----------
    radii : array of shape (n_radii,)
    coefs : array of shape (n_radii, n_features) or (n_radii, n_outputs, n_features)
        The `coef_` of every radius.
    intercepts : array of shape (n_radii,) or (n_radii, n_outputs)
    dual_gaps : array of shape (n_radii,)
    certified : bool
        Whether every gap is a bound.
    n_iters : array of shape (n_radii,)
    """

    radii: Array
    coefs: Array
    intercepts: Array
    dual_gaps: Array
    certified: bool
    n_iters: Array


def logistic_path(
    X: TableLike,
    y: ArrayLike,
    *,
    radii: int | ArrayLike = 20,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> RegularizationPath:
    """Coefficients of logistic regression along radii, each fit beginning at the last one.

    Parameters
    ----------
    X, y, sample_weight
        As in :class:`ConstrainedLogisticRegression`.
    radii : int or array
        The radii, or how many: these go in equal ratios from where the loss can have fallen by
        1 % to where a unit of radius lowers it a thousandth as much as at first.
    **options
        Parameters of :class:`ConstrainedLogisticRegression` other than `radius`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from frankwolfe.sklearn import logistic_path
    >>> X, y = load_iris(return_X_y=True)
    >>> path = logistic_path(X, y == 1, radii=5, region="l1")
    >>> path.coefs.shape, path.certified
    ((5, 1, 4), True)
    """
    return _path(ConstrainedLogisticRegression(**options), X, y, sample_weight, radii)


def regression_path(
    X: TableLike,
    y: ArrayLike,
    *,
    radii: int | ArrayLike = 20,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> RegularizationPath:
    """Coefficients of a regression along radii, each fit beginning at the last one.

    Parameters are those of :func:`logistic_path`, with options of
    :class:`ConstrainedRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from frankwolfe.sklearn import regression_path
    >>> X, y = load_diabetes(return_X_y=True)
    >>> path = regression_path(X, y, region="l1")
    >>> [int((coef != 0.0).sum()) for coef in path.coefs[[0, 10, 19]]]
    [1, 2, 10]
    """
    return _path(ConstrainedRegressor(**options), X, y, sample_weight, radii)


def _path(
    model: ConstrainedLinear,
    X: TableLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    radii: int | ArrayLike,
) -> RegularizationPath:
    posed = PosedProblem.of(model, X, y, sample_weight)
    chosen = radii_for(posed.task, posed.settings, radii)
    fits, coefs, intercepts = [], [], []
    for fit in posed.along(chosen):
        fits.append(fit)
        coefs.append(model.coef_)
        intercepts.append(model.intercept_)
    warn_unless_converged(fits, type(model).__name__)
    return RegularizationPath(
        chosen,
        np.array(coefs),
        np.array(intercepts),
        np.array([fit.result.gap for fit in fits]) * posed.task.scale,
        all(fit.result.certified for fit in fits),
        np.array([fit.result.nit for fit in fits]),
    )
