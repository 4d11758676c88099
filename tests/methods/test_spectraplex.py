"""Completion over a spectraplex: one factor for both sides, and a path through the inside."""

from __future__ import annotations

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.core.region_abilities import Factoring
from frankwolfe.methods.matrix.factor_loss import FactorLoss
from frankwolfe.methods.matrix.interior import matrix_interior
from frankwolfe.methods.matrix.policy import POLICY

N = 7
LOSSES = {"squared": {}, "huber": {"delta": 0.05}, "logistic": {}}


def _completion(loss: str, seed: int = 0, n: int = N) -> fw.Completion:
    rng = np.random.default_rng(seed)
    rows, columns = np.nonzero(rng.random((n, n)) < 0.7)
    full = rng.standard_normal((n, 2)) @ rng.standard_normal((2, n))
    values = full[rows, columns]
    if loss == "logistic":
        values = np.sign(values)
    return fw.Completion((rows, columns, values), shape=(n, n), loss=loss, **LOSSES[loss])


@pytest.mark.parametrize("form", [Factoring(2.0), Factoring(2.0, True), Factoring(2.0, True, True)])
@pytest.mark.parametrize("size", [0.3, 3.0])
def test_the_gradient_in_the_factors_is_that_of_differences(form, size, rng):
    f = _completion("squared")
    x = fw.FactoredMatrix.from_array(rng.standard_normal((N, N)))
    loss = FactorLoss(f, form, x)
    count = N * N * (1 if form.symmetric else 2)
    flat = size * rng.standard_normal(count)
    _, gradient = loss(flat)
    d = rng.standard_normal(count)
    slope = (loss(flat + 1e-6 * d)[0] - loss(flat - 1e-6 * d)[0]) / 2e-6
    assert slope == pytest.approx(float(gradient @ d), rel=1e-6)


@pytest.mark.parametrize("at_most", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_default_reaches_the_minimum_however_large_the_trace_is(loss, at_most):
    f = _completion(loss)
    for trace in (1e-3, 1.0, 30.0, *([] if loss == "huber" else [1e4])):  # bends are hard there
        region = fw.Spectraplex(trace, at_most=at_most)
        result = fw.minimize(f, region, tol=1e-8)
        assert result.success, (trace, result)
        assert region.contains(result.x)
        assert result.verify().gap <= 1e-6 * max(1.0, result.fun)


@pytest.mark.parametrize("at_most", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_interior_points_take_few_steps_and_go_where_the_hybrid_goes(loss, at_most):
    f, region = _completion(loss, 1), fw.Spectraplex(5.0, at_most=at_most)
    inside = fw.minimize(f, region, method=matrix_interior(), tol=1e-9, max_iter=60)
    factors = fw.minimize(f, region, method=fw.methods.hybrid(), tol=1e-7)
    assert inside.success
    assert region.contains(inside.x)
    assert abs(inside.fun - factors.fun) <= 2e-7 * max(1.0, inside.fun)


def test_interior_points_say_what_they_need():
    wide = _completion("squared", n=POLICY.interior_rows + 1)
    assert "at most" in matrix_interior().accepts(fw.Problem(wide, fw.Spectraplex()))
    square = fw.Problem(_completion("squared"), fw.NuclearBall())
    assert "Spectraplex" in matrix_interior().accepts(square)


def test_a_resumed_path_is_the_path_that_was_not_left(tmp_path):
    f, region, file = _completion("huber", 2), fw.Spectraplex(4.0), tmp_path / "state.npz"
    whole = fw.minimize(f, region, method=matrix_interior(), tol=0.0, max_iter=12)
    fw.minimize(
        *(f, region),
        method=matrix_interior(),
        tol=0.0,
        max_iter=5,
        callback=fw.Checkpoint(file, every=5),
    )
    rest = fw.minimize(f, region, method=matrix_interior(), tol=0.0, max_iter=12, resume=file)
    assert rest.fun == whole.fun
    assert rest.x.toarray().tolist() == whole.x.toarray().tolist()


def test_a_full_decomposition_and_lanczos_are_the_same_oracle(rng):
    g = rng.standard_normal((N, N))
    for at_most in (False, True):
        for shift in (0.0, 10.0):
            both = [fw.Spectraplex(2.0, at_most=at_most, exact_below=k) for k in (0, 2500)]
            found = [r.lmo(g + shift * np.eye(N)).dense((N, N)) for r in both]
            assert np.abs(found[0] - found[1]).max() <= 1e-9
