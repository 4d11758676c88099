"""Points that are returned lie in the region, up to what their precision can tell apart."""

import math

import numpy as np
import pytest
from conftest import points_of, region_examples, size

import frankwolfe as fw
from frankwolfe.objectives import OBJECTIVES

METHODS = (None, "frank_wolfe", "blended_pairwise", "jacobi_momentum", "second_order")
REGIONS = {
    "l1": lambda c, r, rng: fw.L1Ball(r, center=c),
    "l2": lambda c, r, rng: fw.L2Ball(r, center=c),
    "linf": lambda c, r, rng: fw.LInfBall(r, center=c),
    "lp": lambda c, r, rng: fw.LpBall(1.5, r, center=c),
    "box": lambda c, r, rng: fw.Box(c - r, c + r * rng.random(c.size)),
    "hull": lambda c, r, rng: fw.ConvexHull(c + r * rng.standard_normal((7, c.size))),
    "product": lambda c, r, rng: fw.Product([(fw.L2Ball(r, center=c[1:]), 4), (fw.Simplex(), 1)]),
}


def outside(region, x):
    """How far x may lie outside: what `Result.x` promises."""
    least = 1e-9 if x.dtype == np.float64 else 1e-4
    return max(100.0 * region.resolution(x.size, x.dtype), least)


@pytest.mark.parametrize("region", region_examples(), ids=repr)
def test_rounding_leads_out_by_no_more_than_the_resolution(region, rng):
    n = size(region)
    for dtype in (np.float32, np.float64):
        apart = region.resolution(n, dtype)
        assert apart <= 1e-5
        if isinstance(region, fw.regions.OracleRegion):
            continue  # it says inside or outside, no more
        for x in points_of(region, rng, 50):
            rounded = x.astype(dtype)
            assert region.violation(rounded) <= region.violation(x) + n * apart


@pytest.mark.parametrize("kind", REGIONS)
@pytest.mark.parametrize("far", [3.0, 1e3, 1e6, 1e9])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_from_zero_points_stay_in_the_region(kind, far, dtype, rng):
    A, b = rng.standard_normal((20, 5)).astype(dtype), rng.standard_normal(20).astype(dtype)
    c = 0.1 * far * np.sign(rng.standard_normal(5))
    region = REGIONS[kind](c, 0.1, rng)
    for method in METHODS:
        result = fw.minimize(fw.SquaredError(A, b), region, method=method, max_iter=60)
        assert region.violation(np.asarray(result.x, float)) <= outside(region, result.x)
        assert result.convex


def test_single_precision_is_kept_where_it_will_do(rng):
    A, b = rng.standard_normal((20, 5)).astype(np.float32), rng.standard_normal(20)
    f = fw.SquaredError(A, b)
    assert fw.minimize(f, fw.L2Ball(0.5)).x.dtype == np.float32
    assert fw.minimize(f, fw.L2Ball(0.5, center=np.ones(5))).x.dtype == np.float32
    for radius, center in ((0.1, np.full(5, 1e6)), (1e-60, None), (1e60, None)):
        assert fw.minimize(f, fw.L2Ball(radius, center=center)).x.dtype == np.float64


@pytest.mark.parametrize("region", [fw.L2Ball(1e-9, center=[1e9]), fw.LInfBall(1.6e308)], ids=repr)
def test_what_no_precision_tells_apart_is_refused(region):
    with pytest.raises(fw.InvalidInput, match="cannot be told apart in double precision"):
        fw.Problem(fw.SquaredError([[1.0]], [1.0]), region)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_in_double_precision_it_is_the_same_function(name, rng):
    f = OBJECTIVES[name].example(4, rng)
    wide = f.in_double()
    if wide is None:
        pytest.skip("a plain function, whatever it computes in")
    assert wide.dtype == np.float64
    x = 0.1 * rng.standard_normal(f.n)
    assert wide(x) == pytest.approx(f(x), rel=1e-12)
    np.testing.assert_allclose(wide.grad(x), f.grad(x), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("seed", range(8))
def test_a_hull_in_single_precision_is_not_called_non_convex(seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((30, 6)).astype(np.float32)
    points = 10.0 ** rng.uniform(-2, 2) * (rng.standard_normal((40, 6)) + 10.0 * rng.random(6))
    f = fw.SquaredError(A, rng.standard_normal(30).astype(np.float32))
    for hull in (fw.ConvexHull(points), fw.ConvexHull(points.astype(np.float32))):
        for method in (None, "pairwise", "frank_wolfe"):
            result = fw.minimize(f, hull, method=method, max_iter=300, tol=1e-9)
            assert result.convex
            assert math.isfinite(result.fun)


@pytest.mark.parametrize("far", [0.0, 1e2, 1e5])
@pytest.mark.parametrize("region", [fw.L1Ball(), fw.L2Ball(), fw.Simplex(), fw.Box()], ids=repr)
def test_the_unit_of_f_does_not_choose_the_precision(region, far, rng):
    A, b = rng.standard_normal((20, 5)) + far, rng.standard_normal(20)
    narrow, y = A.astype(np.float32), b.astype(np.float32)
    H = narrow.T @ narrow
    for make in (
        lambda c: fw.SquaredError(narrow, y).times(c),
        lambda c: fw.Logistic(narrow, np.sign(y)).times(c),
        lambda c: fw.Quadratic(np.float32(c) * H, np.float32(c) * y[:5]),
    ):
        kinds = {fw.Problem(make(2.0**k), region).objective.dtype for k in (-40, -20, 0, 20, 40)}
        assert len(kinds) == 1
        assert far or kinds == {np.dtype(np.float32)}
