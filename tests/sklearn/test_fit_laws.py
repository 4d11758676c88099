"""Parts of the estimators by their definitions: searches of radii, held-out parts, new rows."""

from __future__ import annotations

import math
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")

from scipy.optimize import minimize as scipy_minimize
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning

import frankwolfe as fw
from frankwolfe import InvalidInput
from frankwolfe.apps.completion.effects import fit_effects, read_ridge
from frankwolfe.apps.completion.fold_in import FoldIn
from frankwolfe.apps.completion.held_out import (
    DEFAULT_RIDGE,
    GRID,
    IMPROVED_RATIO,
    PAST_BEST_RATIO,
    RIDGES,
    HeldOut,
)
from frankwolfe.apps.completion.intervals import PRIOR, Intervals, Spread
from frankwolfe.apps.completion.joint import Joint, JointProblem, Marginal, RatingCells
from frankwolfe.apps.completion.rating_model import RatingModel
from frankwolfe.apps.completion.recommend import CellIds
from frankwolfe.sklearn import (
    ConstrainedLogisticRegression,
    ConstrainedRegressor,
    MatrixCompletion,
    regression_path,
)
from frankwolfe.sklearn.distributed import (
    RADIUS_OBSERVATIONS,
    refuse_distributed,
    thinning,
)
from frankwolfe.sklearn.radii import (
    MAX_ROWS_ALL_PARTS,
    MIN_ROWS,
    PARTS,
    find_grid,
    find_radius,
    part_numbers,
)
from frankwolfe.sklearn.task import HoldOutTask, Settings, Task, scaled, warn_unless_converged

SETTINGS = Settings(1e-6, 1000, None)


# ---- effects, by the normal equations


def _ratings(rng, shape=(8, 6), count=30, features=False):
    cells = rng.permutation(shape[0] * shape[1])[:count]
    known = (rng.standard_normal((shape[0], 2)), rng.standard_normal((shape[1], 1)))
    known = known if features else (None, None)
    values = 3.0 + rng.standard_normal(count)
    return RatingCells(cells // shape[1], cells % shape[1], values, shape, known).by_row()


def huber(rest, delta):
    """Half the square up to delta, and a line from there on."""
    near = np.minimum(np.abs(rest), delta)
    return float((0.5 * near**2 + near * (np.abs(rest) - near)).sum())


def effects_loss(ratings, effects, ridge, delta):
    """What effects minimize, from its definition."""
    loss = effects_loss_of_rest(ratings, effects, delta)
    for side, slopes, known, rho in zip(
        (effects.row, effects.column), effects.slopes, ratings.features, ridge, strict=True
    ):
        own = side if known is None else side - known @ slopes
        loss += 0.5 * rho * (own @ own + slopes @ slopes)
    return loss


@pytest.mark.parametrize("features", [False, True])
@pytest.mark.parametrize("delta", [math.inf, 0.5])
def test_effects_are_where_their_loss_is_least(delta, features, rng):
    ratings, ridge = _ratings(rng, features=features), (2.0, 5.0)
    effects = None
    for _ in range(60):
        effects = ratings.effects(ridge, start=effects, delta=delta)
    assert effects.mean == ratings.values.mean()
    least = effects_loss(ratings, effects, ridge, delta)
    for _ in range(40):
        slopes = tuple(s + 1e-3 * rng.standard_normal(s.size) for s in effects.slopes)
        moved = [
            side + 1e-3 * rng.standard_normal(side.size) * (k < 2)
            + (0.0 if known is None else known @ (new - old))
            for k, (side, known, new, old) in enumerate(
                zip(
                    (effects.row, effects.column), ratings.features, slopes, effects.slopes,
                    strict=True,
                )
            )
        ]  # fmt: skip
        other = type(effects)(effects.mean, *moved, slopes)
        assert effects_loss(ratings, other, ridge, delta) >= least - 1e-9
    problem = JointProblem(ratings, ridge, "huber" if delta < 9 else "squared", delta, 3)
    fit = Joint(effects, problem.alone().matrix)
    assert problem._slack(fit) <= 1e-9
    assert problem._penalty(effects) == pytest.approx(
        effects_loss(ratings, effects, ridge, delta) - effects_loss_of_rest(ratings, effects, delta)
    )
    doubled = effects.times(2.0)
    np.testing.assert_allclose(
        doubled.at(ratings.rows, ratings.columns), 2.0 * effects.at(ratings.rows, ratings.columns)
    )
    once = problem.alone()
    value = effects_loss(ratings, once.effects, ridge, delta)
    assert value - least <= problem._slack(once) + 1e-9
    assert problem.gap(once, 0.0) == (problem._slack(once), True)


def effects_loss_of_rest(ratings, effects, delta):
    return huber(ratings.values - effects.at(ratings.rows, ratings.columns), delta)


def test_ridges_are_one_number_two_or_chosen():
    assert read_ridge("auto") is None
    assert read_ridge(3) == (3.0, 3.0)
    assert read_ridge([2, 4.5]) == read_ridge((2.0, 4.5)) == (2.0, 4.5)
    for bad in ((1.0,), (1.0, 2.0, 3.0), 0.0, (1.0, -1.0), "many", (np.nan, 1.0)):
        with pytest.raises(InvalidInput, match="ridge"):
            read_ridge(bad)


# ---- what is held out


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5])
def test_a_part_is_held_out_and_the_rest_is_kept(share, rng):
    ratings = _ratings(rng, (40, 30), 900)
    for seed in range(3):
        parts = HeldOut.of(ratings, share, seed)
        cells = [
            set(zip(p.rows, p.columns, p.values, strict=True)) for p in (parts.kept, parts.held)
        ]
        assert not cells[0] & cells[1]
        assert cells[0] | cells[1] == set(zip(*ratings[:3], strict=True))
        assert 1 <= len(cells[1]) <= 900 * share + 4 * math.sqrt(900 * share) + 1
        assert len(cells[1]) >= 900 * share - 4 * math.sqrt(900 * share)
        fit = Joint(
            ratings.effects((1.0, 1.0)),
            JointProblem(ratings, (1, 1), "squared", 1, 2).alone().matrix,
        )
        held = parts.held
        np.testing.assert_allclose(
            parts.errors(fit), held.values - fit.effects.at(held.rows, held.columns), atol=1e-6
        )
    assert HeldOut.of(ratings.part(slice(0, 1)), 0.5, 0) is None


