"""The smoothed pinball loss against the pinball loss, Huber's and scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest

import frankwolfe as fw


def _data(rng, m=60, n=4):
    A = rng.standard_normal((m, n))
    return A, A @ rng.standard_normal(n) + rng.standard_normal(m)


@pytest.mark.parametrize("quantile", [0.05, 0.5, 0.8])
@pytest.mark.parametrize("delta", [1e-3, 1.0])
def test_it_is_below_the_pinball_loss_and_nearer_than_it_says(quantile, delta, rng):
    A, b = _data(rng)
    weights = rng.uniform(0.0, 2.0, b.size)
    for options in ({}, {"reduction": "sum"}, {"reduction": "sum", "sample_weight": weights}):
        f = fw.Quantile(A, b, quantile=quantile, delta=delta, **options)
        for x in 3.0 * rng.standard_normal((20, 4)):
            rest = b - A @ x
            terms = np.where(rest > 0, quantile * rest, (quantile - 1) * rest)
            w = options.get("sample_weight", np.ones(b.size))
            exact = terms @ w if options else terms.mean()
            assert f.pinball(x) == pytest.approx(exact, rel=1e-12)
            slack = 1e-13 * abs(exact)
            assert -slack <= f.pinball(x) - f(x) <= f.distance + slack
    far = 1e6 * np.ones((1, 1))  # the bound is reached on the steeper side
    side = far if quantile < 0.5 else -far
    f = fw.Quantile(side, [0.0], quantile=quantile, delta=delta)
    assert f.pinball([1.0]) - f([1.0]) == pytest.approx(f.distance, rel=1e-3, abs=1e-9)


def test_the_median_is_hubers_loss(rng):
    A, b = _data(rng)
    median, huber = fw.Quantile(A, b, delta=0.8), fw.Huber(A, b, delta=0.4)
    for x in rng.standard_normal((5, 4)):
        assert median(x) == pytest.approx(huber(x) / 1.6, rel=1e-13)
        np.testing.assert_allclose(median.grad(x), huber.grad(x) / 1.6, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.75])
def test_it_agrees_with_scikit_learn(quantile, rng):
    linear_model = pytest.importorskip("sklearn.linear_model")
    A, b = _data(rng)
    model = linear_model.QuantileRegressor(quantile=quantile, alpha=0.0, fit_intercept=False)
    theirs = model.fit(A, b).coef_
    f = fw.Quantile(A, b, quantile=quantile, delta=1e-5)
    result = fw.minimize(f, fw.L1Ball(2.0 * np.abs(theirs).sum()), tol=1e-9)
    assert result.success
    optimum = f.pinball(theirs)
    theirs_is_off = 1e-7  # the tolerance of the linear program behind it
    assert optimum - f.distance - theirs_is_off <= result.fun <= optimum + 1e-9
    assert optimum - theirs_is_off <= f.pinball(result.x) <= optimum + f.distance + 1e-9
    # and where a penalty holds, the ball of the penalized solution's size has its optimum
    held = linear_model.QuantileRegressor(quantile=quantile, alpha=0.05, fit_intercept=False)
    theirs = held.fit(A, b).coef_
    inside = fw.minimize(f, fw.L1Ball(np.abs(theirs).sum()), tol=1e-9)
    optimum = f.pinball(theirs)
    assert optimum - f.distance - theirs_is_off <= inside.fun <= optimum + 1e-8
