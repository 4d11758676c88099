from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import frankwolfe as fw
from frankwolfe.base.roots import golden, newton, secant
from frankwolfe.methods.steps import STEPS


def _softplus(a, b, c):
    """A convex function with a kink-like turn: log(1 + e^{a t - b}) - c t."""

    def along(t):
        u = a * t - b
        sigmoid = 1 / (1 + math.exp(-u)) if u > -700 else 0.0
        return np.logaddexp(0, u) - c * t, a * sigmoid - c, a * a * sigmoid * (1 - sigmoid)

    return along


@given(a=st.floats(0.1, 200), b=st.floats(-20, 50), c=st.floats(0.001, 5), upper=st.floats(0.01, 3))
def test_searches_agree_with_scipy(a, b, c, upper):
    along = _softplus(a, b, c)
    best = minimize_scalar(
        lambda t: along(t)[0], bounds=(0, upper), method="bounded", options={"xatol": 1e-12}
    )
    reference = min(best.fun, along(0.0)[0], along(upper)[0])
    for t in (newton(along, upper), secant(lambda t: along(t)[1], upper, 1e-10)):
        assert 0.0 <= t <= upper
        assert along(t)[0] <= reference + 1e-9 * max(1, abs(reference))
    t, value = golden(lambda t: along(t)[0], upper, 1e-9)
    assert 0.0 <= t <= upper
    assert min(value, along(0.0)[0]) <= reference + 1e-9 * max(1, abs(reference))


@pytest.mark.parametrize(("a", "b", "upper"), [(5, 3, 1), (50, 10, 1), (1, 0, 1e6), (1, 0, 1e15)])
def test_the_secant_search_is_faster_than_bisection(a, b, upper):
    slopes = []

    def slope(t):
        slopes.append(_softplus(a, b, 0.6)(t)[1] if a * t < 700 else a - 0.6)
        return slopes[-1]

    assert abs(_softplus(a, b, 0.6)(secant(slope, upper, 1e-12))[1]) <= 1e-12
    assert len(slopes) <= 25  # bisection: 40 and more


def test_the_secant_search_ends_where_rounding_hides_the_slope(rng):
    slopes = []

    def noisy(t):  # the slope shrinks by 1e-5 and then no more
        slopes.append((t - 0.3) + 1e-5 * rng.uniform(-1, 1))
        return slopes[-1]

    assert secant(noisy, 1.0, 1e-8) == pytest.approx(0.3, abs=1e-4)
    assert len(slopes) <= 12


def test_the_secant_search_ends_at_the_rounding_of_the_slope():
    slopes = []

    def rounded(t):  # below zero at 0 by rounding, and nowhere else
        slopes.append(max(t, 1e-17) if t else -1e-18)
        return slopes[-1]

    assert 0.0 <= secant(rounded, 1.0, 1e-8) <= 1e-15
    assert len(slopes) <= 4


def test_golden_section_takes_the_whole_step_and_finds_a_tiny_one():
    assert golden(lambda t: -t, 0.7, 1e-6)[0] == 0.7
    assert golden(lambda t: (t - 1e-7) ** 2, 1.0, 1e-3)[0] == pytest.approx(1e-7, rel=1e-2)
    assert golden(lambda t: math.nan if t > 0.1 else (t - 0.05) ** 2, 1.0, 1e-6)[
        0
    ] == pytest.approx(0.05, rel=1e-4)


def test_newton_is_exact_for_a_quadratic_and_counts_its_trials():
    calls = []

    def along(t):
        calls.append(t)
        return (t - 0.3) ** 2, 2 * (t - 0.3), 2.0

    assert newton(along, 1.0, exact=True) == pytest.approx(0.3)
    assert calls == [0.0]
    assert newton(along, 0.2) == 0.2
    assert newton(lambda t: (t, 1.0, 0.0), 1.0) == 0.0
    assert newton(lambda t: (-t, -1.0, 0.0), 1.0) == 1.0


