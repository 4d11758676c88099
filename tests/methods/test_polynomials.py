from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import eval_jacobi

from frankwolfe import InvalidInput, polynomials

PARAMETERS = [(0.0, 0.0), (1.2, 1.2), (3.0, 0.5), (-0.5, -0.5), (-0.3, -0.9), (7.0, -0.2), (20, 3)]


@pytest.mark.parametrize(("alpha", "beta"), PARAMETERS)
@pytest.mark.parametrize("k", [0, 1, 2, 3, 7, 20])
def test_recurrence_is_scipys_jacobi_polynomial_scaled_to_one(alpha, beta, k):
    x = np.linspace(-1, 1, 41)
    expected = eval_jacobi(k, alpha, beta, x) / eval_jacobi(k, alpha, beta, 1.0)
    scale = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(
        polynomials.evaluate(k, alpha, beta, x), expected, atol=2e-13 * scale
    )


@given(
    k=st.integers(0, 5000),
    beta=st.floats(-0.99, 2000),
    more=st.floats(0, 100),
)
def test_coefficients_sum_to_one(k, beta, more):
    a, b, c = polynomials.coefficients(k, beta + more, beta)
    assert abs(a + b - c - 1) <= 1e-12 * max(a, abs(b), c, 1)


@pytest.mark.parametrize(("alpha", "beta"), PARAMETERS)
def test_many_omegas_are_the_same_bits(alpha, beta):
    k = np.arange(1, 2000)
    one_by_one = [polynomials.omega(int(j), alpha, beta, 0.7) for j in k]
    np.testing.assert_array_equal(polynomials.omegas(k, alpha, beta, 0.7), one_by_one)
    with pytest.raises(InvalidInput, match="k >= 1"):
        polynomials.omegas(np.arange(3), alpha, beta, 0.7)


@pytest.mark.parametrize(("alpha", "beta"), PARAMETERS)
def test_weights_are_the_polynomial_and_sum_to_one(alpha, beta):
    x = np.linspace(-1, 1, 11)
    for k in range(9):
        theta = polynomials.weights(k, alpha, beta)
        powers = sum(t * x**i for i, t in enumerate(theta))
        scale = np.abs(theta).sum()
        np.testing.assert_allclose(
            powers, polynomials.evaluate(k, alpha, beta, x), atol=1e-13 * scale
        )
        assert abs(theta.sum() - 1) < 1e-13 * scale


@pytest.mark.parametrize(("alpha", "beta"), [(1.2, 1.2), (3.0, 0.5), (-0.5, -0.5)])
def test_recursion_and_explicit_sum_of_theorem_1_give_the_same_point(alpha, beta, rng):
    # x_i are Frank-Wolfe iterates with a fixed step toward a fixed atom: x_{i+1} = T x_i
    gamma, s, x0 = 0.3, rng.standard_normal(4), rng.standard_normal(4)
    iterates = [x0]
    for _ in range(12):
        iterates.append((1 - gamma) * iterates[-1] + gamma * s)
    before, now = np.zeros(4), x0  # z from the recurrence (3), with T in place of lambda
    for k in range(12):
        a, b, c = polynomials.coefficients(k, alpha, beta)
        before, now = now, a * ((1 - gamma) * now + gamma * s) + b * now - c * before
        theta = polynomials.weights(k + 1, alpha, beta)
        explicit = sum(t * x for t, x in zip(theta, iterates, strict=False))
        np.testing.assert_allclose(now, explicit, atol=1e-13 * np.abs(theta).sum())


def test_omega_is_line_5_of_algorithm_2():
    a, b, _ = polynomials.coefficients(7, 3.0, 0.5)
    assert polynomials.omega(7, 3.0, 0.5, 0.25) == a * 0.75 + b


def test_theorem2_bound():
    k = np.arange(5)
    expected = 2.0 * 4 * 3.0 * 5.0**2 / ((k + 1) * (k + 2))
    np.testing.assert_allclose(polynomials.theorem2_bound(k, 2.0, 1.0, 3.0, 5.0), expected)
    assert np.isinf(polynomials.theorem2_bound(3, 1.0, 0.0, 1.0, 1.0))


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ((-1, -1, 0.5), "alpha"),
        ((1, -1.5, 0.5), "beta"),
        ((1, 2, 0.5), "beta"),
        ((1, 1, 1.5), "gamma"),
    ],
)
def test_wrong_parameters_are_named(parameters, name):
    with pytest.raises(InvalidInput, match=name):
        polynomials.check_parameters(*parameters)
