"""Who uses the cores: a caller's limits count, small work stays on one, and bits stay the same."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import THREADS

import frankwolfe as fw
from frankwolfe.base import threads
from frankwolfe.core import maps, products, sparse_map
from frankwolfe.core.maps import as_map

POLICY = """
import threading
import numba
import numpy as np
import scipy.linalg
from threadpoolctl import threadpool_info, threadpool_limits
import frankwolfe as fw
from frankwolfe.base import threads

def blas():
    return max(p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas")

f = fw.SquaredError(np.random.default_rng(0).standard_normal((1000, 600)), np.ones(1000))
def seen(work=1e9):
    found = []
    def look(run):
        found.append((threads.many(work), numba.get_num_threads(), blas()))
    fw.minimize(f, fw.L2Ball(1.0), max_iter=2, tol=0.0, callback=look)
    return found[0]

before = blas()
"""


def _says(program: str, **said: str) -> str:
    """What a new process prints that is told so many threads."""
    environment = {k: v for k, v in os.environ.items() if k not in THREADS} | said
    command = [sys.executable, "-c", POLICY + program]
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=environment
    ).stdout


def test_our_loops_have_the_threads_and_blas_has_one_until_a_run_ends():
    program = """
print(seen(), seen(100), blas() == before, numba.get_num_threads())
with threadpool_limits(1):
    print(seen(), numba.get_num_threads())
with threadpool_limits(2):
    print(seen(), blas(), numba.get_num_threads())
numba.set_num_threads(1)
print(seen())
numba.set_num_threads(4)
one = threading.Thread(target=lambda: print(threads.many(1e9)))
one.start()
one.join()
"""
    lines = _says(program, NUMBA_NUM_THREADS="4").splitlines()
    assert lines[0] == "(True, 4, 1) (False, 4, 1) True 4"
    assert lines[1] == "(False, 1, 1) 4"  # and Numba's number is what it was
    if os.cpu_count() > 2:
        assert lines[2] == "(True, 2, 1) 2 4"
    assert lines[3:] == ["(False, 1, 1)", "False"]


@pytest.mark.parametrize(
    ("said", "most"),
    [
        ({"OMP_NUM_THREADS": "3"}, "(True, 3, 1)"),
        ({"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}, "(True, 4, 1)"),
    ],
)
def test_what_the_environment_says_counts(said, most):
    assert _says("print(seen())", NUMBA_NUM_THREADS="4", **said).strip() == most


def test_fewer_threads_need_more_to_do(monkeypatch):
    least = {}
    for count in (1, 2, 4, 16, 64):
        monkeypatch.setattr(threads, "_count", lambda count=count: count if count > 1 else 0)
        works = [work for work in 2.0 ** np.arange(10, 40) if threads.many(work)]
        least[count] = min(works, default=np.inf)
    assert least[1] == np.inf
    assert least[2] > least[4] > least[16] == least[64] >= threads.MIN_CHUNKED_LENGTH


def _both_ways(monkeypatch, run):
    """What a loop gives on threads, and on one."""
    found = []
    for many in (True, False):
        for module in (maps, sparse_map, products):
            monkeypatch.setattr(module, "many", lambda work, many=many: many)
        found.append(run())
    return found


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("strips", [1, 10**6])
def test_dense_products_are_the_same_bits_on_threads(rng, monkeypatch, order, strips):
    monkeypatch.setattr(products, "MIN_CHUNKED_LENGTH", 1)
    monkeypatch.setattr(products, "STRIP", strips)
    A = np.asarray(rng.standard_normal((131, 97)), order=order)
    x, y = rng.standard_normal(97), rng.standard_normal(131)

    def run():
        linear, image, gradient = as_map("A", A), np.empty(131), np.empty(97)
        linear.apply(x, image)
        linear.adjoint(y, gradient)
        return image, gradient

    (image, gradient), (same, too) = _both_ways(monkeypatch, run)
    np.testing.assert_array_equal(image, same)
    np.testing.assert_array_equal(gradient, too)
    np.testing.assert_allclose(image, A @ x, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(gradient, A.T @ y, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_sparse_products_are_the_same_bits_on_threads(rng, monkeypatch, form):
    for module in (sparse_map, products):
        monkeypatch.setattr(module, "MIN_CHUNKED_LENGTH", 1)
    A = sp.random(400, 30, density=0.3, random_state=0).tolil()
    A[7], A[:, 3] = 1.0, 2.0  # a row and a column that are full
    A = A.asformat(form)
    x, y, w = rng.standard_normal(30), rng.standard_normal(400), rng.random(400)

    def run():
        linear, image, gradient = as_map("A", A), np.empty(400), np.empty(30)
        linear.apply(x, image)
        linear.adjoint(y, gradient)
        gram, cross = linear.weighted_gram(w), products.weighted_gram(A, A[:, :9], w)
        return image, gradient, gram, cross

    many, one = _both_ways(monkeypatch, run)
    dense = A.toarray()
    wanted = dense @ x, dense.T @ y, dense.T @ (w[:, None] * dense)
    for found, same, right in zip(many, one, (*wanted, wanted[2][:, :9]), strict=True):
        np.testing.assert_array_equal(found, same)
        np.testing.assert_allclose(found, right, rtol=1e-11, atol=1e-11)


def test_products_of_images_in_blocks_and_strips(rng, monkeypatch):
    monkeypatch.setattr(products, "many", lambda work: True)
    for rows, columns in ((1500, 60), (40, 7), (3, 1)):
        B = np.asfortranarray(rng.standard_normal((rows, columns)))
        C, w = np.asfortranarray(rng.standard_normal((rows, 11))), rng.random(rows)
        for left, right in ((B, B), (B, C), (B.astype(np.float32), C)):
            found = products.weighted_gram(left, right, w)
            wanted = left.T.astype(float) @ (w[:, None] * right.astype(float))
            np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-11)


def test_a_working_set_run_is_the_same_on_threads(rng, monkeypatch):
    A = rng.standard_normal((60, 90))
    f = fw.SquaredError(A, A[:, :4].sum(axis=1))

    def run():
        return fw.minimize(f, fw.L1Ball(3.0), tol=1e-10).x

    monkeypatch.setattr(products, "MIN_CHUNKED_LENGTH", 1)
    many, one = _both_ways(monkeypatch, run)
    np.testing.assert_allclose(many, one, atol=1e-9)