def test_newton_without_curvature_is_a_secant():
    assert newton(lambda t: ((t - 0.4) ** 2, 2 * (t - 0.4), None), 1.0) == pytest.approx(0.4)


def test_newton_goes_on_where_there_is_no_curvature_at_a_trial():
    """(1 - t)^1.5 + t / 2, whose second derivative is infinite at the end."""

    def along(t):
        root = math.sqrt(1.0 - t)
        return root**3 + 0.5 * t, 0.5 - 1.5 * root, 0.75 / root if root else None

    assert newton(along, 1.0) == pytest.approx(8 / 9, rel=1e-9)


def _steps(step, count=5):
    f = fw.SquaredError(np.diag([1.0, 3.0]), [1.0, 2.0])
    return fw.minimize(
        f, fw.L2Ball(1.0), method=fw.frank_wolfe(step), max_iter=count, tol=0.0
    ).history["step"][1:]


def test_open_loop_steps_are_their_formulas():
    k = np.arange(5)
    np.testing.assert_allclose(_steps(None), 2 / (k + 2))
    np.testing.assert_allclose(_steps(fw.steps.OpenLoop(6.0)), 6 / (k + 6))
    np.testing.assert_allclose(_steps(fw.steps.OpenLoop(2.0, delay=1.0)), 2 / (k + 3))
    g = 2 + np.log(k + 1)
    np.testing.assert_allclose(_steps(fw.steps.LogAdaptive()), g / (k + g))
    np.testing.assert_allclose(_steps(fw.steps.Constant(0.25)), 0.25)
    np.testing.assert_allclose(_steps(fw.steps.NonConvexDecay()), 1 / np.sqrt(k + 1))


def test_line_searches_agree_with_each_other(rng):
    A, b = rng.standard_normal((40, 6)), np.sign(rng.standard_normal(40))
    f, ball = fw.Logistic(A, b), fw.L2Ball(1.0)
    problem, exact = fw.Problem(f, ball), fw.frank_wolfe(fw.steps.ExactLineSearch())
    # from the same points: what a search leaves open grows from step to step
    for state in islice(fw.states(problem, exact), 20):
        one, secant, golden = (
            fw.minimize(f, ball, x0=state.x, method=fw.frank_wolfe(s), max_iter=1, tol=0.0).fun
            for s in (
                fw.steps.ExactLineSearch(),
                fw.steps.Secant(1e-12),
                fw.steps.GoldenRatio(1e-9),
            )
        )
        assert secant == pytest.approx(one, rel=0.0, abs=1e-12)
        assert golden == pytest.approx(one, rel=0.0, abs=1e-10)


def test_short_step_on_the_identity_is_the_textbooks(rng):
    p = 3 * rng.standard_normal(5)
    f = fw.SquaredError(np.eye(5), p, reduction="sum")  # L = 1
    method = fw.frank_wolfe(fw.steps.ShortStep())
    state = method.init(fw.Problem(f, fw.L1Ball(4.0)))
    for _ in range(10):
        d = state.atom.dense(5) - state.x
        expected = min(1.0, -(f.grad(state.x) @ d) / (d @ d))
        method.advance(state)
        assert state.step == pytest.approx(expected)


SEARCHES = [
    *(fw.steps.Secant(), fw.steps.ExactLineSearch(), fw.steps.Backtracking(), fw.steps.Adaptive()),
    fw.steps.Backtracking(alpha=0.5),
]


@pytest.mark.parametrize("step", SEARCHES, ids=repr)
@pytest.mark.parametrize("recipe", [fw.methods.away_step, fw.pairwise, fw.blended_pairwise])
@pytest.mark.parametrize("interior", [False, True])
def test_searches_certify_1e_12_of_the_first_value(step, recipe, interior, rng):
    A = rng.standard_normal((60, 20))
    b = A @ np.r_[1.0, -1.0, 0.5, np.zeros(17)]
    b += 0.0 if interior else 0.1 * rng.standard_normal(60)
    f, region = fw.SquaredError(A, b), fw.L1Ball(2.6 if interior else 1.5)
    for g in (f, fw.Function(f, f.grad, n=20)):
        target = fw.Gap(1e-12 * f(np.zeros(20)))
        result = fw.minimize(g, region, method=recipe(step), stop=target | fw.Iterations(400))
        assert result.success
        assert result.certified


