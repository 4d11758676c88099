from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from frankwolfe.base.kernels import losses, vectors
from frankwolfe.base.kernels.elementary import (
    exp_negative,
    log1p_inverse,
    log1p_inverse_beyond,
)
from frankwolfe.base.kernels.terms import HUBER, LOGISTIC, SQUARED


def _all(x, u, e, p, r):
    for i in range(x.size):
        e[i] = exp_negative(x[i])
        p[i], r[i] = log1p_inverse(u[i])


@pytest.mark.parametrize("fastmath", [False, losses.REASSOCIATE])
def test_elementary_functions_are_within_a_few_units_in_the_last_place(fastmath, rng):
    x = -np.concatenate(
        [np.linspace(0, 2, 20_001), np.linspace(0, 700, 20_001), rng.exponential(5, 20_000), [0.0]]
    )
    e, p, r = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    u = np.exp(x)
    njit(fastmath=fastmath)(_all)(x, u, e, p, r)
    exact = np.exp(x.astype(np.longdouble))
    ulp = np.spacing(np.float64(exact))
    assert np.abs((e - exact) / ulp).max() <= 2
    exact = np.log1p(u.astype(np.longdouble))
    assert np.abs((p - exact) / np.spacing(np.float64(exact))).max() <= 4
    exact = 1 / (1 + u.astype(np.longdouble))
    assert np.abs((r - exact) / np.spacing(np.float64(exact))).max() <= 3


def _beyond(u, p, r):
    for i in range(u.size):
        p[i], r[i] = log1p_inverse_beyond(u[i])


@pytest.mark.parametrize("fastmath", [False, losses.REASSOCIATE])
def test_the_logarithm_beyond_one_is_as_close(fastmath, rng):
    ends = [0.0, 1e-300, 1e-16, 1.0, np.nextafter(1.0, 0.0), np.nextafter(1.0, 2.0), 3.0, 1e300]
    u = np.concatenate([np.linspace(0, 40, 20_001), 10.0 ** rng.uniform(-20, 20, 20_000), ends])
    p, r = np.empty_like(u), np.empty_like(u)
    njit(fastmath=fastmath)(_beyond)(u, p, r)
    exact = np.log1p(u.astype(np.longdouble))
    assert np.abs((p - exact) / np.spacing(np.float64(exact))).max() <= 4
    exact = 1 / (1 + u.astype(np.longdouble))
    assert np.abs((r - exact) / np.spacing(np.float64(exact))).max() <= 4


def _reference(code, delta, z, b):
    if code == LOGISTIC:
        return np.logaddexp(0, -b * z)
    c = z - b
    if code == SQUARED:
        return 0.5 * c * c
    return np.where(abs(c) <= delta, c * c, 2 * delta * abs(c) - delta**2)


@pytest.mark.parametrize("code", [LOGISTIC, SQUARED, HUBER])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_losses_agree_with_numpy_and_with_each_other(code, dtype, rng):
    m, delta = 103, 0.6
    z = (4 * rng.standard_normal(m)).astype(dtype)
    b = np.sign(rng.standard_normal(m)).astype(dtype)
    w, slope = rng.uniform(0, 1, m), np.empty(m, dtype)
    dz = rng.standard_normal(m).astype(dtype)
    tol = 1e-12 if dtype == np.float64 else 1e-5
    expected = float(w @ _reference(code, delta, z.astype(float), b.astype(float)))
    value, inner = losses.linearize(code, delta, z, b, w, slope)
    assert value == pytest.approx(expected, rel=tol)
    assert losses.value(code, delta, z, b, w) == pytest.approx(expected, rel=tol)
    assert inner == pytest.approx(float(slope.astype(float) @ z), rel=tol, abs=tol)
    at, first, second = losses.along(code, delta, z, dz, 0.0, b, w)
    assert at == pytest.approx(expected, rel=tol)
    assert first == pytest.approx(float(slope.astype(float) @ dz), rel=tol, abs=tol)
    assert second >= 0


@pytest.mark.parametrize("z", [1e4, -1e4, 1e300, -1e300])
def test_logistic_loss_does_not_overflow(z):
    slope = np.empty(1)
    value, _ = losses.linearize(0, 1.0, np.array([z]), np.ones(1), np.ones(1), slope)
    assert value == pytest.approx(max(-z, 0.0), abs=1e-300)
    assert slope[0] == pytest.approx(-1.0 if z < 0 else 0.0, abs=1e-300)


@pytest.mark.parametrize("code", [LOGISTIC, SQUARED, HUBER])
def test_losses_let_nan_and_infinity_be_seen(code):
    for bad in (np.nan, np.inf):
        z = np.array([0.0, bad, 1.0, 2.0] * 5)
        total = losses.value(code, 1.0, z, np.ones(20), np.ones(20))
        assert not np.isfinite(total) or (code == LOGISTIC and bad == np.inf)


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1.0, 1e200, 1e308])
def test_l2_vertex_is_safe_from_overflow(scale):
    out = np.empty(3)
    vectors.l2_vertex(out, scale * np.array([1.0, -1.0, 0.5]), 2.0)
    np.testing.assert_allclose(out, [-4 / 3, 4 / 3, -2 / 3], rtol=1e-3 if scale < 1e-300 else 1e-12)
