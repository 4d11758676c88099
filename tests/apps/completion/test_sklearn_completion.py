"""Matrix completion as an imputer and of ratings, and rows that a fit has not seen."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")

from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import frankwolfe as fw
from frankwolfe.sklearn import MatrixCompletion


def table(seed: int = 0, shape=(80, 20), rank: int = 2, share: float = 0.35, noise: float = 0.1):
    rng = np.random.default_rng(seed)
    full = rng.standard_normal((shape[0], rank)) @ rng.standard_normal((rank, shape[1]))
    full += 2.0 * rng.standard_normal(shape[1])
    noisy = full + noise * rng.standard_normal(shape)
    return full, np.where(rng.random(shape) < share, np.nan, noisy)


@pytest.mark.parametrize("radius", [5.0, 20.0, 40.0])
@pytest.mark.parametrize(("loss", "delta"), [("squared", 1.0), ("huber", 0.3)])
def test_a_row_of_the_fit_is_completed_as_the_fit_has_it(loss, delta, radius):
    """The regression on the columns' factors is what the optimum satisfies."""
    _, X = table()
    known = ~np.isnan(X)
    cells, values = np.argwhere(known), X[known]
    model = MatrixCompletion(radius, loss=loss, delta=delta, tol=1e-6)
    model.fit_cells(cells, values, shape=X.shape)
    filled = model.transform(X)[~known]
    expected = model.predict(np.argwhere(~known))
    spread = np.std(expected - np.nanmean(X))
    assert np.sqrt(np.mean((filled - expected) ** 2)) <= 0.02 * spread


@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_it_does_far_better_than_means_on_old_and_new_rows(loss):
    full, X = table()
    model = MatrixCompletion(loss=loss).fit(X[:60])
    for rows in (slice(0, 60), slice(60, 80)):
        missing = np.isnan(X[rows])
        filled = model.transform(X[rows])
        means = SimpleImputer().fit(X[:60]).transform(X[rows])
        ours, theirs = (np.std((guess - full[rows])[missing]) for guess in (filled, means))
        assert ours < 0.5 * theirs


def test_known_entries_stay_and_rows_are_filled_one_by_one():
    _, X = table()
    model = MatrixCompletion(radius=20.0)
    filled = model.fit_transform(X)
    known = ~np.isnan(X)
    assert (filled[known] == X[known]).all()
    assert np.isfinite(filled).all()
    assert filled == pytest.approx(model.transform(X))
    assert filled[7:8] == pytest.approx(model.transform(X[7:8]))


@pytest.mark.parametrize("unit", [1e-4, 1e4])
def test_units_change_nothing(unit):
    _, X = table()
    one = MatrixCompletion(loss="huber", delta=0.5).fit(X)
    other = MatrixCompletion(loss="huber", delta=0.5 * unit).fit(unit * X)
    assert other.radius_ == pytest.approx(unit * one.radius_, rel=1e-3)
    assert other.transform(unit * X) == pytest.approx(unit * one.transform(X), rel=1e-2, abs=unit)


def test_rows_and_columns_without_a_number():
    _, X = table()
    X[3], X[:, 5] = np.nan, np.nan
    filled = MatrixCompletion(radius=10.0).fit_transform(X)
    assert np.isfinite(filled).all()
    others = np.arange(20) != 5
    assert np.corrcoef(filled[3, others], np.nanmean(X[:, others], axis=0))[0, 1] > 0.99


def test_it_sits_in_a_pipeline(rng):
    full, X = table()
    y = full @ rng.standard_normal(20)
    model = make_pipeline(MatrixCompletion(), Ridge()).fit(X[:60], y[:60])
    means = make_pipeline(SimpleImputer(), Ridge()).fit(X[:60], y[:60])
    assert model.score(X[60:], y[60:]) > means.score(X[60:], y[60:])


