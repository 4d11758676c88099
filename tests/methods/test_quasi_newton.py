"""Quasi-Newton steps over a ball: the model against a dense one, and the method against others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import frankwolfe as fw
from frankwolfe.methods.default import best_for
from frankwolfe.subproblems.kernels import limited
from frankwolfe.subproblems.quasi_newton import BasedModel, LimitedModel
from frankwolfe.subproblems.secular import minimize_over_ball


@pytest.mark.parametrize(("n", "pairs"), [(4, 0), (5, 3), (40, 8)])
@pytest.mark.parametrize("radius", [1e-3, 0.5, 5.0, 1e3])
@pytest.mark.parametrize("based", [False, True])
def test_the_model_is_minimized_over_the_ball(n, pairs, radius, based, rng):
    root = rng.standard_normal((n, n))
    H = root @ root.T / n + 0.1 * np.eye(n)
    steps = rng.standard_normal((pairs, n))
    near = np.diag(rng.uniform(0.5, 2.0, n)) + 0.3 * np.ones((n, n))
    if based:
        model = BasedModel(steps, steps @ H, *np.linalg.eigh(near))
    else:
        model = LimitedModel(steps, steps @ H, 2.0)
    B = np.array([model.times(e) for e in np.eye(n)])
    np.testing.assert_allclose(B, B.T, atol=1e-10)
    if pairs:
        np.testing.assert_allclose(model.times(steps[-1]), H @ steps[-1], atol=1e-10)
        assert np.linalg.eigvalsh(B)[0] > 0.0
    x, g = 0.1 * rng.standard_normal(n), rng.standard_normal(n)

    def value(y):
        return g @ (y - x) + 0.5 * (y - x) @ B @ (y - x)

    found, best = model.over_ball(x, g, radius), minimize_over_ball(B, g - B @ x, radius)
    assert np.linalg.norm(found) <= radius * (1.0 + 1e-12)
    assert value(found) <= value(best) + 1e-9 * abs(value(best))


def test_small_systems_are_solved_with_exchanges(rng):
    for size in (1, 2, 7, 40):
        a = rng.standard_normal((size, size))
        a[np.arange(size), np.arange(size)] = 0.0 if size > 1 else 2.0  # no pivot on the diagonal
        a = a + a.T
        r = rng.standard_normal(size)
        np.testing.assert_allclose(a @ limited.solve(a, r), r, atol=1e-9)


def _several(rng, kind=np.asarray, dtype=float, scale=1.0, rows=300):
    A = rng.standard_normal((rows, 20)) * np.geomspace(1.0, scale, 20)
    labels = (A / np.geomspace(1.0, scale, 20) @ rng.standard_normal((20, 4))).argmax(axis=1)
    labels[rng.random(rows) < 0.2] = 0
    return kind(A.astype(dtype)), labels


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize("scale", [1.0, 1e3])
@pytest.mark.parametrize("radius", [0.1, 3.0, 300.0])
def test_it_finds_what_second_order_steps_find(kind, scale, radius, rng):
    A, labels = _several(rng, kind, scale=scale)
    for f in (fw.Multinomial(A, labels), fw.Profiled(fw.Multinomial(A, labels))):
        for region in (fw.L2Ball(radius), fw.L2Ball(radius, center=np.full(80, 0.01))):
            mine = fw.minimize(f, region, method=fw.methods.quasi_newton(), tol=1e-7)
            theirs = fw.minimize(f, region, method=fw.methods.second_order(), tol=1e-8)
            assert mine.success
            assert mine.certified
            assert region.contains(mine.x, 1e-12)
            assert mine.fun == pytest.approx(theirs.fun, abs=2e-7)
            assert mine.lower_bound <= theirs.fun + 1e-12


def test_single_precision_and_other_losses(rng):
    A, labels = _several(rng, dtype=np.float32)
    f = fw.Profiled(fw.Multinomial(A, labels))
    result = fw.minimize(f, fw.L2Ball(3.0), method="quasi_newton", tol=1e-4)
    assert result.success
    assert result.x.dtype == np.float32
    A, labels = _several(rng)
    for g in (fw.Logistic(A, labels == 1), fw.SquaredError(A, labels), fw.Huber(A, labels)):
        assert fw.minimize(g, fw.L2Ball(1.0), method="quasi_newton", tol=1e-9).success


def test_it_goes_on_where_it_was_interrupted(rng, tmp_path):
    f = fw.Profiled(fw.Multinomial(*_several(rng, scale=1e2)))
    region, method = fw.L2Ball(20.0), fw.methods.quasi_newton()
    whole = fw.minimize(f, region, method=method, tol=0.0, max_iter=6)
    path = tmp_path / "run.npz"
    fw.minimize(f, region, method=method, tol=0.0, max_iter=3, callback=fw.Checkpoint(path))
    rest = fw.minimize(f, region, method=method, tol=0.0, max_iter=6, resume=path)
    np.testing.assert_array_equal(rest.x, whole.x)


def test_it_is_the_default_for_several_predictions_and_refuses_other_regions(rng):
    f = fw.Profiled(fw.Multinomial(*_several(rng)))
    assert best_for(fw.Problem(f, fw.L2Ball(1.0))).stages[0].method == fw.methods.quasi_newton()
    with pytest.raises(fw.InvalidInput, match="Euclidean ball"):
        fw.minimize(f, fw.L1Ball(1.0), method=fw.methods.quasi_newton())
    plain = fw.Function(lambda x: x @ x, lambda x: 2.0 * x)
    with pytest.raises(fw.InvalidInput, match="second derivatives"):
        fw.minimize(plain, fw.L2Ball(1.0), x0=np.ones(3), method=fw.methods.quasi_newton())


def _slow(rng):
    """Few variables, many rows, and columns on scales for which eight steps are not enough."""
    A, labels = _several(rng, scale=1e-3, rows=3000)
    return fw.Profiled(fw.Multinomial(A[:, :8] @ rng.standard_normal((8, 8)), labels))


def test_where_steps_are_slow_a_rough_hessian_helps(rng, monkeypatch):
    f = _slow(rng)
    region, method, stop = fw.L2Ball(30.0), fw.methods.quasi_newton(), {"tol": 1e-8, "max_iter": 60}
    asked = []
    thinned = type(f).thinned

    def counted(self, step, z):
        asked.append(step)
        return thinned(self, step, z)

    monkeypatch.setattr(type(f), "thinned", counted)
    mine = fw.minimize(f, region, method=method, **stop)
    exact = fw.minimize(f, region, method=fw.methods.second_order(), tol=1e-10)
    assert asked
    assert min(asked) > 1
    assert mine.success
    assert mine.certified
    assert mine.fun == pytest.approx(exact.fun, abs=2e-8)
    assert mine.lower_bound <= exact.fun + 1e-12


def test_what_the_rough_hessian_told_is_in_a_checkpoint(rng, tmp_path):
    f = _slow(rng)
    region, method = fw.L2Ball(30.0), fw.methods.quasi_newton()
    whole = fw.minimize(f, region, method=method, tol=0.0, max_iter=5)
    path = tmp_path / "run.npz"
    for steps in (2, 3):
        fw.minimize(f, region, method=method, tol=0.0, max_iter=steps, callback=fw.Checkpoint(path))
        with np.load(path) as file:
            assert any(name.endswith("vectors") and file[name].size for name in file.files)
        rest = fw.minimize(f, region, method=method, tol=0.0, max_iter=5, resume=path)
        np.testing.assert_array_equal(rest.x, whole.x)
