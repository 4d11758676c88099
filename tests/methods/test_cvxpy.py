"""The default method against cvxpy."""

from __future__ import annotations

import numpy as np
import pytest
from programs import peers_value, program
from scipy.sparse import csr_array

import frankwolfe as fw

cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")

TIGHT = {"solver": "CLARABEL", "tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}
# Clarabel says so where rounding keeps it from 1e-10; its answer is then good to about 1e-9
ROUNDING = 1e-13  # of values of about 1, sums of 60 terms
pytestmark = pytest.mark.filterwarnings("ignore:Solution may be inaccurate")


def _problem(seed: int, n: int = 8, m: int = 60):
    """A random well-scaled objective, as ours and as a cvxpy expression."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((m, n))
    b = A @ rng.standard_normal(n) / np.sqrt(n) + 0.5 * rng.standard_normal(m)
    x = cp.Variable(n)
    kind = seed % 4
    if kind == 0:
        return fw.SquaredError(A, b), cp.sum_squares(A @ x - b) / (2 * m), x
    if kind == 1:
        terms = cp.logistic(cp.multiply(-np.sign(b), A @ x))
        return fw.Logistic(A, np.sign(b)), cp.sum(terms) / m, x
    if kind == 2:
        return fw.Huber(A, b, delta=0.5), cp.sum(cp.huber(A @ x - b, 0.5)) / m, x
    Q, c = A.T @ A / m, -A.T @ b / m
    return fw.Quadratic(Q, c), 0.5 * cp.quad_form(x, cp.psd_wrap(Q)) + c @ x, x


def _constraints(region: fw.Region, x):
    polytope = program(region, x.size)
    if polytope is not None:
        return polytope.constraints(cp, x)
    if isinstance(region, fw.Product):
        each = zip(region.regions, region.blocks, strict=True)
        return [line for part, block in each for line in _constraints(part, x[block])]
    if isinstance(region, fw.GroupBall):
        norms = [cp.norm(x[region.groups == k]) for k in range(region.count)]
        return [cp.sum(cp.hstack(norms)) <= region.radius]
    center = 0.0 if region.center is None else region.center
    return [cp.pnorm(x - center, region.p) <= region.radius]


def _compare(seed: int, region: fw.Region, accuracy: float) -> None:
    f, expression, x = _problem(seed)
    cp.Problem(cp.Minimize(expression), _constraints(region, x)).solve(**TIGHT)
    theirs = peers_value(f, region, x.value)
    result = fw.minimize(f, region, tol=accuracy / 100, max_iter=20_000)
    assert result.fun == pytest.approx(theirs, rel=accuracy)
    assert result.lower_bound <= theirs + ROUNDING
    assert region.contains(result.x)


# radii from well inside the unconstrained optimum's norm to well beyond it
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("p", [2.0, 1.5, 1.2])
def test_strongly_convex_balls_to_1e_8(seed, p):
    radius = (0.3, 0.7, 1.5, 5.0, 20.0)[seed % 5]
    region = fw.L2Ball(radius) if p == 2.0 else fw.LpBall(p, radius)
    _compare(seed, region, 1e-8)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    "region",
    [fw.L1Ball(1.0), fw.LInfBall(0.2), fw.Simplex(), fw.UnitSimplex(), fw.Box(-0.1, 0.3)],
    ids=repr,
)
def test_polytopes_to_1e_4(seed, region):
    _compare(seed, region, 1e-4)


@pytest.mark.parametrize("region", [fw.LpBall(3.0, 0.5), fw.L2Ball(0.5, center=0.1 * np.ones(8))])
def test_other_balls(region):
    for seed in range(4):
        _compare(seed, region, 1e-8)


def test_experiment_a_to_1e_8_and_its_certificate(breast_cancer):
    from frankwolfe.apps.paper.experiments import SETUPS, find

    optimum = find(SETUPS["a"], max_iter=5000)
    result = fw.minimize(breast_cancer, fw.L2Ball(50.0), tol=1e-10, max_iter=999)
    assert result.success
    assert result.gap <= 1e-10
    assert result.fun == pytest.approx(optimum.value, rel=1e-8)


def _hull(*, sparse: bool) -> fw.ConvexHull:
    rng = np.random.default_rng(3)
    points = 0.6 * rng.standard_normal((15, 8))
    return fw.ConvexHull(csr_array(points * (rng.random((15, 8)) < 0.4)) if sparse else points)


@pytest.mark.parametrize(
    ("region", "seed"),
    [
        (fw.KSparse(3, 0.3), 3),
        (fw.Hypersimplex(3, 0.4), 0),
        (fw.regions.UnitHypersimplex(3, 0.4), 3),
        (fw.Birkhoff(3), 1),
        (_hull(sparse=False), 1),
        (_hull(sparse=True), 2),
        (fw.GroupBall([0, 0, 0, 1, 1, 2, 2, 2], 1.0), 0),
        (fw.Product([(fw.Simplex(), 3), (fw.L2Ball(0.4), 5)]), 1),
        (fw.Product([(fw.Simplex(), 3), (fw.KSparse(2, 0.3), 5)]), 0),
    ],
    ids=str,
)
def test_other_regions_to_1e_6(region, seed):
    f, expression, x = _problem(seed, region.dimension or 8)
    cp.Problem(cp.Minimize(expression), _constraints(region, x)).solve(**TIGHT)
    theirs = peers_value(f, region, x.value)
    result = fw.minimize(f, region, method="afw", tol=fw.Gap(1e-6))
    assert result.success
    # ours is within 1e-6 by its gap, theirs within 1e-9
    assert result.fun == pytest.approx(theirs, rel=2e-6, abs=2e-6)
    assert result.lower_bound <= theirs + ROUNDING
    assert region.contains(result.x)


def test_a_region_given_by_a_function():
    def largest(g):  # of the l1 ball
        s = np.zeros(g.size)
        s[abs(g).argmax()] = -np.sign(g[abs(g).argmax()])
        return s

    f, expression, x = _problem(0)
    cp.Problem(cp.Minimize(expression), [cp.norm1(x) <= 1]).solve(**TIGHT)
    result = fw.minimize(f, fw.regions.OracleRegion(largest, n=8, polytope=True), tol=1e-6)
    assert result.success
    theirs = peers_value(f, fw.L1Ball(1.0), x.value)
    assert result.fun == pytest.approx(theirs, rel=2e-6, abs=2e-6)
