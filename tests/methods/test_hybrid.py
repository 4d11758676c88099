"""The default method for matrix completion: steps on factors, and new directions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from conftest import in_threads

import frankwolfe as fw
from frankwolfe.core.entries import CellMatrix
from frankwolfe.methods.matrix import leading
from frankwolfe.methods.matrix.factor_loss import FactorLoss, unweighed
from frankwolfe.methods.matrix.newton import newton_step
from frankwolfe.regions.matrices.rescaled import RescaledGradient
from frankwolfe.subproblems.lbfgs import lbfgs

N = 11  # rows; as many columns where matrices are symmetric
LOSSES = ("huber", "squared", "logistic")
KINDS = ("ball", "weighted", "exact", "at most")


def _region(kind: str, size: float, shape: tuple[int, int], **options) -> fw.Region:
    if kind == "ball":
        return fw.NuclearBall(size, **options)
    if kind == "weighted":
        sides = np.linspace(0.5, 2.0, shape[0]), np.linspace(2.0, 0.3, shape[1])
        return fw.regions.WeightedNuclearBall(size, *sides, **options)
    return fw.Spectraplex(size, at_most=kind == "at most", **options)


def _problem(kind: str, loss: str, seed: int = 0, size: float = 6.0) -> fw.Problem:
    """Cells off the diagonal, one of them twice; no residual of zero is at Huber's bend."""
    rng = np.random.default_rng(seed)
    shape = (N, N) if kind in ("exact", "at most") else (N, 7)
    seen = rng.random(shape) < 0.6
    seen[np.arange(min(shape)), np.arange(min(shape))] = False
    rows, columns = (np.append(part, part[0]) for part in np.nonzero(seen))
    left, right = rng.standard_normal((shape[0], 2)), rng.standard_normal((shape[1], 2))
    values = (left @ (left if shape[0] == shape[1] else right).T)[rows, columns]
    values = np.where(values > 0.0, 1.0, -1.0) if loss == "logistic" else values
    f = fw.Completion((rows, columns, values), shape=shape, loss=loss, delta=0.7)
    return fw.Problem(f, _region(kind, size, shape))


def _thin(problem: fw.Problem, terms: int, share: float, seed: int = 0) -> fw.FactoredMatrix:
    """A matrix of the region by its singular vectors, with that share of its size."""
    rng = np.random.default_rng(seed)
    form, shape = problem.region.factoring, problem.objective.shape
    left, right = (np.linalg.qr(rng.standard_normal((n, terms)))[0].T.copy() for n in shape)
    weights = np.sort(rng.random(terms) + 0.2)[::-1]
    weights *= (1.0 if form.exact else share) * form.most / weights.sum()
    return fw.FactoredMatrix(left, weights, left.copy() if form.symmetric else right)


def _loss(problem: fw.Problem, x: fw.FactoredMatrix) -> tuple[FactorLoss, np.ndarray]:
    loss = FactorLoss(problem.objective, problem.region.factoring, x)
    return loss, loss.flat(x)


