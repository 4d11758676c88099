"""Corrective and second-order methods, and the solvers inside them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import (
    N,
    best_value,
    in_turn,
    nightly,
    objective_examples,
    size,
    skip_if_refused,
    told_apart,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize as scipy_minimize
from scipy.optimize import nnls

import frankwolfe as fw
from frankwolfe.core import ActiveSet
from frankwolfe.core.atoms import Dense, Sparse, Vertex
from frankwolfe.methods.corrective.model import over_vertices, toward_model
from frankwolfe.methods.corrective.pool import Pool
from frankwolfe.subproblems.kernels import simplex
from frankwolfe.subproblems.quadratics.norm import minimize_over_norm_ball
from frankwolfe.subproblems.secular import minimize_over_ball

REGIONS = told_apart()
CURVED = [j for j, f in enumerate(objective_examples()) if f.second_order is not None]
PAIRS = [
    nightly(i, j, unless=(i + place) % 3 == 0)
    for i, region in enumerate(REGIONS)
    for place, j in enumerate(j for j in CURVED if in_turn(region, j))
]
METHODS = {
    "corrective": fw.methods.fully_corrective(),
    "second": fw.methods.second_order(),
    "working": fw.methods.working_set(3),
}


def _simplex_minimum(H, c, weights, tolerance=1e-13):
    scale = max(np.trace(H) / c.size, 1e-6 * np.ptp(c))
    slopes = c + H @ weights
    simplex.minimize(H, slopes, weights, scale, 1e-13 * scale, tolerance * scale, 50 * c.size)
    return weights


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("rows", "atoms"), [(8, 5), (30, 40), (10, 60), (3, 3), (5, 1)])
def test_simplex_solver_agrees_with_nnls(seed, rows, atoms):
    rng = np.random.default_rng(seed)
    B, b = rng.standard_normal((rows, atoms)), rng.standard_normal(rows)
    start = np.zeros(atoms)
    start[rng.integers(atoms, size=3)] += 1.0
    weights = _simplex_minimum(B.T @ B, -B.T @ b, start / start.sum())
    heavy = 1e4  # nnls with the sum as one more, heavy row
    other, _ = nnls(np.vstack([B, np.full(atoms, heavy)]), np.append(b, heavy))
    other /= other.sum()
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)

    def f(w):
        return 0.5 * float(np.sum((B @ w - b) ** 2))

    slope = B.T @ (B @ weights - b)
    assert weights @ slope - slope.min() <= 1e-10 * max(1.0, abs(slope).max())
    assert f(weights) <= f(other) + 1e-9


def test_simplex_solver_takes_atoms_that_depend_on_each_other():
    B = np.array([[1.0, -1.0, 1.0, 0.0, 2.0], [0.0, 0.0, 0.0, 0.0, 0.0]])
    b = np.array([0.3, 1.0])
    for first in range(5):
        start = np.zeros(5)
        start[first] = 1.0
        weights = _simplex_minimum(B.T @ B, -B.T @ b, start)
        assert float((B @ weights)[0]) == pytest.approx(0.3, abs=1e-9)
    weights = _simplex_minimum(np.zeros((3, 3)), np.array([0.0, -1.0, 2.0]), np.eye(3)[0])
    np.testing.assert_allclose(weights, [0, 1, 0], atol=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 8), st.floats(1e-3, 1e3))
@settings(deadline=None, max_examples=100)
def test_quadratic_over_a_ball_meets_its_conditions(seed, n, radius):
    rng = np.random.default_rng(seed)
    half = rng.standard_normal((rng.integers(1, n + 1), n)) * 10.0 ** rng.integers(-3, 4)
    H, c = half.T @ half, rng.standard_normal(n)
    y = minimize_over_ball(H, c, radius)
    slope = H @ y + c
    assert np.linalg.norm(y) <= radius * (1 + 1e-12)
    gap = float(slope @ y) + radius * float(np.linalg.norm(slope))  # of the linear oracle
    assert gap <= 1e-7 * max(1.0, radius * np.linalg.norm(c), abs(y @ H @ y))


@pytest.mark.parametrize("p", [1.1, 1.5, 2.0, 3.0, 8.0])
@pytest.mark.parametrize("seed", range(6))
def test_quadratic_over_the_ball_of_a_norm_has_no_gap(seed, p):
    """<g, y> + radius |g|_q bounds how far y is from the minimum, from any start."""
    rng = np.random.default_rng(seed)
    n = (3, 20, 60)[seed % 3]
    B = rng.standard_normal((2 * n, n)) * np.geomspace(1.0, 0.01, n)
    H, c = B.T @ B, -10.0 * rng.standard_normal(n)
    free = np.linalg.norm(np.linalg.solve(H, -c), p)
    for share in (1e-3, 0.3, 0.99):
        start = rng.standard_normal(n) if seed % 2 else np.zeros(n)
        y = minimize_over_norm_ball(H, c, p, share * free, start)
        if y is None and p == 2.0:  # then eigenvalues are the way
            y = minimize_over_ball(H, c, share * free)
        assert y is not None
        assert np.linalg.norm(y, p) <= share * free * (1 + 1e-12)
        g = H @ y + c
        gap = float(g @ y) + share * free * np.linalg.norm(g, p / (p - 1))
        assert gap <= 1e-9 * abs(float(c @ y))


def test_hard_balls_need_few_steps(rng):
    """A minimizer just on the boundary, at which first-order methods crawl."""
    A = rng.standard_normal((200, 60)) * np.geomspace(1.0, 0.03, 60)
    x = rng.standard_normal(60)
    f = fw.SquaredError(A, A @ x + 0.3 * rng.standard_normal(200))
    for p in (1.5, 2.0, 3.0):
        region = fw.LpBall(p, float(np.linalg.norm(x, p)))
        result = fw.minimize(f, region, method="relay", tol=1e-9)
        assert result.success
        assert result.nit <= 15


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_gap_is_a_bound_and_small_soon(name, i, j):
    region = REGIONS[i]
    objective = objective_examples(size(region))[j]
    skip_if_refused(METHODS[name], fw.Problem(objective, region))
    optimum = best_value(i, j)
    for state in fw.states(fw.Problem(objective, region), METHODS[name]):
        slack = 1e-11 * max(1.0, abs(state.value))
        assert state.certified
        assert state.gap >= state.value - optimum - slack
        assert state.lower_bound <= optimum + slack
        assert region.violation(state.x) <= 1e-10
        z = np.empty(objective.m)
        objective.image(state.x, z)
        np.testing.assert_allclose(state.iterate.image, z, atol=1e-10)
        if state.k == 40 or state.gap <= 1e-9 * max(1.0, abs(state.value)):
            break
    assert state.gap <= 1e-5 * max(1.0, abs(state.value))


@pytest.mark.parametrize("region", [fw.L1Ball(2.0), fw.Simplex(2.0), fw.UnitSimplex(1.0)], ids=repr)
@pytest.mark.parametrize("make", [fw.SquaredError, fw.Huber, fw.Logistic])
@pytest.mark.parametrize("as_given", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_working_set_looks_at_the_data_a_handful_of_times(region, make, as_given, rng):
    A = rng.standard_normal((80, 400))
    b = np.sign(A[:, :6].sum(axis=1)) if make is fw.Logistic else A[:, :6].sum(axis=1)
    f = make(as_given(A), b)
    result = fw.minimize(f, region, method=fw.methods.working_set(20), tol=1e-11)
    assert result.success
    assert result.nit <= 12
    other = fw.minimize(f, region, method="pairwise", tol=1e-8, max_iter=20_000)
    assert result.fun <= other.fun + 1e-9
    assert other.fun - other.gap <= result.fun + 1e-12
    assert result.njev == result.nit + 1


def test_second_order_needs_few_steps_however_badly_data_are_scaled(pima):
    A = np.asarray(pima.linear.matrix) * 10.0 ** np.linspace(-2, 2, 8)
    f = fw.Huber(A, pima.b, delta=0.5)
    result = fw.minimize(f, fw.L2Ball(100.0), method="second_order", tol=1e-15)
    gaps = result.history["gap"]
    values = result.history["value"]
    assert values[:8].min() - result.fun <= 1e-11 * (values[0] - result.fun)
    assert gaps[:8].min() <= 1e-8 * gaps[0]  # which counts what cancels in such columns
    assert result.status is fw.Status.PRECISION
    assert result.nit <= 20
    found = scipy_minimize(
        lambda x: (f(x), f.grad(x)), result.x * 0.99, jac=True, method="BFGS", tol=1e-12
    )
    assert result.fun <= found.fun + 1e-9


@pytest.mark.parametrize("method", ["fully_corrective", "working_set", "second_order"])
def test_what_cannot_be_done_is_said(method):
    plain = fw.Function(lambda x: float(x @ x), lambda x: 2 * x, n=3)
    with pytest.raises(fw.InvalidInput, match=r"needs second derivatives.*use blended_pairwise"):
        fw.minimize(plain, fw.Simplex(), method=method)


def test_regions_and_sizes_that_do_not_fit_are_refused(rng):
    f = fw.SquaredError(rng.standard_normal((5, N)), np.ones(5))
    with pytest.raises(fw.InvalidInput, match=r"single coordinates.*use fully_corrective"):
        fw.minimize(f, fw.ConvexHull(np.eye(N)), method="working_set")
    wide = fw.SquaredError(sp.identity(3000, format="csr"), np.ones(3000))
    with pytest.raises(fw.InvalidInput, match=r"at most 2000 variables: use working_set"):
        fw.minimize(wide, fw.L2Ball(), method="second_order")


@pytest.mark.parametrize("kind", ["vertex", "sparse", "dense"])
def test_active_set_is_its_dense_transcription(kind, rng):
    n = 7

    def atom(i):
        own = np.random.default_rng(i % 12)
        if kind == "vertex":
            return Vertex(int(own.integers(n)), float(own.choice([-1.0, 1.0])))
        if kind == "sparse":
            places = np.sort(own.choice(n, 3, replace=False))
            return Sparse(places, own.choice([-1.0, 1.0], 3))
        return Dense(own.standard_normal(n))

    active, weights, rows = ActiveSet(n), np.ones(1), atom(0).dense(n)[None]
    active.toward(atom(0), 1.0)
    for turn in range(200):
        s = atom(turn)
        if turn % 3 == 0:
            gamma = float(rng.uniform(0, 0.9))
            active.toward(s, gamma)
            weights, rows = np.append(weights * (1 - gamma), gamma), np.vstack([rows, s.dense(n)])
        else:
            place = int(rng.integers(len(active)))
            old, w = active.atom(place).dense(n), float(active.weights[place])
            gamma = w if turn % 3 == 1 else 0.3 * w
            active.shift(place, active.place(s), gamma)
            weights = np.concatenate([weights, [gamma, -gamma]])
            rows = np.vstack([rows, s.dense(n), old])
        active.drop()
        assert active.weights.min() > 0
        assert active.weights.sum() == pytest.approx(1.0, abs=1e-9)
        np.testing.assert_allclose(active.point(), weights @ rows, atol=1e-10)
    g = rng.standard_normal(n)
    np.testing.assert_allclose(active.dots(g), [a.dot(g) for _, a in active], atol=1e-12)
    copied = active.copy()
    np.testing.assert_array_equal(copied.point(), active.point())
    keys = [a.dense(n).tobytes() for _, a in active]
    assert len(set(keys)) == len(keys)


def test_pool_keeps_what_belongs_together(rng):
    f = fw.SquaredError(rng.standard_normal((9, N)), rng.standard_normal(9))
    pool = Pool(f)
    pool.add([Vertex(0, 1.0), Vertex(2, -1.0), Vertex(2, -1.0), Vertex(4, 1.0)])
    assert len(pool.kept) == 3
    pool.kept.set_weights(np.array([0.5, 0.0, 0.5]))
    pool.keep(pool.kept.weights > 0)
    pool.add([Vertex(5, 1.0)])
    z = np.empty(9)
    f.image(pool.kept.point(), z)
    np.testing.assert_allclose(pool.columns.image(pool.kept.weights), z, atol=1e-14)
    after = pool.correct(z, 1e-12, lambda dz, z, part: partial(part.along, z, dz))
    f.image(pool.kept.point(), z)
    np.testing.assert_allclose(after, z, atol=1e-12)
    best = min(f(x) for x in np.eye(N)[[0, 4, 5]])
    assert f(pool.kept.point()) <= best + 1e-12


@pytest.mark.parametrize("make", [fw.Logistic, fw.SquaredError, fw.Huber, fw.Poisson])
def test_hessians_are_differences_of_gradients(make, rng):
    A = rng.uniform(0.1, 1.0, (30, N))
    b = np.sign(rng.standard_normal(30)) if make is fw.Logistic else rng.uniform(0.5, 3.0, 30)
    f, x = make(A, b), rng.uniform(0.2, 1.0, N)
    z = A @ x
    H = f.full_hessian(z)
    step = 1e-5
    differences = [(f.grad(x + step * e) - f.grad(x - step * e)) / (2 * step) for e in np.eye(N)]
    np.testing.assert_allclose(H, differences, rtol=1e-4, atol=1e-7)
    atoms = [Vertex(1, 2.0), Vertex(3, -1.0), Dense(x)]
    S = np.array([atom.dense(N) for atom in atoms]).T
    B = f.images(atoms)
    np.testing.assert_allclose(f.hessian(z, B, B), S.T @ H @ S, rtol=1e-10)


@pytest.mark.parametrize("method", ["fully_corrective", "working_set", "second_order"])
def test_corrective_methods_stay_where_f_is_finite(method, rng):
    A, b = rng.uniform(0.0, 1.0, (40, N)), rng.uniform(0.5, 3.0, 40)
    f = fw.Poisson(A, b)
    result = fw.minimize(f, fw.Simplex(3.0), method=method, tol=1e-10)
    other = fw.minimize(f, fw.Simplex(3.0), method="pairwise", tol=1e-10)
    assert result.success
    assert result.fun == pytest.approx(other.fun, abs=1e-9)


@pytest.mark.parametrize(
    "name", ["away_step", "blended_pairwise", "fully_corrective", "working_set"]
)
@pytest.mark.parametrize("then", ["pairwise", "working_set", "frank_wolfe"])
def test_a_run_goes_on_from_the_atoms_of_another(name, then, rng):
    f = fw.SquaredError(rng.standard_normal((40, 30)), rng.standard_normal(40))
    region = fw.L1Ball(0.8)
    first = fw.minimize(f, region, method=name, max_iter=5, tol=1e-12)
    atoms = first.active_set
    assert atoms.weights.min() > 0
    np.testing.assert_allclose(atoms.point(), first.x, atol=1e-12)
    before = len(atoms)
    second = fw.minimize(f, region, method=then, x0=atoms, max_iter=3, tol=1e-12)
    assert second.history["value"][0] == pytest.approx(first.fun, rel=1e-12)
    assert len(atoms) == before  # left as it was
    assert fw.minimize(f, region, method="frank_wolfe", max_iter=3).active_set is None


def test_atoms_outside_the_region_are_refused_as_a_start(rng):
    f = fw.SquaredError(rng.standard_normal((20, N)), rng.standard_normal(20))
    wide = fw.minimize(f, fw.L1Ball(5.0), method="pairwise", tol=1e-8)
    inside = wide.x * 0.9 / np.abs(wide.x).sum()
    assert fw.minimize(f, fw.L1Ball(1.0), method="pairwise", x0=inside, tol=1e-8).success
    mixed = ActiveSet(N)
    mixed.toward(Vertex(0, 5.0), 1.0)
    mixed.toward(Vertex(0, -5.0), 0.5)  # the point is zero, the atoms are far away
    for method in ("away_step", "working_set"):
        with pytest.raises(fw.InvalidInput, match=r"atoms of x0 must lie in the region.*x0.point"):
            fw.minimize(f, fw.L1Ball(1.0), method=method, x0=mixed)
    assert fw.minimize(f, fw.L1Ball(1.0), method="frank_wolfe", x0=mixed, max_iter=3).nit == 3
    with pytest.raises(fw.InvalidInput, match="weights of x0 must sum to 1, got 0 over 0 atoms"):
        fw.minimize(f, fw.L1Ball(1.0), method="pairwise", x0=ActiveSet(N))


def test_calls_inside_a_step_are_counted(rng):
    asked = []

    def lmo(g):
        asked.append(1)
        return -np.sign(g)

    f = fw.SquaredError(rng.standard_normal((20, N)), rng.standard_normal(20))
    region = fw.regions.OracleRegion(lmo, n=N, start=np.zeros(N))
    result = fw.minimize(f, region, method="second_order", max_iter=3)
    assert result.nlmo > result.nit + 1
    # not counted: one trial a step, and up to four for the reach of each problem
    assert len(asked) - 5 * result.nit - 3 <= result.nlmo <= len(asked)
    assert fw.minimize(f, region, method="fully_corrective", max_iter=3).nfev > 3


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e6])
@pytest.mark.parametrize("flat", [1e-26, 1e-13, 1e-2])
def test_weights_of_a_model_that_is_all_but_flat_still_sum_to_one(offset, flat, rng):
    """What all slopes have in common changes nothing; the lowest of the atoms is the minimizer."""
    B = rng.standard_normal((6, 6)) * 10.0 ** rng.uniform(-4, 0, 6)
    H, r = flat * (B.T @ B), 100.0 * rng.standard_normal(6) + offset
    goal = toward_model(H, np.eye(6)[0], r, 1e-9)
    assert goal.sum() == pytest.approx(1.0, abs=1e-12)
    assert goal[r.argmin()] > 1.0 - 1e-6


@pytest.mark.parametrize("scale", [1e4, 1e8, 1e12])
def test_losses_that_are_saturated_at_the_start_are_minimized(scale, rng):
    A, b = scale * rng.standard_normal((40, 6)), rng.integers(0, 3, 40)
    for f in (fw.Logistic(A, np.sign(b - 0.5)), fw.Multinomial(A, b), fw.Huber(A, b, delta=0.01)):
        result = fw.minimize(f, fw.Simplex(), tol=1e-8)
        assert np.isfinite(result.gap)
        assert result.success or result.status is fw.Status.PRECISION


def test_a_saturated_softmax_has_no_negative_curvature(rng):
    A, labels = 1e8 * rng.standard_normal((30, 4)), rng.integers(0, 3, 30)
    f = fw.Multinomial(A, labels)
    z = np.empty(f.m)
    f.image(rng.standard_normal(f.n), z)
    images = rng.standard_normal((f.m, 5)) * 1e9
    assert np.diagonal(f.hessian(z, images, images)).min() >= 0.0


@pytest.mark.parametrize("radius", [1.0, 1e5, 1e9])
def test_a_region_far_larger_than_the_way_costs_no_digits(radius, rng):
    A = rng.standard_normal((30, 6))
    b = A @ rng.standard_normal(6) + 0.1 * rng.standard_normal(30)
    region = fw.regions.OracleRegion(
        lambda g: -g * (radius / np.linalg.norm(g)), n=6, diameter=2.0 * radius, start=np.zeros(6)
    )
    result = fw.minimize(fw.SquaredError(A, b), region, tol=1e-8)
    best = fw.minimize(fw.SquaredError(A, b), fw.L2Ball(radius), tol=1e-12)
    assert result.fun - best.fun <= 1e-8 * max(1.0, best.fun)
    assert result.success or result.gap <= 1e-12 * radius


@pytest.mark.parametrize("region", [fw.L1Ball(0.7), fw.Simplex(2.0), fw.UnitSimplex(0.5)], ids=repr)
@pytest.mark.parametrize("rank", [3, 12])
def test_a_model_over_all_vertices_is_minimized(rng, region, rank):
    n = 12
    for _ in range(10):
        half = rng.standard_normal((rank, n)) * 10.0 ** rng.uniform(-2, 2, n)
        H, g = half.T @ half, 10.0 ** rng.uniform(-3, 3) * rng.standard_normal(n)
        points = np.array([region.lmo(rng.standard_normal(n)).dense(n) for _ in range(3)])
        x = rng.dirichlet(np.ones(3)) @ points
        wanted = 1e-6 * float(g @ x - region.lmo(g).dot(g))
        y = over_vertices(region, H, g, x, wanted)
        if y is None:  # rounding, and another method goes on
            assert np.linalg.cond(H) > 1e6
            continue
        ahead = g + H @ (y - x)
        assert region.contains(y)
        assert float(ahead @ y) - region.lmo(ahead).dot(ahead) <= wanted * (1.0 + 1e-9)


@pytest.mark.parametrize("method", ["pairwise", "fully_corrective", "interior_point", None])
def test_atoms_of_a_result_are_looked_at_like_any_others(method, rng):
    """They are the caller's, who may have changed them: nothing outside is started from."""
    f, region = fw.SquaredError(rng.standard_normal((20, 5)), rng.standard_normal(20)), fw.Simplex()
    atoms = fw.minimize(f, region, method="pairwise", max_iter=20).active_set
    for changed in (atoms, atoms.copy()):
        assert fw.minimize(f, region, x0=changed, method=method).success
        changed.weights[:2] += [3.0, -3.0]
        with pytest.raises(fw.InvalidInput, match="x0 must lie in the region"):
            fw.minimize(f, region, x0=changed, method=method)
