"""The estimators for scikit-learn."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")

from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from sklearn.metrics import log_loss, make_scorer, mean_pinball_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import frankwolfe as fw
from frankwolfe.sklearn import (
    ConstrainedLogisticRegression,
    ConstrainedLogisticRegressionCV,
    ConstrainedRegressor,
    ConstrainedRegressorCV,
    MatrixCompletion,
    logistic_path,
    regression_path,
)
from frankwolfe.sklearn.radii import part_numbers

CLASSES = {"two": 2, "three": 3}
LOSSES = ("squared", "huber", "quantile")


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X[::2, :8]), y[::2]


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


@parametrize_with_checks(
    [
        ConstrainedLogisticRegression(),
        ConstrainedLogisticRegressionCV(radii=[0.5, 5.0], cv=2, tol=1e-4),
        ConstrainedRegressor("l1", loss="huber"),
        ConstrainedRegressorCV(radii=[0.5, 5.0], cv=2),
        MatrixCompletion(),
    ]
)
def test_it_is_an_estimator_as_scikit_learn_wants_it(estimator, check):
    check(estimator)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("region", fw.regions.REGION_NAMES)
def test_every_region_and_loss_is_certified(region, loss, diabetes):
    X, y = diabetes
    model = ConstrainedRegressor(region, 300.0, loss=loss).fit(X, y)
    assert model.certified_
    assert 0.0 <= model.dual_gap_ <= 1e-6 * np.abs(y - y.mean()).max() ** 2
    assert model.region_.contains(model.coef_, 1e-9)


@pytest.mark.parametrize("region", fw.regions.REGION_NAMES)
@pytest.mark.parametrize("count", CLASSES.values(), ids=CLASSES.keys())
def test_a_region_object_is_the_same_as_its_name(region, count):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < count], y[y < count]
    named = ConstrainedLogisticRegression(region, 2.0, tol=1e-10).fit(X, y)
    given = ConstrainedLogisticRegression(named.region_, tol=1e-10).fit(X, y)
    assert named.radius_ == given.radius_ == 2.0
    assert given.coef_ == pytest.approx(named.coef_, abs=1e-9)


def test_any_region_will_do(diabetes):
    X, y = diabetes
    model = ConstrainedRegressor(fw.Box(0.0, 200.0)).fit(X, y)
    assert model.coef_.min() >= 0.0
    assert model.coef_.max() == pytest.approx(200.0)
    assert np.isnan(model.radius_)


def test_groups_enter_and_leave_together(diabetes):
    X, y = diabetes
    groups = np.arange(10) // 2
    coef = ConstrainedRegressor("group", 600.0, groups=groups).fit(X, y).coef_.reshape(5, 2)
    zero = coef == 0.0
    assert (zero.all(axis=1) | ~zero.any(axis=1)).all()
    assert 0 < zero.all(axis=1).sum() < 5


def test_a_group_is_a_feature_with_all_its_classes():
    X, y = load_iris(return_X_y=True)
    coef = ConstrainedLogisticRegression("group", 2.0).fit(X, y).coef_
    zero = coef == 0.0
    assert (zero.all(axis=0) | ~zero.any(axis=0)).all()
    assert zero.all(axis=0).any()


@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_matrix])
@pytest.mark.parametrize("intercept", [True, False])
def test_sparse_is_dense(make, intercept, cancer):
    X, y = cancer
    X = np.where(np.abs(X) < 0.7, 0.0, X)
    for model in (
        ConstrainedLogisticRegression("l1", 3.0, fit_intercept=intercept, tol=1e-11),
        ConstrainedRegressor("l2", 0.5, fit_intercept=intercept, tol=1e-11),
    ):
        dense, sparse = clone(model).fit(X, y), clone(model).fit(make(X), y)
        assert sparse.coef_ == pytest.approx(dense.coef_, abs=1e-6)
        assert sparse.intercept_ == pytest.approx(dense.intercept_, abs=1e-6)
        assert sparse.predict(make(X)) == pytest.approx(dense.predict(X), abs=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
def test_whole_weights_are_repeated_rows(loss, diabetes, rng):
    X, y = diabetes
    weight = rng.integers(0, 4, y.size)
    model = ConstrainedRegressor("l1", 500.0, loss=loss, tol=1e-12)
    weighted = clone(model).fit(X, y, weight)
    repeated = clone(model).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert weighted.coef_ == pytest.approx(repeated.coef_, rel=1e-6, abs=1e-4)
    assert weighted.intercept_ == pytest.approx(repeated.intercept_, rel=1e-6)


def test_observations_of_weight_zero_are_absent():
    X, y = load_iris(return_X_y=True)
    model = ConstrainedLogisticRegression("l2", 3.0).fit(X, y, (y < 2).astype(float))
    assert list(model.classes_) == [0, 1]
    assert model.coef_ == pytest.approx(clone(model).fit(X[y < 2], y[y < 2]).coef_)


@pytest.mark.parametrize("unit", [1e-6, 1e5])
def test_units_of_the_target_change_nothing(unit, diabetes):
    X, y = diabetes
    for loss in LOSSES:
        one, other = (ConstrainedRegressor("l1", loss=loss).fit(X, u * y) for u in (1.0, unit))
        assert other.radius_ == pytest.approx(unit * one.radius_, rel=1e-6)
        assert other.coef_ == pytest.approx(
            unit * one.coef_, rel=1e-3, abs=1e-3 * one.radius_ * unit
        )


@pytest.mark.parametrize("region", ["l1", "l2", "linf", "group", "unit_simplex"])
def test_the_radii_go_from_where_something_happens_to_where_nothing_more_does(region, diabetes):
    X, y = diabetes
    path = regression_path(X, y, region=region, radii=12)
    errors = [
        np.mean((y - X @ w - b) ** 2) for w, b in zip(path.coefs, path.intercepts, strict=True)
    ]
    null = np.var(y)
    assert 0.99 * null <= errors[0] < null
    assert (np.diff(errors) < 1e-6 * null).all()
    free = ConstrainedRegressor(region, 100.0 * path.radii[-1]).fit(X, y)
    least = np.mean((y - free.predict(X)) ** 2)
    assert errors[-1] <= least + 0.01 * null
    assert errors[-3] > least + 1e-5 * null
    ratios = path.radii[1:] / path.radii[:-1]
    assert ratios == pytest.approx(ratios[0])


def test_a_path_is_single_fits(cancer):
    X, y = cancer
    radii = [4.0, 0.5, 1.0]
    path = logistic_path(X, y, radii=radii, region="l1", tol=1e-11)
    assert list(path.radii) == sorted(radii)
    for radius, coef, intercept in zip(path.radii, path.coefs, path.intercepts, strict=True):
        model = ConstrainedLogisticRegression("l1", radius, tol=1e-11).fit(X, y)
        assert coef == pytest.approx(model.coef_, abs=1e-4)
        assert intercept == pytest.approx(model.intercept_, abs=1e-4)
    assert path.certified


def test_a_warm_start_saves_steps(cancer):
    X, y = cancer
    model = ConstrainedLogisticRegression("l2", 3.0, method="away_step", warm_start=True, tol=1e-4)
    first = model.fit(X, y).n_iter_
    again = model.fit(X, y).n_iter_
    assert again == 1 < first
    smaller = clone(model).set_params(radius=2.0, tol=1e-9).fit(X, y).coef_
    assert model.set_params(radius=2.0, tol=1e-9).fit(X, y).coef_ == pytest.approx(
        smaller, abs=1e-3
    )


@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
def test_cross_validation_is_a_grid_search(scoring, cancer):
    X, y = cancer
    radii = np.array([0.1, 0.5, 2.0, 8.0])
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    ours = ConstrainedLogisticRegressionCV("l1", radii, cv=folds, scoring=scoring, tol=1e-9)
    ours.fit(X, y)
    plain = ConstrainedLogisticRegression("l1", tol=1e-9)
    search = GridSearchCV(plain, {"radius": radii}, cv=folds, scoring=scoring).fit(X, y)
    found = search.cv_results_["mean_test_score"]
    assert ours.cv_scores_.mean(axis=0) == pytest.approx(found, abs=1e-4)
    assert ours.radius_ == search.best_params_["radius"]
    assert ours.coef_ == pytest.approx(search.best_estimator_.coef_, abs=1e-3)
    assert ours.best_score_ == pytest.approx(search.best_score_, abs=1e-4)


def test_cross_validation_finds_a_radius_between(diabetes):
    X, y = diabetes
    model = ConstrainedRegressorCV("l1", cv=KFold(5), n_jobs=1).fit(X, y)
    assert model.cv_scores_.shape == (5, 20)
    assert model.radii_[0] < model.radius_ <= model.radii_[-1]
    assert model.best_score_ > 0.45
    assert np.abs(model.coef_).sum() <= model.radius_ * (1 + 1e-9)


def test_a_pipeline_in_a_grid_search():
    X, y = load_breast_cancer(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), ConstrainedLogisticRegression("l1"))
    grid = {"constrainedlogisticregression__radius": [0.5, 5.0, 20.0]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.96
    assert search.best_estimator_.score(X, y) > 0.97


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_data_frames(kind, diabetes):
    library = pytest.importorskip(kind, reason=f"{kind} is not installed")
    X, y = diabetes
    names = [f"x{i}" for i in range(X.shape[1])]
    frame, target = library.DataFrame(dict(zip(names, X.T, strict=True))), library.Series(y)
    model = ConstrainedRegressor("l1", 800.0).fit(frame, target)
    assert list(model.feature_names_in_) == names
    assert model.coef_ == pytest.approx(clone(model).fit(X, y).coef_)
    assert model.predict(frame) == pytest.approx(clone(model).fit(X, y).predict(X))
    with_nan = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    holes = library.DataFrame(dict(zip(names, with_nan.T, strict=True)))
    filled = MatrixCompletion(radius=0.5).set_output(transform=kind).fit_transform(holes)
    assert isinstance(filled, library.DataFrame)
    assert list(filled.columns) == names
    plain = MatrixCompletion(radius=0.5).fit_transform(with_nan)
    assert np.asarray(filled) == pytest.approx(plain)


@pytest.mark.parametrize(
    "model",
    [
        ConstrainedLogisticRegression("l1", 2.0, method="pairwise"),
        ConstrainedLogisticRegression(fw.L2Ball(2.0), method=fw.blended_pairwise()),
        ConstrainedLogisticRegressionCV("l2", radii=3, cv=2),
    ],
)
def test_copies_predict_the_same(model, cancer):
    X, y = cancer
    model = clone(model).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert clone(model).fit(X, y).coef_ == pytest.approx(model.coef_)


def test_stopping_early_is_said_in_one_sentence(cancer):
    X, y = cancer
    model = ConstrainedLogisticRegression("l2", 5.0, method="frank_wolfe", max_iter=3)
    with pytest.warns(
        ConvergenceWarning, match=r"after 3 iterations .*raise max_iter or tol"
    ) as seen:
        model.fit(X, y)
    assert len(seen) == 1
    assert model.certified_
    assert model.dual_gap_ > 1e-4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"region": "l3"}, "region must be one of l1, l2"),
        ({"radius": -1.0}, "radius must be a finite number > 0"),
        ({"radius": "large"}, "radius must be a finite number > 0"),
        ({"region": fw.L1Ball(1.0), "radius": 2.0}, "this region has its own size"),
        ({"region": "l1", "groups": [0] * 10}, 'groups goes with region="group"'),
        ({"region": "group", "groups": [0, 1]}, "one label for each of the 10 features"),
        ({"loss": "cubic"}, "loss must be one of squared, huber, quantile"),
        ({"loss": "huber", "delta": 0.0}, "delta must be a finite number > 0"),
        ({"tol": -1.0}, "tol must be a finite number >= 0"),
        ({"max_iter": 0}, "whole number >= 1"),
        ({"method": "newton"}, "method must be one of"),
        ({"region": fw.NuclearBall(1.0)}, "holds matrices"),
    ],
)
def test_what_is_wrong_is_named(options, words, diabetes):
    with pytest.raises(fw.InvalidInput, match=re.escape(words)):
        ConstrainedRegressor(**options).fit(*diabetes)


def test_a_path_needs_a_name(diabetes):
    with pytest.raises(fw.InvalidInput, match="a path needs a region's name"):
        regression_path(*diabetes, region=fw.L1Ball(1.0))
    with pytest.raises(fw.InvalidInput, match="radii must be > 0"):
        ConstrainedRegressorCV(radii=[0.0, 1.0]).fit(*diabetes)
    with pytest.raises(fw.InvalidInput, match="sample_weight must be >= 0"):
        ConstrainedRegressor().fit(*diabetes, -np.ones(442))


@pytest.mark.parametrize("loss", ["squared", "huber"])
@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_an_automatic_radius_does_not_hang_on_units(loss, unit):
    X = np.random.default_rng(0).standard_normal((50, 3))
    y = X @ [1.0, 2.0, 3.0]
    plain = ConstrainedRegressor("l1", loss=loss).fit(X, y)
    for features, target in ((X, unit * y), (X / unit, y)):
        model = ConstrainedRegressor("l1", loss=loss).fit(features, target)
        assert model.radius_ == pytest.approx(unit * plain.radius_, rel=1e-3)
    constant = ConstrainedRegressor("l1").fit(X, np.full(50, 3.0))
    np.testing.assert_allclose(constant.predict(X), 3.0)


def test_cross_validation_says_what_it_cannot_do():
    rng = np.random.default_rng(0)
    X, y, w = rng.standard_normal((40, 3)), rng.standard_normal(40), rng.uniform(1, 2, 40)
    classes = rng.integers(0, 2, 40)
    classes[0] = 2

    def plain(model, X, y):
        return model.score(X, y)

    with pytest.raises(fw.InvalidInput, match="not a finite number"):
        ConstrainedRegressorCV("l1", 3, scoring=lambda *_: np.nan).fit(X, y)
    with pytest.raises(fw.InvalidInput, match="must take sample_weight"):
        ConstrainedRegressorCV("l1", 3, scoring=plain).fit(X, y, sample_weight=w)
    with pytest.raises(fw.InvalidInput, match="one name or one function"):
        ConstrainedRegressorCV("l1", 3, scoring=["r2"]).fit(X, y)
    with pytest.raises(fw.InvalidInput, match="no observation in the training part"):
        ConstrainedLogisticRegressionCV("l2", 3, cv=KFold(5)).fit(X, classes)


def test_quantiles_are_judged_by_their_own_loss():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((120, 3))
    y = X[:, 0] + np.exp(X[:, 1]) * rng.standard_normal(120)
    model = ConstrainedRegressorCV("l1", 5, loss="quantile", quantile=0.9).fit(X, y)
    told = make_scorer(mean_pinball_loss, greater_is_better=False, alpha=0.9)
    same = ConstrainedRegressorCV("l1", 5, loss="quantile", quantile=0.9, scoring=told).fit(X, y)
    np.testing.assert_allclose(model.cv_scores_, same.cv_scores_)


def test_a_refit_forgets_what_does_not_fit():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 4)), rng.standard_normal(40)
    model = ConstrainedRegressor("l2", 1.0, loss="huber", warm_start=True).fit(X, y)
    model.set_params(loss="squared").fit(X[:, :2], y)
    assert model.coef_.shape == (2,)
    assert not hasattr(model, "delta_")


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("mean", [1e3, 1e8])
def test_features_far_from_zero_are_fitted_as_near_ones(make, mean, diabetes):
    X, y = diabetes
    X = X / X.std(axis=0)
    X[:, 1] = X[:, 1] > 0.0  # one column stays where it is
    far = X + mean * np.array([1, 0, -2, 1, 5, 1, 1, -1, 1, 1])
    near = far - mean * np.array([1, 0, -2, 1, 5, 1, 1, -1, 1, 1])  # with the digits that are left
    for loss in LOSSES:
        model = ConstrainedRegressor("l2", 200.0, loss=loss)
        one, two = clone(model).fit(near, y), clone(model).fit(make(far), y)
        assert two.certified_
        assert two.score(make(far), y) == pytest.approx(one.score(near, y), abs=1e-5)
    least = LinearRegression().fit(far, y).score(far, y)
    free = ConstrainedRegressor("l2", 1e4).fit(make(far), y)
    assert free.score(make(far), y) >= least - 1e-6
    for classes in (y > 140.0, np.digitize(y, [100.0, 180.0])):
        model = ConstrainedLogisticRegression("l1", 5.0)
        one, two = clone(model).fit(near, classes), clone(model).fit(make(far), classes)
        assert two.certified_
        assert two.predict_proba(make(far)) == pytest.approx(one.predict_proba(near), abs=1e-3)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_equal_rows_are_held_out_together_whatever_their_order(make, rng):
    X = np.round(rng.standard_normal((60, 4)), 1)
    X = np.vstack([X, X[:20]])
    strata = rng.integers(0, 3, 60)
    strata = np.concatenate([strata, strata[:20]])
    strata[5] = strata[65] = 3  # one row of its own, twice
    numbers, count = part_numbers(make(X), strata)
    assert count == 5
    np.testing.assert_array_equal(numbers[:20], numbers[60:])
    assert numbers[5] == -1
    order = rng.permutation(80)
    np.testing.assert_array_equal(
        part_numbers(make(1e-3 * X[order]), strata[order])[0], numbers[order]
    )
    for stratum in range(3):
        shares = np.bincount(numbers[:60][strata[:60] == stratum], minlength=5)
        assert np.ptp(shares) <= 1


def test_an_automatic_radius_does_as_well_as_cross_validation():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    train, test = np.arange(y.size) % 2 == 0, np.arange(y.size) % 2 == 1
    auto = ConstrainedLogisticRegression().fit(X[train], y[train])
    best = ConstrainedLogisticRegressionCV(scoring="neg_log_loss", radii=12).fit(X[train], y[train])
    ours, theirs = (log_loss(y[test], m.predict_proba(X[test])) for m in (auto, best))
    assert ours <= 1.1 * theirs
    assert roc_auc_score(y[test], auto.decision_function(X[test])) > 0.985
