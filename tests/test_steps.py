from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import frankwolfe as fw
from frankwolfe.parts.scalar import newton, secant


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


def _steps(step, count=5):
    f = fw.SquaredError(np.diag([1.0, 3.0]), [1.0, 2.0])
    return fw.minimize(
        f, fw.L2Ball(1.0), method=fw.frank_wolfe(step), max_iter=count, tol=0.0
    ).history["step"][1:]


def test_open_loop_steps_are_their_formulas():
    k = np.arange(5)
    np.testing.assert_allclose(_steps(None), 2 / (k + 2))
    np.testing.assert_allclose(_steps(fw.OpenLoop(6.0)), 6 / (k + 6))
    np.testing.assert_allclose(_steps(fw.OpenLoop(2.0, delay=1.0)), 2 / (k + 3))
    g = 2 + np.log(k + 1)
    np.testing.assert_allclose(_steps(fw.LogAdaptive()), g / (k + g))
    np.testing.assert_allclose(_steps(fw.Constant(0.25)), 0.25)


def test_line_searches_agree_with_each_other(rng):
    A, b = rng.standard_normal((40, 6)), np.sign(rng.standard_normal(40))
    runs = [
        fw.minimize(
            fw.Logistic(A, b), fw.L2Ball(1.0), method=fw.frank_wolfe(s), max_iter=20, tol=1e-10
        ).history["value"]
        for s in (fw.ExactLineSearch(), fw.Secant(1e-12))
    ]
    np.testing.assert_allclose(*runs, atol=1e-12)


def test_short_step_on_the_identity_is_the_textbooks(rng):
    p = 3 * rng.standard_normal(5)
    f = fw.SquaredError(np.eye(5), p, reduction="sum")  # L = 1
    method = fw.frank_wolfe(fw.ShortStep())
    state = method.init(fw.Problem(f, fw.L1Ball(4.0)))
    for _ in range(10):
        d = state.atom.dense(5) - state.x
        expected = min(1.0, -(f.grad(state.x) @ d) / (d @ d))
        method.advance(state)
        assert state.step == pytest.approx(expected)


@pytest.mark.parametrize("step", [fw.Backtracking(), fw.Secant(), fw.ExactLineSearch()], ids=repr)
def test_searches_go_below_a_gap_of_1e_8(step, breast_cancer):
    # a defect elsewhere: a secant search that stalls there
    result = fw.minimize(breast_cancer, fw.L2Ball(1.0), method=fw.frank_wolfe(step), tol=1e-11)
    assert result.success


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fw.OpenLoop(0.0), "ell must be"),
        (lambda: fw.OpenLoop(2.0, delay=-1), "delay must be"),
        (lambda: fw.Constant(0.0), "gamma must be a finite number > 0 and <= 1"),
        (lambda: fw.Constant(1.5), "gamma must be"),
        (lambda: fw.Backtracking(grow=1.0), "grow must be"),
        (lambda: fw.Backtracking(shrink=0.0), "shrink must be"),
        (lambda: fw.Secant(0.0), "tolerance must be"),
    ],
)
def test_bad_steps_say_what_is_wrong(make, words):
    with pytest.raises(fw.InvalidInput, match=words):
        make()
