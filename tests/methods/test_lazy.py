"""Lazy oracles: the same optimum with fewer calls, and certificates of true calls alone."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from conftest import N, objective_examples
from programs import peers_value

import frankwolfe as fw
from frankwolfe.core.atoms import Sparse
from frankwolfe.core.recent_atoms import RecentAtoms
from frankwolfe.methods.parts.directions import Toward
from frankwolfe.methods.parts.oracles import Cache, Lazy

EAGER = [fw.frank_wolfe(), fw.methods.away_step(), fw.pairwise(), fw.blended_pairwise()]
EAGER += [fw.frank_wolfe(fw.steps.ExactLineSearch()), fw.methods.decomposition_invariant()]


@pytest.mark.parametrize("method", EAGER, ids=str)
@pytest.mark.parametrize("region", [fw.Simplex(), fw.Hypersimplex(2), fw.Box()], ids=repr)
def test_an_oracle_that_is_never_content_is_the_exact_one(method, region):
    problem = fw.Problem(objective_examples(N)[0], region)
    never = replace(method, oracle=Lazy(cache_size=0, factor=0.0))
    pairs = zip(fw.states(problem, method), fw.states(problem, never), strict=True)
    for one, other in islice(pairs, 1500):
        np.testing.assert_array_equal(one.x, other.x)
        assert (one.gap, one.lower_bound) == (other.gap, other.lower_bound)
        assert one.oracle_calls == other.oracle_calls


class _Counting(fw.Birkhoff):
    calls = 0

    def lmo(self, g, out=None):
        self.calls += 1
        return super().lmo(g, out)


def _projection(n: int, scale: float) -> fw.SquaredError:
    p = scale * np.random.default_rng(n).random(n)
    return fw.SquaredError(np.eye(n), p, reduction="sum")


def _signed(n: int) -> fw.SquaredError:
    p = np.random.default_rng(n).standard_normal(n)
    return fw.SquaredError(np.eye(n), p, reduction="sum")


@pytest.mark.parametrize("method", EAGER, ids=str)
@pytest.mark.parametrize("region", [fw.Birkhoff(10), fw.KSparse(10)], ids=repr)
def test_the_same_optimum_with_fewer_calls(method, region):
    f = _projection(100, 0.2) if isinstance(region, fw.Birkhoff) else _signed(100)
    gap = fw.Gap(1e-3 if isinstance(method.direction, Toward) else 1e-7)
    both = [method, fw.methods.lazy(method)]
    one, other = (fw.minimize(f, region, method=m, tol=gap, max_iter=20_000) for m in both)
    assert one.success
    assert other.success
    assert other.fun == pytest.approx(one.fun, abs=2 * gap.tolerance)
    assert other.nlmo < one.nlmo


def test_only_calls_of_the_region_are_counted():
    region = _Counting(6)
    problem = fw.Problem(_projection(36, 0.3), region)
    for state in islice(fw.states(problem, fw.methods.lazy(fw.frank_wolfe())), 200):
        assert state.oracle_calls == region.calls
    assert region.calls < 150


def test_a_cached_atom_leaves_the_bound_as_it_was():
    problem, calls, bound, cached = fw.Problem(_projection(36, 0.3), fw.Birkhoff(6)), 0, -np.inf, 0
    for state in islice(fw.states(problem, fw.methods.lazy(fw.blended_pairwise())), 300):
        if state.oracle_calls == calls:
            cached += 1
            assert state.lower_bound == bound
        calls, bound = state.oracle_calls, state.lower_bound
        assert math.isfinite(state.gap)
        assert state.gap == pytest.approx(state.value - bound, abs=1e-12)
    assert cached > 100


def test_without_convexity_a_cached_atom_claims_no_gap():
    f = fw.Function(lambda x: float(np.cos(x).sum()), lambda x: -np.sin(x), n=4, convex=False)
    problem, calls, cached = fw.Problem(f, fw.Simplex(5.0)), 0, 0
    for state in islice(fw.states(problem, fw.methods.lazy(fw.frank_wolfe())), 200):
        new = state.oracle_calls > calls
        calls = state.oracle_calls
        assert math.isfinite(state.gap) == new
        cached += not new
    assert cached > 20


def test_the_cache_forgets_what_was_used_least_recently():
    cache = Cache(RecentAtoms(9))
    atoms = [Sparse(np.array([i, i + 4]), np.array([1.0, -1.0])) for i in range(5)]
    for step, atom in enumerate(atoms[:3]):
        cache.atoms.keep(atom, step, 3)
    cache.atoms.keep(atoms[0], 3, 3)  # of use again
    cache.atoms.keep(atoms[3], 4, 3)
    cache.atoms.keep(atoms[4], 5, 3)
    kept = {tuple(atom.indices) for _, atom in cache.atoms}
    assert kept == {(0, 4), (3, 7), (4, 8)}
    assert len(cache.atoms) == 3
    other = Cache(RecentAtoms(9))
    other.restore(cache.pack())
    g = np.random.default_rng(0).standard_normal(9)
    np.testing.assert_array_equal(other.atoms.dots(g), cache.atoms.dots(g))
    np.testing.assert_array_equal(other.atoms.weights, cache.atoms.weights)


def test_a_small_cache_still_converges():
    f = _projection(100, 0.2)
    method = fw.methods.lazy(fw.blended_pairwise(), cache_size=2, factor=1.0)
    assert fw.minimize(f, fw.Birkhoff(10), method=method, tol=1e-7).success


FAST = [fw.methods.blended_conditional_gradients(), fw.methods.decomposition_invariant()]
FAST += [
    fw.methods.lazy(method)
    for method in (fw.blended_pairwise(), fw.methods.away_step(), fw.pairwise())
]


@pytest.mark.parametrize("method", FAST, ids=str)
@pytest.mark.parametrize(
    "region", [fw.L1Ball(2.0), fw.Simplex(2.0), fw.Box(-0.1, 0.1), fw.KSparse(3, 0.5)], ids=repr
)
def test_convergence_is_linear(method, region):
    rng = np.random.default_rng(8)
    A = rng.standard_normal((60, 20))
    f = fw.SquaredError(A, A @ rng.standard_normal(20))
    start = fw.Problem(f, region).start()
    tol = 1e-10 * f(start)
    result = fw.minimize(f, region, method=method, stop=fw.Gap(tol) | fw.Iterations(3000))
    assert result.success
    assert result.certified
    half = np.flatnonzero(result.history["gap"] <= 1e-5 * f(start))[0]
    assert result.nit <= 4 * half + 20  # as many digits again take no longer


def test_blended_gradients_reach_the_optimum_of_an_interior_point_method():
    cvxpy = pytest.importorskip("cvxpy", reason="cvxpy is not installed")

    rng = np.random.default_rng(4)
    A, b = rng.standard_normal((30, 12)), rng.standard_normal(30)
    x = cvxpy.Variable(12)
    problem = cvxpy.Problem(
        cvxpy.Minimize(0.5 * cvxpy.sum_squares(A @ x - b)), [x >= 0, cvxpy.sum(x) == 1]
    )
    problem.solve(solver=cvxpy.CLARABEL)
    f = fw.SquaredError(A, b, reduction="sum")
    best = peers_value(f, fw.Simplex(), x.value)
    for method in FAST:
        assert fw.minimize(f, fw.Simplex(), method=method, tol=1e-9).fun == pytest.approx(
            best, rel=1e-7
        )


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Lazy(cache_size=-1), "cache_size must be a whole number >= 0"),
        (lambda: Lazy(factor=-1.0), "factor must be a finite number >= 0"),
        (lambda: fw.methods.lazy(fw.methods.hybrid()), "takes a method made of parts"),
        (
            lambda: fw.methods.lazy(fw.afw()),
            r"Lazy needs slopes of f, which GradientMomentum does not",
        ),
        (
            lambda: fw.minimize(
                fw.Completion(([0], [1], [1.0])),
                fw.NuclearBall(1.0),
                method=fw.methods.lazy(fw.frank_wolfe()),
            ),
            "which takes vectors, not matrices",
        ),
    ],
)
def test_what_cannot_be_lazy_is_refused(make, words):
    with pytest.raises(fw.InvalidInput, match=words):
        make()
