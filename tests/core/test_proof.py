"""Proofs against exact arithmetic: no interval without the true value, and none too wide."""

from __future__ import annotations

import pickle
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from conftest import nightly
from exact import (
    ExactLoss,
    ExactQuadratic,
    dot,
    fractions,
    huber,
    least,
    logistic,
    poisson,
    spacing,
    squared,
)
from scipy import sparse

import frankwolfe as fw
from frankwolfe.core.double_double import exact
from frankwolfe.core.exact_norms import norm_above
from frankwolfe.core.rounding import rounding_at

PROBLEMS, AT_ONCE = 1000, 50
FORMS = (np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array)


def data(rng):
    """A small matrix: plain, with columns of many scales, far from zero, or single precision."""
    m, n = int(rng.integers(2, 9)), int(rng.integers(2, 7))
    A = rng.standard_normal((m, n))
    kind = rng.integers(4)
    if kind == 1:
        A *= 10.0 ** rng.uniform(-8, 8, n)
    if kind == 2:
        A += 10.0 ** rng.uniform(0, 8)
    if kind == 3:
        A *= 10.0 ** rng.uniform(-8, 8)
    return A.astype(np.float32 if rng.random() < 0.2 else np.float64)


def objective(rng):  # noqa: PLR0911
    """A loss, and the same in exact arithmetic."""
    A = data(rng)
    m, n = A.shape
    given, share = FORMS[rng.integers(4)](A), [Fraction(1, m)] * m
    b = rng.standard_normal(m) * 10.0 ** rng.uniform(-3, 3)
    delta, q = 10.0 ** rng.uniform(-2, 1), float(rng.uniform(0.1, 0.9))
    kind = rng.integers(7)
    if kind == 0:
        f = fw.SquaredError(given, b)
        return f, ExactLoss(A, f.b, share, squared)
    if kind == 1:
        f = fw.Huber(given, b, delta=delta)
        return f, ExactLoss(A, f.b, share, huber(Fraction(delta), Fraction(delta)))
    if kind == 2:
        f = fw.Quantile(given, b, quantile=q, delta=delta)
        low, high = Fraction(q) * Fraction(delta), (1 - Fraction(q)) * Fraction(delta)
        return f, ExactLoss(A, f.b, [w / (2 * Fraction(delta)) for w in share], huber(low, high))
    if kind == 3:
        labels = np.sign(b)
        labels[:2] = 1.0, -1.0
        return fw.Logistic(given, labels), ExactLoss(A, labels, share, logistic)
    if kind == 4:
        half = rng.standard_normal((n + 3, n)) * 10.0 ** rng.uniform(-3, 3, n)
        Q = half.T @ half
        f = fw.Quadratic(0.5 * (Q + Q.T), b[:1] * rng.standard_normal(n), constant=delta)
        return f, ExactQuadratic(0.5 * (Q + Q.T), f.c, delta)
    if kind == 5:
        raw = rng.random(m) + 0.01
        f, weights = fw.SquaredError(given, b, sample_weight=raw), fractions(raw)
        return f, ExactLoss(A, f.b, [w / sum(weights) for w in weights], squared)
    counts = rng.poisson(3.0, m).astype(float)
    A = np.abs(A) + A.dtype.type(1e-3)
    return fw.Poisson(A, counts), ExactLoss(A, counts, share, poisson)


