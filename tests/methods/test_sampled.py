"""Methods that draw rows: unbiased, certified, the same for the same seed."""

from __future__ import annotations

from itertools import combinations, islice

import numpy as np
import pytest
import scipy.sparse as sp

import frankwolfe as fw
from frankwolfe.methods.parts.sampling import Averaged, Batches, MinibatchWalk, Recursive, Snapshot
from frankwolfe.methods.parts.schedules import Doubling, Restarted, Steady

RECIPES = [fw.methods.stochastic, fw.methods.svrf, fw.methods.spider_fw]
ESTIMATORS = [Averaged(1.0, 1.0, 0.0), Snapshot(), Recursive()]
REGIONS = [fw.L1Ball(1.5), fw.L2Ball(1.5), fw.Simplex(), fw.Box(-1.0, 0.5)]


def losses(rng: np.random.Generator, m: int = 60, n: int = 5) -> list[fw.Objective]:
    A, weight = rng.standard_normal((m, n)), rng.random(m) + 0.1
    b = A @ rng.standard_normal(n) + 0.5 * rng.standard_normal(m)
    sparse = sp.csr_matrix(A * (rng.random((m, n)) < 0.5))
    return [
        fw.SquaredError(A, b),
        fw.Logistic(sparse, np.sign(b), sample_weight=weight),
        fw.Huber(np.asfortranarray(A), b, delta=0.5, reduction="sum"),
    ]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.parametrize("which", range(3))
def test_the_mean_over_all_batches_is_the_gradient(estimator, which, rng):
    f = losses(rng, m=6)[which]
    x, before, w = rng.standard_normal((3, f.n))
    image = np.empty(f.m)
    f.image(w, image)
    # a recursive estimate starts from the gradient at the point before
    start = f.grad(before) if isinstance(estimator, Recursive) else rng.standard_normal(f.n)
    found = []
    for batch in combinations(range(f.m), 2):
        walk = MinibatchWalk(f, 0, x.copy(), start.copy(), (f.grad(w), image))
        walk.before[:] = before
        estimator.update(walk, np.array(batch))
        found.append(walk.estimate)
    np.testing.assert_allclose(np.mean(found, axis=0), f.grad(x), atol=1e-12)
    assert np.std(found, axis=0).max() > 1e-3  # one batch alone is not


def test_every_batch_is_as_likely():
    batches = Batches(5, (0,))
    drawn = [frozenset(batches.draw(2).tolist()) for _ in range(20_000)]
    counts = np.array([drawn.count(frozenset(pair)) for pair in combinations(range(5), 2)])
    assert counts.sum() == 20_000
    assert ((counts - 2000) ** 2 / 2000).sum() < 27.9  # chi squared, 9 degrees, 1 in 1000


@pytest.mark.parametrize("region", REGIONS, ids=repr)
@pytest.mark.parametrize("which", range(3))
def test_with_all_rows_and_no_averaging_they_are_plain_frank_wolfe(region, which, rng):
    f = losses(rng)[which]
    problem = fw.Problem(f, region)
    alone = fw.methods.stochastic(
        f.m, averaging=False, step=fw.steps.OpenLoop(), evaluate_every=1.0
    )
    for method in (alone, fw.methods.svrf(f.m), fw.methods.spider_fw(f.m)):
        runs = zip(fw.states(problem, method), fw.states(problem, fw.frank_wolfe()), strict=False)
        for ours, plain in islice(runs, 60):
            np.testing.assert_allclose(ours.x, plain.x, atol=1e-9)
            assert ours.gap == pytest.approx(plain.gap, abs=1e-9)
            assert ours.k == plain.k


@pytest.mark.parametrize(
    "method", [fw.methods.svrf(Restarted()), fw.methods.spider_fw(Doubling())], ids=str
)
def test_schedules_of_the_papers_converge(method, rng):
    f = losses(rng, m=2000)[0]
    result = fw.minimize(f, fw.L2Ball(0.5), method=method, max_iter=300, tol=1e-3)
    assert result.success
    assert result.certified


def test_the_papers_schedules_step_by_step():
    restarted, doubling = Restarted(), Doubling()
    epochs = [[1], list(range(1, 15)), list(range(1, 31))]
    inner = [j for epoch in epochs for j in epoch]
    assert [restarted.step(k) for k in range(45)] == [2 / (j + 1) for j in inner]
    assert [restarted.batch(k, 10**6) for k in range(45)] == [96 * (j + 1) for j in inner]
    assert [k for k in range(1, 46) if restarted.ends(k)] == [1, 15, 45]
    pairs = [(2**t, j) for t in range(6) for j in range(1, 2**t + 1)]
    assert [doubling.step(k) for k in range(63)] == [2 / (size + j) for size, j in pairs]
    assert [doubling.batch(k, 10**6) for k in range(63)] == [size for size, _ in pairs]
    assert [k for k in range(1, 64) if doubling.ends(k)] == [1, 3, 7, 15, 31, 63]
    assert Steady().batch(0, 10_000) == 100