def test_adaptive_steps_end_before_the_minimizer_along_the_direction(rng):
    f = fw.Logistic(rng.standard_normal((40, 5)), np.sign(rng.standard_normal(40)))
    method = fw.frank_wolfe(fw.steps.Adaptive())
    state = method.init(fw.Problem(f, fw.L1Ball(3.0)))
    for _ in range(30):
        d = state.atom.dense(5) - state.x
        method.advance(state)
        assert 0.0 < state.step <= 1.0
        assert f.grad(state.x) @ d <= 1e-12


def test_a_relaxed_test_takes_longer_steps(rng):
    f = fw.Logistic(rng.standard_normal((40, 5)), np.sign(rng.standard_normal(40)))
    runs = [
        fw.minimize(f, fw.L1Ball(3.0), method=fw.frank_wolfe(step), max_iter=50, tol=1e-9)
        for step in (fw.steps.Backtracking(), fw.steps.Backtracking(alpha=0.5))
    ]
    assert runs[1].history["step"][1:].mean() > runs[0].history["step"][1:].mean()


@pytest.mark.parametrize("name", [n for n in STEPS if n != "monotone"])
def test_monotone_makes_any_rule_monotone(name, pima):
    # with open steps f rises to a thousand times its first value here
    run = fw.minimize(
        pima, fw.L2Ball(35.0), method=fw.frank_wolfe(fw.steps.Monotone(STEPS[name]())), max_iter=60
    )
    values = run.history["value"]
    assert (np.diff(values) <= 1e-14 * values[:-1].clip(1.0)).all()
    assert values[-1] < values[0]


def test_monotone_leaves_a_rule_alone_that_does_not_rise(rng):
    f = fw.SquaredError(rng.standard_normal((40, 5)), rng.standard_normal(40))
    for step in (fw.steps.ExactLineSearch(), fw.steps.Backtracking()):
        one, other = (
            fw.minimize(f, fw.L2Ball(0.3), method=fw.frank_wolfe(s), max_iter=30, tol=1e-7)
            for s in (step, fw.steps.Monotone(step))
        )
        np.testing.assert_array_equal(one.history["step"], other.history["step"])


@pytest.mark.parametrize(
    "step", [fw.steps.Backtracking(), fw.steps.Secant(), fw.steps.ExactLineSearch()], ids=repr
)
def test_searches_go_below_a_gap_of_1e_8(step, breast_cancer):
    # a defect elsewhere: a secant search that stalls there
    result = fw.minimize(breast_cancer, fw.L2Ball(1.0), method=fw.frank_wolfe(step), tol=1e-11)
    assert result.success


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fw.steps.OpenLoop(0.0), "ell must be"),
        (lambda: fw.steps.OpenLoop(2.0, delay=-1), "delay must be"),
        (lambda: fw.steps.Constant(0.0), "gamma must be a finite number > 0 and <= 1"),
        (lambda: fw.steps.Constant(1.5), "gamma must be"),
        (lambda: fw.steps.Backtracking(grow=1.0), "grow must be"),
        (lambda: fw.steps.Backtracking(shrink=0.0), "shrink must be"),
        (lambda: fw.steps.Secant(0.0), "tolerance must be"),
        (lambda: fw.steps.GoldenRatio(0.0), "tolerance must be"),
        (lambda: fw.steps.Backtracking(alpha=0.0), "alpha must be"),
        (lambda: fw.steps.Adaptive(grow=0.5), "grow must be"),
        (lambda: fw.steps.Monotone(0.5), "step must be a step part"),
        (lambda: fw.steps.Monotone(fw.steps.OpenLoop), "step must be a step part"),
    ],
)
def test_bad_steps_say_what_is_wrong(make, words):
    with pytest.raises(fw.InvalidInput, match=words):
        make()
