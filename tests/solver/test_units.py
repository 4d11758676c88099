"""The unit law: a run follows itself where f, x or A are in other units.

Units differ by powers of two, so that every product and sum of a run has the same digits: what is
not the same comes from a constant that has a unit.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import in_turn, method_examples, objective_examples, size, told_apart

import frankwolfe as fw
from frankwolfe.subproblems.nearest import nearest

RNG = np.random.default_rng(0)
A = RNG.standard_normal((30, 8))
B = 0.2 * A @ RNG.standard_normal(8) + 0.3 * RNG.standard_normal(30)
WEIGHTS = RNG.random(30) + 0.5
ROWS, COLUMNS = np.nonzero(RNG.random((7, 6)) < 0.6)
RATINGS = RNG.standard_normal(ROWS.size)
GROUPS = [0, 0, 0, 1, 1, 2, 2, 2]
POINTS = RNG.standard_normal((12, 8))


def _function(c, s):
    def value(x):
        r = A @ (x / s) - B
        return 0.5 * c * float(r @ r)

    return fw.Function(value, lambda x: c / s * (A.T @ (A @ (x / s) - B)), n=8)


def _weighted(kind, *rest) -> Callable[[float, float], fw.Objective]:
    return lambda c, s: kind(A / s, *rest, sample_weight=c * WEIGHTS, reduction="sum")


# f in units c, x in units s
PROBLEMS: dict[str, tuple[Callable[[float, float], fw.Objective], Callable[[float], fw.Region]]] = {
    "squares over l1": (_weighted(fw.SquaredError, B), lambda s: fw.L1Ball(0.8 * s)),
    "both scaled": (
        lambda c, s: fw.SquaredError(A * math.sqrt(c) / s, B * math.sqrt(c)),
        fw.UnitSimplex,
    ),
    "logistic over l2": (_weighted(fw.Logistic, np.sign(B)), lambda s: fw.L2Ball(0.8 * s)),
    "logistic over groups": (
        _weighted(fw.Logistic, np.sign(B)),
        lambda s: fw.GroupBall(GROUPS, 0.8 * s),
    ),
    "Huber over a hull": (_weighted(fw.Huber, B), lambda s: fw.ConvexHull(s * POINTS)),
    "squares over rows": (
        _weighted(fw.SquaredError, B),
        lambda s: fw.Polytope(
            np.vstack([np.eye(8), -np.eye(8), np.ones((1, 8))]), s * np.r_[np.ones(16), 1.5]
        ),
    ),
    "squares over lp": (_weighted(fw.SquaredError, B), lambda s: fw.LpBall(1.5, 0.7 * s)),
    "quadratic over a simplex": (
        lambda c, s: fw.Quadratic(c / s / s * (A.T @ A), c / s * B[:8]),
        lambda s: fw.Simplex(1.5 * s),
    ),
    "function over a box": (_function, lambda s: fw.Box(-0.25 * s, 0.5 * s)),
    "sparse data over hypersimplices": (
        lambda c, s: fw.SquaredError(
            sp.csr_array(A * (np.abs(A) > 0.5) / s), B, sample_weight=c * WEIGHTS, reduction="sum"
        ),
        lambda s: fw.KSparse(3, 0.8 * s),
    ),
    "distance to a product": (
        lambda c, s: fw.squared_distance(s * B[:8]).times(c / s / s),
        lambda s: fw.Product([(fw.Simplex(s), 5), (fw.L1Ball(0.1 * s), 3)]),
    ),
    "distance to a ball": (
        lambda c, s: fw.squared_distance(s * B[:8]).times(c / s / s),
        lambda s: fw.L1Ball(0.7 * s),
    ),
    "completion": (
        lambda c, s: fw.Completion(
            (ROWS, COLUMNS, s * RATINGS),
            shape=(7, 6),
            loss="squared",
            sample_weight=np.full(ROWS.size, c / s / s),
        ),
        lambda s: fw.NuclearBall(3.0 * s),
    ),
}
UNITS = ((2.0**-60, 1.0), (2.0**60, 1.0), (1.0, 2.0**-20), (1.0, 2.0**20))
FAR: tuple[tuple[float, float, list[int]], ...] = (  # and powers of rows
    (1.0, 1.0, [0, 0, 0]),
    (2.0**-200, 1.0, [0, 0, 0]),
    (2.0**40, 2.0**-40, [-200, 3, 200]),
    (1.0, 2.0**40, [0, 0, 0]),
    (2.0**-20, 2.0**-200, [40, 0, -40]),
)
SCALES = (2.0**-200, 2.0**-40, 2.0**40, 2.0**200)
METHODS = {None: None, **{n: m for n, m in method_examples().items() if not n.startswith("FW+")}}
DIGITS = 1e-9  # of what a method computes by roots and divisions of other libraries


def _assert_follows(run: fw.Result, base: fw.Result, c: float) -> None:
    """The same steps and the same end, in units c of f."""
    assert run.status is base.status, run.message
    assert run.nit == base.nit
    for column in ("value", "gap", "lower_bound"):
        mine, theirs = run.history[column] / c, base.history[column]
        size = np.abs(base.history["value"]).max()
        np.testing.assert_allclose(mine, theirs, rtol=DIGITS, atol=1e-13 * size, err_msg=column)
    assert run.certified == base.certified
    assert run.fun / c == pytest.approx(base.fun, rel=DIGITS)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_takes_the_same_steps_in_all_units(name):
    tried = 0
    for i, (make, region) in enumerate(PROBLEMS.values()):
        problem = fw.Problem(make(1.0, 1.0), region(1.0))
        if name is not None and METHODS[name].accepts(problem) is not None:
            continue
        options = {"method": METHODS[name], "tol": 1e-6, "max_iter": 25}
        base = fw.minimize(problem.objective, region(1.0), **options)
        for turn in {i % 4, (i + 2) % 4}:
            c, s = UNITS[turn]
            _assert_follows(fw.minimize(make(c, s), region(s), **options), base, c)
            tried += 1
    assert tried


@pytest.mark.parametrize("i", range(len(told_apart())), ids=lambda i: repr(told_apart()[i])[:40])
def test_the_default_takes_the_same_steps_in_all_units_of_f_over_every_region(i):
    region = told_apart()[i]
    f = next(
        f
        for j, f in enumerate(objective_examples(size(region)))
        if f.convex and hasattr(f, "weight") and in_turn(region, j, of=2)
    )
    options = {"max_iter": 25}
    base = fw.minimize(f, region, **options)
    for c in (2.0**-60, 2.0**60):
        _assert_follows(fw.minimize(f.times(c), region, **options), base, c)


def test_constrained_runs_end_with_the_same_answer_in_all_units():
    rows = np.eye(5)[:, np.arange(8) % 5]
    results = []
    for c, s in ((1.0, 1.0), *UNITS):
        f = fw.SquaredError(A / s, B, sample_weight=c * WEIGHTS, reduction="sum")
        limits = fw.Affine(rows, 0.05 * s, 0.4 * s)
        r = fw.minimize(f, fw.Simplex(s), subject_to=limits)
        assert r.success, r.message
        results.append((r.fun / c, r.gap / c, r.nit, r.infeasibility / s))
    for other in results[1:]:
        assert other == pytest.approx(results[0], rel=1e-6)


def _limits(region: fw.Region, shape, *, possible: bool) -> Callable[[float, list[int]], fw.Affine]:
    """An equation, a bound and a range through a point inside, in units s of x and some of rows.

    Where they are not `possible` the last one asks for more than any point has.
    """
    rng = np.random.default_rng(3)
    vertices = [region.lmo(g) for g in rng.standard_normal((12, *np.atleast_1d(shape)))]
    points = np.array(
        [np.outer(v.scale * v.u, v.v).ravel() if region.matrix else v.dense(8) for v in vertices]
    )
    rows = np.round(2.0 * rng.standard_normal((3, points.shape[1])), 1)
    at = points @ rows.T
    middle, span = rng.dirichlet(np.ones(12)) @ at, np.ptp(at, axis=0)
    lower, upper = middle - span * [0.0, np.inf, 0.05], middle + span * [0.0, 0.0, 0.1]
    if not possible:
        top = region.lmo((-rows[2]).reshape(shape)).dot(rows[2].reshape(shape))
        lower[2], upper[2] = top + 0.2 * span[2], np.inf

    def made(s: float, powers: list[int]) -> fw.Affine:
        units = np.ldexp(1.0, powers)
        return fw.Affine(units[:, None] * rows / s, units * lower, units * upper)

    return made


@pytest.mark.parametrize("possible", [True, False])
@pytest.mark.parametrize("name", PROBLEMS)
def test_runs_under_rows_take_the_same_steps_in_all_units(name, possible):
    make, region = PROBLEMS[name]
    limits = _limits(region(1.0), make(1.0, 1.0).shape, possible=possible)
    few = {"method": "frank_wolfe", "tol": 1e-2, "max_iter": 60}
    for options in ({}, {"tol": 1e-9}, few):
        runs = [
            (fw.minimize(make(c, s), region(s), subject_to=limits(s, powers), **options), c, s)
            for c, s, powers in FAR
        ]
        base, _, _ = runs[0]
        excluded = base.status is fw.Status.INFEASIBLE
        assert excluded is not possible or (options is few and not excluded)
        for run, c, s in runs[1:]:
            assert run.status is base.status, run.message
            assert run.nit == base.nit
            for mine, theirs in ((run.fun / c, base.fun), (run.lower_bound / c, base.lower_bound)):
                assert mine == pytest.approx(theirs, rel=DIGITS)
            mine, theirs = (getattr(x, "toarray", lambda x=x: x)() for x in (run.x, base.x))
            np.testing.assert_allclose(mine / s, theirs, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("method", [None, "afw", "pairwise"])
def test_rows_that_are_zero_where_a_run_begins_hold_as_well_in_all_units(method):
    target, row = np.array([1.5, 0.8, 0.3, 0.0]), [[0.0, 1.0, -0.5, 0.0]]
    for s in (1.0, *SCALES):
        f = fw.squared_distance(s * target).times(1.0 / s / s)
        rows = fw.Affine(row, 0.0)
        r = fw.minimize(f, fw.L1Ball(s), subject_to=rows, method=method, tol=1e-3, max_iter=5000)
        assert r.success, r.message
        assert r.infeasibility <= 2e-3 * s


@pytest.mark.parametrize("mean", 10.0 ** np.arange(0.0, 9.0))
@pytest.mark.parametrize("b", [B, np.zeros(30)])
def test_single_precision_is_kept_or_left_in_all_units_of_f(mean, b):
    f = fw.SquaredError((A + mean).astype(np.float32), b)
    kept = [
        fw.Problem(f.times(c), fw.L2Ball(0.7)).objective.dtype for c in (2.0**-60, 1.0, 2.0**60)
    ]
    assert len(set(kept)) == 1


@pytest.mark.parametrize("far", [0.0, 0.3, 3.0])
def test_the_point_of_a_hull_that_is_nearest_is_found_alike_in_all_units(far):
    def found(s):
        corners = s * POINTS
        return nearest(lambda g: corners[(corners @ g).argmin()], s * far * POINTS[0], corners[1])

    base = found(1.0)
    for s in SCALES:
        other = found(s)
        np.testing.assert_array_equal(other.x / s, base.x)
        assert (other.below / s, other.above / s) == (base.below, base.above)


@pytest.mark.parametrize("unit", [1.0, 1e-2, 1e-4, 1e6])
def test_a_portfolio_is_as_good_in_every_unit_of_returns(unit):
    rng = np.random.default_rng(7)
    returns = 0.01 * rng.standard_normal((250, 40)) @ (0.1 + rng.random((40, 40)))
    covariance = np.cov(returns.T)
    best = fw.minimize(fw.Quadratic(covariance), fw.Simplex(), tol=1e-12)
    for method in (None, "blended_pairwise", "away_step"):
        r = fw.minimize(fw.Quadratic(unit**2 * covariance), fw.Simplex(), method=method)
        assert r.success, r.message
        assert math.sqrt(r.fun / best.fun) / unit == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("constant", [1e3, 1e6, -1e6])
def test_a_constant_that_is_added_does_not_end_a_run_where_it_began(constant):
    f, plain = (fw.Quadratic(A.T @ A, -B[:8], constant=k) for k in (constant, 0.0))
    r, q = (fw.minimize(g, fw.Simplex(), tol=1e-4) for g in (f, plain))
    assert r.success
    fallen = plain(fw.Simplex().start(8)) - q.fun
    assert plain(r.x) - q.fun <= 1e-4 * 5 * max(fallen, 1e-12 * abs(constant))


def test_sums_of_squares_that_can_be_zero_converge():
    x = np.full(8, 1 / 8)
    for c in (1e-12, 1.0, 1e12):
        f = fw.SquaredError(c * A, c * (A @ x))
        for start in (None, x):
            r = fw.minimize(f, fw.Simplex(), x0=start)
            assert r.success, r.message
            assert f(r.x) <= 1e-8 * f(fw.Simplex().start(8))


def test_a_tolerance_in_the_units_of_f():
    f = fw.SquaredError(1e-3 * A, 1e-3 * B)
    assert fw.minimize(f, fw.L1Ball(1.0), tol=fw.Gap(1e-3)).nit == 0
    with pytest.raises(fw.InvalidInput, match="tol is a number"):
        fw.minimize(f, fw.Simplex(), tol=fw.Gap(1e-3), subject_to=fw.Affine(np.eye(8)[:1], 0, 1))


IN_X: dict[str, Callable[[float], fw.Region]] = {
    "lp 1.2": lambda s: fw.LpBall(1.2, 0.8 * s),
    "lp 3": lambda s: fw.LpBall(3.0, 0.8 * s),
    "lp 8": lambda s: fw.LpBall(8.0, 0.8 * s),
    "l2": lambda s: fw.L2Ball(0.5 * s, center=0.5 * s * B[:8]),
    "ellipsoid": lambda s: fw.Ellipsoid(np.diag(np.arange(1.0, 9.0)), radius=s),
    "groups": lambda s: fw.GroupBall(GROUPS, 0.8 * s),
    "box": lambda s: fw.Box(s * np.array([0, 0, 0.1, 0, 0, 0, -0.5, 0]), 0.1 * s),
    "product": lambda s: fw.Product([(fw.Simplex(s), 3), (fw.L2Ball(s), 5)]),
    "sum": lambda s: fw.MinkowskiSum([fw.Box(0.0, 0.3 * s), fw.L1Ball(0.5 * s)]),
    "sum of balls": lambda s: fw.MinkowskiSum([fw.GroupBall(GROUPS, s), fw.L2Ball(0.2 * s)]),
}


@pytest.mark.parametrize("name", IN_X)
@pytest.mark.parametrize("kind", [fw.SquaredError, fw.Huber, fw.Logistic])
def test_the_default_takes_the_same_steps_however_small_x_is(name, kind):
    y = np.sign(B) if kind is fw.Logistic else B
    base = fw.minimize(kind(A, y), IN_X[name](1.0), tol=1e-8, max_iter=300)
    for k in (-300, -150, -40, 40, 150, 300):
        s = 2.0**k
        r = fw.minimize(kind(A / s, y), IN_X[name](s), tol=1e-8, max_iter=300)
        _assert_follows(r, base, 1.0)
        np.testing.assert_allclose(r.x / s, base.x, rtol=1e-6, atol=1e-9)


FLAT_FACES: dict[str, Callable[[float], fw.Region]] = {
    **{name: IN_X[name] for name in ("groups", "box", "sum", "sum of balls")},
    "l1": lambda s: fw.L1Ball(0.8 * s),
    "linf": lambda s: fw.LInfBall(0.1 * s),
    "two hypersimplices": lambda s: fw.Product([(fw.KSparse(2, s), 4), (fw.Hypersimplex(2, s), 4)]),
    "capped": lambda s: fw.CappedSimplex(np.full(8, 0.3 * s), s),
}


@pytest.mark.parametrize("name", FLAT_FACES)
@pytest.mark.parametrize("kind", [fw.SquaredError, fw.Huber, fw.Logistic])
def test_a_second_derivative_may_be_as_small_as_numbers_are(name, kind):
    y = np.sign(B) if kind is fw.Logistic else B
    base = fw.minimize(kind(A, y), FLAT_FACES[name](1.0), tol=1e-8, max_iter=300)
    for c, s in ((2.0**-300, 2.0**330), (2.0**300, 2.0**-300)):
        r = fw.minimize(kind(A / s, y).times(c), FLAT_FACES[name](s), tol=1e-8, max_iter=300)
        _assert_follows(r, base, c)
        np.testing.assert_allclose(r.x / s, base.x, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("wrong", [0.0, 1e-6, 1e-4, 1e-2])
@pytest.mark.parametrize(
    "region",
    [
        fw.Simplex,
        fw.L1Ball,
        fw.L2Ball,
        lambda s: fw.Box(0.0, s),
        lambda s: fw.ConvexHull(s * POINTS),
    ],
)
def test_a_gradient_is_looked_at_in_the_same_way_in_all_units_of_x(region, wrong):
    factors = 1.0 + wrong * (np.arange(8) % 2)

    def seen(s):
        f = _function(1.0, s)
        try:
            r = fw.minimize(fw.Function(f.fun, lambda x: factors * f.jac(x), n=8), region(s),
                            max_iter=50)  # fmt: skip
        except fw.InvalidInput as error:
            return str(error).split(":")[0]
        return r.nit, r.nfev, r.convex

    assert len({seen(2.0**k) for k in (-60, -20, -3, 0, 3, 20, 60)}) == 1


@pytest.mark.parametrize("name", ["l1", "linf", "capped", "groups", "lp 3", "hull", "polytope"])
def test_constrained_runs_end_with_the_same_answer_however_small_x_is(name):
    make = {
        **FLAT_FACES,
        **IN_X,
        "hull": lambda s: fw.ConvexHull(s * POINTS),
        "polytope": lambda s: fw.Polytope([np.arange(1.0, 9.0)], [3.0 * s], bounds=(0.0, s)),
    }[name]
    C = np.random.default_rng(5).standard_normal((2, 8))
    middle = C @ make(1.0).middle(8)
    base = None
    for k in (0, -100, -40, 40, 100):
        s = 2.0**k
        rows = fw.Affine(C, s * (middle - 0.05), s * (middle + 0.02))
        r = fw.minimize(fw.SquaredError(A / s, B), make(s), subject_to=rows)
        base = base or r
        assert r.status is base.status, r.message
        assert r.nit == base.nit
        answer = r.fun, r.gap, r.infeasibility / s
        assert answer == pytest.approx(
            (base.fun, base.gap, base.infeasibility), rel=1e-6, abs=1e-14
        )
