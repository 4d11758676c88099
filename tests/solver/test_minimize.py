"""The front door: what it takes, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import objective_examples, region_examples, size
from scipy.optimize import minimize as scipy_minimize

import frankwolfe as fw
from frankwolfe.methods.default import best_for

A, B = np.random.default_rng(0).standard_normal((20, 3)), np.ones(20)
F = fw.SquaredError(A, B)
BALL = fw.L2Ball(1.0)


def test_a_plain_function_in_scipys_manner():
    fun, jac = (lambda x: float((x - 1) @ (x - 1))), (lambda x: 2 * (x - 1))
    ours = fw.minimize(fun, fw.L2Ball(1.0), jac=jac, x0=np.zeros(3), tol=1e-10)
    theirs = scipy_minimize(
        fun,
        np.zeros(3),
        jac=jac,
        constraints={"type": "ineq", "fun": lambda x: 1 - x @ x},
        options={"ftol": 1e-14},  # so that x is good to 1e-7
    )
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-5)
    both = fw.minimize(lambda x: (fun(x), jac(x)), fw.L2Ball(1.0), jac=True, x0=np.zeros(3))
    assert both.success


def test_a_function_may_keep_or_change_what_it_is_given():
    kept = []

    def fun(x):
        kept.append(x)
        value = float(x @ x)
        x[:] = 99.0
        return value

    result = fw.minimize(fun, fw.Simplex(), jac=lambda x: 2 * x, x0=[1.0, 0.0], tol=1e-3)
    np.testing.assert_allclose(result.x, [0.5, 0.5], atol=0.03)


@pytest.mark.parametrize("region", region_examples(), ids=repr)
def test_the_default_reaches_a_small_gap_everywhere(region):
    for objective in objective_examples(size(region)):
        problem = fw.Problem(objective, region)
        assert best_for(problem).accepts(problem) is None
        result = fw.minimize(objective, region, tol=1e-6)
        assert result.success, (objective, result)
        assert result.certified


def test_the_default_without_convexity_or_without_an_end_still_runs(rng):
    saddle = fw.Quadratic(np.diag([1.0, -1.0, 2.0]))
    for region in (fw.L1Ball(1.0), fw.L2Ball(1.0), fw.Box(), fw.Simplex()):
        result = fw.minimize(saddle, region, max_iter=200)
        assert not result.certified
        assert region.contains(result.x)
    f = fw.Poisson(rng.uniform(0.1, 1.0, (20, 3)), rng.uniform(0.5, 2.0, 20))
    for region in (fw.Simplex(), fw.L2Ball(0.5, center=np.ones(3))):
        assert fw.minimize(f, region, tol=1e-6).success


def test_methods_by_name_and_by_object():
    one = fw.minimize(F, BALL, method="jacobi", max_iter=5)
    other = fw.minimize(F, BALL, method=fw.jacobi(), max_iter=5)
    np.testing.assert_array_equal(one.x, other.x)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"objective": "logistic"}, "objective must be one of frankwolfe's"),
        ({"objective": lambda x: 0.0}, "jac is missing"),
        ({"objective": F, "jac": True}, "this objective has its own"),
        ({"objective": lambda x: 0.0, "jac": lambda x: x}, "number of variables is unknown"),
        ({"objective": lambda x: 0.0, "jac": lambda x: x[:1], "x0": [0.0, 0.0]}, "shape of x"),
        ({"objective": lambda x: x, "jac": lambda x: x, "x0": [0.0, 0.0]}, "one number"),
        ({"region": 1.0}, "region must be one of frankwolfe's"),
        ({"region": fw.Box([0.0] * 4, 1.0)}, "has 4 variables, the objective 3"),
        ({"region": fw.L2Ball(1.0, center=[0.0, 0.0])}, "has 2 variables, the objective 3"),
        (
            {"method": "newton"},
            "method must be one of afw, ",
        ),
        ({"method": 3}, "method must be a method such as jacobi"),
        ({"x0": [0.0, 0.0]}, "x0 must have 3 entries, got 2"),
        ({"x0": [0.0, np.nan, 0.0]}, "x0 must be finite"),
        ({"x0": [[0.0, 0.0, 0.0]]}, "x0 must be a non-empty vector"),
        ({"x0": [2.0, 0.0, 0.0]}, r"x0 must lie in the region L2Ball\(radius=1\)"),
        ({"x0": "zero"}, "x0 must be an array of real numbers"),
        ({"tol": -1.0}, "tol must be"),
        ({"tol": np.nan}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be a whole number >= 1"),
        ({"max_iter": 10.5}, "max_iter must be a whole number >= 1"),
        ({"method": fw.FrankWolfe}, "method must be a method such as jacobi"),
        ({"callback": 3}, "callback must be a Callback .* got int"),
        (
            {"objective": lambda x: 0.0, "jac": True, "x0": [0.0]},
            r"return \(value, gradient\)",
        ),
        ({"objective": lambda x: (0.0, x), "jac": lambda x: x, "x0": [0.0]}, "one number"),
        ({"objective": lambda x: None, "jac": lambda x: x, "x0": [0.0]}, "one number"),
        ({"x0": [[0.0], [0.0, 1.0]]}, "x0 must be an array of real numbers"),
        ({"stop": 100}, "stop must be a rule"),
        ({"callback": [fw.Progress]}, "callback must be a Callback .* got Progress"),
        ({"callback": fw.Checkpoint("/no/such/folder/run.npz")}, "a checkpoint cannot be written"),
    ],
)
def test_bad_arguments_say_what_is_wrong(arguments, words):
    with pytest.raises(fw.InvalidInput, match=words) as caught:
        fw.minimize(**{"objective": F, "region": BALL, **arguments})
    assert str(caught.value).count("\n") == 0
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("recipe", [fw.jacobi, fw.methods.jacobi_momentum])
@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"alpha": -1.0, "beta": -1.0}, "alpha must be a finite number > -1, got -1"),
        ({"alpha": np.nan}, "alpha must be"),
        ({"beta": -1.2}, "beta must be a finite number > -1, got -1.2"),
        ({"alpha": 1.0, "beta": 2.0}, "beta must not exceed alpha"),
        ({"gamma": -0.1}, "gamma must be a finite number >= 0 and <= 1, got -0.1"),
        ({"gamma": 1.1}, "gamma must be"),
    ],
)
def test_bad_jacobi_parameters_say_what_is_wrong(recipe, parameters, words):
    with pytest.raises(fw.InvalidInput, match=words):
        recipe(**parameters)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fw.frank_wolfe(0.1), r"step must be a step part such as OpenLoop\(2\), got 0.1"),
        (lambda: fw.frank_wolfe(fw.steps.ExactLineSearch), "step must be a step part"),
        (lambda: fw.FrankWolfe(model=None), "model must be a model part"),
        (lambda: fw.solve(fw.Problem(F, BALL), "afw", fw.Gap(1.0)), "method must be a method"),
        (lambda: fw.solve(fw.Problem(F, BALL), fw.afw(), 100), "stop must be a rule"),
        (lambda: fw.Gap(1.0) | 100, "only stopping rules combine"),
        (lambda: fw.Gap("1e-3"), "tolerance must be a finite number"),
        (lambda: fw.L2Ball(10**400), "radius must be a finite number"),
        (lambda: fw.jacobi(1e200, 1e200), "alpha must be at most"),
        (lambda: fw.polynomials.coefficients(0, -1.0, -1.0), "alpha, beta > -1"),
        (lambda: fw.polynomials.weights(-1, 0.0, 0.0), "k >= 0"),
        (lambda: fw.Checkpoint(None), "path must name a file"),
        (lambda: F(np.zeros(7)), "x must have 3 entries"),
        (lambda: F.grad([np.nan, 0.0, 0.0]), "x must be finite"),
        (lambda: BALL.lmo("up"), "g must be"),
    ],
)
def test_other_wrong_kinds_say_what_is_wrong(make, words):
    with pytest.raises(fw.InvalidInput, match=words):
        make()


def test_a_failed_call_leaves_the_function_as_it_was():
    f = fw.Function(lambda x: float(x @ x), lambda x: 2 * x)
    with pytest.raises(fw.InvalidInput):
        fw.minimize(f, BALL, x0=np.zeros((2, 3)))
    assert fw.minimize(f, BALL, x0=np.full(3, 0.1)).success
    assert fw.minimize(f, BALL, x0=np.full(5, 0.1)).success


def test_no_work_is_done_before_the_arguments_are_checked():
    calls = []

    def fun(x):
        calls.append(x)
        return 0.0, np.zeros(2)

    for bad in ({"tol": -1.0}, {"method": "newton"}, {"x0": [5.0, 0.0]}, {"stop": 1}):
        with pytest.raises(fw.InvalidInput):
            fw.minimize(fun, BALL, **{"jac": True, "x0": [0.0, 0.0], **bad})
    assert calls == []


def test_one_variable_and_a_region_of_one_point():
    one = fw.minimize(lambda x: float(x[0]), fw.Box(-1.0, 1.0), jac=lambda x: np.ones(1), x0=[0.0])
    assert one.x[0] == pytest.approx(-1.0)
    point = fw.minimize(F, fw.Box([0.5] * 3, [0.5] * 3))
    np.testing.assert_array_equal(point.x, [0.5] * 3)
    assert point.gap == pytest.approx(0.0, abs=1e-12)
