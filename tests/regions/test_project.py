"""Projections: every region that offers them, against the oracle and cvxpy."""

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import installed

import frankwolfe as fw
from frankwolfe.base.kernels import level as loops
from frankwolfe.methods.default import best_for
from frankwolfe.regions import REGIONS
from frankwolfe.subproblems.quadratics.birkhoff import assignment_bound, project_doubly_stochastic

N = 9
PROJECTING = [
    region
    for kind in REGIONS.values()
    if installed(kind)
    for region in kind.examples(N, np.random.default_rng(5))
    if region.projection is not None
]


def test_the_squared_distance_is_a_squared_error(rng):
    p = rng.standard_normal(N)
    f, g = fw.squared_distance(p), _distance(p)
    x = rng.standard_normal(N)
    assert f(x) == pytest.approx(g(x), rel=1e-15)
    np.testing.assert_array_equal(f.grad(x), g.grad(x))
    assert f.fingerprint() == g.fingerprint()
    assert f.smoothness == pytest.approx(1.0, rel=1e-6)
    result = fw.minimize(f, fw.L1Ball(1.0), method="away_step", tol=1e-10)
    np.testing.assert_allclose(result.x, fw.L1Ball(1.0).project(p).x, atol=1e-6)
    with pytest.raises(fw.InvalidInput, match="finite"):
        fw.squared_distance([np.nan, 1.0])


def _distance(p, reduction="sum"):
    return fw.SquaredError(sp.identity(p.size, format="csr", dtype=p.dtype), p, reduction=reduction)


@pytest.mark.parametrize("region", PROJECTING, ids=repr)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_oracle_finds_nothing_better(region, dtype, rng):
    n = region.dimension or N
    for scale in (1e-3, 0.3, 1.0, 30.0):
        p = (scale * rng.standard_normal(n)).astype(dtype)
        x = region.projection.project(p).x
        small = 1e-11 if dtype == np.float64 else 2e-5
        assert x.dtype == dtype
        assert region.violation(x) <= small
        g = (x - p).astype(np.float64)
        gap = float(g @ x) - region.lmo(g).dot(g)
        assert gap <= small * max(1.0, float(np.linalg.norm(g)) * region.diameter(n))


@pytest.mark.parametrize("region", PROJECTING, ids=repr)
def test_a_point_of_the_region_stays(region, rng):
    n = region.dimension or N
    x = np.mean([region.lmo(rng.standard_normal(n)).dense(n) for _ in range(4)], axis=0)
    np.testing.assert_allclose(region.projection.project(x).x, x, atol=1e-12)


@pytest.mark.parametrize("region", PROJECTING, ids=repr)
def test_the_default_is_certified_at_once_and_agrees_with_iterations(region, rng):
    p = rng.standard_normal(region.dimension or N)
    f = _distance(p, "mean")
    result = fw.minimize(f, region, tol=1e-10)
    assert (result.success, result.certified, result.nit) == (True, True, 0)
    other = fw.minimize(f, region, method="afw", tol=1e-5, max_iter=20_000)
    assert other.lower_bound <= result.fun + 1e-13
    assert result.lower_bound <= other.fun + 1e-13


def test_what_it_is_not_for_is_said(rng):
    p = rng.standard_normal(N)
    with pytest.raises(fw.InvalidInput, match="squared distance"):
        fw.minimize(fw.SquaredError(2.0 * np.eye(N), p), fw.Simplex(), method="projection")
    with pytest.raises(fw.InvalidInput, match="can project"):
        fw.minimize(_distance(p), fw.LpBall(3.0), method="projection")
    weighted = fw.SquaredError(sp.identity(N), p, sample_weight=rng.uniform(0.5, 1.5, N))
    assert weighted.distance_to() is None
    assert best_for(fw.Problem(weighted, fw.Simplex())).name != "nearest point"
    hull = fw.ConvexHull(np.eye(3))
    assert hull.projection is None
    with pytest.raises(fw.InvalidInput, match="x0 must lie"):
        fw.minimize(_distance(p), fw.Simplex(), method="projection", x0=np.ones(N))


@pytest.mark.parametrize("seed", range(30))
def test_level_gives_the_sum(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 200))
    p = rng.standard_normal(n) * 10.0 ** rng.integers(-6, 6)
    if seed % 3 == 0:
        p = np.round(p)  # ties
    for low, high, total in ((0.0, np.inf, 1.0), (0.0, 0.5, 0.3 * n), (-1.0, 1.0, 0.0)):
        t = loops.level(p, 0.0, low, high, total, float(rng.standard_normal()), np.empty(n))
        size = max(1.0, abs(total), float(np.abs(p).max()))
        assert abs(np.clip(p - t, low, high).sum() - total) <= 1e-13 * n * size


@pytest.mark.parametrize(("n", "scale"), [(1, 1.0), (2, 5.0), (30, 0.01), (30, 1.0), (40, 100.0)])
def test_nearest_doubly_stochastic_matrix(n, scale, rng):
    p = scale * rng.standard_normal((n, n))
    x, a = project_doubly_stochastic(p)
    assert fw.Birkhoff(n).violation(x.ravel()) <= 1e-13
    g = x - p
    cheapest = fw.Birkhoff(n).lmo(g.ravel()).dot(g.ravel())
    bound = assignment_bound(g, -a)
    tiny = 1e-12 * max(1.0, scale) * n
    assert bound <= cheapest + tiny
    assert float(np.sum(g * x)) - bound <= 10 * tiny


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
def test_nearest_doubly_stochastic_matrix_is_cvxpys(rng):
    cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    p = rng.standard_normal((8, 8))
    X = cp.Variable((8, 8), nonneg=True)
    cp.Problem(
        cp.Minimize(cp.sum_squares(X - p)), [cp.sum(X, axis=0) == 1, cp.sum(X, axis=1) == 1]
    ).solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    # |X - nearest|^2 is at most the error of the least square, 1e-11 of about 60
    np.testing.assert_allclose(project_doubly_stochastic(p)[0], X.value, atol=3e-5)


@pytest.mark.parametrize(
    ("region", "p", "expected"),
    [
        (fw.Simplex(), [1e17, -3.0, 2.0], [1.0, 0.0, 0.0]),
        (fw.Simplex(1e-14), [1e3, 0.0, 0.0], [1e-14, 0.0, 0.0]),
        (fw.L1Ball(1.0), [3e16, 1.0, -2.0], [1.0, 0.0, 0.0]),
        (fw.UnitSimplex(1.0), [3e16, 1.0, 2.0], [1.0, 0.0, 0.0]),
        (fw.Hypersimplex(2), [1e17, 5.0, 3.0, 1.0], [1.0, 1.0, 0.0, 0.0]),
    ],
    ids=repr,
)
def test_points_that_are_very_far_away(region, p, expected):
    result = fw.minimize(fw.squared_distance(p), region, method="projection", max_iter=1)
    np.testing.assert_allclose(result.x, expected, rtol=1e-12, atol=1e-30)
    assert region.contains(result.x)