@pytest.mark.parametrize("seed", range(5))
def test_svrf_keeps_its_papers_bound_after_each_epoch(seed, rng):
    A = rng.standard_normal((20_000, 10)) * np.linspace(0.2, 2.0, 10)
    f, ball = fw.Logistic(A, np.sign(A @ rng.standard_normal(10))), fw.L2Ball(3.0)
    best, L, D = fw.minimize(f, ball).fun, (A**2).sum(axis=1).max() / 4, 6.0
    method = fw.methods.svrf(Restarted(), evaluate_every=1e9, seed=seed)
    run = fw.states(fw.Problem(f, ball), method)
    evaluations = [(state.value, state.oracle_calls) for state in islice(run, 5)]
    for t, (value, calls) in enumerate(evaluations[1:]):
        assert calls == 2 ** (t + 4) - 2 * t - 14  # a call for each step, and the evaluation at w_t
        assert value - best <= L * D**2 / 2 ** (t + 1)


def test_the_average_is_the_papers(rng):
    # one row a step, one step a block: d_k by hand from the rows that were drawn
    f = losses(rng)[0]
    method = fw.methods.stochastic(1, evaluate_every=1 / f.m, seed=3)
    d, x = np.zeros(f.n), np.zeros(f.n)
    for state in islice(fw.states(fw.Problem(f, fw.L2Ball(1.0)), method), 30):
        np.testing.assert_allclose(state.x, x, atol=1e-12)
        k = state.k
        i = int(Batches(f.m, (3, k)).draw(1)[0])
        row = f.linear.matrix[i]
        rho = 4 / (k + 8) ** (2 / 3)
        d = (1 - rho) * d + rho * (row @ x - f.b[i]) * row
        x = x + 2 / (k + 8) * (-d / np.linalg.norm(d) - x)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_seed_is_a_run(recipe, rng):
    f = losses(rng)[0]
    runs = [
        fw.minimize(f, fw.L2Ball(1.0), method=recipe(7, seed=seed), tol=0.0, max_iter=20)
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(runs[0].history["value"], runs[1].history["value"])
    assert (runs[0].history["value"][5:] != runs[2].history["value"][5:]).all()


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("which", range(3))
def test_any_batch_gives_certified_feasible_points_and_counts_its_cost(recipe, which, rng):
    f = losses(rng)[which]
    for region in REGIONS:
        optimum = fw.minimize(f, region, method="pairwise" if region.polytope else None).fun
        for batch in (1, 7, 1000):
            method = recipe(batch, evaluate_every=2.0)
            calls = []
            for state in islice(fw.states(fw.Problem(f, region), method), 25):
                assert state.certified
                assert state.value == pytest.approx(f(state.x), rel=1e-12)
                assert state.gap >= state.value - optimum - 1e-9
                assert state.lower_bound <= optimum + 1e-9
                assert region.violation(state.x) <= 1e-10
                calls.append(state.gradient_calls)
            # an evaluation, and at most two passes (where a batch is all rows one is enough)
            assert set(np.diff(calls)) <= {1, 2, 3}


def test_rows_are_read_only_where_drawn(rng):
    # a batch must not touch other rows: poison them, and see whether they are noticed
    for sparse in (False, True):
        A = rng.standard_normal((30, 4))
        f = fw.SquaredError(sp.csr_matrix(A) if sparse else A, rng.standard_normal(30))
        rows = np.array([3, 11, 12])
        expected = f.row_slopes(rows, np.ones(4))
        total = np.zeros(4)
        f.add_gradient(rows, expected, total)
        entries = f.linear._rows.data.reshape(30, 4) if sparse else A
        entries[np.setdiff1d(np.arange(30), rows)] = np.nan
        np.testing.assert_array_equal(f.row_slopes(rows, np.ones(4)), expected)
        again = np.zeros(4)
        f.add_gradient(rows, expected, again)
        np.testing.assert_array_equal(again, total)


def test_variance_reduction_needs_few_passes(rng):
    A = rng.standard_normal((20_000, 10))
    b = np.sign(A @ rng.standard_normal(10) + rng.standard_normal(20_000))
    f, ball = fw.Logistic(A, b), fw.L1Ball(1.0)
    plain = fw.minimize(f, ball, method="frank_wolfe", tol=1e-4)
    for recipe in (fw.methods.svrf, fw.methods.spider_fw):
        result = fw.minimize(f, ball, method=recipe(), tol=1e-4)
        assert result.success
        assert result.fun == pytest.approx(plain.fun, abs=2e-4)
        assert result.njev < plain.njev / 3


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fw.methods.stochastic(0), "batch must be a whole number >= 1"),
        (lambda: fw.methods.svrf(2.5), "batch must be a whole number >= 1"),
        (lambda: fw.methods.spider_fw(evaluate_every=0.0), "evaluate_every must be"),
        (lambda: fw.methods.svrf(evaluate_every=np.inf), "evaluate_every must be"),
        (lambda: fw.methods.stochastic(seed=-1), "seed must be"),
        (
            lambda: fw.methods.stochastic(step=fw.steps.ExactLineSearch()),
            "step must be an OpenLoop",
        ),
    ],
)
def test_bad_options_are_named(make, words):
    with pytest.raises(fw.InvalidInput, match=words):
        make()