def test_the_ridges_are_those_of_a_search_in_turns(rng):
    ratings = _ratings(rng, (12, 10), 90)
    parts = HeldOut.of(ratings, 0.2, 0)

    def score(pair):
        kept = parts.kept
        effects = fit_effects(kept.rows, kept.columns, kept.values, kept.shape, pair)
        left = parts.held.values - effects.at(parts.held.rows, parts.held.columns)
        return np.sqrt(np.mean(left**2))

    best = (DEFAULT_RIDGE, DEFAULT_RIDGE)
    for _ in range(2):
        pairs = [best, *((ridge, best[1]) for ridge in RIDGES)]
        best = min(pairs, key=score)
        best = min([best, *((best[0], ridge) for ridge in RIDGES)], key=score)
    assert parts.ridges() == best
    assert score(best) <= score((DEFAULT_RIDGE, DEFAULT_RIDGE))


class Made:
    """A problem whose fits have errors that are given by radius."""

    def __init__(self, held, size, sizes):
        self.held, self.size, self.sizes, self.asked = held, size, sizes, []

    def alone(self):
        return self._fit(0.0)

    def _fit(self, radius):
        return SimpleNamespace(
            effects=None, radius=radius, at=lambda rows, columns: self._at(radius)
        )

    def _at(self, radius):
        return self.held.values - self.sizes(radius / self.size) * np.resize([1.0, -1.0], 50)

    def rest(self, effects):
        return np.full(4, 0.5 * self.size)

    def solve(self, radius, fit, tol):
        assert fit.radius == (self.asked[-1] if self.asked else 0.0)  # from the one before
        self.asked.append(radius)
        return self._fit(radius)


SIZES = {
    "falls": lambda r: 1.0 / (1.0 + r),
    "rises": lambda r: 1.0 + 0.001 * r,
    "rises a lot": lambda r: 1.0 + r,
    "falls and rises": lambda r: 1.0 + 0.05 * (np.log2(max(r, 0.1)) - 1.0) ** 2 if r else 2.0,
    "hardly falls": lambda r: 1.0 - 1e-6 * r,
    "falls and stays": lambda r: max(0.3, 1.0 - r),
}


