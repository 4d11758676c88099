"""Regularization paths: coefficients along growing radii."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array, TableLike
from frankwolfe.base.checks import at_least_one, finite_vector
from frankwolfe.base.errors import InvalidInput
from frankwolfe.sklearn.linear import ConstrainedLinear
from frankwolfe.sklearn.logistic import ConstrainedLogisticRegression
from frankwolfe.sklearn.radii import find_grid
from frankwolfe.sklearn.regression import ConstrainedRegressor
from frankwolfe.sklearn.task import Settings, Task, warn_unless_converged

__all__ = ["RegularizationPath", "logistic_path", "radii_for", "regression_path"]


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
    task = model._posed(X, y, sample_weight)
    settings = model._settings()
    chosen = radii_for(task, settings, radii)
    fits, coefs, intercepts = [], [], []
    for fit in task.along(chosen, settings):
        model._keep(task, fit)
        fits.append(fit)
        coefs.append(model.coef_)
        intercepts.append(model.intercept_)
    warn_unless_converged(fits, type(model).__name__)
    return RegularizationPath(
        chosen,
        np.array(coefs),
        np.array(intercepts),
        np.array([fit.result.gap for fit in fits]) * task.scale,
        all(fit.result.certified for fit in fits),
        np.array([fit.result.nit for fit in fits]),
    )


def radii_for(task: Task, settings: Settings, radii: int | ArrayLike) -> Array:
    """Radii of a path in growing order: those given, or a grid of as many as were asked for."""
    if task.fixed:
        raise InvalidInput(
            'a path needs a region\'s name, such as "l1": a region object has one size only.'
        )
    if isinstance(radii, int | np.integer):
        return find_grid(task, settings, at_least_one("radii", radii))
    values = np.sort(finite_vector("radii", radii)).astype(np.float64)
    if values[0] <= 0.0:
        raise InvalidInput(f"radii must be > 0, got {values[0]:g}.")
    return values