def test_what_is_wrong_is_named():
    with pytest.raises(fw.InvalidInput, match="at least two entries that are not NaN"):
        MatrixCompletion().fit(np.full((3, 3), np.nan))
    with pytest.raises(fw.InvalidInput, match="radius must be a finite number > 0"):
        MatrixCompletion(radius=0.0).fit(np.eye(3))
    with pytest.raises(fw.InvalidInput, match="loss must be one of"):
        MatrixCompletion(loss="cubic").fit(np.eye(3))


def test_a_sparse_matrix_is_the_table_of_its_stored_entries():
    _, X = table()
    X[4, 3] = 0.0
    known = ~np.isnan(X)
    stored = sp.csr_array((X[known], np.nonzero(known)), shape=X.shape)
    one, other = MatrixCompletion().fit(X), MatrixCompletion().fit(stored)
    assert stored.nnz == known.sum()
    assert one.radius_ == other.radius_
    np.testing.assert_array_equal(other.matrix_.toarray(), one.matrix_.toarray())
    np.testing.assert_array_equal(other.transform(stored), one.transform(X))
    np.testing.assert_array_equal(one.transform(stored[3:9]), one.transform(X[3:9]))


def test_a_table_and_its_cells_give_the_same_model():
    _, X = table()
    known = ~np.isnan(X)
    X /= np.nanstd(X)  # so that its unit is 1, but for rounding
    of_table = MatrixCompletion(20.0, tol=1e-6).fit(X)
    of_cells = MatrixCompletion(20.0, tol=1e-6)
    of_cells.fit_cells(np.argwhere(known), X[known], shape=X.shape)
    assert of_cells.unit_ == 1.0
    fitted = {name for name in vars(of_table) if name.endswith("_")}
    assert fitted == {name for name in vars(of_cells) if name.endswith("_")}
    assert of_cells.radius_ == pytest.approx(of_table.radius_)
    assert of_cells.transform(X) == pytest.approx(of_table.transform(X), abs=1e-3)
    every = np.argwhere(np.isfinite(of_table.transform(X)))
    whole = of_table.matrix_.toarray().ravel() + of_table.effects_.at(*every.T)
    assert of_cells.predict(every) == pytest.approx(whole, abs=1e-3)


def test_predict_goes_with_fit_cells():
    _, X = table()
    model = MatrixCompletion(20.0)
    assert not hasattr(model, "predict")
    with pytest.raises(AttributeError, match="predict"):
        model.fit(X).predict([[0, 0]])
    model.fit_cells([[0, 0], [1, 2], [2, 1]], [1.0, 2.0, 4.0])
    assert model.shape_ == (3, 3)
    assert model.n_features_in_ == 3
    assert model.predict([[0, 1]]).shape == (1,)
    assert not hasattr(model.fit(X), "predict")


def test_it_chooses_a_radius_for_ratings_and_refuses_bad_cells():
    data = fw.datasets.synthetic_ratings(80, 120, 4000)
    cells = np.column_stack([data.movies, data.users])
    model = MatrixCompletion().fit_cells(cells, data.values, shape=data.shape)
    assert model.radius_ > 0
    assert len(model.scores_) >= 2
    assert np.isfinite(model.predict(cells[:10])).all()
    fit, y = MatrixCompletion().fit_cells, data.values
    for call, words in (
        (lambda: fit(cells[:, 0], y), "one .row, column. a line"),
        (lambda: fit(cells, y[:5]), "values must have"),
        (lambda: fit(cells, y, shape=(3, 3)), "cells must lie"),
        (lambda: fit(cells, y, shape=7), "shape must be"),
        (lambda: fit(-cells, y), "cells must lie"),
        (lambda: MatrixCompletion(-1.0).fit_cells(cells, y), "radius must be"),
        (lambda: MatrixCompletion(ridge=0.0).fit_cells(cells, y), "ridge must be"),
        (lambda: MatrixCompletion(validation=0.9).fit_cells(cells, y), "validation must"),
        (lambda: model.predict([[9999, 0]]), "cells must lie"),
    ):
        with pytest.raises(fw.InvalidInput, match=words):
            call()


