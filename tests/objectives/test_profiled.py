"""Variables minimized out: against cvxpy, against the problem with them, and to rounding."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from programs import peers_value
from scipy.optimize import linprog
from scipy.optimize import minimize as scipy_minimize
from scipy.sparse import csc_array, csr_array

import frankwolfe as fw
from frankwolfe.base.kernels import semidefinite
from frankwolfe.core import centring, maps, place
from frankwolfe.core.atoms import Dense, Vertex
from frankwolfe.core.maps import DenseMap
from frankwolfe.objectives import profiled_variables as free
from frankwolfe.objectives.profiled_variables import FreeColumns, Intercepts
from frankwolfe.solver.fast_path import fast_path_for

M, N = 50, 5
LOSSES = {
    "logistic": lambda A, b: fw.Logistic(A, np.sign(b)),
    "squared": fw.SquaredError,
    "huber": lambda A, b: fw.Huber(A, b, delta=0.3),
    "quantile": lambda A, b: fw.Quantile(A, b, quantile=0.8, delta=0.2),
}


def _data(rng, shift=1.5):
    A = rng.standard_normal((M, N)) + 0.5
    return A, A @ rng.standard_normal(N) + 0.5 * rng.standard_normal(M) + shift


def _image(f, x):
    z = np.empty(f.m, dtype=f.dtype)
    f.image(x, z)
    return z


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("region", [fw.L1Ball(1.0), fw.L2Ball(1.0), fw.L2Ball(20.0)], ids=repr)
@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
def test_it_agrees_with_cvxpy_and_an_explicit_intercept(loss, region, rng):
    cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    A, b = _data(rng)
    x, c = cp.Variable(N), cp.Variable()
    z = A @ x + c
    low, high = cp.pos(b - z), cp.pos(z - b)
    cut_low, cut_high = cp.huber(low, 0.8 * 0.2), cp.huber(high, 0.2 * 0.2)
    terms = {
        "logistic": lambda: cp.logistic(cp.multiply(-np.sign(b), z)),
        "squared": lambda: cp.square(z - b) / 2,
        "huber": lambda: cp.huber(z - b, 0.3),
        "quantile": lambda: (cut_low + cut_high) / (2 * 0.2),
    }[loss]()
    program = cp.Problem(cp.Minimize(cp.sum(terms) / M), [cp.norm(x, region.p) <= region.radius])
    program.solve(solver="CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    f = fw.Profiled(LOSSES[loss](A, b))
    result = fw.minimize(f, region, tol=1e-9)
    theirs = peers_value(f, region, x.value)
    assert result.success
    assert result.fun == pytest.approx(theirs, rel=1e-7, abs=1e-8)
    assert result.lower_bound <= theirs + 1e-12
    assert result.fun == pytest.approx(f(result.x), rel=1e-12)
    if loss in ("logistic", "squared"):  # the others may have several
        np.testing.assert_allclose(f.free_at(result.x), [c.value], atol=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("columns", [1, 3])
def test_the_free_variables_are_optimal_to_rounding(loss, columns, rng):
    A, b = _data(rng)
    U = np.column_stack([np.ones(M), rng.standard_normal((M, columns - 1))])
    inner = LOSSES[loss](A, b)
    f = fw.Profiled(inner, None if columns == 1 else U)
    slope = np.empty(M)
    for x in 3.0 * rng.standard_normal((20, N)):
        z = _image(f, x)
        inner.linearize(z + U @ f.free_of(z), slope)
        assert (np.abs(U.T @ slope) <= 1e-14 * (np.abs(U).T @ np.abs(slope))).all()
        other = scipy_minimize(lambda c, z=z: inner.value(z + U @ c), np.zeros(columns)).fun
        assert f(x) <= other + 1e-12 * abs(other)
        assert other <= f(x) + 1e-4 * abs(other)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("shift", [1e3, -1e7])
def test_an_intercept_far_away_is_found(loss, shift, rng):
    A, b = _data(rng)
    inner = LOSSES[loss](A, b)
    moved = np.sign(b) if loss == "logistic" else b + shift
    far = LOSSES[loss](A, moved)
    x = rng.standard_normal(N)
    z, slope = _image(inner, x), np.empty(M)
    near = fw.Profiled(inner).value(z)
    f = fw.Profiled(far)
    image = z + shift if loss == "logistic" else z  # so that there, too, b is far away
    assert f.value(image) == pytest.approx(near, rel=1e-9 * max(1.0, abs(shift) / 1e3))
    f.linearize(image, slope)
    assert abs(slope.sum()) <= 1e-14 * np.abs(slope).sum() + 4e-16 * abs(shift)  # that of z + b


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("sparse", [False, True])
def test_second_derivatives(loss, columns, sparse, rng):
    A, b = _data(rng)
    kind = csr_array if sparse else np.asarray
    U = np.column_stack([np.ones(M), rng.standard_normal(M)])[:, :columns]
    f = fw.Profiled(LOSSES[loss](kind(A), b), U)
    x, h = 0.2 * rng.standard_normal(N), 1e-6
    z = _image(f, x)
    numeric = np.array([(f.grad(x + h * e) - f.grad(x - h * e)) / (2 * h) for e in np.eye(N)])
    full = f.full_hessian(z)
    np.testing.assert_allclose(full, numeric, atol=1e-5)
    images = f.images([fw.L1Ball().lmo(-e) for e in np.eye(N)])
    np.testing.assert_allclose(f.hessian(z, images, images), full, atol=1e-12)
    some = f.hessian(z, images, images[:, 1:3])
    np.testing.assert_allclose(some, full[:, 1:3], atol=1e-12)
    np.testing.assert_allclose(A.T @ f.hessian_times(z, A), full, atol=1e-12)


def test_minimizing_out_twice_is_minimizing_out_both(rng):
    A, b = _data(rng)
    U = rng.standard_normal((M, 1))
    once = fw.Profiled(fw.Logistic(A, np.sign(b)), np.column_stack([np.ones(M), U]))
    twice = fw.Profiled(fw.Profiled(fw.Logistic(A, np.sign(b))), U)
    x = rng.standard_normal(N)
    assert twice(x) == pytest.approx(once(x), rel=1e-12)
    np.testing.assert_allclose(twice.grad(x), once.grad(x), atol=1e-12)
    np.testing.assert_allclose(
        twice.full_hessian(_image(twice, x)), once.full_hessian(_image(once, x)), atol=1e-10
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_what_is_computed_depends_on_the_image_alone(loss, rng):
    A, b = _data(rng)
    used = fw.Profiled(LOSSES[loss](A, b))
    z, other, dz = rng.standard_normal((3, M))
    slopes = np.empty((2, M))
    for before in (z, other):
        used.value(before)
        new = fw.Profiled(LOSSES[loss](A, b))
        assert used.linearize(z, slopes[0]) == new.linearize(z, slopes[1])
        np.testing.assert_array_equal(*slopes)
        used.value(before)
        assert used.along(z, dz, 0.3) == new.along(z, dz, 0.3)
        np.testing.assert_array_equal(used.free_of(z), new.free_of(z))
    z[:] = other  # the caller's array is not what is remembered
    assert used.value(z) == fw.Profiled(LOSSES[loss](A, b)).value(other)


@pytest.mark.parametrize("loss", ["logistic", "multinomial"])
def test_a_line_has_the_values_and_slopes_of_its_points(loss, rng):
    A, b = _data(rng)
    labels = np.digitize(b, [0.0, 1.5]) if loss == "multinomial" else np.sign(b)
    kind = fw.Multinomial if loss == "multinomial" else fw.Logistic
    f = fw.Profiled(kind(A, labels))
    z, dz = 3.0 * rng.standard_normal((2, f.m))
    slope = np.empty(f.m)
    for t in (0.0, 1e-6, 0.01, 0.5, 3.0, -2.0):
        value, first, second = f.along(z, dz, t)
        assert value == pytest.approx(f.value(z + t * dz), rel=1e-14)
        f.linearize(z + t * dz, slope)
        assert abs(first - slope @ dz) <= 1e-11 * (np.abs(slope) @ np.abs(dz))
        ahead, behind = f.along(z, dz, t + 1e-5)[1], f.along(z, dz, t - 1e-5)[1]
        assert second == pytest.approx((ahead - behind) / 2e-5, rel=1e-5)


@pytest.mark.parametrize("scale", [1.0, 10.0, 100.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_intercepts_of_several_classes_are_optimal_to_rounding(scale, weighted, rng):
    A, b = _data(rng)
    w = rng.uniform(0.0, 2.0, M) if weighted else None
    inner = fw.Multinomial(A, np.digitize(b, [0.0, 1.5, 3.0]), sample_weight=w)
    f = fw.Profiled(inner)
    slope = np.empty(f.m)
    for z in scale * rng.standard_normal((10, f.m)):
        c = f.free_of(z)
        inner.linearize(z + f.free @ c, slope)
        near = 4e-16 * scale * np.abs(slope).sum()  # the rounding of z + c
        assert (np.abs(f.free.T @ slope) <= 1e-14 * (f.free.T @ np.abs(slope)) + near).all()
        assert abs(c.sum()) <= 1e-8 * np.abs(c).sum()


@pytest.mark.parametrize("loss", [*LOSSES, "multinomial"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("long", [False, True])
def test_the_pass_of_intercepts_is_that_of_their_columns(loss, weighted, long, rng, monkeypatch):
    rows = 200
    monkeypatch.setattr(place, "MIN_CHUNKED_LENGTH", rows if long else rows + 1)
    A = rng.standard_normal((rows, 1))
    f = {**LOSSES, "multinomial": lambda A, b: fw.Multinomial(A, np.digitize(b, [-0.5, 0.5]))}[
        loss
    ](A, A[:, 0])
    if weighted:
        f.weight = rng.uniform(0.0, 2.0, rows) / rows
    columns = FreeColumns(f, Intercepts(f).matrix)
    z, dz = rng.standard_normal((2, f.m))
    b = rng.standard_normal(f.intercepts)
    none = np.empty(0)
    for line in (dz, none):
        mine, theirs = f.shifted(z, line, 0.3, b), columns.shifted(z, line, 0.3, b)
        for one, two in zip(mine[:-1], theirs[:-1], strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-11, atol=1e-13)
        lift = np.mean(mine.gram - theirs.gram) if loss == "multinomial" else 0.0
        np.testing.assert_allclose(mine.gram, theirs.gram + lift, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("rank", [1, 3, 5])
def test_small_systems_may_be_singular(rank, rng):
    B = rng.standard_normal((5, rank))
    H, r = B @ B.T, B @ rng.standard_normal(rank)
    np.testing.assert_allclose(H @ semidefinite.solve(H, 1e-12, r), r, atol=1e-10)
    np.testing.assert_allclose(H @ semidefinite.inverse(H, 1e-12) @ H, H, atol=1e-10)
    step, fall = semidefinite.descent(H, 1e-12, r)
    assert fall == pytest.approx(-r @ step)
    assert fall > 0.0
    if rank < 5:  # H can do nothing about this
        assert semidefinite.descent(H, 1e-12, np.linalg.svd(B)[0][:, -1])[1] == 0.0


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("rough", [1e-3, 1e-1])
def test_the_gap_is_a_bound_with_a_rough_minimizer_too(loss, rough, rng, monkeypatch):
    A, b = _data(rng)
    region = fw.L2Ball(2.0)
    exact = fw.minimize(fw.Profiled(LOSSES[loss](A, b)), region, tol=1e-12)
    true = fw.Profiled(LOSSES[loss](A, b))
    monkeypatch.setattr(free, "STATIONARITY_TOL", rough)
    f = fw.Profiled(LOSSES[loss](A, b))
    gaps = []
    for state in islice(fw.states(fw.Problem(f, region), fw.frank_wolfe()), 200):
        monkeypatch.setattr(free, "STATIONARITY_TOL", 1e-15)
        assert state.value >= true(state.x) - 1e-12
        monkeypatch.setattr(free, "STATIONARITY_TOL", rough)
        assert state.gap >= state.value - exact.fun - 1e-12
        assert state.lower_bound <= exact.fun + 1e-12
        gaps.append(state.gap)
    assert min(gaps) < 0.5 * gaps[0]


def test_float32_data(rng):
    A, b = _data(rng)
    wide = fw.Profiled(fw.Logistic(A.astype(np.float32).astype(float), np.sign(b)))
    f = fw.Profiled(fw.Logistic(A.astype(np.float32), np.sign(b)))
    result = fw.minimize(f, fw.L2Ball(2.0), tol=1e-5)
    best = fw.minimize(wide, fw.L2Ball(2.0), tol=1e-10)
    assert result.x.dtype == np.float32
    assert result.success
    assert result.gap >= wide(result.x.astype(float)) - best.fun - 1e-7
    np.testing.assert_allclose(
        f.full_hessian(_image(f, result.x)), f.full_hessian(_image(f, result.x)).T, atol=1e-6
    )


def test_an_intercept_is_a_variable_without_constraint(rng):
    # over a box that does not hold it, a column of ones in A is the same
    A, b = _data(rng)
    f = fw.Profiled(fw.SquaredError(A, b))
    wide = fw.SquaredError(np.column_stack([A, np.ones(M)]), b)
    one = fw.minimize(f, fw.Box(-0.4, 0.4), tol=1e-12)
    two = fw.minimize(wide, fw.Box([*[-0.4] * N, -50.0], [*[0.4] * N, 50.0]), tol=1e-12)
    assert one.fun == pytest.approx(two.fun, rel=1e-10)
    np.testing.assert_allclose([*one.x, *f.free_at(one.x)], two.x, atol=1e-6)
    assert f.quadratic
    assert fw.Profiled(fw.Logistic(A, np.sign(b))).quadratic is False


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda f: fw.Profiled(f, np.ones(3)), r"free must be a matrix with 50 rows"),
        (lambda f: fw.Profiled(f, np.full(M, np.nan)), "free must be finite"),
        (lambda f: fw.Profiled(fw.Quadratic(np.eye(3))), "objective must be a loss"),
        (lambda f: fw.Profiled(fw.Poisson(np.ones((2, 1)), [1, 2])), "finite everywhere"),
        (lambda f: fw.Profiled(fw.Function(lambda x: x @ x, lambda x: 2 * x)), "must be a loss"),
        (lambda f: fw.Profiled(fw.L1Ball()), "objective must be a loss"),
        (lambda f: fw.minimize(fw.Profiled(f), fw.L1Ball(), method=fw.methods.svrf()), r"\buse\b"),
    ],
)
def test_bad_input_gets_a_sentence(make, words, rng):
    with pytest.raises(fw.InvalidInput, match=words):
        make(fw.SquaredError(*_data(rng)))


def test_it_has_no_fast_path_and_its_own_fingerprint(rng):
    A, b = _data(rng)
    inner = fw.SquaredError(A, b)
    f = fw.Profiled(inner)
    assert fast_path_for(fw.frank_wolfe(), fw.Problem(inner, fw.L1Ball())) is not None
    assert fast_path_for(fw.frank_wolfe(), fw.Problem(f, fw.L1Ball())) is None
    others = (fw.Profiled(inner, np.arange(M)), fw.Profiled(fw.SquaredError(A, b + 1.0)), inner)
    assert f.fingerprint() == fw.Profiled(fw.SquaredError(A, b)).fingerprint()
    assert all(other.fingerprint() != f.fingerprint() for other in others)


def test_the_search_stops_where_only_rounding_is_left():
    from frankwolfe.objectives.line_minimum import lowest

    rng, seen = np.random.default_rng(0), []

    def along(t):  # a slope that is never smaller than its noise
        seen.append(t)
        return 0.0, (t - 1e-3) + 1e-14 * rng.choice([-1.0, 1.0]), 1.0

    t = lowest(along, 0.0, 1e-15, 1.0, rounding=1e-13)
    assert abs(t - 1e-3) <= 1e-12
    assert len(seen) <= 10


@pytest.mark.parametrize("offset", [0.0, 30.0, 1000.0])
def test_in_single_precision_the_gap_is_a_bound_whatever_the_features_means(offset):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        A = (rng.standard_normal((80, 5)) + offset).astype(np.float32)
        y = np.sign((A - offset) @ np.arange(5.0) / 5 + 0.3 * rng.standard_normal(80))
        narrow, wide = (fw.Profiled(fw.Logistic(data, y)) for data in (A, A.astype(float)))
        run = fw.minimize(narrow, fw.L2Ball(2.0), method="frank_wolfe", max_iter=150, tol=0.0)
        best = fw.minimize(wide, fw.L2Ball(2.0), tol=1e-12)
        assert run.lower_bound <= best.fun + 1e-12
        assert run.gap >= wide(run.x.astype(float)) - best.fun


def test_threads_share_an_objective():
    from concurrent.futures import ThreadPoolExecutor

    rng = np.random.default_rng(0)
    f = fw.Profiled(fw.Logistic(rng.standard_normal((20_000, 2)), rng.standard_normal(20_000) > 0))
    images = rng.standard_normal((2, 20_000))
    alone = [f.value(z) for z in images]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(f.value, [images[i % 2] for i in range(200)]))
    assert found == [alone[i % 2] for i in range(200)]


@pytest.mark.parametrize("long", [60, 20_000])
def test_the_curvature_of_several_classes_is_not_negative(long, rng):
    # the same for all classes is flat: what rounding leaves of it must not be inverted
    A = rng.standard_normal((long, 3))
    scores = A @ rng.standard_normal((3, 4)) + [0.0, 1.0, 4.0, -3.0] + rng.gumbel(size=(long, 4))
    labels = scores.argmax(axis=1)
    labels[:4] = range(4)
    f = fw.Profiled(fw.Multinomial(A, labels))
    z = _image(f, 0.3 * rng.standard_normal(f.n))
    H = f.full_hessian(z)
    values = np.linalg.eigvalsh(H)
    assert values[0] >= -1e-13 * values[-1]
    d = rng.standard_normal(f.n)
    assert d @ H @ d == pytest.approx(f.along(z, _image(f, d), 0.0)[2], rel=1e-8)


@pytest.mark.parametrize("loss", ["logistic", "multinomial"])
def test_what_is_minimized_out_is_followed_from_point_to_point(loss, rng):
    A, b = _data(rng)
    labels = np.digitize(b, [0.0, 1.5]) if loss == "multinomial" else np.sign(b)
    f = fw.Profiled((fw.Multinomial if loss == "multinomial" else fw.Logistic)(A, labels))
    z, dz = rng.standard_normal((2, f.m))
    near, slope, exact = f.near(z, f.value(z)), np.empty(f.m), np.empty(f.m)
    for t in (0.1, 0.3, 40.0, 0.2, 0.0):  # far away, and back again
        value = near(z + t * dz, slope, 1e-12)
        assert value == pytest.approx(f.linearize(z + t * dz, exact)[0], rel=1e-9)
        np.testing.assert_allclose(slope, exact, atol=1e-7)


FAR = [lambda A: A, np.asfortranarray, csr_array, csc_array]


@pytest.mark.parametrize("kind", FAR, ids=["rows", "columns", "csr", "csc"])
@pytest.mark.parametrize("loss", [*LOSSES, "multinomial"])
@pytest.mark.parametrize("size", [1e2, 1e5, 1e8])
def test_columns_far_from_zero_are_the_same_problem(kind, loss, size, rng):
    A, b = _data(rng)
    A = np.round(A * 2.0**20) * 2.0**-20  # so that A + m is exact
    m = np.round(size * np.array([1.0, -3.0, 0.0, 0.5, 2.0]))
    A[::3, 2] = 0.0
    make = (
        (lambda A, b: fw.Multinomial(A, np.digitize(b, [0.0, 1.5])))
        if loss == "multinomial"
        else LOSSES[loss]
    )
    near, far = fw.Profiled(make(A, b)), fw.Profiled(make(kind(A + m), b))
    region = fw.L2Ball(1.0)
    one, two = (fw.minimize(f, region, tol=1e-10) for f in (near, far))
    assert two.success
    assert two.certified
    assert two.fun == pytest.approx(one.fun, abs=2e-10)
    assert abs(two.lower_bound - one.lower_bound) <= 2e-10
    x = rng.standard_normal(far.n) / far.n
    assert far(x) == pytest.approx(near(x), rel=1e-12)
    np.testing.assert_allclose(far.grad(x), near.grad(x), atol=1e-12)
    np.testing.assert_allclose(
        far.full_hessian(_image(far, x)), near.full_hessian(_image(near, x)), atol=1e-9
    )
    change = far.free_at(x) - near.free_at(x) + m @ x.reshape(N, -1)
    spread = np.ptp(change) if loss == "multinomial" else abs(change[0])  # the same for all is none
    assert spread <= 1e-14 * size


def test_targets_and_a_given_constant_column_are_moved_too(rng):
    A, b = _data(rng)
    A, b = np.round(A * 2.0**20) * 2.0**-20, np.round(b * 2.0**20) * 2.0**-20
    U = np.column_stack([rng.standard_normal(M), np.full(M, 4.0)])
    near, far = fw.Profiled(fw.Huber(A, b), U), fw.Profiled(fw.Huber(A + 1e8, b + 3e8), U)
    x = rng.standard_normal(N)
    assert far(x) == pytest.approx(near(x), rel=1e-12)
    change = far.free_at(x) - near.free_at(x)
    np.testing.assert_allclose(change, [0.0, (3e8 - 1e8 * x.sum()) / 4.0], rtol=1e-13, atol=1e-12)
    plain = fw.Profiled(fw.Huber(A + 1e8, b), U[:, :1])  # nothing takes up what is moved
    np.testing.assert_array_equal(plain.objective.linear.matrix, A + 1e8)


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_a_constant_column_does_nothing(kind, rng):
    A, b = _data(rng)
    wide = np.column_stack([A, np.full(M, 1e8 / 3.0)])
    f = fw.Profiled(fw.SquaredError(kind(wide), b))
    assert f.grad(np.ones(N + 1))[-1] == 0.0
    best = fw.minimize(fw.Profiled(fw.SquaredError(A, b)), fw.L2Ball(2.0), tol=1e-12)
    assert fw.minimize(f, fw.L2Ball(2.0), tol=1e-12).fun == pytest.approx(best.fun, abs=1e-11)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_large_data_are_moved_in_products(dtype, order, rng, monkeypatch):
    rows, columns = 30, 7
    A = np.asarray(rng.standard_normal((rows, columns)) + 100.0, dtype=dtype, order=order)
    copied, shift = DenseMap(A).centred()
    monkeypatch.setattr(maps, "MAX_COPIED_BYTES", 0)
    monkeypatch.setattr(centring, "BLOCK_ENTRIES", 20)  # two rows at a time
    moved, same = DenseMap(A).centred()
    assert isinstance(moved, centring.MovedMap)
    np.testing.assert_array_equal(shift, same)
    close = {"atol": 200.0 * np.finfo(dtype).eps}
    x, y = rng.standard_normal(columns).astype(dtype), rng.standard_normal(rows).astype(dtype)
    places, some = np.array([1, 4]), slice(2, 5)
    calls = [
        ("apply", (x,), rows),
        ("apply", (np.stack([x, 2 * x], axis=1),), (rows, 2)),
        ("adjoint", (y,), columns),
        ("column", (3, 0.5), rows),
        ("columns", (places, x[:2]), rows),
        ("apply_block", (x[some], some), rows),
        ("adjoint_block", (y, some), 3),
        ("products", (places, x), 2),
        ("add_rows", (places, y[:2]), columns),
    ]
    for name, given, shape in calls:
        one, two = np.zeros((2, *np.atleast_1d(shape)), dtype=dtype)
        getattr(copied, name)(*given, one)
        getattr(moved, name)(*given, two)
        np.testing.assert_allclose(two, one, **close)
    atoms = [Vertex(2, 0.5), Dense(x)]
    for one, two in [
        (copied.images(atoms), moved.images(atoms)),
        (copied.weighted_gram(np.abs(y)), moved.weighted_gram(np.abs(y))),
        (copied.gram("rows"), moved.gram("rows")),
        (copied.gram("columns"), moved.gram("columns")),
        (copied.row(3).dense(columns), moved.row(3).dense(columns)),
        (copied.column_norms, moved.column_norms),
    ]:
        np.testing.assert_allclose(two, one, rtol=1e-5 if dtype == np.float32 else 1e-12, **close)
    assert moved.centred() is None


@pytest.mark.parametrize("seed", [0, 1, 20, 27, 58])  # steps alone end at an edge in the last three
def test_the_intercepts_of_classes_that_are_sure_are_those_of_a_linear_program(seed):
    """Far from zero the loss is max_k (z_k + b_k) - z_y - b_y, up to log 3 an observation."""
    rng = np.random.default_rng(seed)
    z = 1e6 * rng.standard_normal((11, 3)) * 10.0 ** rng.uniform(-2, 0, (11, 1))
    y = rng.integers(0, 3, 11)
    y[:3] = [0, 1, 2]
    own = np.eye(3)[y]
    cost = np.concatenate([np.ones(11), -own.sum(axis=0)]) / 11  # of t, and of b
    rows = np.hstack([-np.repeat(np.eye(11), 3, axis=0), np.tile(np.eye(3), (11, 1))])
    bounds = [(None, None)] * 11 + [(0.0, 0.0), (None, None), (None, None)]
    best = linprog(cost, rows, -z.ravel(), bounds=bounds).fun - float((own * z).sum()) / 11
    value = fw.Profiled(fw.Multinomial(np.eye(11), y))(z.ravel())
    assert -1e-2 <= value - best <= np.log(3.0) + 1e-2
