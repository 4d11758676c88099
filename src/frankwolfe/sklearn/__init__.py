"""Estimators for scikit-learn: linear models with coefficients in a region, and completion.

They only translate: :func:`frankwolfe.minimize` does the work, and its certificate comes along.
"""

from __future__ import annotations

from frankwolfe.base.errors import MissingExtra

try:
    import sklearn  # noqa: F401
except ImportError:
    raise MissingExtra("frankwolfe.sklearn", "scikit-learn", "sklearn") from None

from frankwolfe.apps.completion.completion import MatrixCompletion
from frankwolfe.sklearn.cv import ConstrainedLogisticRegressionCV, ConstrainedRegressorCV
from frankwolfe.sklearn.logistic import ConstrainedLogisticRegression
from frankwolfe.sklearn.path import RegularizationPath, logistic_path, regression_path
from frankwolfe.sklearn.regression import ConstrainedRegressor

__all__ = [
    "ConstrainedLogisticRegression",
    "ConstrainedLogisticRegressionCV",
    "ConstrainedRegressor",
    "ConstrainedRegressorCV",
    "MatrixCompletion",
    "RegularizationPath",
    "logistic_path",
    "regression_path",
]
