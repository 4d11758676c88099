"""Everyday functions beside other people's solvers, formulas and enumeration."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from conftest import region_examples, size
from scipy.optimize import nnls
from scipy.optimize import quadratic_assignment as scipy_assignment

import frankwolfe as fw
from frankwolfe.apps.everyday.pairs import MatchingCost
from frankwolfe.apps.everyday.permutations import gilmore_lawler, swapped

cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
nx = pytest.importorskip("networkx", reason="networkx is not installed")


def _rng(seed):
    return np.random.default_rng(seed)


def _solved(objective, constraints=()):
    """The value by CVXPY."""
    return cp.Problem(objective, list(constraints)).solve(solver="CLARABEL")


# project


def _cvxpy_nearest(p, constraints):
    x = cp.Variable(p.shape)
    _solved(cp.Minimize(cp.sum_squares(x - p)), constraints(x))
    return x.value


POINTS = np.array([[0.0, 0.0, 1.0], [2.0, 1.0, 0.0], [-1.0, 3.0, 1.0], [0.5, 0.5, 4.0]])


def _hull_constraints(x):
    w = cp.Variable(4, nonneg=True)
    return [x == POINTS.T @ w, cp.sum(w) == 1]


@pytest.mark.parametrize(
    ("region", "shape", "constraints"),
    [
        (fw.L1Ball(1.5), 8, lambda x: [cp.norm1(x) <= 1.5]),
        (fw.Simplex(2.0), 8, lambda x: [x >= 0, cp.sum(x) == 2]),
        (fw.LpBall(3.0, 1.2), 6, lambda x: [cp.norm(x, 3) <= 1.2]),
        (fw.Birkhoff(4), (4, 4), lambda x: [x >= 0, x.sum(0) == 1, x.sum(1) == 1]),
        (fw.ConvexHull(POINTS), 3, _hull_constraints),
        (fw.NuclearBall(2.0), (4, 3), lambda x: [cp.normNuc(x) <= 2]),
    ],
    ids=lambda case: type(case).__name__,
)
def test_the_nearest_point_is_that_of_another_solver(region, shape, constraints):
    p = 2.0 * _rng(0).standard_normal(shape)
    nearest, other = fw.project(p, region), _cvxpy_nearest(p, constraints)
    assert nearest.success
    assert nearest.x.shape == p.shape
    np.testing.assert_allclose(nearest.x, other, atol=2e-4)
    distance = np.linalg.norm(other - p)
    assert nearest.distance == pytest.approx(distance, abs=1e-5)
    assert nearest.lower_bound <= distance * (1 + 1e-6)
    assert np.linalg.norm(nearest.x - other) <= nearest.error + 2e-4


@pytest.mark.parametrize("region", region_examples(), ids=repr)
def test_every_region_has_a_nearest_point_with_a_bound_on_its_error(region):
    n = size(region)
    p = 2.0 * _rng(1).standard_normal(n)
    nearest = fw.project(p, region, tol=1e-3)
    assert nearest.success, nearest
    assert region.contains(nearest.x, 1e-6)
    assert nearest.error <= 1e-3 * region.diameter(n) + 1e-7 * np.linalg.norm(p)
    again = fw.project(nearest.x, region, tol=1e-3)  # which is in the region
    assert again.distance <= again.error + 1e-6
    for _ in range(20):  # the true nearest point is on this side of every other one
        s = region.lmo(_rng(_).standard_normal(n)).dense(n)
        assert (nearest.x - p) @ (s - nearest.x) >= -(nearest.error + 1e-6) * 4 * (
            np.linalg.norm(s - p) + 1.0
        )


@pytest.mark.parametrize("far", [1e3, 1e6])
def test_a_point_far_away_is_told_with_its_error(far):
    p = far * _rng(2).standard_normal(20)
    nearest = fw.project(p, fw.Simplex())
    best = np.sort(p)[-2:]
    assert best[1] - best[0] > 1.0  # then it is a vertex
    np.testing.assert_allclose(nearest.x, np.eye(20)[p.argmax()], atol=1e-12)
    assert nearest.error < 1e-3


def test_a_point_of_the_region_is_its_own_nearest():
    p = np.array([0.25, 0.75])
    nearest = fw.project(p, fw.ConvexHull([[1.0, 0.0], [0.0, 1.0]]))
    np.testing.assert_allclose(nearest.x, p, atol=1e-5)
    assert nearest.distance <= nearest.error
    assert nearest["x"] is nearest.x
    assert "distance" in repr(nearest)
    assert list(nearest) == list(nearest.keys())


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([1.0, np.nan], fw.Simplex()), {}, "point must be finite"),
        (([], fw.Simplex()), {}, "vector, or a matrix"),
        ((np.zeros((2, 2, 2)), fw.Simplex()), {}, "vector, or a matrix"),
        (([1.0, 2.0], fw.Birkhoff(2)), {}, "4 variables"),
        (([1.0, 2.0], fw.NuclearBall(1.0)), {}, "point must be a matrix"),
        (([1.0, 2.0], "simplex"), {}, "region must be"),
        (([1.0, 2.0], fw.Simplex()), {"tol": 0.0}, "tol"),
        (([1.0, 2.0], fw.Simplex()), {"max_iter": 0}, "max_iter"),
        ((["a", "b"], fw.Simplex()), {}, "real numbers"),
    ],
)
def test_what_project_refuses(arguments, options, words):
    with pytest.raises(fw.InvalidInput, match=words):
        fw.project(*arguments, **options)


# min_norm


def _least_norm(G):
    """By non-negative least squares, with a heavy row for the sum of the weights."""
    heavy = 1e6 * max(np.abs(G).max(), 1e-300)
    w, _ = nnls(np.vstack([G.T, np.full(len(G), heavy)]), np.append(np.zeros(G.shape[1]), heavy))
    return np.linalg.norm(w @ G / w.sum())


@pytest.mark.parametrize("m", [1, 2, 3, 10, 40])
@pytest.mark.parametrize("common", [0.0, 1.0])
def test_the_least_norm_is_that_of_another_solver(m, common):
    rng = _rng(m)
    G = rng.standard_normal((m, 60)) + common * rng.standard_normal(60)
    found = fw.min_norm(G)
    assert found.success
    assert found.norm == pytest.approx(_least_norm(G), rel=1e-6)
    assert found.lower_bound <= found.norm
    assert found.norm - found.lower_bound <= 1e-8 * found.norm
    np.testing.assert_allclose(found.weights @ G, found.x, atol=1e-12)
    assert found.weights.min() >= 0.0
    assert found.weights.sum() == pytest.approx(1.0)


def test_two_vectors_by_the_formula_and_its_ends():
    np.testing.assert_allclose(fw.min_norm([[1.0, 0.0], [0.0, 1.0]]).x, [0.5, 0.5])
    np.testing.assert_allclose(fw.min_norm([[1.0, 0.0], [3.0, 1.0]]).weights, [1.0, 0.0])
    np.testing.assert_allclose(fw.min_norm([[3.0, 1.0], [1.0, 0.0]]).weights, [0.0, 1.0])
    np.testing.assert_allclose(fw.min_norm([[1.0, 2.0], [1.0, 2.0]]).x, [1.0, 2.0])


@pytest.mark.parametrize("scale", [1e-200, 1e-12, 1e12, 1e200])
def test_scales_change_nothing(scale):
    G = _rng(3).standard_normal((6, 9)) + 0.5
    plain, scaled = fw.min_norm(G), fw.min_norm(scale * G)
    np.testing.assert_allclose(scaled.x / scale, plain.x, rtol=1e-6, atol=1e-9)
    assert scaled.success


def test_vectors_of_very_different_length():
    G = _rng(4).standard_normal((5, 30))
    G[2] *= 1e-8
    found = fw.min_norm(G)
    assert found.success
    assert found.norm <= np.linalg.norm(G[2])
    assert found.norm - found.lower_bound <= 1e-4 * found.norm


def test_zero_in_the_hull_is_found():
    G = np.vstack([np.eye(3), -np.eye(3)])
    found = fw.min_norm(G)
    assert found.norm <= 1e-9
    assert found.lower_bound <= found.norm
    assert fw.min_norm(np.zeros((3, 2))).norm == 0.0


def test_single_precision_keeps_its_type_and_sums_in_double():
    G = _rng(5).standard_normal((8, 100_000)).astype(np.float32)
    found = fw.min_norm(G)
    assert found.success
    assert found.x.dtype == np.float32
    double = fw.min_norm(G.astype(np.float64))
    np.testing.assert_allclose(found.weights, double.weights, atol=1e-12)


def test_a_tensor_stays_one():
    torch = pytest.importorskip("torch")
    G = torch.randn(4, 50, generator=torch.Generator().manual_seed(0), requires_grad=True)
    found = fw.min_norm(G)
    assert isinstance(found.x, torch.Tensor)
    assert found.norm == pytest.approx(fw.min_norm(G.detach().numpy()).norm, rel=1e-5)
    with pytest.raises(fw.InvalidInput, match="row for each vector"):
        fw.min_norm(torch.ones(3))


@pytest.mark.parametrize(
    ("G", "words"),
    [
        ([1.0, 2.0], "row for each vector"),
        (np.zeros((0, 3)), "row for each vector"),
        ([[1.0, np.inf]], "finite"),
        (np.ones((2001, 2)), "at most 2000 rows"),
    ],
)
def test_what_min_norm_refuses(G, words):
    with pytest.raises(fw.InvalidInput, match=words):
        fw.min_norm(G)


# quadratic_assignment


def _cost(A, B, p):
    return float((A * B[np.ix_(p, p)]).sum())


def _enumerated(A, B):
    return sorted(_cost(A, B, np.array(p)) for p in permutations(range(len(A))))


@pytest.mark.parametrize("n", [1, 2, 3, 6])
@pytest.mark.parametrize("maximize", [False, True])
def test_small_matchings_are_optimal_and_bounds_hold(n, maximize):
    A, B = _rng(n).standard_normal((2, n, n))
    found = fw.quadratic_assignment(A, B, maximize=maximize, restarts=30, rng=0)
    costs = _enumerated(A, B)
    best, sign = (costs[-1], -1.0) if maximize else (costs[0], 1.0)
    assert found.fun == pytest.approx(best)
    assert found.fun == pytest.approx(_cost(A, B, found.col_ind))
    assert sign * found.bound <= sign * best + 1e-9
    assert sorted(found.col_ind) == list(range(n))
    assert sign * found.fun == pytest.approx((sign * found.values).min())


def _instance(kind, n, rng):
    if kind == "random":
        A, B = rng.integers(0, 100, (2, n, n)).astype(float)
        return A + A.T, B + B.T
    if kind == "not symmetric":
        return tuple(rng.random((2, n, n)))
    side = np.array([(i, j) for i in range(5) for j in range(n // 5)], dtype=float)
    flows = rng.integers(0, 10, (n, n)) * (rng.random((n, n)) < 0.3)
    return np.abs(side[:, None] - side).sum(axis=2), (flows + flows.T).astype(float)


@pytest.mark.parametrize("kind", ["random", "not symmetric", "grid"])
def test_matchings_are_as_good_as_those_of_scipy(kind):
    rng = _rng(6)
    ours = theirs = 0.0
    for _ in range(8):
        A, B = _instance(kind, 20, rng)
        ours += fw.quadratic_assignment(A, B).fun
        theirs += scipy_assignment(A, B, options={"rng": _rng(0)}).fun  # it shuffles nodes
    assert ours <= 1.01 * theirs


def test_a_graph_is_found_in_itself():
    graph = nx.karate_club_graph()
    A = nx.to_numpy_array(graph, weight=None)
    order = _rng(7).permutation(len(A))
    B = A[order][:, order]
    found = fw.quadratic_assignment(A, B, maximize=True, restarts=20, rng=0)
    assert found.fun == A.sum()
    p = found.col_ind
    matched = nx.relabel_nodes(graph, dict(enumerate(p)))
    assert nx.utils.edges_equal(matched.edges, nx.from_numpy_array(B).edges)


def test_known_pairs_stay_and_help():
    rng = _rng(8)
    A = rng.random((30, 30))
    noise = 0.6 * rng.random((30, 30))
    order = rng.permutation(30)
    B = (A + noise)[order][:, order]
    right = np.argsort(order)
    seeds = np.column_stack([[3, 17, 5, 28], right[[3, 17, 5, 28]]])
    found = fw.quadratic_assignment(A, B, maximize=True, partial_match=seeds)
    assert (found.col_ind[seeds[:, 0]] == seeds[:, 1]).all()
    assert found.bound >= found.fun
    everything = np.column_stack([np.arange(30), right])
    fixed = fw.quadratic_assignment(A, B, maximize=True, partial_match=everything)
    assert (fixed.col_ind == right).all()
    assert fixed.fun == pytest.approx(_cost(A, B, right))
    almost = fw.quadratic_assignment(A, B, maximize=True, partial_match=everything[1:])
    assert (almost.col_ind == right).all()


def test_the_same_generator_gives_the_same_matching():
    A, B = _rng(9).random((2, 15, 15))
    first, second = (fw.quadratic_assignment(A, B, restarts=5, rng=3) for _ in range(2))
    assert (first.col_ind == second.col_ind).all()
    assert first.values.size == 6
    assert first.fun <= fw.quadratic_assignment(A, B).fun


def test_swaps_end_where_none_helps_and_the_bound_is_below():
    A, B, C = _rng(10).standard_normal((3, 7, 7))

    def cost(p):
        return _cost(A, B, p) + C[np.arange(7), p].sum()

    p, count = swapped(A, B, C, np.arange(7))
    assert cost(p) <= cost(np.arange(7))
    assert count > 0
    for i, j in combinations(range(7), 2):
        other = p.copy()
        other[[i, j]] = other[[j, i]]
        assert cost(other) >= cost(p) - 1e-9
    least = min(cost(np.array(q)) for q in permutations(range(7)))
    assert gilmore_lawler(A, B, C) <= least + 1e-9


def test_the_cost_of_pairs_as_a_function_of_a_matrix():
    rng = _rng(11)
    for symmetric in ("", "A", "B", "AB"):
        A, B, C = rng.standard_normal((3, 4, 4))
        A, B = (M + M.T if name in symmetric else M for name, M in (("A", A), ("B", B)))
        f, x, d = MatchingCost(A, B, C), rng.standard_normal(16), rng.standard_normal(16)
        P = x.reshape(4, 4)
        assert f(x) == pytest.approx(np.trace(A.T @ P @ B @ P.T) + (C * P).sum())
        slope = (f(x + 1e-5 * d) - f(x - 1e-5 * d)) / 2e-5
        assert f.grad(x) @ d == pytest.approx(slope, rel=1e-6)
        atom, image, dense = fw.Birkhoff(4).lmo(x), f.new_image(), f.new_image()
        f.image_of(atom, image)
        f.image(atom.dense(16), dense)
        np.testing.assert_allclose(image, dense, atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((np.ones((2, 3)), np.ones((2, 3))), {}, "A must be square"),
        ((np.eye(2), np.eye(3)), {}, "same shape"),
        ((np.eye(2), np.full((2, 2), np.nan)), {}, "B must be finite"),
        ((np.eye(2), np.eye(2)), {"restarts": -1}, "restarts"),
        ((np.eye(2), np.eye(2)), {"partial_match": [[0, 2]]}, "from 0 to 1"),
        ((np.eye(2), np.eye(2)), {"partial_match": [0, 1]}, "shape \\(m, 2\\)"),
        ((np.eye(2), np.eye(2)), {"partial_match": [[0, 1], [0, 0]]}, "at most once"),
    ],
)
def test_what_quadratic_assignment_refuses(arguments, options, words):
    with pytest.raises(fw.InvalidInput, match=words):
        fw.quadratic_assignment(*arguments, **options)


# enclosing_ball


@pytest.mark.parametrize(("n", "d"), [(1, 3), (2, 1), (5, 2), (60, 3), (30, 40)])
@pytest.mark.parametrize("kind", ["normal", "sphere"])
def test_the_ball_is_that_of_another_solver(n, d, kind):
    X = _rng(100 * n + d).standard_normal((n, d))
    if kind == "sphere":
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    ball = fw.enclosing_ball(X)
    c, r = cp.Variable((1, d)), cp.Variable()
    radius = _solved(cp.Minimize(r), [cp.norm(X - np.ones((n, 1)) @ c, 2, axis=1) <= r])
    assert ball.success
    assert ball.radius == pytest.approx(radius, abs=1e-5)
    assert ball.radius == pytest.approx(np.linalg.norm(X - ball.center, axis=1).max(), rel=1e-12)
    assert ball.radius * (1 - 1e-9) <= ball.lower_bound <= ball.radius
    np.testing.assert_allclose(ball.weights @ X[ball.support], ball.center, atol=1e-9)
    np.testing.assert_allclose(
        np.linalg.norm(X[ball.support] - ball.center, axis=1), ball.radius, rtol=1e-7
    )


def _of_pairs_and_triples(X):
    """The smallest circle among those through two points as a diameter, or through three."""
    best = np.inf
    for chosen in (*combinations(X, 2), *combinations(X, 3)):
        a = chosen[0]
        others = np.array(chosen[1:]) - a
        center = a + np.linalg.lstsq(2 * others, (others**2).sum(axis=1), rcond=None)[0]
        radius = np.linalg.norm(a - center)
        if (np.linalg.norm(X - center, axis=1) <= radius * (1 + 1e-9)).all():
            best = min(best, radius)
    return best


@pytest.mark.parametrize("seed", range(5))
def test_circles_by_enumeration(seed):
    X = _rng(seed).integers(0, 10, (9, 2)).astype(float)
    X = np.unique(X, axis=0)
    assert fw.enclosing_ball(X).radius == pytest.approx(_of_pairs_and_triples(X), rel=1e-8)


@pytest.mark.parametrize("scale", [1e-200, 1e-6, 1e6, 1e200])
def test_balls_of_any_scale_and_place(scale):
    X = _rng(12).standard_normal((50, 3))
    plain, scaled = fw.enclosing_ball(X), fw.enclosing_ball(scale * X)
    assert scaled.success
    assert scaled.radius / scale == pytest.approx(plain.radius, rel=1e-8)
    moved = fw.enclosing_ball(X + 1e6)
    assert moved.radius == pytest.approx(plain.radius, rel=1e-8)
    single = fw.enclosing_ball(X.astype(np.float32))
    assert single.radius == pytest.approx(plain.radius, rel=1e-6)


def test_balls_of_points_that_are_the_same_or_many_on_the_boundary():
    assert fw.enclosing_ball(np.ones((5, 2))).radius == 0.0
    grid = np.stack(np.meshgrid(*[np.arange(6.0)] * 3), axis=-1).reshape(-1, 3)
    assert fw.enclosing_ball(grid).radius == pytest.approx(2.5 * np.sqrt(3.0))
    angles = np.linspace(0.0, 2.0 * np.pi, 1000)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    ball = fw.enclosing_ball(circle)
    assert ball.success
    np.testing.assert_allclose(ball.center, 0.0, atol=1e-6)


@pytest.mark.parametrize("words", ["row for each point", "finite", "tol"])
def test_what_enclosing_ball_refuses(words):
    X = {"row for each point": [1.0, 2.0], "finite": [[np.nan]], "tol": [[1.0]]}[words]
    with pytest.raises(fw.InvalidInput, match=words):
        fw.enclosing_ball(X, tol=-1.0 if words == "tol" else 1e-9)


# optimal_design and enclosing_ellipsoid


@pytest.mark.parametrize("criterion", ["D", "A"])
@pytest.mark.parametrize(("n", "p"), [(1, 1), (6, 1), (30, 4)])
def test_the_design_is_that_of_another_solver(criterion, n, p):
    X = _rng(n).standard_normal((n, p)) + 0.3
    design = fw.optimal_design(X, criterion, tol=1e-8)
    w = cp.Variable(n, nonneg=True)
    M = X.T @ cp.diag(w) @ X
    goal = -cp.log_det(M) if criterion == "D" else cp.tr_inv(M)
    value = _solved(cp.Minimize(goal), [cp.sum(w) == 1])
    assert design.success
    assert design.fun == pytest.approx(value, rel=1e-5, abs=1e-5)
    assert design.fun - design.gap <= value + 1e-5
    assert 1 - 1e-8 <= design.efficiency <= 1.0
    assert design.weights.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(design.information, X.T @ (design.weights[:, None] * X))
    truth = (
        -np.linalg.slogdet(design.information)[1]
        if criterion == "D"
        else np.trace(np.linalg.inv(design.information))
    )
    assert design.fun == pytest.approx(truth, rel=1e-9)


def test_the_gap_is_that_of_kiefer_and_wolfowitz():
    X = _rng(13).standard_normal((200, 5))
    design = fw.optimal_design(X, max_iter=2)  # stopped early
    variance = np.einsum("ij,ij->i", X @ np.linalg.inv(design.information), X)
    assert design.gap == pytest.approx(max(variance.max() - 5.0, 0.0), abs=1e-9)
    best = fw.optimal_design(X)
    assert design.fun - best.fun <= design.gap + 1e-9
    assert best.fun == pytest.approx(fw.DOptimal(X)(best.weights), rel=1e-9)
    assert best.fun - best.gap <= fw.minimize(fw.DOptimal(X), fw.Simplex(), tol=1e-4).fun


def test_known_designs_and_other_coordinates():
    t = np.linspace(-1.0, 1.0, 41)
    X = np.column_stack([np.ones(41), t, t**2])
    design = fw.optimal_design(X, tol=1e-9)
    np.testing.assert_allclose(t[design.support], [-1.0, 0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(design.weights[design.support], 1 / 3, atol=1e-6)
    other = fw.optimal_design(X @ np.array([[1.0, 1e5, 0], [0, 1e6, 0], [0, 3.0, 1e-6]]), tol=1e-9)
    np.testing.assert_allclose(other.weights, design.weights, atol=1e-6)
    assert design.rounded(10).sum() == 10
    assert set(design.rounded(10)[design.support]) == {3, 4}
    with pytest.raises(fw.InvalidInput, match="at least 3"):
        design.rounded(2)


@pytest.mark.parametrize(
    ("X", "options", "words"),
    [
        ([[1.0, 1.0], [2.0, 2.0]], {}, "span all 2 dimensions, but they span 1"),
        ([[1.0, 2.0]], {}, "span all 2 dimensions"),
        (np.zeros((3, 1)), {}, "span"),
        (np.ones(3), {}, "row for each point"),
        (np.ones((3, 1)), {"criterion": "E"}, "criterion"),
    ],
)
def test_what_optimal_design_refuses(X, options, words):
    with pytest.raises(fw.InvalidInput, match=words):
        fw.optimal_design(X, **options)


@pytest.mark.parametrize("scales", [[1.0, 1.0, 1.0], [1.0, 1e5, 1e-5]])
def test_the_ellipsoid_is_that_of_another_solver(scales):
    points = _rng(14).standard_normal((40, 3)) + 2.0
    X = points * scales
    around = fw.enclosing_ellipsoid(X, tol=1e-9)
    assert around.success
    A, b = cp.Variable((3, 3), PSD=True), cp.Variable((1, 3))
    held = cp.norm(points @ A + np.ones((40, 1)) @ b, 2, axis=1) <= 1
    log_volume = -_solved(cp.Maximize(cp.log_det(A)), [held]) + np.log(4 / 3 * np.pi)
    log_volume += np.log(scales).sum()
    assert around.log_volume == pytest.approx(log_volume, abs=1e-4)
    assert around.lower_bound <= around.log_volume <= around.lower_bound + 1e-7
    apart = X - around.center
    inside = np.einsum("ij,ij->i", apart @ around.matrix, apart)
    assert inside.max() == pytest.approx(1.0, abs=1e-6)
    assert inside[around.support].min() > 1 - 1e-3
    volume = np.log(4 / 3 * np.pi) - 0.5 * np.linalg.slogdet(around.matrix)[1]
    assert around.log_volume == pytest.approx(volume, abs=1e-6)


def test_what_enclosing_ellipsoid_refuses():
    for X in ([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], [[0.0, 1.0], [1.0, 1.0]], np.ones((4, 2))):
        with pytest.raises(fw.InvalidInput, match="plane"):
            fw.enclosing_ellipsoid(X)


# herd


def _rbf(X, width):
    return np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / (2 * width**2))


def test_herding_is_frank_wolfe_with_steps_one_over_k():
    X = _rng(15).standard_normal((120, 2))
    found = fw.herd(X, 30)
    K = _rbf(X, found.bandwidth)
    f = fw.Quadratic(K, -K.mean(axis=0), convex=True)
    start = np.eye(120)[found.indices[0]]
    steps = fw.states(
        fw.Problem(f, fw.Simplex()), fw.frank_wolfe(fw.steps.OpenLoop(1.0, 1.0)), x0=start
    )
    for k, state in zip(range(30), steps, strict=False):
        shares = np.bincount(found.indices[: k + 1], minlength=120) / (k + 1)
        np.testing.assert_allclose(state.x, shares, atol=1e-12)
        assert found.mmd[k] == pytest.approx(np.sqrt(2 * state.value + K.mean()), abs=1e-9)
    assert found.indices[0] == K.mean(axis=0).argmax()


@pytest.mark.parametrize("weights", ["uniform", "corrective"])
def test_distances_of_embeddings_are_those_of_the_whole_matrix(weights):
    X = _rng(16).standard_normal((80, 3))
    target = _rng(17).random(80)
    found = fw.herd(X, 15, bandwidth=1.3, target=target, weights=weights)
    K, off = _rbf(X, 1.3), -target / target.sum()
    np.add.at(off, found.indices, found.weights)
    assert found.mmd[-1] == pytest.approx(np.sqrt(off @ K @ off), rel=1e-6)
    assert found.weights.sum() == pytest.approx(1.0)
    same = fw.herd(K, 15, kernel="precomputed", target=target, weights=weights)
    called = fw.herd(
        X, 15, target=target, weights=weights,
        kernel=lambda x, y: np.exp(-((x[:, None] - y) ** 2).sum(axis=2) / (2 * 1.3**2)),
    )  # fmt: skip
    for other in (same, called):
        np.testing.assert_allclose(other.mmd, found.mmd, rtol=1e-6, atol=1e-9)


def test_corrective_weights_are_the_best_for_their_points():
    X = _rng(18).standard_normal((100, 2))
    found = fw.herd(X, 12, weights="corrective")
    K = _rbf(X, found.bandwidth)
    w = cp.Variable(found.indices.size, nonneg=True)
    few = np.linalg.cholesky(K[np.ix_(found.indices, found.indices)] + 1e-12 * np.eye(w.size))
    goal = cp.sum_squares(few.T @ w) - 2 * K.mean(axis=0)[found.indices] @ w + K.mean()
    value = _solved(cp.Minimize(goal), [cp.sum(w) == 1])
    assert found.mmd[-1] ** 2 == pytest.approx(value, abs=1e-7)
    assert (np.diff(found.mmd) <= 1e-9).all()


def test_chosen_points_are_better_than_random_ones():
    rng = _rng(19)
    X = rng.standard_normal((500, 2))
    found = fw.herd(X, 40)
    K = _rbf(X, found.bandwidth)
    random = []
    for _ in range(20):
        off = np.full(500, -1 / 500)
        off[rng.choice(500, 40, replace=False)] += 1 / 40
        random.append(np.sqrt(off @ K @ off))
    assert found.mmd[-1] < 0.5 * min(random)
    assert fw.herd(X, 40, weights="corrective").mmd[-1] < 0.1 * found.mmd[-1]


def test_herds_of_one_point_and_of_points_that_are_the_same():
    assert fw.herd([[1.0, 2.0]], 3).mmd[-1] == pytest.approx(0.0, abs=1e-7)
    found = fw.herd(np.ones((4, 2)), 2, weights="corrective")
    assert found.mmd[-1] == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n": 0}, "n must be"),
        ({"kernel": "cosine"}, "kernel must be"),
        ({"kernel": "precomputed"}, "symmetric kernel matrix"),
        ({"kernel": lambda x, y: np.ones(3)}, "a row for each row of x"),
        ({"kernel": lambda x, y: np.full((len(x), len(y)), np.nan)}, "finite"),
        ({"kernel": lambda x, y: x @ y.T, "bandwidth": 1.0}, "bandwidth goes with"),
        ({"bandwidth": 0.0}, "bandwidth must be"),
        ({"target": [1.0]}, "target must have 4 entries"),
        ({"target": [1.0, -1.0, 0.0, 0.0]}, "target must be >= 0"),
        ({"weights": "best"}, "weights must be"),
    ],
)
def test_what_herd_refuses(options, words):
    with pytest.raises(fw.InvalidInput, match=words):
        fw.herd(np.arange(8.0).reshape(4, 2), **{"n": 2, **options})
