"""Numbers of users and items far apart: the same model as with numbers without gaps."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")

import frankwolfe as fw
from frankwolfe.sklearn import MatrixCompletion

BIG = 2_000_000_000


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    near = np.column_stack([rng.integers(0, 30, 300), rng.integers(0, 20, 300)])
    near = np.unique(near, axis=0)
    near[:, 0] = np.unique(near[:, 0], return_inverse=True)[1]
    near[:, 1] = np.unique(near[:, 1], return_inverse=True)[1]
    values = rng.standard_normal(len(near))
    names = [np.sort(rng.choice(BIG, size, replace=False)) for size in near.max(axis=0) + 1]
    far = np.column_stack([names[0][near[:, 0]], names[1][near[:, 1]]])
    shape = tuple(near.max(axis=0) + 2)  # as for numbers that nobody has
    few = MatrixCompletion(2.0, ridge=1.0).fit_cells(near, values, shape=shape)
    many = MatrixCompletion(2.0, ridge=1.0).fit_cells(far, values)
    return few, pickle.loads(pickle.dumps(many)), near, far, names


def test_predictions_and_intervals_are_those_of_numbers_without_gaps(fitted):
    few, many, near, far, names = fitted
    np.testing.assert_array_equal(many.predict(far), few.predict(near))
    fresh = np.linspace(-1.0, 1.0, len(near))
    intervals = [
        model.calibrate(cells, fresh).predict_interval(cells)
        for model, cells in ((many, far), (few, near))
    ]
    np.testing.assert_array_equal(*intervals)
    assert many.shape_ == few.shape_
    unknown = np.array([[names[0][3], 17], [5, names[1][2]], [BIG + 1, BIG + 1]])
    last = np.array(few.shape_) - 1
    np.testing.assert_array_equal(
        many.predict(unknown), few.predict([[3, last[1]], [last[0], 2], last])
    )


def test_recommendations_are_given_by_number(fitted):
    few, many, _, _, names = fitted
    known = np.arange(names[1].size)
    for user in (0, [1, 2, 5]):
        here = few.recommend(user, 4, items=known)
        there = many.recommend(names[0][user], 4)
        np.testing.assert_array_equal(there.items, names[1][here.items])
        np.testing.assert_array_equal(there.scores, here.scores)
    everything = many.recommend([names[0][0]], names[1].size + 3)
    assert (everything.items[0, -3:] == -1).all()
    like = many.similar_items(names[1][4], 3)
    same = few.similar_items(4, few.shape_[1]).items
    np.testing.assert_array_equal(like.items, names[1][same[same < known.size][:3]])
    with pytest.raises(fw.InvalidInput, match="among those with ratings"):
        many.similar_items(7)
    with pytest.raises(fw.InvalidInput, match="numbers >= 0"):
        many.recommend(-1)


def test_a_shape_that_no_machine_holds_is_refused():
    cells = [[0, 0], [1, 1], [2, 0]]
    with pytest.raises(fw.InvalidInput, match=r"of memory.*without gaps"):
        MatrixCompletion(1.0).fit_cells(cells, [1.0, 2.0, 3.0], shape=(10**13, 5))