@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("size", [1.0, 37.0])
def test_the_radius_is_the_first_of_the_best_until_it_is_past(size, kind, rng):
    held = RatingCells(np.zeros(50, int), np.zeros(50, int), rng.standard_normal(50), (1, 1))
    made = Made(held, size, SIZES[kind])
    choice = HeldOut(held, held).radius(lambda _: made, 1e-3)
    scores = {0.0: SIZES[kind](0.0)} | {s * size: SIZES[kind](s) for s in GRID}
    best, worse, asked = 0.0, 0, []
    for radius in [s * size for s in GRID]:
        asked.append(radius)
        if scores[radius] < IMPROVED_RATIO * scores[best]:
            best, worse = radius, 0
            continue
        worse += 1
        if worse == 2 or scores[radius] > PAST_BEST_RATIO * scores[best]:
            break
    assert made.asked == pytest.approx(asked)
    assert choice.scale * size == pytest.approx(best)
    assert choice.score == pytest.approx(scores[best])
    assert choice.fit.radius == pytest.approx(best)
    assert choice.scores == pytest.approx({r: scores[r] for r in (0.0, *asked)})
    nothing = Made(held, size, SIZES[kind])
    nothing.rest = lambda effects: np.zeros(4)
    choice = HeldOut(held, held).radius(lambda _: nothing, 1e-3)
    assert (choice.scale, nothing.asked) == (0.0, [])


def test_zero_stays_unless_another_does_better_by_more_than_chance(rng):
    held = RatingCells(np.zeros(50, int), np.zeros(50, int), np.zeros(50), (1, 1))
    noise = rng.standard_normal((len(GRID) + 1, 50))
    for shift in (0.0, 0.02, 0.5):
        made = Made(held, 1.0, None)
        made._at = lambda r, shift=shift: (
            -noise[GRID.index(r) + 1 if r else 0] * (1 - shift * (r > 0))
        )
        choice = HeldOut(held, held).radius(lambda _, made=made: made, 1e-3)
        first = noise[0] ** 2 - (noise[1] * (1 - shift)) ** 2
        sure = first.mean() > first.std() / math.sqrt(50)
        if choice.scale == GRID[0]:
            assert sure
        if not sure and len(choice.scores) == 2:
            assert choice.scale == 0.0


@pytest.mark.parametrize("ridge", ["auto", 3.0])
@pytest.mark.parametrize("radius", ["auto", 5.0])
def test_what_is_given_is_not_chosen(radius, ridge, rng):
    ratings = _ratings(rng, (12, 10), 90)
    cells = np.column_stack([ratings.rows, ratings.columns])
    model = RatingModel(radius, ridge=ridge).fit(cells, ratings.values)
    assert (model.judged_ is not None) == (radius == "auto")
    if ridge != "auto":
        assert model.ridge_ == (3.0, 3.0)
    else:
        assert model.ridge_ == HeldOut.of(ratings, 0.1, 0).ridges()
    if radius == "auto":
        assert model.scores_
    else:
        assert (model.radius_, model.scores_) == (5.0, {})
    with pytest.raises(InvalidInput, match="too few ratings"):
        RatingModel().fit([[0, 0]], [1.0])
    assert RatingModel(1.0).fit([[0, 0]], [1.0]).ridge_ == (DEFAULT_RIDGE, DEFAULT_RIDGE)


# ---- new rows, by the problem that defines them


