"""What completed ratings are asked for: the joint optimum, intervals, recommendations."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")

import frankwolfe as fw
from frankwolfe.apps.completion.effects import fit_effects
from frankwolfe.apps.completion.intervals import quantile
from frankwolfe.apps.completion.joint import Marginal
from frankwolfe.sklearn import MatrixCompletion


def ratings(seed: int = 0, shape=(60, 40), count: int = 1200, noise: float = 0.5):
    """Cells drawn unequally, in random order, and effects, two factors and noise at them."""
    rng = np.random.default_rng(seed)
    rows = (shape[0] * rng.random(2 * count) ** 1.5).astype(int)
    columns = (shape[1] * rng.random(2 * count) ** 1.5).astype(int)
    cells = rng.permutation(np.unique(np.column_stack([rows, columns]), axis=0))[:count]
    left, right = rng.standard_normal((shape[0], 2)), rng.standard_normal((shape[1], 2))
    effects = 0.5 * rng.standard_normal(shape[0])[cells[:, 0]]
    effects += 0.8 * rng.standard_normal(shape[1])[cells[:, 1]]
    low_rank = 0.5 * (left[cells[:, 0]] * right[cells[:, 1]]).sum(axis=1)
    return cells, 3.5 + effects + low_rank + noise * rng.standard_normal(len(cells))


SHAPE = (62, 41)  # the last rows and the last column are never seen


@pytest.fixture(scope="module")
def model():
    cells, values = ratings()
    return MatrixCompletion().fit_cells(cells, values, shape=SHAPE)


@pytest.mark.parametrize("loss", ["squared", "huber"])
@pytest.mark.parametrize("known", [False, True])
def test_the_gap_bounds_what_effects_and_matrix_together_could_gain(loss, known, rng):
    cp = pytest.importorskip("cvxpy")
    cells, values = ratings(shape=(9, 7), count=40)
    shape, ridge, delta, radius = (9, 7), (2.0, 5.0), 0.4, 3.0
    users, items = rng.standard_normal((9, 2)), rng.standard_normal((7, 3))
    features = {"user_features": users, "item_features": items} if known else {}
    fit = MatrixCompletion(radius, loss=loss, delta=delta, ridge=ridge, tol=1e-7)
    fit.fit_cells(cells, values, shape=shape, **features)
    p, q = (
        Marginal.of(counts).at(counts)
        for counts in (np.bincount(cells[:, k], minlength=shape[k]) for k in (0, 1))
    )

    def loss_at(b, c, slopes, X):
        rest = (
            values - values.mean() - b[cells[:, 0]] - c[cells[:, 1]] - X[cells[:, 0], cells[:, 1]]
        )
        terms = cp.huber(rest, delta) if loss == "huber" else cp.square(rest)
        own = (b - users @ slopes[0], c - items @ slopes[1]) if known else (b, c)
        sizes = sum(
            rho * (cp.sum_squares(side) + cp.sum_squares(slope))
            for rho, side, slope in zip(ridge, own, slopes, strict=True)
        )
        return 0.5 * (cp.sum(terms) + sizes)

    b, c, X = cp.Variable(shape[0]), cp.Variable(shape[1]), cp.Variable(shape)
    slopes = cp.Variable(2), cp.Variable(3)
    norm = cp.normNuc(np.diag(np.sqrt(p)) @ X @ np.diag(np.sqrt(q)))
    problem = cp.Problem(cp.Minimize(loss_at(b, c, slopes, X)), [norm <= radius])
    least = problem.solve(solver=cp.CLARABEL)
    ours, effects = fit.matrix_.toarray(), fit.effects_
    there = effects.slopes if known else (np.zeros(2), np.zeros(3))
    found = float(loss_at(effects.row, effects.column, there, ours).value)
    weighed = np.sqrt(p)[:, None] * ours * np.sqrt(q)
    assert np.linalg.norm(weighed, "nuc") <= radius * (1.0 + 1e-5)
    assert -1e-5 * least <= found - least <= fit.dual_gap_ + 1e-6 * least
    assert found <= 1.01 * least
    assert fit.certified_


def test_features_speak_for_those_without_ratings(rng):
    """Items of three kinds that differ, of which a quarter have no ratings."""
    cells, values = ratings(shape=(60, 40), noise=0.3)
    kinds = rng.integers(0, 3, 40)
    values = values + np.array([-2.0, 0.0, 2.0])[kinds[cells[:, 1]]]
    cold = cells[:, 1] % 4 == 0
    features = np.eye(3)[kinds]
    errors = {}
    for name, known in (("without", None), ("with", features)):
        fit = MatrixCompletion().fit_cells(
            cells[~cold], values[~cold], shape=(60, 40), item_features=known
        )
        errors[name] = np.std(values[cold] - fit.predict(cells[cold]))
    assert errors["with"] < 0.8 * errors["without"]
    assert fit.effects_.slopes[1].shape == (3,)
    best = fit.recommend(0, 40, items=np.arange(0, 40, 4)).items
    assert (np.diff(kinds[best]) <= 0).all()  # nothing else is known of them


def test_features_that_say_nothing_change_nothing():
    cells, values = ratings()
    plain = MatrixCompletion(10.0, ridge=2.0).fit_cells(cells, values, shape=SHAPE)
    zeros = {"user_features": np.zeros((62, 2)), "item_features": np.zeros((41, 1))}
    same = MatrixCompletion(10.0, ridge=2.0).fit_cells(cells, values, **zeros)
    assert same.shape_ == SHAPE  # features have a line for all
    assert same.predict(cells) == pytest.approx(plain.predict(cells))
    for wrong, words in (
        ({"user_features": np.zeros((9, 2))}, "a line for each of 62 users, got 9"),
        ({"item_features": np.zeros(41)}, "item_features must be a table of finite numbers"),
        ({"item_features": np.full((41, 1), np.nan)}, "item_features must be a table of finite"),
        ({"user_features": [["a"]] * 62}, "user_features must be an array of real numbers"),
    ):
        with pytest.raises(fw.InvalidInput, match=words):
            MatrixCompletion(10.0).fit_cells(cells, values, shape=SHAPE, **wrong)


def test_cells_that_are_seen_equally_often_weigh_alike_and_new_rows_as_their_counts():
    assert Marginal.of(np.full(5, 3)).at(np.full(5, 3)) == pytest.approx(np.ones(5))
    counts = np.array([0, 1, 5, 30])
    weights = Marginal.of(counts).at(counts)
    assert (np.diff(weights) > 0.0).all()
    assert weights[0] > 0.0
    assert weights @ counts == pytest.approx(counts.sum())


def test_the_order_of_the_ratings_and_which_side_is_in_rows_change_nothing(rng):
    cells, values = ratings()
    plain = MatrixCompletion(20.0, ridge=(2.0, 5.0), tol=1e-4)
    one = plain.fit_cells(cells, values, shape=SHAPE).predict(cells)
    order = rng.permutation(values.size)
    other = plain.fit_cells(cells[order], values[order], shape=SHAPE).predict(cells)
    np.testing.assert_array_equal(one, other)
    turned = MatrixCompletion(20.0, ridge=(5.0, 2.0), tol=1e-4)
    turned.fit_cells(cells[:, ::-1], values, shape=SHAPE[::-1])
    assert turned.predict(cells[:, ::-1]) == pytest.approx(one, abs=0.05)


def test_robust_effects_ignore_what_is_far_off():
    cells, values = ratings(noise=0.1)
    wrong = values.copy()
    wrong[::25] += 40.0
    ridge = (1.0, 1.0)
    clean = fit_effects(*cells.T, values, SHAPE, ridge)
    plain = fit_effects(*cells.T, wrong, SHAPE, ridge, start=clean)
    robust = fit_effects(*cells.T, wrong, SHAPE, ridge, start=clean, delta=0.5)
    assert np.std(robust.column - clean.column) < 0.2 * np.std(plain.column - clean.column)
    far = fit_effects(*cells.T, values, SHAPE, ridge, delta=1e6)
    assert far.row == pytest.approx(clean.row)


def test_the_quantile_is_the_smallest_score_that_has_the_coverage():
    scores = np.arange(1.0, 40.0)
    for n in (1, 9, 19, 39):
        for percent in range(1, 101):
            place = math.ceil(Fraction(n + 1) * Fraction(percent, 100))
            expected = scores[place - 1] if place <= n else math.inf
            assert quantile(scores[:n], percent / 100) == expected


def covered(model, cells, values, coverage):
    low, high = model.predict_interval(cells, coverage).T
    return float(np.mean((low <= values) & (values <= high)))


@pytest.mark.parametrize("calibrated", [False, True])
def test_intervals_cover_what_they_say(calibrated):
    """On average over draws of training and test; the held-out part is a little optimistic."""
    shares: dict[float, list[float]] = {0.5: [], 0.9: []}
    for seed in range(8):
        cells, values = ratings(seed)
        fit = MatrixCompletion(random_state=seed)
        fit.fit_cells(cells[:700], values[:700], shape=SHAPE)
        if calibrated:
            fit.calibrate(cells[700:900], values[700:900])
        for coverage, found in shares.items():
            found.append(covered(fit, cells[900:], values[900:], coverage))
    for coverage, found in shares.items():
        calibration = 200 if calibrated else 70
        spread = math.sqrt(coverage * (1 - coverage) * (1 / 300 + 1 / calibration) / len(found))
        assert abs(np.mean(found) - coverage) <= 4.0 * spread + (0.0 if calibrated else 0.03)


def test_intervals_grow_with_the_coverage_and_where_less_is_known(model):
    cells, _ = ratings()
    widths = [np.diff(model.predict_interval(cells, c))[:, 0] for c in (0.2, 0.5, 0.8, 0.9)]
    assert all((more >= less).all() for less, more in pairwise(widths))
    ends = model.predict_interval(cells, 0.8)
    assert ends.mean(axis=1) == pytest.approx(model.predict(cells))
    width = np.diff(model.predict_interval([[0, 0], [61, 0], [61, 40]], 0.9))[:, 0]
    counts = np.bincount(cells[:, 0], minlength=SHAPE[0])
    assert counts[0] > 20
    assert counts[61] == 0
    assert width[1] < width[2]
    assert np.isinf(model.predict_interval([[0, 0]], 1.0)).all()


def test_calibration_is_asked_for_where_nothing_was_held_out():
    cells, values = ratings()
    fit = MatrixCompletion(10.0).fit_cells(cells[:800], values[:800], shape=SHAPE)
    with pytest.raises(fw.InvalidInput, match="call calibrate"):
        fit.predict_interval([[0, 0]])
    before = fit.predict(cells[800:])
    assert fit.calibrate(cells[800:], values[800:]) is fit
    np.testing.assert_array_equal(fit.predict(cells[800:]), before)
    inside = covered(fit, cells[800:], values[800:], 0.8)
    assert 0.8 <= inside <= 0.8 + 2.0 / (len(cells) - 800)  # these very cells: the k-th smallest
    with pytest.raises(fw.InvalidInput, match="coverage must be"):
        fit.predict_interval([[0, 0]], 90)
    with pytest.raises(fw.InvalidInput, match="values must have"):
        fit.calibrate(cells[:5], values[:4])


def test_recommended_are_the_largest_predictions_of_what_was_not_seen(model):
    cells, _ = ratings()
    users = np.array([3, 0, 61, 3])
    best = model.recommend(users, 6)
    assert best.items.shape == best.scores.shape == (4, 6)
    for user, items, scores in zip(users, best.items, best.scores, strict=True):
        every = np.column_stack([np.full(SHAPE[1], user), np.arange(SHAPE[1])])
        values = model.predict(every)
        values[cells[cells[:, 0] == user, 1]] = -np.inf
        np.testing.assert_array_equal(items, np.argsort(-values, kind="stable")[:6])
        np.testing.assert_array_equal(scores, values[items])
        one = model.recommend(int(user), 6)
        np.testing.assert_array_equal(one.items, items)
        np.testing.assert_array_equal(one.scores, scores)
    whole = model.recommend(3, 6, filter_seen=False)
    assert whole.scores[0] >= best.scores[0, 0]


def test_a_user_without_ratings_gets_the_best_effects(model):
    items = model.recommend(61, 5).items
    expected = np.argsort(-model.effects_.column, kind="stable")[:5]
    np.testing.assert_array_equal(items, expected)


def test_blocks_of_users_change_nothing(model, monkeypatch):
    whole = model.recommend(np.arange(SHAPE[0]), 4)
    like = model.similar_items(np.arange(40), 4)
    monkeypatch.setattr("frankwolfe.apps.completion.recommend.BLOCK_SCORES", 7 * SHAPE[1])
    again = model.recommend(np.arange(SHAPE[0]), 4)
    np.testing.assert_array_equal(whole.items, again.items)
    np.testing.assert_array_equal(whole.scores, again.scores)
    np.testing.assert_array_equal(like.items, model.similar_items(np.arange(40), 4).items)


def test_of_equal_scores_the_first_and_of_few_items_what_there_is():
    cells = [[0, 0], [1, 0], [1, 1]]
    fit = MatrixCompletion(1e-6).fit_cells(cells, [1.0, 1.0, 1.0], shape=(3, 6))
    np.testing.assert_array_equal(fit.recommend(2, 3).items, [0, 1, 2])
    np.testing.assert_array_equal(fit.recommend(1, 9).items, [2, 3, 4, 5])
    np.testing.assert_array_equal(fit.recommend(1, 9, items=[1, 5, 3, 5, 0]).items, [3, 5])
    several = fit.recommend([0, 1], 5)
    np.testing.assert_array_equal(several.items[1], [2, 3, 4, 5, -1])
    assert np.isnan(several.scores[1, 4])
    assert fit.recommend([], 5).items.shape == (0, 5)
    assert fit.recommend(1, 5, items=[0]).items.size == 0


def test_similar_items_have_like_factors(model):
    best = model.similar_items([2, 5], 4)
    unit = model.components_ / np.maximum(np.linalg.norm(model.components_, axis=0), 1e-300)
    cosines = unit.T @ unit
    for item, items, scores in zip((2, 5), best.items, best.scores, strict=True):
        assert item not in items
        assert scores == pytest.approx(cosines[item, items])
        others = np.delete(cosines[item], [item, *items])
        assert scores.min() >= others.max() - 1e-12
    np.testing.assert_array_equal(model.similar_items(2, 4).items, best.items[0])


def test_a_stored_model_answers_alike(model):
    again = pickle.loads(pickle.dumps(model))
    cells, _ = ratings()
    np.testing.assert_array_equal(again.predict_interval(cells), model.predict_interval(cells))
    np.testing.assert_array_equal(again.recommend(3).items, model.recommend(3).items)


def test_what_is_wrong_with_a_question_is_named(model):
    for call, words in (
        (lambda: model.recommend(62), "users must lie between 0 and 61"),
        (lambda: model.recommend(-1), "users must lie between"),
        (lambda: model.recommend(1.5), "users must be a whole number or a list"),
        (lambda: model.recommend([[1]]), "users must be a whole number or a list"),
        (lambda: model.recommend("ann"), "users must be a whole number or a list"),
        (lambda: model.recommend(0, 0), "n must be"),
        (lambda: model.recommend(0, 3, items=[41]), "items must lie between 0 and 40"),
        (lambda: model.similar_items(41), "items must lie between 0 and 40"),
    ):
        with pytest.raises(fw.InvalidInput, match=words):
            call()
    cells, values = ratings(noise=0.0)
    with pytest.raises(AttributeError, match="recommend"):
        MatrixCompletion(1.0).fit(np.eye(4)).recommend(0)
    flat = MatrixCompletion().fit_cells(cells, np.ones(values.size))
    with pytest.raises(fw.InvalidInput, match="effects alone"):
        flat.similar_items(0)