def region(rng, f):
    """A region of any kind and size."""
    n = f.n
    r = 10.0 ** (rng.uniform(-10, 10) if rng.random() < 0.5 else rng.uniform(-1, 1))
    if isinstance(f, fw.Poisson):
        return fw.Simplex(r)
    center = r * rng.standard_normal(n) * 10.0 ** rng.uniform(-2, 3)
    regions = [
        *(ball(r) for ball in (fw.L1Ball, fw.L2Ball, fw.LInfBall)),
        *(ball(r, center=center) for ball in (fw.L1Ball, fw.L2Ball, fw.LInfBall)),
        fw.LpBall(float(rng.uniform(1.05, 6)), r),
        *(fw.Simplex(r), fw.UnitSimplex(r), fw.Box(-r * rng.random(n), r * rng.random(n))),
        *(fw.KSparse(2, r), fw.Hypersimplex(2, r), fw.regions.UnitHypersimplex(2, r)),
        fw.ConvexHull(rng.standard_normal((6, n)) * r),
        fw.GroupBall(np.arange(n) // 2, r),
        fw.Product([(fw.Simplex(r), 1), (fw.L2Ball(r), n - 1)]),
    ]
    regions += [fw.Birkhoff(2)] * (n == 4)
    return regions[rng.integers(len(regions))]


def point(rng, f, over):
    """Between two vertices, or where a few steps lead."""
    if isinstance(f, fw.Poisson):
        return over.middle(f.n).astype(f.dtype)
    if rng.random() < 0.3:
        return fw.minimize(f, over, method="pairwise", max_iter=20).x
    ends = [over.lmo(rng.standard_normal(f.n)).dense(f.n) for _ in range(2)]
    t = rng.random()
    return (t * ends[0] + (1.0 - t) * ends[1]).astype(f.dtype)


@pytest.mark.parametrize("first", range(0, PROBLEMS, AT_ONCE))
def test_no_interval_without_the_true_value_and_none_too_wide(first):
    for seed in range(first, first + AT_ONCE):
        rng = np.random.default_rng(seed)
        f, true = objective(rng)
        over = region(rng, f)
        x = point(rng, f, over)
        proof = fw.prove(fw.Problem(f, over), x)
        place = fractions(x)
        value, g = true.value_and_gradient(place)
        inner, bottom = dot(g, place), least(over, g)
        gap = max(inner - bottom, Fraction(0))
        if np.isfinite(f.least):  # a bound too
            gap = min(gap, value - Fraction(f.least))
        name = f"seed {seed}: {f!r} over {over!r}"
        assert Fraction(proof.upper) >= value, name
        assert Fraction(proof.lower) <= value - gap, name
        assert Fraction(proof.gap) >= gap, name
        # what double precision loses: itself at the end, or in a plain evaluation
        slope = f.grad(x).astype(np.float64)
        plain = float(slope @ x) - float(over.lmo(slope).dense(f.n) @ slope)
        unit = max(spacing(value), spacing(inner), spacing(bottom))
        off = max(abs(Fraction(f(x)) - value), abs(Fraction(plain) - inner + bottom), unit)
        assert Fraction(proof.upper) - value <= 100 * off, name
        assert value - gap - Fraction(proof.lower) <= 100 * off, name
        assert Fraction(proof.gap) - gap <= 100 * off, name


@pytest.mark.parametrize("p", [1.0 + 2.0**-52, 1.0 + 1e-8, 1.0001, 1.5, 3.0, 1e6])
def test_dual_norms_are_bounded_from_above_and_closely_for_every_order(p, rng):
    shapes = (
        rng.standard_normal,
        lambda n: rng.standard_normal(n) * 10.0 ** rng.uniform(-8, 8, n),
        lambda n: np.full(n, 0.3),
    )
    for n, make in [(n, make) for n in (1, 2, 5, 29) for make in shapes]:
        g = make(n)
        found = norm_above(exact(g), p)
        with localcontext() as digits:
            digits.prec = 60
            sizes, q = [abs(Decimal(float(each))) for each in g], Decimal(p) / (Decimal(p) - 1)
            powers = sum(((size / max(sizes)).ln() * q).exp() for size in sizes)
            true = Fraction(max(sizes) * (powers.ln() / q).exp())
        assert true * (1 - Fraction(1, 10**50)) <= found <= true * (1 + Fraction(1, 10**20))


@pytest.mark.parametrize("first", [1000, *map(nightly, (1100, 1200, 1300))])
def test_a_proof_is_about_as_close_as_the_gap_or_says_that_it_is_not(first):
    wide = 0
    for seed in range(first, first + 100):
        rng = np.random.default_rng(seed)
        f, _ = objective(rng)
        over = region(rng, f)
        try:
            result = fw.minimize(f, over)
        except fw.InvalidInput:  # points that cannot be told apart
            continue
        if result.success and result.certified:
            proof = result.verify()
            close = proof.gap <= 10.0 * max(result.gap, rounding_at(result.problem, result.x))
            assert close is not bool(proof.remark), f"seed {seed}: {f!r} over {over!r}"
            assert proof.lower <= proof.upper
            assert proof.lower <= result.fun + 10.0 * rounding_at(result.problem, result.x)
            wide += not close
    assert wide <= 1  # where x in double precision is all that there is


def test_a_proof_by_another_tangent_holds_and_one_that_proves_less_is_remarked_on():
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((40, 12)), rng.standard_normal(40)
    f, over = fw.SquaredError(A, b), fw.L2Ball(0.7)
    result = fw.minimize(f, over, method="frank_wolfe", tol=1e-3)
    near = fw.minimize(f, over, tol=1e-13)
    known = replace(result, gap=2.0 * (result.fun - near.fun))  # as if other tangents had shown it
    proof = known.verify()
    assert not proof.remark
    assert proof.lower <= near.fun <= proof.upper
    assert result.fun - near.fun <= proof.gap <= 10.0 * known.gap
    short = replace(result, gap=1e-30).verify()  # which no tangent shows
    assert short.lower <= near.fun <= short.upper
    assert short.gap <= fw.prove(result.problem, result.x).gap
    assert "no tangent that was tried" in repr(short)


@pytest.mark.parametrize("mean", [0.0, 1e4, 1e8])
@pytest.mark.parametrize("kind", [fw.SquaredError, fw.Huber, fw.Logistic, fw.Multinomial])
def test_a_free_intercept_is_bounded_too(kind, mean, rng):
    A = rng.standard_normal((30, 4)) + mean
    b = rng.standard_normal(30) if kind in (fw.SquaredError, fw.Huber) else rng.integers(0, 2, 30)
    f, over = fw.Profiled(kind(A, b)), fw.L2Ball(1.5)
    result = fw.minimize(f, over, tol=1e-10)
    proof = result.verify()
    assert proof.gap <= 1e-6
    assert proof.lower <= proof.upper
    # any other point and intercept has a value above the lower bound
    for _ in range(20):
        x = over.lmo(rng.standard_normal(f.n)).dense(f.n) * rng.random()
        assert f(x) >= proof.lower - 1e-6
    assert proof.upper == pytest.approx(result.fun, rel=1e-6)


@pytest.mark.parametrize("over", [fw.NuclearBall(2.0), fw.Spectraplex(1.5)])
def test_matrices(over, rng):
    rows, columns = np.nonzero(rng.random((7, 7)) < 0.7)
    f = fw.Completion((rows, columns, rng.standard_normal(rows.size)), shape=(7, 7), delta=0.4)
    result = fw.minimize(f, over, tol=1e-6)
    proof = result.verify()
    assert proof.lower <= result.fun * (1 + 1e-12)
    assert proof.gap <= 1e-2 * result.fun
    better = fw.minimize(f, over, tol=1e-9).fun
    assert proof.lower <= better * (1.0 + 1e-12)


def test_curvature_below_zero_by_rounding_counts(rng):
    half = rng.standard_normal((5, 40))
    Q = half.T @ half
    f = fw.Quadratic(0.5 * (Q + Q.T), rng.standard_normal(40))
    result = fw.minimize(f, fw.Simplex(), tol=1e-8)
    assert result.certified
    assert result.verify().gap < 1e-8


@pytest.mark.parametrize(
    ("Q", "over"),
    [
        (np.diag([1e8, -1.0]), fw.Box(-1.0, 1.0)),
        (np.diag([1.0, -1e-8]), fw.L2Ball(1e5)),
        (np.array([[1.0, 1.0 + 1e-6], [1.0 + 1e-6, 1.0]]), fw.L2Ball(1e5)),
    ],
)
def test_a_matrix_that_is_not_positive_semidefinite_proves_nothing(Q, over):
    result = fw.minimize(fw.Quadratic(Q), over)
    assert not result.certified
    assert not result.convex
    with pytest.raises(fw.errors.Unproven, match="convex"):
        result.verify()


def test_a_small_negative_eigenvalue_is_in_the_gap():
    Q = np.array([[1.0, 1.0 + 1e-9], [1.0 + 1e-9, 1.0]])  # -1e-9 along (1, -1)
    result = fw.minimize(fw.Quadratic(Q), fw.L2Ball(1e3))
    proof = result.verify()
    true = -0.5e-9 * 1e6
    for low, gap in ((result.lower_bound, result.gap), (proof.lower, proof.gap)):
        assert low <= true
        assert gap >= result.fun - true


def test_a_result_from_a_file_asks_for_its_problem():
    f, over = fw.squared_distance([1.0, 2.0]), fw.L2Ball(1.0)
    result = pickle.loads(pickle.dumps(fw.minimize(f, over)))
    with pytest.raises(fw.InvalidInput, match=r"verify\(Problem"):
        result.verify()
    assert result.verify(fw.Problem(f, over)).gap < 1e-6


def test_what_cannot_be_proved_says_why():
    f, square = fw.squared_distance([1.0, 2.0]), lambda x: (float(x @ x), 2 * x)
    with pytest.raises(fw.errors.Unproven, match="rounding"):
        fw.minimize(fw.Function(square, True, n=2), fw.L2Ball()).verify()
    known = fw.regions.OracleRegion(
        lambda g: -g / max(np.linalg.norm(g), 1e-300), n=2, diameter=2.0
    )
    with pytest.raises(fw.errors.Unproven, match="oracle"):
        fw.minimize(f, known).verify()