@pytest.mark.parametrize("loss", ["squared", "huber"])
@pytest.mark.parametrize("known", [1, 3, 6])
def test_a_new_row_solves_its_own_problem(known, loss, rng):
    left, right = rng.standard_normal((20, 2)), rng.standard_normal((8, 2))
    table = 1.0 + left @ right.T + 0.3 * rng.standard_normal((20, 8))
    table[rng.random((20, 8)) < 0.3] = np.nan
    cells = np.argwhere(~np.isnan(table))
    model = RatingModel(8.0, loss=loss, delta=0.3, ridge=2.0, tol=1e-4)
    model.fit(cells, table[tuple(cells.T)], shape=(20, 8))
    rows = FoldIn.of(model)
    delta = 0.3 if loss == "huber" else math.inf
    assert (rows.delta, rows.ridge, rows.mean) == (delta, 2.0, model.effects_.mean)
    # the price of the constraint: <-G, X> over the weighted norm, dense
    X = model.matrix_.toarray()
    fit = model.effects_.mean + model.effects_.row[:, None] + model.effects_.column + X
    slopes = np.clip(np.nan_to_num(table - fit), -delta, delta)
    counts = [(~np.isnan(table)).sum(axis=k) for k in (1, 0)]
    p, q = (np.sqrt(Marginal.of(c).at(c)) for c in counts)
    norm = np.linalg.norm(p[:, None] * X * q, "nuc")
    assert rows.price == pytest.approx(np.sum(slopes * X) / norm, rel=1e-4)
    # its factors are half of the weighted matrix
    R = rows.factors * q[:, None]
    weighed = p[:, None] * X * q
    np.testing.assert_allclose(
        np.linalg.svd(R, compute_uv=False)[:2] ** 2,
        np.linalg.svd(weighed, compute_uv=False)[:2],
        rtol=1e-3,
    )
    row = np.full(8, np.nan)
    places = rng.permutation(8)[:known]
    row[places] = 3.0 * rng.standard_normal(known)
    price = rows.price * rows.weight.at(known)
    rest = row[places] - rows.mean - rows.columns[places]

    def problem(z):
        loss_of = huber(rest - z[0] - rows.factors[places] @ z[1:], delta)
        return loss_of + 0.5 * rows.ridge * z[0] ** 2 + 0.5 * price * z[1:] @ z[1:]

    found = scipy_minimize(problem, np.zeros(1 + rows.factors.shape[1]), tol=1e-14)
    filled = rows.complete(row)
    np.testing.assert_array_equal(filled[places], row[places])
    wanted = rows.mean + rows.columns + found.x[0] + rows.factors @ found.x[1:]
    gone = np.isnan(row)
    np.testing.assert_allclose(filled[gone], wanted[gone], atol=2e-4)
    assert np.isnan(row).sum() == 8 - known  # the caller's row is as it was
    whole = rng.standard_normal(8)
    assert rows.complete(whole) is whole
    empty = rows.complete(np.full(8, np.nan))
    np.testing.assert_allclose(empty, rows.mean + rows.columns)


# ---- weights and spreads


@pytest.mark.parametrize("counts", [[3.0, 1.0], [5, 0, 0, 9], np.arange(1, 30)])
def test_weights_are_half_alike_and_one_on_average_over_ratings(counts):
    counts = np.asarray(counts, float)
    weights = Marginal.of(counts).at(counts)
    assert weights @ counts == pytest.approx(counts.sum())
    shares = 0.5 + 0.5 * counts / counts.mean()
    np.testing.assert_allclose(weights / weights[0], shares / shares[0])


def test_spreads_and_scores_are_those_of_their_formula(rng):
    ratings = _ratings(rng, (9, 7), 50)
    fit = JointProblem(ratings, (2.0, 3.0), "squared", 1.0, 2).alone()
    spread = Spread.of(ratings, fit, (2.0, 3.0))
    left = ratings.values - fit.at(ratings.rows, ratings.columns)
    squares = left**2 / np.mean(left**2)
    for side, index, unknown, ridge, size in (
        (spread.row, ratings.rows, spread.row_unknown, 2.0, 9),
        (spread.column, ratings.columns, spread.column_unknown, 3.0, 7),
    ):
        for k in range(size):
            mine = squares[index == k]
            assert side[k] == pytest.approx((mine.sum() + PRIOR) / (mine.size + PRIOR))
            assert unknown[k] == pytest.approx(1.0 / math.sqrt(mine.size + ridge))
    rows, columns = rng.integers(0, 9, 40), rng.integers(0, 7, 40)
    errors = rng.standard_normal(40)

    def at(shares):
        w = (
            shares[0]
            + shares[1] * spread.row_unknown[rows]
            + shares[2] * spread.column_unknown[columns]
        )
        return np.sqrt(spread.row[rows] * spread.column[columns] * w)

    np.testing.assert_allclose(spread.at(rows, columns), at(np.ones(3)))
    fitted = spread.fitted(rows, columns, errors)
    parts = np.column_stack([np.ones(40), spread.row_unknown[rows], spread.column_unknown[columns]])
    wanted = nnls(parts, errors**2 / (spread.row[rows] * spread.column[columns]))[0]
    np.testing.assert_allclose(fitted.shares, wanted)
    np.testing.assert_allclose(fitted.at(rows, columns), at(wanted))
    assert spread.fitted(rows, columns, np.zeros(40)) is spread
    known = Intervals(spread, np.empty(0)).calibrated(rows, columns, errors)
    np.testing.assert_allclose(known.scores, np.sort(np.abs(errors) / at(np.ones(3))))
    wide = known.half_widths(rows, columns, 0.5)
    inside = np.abs(errors) <= wide * (1 + 1e-12)
    assert inside.sum() == math.ceil(41 * 0.5)
    assert np.isinf(known.half_widths(rows, columns, 0.99)).all()


