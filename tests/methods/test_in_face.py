"""The in-face method: its faces against brute force, its steps against the paper's rule."""

from __future__ import annotations

from itertools import islice, pairwise

import numpy as np
import pytest
from test_completion import problem_data

import frankwolfe as fw
from frankwolfe.core.atoms import RankOne
from frankwolfe.core.entries import CellMatrix
from frankwolfe.core.faces import RankOneSpan

SHAPE = (9, 7)
SEEDS = range(4)


def thin(rng: np.random.Generator, rank: int, norm: float = 3.0) -> fw.FactoredMatrix:
    """A random matrix of that rank and nuclear norm, by its singular value decomposition."""
    full = rng.standard_normal((SHAPE[0], rank)) @ rng.standard_normal((rank, SHAPE[1]))
    x = fw.FactoredMatrix.from_array(full).compressed(rank)[0]
    return fw.FactoredMatrix(x.left, x.weights * norm / x.weights.sum(), x.right)


def unit(rng: np.random.Generator, n: int) -> np.ndarray:
    x = rng.standard_normal(n)
    return x / np.linalg.norm(x)


def is_thin(x: fw.FactoredMatrix, atol: float = 1e-13) -> bool:
    eye = np.eye(x.terms)
    sides = (np.abs(side @ side.T - eye).max(initial=0.0) for side in (x.left, x.right))
    return max(sides) <= atol and (x.weights > 0).all() and (np.diff(x.weights) <= 0).all()


def bisected(norm, limit: float, high: float = 1e3) -> float:
    """The largest step with norm(step) <= limit."""
    low = 0.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if norm(middle) <= limit else (low, middle)
    return low


def random_in_face(rng: np.random.Generator, x: fw.FactoredMatrix, trace: float) -> np.ndarray:
    root = rng.standard_normal((x.terms, rng.integers(1, x.terms + 1)))
    M = root @ root.T
    return x.left.T @ (trace * M / np.trace(M)) @ x.right