def scattered(signal: float, seed: int = 0):
    """Ratings of very many rows, most with one to three, with strong effects."""
    rng = np.random.default_rng(seed)
    users, items = 1500, 400
    rows = np.repeat(np.arange(users), np.minimum(rng.zipf(1.7, users), 60))
    keys = np.unique(rows * items + rng.integers(0, items, rows.size))
    rows, columns = np.divmod(rng.permutation(keys), items)
    left, right = rng.standard_normal((users, 2)), rng.standard_normal((items, 2))
    low_rank = (left[rows] * right[columns]).sum(axis=1)
    effects = 1.5 * rng.standard_normal(users)[rows] + 0.3 * rng.standard_normal(items)[columns]
    values = 7.0 + effects + signal * low_rank + rng.standard_normal(rows.size)
    return np.column_stack([rows, columns]), values, (users, items)


def _test_error(model, cells, values, shape, train):
    model.fit_cells(cells[:train], values[:train], shape=shape)
    return float(np.sqrt(np.mean((values[train:] - model.predict(cells[train:])) ** 2)))


def test_effects_alone_are_chosen_where_nothing_else_is_to_be_had():
    cells, values, shape = scattered(0.0)
    train = 4 * len(values) // 5
    model = MatrixCompletion()
    error = _test_error(model, cells, values, shape, train)
    assert model.radius_ == 0.0
    assert model.matrix_.terms == 0
    assert model.components_.shape == (0, shape[1])
    assert model.certified_
    assert len(model.scores_) == 3  # two radii were worse
    one_ridge = MatrixCompletion(ridge=3.0)
    assert error <= _test_error(one_ridge, cells, values, shape, train)
    assert model.ridge_[0] < model.ridge_[1]  # rows differ more than columns do
    held_to = MatrixCompletion(30.0, ridge=model.ridge_)
    assert error < _test_error(held_to, cells, values, shape, train)


def test_low_rank_is_chosen_where_there_is_some():
    full, X = table(shape=(200, 30))
    model = MatrixCompletion().fit(X)
    assert model.radius_ > 0.0
    assert min(model.scores_.values()) < 0.9 * model.scores_[0.0]
    missing = np.isnan(X)
    assert np.std((model.transform(X) - full)[missing]) < 0.3 * np.std(full[missing])


def test_a_table_of_effects_is_filled_without_factors(rng):
    full = 2.0 * rng.standard_normal((120, 1)) + 3.0 * rng.standard_normal(10)
    noisy = full + 0.5 * rng.standard_normal(full.shape)
    X = np.where(rng.random(full.shape) < 0.4, np.nan, noisy)
    model = MatrixCompletion().fit(X)
    missing = np.isnan(X)
    assert np.std((model.transform(X) - full)[missing]) < 0.5
    assert np.isfinite(model.transform(X)).all()


def test_ridges_are_one_two_or_chosen():
    cells, values, shape = scattered(0.3)
    both = MatrixCompletion(5.0, ridge=(2.0, 8.0)).fit_cells(cells, values, shape=shape)
    assert both.ridge_ == (2.0, 8.0)
    assert MatrixCompletion(5.0, ridge=4.0).fit_cells(cells, values, shape=shape).ridge_ == (4, 4)
    counts = np.bincount(cells[:, 0], minlength=shape[0])
    assert (both.effects_.row[counts == 0] == 0.0).all()
    with pytest.raises(fw.InvalidInput, match="ridge must be a number, one for rows"):
        MatrixCompletion(ridge=(1.0, 2.0, 3.0)).fit_cells(cells, values)
    with pytest.raises(fw.InvalidInput, match="ridge must be a finite number > 0"):
        MatrixCompletion(ridge=(1.0, 0.0)).fit_cells(cells, values)