# ---- numbers far apart


def test_numbers_stand_where_they_are_known(rng):
    rows = np.array([7, 5_000_000, 12, 7])
    columns = np.array([0, 3, 3, 1])
    ids = CellIds.of(np.column_stack([rows, columns]))
    assert ids.shape == (4, 4)
    at = ids.places(np.array([12, 8, 5_000_000, 0, 10**9]), np.array([0, 1, 2, 3, 4]))
    assert [part.tolist() for part in at] == [[1, 3, 2, 3, 3], [0, 1, 3, 2, 3]]
    assert ids.rows.read("users", 7).tolist() == 0
    assert ids.rows.read("users", [7, 13]).tolist() == [0, 3]
    for bad in ([[1]], 1.5, ["a"]):
        with pytest.raises(InvalidInput, match="users must be a whole number"):
            ids.rows.read("users", bad)
    with pytest.raises(InvalidInput, match="users must be numbers >= 0, got -2"):
        ids.rows.read("users", [3, -2])
    with pytest.raises(InvalidInput, match="cells must have rows and columns >= 0, got -1"):
        ids.places(np.array([1]), np.array([-1]))
    for most, wide in ((999_999, False), (1_000_000, True)):
        assert (CellIds.of([[0, 0], [most, 1]]) is not None) == wide
        assert (CellIds.of([[0, 0], [1, most]]) is not None) == wide
    many = np.column_stack([np.arange(0, 1_000_000, 10), np.zeros(100_000, int)])
    assert CellIds.of(many) is None  # a row for each costs little


# ---- parts and radii


def strata_of(numbers, strata):
    return [numbers[strata == s] for s in np.unique(strata)]


def test_few_rows_are_left_whole(rng):
    numbers, parts = part_numbers(rng.standard_normal((MIN_ROWS - 1, 3)), np.zeros(MIN_ROWS - 1))
    assert parts == 0
    assert (numbers == -1).all()


@pytest.mark.parametrize("count", [MIN_ROWS, 40, MAX_ROWS_ALL_PARTS, MAX_ROWS_ALL_PARTS + 1])
def test_parts_are_equal_shares_of_every_stratum(count, rng):
    X = rng.standard_normal((count, 3))
    strata = np.arange(count) % 3
    numbers, parts = part_numbers(X, strata)
    assert parts == (PARTS if count <= MAX_ROWS_ALL_PARTS else 2)
    for own in strata_of(numbers, strata):
        sizes = np.bincount(own, minlength=PARTS)
        assert sizes.max() - sizes.min() <= 1
    order = rng.permutation(count)
    np.testing.assert_array_equal(part_numbers(X[order], strata[order])[0], numbers[order])
    np.testing.assert_array_equal(part_numbers(1e3 * X, strata)[0], numbers)
    twice = np.repeat(np.arange(count), 2)
    again = part_numbers(X[twice], strata[twice])
    np.testing.assert_array_equal(again[0], numbers[twice])
    lonely = strata.copy()
    lonely[4] = 99
    assert part_numbers(X, lonely)[0][4] == -1
    assert (np.delete(part_numbers(X, lonely)[0], 4) >= 0).all()