def _along_the_sphere(flat: np.ndarray, move: np.ndarray) -> np.ndarray:
    return move - (flat @ move / (flat @ flat)) * flat


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", KINDS)
def test_second_derivatives_are_differences_of_gradients(kind, loss, rng):
    problem = _problem(kind, loss)
    for share in (0.7, 1.0):
        function, flat = _loss(problem, _thin(problem, 3, share))
        assert function.scale(flat)[0] == pytest.approx(1.0)
        hessian = function.hessian(flat)
        a, b = (_along_the_sphere(flat, rng.standard_normal(flat.size)) for _ in range(2))
        h = 1e-6
        ahead, behind = function(flat + h * a)[1], function(flat - h * a)[1]
        change = _along_the_sphere(flat, (ahead - behind) / (2 * h))
        images = hessian.times(a), hessian.times(b)
        size = np.abs(change).max()
        np.testing.assert_allclose(_along_the_sphere(flat, images[0]), change, atol=1e-6 * size)
        assert b @ images[0] == pytest.approx(a @ images[1], abs=1e-12 * size * flat.size)
        single = hessian.single().times(a.astype(np.float32))
        np.testing.assert_allclose(single, images[0], atol=1e-5 * np.abs(images[0]).max())


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", KINDS)
def test_scaling_is_the_diagonal_where_the_bound_holds_x_back(kind, loss):
    problem = _problem(kind, loss, size=1.0)
    result = fw.minimize(problem.objective, problem.region, tol=1e-8)
    x = unweighed(result.x, problem.region.factoring).compressed()[0]
    function, flat = _loss(problem, x)
    hessian = function.hessian(flat)
    assert hessian.multiplier > 0.0
    scaling = hessian.scaling()
    assert (scaling > 0.0).all()
    diagonal = np.array([hessian.times(axis)[i] for i, axis in enumerate(np.eye(flat.size))])
    np.testing.assert_allclose(scaling, diagonal, rtol=1e-9)
    turned, other = _loss(problem, _thin(problem, 4, 0.9, seed=3))  # wherever x is
    assert (turned.hessian(other).scaling() > 0.0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_newton_steps_square_the_residual(kind, rng):
    problem = _problem(kind, "squared", size=4.0)
    result = fw.minimize(problem.objective, problem.region, tol=1e-12)
    x = unweighed(result.x, problem.region.factoring).compressed()[0]
    function, flat = _loss(problem, x)
    noise = rng.standard_normal(flat.size)

    def left_of_it(distance: float) -> float:
        start = function.on_edge(flat + distance * noise)
        moved = newton_step(function, function.hessian(start), start, 1e-5, bool)
        assert moved.good
        before, after = (np.linalg.norm(function(point)[1]) for point in (start, moved.flat))
        return float(after / before)

    far, near = left_of_it(1e-2), left_of_it(1e-3)
    assert far < 0.3
    assert near < 0.3 * far


def test_newton_steps_are_taken_where_values_are_rounding(rng):
    """Sums over many cells are known to less than the last digit; slopes tell what is downhill."""
    problem = _problem("ball", "squared", size=4.0)
    result = fw.minimize(problem.objective, problem.region, tol=1e-12)
    function, flat = _loss(problem, result.x.compressed()[0])
    rough = 2.0**-52 * np.sqrt(problem.objective.m)

    class Rough(FactorLoss):
        def __call__(self, at: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = super().__call__(at)
            return value * (1.0 + rough * rng.uniform(-1.0, 1.0)), gradient

    start = function.on_edge(flat + 1e-9 * rng.standard_normal(flat.size))
    before = np.linalg.norm(function(start)[1])
    for _ in range(20):
        same = Rough(problem.objective, problem.region.factoring, result.x.compressed()[0])
        moved = newton_step(same, same.hessian(start), start, 1e-3, bool)
        assert moved.good
        assert np.linalg.norm(function(moved.flat)[1]) < 0.5 * before


@pytest.mark.parametrize("kind", KINDS)
def test_quasi_newton_steps_go_to_one_minimum_with_any_scaling(kind):
    problem = _problem(kind, "huber")
    function, flat = _loss(problem, _thin(problem, 7, 0.9))
    scaling = function.hessian(flat).scaling()
    values = [lbfgs(function, flat, 2000, 1e-15, given).value for given in (None, scaling)]
    best = fw.minimize(problem.objective, problem.region, tol=1e-10).fun
    np.testing.assert_allclose(values, best, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [2, 30])  # a few by powers; as many as there are by all entries
def test_new_directions_are_the_leading_ones_beside_x(kind, count, monkeypatch):
    many = replace(leading.POLICY, min_powers=300, max_powers=300)
    monkeypatch.setattr(leading, "POLICY", many)
    problem = _problem(kind, "squared")
    f, form = problem.objective, problem.region.factoring
    x = _thin(problem, 2, 0.5)
    g = CellMatrix(f.cells, f.grad(x))
    g = g if form.rows is None else RescaledGradient(g, form.rows, form.columns)
    found = leading.leading_beside(g, x, form, count, np.zeros(0))
    full = -g.dense()
    beside = [np.eye(n) - side.T @ side for n, side in zip(f.shape, (x.left, x.right), strict=True)]
    full = beside[0] @ (0.5 * (full + full.T) if form.symmetric else full) @ beside[1]
    values = np.linalg.eigvalsh(full)[::-1] if form.symmetric else np.linalg.svd(full)[1]
    if form.symmetric:  # two zeros are of the terms of x, in order with the others
        values = np.delete(values, np.argsort(np.abs(values))[:2])
    size = min(count, min(f.shape) - 2)
    assert len(found.left) == len(found.right) == size
    np.testing.assert_allclose(found.values, values[:size], rtol=1e-8, atol=1e-9)
    between = np.einsum("ki,ij,kj->k", found.left, full, found.right)
    np.testing.assert_allclose(between, values[:size], rtol=1e-8, atol=1e-9)
    for side, terms in ((found.left, x.left), (found.right, x.right)):
        np.testing.assert_allclose(side @ terms.T, 0.0, atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(side, axis=1), 1.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("asked", [1, 2, 5, 12])
def test_a_step_ends_when_it_is_due(kind, asked):
    problem = _problem(kind, "huber")
    method, calls = fw.methods.hybrid(), []
    state = method.init(problem)
    for _ in range(3):
        calls.clear()
        state.due = lambda: calls.append(0) is not None or len(calls) >= asked
        before, spent = state.value, state.gradient_calls
        method.advance(state)
        assert len(calls) <= asked + 3  # each search asks once more
        assert state.gradient_calls - spent <= 4 * (asked + 4)
        assert state.value <= before + state.rounding
        assert problem.region.contains(state.x)
        assert state.lower_bound <= state.value


def test_a_time_limit_of_nothing_is_kept():
    problem = _problem("ball", "huber")
    result = fw.minimize(problem.objective, problem.region, tol=0.0, stop=fw.Seconds(1e-9))
    assert result.status is fw.Status.MAX_TIME
    assert result.nit <= 1
    assert np.isfinite(result.fun)
    assert result.certified


BITS = """
import numba
import numpy as np
from threadpoolctl import threadpool_limits
import frankwolfe as fw

rng = np.random.default_rng(0)
truth = rng.standard_normal((150, 4)) @ rng.standard_normal((4, 120))
rows, columns = np.nonzero(rng.random(truth.shape) < 0.3)
f = fw.Completion((rows, columns, truth[rows, columns] + rng.standard_normal(rows.size)))
for threads in (1, 2, 3):
    numba.set_num_threads(threads)
    with threadpool_limits(threads):
        result = fw.minimize(f, fw.NuclearBall(300.0), tol=1e-6)
    x = result.x
    bits = x.left.tobytes() + x.weights.tobytes() + x.right.tobytes()
    print(hash((bits, result.fun, result.gap)), result.success)
"""


def test_threads_change_nothing():
    one, two, three = in_threads(3, BITS).splitlines()
    assert one == two == three
    assert one.endswith("True")


@pytest.mark.parametrize("end", [-1.0, -0.5, 0.0, 1e-9, 0.5])
def test_a_newton_step_that_gains_too_little_is_given_up(end):
    """Whatever values and slopes along it say, trials are few."""
    problem = _problem("ball", "squared", size=4.0)
    x = _thin(problem, 2, 0.5)
    function, flat = _loss(problem, x)
    value, gradient = function(flat)
    hessian, trials = function.hessian(flat), []

    class Flat(FactorLoss):
        def __call__(self, at: np.ndarray) -> tuple[float, np.ndarray]:
            trials.append(at)
            assert len(trials) < 20
            return value, gradient if at is flat else -end * gradient

    moved = newton_step(
        Flat(problem.objective, problem.region.factoring, x), hessian, flat, 0.1, bool
    )
    assert not moved.good
