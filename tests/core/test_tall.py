"""Matrices with many rows and few columns."""

from __future__ import annotations

import numpy as np
import pytest

from frankwolfe.core import tall


@pytest.fixture(autouse=True)
def _small_is_long(monkeypatch):
    monkeypatch.setattr(tall, "MIN_CHUNKED_LENGTH", 1)


def _of_condition(rng, condition, shape=(900, 12)):
    """A matrix whose singular values fall from 1 to one over the condition."""
    (q, _), (turn, _) = (np.linalg.qr(rng.standard_normal((n, shape[1]))) for n in shape)
    return (q * np.logspace(0.0, -np.log10(condition), shape[1])) @ turn


@pytest.mark.parametrize("condition", [1.0, 1e4, 1e7, 1e9, 1e14])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_columns_are_orthonormal_however_near_to_dependent_they_were(rng, condition, dtype):
    A = (_of_condition(rng, condition) * 10.0 ** rng.uniform(-20, 20, 12)).astype(dtype)
    q, r = tall.thin_qr(A)
    eps = float(np.finfo(dtype).eps)
    assert q.dtype == r.dtype == dtype
    np.testing.assert_allclose(q.T.astype(float) @ q, np.eye(12), atol=50 * eps)
    np.testing.assert_array_equal(np.tril(r, -1), 0.0)
    assert (np.abs(q @ r - A) <= 100 * eps * np.abs(A).max(axis=0)).all()


@pytest.mark.parametrize("which", ["twice", "zero", "square"])
def test_columns_that_depend_on_others_are_left_to_reflections(rng, which):
    A = rng.standard_normal((12, 12) if which == "square" else (900, 12))
    A[:, 5] = {"twice": A[:, 4], "zero": 0.0 * A[:, 4], "square": A[:, 5]}[which]
    q, r = tall.thin_qr(A)
    np.testing.assert_allclose(q.T @ q, np.eye(12), atol=1e-13)
    np.testing.assert_allclose(q @ r, A, atol=1e-12)


def test_products_are_the_same_bits_on_threads(rng, monkeypatch):
    A, S = rng.standard_normal((901, 7)), rng.standard_normal((7, 3))
    terms = np.ascontiguousarray(np.linalg.qr(rng.standard_normal((901, 5)))[0].T)
    found = []
    for many in (True, False):
        monkeypatch.setattr(tall, "many", lambda work, many=many: many)
        block = A.copy()
        tall.take_out(block, terms)
        found.append((*tall.thin_qr(A), tall.times(A, S, np.float64), block))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(found[0][2], A @ S, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(block, A - terms.T @ (terms @ A), atol=1e-13)
