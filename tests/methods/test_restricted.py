"""Working sets over boxes and group balls, and the quadratics inside them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import SHARP, peers_value
from scipy.optimize import linprog, lsq_linear
from scipy.optimize import minimize as scipy_minimize

import frankwolfe as fw
from frankwolfe.methods.corrective import restricted
from frankwolfe.subproblems.kernels import box
from frankwolfe.subproblems.quadratics.box import box_gap, minimize_over_box
from frankwolfe.subproblems.quadratics.group import group_gap, group_norms, minimize_over_groups
from frankwolfe.subproblems.quadratics.signed import SignedSum
from frankwolfe.subproblems.quadratics.summed import Summed

LOSSES = [fw.SquaredError, fw.Huber, fw.Logistic]
ROWS, N = 80, 240
REGIONS = [
    fw.Box(np.linspace(-0.3, 0.0, N), np.linspace(0.05, 0.2, N)),
    fw.LInfBall(0.1),
    fw.LInfBall(0.2, center=np.linspace(-0.1, 0.1, N)),
    fw.GroupBall(np.arange(N) % 60, 2.0),  # groups that are not neighbours
    fw.GroupBall(np.repeat(np.arange(12), 20), 1.0),
    fw.GroupBall(np.arange(N), 2.0),
    fw.Hypersimplex(12, 0.5),
    fw.regions.UnitHypersimplex(9),
    fw.KSparse(12, 0.4),
    fw.CappedSimplex(np.linspace(0.02, 0.6, N), 5.0),
]


def _objective(make, rng, as_given=np.asarray, dtype=np.float64):
    A = rng.standard_normal((ROWS, N)).astype(dtype)
    b = A[:, :6].sum(axis=1) + 0.3 * rng.standard_normal(ROWS).astype(dtype)
    return make(as_given(A), np.sign(b) if make is fw.Logistic else b)


def _quadratic(seed, n, flat):
    """H of a low rank where `flat`, and a linear term that it does not reach."""
    rng = np.random.default_rng(seed)
    half = rng.standard_normal((max(n // 2, 1) if flat else 2 * n, n))
    half *= 10.0 ** (rng.uniform(-1, 1, n) * rng.integers(2))
    c = half.T @ rng.standard_normal(half.shape[0])
    return half.T @ half, c + flat * rng.standard_normal(n), rng


@given(st.integers(0, 10**6), st.integers(1, 40), st.booleans(), st.floats(1e-2, 1e2))
@settings(deadline=None, max_examples=100)
def test_quadratic_over_a_box_meets_its_conditions(seed, n, flat, width):
    H, c, rng = _quadratic(seed, n, flat)
    lower = -width * rng.uniform(0, 1, n)
    upper = lower + width * rng.uniform(0, 1, n) * (rng.random(n) < 0.9)
    x0 = rng.uniform(lower, upper)
    first = box_gap(H @ x0 + c, x0, lower, upper)
    enough = 1e-9 * max(first, float(np.abs(c) @ (upper - lower)))
    alone = x0.copy()
    box.minimize(H, c, lower, upper, alone, 1e-12 * np.trace(H) / n, enough, 50 * n)
    for x in (minimize_over_box(H, c, lower, upper, x0, enough), alone):
        assert (lower <= x).all()
        assert (x <= upper).all()
        assert box_gap(H @ x + c, x, lower, upper) <= 2 * enough + 1e-300


def test_quadratic_over_a_box_that_is_a_line_or_a_point():
    ones, zero = np.ones(4), np.zeros((4, 4))
    c = np.array([1.0, -1.0, 0.0, 2.0])
    found = minimize_over_box(zero, c, -ones, ones, 0 * ones, 1e-12)
    np.testing.assert_array_equal(found[[0, 1, 3]], [-1, 1, -1])
    np.testing.assert_array_equal(minimize_over_box(zero, c, ones, ones, ones, 0.0), ones)


def _sums(rng, upper):
    """Bounds on the sum: two that are equal, one of them, or both."""
    most = float(rng.uniform(0.05, 0.95) * upper.sum())
    least = (most, 0.0, most * float(rng.uniform()))[int(rng.integers(3))]
    return least, most


@given(st.integers(0, 10**6), st.integers(1, 40), st.booleans(), st.floats(1e-2, 1e2))
@settings(deadline=None, max_examples=100)
def test_quadratic_over_a_sum_meets_its_conditions(seed, n, flat, width):
    H, c, rng = _quadratic(seed, n, flat)
    upper = width * rng.uniform(0.1, 1.0, n)
    part = Summed(np.zeros(n), upper, *_sums(rng, upper))
    x0 = part.nearest(width * rng.standard_normal(n))
    enough = 1e-9 * max(part.gap(H @ x0 + c, x0), float(np.abs(c) @ upper))
    x = part.minimize(H, c, x0, enough)
    assert (x >= 0.0).all()
    assert (x <= upper).all()
    near = 1e-12 * part.most
    assert part.least - near <= x.sum() <= part.most + near
    gap = part.gap(H @ x + c, x)
    assert gap <= 2 * enough + 1e-300
    bounds = [(0.0, float(u)) for u in upper]  # the gap is that of a linear program
    rows, most = np.vstack([np.ones(n), -np.ones(n)]), [part.most, -part.least]
    r = H @ x0 + c
    size = float(np.abs(r).max()) or 1.0
    least = linprog(r / size, A_ub=rows, b_ub=most, bounds=bounds, options=SHARP)
    near = 1e-9 * size * float(upper.sum())  # the other's tolerance, ten times, over the box
    assert part.gap(r, x0) == pytest.approx(r @ x0 - size * least.fun, rel=0.0, abs=near)


@given(st.integers(0, 10**6), st.integers(1, 40), st.booleans(), st.floats(1e-2, 1e2))
@settings(deadline=None, max_examples=60)
def test_quadratic_over_a_sum_of_sizes_meets_its_conditions(seed, n, flat, radius):
    H, c, rng = _quadratic(seed, n, flat)
    part = SignedSum(radius, float(rng.uniform(0.05, 0.95)) * n * radius)
    enough = 1e-9 * part.gap(c, np.zeros(n))
    x = part.minimize(H, c, np.zeros(n), enough)
    assert np.abs(x).max() <= radius
    assert np.abs(x).sum() <= part.most * (1 + 1e-12)
    assert part.gap(H @ x + c, x) <= 2 * enough + 1e-300


@given(st.integers(0, 10**6), st.integers(1, 15), st.booleans(), st.floats(1e-2, 1e1))
@settings(deadline=None, max_examples=100)
def test_quadratic_over_groups_goes_down_and_to_its_conditions(seed, count, flat, radius):
    sizes = np.random.default_rng(seed).integers(1, 6, count)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    H, c, _ = _quadratic(seed, int(sizes.sum()), flat)
    x = np.zeros(c.size)
    gap = first = group_gap(c, x, starts, radius)
    for _ in range(20):  # a call ends early where it goes slowly
        before = 0.5 * x @ H @ x + c @ x
        x = minimize_over_groups(H, c, starts, radius, x, 1e-9 * first)
        assert group_norms(x, starts).sum() <= radius * (1 + 1e-12)
        assert 0.5 * x @ H @ x + c @ x <= before + 1e-12 * max(1.0, abs(before))
        gap = group_gap(H @ x + c, x, starts, radius)
        if gap <= 1e-9 * first:
            break
    assert gap <= 1e-7 * first


@pytest.mark.parametrize("make", LOSSES)
@pytest.mark.parametrize("as_given", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("region", REGIONS[:3], ids=repr)
def test_boxes_agree_with_scipy_to_1e_8(region, as_given, make, rng):
    f = _objective(make, rng, as_given)
    lower, upper = region.bounds(N)
    if make is fw.SquaredError:
        A = _objective(make, np.random.default_rng(0)).linear.matrix
        other = f(np.clip(lsq_linear(A, f.b, (lower, upper), tol=1e-13).x, lower, upper))
    else:
        options = {"maxiter": 5000, "maxfun": 10**5, "ftol": 1e-15, "gtol": 1e-10}
        bounds = np.column_stack([lower, upper])
        start = 0.5 * (lower + upper)
        other = scipy_minimize(
            f, start, jac=f.grad, bounds=bounds, method="L-BFGS-B", options=options
        ).fun
    for several in (10, 100):
        result = fw.minimize(f, region, method=fw.methods.working_set(several), tol=1e-11)
        assert result.success
        assert result.certified
        assert result.fun == pytest.approx(other, rel=1e-8, abs=1e-8)
        assert region.violation(result.x) <= 1e-15


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")  # to 1e-10
@pytest.mark.parametrize("make", LOSSES)
@pytest.mark.parametrize("region", REGIONS[3:5], ids=repr)
def test_group_balls_agree_with_cvxpy_to_1e_8(region, make, rng):
    cp = pytest.importorskip("cvxpy")
    f = _objective(make, rng)
    x, A = cp.Variable(N), f.linear.matrix
    loss = {
        fw.SquaredError: lambda z: cp.sum_squares(z - f.b) / (2 * ROWS),
        fw.Huber: lambda z: cp.sum(cp.huber(z - f.b, f.delta)) / ROWS,
        fw.Logistic: lambda z: cp.sum(cp.logistic(cp.multiply(-f.b, z))) / ROWS,
    }[make](A @ x)
    norms = [cp.norm(x[region.groups == k]) for k in range(region.count)]
    problem = cp.Problem(cp.Minimize(loss), [cp.sum(cp.hstack(norms)) <= region.radius])
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    theirs = peers_value(f, region, x.value)
    for as_given in (np.asarray, sp.csr_array):
        g = make(as_given(A), f.b)
        for several in (5, 100):
            result = fw.minimize(g, region, method=fw.methods.working_set(several), tol=1e-11)
            assert result.success
            assert result.certified
            assert result.fun == pytest.approx(theirs, rel=1e-8, abs=1e-8)
            assert region.violation(result.x) <= 1e-12


@pytest.mark.parametrize("make", LOSSES)
def test_groups_of_one_variable_are_the_l1_ball(make, rng):
    f = _objective(make, rng)
    one, other = (
        fw.minimize(f, region, method=fw.methods.working_set(20), tol=1e-11)
        for region in (fw.GroupBall(np.arange(N), 2.0), fw.L1Ball(2.0))
    )
    assert one.success
    assert one.fun == pytest.approx(other.fun, abs=1e-10)


@pytest.mark.parametrize("make", LOSSES)
@pytest.mark.parametrize("region", REGIONS, ids=repr)
def test_the_data_are_read_a_handful_of_times(region, make, rng, monkeypatch):
    f, passes = _objective(make, rng), {"apply": 0, "adjoint": 0}
    for name in passes:
        plain = getattr(f.linear, name)

        def counted(x, out, name=name, plain=plain):
            passes[name] += 1
            plain(x, out)

        monkeypatch.setattr(f.linear, name, counted)
    result = fw.minimize(f, region, method=fw.methods.working_set(), tol=fw.Gap(1e-11))
    assert result.success
    assert result.njev == result.nit + 1 == passes["adjoint"]
    assert passes["apply"] <= result.nit + 1  # of the start, and of a step of all variables
    # over sums of entries a part takes in some at a time from either side: a few more steps
    assert result.nit <= (20 if region.many_vertices and region.entry_bounds is None else 15)


@pytest.mark.parametrize(
    ("make", "as_given"), [(fw.SquaredError, sp.csr_array), (fw.Logistic, np.asarray)]
)
@pytest.mark.parametrize("region", REGIONS, ids=repr)
def test_a_run_is_resumed_bit_for_bit_wherever_it_stopped(region, make, as_given, rng, tmp_path):
    f, method = _objective(make, rng, as_given), fw.methods.working_set(20)
    whole = fw.minimize(f, region, method=method, stop=fw.Iterations(6))
    for steps in (1, 3):
        path = tmp_path / f"{steps}.npz"
        callback = [fw.Checkpoint(path, every=1)]
        fw.minimize(f, region, method=method, stop=fw.Iterations(steps), callback=callback)
        resumed = fw.minimize(f, region, method=method, stop=fw.Iterations(6), resume=path)
        np.testing.assert_array_equal(whole.x, resumed.x)
        for name in ("value", "gap", "lower_bound", "step"):
            np.testing.assert_array_equal(whole.history[name], resumed.history[name])
        assert (whole.nfev, whole.njev, whole.nlmo) == (resumed.nfev, resumed.njev, resumed.nlmo)


@pytest.mark.parametrize("make", LOSSES)
@pytest.mark.parametrize("region", REGIONS, ids=repr)
def test_float32_is_kept_and_certified(region, make, rng):
    f = _objective(make, rng, dtype=np.float32)
    wide = make(f.linear.matrix.astype(float), f.b.astype(float))
    best = fw.minimize(wide, region, tol=1e-11).fun
    for several in (10, 100):
        result = fw.minimize(f, region, method=fw.methods.working_set(several), tol=fw.Gap(1e-4))
        assert result.x.dtype == np.float32
        assert result.success
        assert result.certified
        assert result.gap >= wide(result.x.astype(float)) - best - 1e-6
        assert result.fun == pytest.approx(best, rel=1e-3, abs=1e-4)
        assert region.violation(result.x) <= 1e-5


@pytest.mark.parametrize("region", REGIONS, ids=repr)
def test_the_image_is_that_of_x_and_f_never_rises(region, rng):
    f = _objective(fw.Huber, rng)
    values, z = [], np.empty(ROWS)
    for state in fw.states(fw.Problem(f, region), fw.methods.working_set(10)):
        f.image(state.x, z)
        np.testing.assert_allclose(state.iterate.image, z, atol=1e-11)
        assert region.violation(state.x) <= 1e-12
        values.append(state.value)
        if state.k == 20:
            break
    assert (np.diff(values) <= 1e-14).all()


@pytest.mark.parametrize("region", REGIONS, ids=repr)
def test_many_free_variables_are_moved_all_at_once(region, rng, monkeypatch):
    few = replace(restricted.POLICY, max_variables=15)  # groups too
    monkeypatch.setattr(restricted, "POLICY", few)
    A = rng.standard_normal((2 * N, N))
    f = fw.SquaredError(A, A[:, :6].sum(axis=1) + rng.standard_normal(2 * N))
    result = fw.minimize(f, region, method=fw.methods.working_set(10), tol=1e-7)
    monkeypatch.undo()
    assert result.success
    assert (
        result.fun <= fw.minimize(f, region, method=fw.methods.working_set(), tol=1e-10).fun + 2e-7
    )


@pytest.mark.parametrize("region", [fw.Box(0.0, 2.0), fw.GroupBall([0, 0, 1, 1, 2, 2], 3.0)])
def test_f_is_asked_only_where_it_is_finite(region, rng):
    f = fw.Poisson(rng.uniform(0.1, 1.0, (40, 6)), rng.uniform(0.5, 3.0, 40))
    x0 = np.full(6, 0.2)
    result = fw.minimize(f, region, method="working_set", x0=x0, tol=1e-10)
    other = fw.minimize(f, region, method="frank_wolfe", x0=x0, tol=1e-3, max_iter=5000)
    assert result.success
    assert other.lower_bound - 1e-12 <= result.fun <= other.fun


@pytest.mark.parametrize("region", [fw.Box(-1.0, 1.0), fw.GroupBall([0, 0, 1], 1.0)], ids=repr)
def test_a_start_at_the_optimum_is_left_there(region):
    x0 = np.array([1.0, -1.0, 1.0]) if region.entry_bounds is not None else np.zeros(3)
    for state in fw.states(
        fw.Problem(fw.SquaredError(np.eye(3), 2 * x0), region), fw.methods.working_set(), x0
    ):
        np.testing.assert_array_equal(state.x, x0)
        assert state.gap <= 1e-13
        if state.k == 3:
            break


def test_what_does_not_fit_is_refused(rng):
    f = fw.SquaredError(rng.standard_normal((5, 3000)), np.ones(5))
    with pytest.raises(fw.InvalidInput, match=r"at most 2000 variables: use fully_corrective"):
        fw.minimize(f, fw.GroupBall(np.zeros(3000)), method="working_set")
    with pytest.raises(fw.InvalidInput, match=r"or a Box.*use fully_corrective"):
        fw.minimize(f, fw.ConvexHull(np.eye(3000)[:3]), method="working_set")
    assert fw.minimize(f, fw.GroupBall(np.zeros(3000)), max_iter=2).nit > 0