@pytest.mark.parametrize("radius", [3.0, 5.0], ids=["boundary", "inside"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_way_out_of_a_face_is_what_brute_force_finds(seed, radius):
    rng = np.random.default_rng(seed)
    x, G = thin(rng, rank=4), rng.standard_normal(SHAPE)
    away = fw.NuclearBall(radius).away(x, G)
    X, Z = x.toarray(), away.vertex.dense(None)
    assert np.linalg.norm(Z, "nuc") == pytest.approx(radius)
    for _ in range(300):  # no point of the face has a larger <G, .>, vertex or not
        point = random_in_face(rng, x, radius)
        assert np.linalg.norm(point, "nuc") == pytest.approx(radius)
        assert (G * point).sum() <= (G * Z).sum() + 1e-12
    assert (G * (X - Z)).sum() < 0

    def smallest(alpha):  # eigenvalue of M, where the point is U M V'
        return np.linalg.eigvalsh(x.left @ (X + alpha * (X - Z)) @ x.right.T)[0]

    end = bisected(lambda alpha: -smallest(alpha), 0.0)
    assert away.longest == pytest.approx(end, rel=1e-9)
    if radius == 3.0:  # beyond the end of the face lies the outside
        assert np.linalg.norm(X + 1.01 * end * (X - Z), "nuc") > radius
    for alpha, rank in ((0.5 * end, 4), (away.longest, 3)):
        point, expected = away.point(alpha), X + alpha * (X - Z)
        assert point.terms == rank == np.linalg.matrix_rank(expected, tol=1e-10)
        assert is_thin(point)
        np.testing.assert_allclose(point.toarray(), expected, atol=1e-12)
        assert point.weights.sum() == pytest.approx(np.trace(x.left @ expected @ x.right.T))
        assert point.weights.sum() <= radius * (1 + 1e-14)


def test_the_end_of_a_face_has_a_lower_rank_whatever_the_spectrum(rng):
    for _ in range(300):
        x = thin(rng, rank=int(rng.integers(2, 8)))
        weights = np.sort(10.0 ** rng.uniform(-7, 0, x.terms))[::-1]
        x = fw.FactoredMatrix(x.left, 3.0 * weights / weights.sum(), x.right)
        w = rng.standard_normal(x.terms) * x.weights  # close to a vertex: long steps
        away = fw.NuclearBall(3.0).away(x, x.left.T @ np.outer(w, w) @ x.right)
        if away is not None:
            point = away.point(away.longest)
            assert point.terms == x.terms - 1
            assert point.weights.sum() == pytest.approx(3.0, rel=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_inside_a_region_zero_may_be_the_worst_vertex(seed):
    rng = np.random.default_rng(seed)
    x = thin(rng, rank=3)
    root = rng.standard_normal((3, 3))
    G = -x.left.T @ (root @ root.T + np.eye(3)) @ x.right  # larger X are better
    away = fw.NuclearBall(5.0).away(x, G)
    assert all((G * random_in_face(rng, x, 5.0)).sum() < 0 for _ in range(100))
    assert away.vertex.scale == 0.0
    assert away.point(away.longest).nuclear_norm() == pytest.approx(5.0)
    np.testing.assert_allclose(away.point(0.1).toarray(), 1.1 * x.toarray(), atol=1e-13)
    one = thin(rng, rank=1)
    down = fw.NuclearBall(5.0).away(one, one.toarray())  # smaller X are better
    assert down.point(down.longest).terms == 0
    np.testing.assert_allclose(down.point(0.1).weights, 1.1 * 3.0 - 0.1 * 5.0)


def test_a_face_of_one_point_has_no_way_out(rng):
    ball, G = fw.NuclearBall(3.0), rng.standard_normal(SHAPE)
    for x in (fw.FactoredMatrix.zero(SHAPE), thin(rng, rank=1)):
        assert ball.away(x, G) is None
    assert fw.L2Ball(1.0).thin_faces is None
    x = thin(rng, rank=2)
    nearly = fw.FactoredMatrix(x.left, np.array([3.0 - 1e-6, 1e-6]), x.right)
    worst, best = (sign * np.outer(x.left[0], x.right[0]) for sign in (1.0, -1.0))
    assert ball.away(nearly, worst) is None  # it is the vertex itself, nearly
    assert ball.away(nearly, best).point(1e-6).terms == 1


def test_a_face_of_a_spectraplex_is_symmetric(rng):
    half = rng.standard_normal((3, 8))
    x = fw.FactoredMatrix(half, np.ones(3), half).compressed()[0]
    x = fw.FactoredMatrix(x.left, x.weights * 2.0 / x.weights.sum(), x.right)
    region = fw.Spectraplex(2.0)
    away = region.away(x, rng.standard_normal((8, 8)))
    for alpha in (0.3 * away.longest, away.longest):
        point = away.point(alpha)
        np.testing.assert_array_equal(point.left, point.right)
        assert region.violation(point) <= 1e-14


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_span_is_the_dense_sum(rng, dtype):
    x = thin(rng, 3)
    x = fw.FactoredMatrix(x.left.astype(dtype), x.weights, x.right.astype(dtype))
    tolerance = 100 * float(np.finfo(dtype).eps)
    inside = np.array([0.6, 0.8, 0.0])
    vectors = [
        (unit(rng, SHAPE[0]), unit(rng, SHAPE[1])),
        (inside @ x.left, inside @ x.right),  # nothing new in either side
        (inside @ x.left, unit(rng, SHAPE[1])),
    ]
    for (u, v), (a, b) in zip(vectors * 3, [(0.7, 0.3), (1.4, 0.4), (0.0, 1.0)] * 3, strict=True):
        atom = RankOne(-2.0, u.astype(dtype), v.astype(dtype))
        expected = a * x.toarray() + b * atom.dense(None)
        point = RankOneSpan(x, atom).matrix(a, b)
        assert point.left.dtype == dtype
        assert is_thin(point, tolerance)
        assert point.terms == np.linalg.matrix_rank(expected, tol=tolerance)
        np.testing.assert_allclose(point.toarray(), expected, atol=tolerance)


def test_products_with_a_sparse_gradient_are_the_dense_ones(rng):
    f = fw.Completion(problem_data(0, SHAPE), shape=SHAPE)
    g = CellMatrix(f.cells, rng.standard_normal(f.m))
    left, right = rng.standard_normal((3, SHAPE[0])), rng.standard_normal((4, SHAPE[1]))
    np.testing.assert_allclose(g.between(left, right), left @ g.dense() @ right.T, atol=1e-13)


def completion(seed: int, shape=(30, 24), rank: int = 3) -> fw.Completion:
    loss = ("huber", "squared")[seed % 2]
    return fw.Completion(problem_data(seed, shape, rank), shape=shape, loss=loss, delta=0.7)


@pytest.mark.parametrize("gammas", [(0.0, 1.0), (0.0, np.inf), (1.0, 1.0)], ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_bound_feasible_thin_and_never_rising(seed, gammas):
    f = completion(seed)
    radius = (8.0, 40.0, 200.0)[seed % 3]  # optimum on the boundary twice, inside once
    optimum = fw.minimize(f, fw.NuclearBall(radius), tol=1e-9, max_iter=60).fun
    ball = fw.NuclearBall(radius, accuracy=0.5, most_steps=6, exact_below=0, seed=seed)
    before = np.inf
    for state in islice(fw.states(fw.Problem(f, ball), fw.methods.in_face(*gammas)), 120):
        slack = 1e-9 * max(1.0, abs(state.value))
        assert state.certified
        assert state.gap >= state.value - optimum - slack
        assert state.value <= before + 1e-3 * slack
        assert ball.violation(state.x) <= 1e-12
        assert is_thin(state.x, 1e-12)
        assert state.value == pytest.approx(f(state.x), rel=1e-11, abs=1e-11)
        before = state.value


@pytest.mark.parametrize("seed", SEEDS)
def test_every_step_obeys_the_papers_rule(seed):
    """With gamma 1, 1/(f - B) rises by 1/(2 L D^2) at every step, toward the atom too."""
    problem = fw.Problem(completion(seed), fw.NuclearBall((8.0, 40.0)[seed % 2]))
    least = 1 / (2 * problem.smoothness * problem.diameter**2)
    run = fw.states(problem, fw.methods.in_face(1.0, 1.0))
    seen = [(state.value, state.lower_bound) for state in islice(run, 200)]
    for (value, bound), (ahead, _) in pairwise(seen):
        assert 1 / (ahead - bound) >= (1 / (value - bound) + least) * (1 - 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_without_steps_in_the_face_it_is_frank_wolfe(seed):
    problem = fw.Problem(completion(seed), fw.NuclearBall(20.0))
    never, usual = fw.methods.in_face(np.inf, np.inf), fw.frank_wolfe(fw.steps.ExactLineSearch())
    runs = (islice(fw.states(problem, method), 80) for method in (never, usual))
    for one, other in zip(*runs, strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-9)
        np.testing.assert_allclose(one.x.toarray(), other.x.toarray(), atol=1e-6)


@pytest.mark.parametrize("gamma2", [1.0, np.inf])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_rank_is_far_below_that_of_frank_wolfe_and_the_value_is_not_above(seed, gamma2):
    f, ball = completion(seed, (50, 40)), fw.NuclearBall(60.0)
    best = fw.minimize(f, ball, tol=1e-8, max_iter=60)
    stop = fw.Iterations(80)
    low = fw.minimize(f, ball, method=fw.methods.in_face(0.0, gamma2), stop=stop)
    usual = fw.minimize(f, ball, method=fw.frank_wolfe(fw.steps.ExactLineSearch()), stop=stop)
    assert low.x.terms == low.x.singular_values().size
    assert low.x.terms <= best.x.terms + 3
    s = usual.x.singular_values()
    assert 2 * low.x.terms < (s > 1e-6 * s[0]).sum()
    assert low.fun <= usual.fun


@pytest.mark.parametrize("seed", SEEDS)
def test_it_goes_where_the_hybrid_goes(seed):
    f, ball = completion(seed), fw.NuclearBall((12.0, 30.0)[seed % 2])
    best = fw.minimize(f, ball, tol=1e-9, max_iter=60)
    result = fw.minimize(f, ball, method="in_face", stop=fw.Iterations(800))
    assert best.fun - 1e-7 <= result.fun <= best.fun * 1.01
    assert result.gap <= 0.03 * best.fun
    assert "@article{freund2017inface" in fw.methods.in_face().citation()


@pytest.mark.parametrize("at_most", [False, True])
@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
def test_a_spectraplex_against_cvxpy(at_most, rng):
    cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    n = 12
    half = rng.standard_normal((n, 2))
    truth = half @ half.T
    rows, columns = np.nonzero(rng.random((n, n)) < 0.6)
    values = truth[rows, columns] + 0.3 * rng.standard_normal(rows.size)
    f = fw.Completion((rows, columns, values), shape=(n, n), loss="squared")
    trace = 0.8 * np.trace(truth)
    X = cp.Variable((n, n), PSD=True)
    total = cp.trace(X) <= trace if at_most else cp.trace(X) == trace
    objective = 0.5 * cp.sum_squares(X[rows, columns] - values)
    # to 1e-10: what its point gains by being outside is then far below 1e-7 of the optimum
    tight = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}
    cp.Problem(cp.Minimize(objective), [total]).solve(solver="CLARABEL", **tight)
    optimum = float(objective.value)
    region = fw.Spectraplex(trace, at_most=at_most)
    before, ranks = np.inf, []
    for state in islice(fw.states(fw.Problem(f, region), fw.methods.in_face()), 200):
        assert state.gap >= state.value - optimum * (1 + 1e-7)
        assert region.violation(state.x) <= 1e-12
        assert state.value <= before * (1 + 1e-12)
        before = state.value
        ranks.append(state.x.terms)
    assert state.value == pytest.approx(optimum, rel=0.01)
    usual = fw.minimize(
        f, region, method=fw.frank_wolfe(fw.steps.ExactLineSearch()), stop=fw.Iterations(199)
    )
    assert ranks[-1] < usual.x.singular_values().size


def test_single_precision_stays_close(rng):
    rows, columns, values = problem_data(0, (30, 24), 3)
    f = fw.Completion((rows, columns, values.astype(np.float32)), shape=(30, 24))
    ball = fw.NuclearBall(30.0)
    for state in islice(fw.states(fw.Problem(f, ball), fw.methods.in_face()), 200):
        assert state.x.left.dtype == np.float32
        assert ball.violation(state.x) <= 1e-6
        assert state.value == pytest.approx(f(state.x), rel=1e-5)


def test_a_start_of_many_terms_is_taken_as_it_is_and_left_alone(rng):
    f, ball = completion(0), fw.NuclearBall(20.0)
    left, right = rng.standard_normal((7, 30)), rng.standard_normal((7, 24))
    x0 = fw.FactoredMatrix(np.vstack([left] * 2), np.full(14, 1e-2), np.vstack([right] * 2))
    kept = x0.copy()
    state = next(fw.states(fw.Problem(f, ball), fw.methods.in_face(), x0))
    assert state.x.terms == 7
    np.testing.assert_allclose(state.x.toarray(), x0.toarray(), atol=1e-13)
    fw.minimize(f, ball, method="in_face", x0=x0, max_iter=20)
    for one, other in zip(x0.pack().values(), kept.pack().values(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_does_not_fit_gets_one_sentence():
    with pytest.raises(fw.InvalidInput, match=r"or Spectraplex, but L2Ball.* use frank_wolfe"):
        fw.minimize(fw.SquaredError(np.eye(2), [1.0, 1.0]), fw.L2Ball(1.0), method="in_face")
    with pytest.raises(fw.InvalidInput, match="gamma1 must be"):
        fw.methods.in_face(-1.0)
    with pytest.raises(fw.InvalidInput, match="gamma2 must be a number >= 1"):
        fw.methods.in_face(1.0, 0.5)
