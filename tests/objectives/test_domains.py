"""Objectives that are not finite everywhere: laws, starts, cvxpy; f is never evaluated outside."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import method_examples, refused, skip_if_refused
from programs import peers_value
from scipy.optimize import approx_fprime

import frankwolfe as fw
from frankwolfe.core.atoms import Dense, Sparse, Vertex
from frankwolfe.objectives import DOMAIN_OBJECTIVES

N = 6
EXAMPLES = [cls.example(N, np.random.default_rng(2)) for cls in DOMAIN_OBJECTIVES.values()]
METHODS = {k: m for k, m in method_examples().items() if k != "FW+short_step"}


def _entropy(n: int = N) -> fw.Function:
    """A plain function that is finite for x > 0 only, and says so when it is called elsewhere."""
    target = np.linspace(0.0, 1.0, n)

    def fun(x):
        assert (x > 0).all(), "evaluated outside"
        return float(x @ np.log(x) - target @ x), np.log(x) + 1 - target

    return fw.Function(fun, True, n=n, domain=lambda x: bool((x > 0).all()))


def _watched(f: fw.Objective) -> fw.Objective:
    """A copy that fails where it is evaluated outside its domain."""
    watched = copy.copy(f)

    def value(z):
        assert f.in_domain(z), "value outside"
        return f.value(z)

    def linearize(z, slope):
        assert f.in_domain(z), "gradient outside"
        return f.linearize(z, slope)

    def along(z, dz, t):
        assert f.in_domain(z + t * dz), "trial outside"
        return f.along(z, dz, t)

    watched.value, watched.linearize, watched.along = value, linearize, along
    return watched


@pytest.mark.parametrize("f", EXAMPLES, ids=lambda f: type(f).__name__)
class TestLaws:
    def test_gradient_matches_finite_differences(self, f, rng):
        for x in rng.dirichlet(np.ones(N), 5) + 0.02:
            np.testing.assert_allclose(f.grad(x), approx_fprime(x, f, 1e-7), rtol=1e-4, atol=1e-5)

    def test_linearize_gives_value_and_inner_product(self, f, rng):
        x = rng.dirichlet(np.ones(N))
        z, slope = np.empty(f.m), np.empty(f.m)
        f.image(x, z)
        value, inner = f.linearize(z, slope)
        assert value == pytest.approx(f(x), rel=1e-13)
        assert value == pytest.approx(f.value(z), rel=1e-13)
        assert inner == pytest.approx(f.grad(x) @ x, rel=1e-10)

    def test_along_matches_differences_of_value_and_slope(self, f, rng):
        x, y = rng.dirichlet(np.ones(N), 2) + 0.02
        z, dz, h = np.empty(f.m), np.empty(f.m), 1e-5
        f.image(x, z)
        f.image(y - x, dz)
        for t in (0.0, 0.37, 1.0):
            value, slope, curvature = f.along(z, dz, t)
            at = x + t * (y - x)
            assert value == pytest.approx(f(at), rel=1e-11)
            assert slope == pytest.approx(f.grad(at) @ (y - x), rel=1e-9, abs=1e-11)
            ahead, behind = f.along(z, dz, t + h)[1], f.along(z, dz, t - h)[1]
            assert curvature == pytest.approx((ahead - behind) / (2 * h), rel=1e-4)

    def test_image_of_an_atom_is_the_image_of_its_dense_form(self, f, rng):
        few = Sparse(np.array([1, 4]), np.array([0.3, 2.0]))
        for atom in (Vertex(3, 1.7), Dense(rng.random(N)), few):
            direct, through = np.empty(f.m), np.empty(f.m)
            f.image_of(atom, direct)
            f.image(atom.dense(N), through)
            np.testing.assert_allclose(direct, through, atol=1e-13)

    def test_convex_along_random_segments_and_infinite_outside(self, f, rng):
        assert f.convex
        assert not f.everywhere
        assert f.smoothness is None
        for x, y in rng.dirichlet(np.ones(N), (20, 2)):
            assert f(0.5 * (x + y)) <= 0.5 * (f(x) + f(y)) + 1e-12
        assert f(-np.ones(N)) == np.inf

    def test_reach_ends_inside_and_near_the_end(self, f, rng):
        ends = 0
        for _ in range(50):
            x, d = rng.dirichlet(np.ones(N)), rng.standard_normal(N)
            z, dz = np.empty(f.m), np.empty(f.m)
            f.image(x, z)
            f.image(d, dz)
            t = f.max_step(z, dz, 5.0)
            assert 0.0 < t <= 5.0
            assert f.in_domain(z + t * dz)
            assert np.isfinite(f(x + t * d))
            if t < 5.0:
                assert not f.in_domain(z + t / 0.95 * dz)
                ends += 1
        assert ends > 10
        assert f.max_step(z, 0.0 * dz, 5.0) == 5.0


def _regions(f: fw.Objective) -> list[fw.Region]:
    if isinstance(f, fw.DOptimal | fw.Function):
        return [fw.Simplex(), fw.Box(0.0, 0.5), fw.Hypersimplex(2)]
    return [fw.Simplex(), fw.UnitSimplex(2.0), fw.L2Ball(1.0, center=np.full(N, 0.4))]


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("f", [*EXAMPLES, _entropy()], ids=lambda f: type(f).__name__)
def test_f_is_never_evaluated_outside_and_the_gap_is_a_bound(f, name):
    for region in _regions(f):
        best = fw.minimize(f, region, tol=1e-10, max_iter=500)
        problem = fw.Problem(f if isinstance(f, fw.Function) else _watched(f), region)
        if refused(METHODS[name], problem):
            continue
        for state in fw.states(problem, METHODS[name]):
            assert np.isfinite(state.value)
            assert state.certified
            assert state.gap >= state.value - best.fun - 1e-10
            assert region.violation(state.x) <= 1e-10
            if state.k == 120:
                break
        assert state.lower_bound <= best.fun + 1e-10
        assert state.value <= best.fun + max(1.0, abs(best.fun))


def _wall() -> fw.Function:
    """A function that ends at a plane through the region, toward which it falls."""
    slope = np.linspace(-5.0, 1.0, N)

    def fun(x):
        assert x[0] < 0.3, "evaluated outside"
        g = slope + x
        g[0] += 0.01 / (0.3 - x[0])
        return float(slope @ x + 0.5 * x @ x - 0.01 * np.log(0.3 - x[0])), g

    return fw.Function(fun, True, n=N, domain=lambda x: bool(x[0] < 0.3))


WALLED = {
    **METHODS,
    "long jacobi": fw.jacobi(1.2, 1.2, 0.0),
    "long momentum": fw.methods.jacobi_momentum(6.0, 6.0, 0.0),
}


@pytest.mark.parametrize("name", WALLED)
@pytest.mark.parametrize("region", [fw.Box(-1.0, 1.0), fw.L1Ball(1.0), fw.L2Ball(1.0)], ids=repr)
def test_f_is_not_evaluated_behind_a_wall_through_the_region(name, region):
    f = _wall()
    skip_if_refused(WALLED[name], fw.Problem(f, region))
    best = fw.minimize(
        f, region, method=fw.frank_wolfe(fw.steps.ExactLineSearch()), max_iter=300
    ).fun
    for state in fw.states(fw.Problem(f, region), WALLED[name], np.zeros(N)):
        assert state.x[0] < 0.3
        assert state.gap >= state.value - best - 1e-10
        if state.k == 80:
            break
    if getattr(WALLED[name], "monotone", False):
        assert state.value < f(np.zeros(N))


@pytest.mark.parametrize("recipe", [fw.methods.away_step, fw.pairwise, fw.blended_pairwise])
def test_a_plain_function_with_a_domain_is_the_objective(recipe):
    f = EXAMPLES[0]
    plain = fw.Function(f, f.grad, n=N, domain=lambda x: bool((f.linear.matrix @ x > 0).all()))
    one, other = (fw.minimize(g, fw.Simplex(), method=recipe(), tol=1e-9) for g in (f, plain))
    assert one.success
    assert other.success
    np.testing.assert_allclose(one.x, other.x, atol=1e-4)


def test_the_start_moves_to_the_middle_where_f_is_not_finite_at_a_vertex():
    f = EXAMPLES[2]  # one point does not make a matrix of full rank
    assert f(np.eye(N)[0]) == np.inf
    for method in METHODS.values():
        if method.accepts(fw.Problem(f, fw.Simplex())) is not None:
            continue
        state = method.init(fw.Problem(f, fw.Simplex()))
        np.testing.assert_allclose(state.x, np.full(N, 1 / N))
    # where a vertex is fine it is taken
    state = fw.pairwise().init(fw.Problem(EXAMPLES[1], fw.Simplex()))
    assert np.count_nonzero(state.x) == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: fw.minimize(EXAMPLES[0], fw.L1Ball(1.0)),
            r"nor in its middle: pass x0, a point of the region where \(Ax\)_i > 0",
        ),
        (
            lambda: fw.minimize(EXAMPLES[2], fw.Simplex(), x0=np.eye(N)[0]),
            r"x0 must lie where f is finite \(the sum of .* positive definite.*region.middle",
        ),
        (
            lambda: fw.minimize(_entropy(), fw.Simplex(), x0=np.eye(N)[0]),
            r"x0 must lie where f is finite \(domain\(x\) is true\)",
        ),
        (lambda: fw.Poisson(np.eye(2), [1.0, -1.0]), "b must be >= 0 for Poisson, got -1"),
        (lambda: fw.DOptimal(np.ones((3, 2))), "span all 2 dimensions, but they span 1"),
        (lambda: fw.DOptimal(np.ones(3)), "A must be a finite matrix"),
        (lambda: fw.DOptimal([[np.nan]]), "A must be a finite matrix"),
        (lambda: fw.Function(sum, True, domain=3), "domain must be a function x -> bool"),
        (
            lambda: fw.minimize(
                EXAMPLES[0], fw.Simplex(), method=fw.frank_wolfe(fw.steps.ShortStep())
            ),
            "smoothness constant, which Poisson does not have: use Backtracking",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(make, words):
    with pytest.raises(fw.InvalidInput, match=words):
        make()


def test_a_count_of_zero_sets_no_bound():
    f = fw.Poisson(np.array([[1.0, -1.0], [1.0, 1.0]]), [0.0, 2.0], reduction="sum")
    assert f(np.array([0.5, 1.5])) == pytest.approx(-1.0 + 2.0 - 2.0 * np.log(2.0))
    assert fw.minimize(f, fw.Simplex(2.0)).x == pytest.approx([0.0, 2.0], abs=1e-6)


def test_sparse_data_and_float32(rng):
    A, b = rng.random((30, N)) * (rng.random((30, N)) < 0.6), rng.poisson(2.0, 30)
    A[:, 0] += 0.1
    dense, sparse = fw.Poisson(A, b), fw.Poisson(sp.csr_array(A), b)
    x = rng.dirichlet(np.ones(N))
    assert sparse(x) == pytest.approx(dense(x), rel=1e-13)
    exact = fw.minimize(sparse, fw.Simplex(), tol=1e-9)
    small = fw.minimize(fw.Poisson(A.astype(np.float32), b), fw.Simplex(), tol=1e-4)
    assert exact.success
    assert small.success
    assert small.x.dtype == np.float32
    assert small.fun == pytest.approx(exact.fun, abs=1e-3)


@pytest.mark.parametrize("name", ["pairwise", "afw", "jacobi_momentum", "FW+adaptive"])
def test_a_run_is_resumed_bit_for_bit(name, tmp_path):
    path, method = tmp_path / "run.npz", METHODS[name]
    for f in EXAMPLES:
        whole = fw.minimize(f, fw.Simplex(), method=method, stop=fw.Iterations(60))
        callback = fw.Checkpoint(path, every=10)
        fw.minimize(f, fw.Simplex(), method=method, stop=fw.Iterations(25), callback=callback)
        rest = fw.minimize(f, fw.Simplex(), method=method, stop=fw.Iterations(60), resume=path)
        np.testing.assert_array_equal(whole.history["value"], rest.history["value"])
        np.testing.assert_array_equal(whole.x, rest.x)


class TestBesideCvxpy:
    """Minima to 1e-6, by the default method; Clarabel's own tolerances are 1e-8."""

    def _same(self, f, region, expression, x, constraints):
        cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
        cp.Problem(cp.Minimize(expression), constraints).solve(solver="CLARABEL")
        theirs = peers_value(f, region, np.maximum(x.value, 0.0))
        result = fw.minimize(f, region, tol=1e-8)
        assert result.success
        assert result.lower_bound <= theirs + 1e-12 * max(1.0, abs(theirs))
        assert result.fun == pytest.approx(theirs, abs=1e-6)

    @pytest.mark.parametrize("seed", range(3))
    def test_d_optimal_design(self, seed):
        cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
        A, x = np.random.default_rng(seed).standard_normal((40, 5)), cp.Variable(40)
        matrix = A.T @ cp.diag(x) @ A
        self._same(fw.DOptimal(A), fw.Simplex(), -cp.log_det(matrix), x, [x >= 0, cp.sum(x) == 1])

    @pytest.mark.parametrize("seed", range(3))
    def test_poisson_regression(self, seed):
        cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
        rng, x = np.random.default_rng(seed), cp.Variable(15)
        A = rng.uniform(0.0, 1.0, (60, 15))
        b = rng.poisson(4.0 * A @ rng.dirichlet(np.ones(15)))
        loss = cp.sum(A @ x - cp.multiply(b, cp.log(A @ x)))
        f = fw.Poisson(A, b, reduction="sum")
        self._same(f, fw.Simplex(4.0), loss, x, [x >= 0, cp.sum(x) == 4])
        self._same(f, fw.UnitSimplex(9.0), loss, x, [x >= 0, cp.sum(x) <= 9])

    @pytest.mark.parametrize("seed", range(3))
    def test_portfolio(self, seed):
        cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
        rng, x = np.random.default_rng(seed), cp.Variable(12)
        R = np.exp(0.4 * rng.standard_normal((100, 12)))
        loss = -cp.sum(cp.log(R @ x)) / 100
        self._same(fw.LogPortfolio(R), fw.Simplex(), loss, x, [x >= 0, cp.sum(x) == 1])
