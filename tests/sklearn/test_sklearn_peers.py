"""The estimators against scikit-learn's own, at the radius that their penalty implies."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")

import sklearn
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import (
    HuberRegressor,
    Lasso,
    LogisticRegression,
    QuantileRegressor,
    Ridge,
)
from sklearn.metrics import mean_pinball_loss
from sklearn.preprocessing import StandardScaler

from frankwolfe.sklearn import ConstrainedLogisticRegression, ConstrainedRegressor

ORDER = {"l1": 1, "l2": 2}
VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))
CLOSE = 1e-4


def scaled(load, columns: int, rows: int = 10_000):
    X, y = load(return_X_y=True)
    step = max(1, len(y) // rows)
    return StandardScaler().fit_transform(X[::step, :columns]), y[::step]


def penalized(norm: str, C: float, **options):
    kind = {"l1_ratio": 1.0 if norm == "l1" else 0.0} if VERSION >= (1, 8) else {"penalty": norm}
    solver = "saga" if norm == "l1" else "newton-cholesky"
    return LogisticRegression(C=C, solver=solver, tol=1e-11, max_iter=100_000, **kind, **options)


def norm_of(model, norm: str) -> float:
    return float(np.linalg.norm(model.coef_.ravel(), ORDER[norm]))


def agree(ours, theirs) -> None:
    for name in ("coef_", "intercept_"):
        mine, other = np.ravel(getattr(ours, name)), np.ravel(getattr(theirs, name))
        assert np.linalg.norm(mine - other) <= CLOSE * max(np.linalg.norm(other), 1e-3), name
    assert ours.certified_


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_binary_logistic_regression(norm, intercept):
    X, y = scaled(load_breast_cancer, 8, 200)
    theirs = penalized(norm, 0.3, fit_intercept=intercept).fit(X, y)
    ours = ConstrainedLogisticRegression(
        norm, norm_of(theirs, norm), fit_intercept=intercept, tol=1e-12
    ).fit(X, y)
    agree(ours, theirs)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-4)
    assert ours.predict_log_proba(X) == pytest.approx(theirs.predict_log_proba(X), abs=1e-3)
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_multinomial_logistic_regression(norm, intercept):
    X, y = scaled(load_iris, 4)
    theirs = penalized(norm, 0.3, fit_intercept=intercept).fit(X, y)
    ours = ConstrainedLogisticRegression(
        norm, norm_of(theirs, norm), fit_intercept=intercept, tol=1e-12
    ).fit(X, y)
    agree(ours, theirs)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-4)
    assert ours.predict_log_proba(X) == pytest.approx(theirs.predict_log_proba(X), abs=1e-3)


@pytest.mark.skipif(VERSION < (1, 7), reason="it balanced the counts, not the weights")
@pytest.mark.parametrize("classes", [2, 3])
def test_balanced_classes(classes, rng):
    X, y = scaled(load_iris, 4)
    X, y = X[y < classes][:120], y[y < classes][:120]
    weight = rng.integers(1, 4, y.size).astype(float)
    theirs = penalized("l2", 0.5, class_weight="balanced").fit(X, y, weight)
    ours = ConstrainedLogisticRegression(
        "l2", norm_of(theirs, "l2"), class_weight="balanced", tol=1e-12
    ).fit(X, y, weight)
    agree(ours, theirs)


def test_classes_weighted_by_hand():
    X, y = scaled(load_breast_cancer, 6, 200)
    weights = {0: 3.0, 1: 0.5}
    theirs = penalized("l2", 0.5, class_weight=weights).fit(X, y)
    radius = norm_of(theirs, "l2")
    ours = ConstrainedLogisticRegression("l2", radius, class_weight=weights, tol=1e-12)
    agree(ours.fit(X, y), theirs)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("norm", "peer"), [("l1", Lasso), ("l2", Ridge)])
def test_lasso_and_ridge(norm, peer, intercept):
    X, y = load_diabetes(return_X_y=True)
    theirs = peer(alpha=0.3, tol=1e-12, max_iter=100_000, fit_intercept=intercept).fit(X, y)
    ours = ConstrainedRegressor(
        norm, norm_of(theirs, norm), fit_intercept=intercept, tol=1e-13
    ).fit(X, y)
    agree(ours, theirs)
    assert ours.predict(X) == pytest.approx(theirs.predict(X), rel=1e-4)


@pytest.mark.parametrize("intercept", [True, False])
def test_huber_regression_at_the_scale_that_it_finds(intercept, rng):
    """Given its scale s it minimizes the Huber loss of threshold epsilon s, with a penalty.

    It adds up s + s H(r / s) and alpha |w|^2, where H has the threshold epsilon. s H(r / s) is
    the Huber loss of threshold epsilon s over s, so w minimizes that loss + alpha s |w|^2.
    """
    X, y = scaled(load_diabetes, 10)
    y = y + np.where(rng.random(y.size) < 0.05, 500.0, 0.0)
    theirs = HuberRegressor(
        epsilon=1.3, alpha=20.0, tol=1e-10, max_iter=10_000, fit_intercept=intercept
    ).fit(X, y)
    ours = ConstrainedRegressor(
        "l2",
        norm_of(theirs, "l2"),
        loss="huber",
        delta=theirs.epsilon * theirs.scale_,
        fit_intercept=intercept,
        tol=1e-13,
    ).fit(X, y)
    agree(ours, theirs)


@pytest.mark.parametrize("quantile", [0.2, 0.5])
def test_quantile_regression_up_to_what_smoothing_costs(quantile):
    X, y = scaled(load_diabetes, 10)
    theirs = QuantileRegressor(quantile=quantile, alpha=0.02, solver="highs").fit(X, y)
    ours = ConstrainedRegressor(
        "l1", norm_of(theirs, "l1"), loss="quantile", quantile=quantile, delta=0.05
    ).fit(X, y)
    mine, other = (mean_pinball_loss(y, m.predict(X), alpha=quantile) for m in (ours, theirs))
    most = 0.5 * max(quantile, 1.0 - quantile) ** 2 * 0.05 + ours.dual_gap_
    assert abs(mine - other) <= most
    assert mine == pytest.approx(other, rel=1e-3)