class Valley:
    """A task whose loss and price are known functions of the radius; solutions are radii."""

    rounding_is, sample, fixed = 1e-12, None, False
    objective = SimpleNamespace(n=1, dtype=np.dtype(float))

    def __init__(self, loss, price):
        self.loss, self.price_of, self.solved = loss, price, []
        self.parts = lambda: [HoldOutTask(self, lambda x: self.loss(float(x[0])))] * 2

    def price(self, x):
        return self.price_of(float(x[0]))

    def rounding(self):
        return self.rounding_is

    def solve(self, radius, settings, start=None):
        self.solved.append((radius, settings.tol, start))
        return SimpleNamespace(x=np.array([radius]))


@pytest.mark.parametrize("least", [0.3, 1.0, 7.0, 40.0, 333.0])
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e4])
def test_the_radius_of_least_loss_is_found(unit, least, rng):
    """Of a parabola in the logarithm: to the digits of its steps; starts are the nearest fits."""
    task = Valley(
        lambda r: 1.0 + 0.05 * math.log(r / (unit * least)) ** 2,
        lambda r: 1.0 / (unit + r),
    )
    found = find_radius(task, SETTINGS)
    assert found == pytest.approx(unit * least, rel=1e-6)
    for k, (radius, tol, start) in enumerate(task.solved):
        assert tol == 1e-4
        before = [r for r, _, _ in task.solved[:k] if r != radius]
        if start is not None:
            near = min(before, key=lambda r: abs(math.log(r / radius)))
            assert abs(math.log(start[0] / radius)) == pytest.approx(abs(math.log(near / radius)))
    flat = Valley(lambda r: 1.0 + 1e-7 * math.log(r / unit) ** 2, lambda r: 1.0 / (unit + r))
    first = 0.1 * unit
    assert find_radius(flat, SETTINGS) == pytest.approx(0.5 * first)  # the smallest of equal ones


@pytest.mark.parametrize("count", [2, 5, 20])
@pytest.mark.parametrize("power", [1.0, 2.0])
def test_a_grid_goes_from_the_first_price_to_the_last(power, count):
    task = Valley(lambda r: 1.0, lambda r: 1.0 / (1.0 + r) ** power)
    radii = find_grid(task, SETTINGS, count)
    assert radii.size == count
    ratios = radii[1:] / radii[:-1]
    np.testing.assert_allclose(ratios, ratios[0])
    assert radii[0] == pytest.approx(0.01)
    assert task.price_of(radii[-1]) == pytest.approx(1e-3, rel=0.2)
    assert {tol for _, tol, _ in task.solved} == {1e-3}
    task.rounding_is = 2.0
    assert find_grid(task, SETTINGS, count).tolist() == [1.0]
    assert find_radius(task, SETTINGS) == 1.0
    few = Valley(lambda r: 1.0, lambda r: 1.0 / (1.0 + r) ** power)
    few.parts = None
    assert few.price_of(find_radius(few, SETTINGS)) == pytest.approx(0.1, rel=0.2)
    sampled = Valley(None, None)
    sampled.sample = lambda: few
    sampled.parts = list
    assert find_radius(sampled, SETTINGS) == find_radius(few, SETTINGS)
    assert not sampled.solved


def test_tasks_solve_no_finer_than_rounding(rng):
    f = fw.SquaredError(rng.standard_normal((20, 3)), rng.standard_normal(20))
    objective, scale = scaled(f)
    assert objective(np.zeros(3)) == pytest.approx(1.0)
    assert scale == pytest.approx(f(np.zeros(3)))
    task = Task(objective, scale, fw.L1Ball)
    assert not task.fixed
    assert isinstance(task.region(2.0), fw.L1Ball)
    fit = task.solve(0.5, SETTINGS._replace(tol=0.0))
    assert fit.result.success
    assert fit.radius == pytest.approx(0.5)
    assert fit.result.gap <= 1e3 * np.finfo(float).eps
    again = task.solve(0.5, SETTINGS, fit.x)
    assert again.result.nit <= 1
    rough = task.solve(0.5, SETTINGS._replace(tol=0.1))
    assert rough.result.gap <= 0.1
    price = task.price(np.zeros(3))
    assert price == pytest.approx(np.abs(objective.grad(np.zeros(3))).max())
    assert 0.0 < task.rounding() < 1e-6 * price
    assert Task(objective.times(0.1), 1.0, fw.L1Ball).rounding() == np.inf
    fixed = Task(objective, scale, fw.L1Ball(0.3))
    assert fixed.fixed
    assert fixed.region(99.0) is fixed.regions
    zero = fw.SquaredError(np.eye(3), np.zeros(3))
    assert scaled(zero) == (zero, 1.0)
    radii = [0.1, 0.2, 0.4]
    for radius, one in zip(radii, task.along(radii, SETTINGS), strict=True):
        alone = task.solve(radius, SETTINGS)
        assert one.radius == pytest.approx(radius)
        assert one.result.fun == pytest.approx(alone.result.fun, abs=2e-6)


