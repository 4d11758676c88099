"""Norms, orders and shares: nearest points beside other solvers, sets that coincide, bad input."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, milp

import frankwolfe as fw
from frankwolfe import InvalidInput
from frankwolfe.core.double_double import Doubled
from frankwolfe.regions.kernels import isotonic
from frankwolfe.regions.kernels import tv_prox as taut
from frankwolfe.subproblems.kernels import water_filling as fill

SHARP = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}


def _inside(cp, region, x):
    """The region for cvxpy, from its definition."""
    n = x.size
    match region:
        case fw.regions.WeightedL1Ball():
            inside = [cp.norm1(cp.multiply(region.weights, x)) <= region.radius]
        case fw.OWLBall():
            steps = region.weights - np.append(region.weights[1:], 0.0)
            parts = [s * cp.sum_largest(cp.abs(x), k + 1) for k, s in enumerate(steps) if s > 0]
            inside = [sum(parts) <= region.radius]
        case fw.regions.TopKBall():
            inside = [cp.sum_largest(cp.abs(x), min(region.k, n)) <= region.radius]
        case fw.Ellipsoid():
            given = region._given
            A = given[0] if given[0].ndim == 2 else np.diag(given[0]) + given[1] @ given[1].T
            half = np.linalg.cholesky(A).T
            inside = [cp.norm2(half @ (x - region.center)) <= region.radius]
        case fw.regions.TVBall():
            inside = [cp.tv(x) <= region.radius, cp.abs(cp.sum(x)) <= n * region.level]
        case fw.regions.IsotonicBall():
            inside = [cp.diff(x) >= 0, cp.norm2(x) <= region.radius]
        case fw.CappedSimplex():
            inside = [x >= 0, x <= region.upper, cp.sum(x) == region.total]
        case fw.Permutahedron():
            P = cp.Variable((n, n), nonneg=True)
            inside = [cp.sum(P, axis=0) == 1, cp.sum(P, axis=1) == 1, x == P @ region.values]
        case fw.KSupportBall():  # |x|^2 = min of the sum of x_i^2 / t_i, 0 <= t <= 1, sum t = k
            t, q = cp.Variable(n), cp.Variable(n)
            cones = [cp.quad_over_lin(x[i], t[i]) <= q[i] for i in range(n)]
            inside = [*cones, cp.sum(q) <= region.radius**2, t <= 1, cp.sum(t) <= region.k]
        case _:
            raise NotImplementedError(region)
    return inside


PROJECTING = [
    region
    for kind in (
        *(
            fw.regions.WeightedL1Ball,
            fw.OWLBall,
            fw.regions.TopKBall,
            fw.KSupportBall,
            fw.Ellipsoid,
        ),
        *(fw.regions.TVBall, fw.regions.IsotonicBall, fw.CappedSimplex, fw.Permutahedron),
    )
    for region in kind.examples(8, np.random.default_rng(5))
]


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
@pytest.mark.parametrize("region", PROJECTING, ids=repr)
def test_nearest_points_are_cvxpys(region, rng):
    cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    for scale in (0.3, 3.0):
        p = scale * rng.standard_normal(8)
        x = cp.Variable(8)
        problem = cp.Problem(cp.Minimize(cp.sum_squares(x - p)), _inside(cp, region, x))
        problem.solve(solver="CLARABEL", **SHARP)
        # |x - nearest|^2 is at most the error of the least square
        np.testing.assert_allclose(region.project(p).x, x.value, atol=1e-4)
        assert np.sum((region.project(p).x - p) ** 2) <= problem.value + 1e-7


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
@pytest.mark.parametrize("seed", range(12))
def test_the_latent_norm_lies_between_its_bounds(seed):
    cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    rng = np.random.default_rng(seed)
    n, count = 7, 6
    groups = [np.flatnonzero(rng.random(n) < 0.5) for _ in range(count)]
    groups = [*(g for g in groups if g.size), np.arange(n)]
    weights = rng.uniform(0.5, 2.0, len(groups)) * np.sqrt([g.size for g in groups])
    ball = fw.regions.LatentGroupBall(groups, 1.0, weights)
    x = rng.standard_normal(n) * (rng.random(n) < 0.7)
    x[seed % n] = 1.0
    parts = [cp.Variable(g.size) for g in groups]
    whole = sum(np.eye(n)[:, g] @ v for g, v in zip(groups, parts, strict=True))
    norm = sum(w * cp.norm2(v) for w, v in zip(weights, parts, strict=True))
    value = cp.Problem(cp.Minimize(norm), [whole == x]).solve(solver="CLARABEL", **SHARP)
    low, high = ball.norm(x)
    assert high - low <= 1e-12 * high
    assert low == pytest.approx(value, rel=1e-7)
    assert fw.regions.LatentGroupBall(groups, high * (1 + 1e-9), weights).contains(x, 1e-12)
    assert not fw.regions.LatentGroupBall(groups, low * (1 - 1e-9), weights).contains(x, 1e-12)


def test_many_groups_have_bounds_too(monkeypatch, rng):
    ball, x = fw.regions.LatentGroupBall([[j, j + 1] for j in range(9)]), rng.standard_normal(10)
    exact = ball.norm(x)
    monkeypatch.setattr("frankwolfe.regions.groups.latent_norm.MAX_NEWTON_GROUPS", 3)
    low, high = ball.norm(x)
    assert low <= exact.high
    assert exact.low <= high <= exact.high * (1 + 1e-3)
    assert ball.norm(np.zeros(10)) == (0.0, 0.0)
    assert ball.norm(np.r_[1e-300, 1.0, np.zeros(8)]).high == pytest.approx(1.0)


def test_a_point_outside_a_latent_ball_is_drawn_back(rng):
    ball = fw.regions.LatentGroupBall([[0, 1, 2], [2, 3]], 1.5)
    x = ball.lmo(rng.standard_normal(4)).dense(4)
    assert ball.inside(x) is x
    assert ball.violation(ball.inside((1.0 + 1e-6) * x)) <= 1e-12


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (fw.regions.WeightedL1Ball(np.ones(5), 1.3), fw.L1Ball(1.3)),
        (fw.regions.WeightedLInfBall(np.ones(5), 1.3), fw.LInfBall(1.3)),
        (
            fw.regions.WeightedLInfBall([1, 2, 4, 1, 1], 2.0),
            fw.Box([-2, -1, -0.5, -2, -2], [2, 1, 0.5, 2, 2]),
        ),
        (fw.OWLBall(np.ones(5), 1.3), fw.L1Ball(1.3)),
        (fw.OWLBall([1, 0, 0, 0, 0], 1.3), fw.LInfBall(1.3)),
        (fw.OWLBall([1, 1, 0, 0, 0], 1.3), fw.regions.TopKBall(2, 1.3)),
        (fw.KSupportBall(1, 1.3), fw.L1Ball(1.3)),
        (fw.KSupportBall(5, 1.3), fw.L2Ball(1.3)),
        (fw.KSupportBall(9, 1.3), fw.L2Ball(1.3)),
        (fw.regions.TopKBall(1, 1.3), fw.LInfBall(1.3)),
        (fw.regions.TopKBall(5, 1.3), fw.L1Ball(1.3)),
        (fw.Ellipsoid(diagonal=np.ones(5), radius=1.3), fw.L2Ball(1.3)),
        (fw.Ellipsoid(np.eye(5), center=np.ones(5)), fw.L2Ball(1.0, center=np.ones(5))),
        (
            fw.regions.LatentGroupBall([[0, 1], [2], [3, 4]], 1.3),
            fw.GroupBall([0, 0, 1, 2, 2], 1.3),
        ),
        (fw.regions.LatentGroupBall([[0, 1, 2, 3, 4]], 1.3), fw.L2Ball(1.3)),
        (fw.Permutahedron([1, 0, 0, 0, 0]), fw.Simplex()),
        (fw.Permutahedron([0, 2, 0, 2, 0]), fw.Hypersimplex(2, 2.0)),
        (fw.CappedSimplex(np.inf, 1.3), fw.Simplex(1.3)),
        (fw.CappedSimplex(0.5, 1.0), fw.Hypersimplex(2, 0.5)),
        (fw.CappedSimplex(np.full(5, 0.5), 1.0), fw.Hypersimplex(2, 0.5)),
    ],
    ids=repr,
)
def test_sets_that_coincide(one, other, rng):
    assert one.diameter(5) == pytest.approx(other.diameter(5), rel=1e-12)
    assert one.polytope <= other.polytope
    for g in rng.standard_normal((20, 5)):
        np.testing.assert_allclose(one.lmo(g).dense(5), other.lmo(g).dense(5), atol=1e-14)
        assert one.contains(g) == other.contains(g)
        assert one.reach(np.abs(g), 5) == pytest.approx(other.reach(np.abs(g), 5), rel=1e-12)
        if one.projection is not None and other.projection is not None:
            np.testing.assert_allclose(one.project(g).x, other.project(g).x, atol=1e-12)


@pytest.mark.parametrize("n", [3, 8])
def test_the_shapes_of_one_ellipsoid_agree(n, rng):
    d, U, center = rng.uniform(0.5, 2.0, n), 5.0 * rng.standard_normal((n, 2)), np.arange(n)
    few = fw.Ellipsoid(diagonal=d, factor=U, center=center, radius=1.4)
    full = fw.Ellipsoid(np.diag(d) + U @ U.T, center=center, radius=1.4)
    least = np.linalg.eigvalsh(np.diag(d) + U @ U.T)[0]
    assert few.diameter(n) == pytest.approx(2.8 / np.sqrt(least), rel=1e-9)
    assert full.diameter(n) == pytest.approx(2.8 / np.sqrt(least), rel=1e-9)
    H = np.cov(rng.standard_normal((n, 4 * n)))
    for g in rng.standard_normal((10, n)):
        np.testing.assert_allclose(few.lmo(g).dense(n), full.lmo(g).dense(n), atol=1e-9)
        np.testing.assert_allclose(few.project(3 * g).x, full.project(3 * g).x, atol=1e-9)
        assert few.violation(g) == pytest.approx(full.violation(g), rel=1e-9)
        x = full.lmo(-g).dense(n)
        steps = few.quadratic_step(H, g, x), full.quadratic_step(H, g, x)
        np.testing.assert_allclose(*steps, atol=1e-7)


def test_an_ellipsoid_of_any_shape_is_followed_inside(rng):
    A = rng.standard_normal((30, 6)) * np.geomspace(1.0, 1e-3, 6)
    f = fw.SquaredError(A, rng.standard_normal(30))
    for region in fw.Ellipsoid.examples(6, rng):
        one = fw.minimize(f, region, method="interior_point", tol=1e-8)
        other = fw.minimize(f, region, tol=1e-8)
        assert one.success
        assert one.fun == pytest.approx(other.fun, rel=1e-7)


def _program_over(region, cost):
    """The largest distance between two points, by integer choices: too hard to do otherwise."""
    n = region.dimension
    signs = LinearConstraint(np.hstack([np.eye(n), np.eye(n)]), 0, 1)  # a place goes one way
    caps = np.concatenate([region.upper, region.upper])
    swap = min(region.total, region.upper.sum() - region.total)
    ways = np.concatenate([np.ones(n), np.zeros(n)]) * caps
    other = np.concatenate([np.zeros(n), np.ones(n)]) * caps
    sums = LinearConstraint(np.vstack([ways, other, ways - other]), [0, 0, 0], [swap, swap, 0])
    best = milp(-(cost**2), constraints=[signs, sums], integrality=np.ones(2 * n))
    return np.sqrt(-best.fun)


@pytest.mark.parametrize("seed", range(5))
def test_the_diameter_of_a_capped_simplex_is_bounded(seed):
    rng = np.random.default_rng(seed)
    upper = rng.integers(1, 5, 8).astype(float)
    region = fw.CappedSimplex(upper, float(np.floor(0.4 * upper.sum())))
    exact = _program_over(region, np.tile(upper, 2))  # of points with all entries on a bound
    assert exact <= region.diameter(8) * (1 + 1e-9)
    assert region.diameter(8) <= 1.5 * exact


@pytest.mark.parametrize(("upper", "total"), [(0.4, 1.0), (0.4, 1.8), (1.0, 2.5), (0.25, 1.2)])
def test_the_diameter_with_one_limit_is_exact(upper, total, rng):
    region = fw.CappedSimplex(upper, total)
    points = [region.lmo(g).dense(5) for g in rng.standard_normal((3000, 5))]
    apart = max(np.linalg.norm(a - b) for a in points[:300] for b in points[::10])
    assert apart <= region.diameter(5) * (1 + 1e-12)
    assert apart == pytest.approx(region.diameter(5), rel=1e-9)


def test_monotone_fits_are_scipys(rng):
    from scipy.optimize import isotonic_regression

    for n in (1, 2, 7, 1000):
        for y in (rng.standard_normal(n), np.round(rng.standard_normal(n)), np.arange(n, 0.0, -1)):
            out = np.empty(n)
            isotonic.isotonic(y, out, np.empty(n, dtype=np.int64))
            np.testing.assert_allclose(out, isotonic_regression(y).x, atol=1e-13)


def test_the_taut_string_has_the_conditions_of_a_minimizer(rng):
    for n in (1, 2, 3, 10, 200):
        for y in (rng.standard_normal(n), np.round(2 * rng.standard_normal(n)), np.zeros(n)):
            for level in (0.01, 0.5, 3.0, 1e3):
                x = np.empty(n)
                room = np.empty((2, n), dtype=np.int64)
                taut.least_variation(y, level, x, *room)
                dual = np.cumsum(y - x)[:-1]  # between -level and level, at the ends where x jumps
                assert np.abs(dual).max(initial=0.0) <= level + 1e-10
                steps = np.diff(x)
                jumps = np.abs(steps) > 1e-9
                np.testing.assert_allclose(dual[jumps], -level * np.sign(steps[jumps]), atol=1e-9)
                assert x.sum() == pytest.approx(y.sum(), abs=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_the_threshold_is_where_the_sum_is_reached(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 300))
    values, bounds = np.round(3 * rng.standard_normal(n)), rng.uniform(0.1, 1.0, n)
    for share in (1e-9, 0.3, 0.999):
        at = fill.threshold(values.copy(), bounds.copy(), share * bounds.sum())
        assert bounds[values < at].sum() < share * bounds.sum() <= bounds[values <= at].sum()
    assert fill.threshold(values.copy(), bounds.copy(), 1.1 * bounds.sum()) == values.max()


@pytest.mark.parametrize(
    ("region", "p", "expected"),
    [
        (fw.regions.WeightedL1Ball([1.0, 2.0, 1.0]), [3e16, 1.0, -2.0], [1.0, 0.0, 0.0]),
        (fw.CappedSimplex(np.ones(4), 2.0), [1e17, 5.0, 3.0, 1.0], [1.0, 1.0, 0.0, 0.0]),
        (fw.CappedSimplex(np.inf, 1e-14), [1e3, 0.0, 0.0], [1e-14, 0.0, 0.0]),
        (fw.Permutahedron([1.0, 2.0, 3.0]), [1e9, 0.0, 1.0], [3.0, 1.0, 2.0]),
        (fw.KSupportBall(2, 1.0), [0.0, 1e200, 0.0], [0.0, 1.0, 0.0]),
        (fw.OWLBall([2.0, 1.0, 1.0]), [1e12, 0.0, -1.0], [0.5, 0.0, 0.0]),
    ],
    ids=repr,
)
def test_points_that_are_very_far_away(region, p, expected):
    found = region.project(np.array(p)).x
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert region.contains(found)


def test_a_weighted_ball_takes_the_working_set_method(rng):
    A, w = rng.standard_normal((60, 200)), rng.uniform(0.2, 5.0, 200)
    f = fw.SquaredError(A, A[:, :5].sum(axis=1))
    result = fw.minimize(f, fw.regions.WeightedL1Ball(w, 3.0), tol=1e-10)
    assert result.success
    assert result.nit < 15
    scaled = fw.minimize(fw.SquaredError(A / w, f.b), fw.L1Ball(3.0), tol=1e-10)
    np.testing.assert_allclose(result.x, scaled.x / w, atol=1e-4)


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1e200, 1e307])
def test_gradients_of_any_size_have_atoms(scale, rng):
    signs = np.sign(rng.standard_normal(6))
    kinds = (
        fw.Ellipsoid,
        fw.regions.IsotonicBall,
        fw.KSupportBall,
        fw.regions.LatentGroupBall,
        fw.regions.TVBall,
    )
    for region in (region for kind in kinds for region in kind.examples(6, rng)):
        with np.errstate(over="ignore", under="ignore"):
            atom = region.lmo(scale * signs).dense(6)
        assert region.violation(atom) <= 1e-12
        assert atom @ signs == pytest.approx(region.lmo(signs).dot(signs), rel=1e-9)


def test_a_large_oracle_is_right(rng):
    n = 50_000  # longer than what a heap is for
    g, w = rng.standard_normal(n), np.linspace(2.0, 0.1, n)
    sizes = np.sort(np.abs(g))[::-1]
    assert fw.OWLBall(w).lmo(g).dot(g) == pytest.approx(-(sizes.cumsum() / w.cumsum()).max())
    for k in (3, 20_000):
        atom = fw.KSupportBall(k).lmo(g)
        assert atom.dot(g) == pytest.approx(-np.linalg.norm(sizes[:k]), rel=1e-12)
        assert (np.diff(atom.indices) > 0).all()


def _exactly(region, g):
    """The least <g, s> in exact arithmetic."""
    sizes = sorted((abs(v) for v in g), reverse=True)
    match region:
        case fw.regions.WeightedL1Ball():
            pairs = zip(g, region.weights.tolist(), strict=True)
            return -Fraction(region.radius) * max(abs(v) / Fraction(w) for v, w in pairs)
        case fw.regions.TopKBall():
            return -Fraction(region.radius) * max(sizes[0], sum(sizes) / region.k)
        case fw.Permutahedron():
            return sum(v * Fraction(u) for v, u in zip(sorted(g), region.values, strict=True))
    left, total = Fraction(region.total), Fraction(0)
    for v, u in sorted(zip(g, region.upper.tolist(), strict=True)):
        total, left = total + v * min(left, Fraction(u)), left - min(left, Fraction(u))
    return total


@pytest.mark.parametrize("seed", range(40))
def test_proofs_hold_in_exact_arithmetic(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    high = np.round(rng.standard_normal(n), seed % 3) * 10.0 ** rng.integers(-9, 10)
    low = high * rng.uniform(-1.0, 1.0, n) * 2.0**-54
    error = np.abs(high) * 2.0**-100 * (seed % 2)
    g = Doubled(high, low, error)
    moved = error * rng.uniform(-1.0, 1.0, n)
    true = [
        Fraction(a) + Fraction(b) + Fraction(c) for a, b, c in zip(high, low, moved, strict=True)
    ]
    upper = rng.uniform(0.1, 1.0, n)
    for region in (
        fw.regions.WeightedL1Ball(rng.uniform(0.1, 9.0, n), 1.7),
        *(fw.regions.TopKBall(1, 0.3), fw.regions.TopKBall(3, 0.3)),
        fw.Permutahedron(rng.standard_normal(n)),
        fw.CappedSimplex(upper, float(rng.uniform(0.1, 0.99) * upper.sum())),
    ):
        bound, exact = region.least(g), _exactly(region, true)
        assert bound <= exact
        assert exact - bound <= 1e-25 * region.reach(np.abs(high), n) + 1e-250


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fw.regions.WeightedL1Ball([]), "weights must be a non-empty vector"),
        (lambda: fw.regions.WeightedL1Ball([1.0, 0.0]), "weights must be > 0 .* entry 1 is not"),
        (lambda: fw.regions.WeightedL1Ball([1.0, np.nan]), "weights must be finite"),
        (lambda: fw.regions.WeightedL1Ball([1.0], -1.0), "radius must be a finite number > 0"),
        (lambda: fw.regions.WeightedL1Ball([1e-320], 1e10), "scale the weights"),
        (lambda: fw.regions.WeightedL1Ball([1.0]).lmo(np.ones(2)), "g must have 1 entries, got 2"),
        (lambda: fw.regions.WeightedLInfBall([-1.0]), "weights must be > 0"),
        (lambda: fw.regions.WeightedLInfBall([[1.0]]), "weights must be a non-empty vector"),
        (lambda: fw.OWLBall([1.0, 2.0]), "weights must not rise"),
        (lambda: fw.OWLBall([0.0, 0.0]), "the first > 0"),
        (lambda: fw.OWLBall([1.0, -1.0]), "must not rise, and be >= 0"),
        (lambda: fw.OWLBall([1.0, 0.5], 0.0), "radius"),
        (lambda: fw.KSupportBall(0), "k must be a whole number >= 1"),
        (lambda: fw.KSupportBall(2, np.inf), "radius"),
        (lambda: fw.regions.TopKBall(1.5), "k must be a whole number >= 1"),
        (lambda: fw.regions.TopKBall(2, 0.0), "radius"),
        (fw.Ellipsoid, "pass either matrix or diagonal"),
        (lambda: fw.Ellipsoid(np.eye(2), diagonal=[1.0, 1.0]), "pass either matrix or diagonal"),
        (lambda: fw.Ellipsoid(np.eye(2), factor=np.ones((2, 1))), "pass diagonal instead"),
        (lambda: fw.Ellipsoid(np.ones((2, 3))), r"square and not empty, got shape \(2, 3\)"),
        (lambda: fw.Ellipsoid([[1.0, np.inf], [0.0, 1.0]]), "matrix must be finite"),
        (lambda: fw.Ellipsoid([[1.0, 1.0], [0.0, 1.0]]), "matrix must be symmetric"),
        (lambda: fw.Ellipsoid([[1.0, 1.0], [1.0, 1.0]]), "matrix must be positive definite"),
        (lambda: fw.Ellipsoid(diagonal=[1.0, -1.0]), "diagonal must be > 0"),
        (lambda: fw.Ellipsoid(diagonal=[1.0], factor=[[1.0], [2.0]]), "a matrix with 1 rows"),
        (lambda: fw.Ellipsoid(diagonal=[1.0], factor=[[np.nan]]), "factor must be finite"),
        (lambda: fw.Ellipsoid(diagonal=[1.0], center=[1.0, 2.0]), "center must have 1 entries"),
        (lambda: fw.Ellipsoid(diagonal=[1.0], radius=0.0), "radius"),
        (lambda: fw.regions.TVBall(0.0), "radius"),
        (lambda: fw.regions.TVBall(1.0, 0.0), "level must be a finite number > 0"),
        (lambda: fw.regions.LatentGroupBall([]), "groups must be lists .* got none"),
        (lambda: fw.regions.LatentGroupBall(3), "groups must be lists .* got int"),
        (lambda: fw.regions.LatentGroupBall([[0], []]), "group 1 is not"),
        (lambda: fw.regions.LatentGroupBall([[0.5]]), "group 0 is not"),
        (lambda: fw.regions.LatentGroupBall([[0, 0]]), "one twice"),
        (lambda: fw.regions.LatentGroupBall([[-1, 0]]), "a place < 0"),
        (
            lambda: fw.regions.LatentGroupBall([[0, 2]]),
            "every variable must be in a group, but 1 is in",
        ),
        (
            lambda: fw.regions.LatentGroupBall([[0]], weights=[1.0, 2.0]),
            "one entry for each of the 1",
        ),
        (lambda: fw.regions.LatentGroupBall([[0]], weights=[0.0]), "weights must be > 0"),
        (lambda: fw.Permutahedron([]), "values must be a non-empty vector"),
        (lambda: fw.Permutahedron([1.0, np.inf]), "values must be finite"),
        (lambda: fw.CappedSimplex(0.5, 0.0), "total must be a finite number > 0"),
        (lambda: fw.CappedSimplex([0.5, 0.0]), "upper must be > 0"),
        (lambda: fw.CappedSimplex([0.5, np.nan]), "upper must be > 0"),
        (lambda: fw.CappedSimplex([[0.5]]), "a number or a vector, got shape"),
        (lambda: fw.CappedSimplex([0.5, 0.4]), "limits sum to 0.9, which is less than the total 1"),
        (lambda: fw.CappedSimplex(0.1).lmo(np.ones(5)), "limits sum to 0.5"),
        (lambda: fw.regions.IsotonicBall(-1.0), "radius"),
    ],
)
def test_bad_input_gets_one_sentence(make, words):
    with pytest.raises(InvalidInput, match=words) as caught:
        make()
    assert str(caught.value).count("\n") == 0
    assert str(caught.value).endswith(".")
