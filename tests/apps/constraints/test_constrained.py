"""Linear constraints beside a region: bounds against cvxpy, laws, and what is refused."""

import signal

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import LinearConstraint, check_grad
from scipy.sparse.linalg import LinearOperator

import frankwolfe as fw
from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.augmented import Augmented
from frankwolfe.apps.constraints.vectors import VectorFormulation
from frankwolfe.base.errors import InvalidInput

cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")

CLOSE = 1e-5  # of f: what cvxpy's solver leaves off at its usual accuracy


def _region(kind, n, x):
    return {
        "simplex": (fw.Simplex(), [x >= 0, cp.sum(x) == 1]),
        "l1": (fw.L1Ball(2.0), [cp.norm1(x) <= 2]),
        "box": (fw.Box(-np.ones(n), np.ones(n)), [x >= -1, x <= 1]),
        "l2": (fw.L2Ball(1.5), [cp.norm(x) <= 1.5]),
        "hypersimplex": (fw.Hypersimplex(2), [x >= 0, x <= 1, cp.sum(x) == 2]),
    }[kind]


def _objective(kind, n, x, rng):
    D, b, c = rng.standard_normal((2 * n, n)), rng.standard_normal(2 * n), rng.standard_normal(n)
    if kind == "squares":
        return fw.SquaredError(D, b, reduction="sum"), 0.5 * cp.sum_squares(D @ x - b)
    if kind == "logistic":
        b = np.append(np.sign(b[2:]), [1.0, -1.0])
        loss = cp.sum(cp.logistic(-cp.multiply(b, D @ x)))
        return fw.Logistic(D, b, reduction="sum"), loss
    half = rng.standard_normal((n // 2 + 1, n)) * (kind == "quadratic")
    return fw.Quadratic(half.T @ half, c), 0.5 * cp.sum_squares(half @ x) + c @ x


def _rows(region, n, rng):
    """Rows of any size that a point of the region satisfies."""
    k = int(rng.integers(1, 4))
    A = rng.standard_normal((k, n)) * 10.0 ** rng.integers(-2, 3, (k, 1))
    inside = sum(w * region.lmo(rng.standard_normal(n)).dense(n) for w in rng.dirichlet(np.ones(6)))
    middle = A @ inside
    lower = np.where(rng.random(k) < 0.5, middle, -np.inf)
    upper = np.where(rng.random(k) < 0.5, middle, middle + 0.1 * np.abs(A).sum(1) / n)
    return A, lower, upper


def _between(A, x, lower, upper):
    below = np.isfinite(lower)
    more = [A[below] @ x >= lower[below]] if below.any() else []
    return [*more, A @ x <= upper]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("loss", ["squares", "logistic", "quadratic", "linear"])
@pytest.mark.parametrize("kind", ["simplex", "l1", "box", "l2", "hypersimplex"])
def test_value_and_bound_agree_with_cvxpy(kind, loss, seed):
    rng = np.random.default_rng([seed, len(kind), len(loss)])
    n = int(rng.integers(3, 20))
    x = cp.Variable(n)
    (region, within), (f, expression) = _region(kind, n, x), _objective(loss, n, x, rng)
    A, lower, upper = _rows(region, n, rng)
    program = cp.Problem(cp.Minimize(expression), [*within, *_between(A, x, lower, upper)])
    program.solve(solver=cp.CLARABEL)
    result = fw.minimize(f, region, subject_to=fw.Affine(A, lower, upper))
    size = max(1.0, abs(program.value))
    assert result.success, result
    assert result.certified
    assert result.lower_bound <= program.value + CLOSE * size
    assert result.fun == pytest.approx(program.value, abs=CLOSE * size)
    assert region.contains(result.x, 1e-8)
    norms = np.linalg.norm(A, axis=1)
    assert result.infeasibility == pytest.approx(np.abs(result.violations / norms).max())
    assert result.infeasibility <= 1e-6 * max(1.0, np.abs(A @ result.x / norms).max())


@pytest.mark.parametrize("kind", ["simplex", "l1", "box", "l2", "hypersimplex"])
@pytest.mark.parametrize("beyond", [1e-3, 1.0, 1e3])
def test_what_cannot_be_satisfied_is_proved_to_be_so(kind, beyond, rng):
    n = 8
    region, _ = _region(kind, n, cp.Variable(n))
    f = fw.SquaredError(rng.standard_normal((20, n)), rng.standard_normal(20))
    A = rng.standard_normal((3, n))
    A[2] = A[0] + A[1]
    highest = float(A[2] @ region.lmo(-A[2]).dense(n))
    # the first two rows together ask for more than the region has
    lower = np.array([0.5, 0.5, -np.inf]) * (highest + beyond)
    result = fw.minimize(f, region, subject_to=fw.Affine(A, lower, np.inf))
    assert result.status is fw.Status.INFEASIBLE, result
    assert result.lower_bound == np.inf
    assert not result.success


def _problem(rng, n=12):
    f = fw.SquaredError(rng.standard_normal((30, n)), rng.standard_normal(30))
    A = rng.standard_normal((2, n))
    return f, fw.Simplex(), A, A @ np.full(n, 1.0 / n)


def test_loose_constraints_change_nothing(rng):
    f, region, A, _ = _problem(rng)
    plain = fw.minimize(f, region, tol=1e-9)
    loose = fw.minimize(f, region, tol=1e-9, subject_to=fw.Affine(A, -1e3, 1e3))
    np.testing.assert_allclose(loose.x, plain.x, atol=1e-4)
    assert loose.fun == pytest.approx(plain.fun, abs=2e-9)
    assert not loose.multipliers.any()


@pytest.mark.parametrize("none", [[], (), fw.Affine(np.ones((2, 12)), -np.inf, np.inf)])
def test_no_constraint_is_the_plain_call(none, rng):
    f, region, _, _ = _problem(rng)
    plain = fw.minimize(f, region, stop=fw.Gap(1e-9))
    result = fw.minimize(f, region, stop=fw.Gap(1e-9), subject_to=none)
    assert isinstance(result, fw.ConstrainedResult)
    np.testing.assert_array_equal(result.x, plain.x)
    assert (result.fun, result.lower_bound, result.nit) == (plain.fun, plain.lower_bound, plain.nit)
    assert result.infeasibility == 0.0
    assert result.feasible_fun == plain.fun
    assert not result.multipliers.any()


def test_redundant_rows_change_nothing(rng):
    f, region, A, b = _problem(rng)
    one = fw.minimize(f, region, tol=1e-9, subject_to=fw.Affine(A, b))
    more = fw.Affine(np.vstack([A, A[:1] - A[1:], -2.0 * A[1:]]),
                     np.concatenate([b, b[:1] - b[1:], -2.0 * b[1:]]))  # fmt: skip
    other = fw.minimize(f, region, tol=1e-9, subject_to=more)
    assert other.success
    assert other.fun == pytest.approx(one.fun, abs=3e-9)
    np.testing.assert_allclose(other.x, one.x, atol=1e-4)


@pytest.mark.parametrize("tol", [1e-6, 1e-8, 1e-10])
def test_polytopes_are_exact_at_every_tolerance(tol, rng):
    """Feasible to rounding, and a bound whose digits no penalty drowns."""
    for region in (fw.Simplex(1e-3), fw.Box(-2.0, 3.0), fw.L1Ball(50.0), fw.Birkhoff(4)):
        n = 16
        A, c = rng.standard_normal((3, n)), 1e4 * rng.standard_normal(n)
        middle = A @ np.mean([region.lmo(g).dense(n) for g in rng.standard_normal((40, n))], axis=0)
        rows = fw.Affine(A, middle, middle + np.array([0.0, 1e-4, np.inf]))
        f = fw.Quadratic(np.zeros((n, n)), c)
        result = fw.minimize(f, region, subject_to=rows, tol=tol)
        assert result.success, (region, result)
        assert result.infeasibility <= 1e-10 * max(1.0, float(np.abs(middle).max()))
        assert result.feasible_fun - result.lower_bound + 1e-12 * abs(result.fun) >= 0.0
        assert result.gap <= 1.01 * tol * max(1.0, abs(result.fun))


def test_the_time_is_limited_over_all_rounds(rng):
    n = 400
    D = rng.standard_normal((800, n)) * np.geomspace(1e-3, 1e3, n)
    f = fw.Logistic(D, np.sign(rng.standard_normal(800)), reduction="sum")
    rows = fw.Affine(rng.standard_normal((40, n)), 0.0)
    result = fw.minimize(f, fw.LpBall(3.0, 5.0), subject_to=rows, stop=fw.Seconds(1e-3), tol=1e-12)
    assert result.status is fw.Status.MAX_TIME
    assert "more than was asked for" in result.message
    assert result.lower_bound <= f(np.zeros(n))  # which satisfies the rows


def test_ctrl_c_between_two_runs_gives_what_is_known(rng, monkeypatch):
    """Pressed where no run goes on: the next one ends before its first step."""
    f, region, A, b = _problem(rng)
    truth = fw.minimize(f, region, subject_to=fw.Affine(A, b), tol=1e-9).fun
    learned = VectorFormulation.update_bounds

    def pressed(self, known, lagrangian, seen):
        learned(self, known, lagrangian, seen)
        if seen.result.status is not fw.Status.INTERRUPTED:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(VectorFormulation, "update_bounds", pressed)
    result = fw.minimize(f, region, subject_to=fw.Affine(A, b), tol=1e-12)
    assert result.status is fw.Status.INTERRUPTED
    assert result.nit <= 1
    assert -np.inf < result.lower_bound <= truth + 1e-9
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_is_outside_by_less_than_the_tolerance_counts_as_inside(rng):
    f = fw.squared_distance(rng.standard_normal(8))
    barely, clearly = (fw.Affine(np.ones((1, 8)), 1.0 + far) for far in (1e-10, 1e-5))
    assert fw.minimize(f, fw.Simplex(), subject_to=barely).success
    assert fw.minimize(f, fw.Simplex(), subject_to=clearly).status is fw.Status.INFEASIBLE


def test_the_scale_of_a_row_changes_its_multiplier_alone(rng):
    f, region, A, b = _problem(rng)
    one = fw.minimize(f, region, tol=1e-9, subject_to=fw.Affine(A, b))
    factors = np.array([1e5, 2.0**-20])
    other = fw.minimize(
        f, region, tol=1e-9, subject_to=fw.Affine(factors[:, None] * A, factors * b)
    )
    np.testing.assert_allclose(other.x, one.x, atol=1e-6)
    np.testing.assert_allclose(other.multipliers * factors, one.multipliers, rtol=1e-4, atol=1e-7)


def test_multipliers_are_those_of_cvxpy(rng):
    f, region, A, b = _problem(rng)
    x = cp.Variable(12)
    rows = A @ x == b
    loss = cp.sum_squares(f.linear.matrix @ x - f.b) / 60
    cp.Problem(cp.Minimize(loss), [x >= 0, cp.sum(x) == 1, rows]).solve(solver=cp.CLARABEL)
    result = fw.minimize(f, region, tol=1e-9, subject_to=fw.Affine(A, b))
    np.testing.assert_allclose(result.multipliers, rows.dual_value, atol=1e-4)


def test_constraints_in_all_their_forms_are_the_same(rng):
    f, region, A, b = _problem(rng)
    forms = [
        fw.Affine(A, b, b),
        fw.Affine(sp.csr_array(A), b),
        LinearConstraint(A, b, b),
        [fw.Affine(A[:1], b[:1]), fw.Affine(sp.csc_array(A[1:]), b[1:])],
        [LinearConstraint(A, -np.inf, b), fw.Affine(A, b, np.inf)],
    ]
    wanted = fw.minimize(f, region, tol=1e-9, subject_to=fw.Affine(A, b))
    for form in forms:
        found = fw.minimize(f, region, tol=1e-9, subject_to=form)
        assert found.success
        assert found.fun == pytest.approx(wanted.fun, abs=3e-9)
        np.testing.assert_allclose(found.x, wanted.x, atol=1e-4)


@pytest.mark.parametrize(
    "region",
    [fw.GroupBall(np.arange(16) // 4, 2.0), fw.KSparse(3), fw.Birkhoff(4), fw.LpBall(3.0, 1.0),
     fw.UnitSimplex(2.0), fw.ConvexHull(np.random.default_rng(1).standard_normal((30, 16)))],
    ids=repr,
)  # fmt: skip
def test_other_regions_and_plain_functions(region, rng):
    target = rng.standard_normal(16)
    A = rng.standard_normal((2, 16))
    inside = sum(0.25 * region.lmo(rng.standard_normal(16)).dense(16) for _ in range(4))
    rows = fw.Affine(A, A @ inside - 1e-2, A @ inside)
    found = [
        fw.minimize(f, region, subject_to=rows, **more)
        for f, more in (
            (fw.squared_distance(target), {}),
            (lambda x: 0.5 * float((x - target) @ (x - target)),
             {"jac": lambda x: x - target, "x0": region.start(16), "tol": 1e-3}),
        )
    ]  # fmt: skip
    assert all(result.success for result in found), found
    assert found[1].fun == pytest.approx(found[0].fun, abs=3e-3 * max(1.0, found[0].fun))
    feasible = 0.5 * float(np.sum((inside - target) ** 2))
    assert all(result.lower_bound <= feasible for result in found)


def test_the_augmented_lagrangian_is_an_objective(rng):
    f = Augmented.example(6, rng)
    for _ in range(5):
        x, d = rng.standard_normal((2, 6))
        assert check_grad(f, f.grad, x) <= 1e-5 * np.linalg.norm(f.grad(x))
        z, dz = f.image_at(x), f.image_at(d)
        ahead, behind = (f.grad(x + t * d) for t in (1e-6, -1e-6))
        second = f.second_order
        H, bend = second.full_hessian(z), second.hessian(z, dz[:, None], dz[:, None])
        assert f.along(z, dz, 0.0)[2] == pytest.approx(float(bend[0, 0]))
        np.testing.assert_allclose(H @ d, (ahead - behind) / 2e-6, atol=1e-5 * np.abs(H).max())
        atoms = [fw.L1Ball(2.0).lmo(v) for v in rng.standard_normal((3, 6))]
        images = second.images(atoms)
        S = np.column_stack([atom.dense(6) for atom in atoms])
        np.testing.assert_allclose(second.hessian(z, images, images), S.T @ H @ S, atol=1e-9)
    # below f where the constraints hold, whatever the multipliers
    rows = Affine(np.eye(6), -1.0, 1.0)
    below = Augmented(f.objective, rows, rng.standard_normal(6), 0.3)
    for x in rng.uniform(-1.0, 1.0, (50, 6)):
        assert below(x) <= f.objective(x) + 1e-12


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fw.Affine(np.ones((1, 3)), np.nan), "b must be finite"),
        (lambda: fw.Affine(np.ones((1, 3)), np.inf), "b must be finite"),
        (lambda: fw.Affine(np.ones((2, 3)), [1.0, 2.0, 3.0]), "one for each of the 2 rows"),
        (lambda: fw.Affine(np.ones((2, 3)), [0.0, 1.0], [1.0, 0.5]), "row 1 has 1 and 0.5"),
        (lambda: fw.Affine([[np.nan, 1.0]], 0.0), "A must be finite"),
        (lambda: Affine.of(fw.Affine(np.ones((1, 3)), 0.0), 4), "must have 4 columns"),
        (lambda: Affine.of([], 4), "at least one constraint"),
        (lambda: fw.diagonal(0), "n must be a whole number"),
        (lambda: fw.Affine(LinearOperator((1, 3), matvec=np.sum), 1.0), "must have its adjoint"),
        (lambda: Affine.of("x <= 1", 4), "subject_to must be Affine"),
        (lambda: Affine.of([fw.Affine(np.ones((1, n)), 0.0) for n in (2, 3)], 3), "as many"),
    ],
)
def test_constraints_that_are_none(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()


def test_what_does_not_go_with_constraints(rng):
    f, region, A, b = _problem(rng)
    rows = fw.Affine(A, b)
    with pytest.raises(InvalidInput, match="stop=Seconds"):
        fw.minimize(f, region, subject_to=rows, stop=fw.Gap(1e-3))
    with pytest.raises(fw.errors.CheckpointError, match="there is no checkpoint"):
        fw.minimize(f, region, subject_to=rows, resume="run.npz")
    with pytest.raises(InvalidInput, match="convex objective"):
        fw.minimize(fw.Quadratic(-np.eye(12)), region, subject_to=rows)
    result = fw.minimize(f, region, subject_to=rows, max_iter=1, tol=0.0)
    assert result.status is fw.Status.MAX_ITERATIONS
    assert "violated" in repr(result)
    with pytest.raises(fw.errors.Unproven):
        result.verify()


def test_single_precision_is_widened(rng):
    f, region, A, b = _problem(rng)
    narrow = fw.SquaredError(f.linear.matrix.astype(np.float32), f.b.astype(np.float32))
    result = fw.minimize(narrow, region, subject_to=fw.Affine(A, b))
    assert result.success
    assert result.x.dtype == np.float64


@pytest.mark.parametrize("region", [fw.Simplex(), fw.Box(0.0, 1e-3), fw.L2Ball(0.05)], ids=repr)
def test_the_nearest_point_of_many_variables(region, rng):
    """By the dual, where x has more entries that are not zero than a working set may hold."""
    n = 20_000
    A = rng.standard_normal((4, n))
    inside = region.project(rng.random(n) / n).x
    rows = fw.Affine(A, A @ inside, A @ inside + [0.0, 0.0, 1e-4, np.inf])
    f = fw.squared_distance(2.0 * rng.random(n) / n)
    result = fw.minimize(f, region, subject_to=rows, tol=1e-9)
    assert result.success
    assert result.lower_bound <= f(inside)
    # a point of the region that nearly satisfies the rows, and is stationary for the multipliers
    g = f.grad(result.x) + rows.matrix.T @ result.multipliers
    assert g @ result.x - region.lmo(g).dot(g) <= 1e-6


def test_sparse_images_stay_sparse(rng):
    """Rows that are dense do not make the images of a sparse matrix so."""
    D = sp.random_array((500, 60), density=0.05, rng=1, format="csr")
    f = Augmented(
        fw.SquaredError(D, rng.standard_normal(500)), Affine(np.ones((2, 60)), 0.0), np.ones(2), 1.0
    )
    atoms = [fw.Simplex().lmo(g) for g in rng.standard_normal((5, 60))]
    images = f.second_order.images(atoms)
    assert sp.issparse(images)
    for k, atom in enumerate(atoms):
        np.testing.assert_allclose(images[:, [k]].toarray()[:, 0], f.image_at(atom.dense(60)))


def test_the_dual_of_the_nearest_point_ends_when_asked(rng, monkeypatch):
    """Ctrl-C while it goes on: the first run ends before its first step."""
    f = fw.squared_distance(3.0 * rng.standard_normal(50))
    rows = fw.Affine(rng.standard_normal((10, 50)), 0.7)
    region = fw.Box(-1.0, 1.0)
    projected, calls = fw.Box.project, []

    def pressed(self, p):
        calls.append(p)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        return projected(self, p)

    monkeypatch.setattr(fw.Box, "project", pressed)
    result = fw.minimize(f, region, subject_to=rows, tol=1e-12)
    assert result.status is fw.Status.INTERRUPTED
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    monkeypatch.setattr(fw.Box, "project", projected)
    brief = fw.minimize(f, region, subject_to=rows, stop=fw.Seconds(1e-9), tol=0.0)
    assert brief.status is fw.Status.MAX_TIME


POINT = np.array([0.1, 0.2, 0.3])
ONE_POINT = [
    fw.Box(POINT, POINT),
    fw.regions.Shifted(fw.Box([0.0] * 3, [0.0] * 3), POINT),
    fw.regions.Scaled(fw.Box(2.0 * POINT, 2.0 * POINT), 0.5),
    fw.MinkowskiSum([fw.Box(POINT, POINT), fw.ConvexHull([0.0 * POINT])]),
    fw.Product([(fw.Box(POINT[:1], POINT[:1]), 1), (fw.ConvexHull([POINT[1:]]), 2)]),
    fw.ConvexHull([POINT]),
    fw.Polytope(A_eq=np.eye(3), b_eq=POINT),
    fw.Hypersimplex(3, 0.75),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("region", ONE_POINT, ids=repr)
@pytest.mark.parametrize("unit", [2.0**-160, 1.0, 2.0**160])
def test_over_one_point_the_rows_hold_or_exclude_it(region, unit, rng):
    A, x = rng.standard_normal((5, 3)), region.start(3)
    at = float(x.sum())
    for f in (
        fw.SquaredError(unit * A, unit * np.ones(5)),
        fw.Quadratic(unit**2 * A.T @ A, -(unit**2) * np.ones(3)),
        fw.squared_distance([1.0, 2.0, 3.0]).times(unit**2),
    ):
        for low, high in ((at, at), (at - 1.0, at + 1.0), (2.0 * at, 3.0 * at)):
            r = fw.minimize(f, region, subject_to=fw.Affine(np.ones((1, 3)), low, high))
            holds = low <= at
            assert r.status.name == ("CONVERGED" if holds else "INFEASIBLE"), r.message
            assert not holds or r.fun == pytest.approx(f(x), rel=1e-12)