@pytest.mark.parametrize("failed", [0, 1, 3])
@pytest.mark.parametrize("count", [1, 3])
def test_one_warning_tells_the_largest_gap(count, failed):
    failed = min(failed, count)
    status = SimpleNamespace(message="why.")
    fits = [
        SimpleNamespace(
            result=SimpleNamespace(
                success=k >= failed, gap=0.25 * (k + 1), nit=10 + k, status=status
            )
        )
        for k in range(count)
    ]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_unless_converged(fits, "Model")
    assert len(caught) == (failed > 0)
    if failed:
        said = str(caught[0].message)
        assert issubclass(caught[0].category, ConvergenceWarning)
        assert f"at a gap of {0.25 * failed:.2g} of" in said
        assert f"after {9 + failed} iterations (why)" in said
        assert (f" at {failed} of {count} radii" in said) == (count > 1)


@pytest.mark.parametrize("rows", [5, 9_999, 25_000, 200_000])
@pytest.mark.parametrize("columns", [1, 1000, 4000])
def test_enough_rows_are_left_when_they_are_thinned(columns, rows):
    step = thinning(rows, columns)
    wanted = max(RADIUS_OBSERVATIONS, 10 * columns)
    assert step >= 1
    assert rows // step >= min(wanted, rows)
    assert step == 1 or rows // (step + 1) < wanted


def test_columns_of_a_collection_must_be_those_of_the_fit(rng):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    dd = pytest.importorskip("dask.dataframe", reason="dask is not installed")
    X = pd.DataFrame(rng.standard_normal((20, 3)), columns=list("abc"))
    model = ConstrainedRegressor("l2", 1.0).fit(X, rng.standard_normal(20))
    for names, words in (
        (list("acb"), "their order is another"),
        (list("ab"), "c is not there"),
        (list("abcd"), "d is not one of them"),
    ):
        frame = dd.from_pandas(X.reindex(columns=names), npartitions=2)
        with pytest.raises(InvalidInput, match=words):
            model.predict(frame)
    refuse_distributed(X, "This", "call compute().")
    with pytest.raises(InvalidInput, match=r"This takes observations that are here.*call compute"):
        refuse_distributed(dd.from_pandas(X, npartitions=2), "This", "call compute().")


# ---- estimators as wholes


@pytest.mark.parametrize("make", [ConstrainedRegressor, ConstrainedLogisticRegression])
@pytest.mark.parametrize("region", ["l1", "l2", "linf"])
def test_the_attributes_are_those_of_the_problem(region, make, rng):
    X = rng.standard_normal((60, 4)) * [1.0, 5.0, 0.2, 1.0]
    y = X @ [1.0, 0.0, -2.0, 0.5] + rng.standard_normal(60)
    labels = y > 0 if make is ConstrainedLogisticRegression else y
    w = rng.integers(1, 4, 60)
    model = make(region, 0.7, tol=1e-9).fit(X, labels, sample_weight=w)
    order = {"l1": 1, "l2": 2, "linf": np.inf}[region]
    coef, free = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    assert np.linalg.norm(coef, order) <= 0.7 * (1 + 1e-9)

    def loss(z):
        scores = X @ z[:4] + z[4]
        each = (
            np.logaddexp(0, -np.where(labels, 1, -1) * scores)
            if labels.dtype == bool
            else 0.5 * (scores - y) ** 2
        )
        return np.average(each, weights=w)

    value = loss(np.append(coef, free))
    # the intercept is best, and no point of the region is better by more than the gap
    assert all(loss(np.append(coef, free + step)) >= value - 1e-12 for step in (-1e-3, 1e-3))
    for _ in range(30):
        other = rng.standard_normal(4)
        other *= 0.7 / np.linalg.norm(other, order)
        mixed = 0.9 * coef + 0.1 * other
        best = min(loss(np.append(mixed, free + shift)) for shift in np.linspace(-0.5, 0.5, 41))
        assert best >= value - model.dual_gap_ - 1e-9
    repeated = make(region, 0.7, tol=1e-9).fit(np.repeat(X, w, axis=0), np.repeat(labels, w))
    np.testing.assert_allclose(repeated.coef_, model.coef_, atol=1e-4)
    assert model.certified_
    assert model.region_.contains(coef, 1e-9)
    if make is ConstrainedRegressor:
        units = make(region, 0.7 * 1e3, tol=1e-9).fit(X, 1e3 * y, sample_weight=w)
        np.testing.assert_allclose(units.coef_, 1e3 * model.coef_, rtol=1e-3, atol=1e-2)


