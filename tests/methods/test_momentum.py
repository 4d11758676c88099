"""Heavy ball, ExtraFW, PARTAN and boosted Frank-Wolfe, against their papers."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from conftest import basic_examples, size
from hypothesis import given, settings
from hypothesis import strategies as st

import frankwolfe as fw
from frankwolfe.methods.parts.boosted import Boosted
from frankwolfe.methods.parts.models import AveragedTangents
from frankwolfe.methods.parts.partan import ParallelTangent

FW = fw.frank_wolfe
LINE = fw.steps.ExactLineSearch()
N = 20


def _problems() -> list[fw.Problem]:
    rng = np.random.default_rng(3)
    A = rng.standard_normal((60, N)) * np.linspace(0.2, 2.0, N)
    b = A @ rng.standard_normal(N) + rng.standard_normal(60)
    return [
        fw.Problem(fw.Logistic(A, np.sign(b)), fw.L2Ball(0.8)),
        fw.Problem(fw.SquaredError(A, b), fw.L1Ball(5.0)),
        fw.Problem(fw.Huber(A, b), fw.Box(-0.8, 0.9)),
    ]


PROBLEMS = _problems()


def _atom(problem: fw.Problem, g: np.ndarray) -> np.ndarray:
    return problem.region.lmo(g).dense(N)


def _same(problem, one, other, steps, atol=0.0):
    pairs = zip(fw.states(problem, one), fw.states(problem, other), strict=True)
    for a, b in islice(pairs, steps):
        np.testing.assert_allclose(a.x, b.x, rtol=0.0, atol=atol)
        assert a.value == pytest.approx(b.value, rel=1e-12)
        assert a.gap == pytest.approx(b.gap, abs=1e-12)
    assert a.k == steps - 1


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize(
    ("special", "plain"),
    [
        (fw.FrankWolfe(model=AveragedTangents(fw.steps.Constant(1.0))), FW()),
        (fw.FrankWolfe(model=AveragedTangents(fw.steps.Constant(1.0)), step=LINE), FW(LINE)),
        (fw.methods.boosted(rounds=1), FW(LINE)),
        (fw.methods.boosted(rounds=1, step=fw.steps.Backtracking()), FW(fw.steps.Backtracking())),
        (fw.FrankWolfe(combination=ParallelTangent(0.0), step=LINE), FW(LINE)),
    ],
    ids=["weight 1", "weight 1, line search", "one round", "one round, backtracking", "no way on"],
)
def test_without_their_momentum_they_are_frank_wolfe(problem, special, plain):
    _same(problem, special, plain, 200)


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize(("weighting", "ell"), [("increasing", 2), ("uniform", 1)])
def test_heavy_ball_is_the_papers_recursion(problem, weighting, ell):
    x, g = problem.start(), np.zeros(N)
    for state in islice(fw.states(problem, fw.methods.heavy_ball(weighting)), 100):
        np.testing.assert_allclose(state.x, x, atol=1e-12)
        delta = ell / (state.k + ell)
        g = delta * problem.objective.grad(x) + (1 - delta) * g
        x = (1 - delta) * x + delta * _atom(problem, g)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_heavy_ball_keeps_the_papers_bound_at_every_step(problem):
    LD2 = problem.smoothness * problem.diameter**2
    for weighting, step in (("increasing", None), ("increasing", LINE), ("uniform", None)):
        for state in islice(fw.states(problem, fw.methods.heavy_ball(weighting, step)), 1, 300):
            k = state.k
            uniform = LD2 * np.log(k + 1) / (2 * k)
            assert state.gap <= (uniform if weighting == "uniform" else 2 * LD2 / (k + 1))


@pytest.mark.parametrize("problem", PROBLEMS)
def test_extra_fw_is_the_papers_algorithm(problem):
    f = problem.objective
    x = v = problem.start()
    g = np.zeros(N)
    for state in islice(fw.states(problem, fw.methods.extra_fw()), 101):
        np.testing.assert_allclose(state.x, x, atol=1e-12)
        delta = 2 / (state.k + 3)
        y = (1 - delta) * x + delta * v
        predicted = _atom(problem, (1 - delta) * g + delta * f.grad(y))
        x = (1 - delta) * x + delta * predicted
        g = (1 - delta) * g + delta * f.grad(x)
        v = _atom(problem, g)
    assert state.oracle_calls == state.gradient_calls == 2 * state.k


def _pursued(g: np.ndarray, x: np.ndarray, lmo, rounds: int) -> np.ndarray:
    """The gradient pursuit of the paper, Algorithm 2, with its steps back along d.

    That step is chosen by angles: the paper compares a d of length one with an atom of any.
    """
    d, total, cosine = np.zeros(N), 0.0, -1.0
    for _ in range(rounds):
        r = -g - d
        u, back = lmo(-r) - x, False
        if d.any() and r @ -d / np.linalg.norm(d) > r @ u / np.linalg.norm(u):
            u, back = -d / np.linalg.norm(d), True
        share = r @ u / (u @ u)
        ahead = d + share * u
        now = -g @ ahead / (np.linalg.norm(g) * np.linalg.norm(ahead))
        if now - cosine < 1e-3:
            break
        total = total * (1 - share / np.linalg.norm(d)) if back else total + share
        d, cosine = ahead, now
    return d / total


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("rounds", [2, 5, 30])
def test_boosted_is_the_papers_pursuit(problem, rounds):
    states = fw.states(problem, fw.methods.boosted(rounds))
    state = next(states)
    most = 0
    for _ in range(25):
        x, calls, g = state.x, state.oracle_calls, problem.objective.grad(state.x)
        d = _pursued(g, x, lambda r: _atom(problem, r), rounds)
        state = next(states)
        np.testing.assert_allclose(state.x, x + state.step * d, atol=1e-11)
        most = max(most, state.oracle_calls - calls)
    assert 2 <= most <= rounds


@pytest.mark.parametrize("rest", [0.0, 1e-320, 1e-200, 1e-160])
def test_boosted_goes_on_where_the_way_to_an_atom_has_no_length(rest):
    """Its square is too small for a number: such weights come of many long steps."""
    f = fw.SquaredError(np.eye(2), [1.0, -1.0])
    problem = fw.Problem(f, fw.Simplex())
    for state in islice(fw.states(problem, fw.methods.boosted(), np.array([1.0, rest])), 10):
        assert state.certified
        assert state.value == pytest.approx(0.25, rel=1e-12)
        assert problem.region.violation(state.x) <= 1e-15
    design = fw.DOptimal(np.random.default_rng(1).standard_normal((6, 2)))
    x0 = np.array([1.25, 1.25, rest, rest, rest, rest])
    best = fw.minimize(design, fw.Simplex(2.5), tol=1e-10).fun
    state = next(
        islice(fw.states(fw.Problem(design, fw.Simplex(2.5)), fw.methods.boosted(), x0), 60, None)
    )
    assert state.value - best <= state.gap + 1e-12


@pytest.mark.parametrize("problem", PROBLEMS)
def test_partan_is_its_recursion_with_explicit_weights(problem):
    f, used = problem.objective, 0
    w = w_before = np.ones(1)
    x = before = problem.start()
    for state in islice(fw.states(problem, fw.methods.partan()), 60):
        np.testing.assert_allclose(state.x, x, atol=1e-7)
        if state.model_gap < 1e-6:
            break
        x = state.x
        s = _atom(problem, f.grad(x))
        t = _least(f, x, s - x, 1.0)
        y, w, w_before = x + t * (s - x), np.append(w, 0.0), np.append(w_before, 0.0)
        base = (1 - t) * w
        base[-1] += t
        change = base - w_before
        limit = min((base[change < 0] / -change[change < 0]).tolist(), default=0.0)
        mu = _least(f, y, y - before, limit) if state.k else 0.0
        used += mu > 0
        w, w_before = base + mu * change, w[: w.size]
        w[abs(w) < 1e-12] = 0.0
        x, before = y + mu * (y - before), x
    assert used >= 2


def _least(f, x, d, upper: float) -> float:
    """The minimizer along d on [0, upper], by bisection on the slope."""
    low, high = 0.0, upper
    if f.grad(x + high * d) @ d <= 0:
        return high
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if f.grad(x + middle * d) @ d < 0 else (low, middle)
    return low


@settings(max_examples=200, deadline=None)
@given(
    steps=st.lists(st.tuples(st.floats(0.001, 1.0), st.floats(0.0, 1.5)), min_size=1, max_size=60)
)
def test_the_guard_of_parallel_tangents_is_as_good_as_all_weights(steps):
    trail = ParallelTangent().memory(PROBLEMS[0])
    w = before = np.ones(1)
    for t, share in steps:
        w, before = np.append(w, 0.0), np.append(before, 0.0)
        base = (1 - t) * w
        base[-1] = t
        change, keep = base - before, 1.0 - t
        limit = trail.limit(keep) if trail.steps else 0.0
        mu = limit * min(share, 1.0)
        new = base + mu * change
        assert new.min() >= -1e-12
        if 0.0 < limit == mu:  # a bit more would make a weight negative
            assert (base + (mu * (1 + 1e-6) + 1e-6) * change).min() < 1e-12
        trail.moved(keep, mu, cut=mu == trail.limit(keep))
        new[np.abs(new) < 1e-14] = 0.0
        w, before = new, w
        assert abs(w.sum() - 1.0) < 1e-9


def test_partan_stays_inside_where_its_steps_are_tiny():
    """Near the optimum a long way on a short direction magnifies its rounding."""
    f = fw.Logistic.example(N, np.random.default_rng(2))
    for region in (fw.LInfBall(1.5), fw.Simplex(), fw.L1Ball(1.5)):
        for state in islice(fw.states(fw.Problem(f, region), fw.methods.partan()), 1000):
            assert region.violation(state.x) <= 1e-11
    blunt = ParallelTangent().memory(PROBLEMS[0])
    blunt.steps, blunt.blur = 1, 1e5
    assert blunt.clear(1.0, 1e4) == 0.0


@pytest.mark.parametrize("region", basic_examples(), ids=repr)
def test_partan_never_rises_however_small_its_steps(region):
    """A way on of little more than rounding has a slope and a curvature of rounding only."""
    last = np.inf
    problem = fw.Problem(fw.Quadratic.example(size(region), np.random.default_rng(2)), region)
    for state in islice(fw.states(problem, fw.methods.partan()), 300):
        assert state.value <= last + 1e-14 * max(1.0, abs(state.value))
        last = state.value


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fw.methods.heavy_ball("both"), "weighting must be one of increasing, uniform"),
        (lambda: fw.methods.boosted(0), "rounds must be a whole number >= 1"),
        (lambda: Boosted(least=0.0), "least must be"),
        (lambda: ParallelTangent(-1.0), "most must be"),
        (lambda: fw.methods.heavy_ball(step=fw.steps.ShortStep()), "ShortStep needs slopes"),
        (
            lambda: fw.FrankWolfe(AveragedTangents(fw.steps.OpenLoop()), direction=Boosted()),
            "Boosted",
        ),
        (
            lambda: fw.FrankWolfe(direction=Boosted(), combination=ParallelTangent()),
            "ParallelTangent goes with Toward",
        ),
    ],
)
def test_what_cannot_be_gets_one_sentence(make, words):
    with pytest.raises(fw.InvalidInput, match=words):
        make()


def _steps_to(
    problem: fw.Problem, method: fw.FrankWolfe, best: float, error: float, x0: Any = None
) -> int:
    for state in islice(fw.states(problem, method, x0), 2000):
        if state.value - best <= error:
            return state.k
    return 2000


def test_how_they_compare_on_breast_cancer(breast_cancer, rng):
    small = fw.Problem(breast_cancer, fw.L2Ball(1.0))
    best = fw.minimize(breast_cancer, small.region, tol=1e-12).fun
    plain = _steps_to(small, FW(), best, 1e-3)
    for method in (fw.methods.heavy_ball(), fw.methods.extra_fw(), fw.afw()):
        assert _steps_to(small, method, best, 1e-3) < plain / 3
    # rounding alone moves both counts by a half, so that only a mean over many starts compares
    starts = 0.1 * rng.standard_normal((40, breast_cancer.n))
    searched, boosted = (
        sum(_steps_to(small, method, best, 1e-8, x0) for x0 in starts)
        for method in (FW(LINE), fw.methods.boosted())
    )
    assert boosted < 0.8 * searched
    large = fw.Problem(breast_cancer, fw.L2Ball(50.0))  # the optimum is inside
    best = fw.minimize(breast_cancer, large.region, tol=1e-12).fun
    searched = _steps_to(large, FW(LINE), best, 1e-8)
    assert _steps_to(large, fw.methods.partan(), best, 1e-8) < searched / 2
