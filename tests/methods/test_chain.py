"""Defaults that always finish: hand-overs, interior points, budgets and bounds."""

from __future__ import annotations

import gc
import warnings
from typing import Any
from weakref import ref

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.methods.chain import Chain, Halving, Stage
from frankwolfe.methods.default import best_for

N = 12


def _scaled(seed: int, power: float, m: int = 30) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((m, N)) * 10.0 ** rng.uniform(-power, power, N)
    return A, rng.standard_normal(m)


def _losses(A: Any, b: Any) -> list[fw.Objective]:
    return [
        fw.SquaredError(A, b),
        fw.Huber(A, b, delta=0.06),
        fw.Quantile(A, b, delta=0.01),
        fw.Logistic(A, np.sign(b)),
        fw.Multinomial(A[:, : N // 3], np.arange(b.size) % 3),
        fw.Profiled(fw.SquaredError(A, b)),
    ]


REGIONS = [
    fw.L1Ball(1.0),
    fw.L1Ball(1.0, center=np.ones(N)),
    fw.L2Ball(1.0),
    fw.LInfBall(0.5),
    fw.LpBall(1.5, 1.0),
    fw.LpBall(8.0, 1.0),
    fw.Simplex(),
    fw.UnitSimplex(3.0),
    fw.Box(0.0, 1.0),
    fw.GroupBall(np.arange(N) // 3, 1.0),
    fw.KSparse(3, 1.0),
    fw.Hypersimplex(4),
    fw.regions.UnitHypersimplex(4),
    fw.ConvexHull(np.random.default_rng(0).standard_normal((20, N))),
    fw.Product([(fw.L2Ball(1.0), 5), (fw.L2Ball(2.0), N - 5)]),
    fw.Product([(fw.Simplex(), 5), (fw.Box(-1.0, 2.0), N - 5)]),
]


@pytest.mark.parametrize("region", REGIONS, ids=repr)
def test_interior_points_reach_any_minimizer_however_columns_are_scaled(region):
    for f in _losses(*_scaled(3, 2.0)):
        result = fw.minimize(f, region, method="interior_point", tol=1e-7, max_iter=100)
        assert result.success, (f, result)
        assert region.contains(result.x)


@pytest.mark.parametrize("region", REGIONS, ids=repr)
def test_the_default_reaches_any_minimizer_however_columns_are_scaled(region):
    for f in _losses(*_scaled(4, 1.5)):
        result = fw.minimize(f, region, tol=1e-7)
        assert result.success, (f, result)


@pytest.mark.parametrize(
    "region", [fw.KSparse(5), fw.Hypersimplex(5), fw.regions.UnitHypersimplex(5)]
)
def test_a_stalled_method_hands_over_and_keeps_what_is_known(region):
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((40, 14)) * 10.0 ** np.linspace(-2, 2, 14), rng.standard_normal(40)
    f = fw.SquaredError(A, b)
    result = fw.minimize(f, region, tol=1e-10)
    assert result.success
    assert "went on" in result.message
    history = result.history
    assert (np.diff(history.lower_bound) >= 0.0).all()
    assert result.fun <= history.value.min() * (1.0 + 1e-12)
    other = fw.minimize(f, region, method="second_order", tol=1e-10)
    assert abs(result.fun - other.fun) <= result.gap + other.gap + 1e-14


def test_a_run_resumed_after_a_hand_over_is_the_run_that_was_not_stopped(tmp_path):
    A, b = _scaled(0, 2.0)
    f, region, path = fw.SquaredError(A, b), fw.KSparse(3), tmp_path / "run.npz"
    legs = fw.methods.decomposition_invariant(), fw.methods.interior_point()
    method = Chain((Stage(legs[0], Halving(3)), Stage(legs[1], Halving(100))))
    whole = fw.minimize(f, region, method=method, stop=fw.Iterations(40))
    assert "went on" in whole.message
    for steps in (2, 20, 30):
        part = fw.Iterations(steps)
        callback = fw.Checkpoint(path, every=1)
        fw.minimize(f, region, method=method, stop=part, callback=callback)
        again = fw.minimize(f, region, method=method, stop=fw.Iterations(40), resume=path)
        np.testing.assert_array_equal(again.x, whole.x)
        np.testing.assert_array_equal(again.history.gap, whole.history.gap)


def test_a_chain_that_is_not_the_first_stage_resumes(tmp_path):
    A, b = _scaled(0, 1.0)
    f, region, path = fw.SquaredError(A, b), fw.L2Ball(7.0), tmp_path / "run.npz"
    inner = fw.methods.relay()
    method = Chain((Stage(fw.frank_wolfe(), Halving(2)), Stage(inner, Halving(2000))))
    whole = fw.minimize(f, region, method=method, tol=0.0, stop=fw.Iterations(30))
    assert "went on" in whole.message
    for steps in (3, 8, 16):
        callback = fw.Checkpoint(path, every=1)
        fw.minimize(f, region, method=method, tol=0.0, max_iter=steps, callback=callback)
        again = fw.minimize(f, region, method=method, tol=0.0, max_iter=30, resume=path)
        np.testing.assert_array_equal(again.x, whole.x)
        assert again.nit == whole.nit


def test_a_method_that_nobody_follows_says_that_it_is_spent():
    A, b = _scaled(1, 2.0)
    lonely = Chain((Stage(fw.frank_wolfe(fw.steps.ExactLineSearch()), Halving(30)),))
    result = fw.minimize(fw.SquaredError(A, b), fw.KSparse(3), method=lonely, tol=1e-12)
    assert result.status in (fw.Status.STALLED, fw.Status.PRECISION)
    assert result.nit < 10_000


@pytest.mark.parametrize("name", ["working_set", "fully_corrective", "second_order"])
def test_a_long_step_ends_where_time_is_up(name):
    A, b = _scaled(2, 1.0)
    problem = fw.Problem(fw.Huber(A, b, delta=0.05), fw.LInfBall(0.5))
    method = fw.methods.METHODS[name]()
    state = method.init(problem)
    asked = []
    state.due = lambda: asked.append(True) is None
    method.advance(state)
    assert state.k == 1
    assert np.isfinite(state.value)
    assert problem.region.contains(state.x)
    assert asked or name == "second_order"  # whose model may be minimized at once


@pytest.mark.parametrize("seed", range(12))
def test_a_nearly_square_ball_divides_by_nothing(seed):
    A = np.random.default_rng(seed).standard_normal((6, 3))
    f = fw.Quantile(A, [1.0, -1, 2, 0, 1, 3], delta=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fw.minimize(f, fw.LpBall(1.01, 100.0), tol=1e-8).success


@pytest.mark.parametrize(
    "region", [fw.L1Ball(1.0), fw.L1Ball(50.0), fw.Simplex(), fw.UnitSimplex(50.0)]
)
@pytest.mark.parametrize("seed", range(3))
def test_weights_of_columns_of_any_scale_are_found(region, seed):
    A, b = _scaled(seed, 4.0, 60)
    for f in (fw.SquaredError(A, b), fw.Logistic(A, np.sign(b))):
        result = fw.minimize(f, region, method="working_set", tol=1e-8)
        assert result.success, (f, result)


def test_wide_data_over_a_box_take_few_steps():
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((38, 2000)), np.sign(rng.standard_normal(38))
    result = fw.minimize(fw.Quantile(A, b, delta=0.01), fw.LInfBall(0.01), tol=1e-8)
    assert result.success
    assert result.nit < 60
    assert result.fun <= 1e-8  # 2000 columns fit 38 targets


def test_only_losses_that_cannot_be_negative_are_bounded_by_zero():
    for f in fw.objectives.OBJECTIVES.values():
        one = f.example(6, np.random.default_rng(0))
        if np.isfinite(one.least):
            points = np.random.default_rng(1).standard_normal((50, one.n))
            assert min(one(x) for x in points) >= one.least
    assert fw.Poisson.least == -np.inf


def test_the_default_over_a_large_problem_is_not_one_that_cannot_take_it():
    f = fw.squared_distance(np.zeros(5))
    assert best_for(fw.Problem(f, fw.Simplex())).accepts(fw.Problem(f, fw.Simplex())) is None
    wide = fw.SquaredError(np.ones((3, 20_000)), np.ones(3))
    problem = fw.Problem(wide, fw.Box())
    assert best_for(problem).accepts(problem) is None


@pytest.mark.parametrize("region", [fw.L1Ball(1.0), fw.L2Ball(1.0), fw.KSparse(3, 1.0)], ids=repr)
def test_a_run_goes_with_its_last_name(region):
    """What a run holds, the data among it, is free at once: nothing in it refers to itself."""
    A, b = _scaled(0, 1.0)
    gc.collect()
    gc.disable()
    try:
        f = fw.SquaredError(A, b)
        gone = ref(f)
        result = fw.minimize(f, region)
        del f
        assert gone() is not None, "result.problem, which verify() needs"
        del result
        assert gone() is None
    finally:
        gc.enable()