def test_a_path_goes_along_its_radii(rng):
    X = rng.standard_normal((50, 4))
    y = X @ [1.0, 0.0, -2.0, 0.5] + rng.standard_normal(50)
    path = regression_path(X, y, region="l1", radii=[2.0, 0.5, 1.0], tol=1e-9)
    assert path.radii.tolist() == [0.5, 1.0, 2.0]
    for radius, coef, intercept, gap in zip(
        path.radii, path.coefs, path.intercepts, path.dual_gaps, strict=True
    ):
        one = ConstrainedRegressor("l1", radius, tol=1e-9).fit(X, y)
        np.testing.assert_allclose(coef, one.coef_, atol=1e-4)
        assert intercept == pytest.approx(one.intercept_, abs=1e-4)
        assert np.abs(coef).sum() <= radius * (1 + 1e-9)
        assert 0.0 <= gap <= 1e-9 * np.var(y)
    assert path.certified
    for bad in ([0.0, 1.0], [-1.0], [np.nan], 0):
        with pytest.raises(InvalidInput, match="radii"):
            regression_path(X, y, region="l1", radii=bad)


def test_completion_chooses_what_does_best_on_the_part_held_out(rng):
    left, right = rng.standard_normal((40, 2)), rng.standard_normal((30, 2))
    table = 2.0 + left @ right.T + 0.1 * rng.standard_normal((40, 30))
    table[rng.random(table.shape) < 0.5] = np.nan
    cells = np.argwhere(~np.isnan(table))
    model = MatrixCompletion().fit_cells(cells, table[tuple(cells.T)], shape=table.shape)
    scores = model.scores_
    best = min(scores, key=scores.get)
    assert scores[best] < scores[0.0]
    assert model.radius_ > 0.0
    assert (
        scores[min(scores, key=lambda r: abs(r - model.radius_))]
        <= scores[best] / IMPROVED_RATIO**9
    )


def test_rows_without_ratings_are_counted_too(rng):
    ratings = RatingCells(np.array([0, 2, 2]), np.array([1, 1, 0]), np.ones(3), (6, 4))
    by_row, by_column = ratings.counts()
    assert by_row.tolist() == [1, 0, 2, 0, 0, 0]
    assert by_column.tolist() == [1, 2, 0, 0]
    effects = ratings._replace(values=np.array([1.0, 2.0, 6.0])).effects((1.0, 1.0))
    assert (effects.row.size, effects.column.size) == (6, 4)
    assert not effects.row[[1, 3, 4, 5]].any()
    assert not effects.column[[2, 3]].any()
    ids = CellIds.of([[0, 0], [5_000_000, 1]])
    assert ids.rows.read("users", [0]).tolist() == [0]
    assert [part.tolist() for part in ids.places(np.array([0]), np.array([0]))] == [[0], [0]]
    f = fw.SquaredError(rng.standard_normal((30, 8)), rng.standard_normal(30))
    task = Task(*scaled(f), fw.L1Ball)
    for most in (1, 3):
        settings = Settings(1e-12, most, fw.frank_wolfe())
        assert task.solve(2.0, settings).result.nit == most
