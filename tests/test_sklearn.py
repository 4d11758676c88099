"""The estimators for scikit-learn."""

from __future__ import annotations

import pytest

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")

from sklearn.utils.estimator_checks import parametrize_with_checks

from frankwolfe.sklearn import (
    ConstrainedLogisticRegression,
    ConstrainedLogisticRegressionCV,
    ConstrainedRegressor,
    ConstrainedRegressorCV,
    MatrixCompletion,
)


@parametrize_with_checks(
    [
        ConstrainedLogisticRegression(),
        ConstrainedLogisticRegression("l1", fit_intercept=False),
        ConstrainedLogisticRegressionCV("l1", radii=4, cv=3),
        ConstrainedRegressor(),
        ConstrainedRegressor("l1", loss="huber"),
        ConstrainedRegressor("simplex", loss="quantile"),
        ConstrainedRegressorCV(radii=4, cv=3),
        MatrixCompletion(),
    ]
)
def test_it_is_an_estimator_as_scikit_learn_wants_it(estimator, check):
    check(estimator)
