"""Methods that must coincide, compared iterate by iterate."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from conftest import N

import frankwolfe as fw
from frankwolfe.apps.paper.algebra import collapse_error
from frankwolfe.base.memory import Memory
from frankwolfe.methods.parts.combinations import JacobiMomentum
from frankwolfe.methods.polynomials import coefficients, omega
from frankwolfe.methods.steps import Step

TEN = [
    (1.2, 1.2, 2 / 3),
    (1450.0, 1450.0, 0.65),
    (4.5, 4.5, 2 / 3),
    (0.0, 0.0, 0.5),
    (3.0, 0.5, 0.3),
    (2.0, -0.5, 0.9),
    (10.0, 10.0, 1.0),
    (-0.2, -0.4, 0.8),
    (50.0, 1.0, 0.5),
    (0.5, 0.5, 0.4),
]


class _OmegaStep(Step):
    monotone = needs_tangent = False

    def __init__(self, parameters):
        self.parameters = parameters

    def memory(self, problem):
        return Memory()

    def size(self, state, largest, memory):
        return min(largest, omega(state.k, *self.parameters) * 2 / (state.k + 2))


def _pairs(problem, one, other, steps):
    yield from islice(zip(fw.states(problem, one), fw.states(problem, other), strict=True), steps)


def _problems(rng):
    A = rng.standard_normal((40, N))
    b = A @ rng.standard_normal(N) + rng.standard_normal(40)
    return [
        fw.Problem(fw.SquaredError(A, b), fw.L2Ball(0.5)),
        fw.Problem(fw.Logistic(A, np.sign(b)), fw.L2Ball(0.8)),
        fw.Problem(fw.Huber(A, b), fw.LpBall(1.5, 0.5)),
    ]


@pytest.mark.parametrize("parameters", TEN)
def test_algorithm_2_is_frank_wolfe_with_step_omega_gamma(parameters, rng):
    for problem in _problems(rng):
        plain = fw.FrankWolfe(step=_OmegaStep(parameters))
        for one, other in _pairs(problem, fw.jacobi(*parameters), plain, 1001):
            difference = np.linalg.norm(one.x - other.x)
            assert difference <= 1e-12 * max(np.linalg.norm(other.x), 1e-300), one.k
            assert one.value == pytest.approx(other.value, rel=1e-12)


@pytest.mark.parametrize("parameters", TEN)
def test_and_in_lockstep_where_rounding_would_take_over(parameters):
    # on (a) the course of JFW hangs on the last bit after some 300 steps: compare each step
    assert collapse_error(*parameters, steps=1000) < 1e-12


@pytest.mark.parametrize("region", [fw.L1Ball(1.0), fw.Simplex(), fw.UnitSimplex()], ids=repr)
@pytest.mark.parametrize(
    "method", [fw.frank_wolfe(), fw.jacobi(), fw.methods.jacobi_momentum(), fw.afw()], ids=str
)
def test_scaled_points_are_dense_points(region, method, rng):
    A, b = rng.standard_normal((30, N)), rng.standard_normal(30)
    f = fw.SquaredError(A, b)

    class Plain(type(region)):
        sparse_atoms = False

        def lmo(self, g, out=None):
            return super().lmo(g)

    dense = Plain(1.0)
    dense.sparse_atoms = True  # the ball's own code may need it; the iterate looks below
    problem, plain = fw.Problem(f, region), fw.Problem(f, dense)
    dense.sparse_atoms = False
    for one, other in islice(
        zip(fw.states(problem, method), fw.states(plain, method), strict=True), 500
    ):
        np.testing.assert_allclose(one.x, other.x, atol=1e-12)
        np.testing.assert_allclose(
            one.iterate.point.previous(), other.iterate.point.previous(), atol=1e-12
        )


def test_afw_is_the_papers_recursion(rng):
    problem = _problems(rng)[1]
    f, ball = problem.objective, problem.region
    x = v = problem.start()
    theta = np.zeros(N)
    for state in islice(fw.states(problem, fw.afw()), 400):
        np.testing.assert_allclose(state.x, x, atol=1e-12)
        delta = 2 / (state.k + 3)
        y = (1 - delta) * x + delta * v
        theta = (1 - delta) * theta + delta * f.grad(y)
        v = ball.lmo(theta).dense(N)
        x = (1 - delta) * x + delta * v


def test_jacobi_momentum_is_its_recursion_with_explicit_weights(rng):
    for problem in _problems(rng):
        alpha, beta, gamma = 1.2, 1.2, 2 / 3
        x = before = problem.start()
        w = w_before = np.ones(1)
        cuts = 0
        for state in islice(
            fw.states(problem, fw.methods.jacobi_momentum(alpha, beta, gamma)), 600
        ):
            np.testing.assert_allclose(state.x, x, atol=1e-9)
            assert abs(state.cuts - cuts) <= 1  # a tie may fall either way
            k = state.k
            s = problem.region.lmo(problem.objective.grad(state.x)).dense(N)
            c = coefficients(k, alpha, beta)[2]
            t = omega(k, alpha, beta, gamma) * 2 / (k + 2)
            w, w_before = np.append(w, 0.0), np.append(w_before, 0.0)
            atom = np.zeros_like(w)
            atom[-1] = 1.0
            base, change = w + t * (atom - w), w - w_before
            limit = min((base[change < 0] / -change[change < 0]).tolist(), default=np.inf)
            mu = min(c, max(limit, 0.0))
            cuts += mu < c * (1 - 1e-9)
            w, w_before = base + mu * change, w
            w[np.abs(w) < 1e-15] = 0.0
            x, before = state.x + t * (s - state.x) + mu * (state.x - before), state.x


def test_momentum_without_room_is_cut_but_never_infeasible(rng):
    for region in (fw.L2Ball(1.0), fw.L1Ball(1.0), fw.Box(-0.2, 0.2)):
        A, b = rng.standard_normal((40, N)), rng.standard_normal(40) + 5
        method = fw.FrankWolfe(combination=JacobiMomentum(3.0, -0.5, 0.0))
        for state in islice(fw.states(fw.Problem(fw.SquaredError(A, b), region), method), 3000):
            assert region.violation(state.x) <= 1e-10
        assert state.cuts > 0


def test_a_jacobi_step_beyond_one_is_cut_and_reported(rng):
    A, b = rng.standard_normal((40, N)), rng.standard_normal(40) + 5
    f = fw.SquaredError(A, b)
    result = fw.minimize(f, fw.L2Ball(1.0), method=fw.jacobi(-0.9, -0.9, 0.0), max_iter=50)
    assert (result.history["step"][1:] <= 1).all()
    assert "cut to keep x in the region" in result.message


def test_quadratic_form_and_squared_error_are_the_same_problem(rng):
    A, b = rng.standard_normal((30, N)), rng.standard_normal(30)
    one = fw.SquaredError(A, b, reduction="sum")
    other = fw.Quadratic(A.T @ A, -A.T @ b, constant=0.5 * b @ b)
    for region in (fw.L2Ball(0.3), fw.L1Ball(0.5)):
        for method in (fw.frank_wolfe(), fw.jacobi(), fw.afw()):
            first = fw.minimize(one, region, method=method, max_iter=200, tol=0.0)
            second = fw.minimize(other, region, method=method, max_iter=200, tol=0.0)
            np.testing.assert_allclose(first.x, second.x, atol=1e-9)
            np.testing.assert_allclose(first.history["gap"], second.history["gap"], atol=1e-7)


def test_a_plain_function_takes_the_same_course(rng):
    A, b = rng.standard_normal((30, N)), rng.standard_normal(30)
    f = fw.SquaredError(A, b)
    for step in (None, fw.steps.Backtracking(), fw.steps.Secant(), fw.steps.ExactLineSearch()):
        ours = fw.minimize(f, fw.L2Ball(0.3), method=fw.frank_wolfe(step), max_iter=30, tol=1e-9)
        both = fw.minimize(
            lambda x: (f(x), f.grad(x)),
            fw.L2Ball(0.3),
            jac=True,
            x0=np.zeros(N),
            method=fw.frank_wolfe(step),
            max_iter=30,
            tol=1e-9,
        )
        # where a search ends hangs on rounding, and the steps after it hang on that: the two are
        # then as far apart as their gaps allow
        apart = 1e-8 if step is None else max(1e-8, ours.gap, both.gap)
        assert both.fun == pytest.approx(ours.fun, abs=apart)


@pytest.mark.parametrize("order", ["dense", "sparse"])
def test_dense_and_sparse_data_take_the_same_course(order, rng):
    import scipy.sparse as sp

    A = rng.standard_normal((50, N)) * (rng.random((50, N)) < 0.5)
    b = np.sign(rng.standard_normal(50))
    data = sp.csr_array(A) if order == "sparse" else A
    result = fw.minimize(fw.Logistic(data, b), fw.L1Ball(2.0), method="jacobi", max_iter=300)
    plain = fw.minimize(
        fw.Logistic(np.asfortranarray(A), b), fw.L1Ball(2.0), method="jacobi", max_iter=300
    )
    np.testing.assert_allclose(result.x, plain.x, atol=1e-10)


def test_auto_is_the_only_word_that_alpha_takes():
    with pytest.raises(fw.InvalidInput, match='alpha must be a number > -1 or "auto"'):
        fw.jacobi("best")
