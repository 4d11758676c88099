"""Laws that every registered objective obeys."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import N, objective_examples
from laws import ObjectiveLaws

import frankwolfe as fw
from frankwolfe import InvalidInput
from frankwolfe.core.atoms import Sparse, Vertex

EXAMPLES = objective_examples()


@pytest.mark.parametrize("f", EXAMPLES, ids=lambda f: type(f).__name__)
class TestLaws(ObjectiveLaws):
    """For every registered objective."""


LOSSES = [fw.Logistic, fw.SquaredError, fw.Huber, fw.Quantile]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_array, sp.coo_array, sp.lil_matrix])
def test_sparse_and_dense_data_give_the_same(loss, kind, rng):
    A = rng.standard_normal((30, N)) * (rng.random((30, N)) < 0.4)
    b = np.sign(rng.standard_normal(30))
    dense, sparse = loss(A, b), loss(kind(A), b)
    x = rng.standard_normal(N)
    assert sparse(x) == pytest.approx(dense(x), rel=1e-13)
    np.testing.assert_allclose(sparse.grad(x), dense.grad(x), atol=1e-13)
    assert sparse.smoothness == pytest.approx(dense.smoothness, rel=1e-10)
    image, expected = np.empty(30), np.empty(30)
    for atom in (Vertex(2, 0.5), Sparse(np.array([0, 2, 5]), np.array([0.5, -1.0, 2.0]))):
        sparse.image_of(atom, image)
        dense.image_of(atom, expected)
        np.testing.assert_allclose(image, expected, atol=1e-14)
    np.testing.assert_allclose(sparse.grad(x), dense.grad(x), atol=1e-13)  # now by columns


def test_duplicate_entries_of_a_sparse_matrix_add_up():
    A = sp.csr_matrix((np.ones(2), np.array([0, 0]), np.array([0, 2])), shape=(1, 2))
    assert fw.SquaredError(A, [0.0], reduction="sum")(np.array([1.0, 0.0])) == 2.0
    assert A.nnz == 2  # the caller's matrix is as it was


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("layout", ["C", "F", "strided"])
def test_memory_layout_and_float32(loss, layout, rng):
    A = rng.standard_normal((40, 2 * N))
    A = A[:, ::2] if layout == "strided" else np.array(A[:, ::2], order=layout)
    b = np.sign(rng.standard_normal(40))
    x = rng.standard_normal(N)
    expected = loss(np.ascontiguousarray(A), b).grad(x)
    np.testing.assert_allclose(loss(A, b).grad(x), expected, atol=1e-14)
    few, image = Sparse(np.array([0, 3]), np.array([1.5, -1.0])), np.empty(40)
    loss(A, b).image_of(few, image)
    np.testing.assert_allclose(image, A @ few.dense(N), atol=1e-14)
    small = loss(A.astype(np.float32), b)
    assert small.dtype == np.float32
    assert small.grad(x.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(small.grad(x.astype(np.float32)), expected, atol=1e-4)


@pytest.mark.parametrize("loss", LOSSES)
def test_reduction_and_sample_weight(loss, rng):
    A, b = rng.standard_normal((12, N)), np.sign(rng.standard_normal(12))
    x, w = rng.standard_normal(N), rng.integers(0, 4, 12)
    assert loss(A, b, reduction="sum")(x) == pytest.approx(12 * loss(A, b)(x))
    repeated = loss(np.repeat(A, w, axis=0), np.repeat(b, w))(x)
    assert loss(A, b, sample_weight=w)(x) == pytest.approx(repeated)
    assert loss(A, b, sample_weight=w, reduction="sum")(x) == pytest.approx(repeated * w.sum())


def test_usual_huber_is_half_the_papers(rng):
    A, b = rng.standard_normal((12, N)), rng.standard_normal(12)
    x = rng.standard_normal(N)
    paper, usual = fw.Huber(A, b, delta=0.3), fw.Huber(A, b, delta=0.3, scaling="usual")
    assert usual(x) == pytest.approx(0.5 * paper(x))
    assert usual.smoothness == pytest.approx(0.5 * paper.smoothness)
    sklearn_huber = pytest.importorskip("scipy.special").huber(0.3, b - A @ x).mean()
    assert usual(x) == pytest.approx(sklearn_huber)


def test_labels_of_any_two_values(rng):
    A = rng.standard_normal((10, N))
    signs = np.array([1.0, -1.0] * 5)
    x = rng.standard_normal(N)
    words = np.where(signs > 0, "yes", "no")
    for labels in (signs, (signs + 1) / 2, words, signs > 0):
        assert fw.Logistic(A, labels)(x) == pytest.approx(fw.Logistic(A, signs)(x))


def test_logistic_agrees_with_scikit_learn(rng):
    metrics = pytest.importorskip("sklearn.metrics")
    A, x = rng.standard_normal((50, N)), rng.standard_normal(N)
    b = np.sign(rng.standard_normal(50))
    probability = 1 / (1 + np.exp(-A @ x))
    assert fw.Logistic(A, b)(x) == pytest.approx(metrics.log_loss(b > 0, probability))


def test_quadratic_knows_when_it_is_not_convex():
    assert fw.Quadratic(np.diag([1.0, 0.0])).convex
    assert not fw.Quadratic(np.diag([1.0, -0.1])).convex
    large = sp.diags(np.linspace(1.0, 3.0, 2000)).tocsr()
    assert fw.Quadratic(large).convex
    assert 3.0 <= fw.Quadratic(large).smoothness <= 3.01
    assert not fw.Quadratic(large - 1.5 * sp.identity(2000, format="csr")).convex


def test_quadratic_with_a_flat_or_a_rounded_spectrum(rng):
    half = rng.standard_normal((20, 1100))
    f = fw.Quadratic(half.T @ half)
    assert f.convex
    exact = np.linalg.norm(half, 2) ** 2
    assert exact * (1 - 1e-12) <= f.smoothness <= 1.2 * exact
    small = (half[:, :30].T * rng.random(20)) @ half[:, :30]
    assert fw.Quadratic(small.astype(np.float32)).convex
    assert fw.Quadratic(np.eye(3, dtype=bool)).convex
    path = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(6000, 6000)).tocsr()
    assert fw.Quadratic(path).convex
    assert not fw.Quadratic(path - sp.identity(6000)).convex


def test_targets_are_copied(rng):
    b = rng.standard_normal(12)
    f = fw.SquaredError(rng.standard_normal((12, N)), b)
    before = f(np.zeros(N))
    b[:] = 0.0
    assert f(np.zeros(N)) == before


def test_huge_data_have_infinite_smoothness(rng):
    with np.errstate(over="ignore", invalid="ignore"):
        assert fw.SquaredError(1e200 * np.eye(3), np.ones(3)).smoothness == np.inf


def test_data_are_left_alone_and_not_copied(rng):
    A, b = rng.standard_normal((20, N)), np.sign(rng.standard_normal(20))
    before = A.copy(), b.copy()
    f = fw.Logistic(A, b)
    assert f.linear.matrix is A
    fw.minimize(f, fw.L1Ball(1.0), max_iter=20)
    np.testing.assert_array_equal(A, before[0])
    np.testing.assert_array_equal(b, before[1])


A_OK, B_OK = np.arange(6.0).reshape(3, 2), np.array([1.0, -1.0, 1.0])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fw.Logistic(np.ones(3), B_OK), "A must be a non-empty matrix"),
        (lambda: fw.Logistic(np.ones((0, 2)), []), "A must be a non-empty matrix"),
        (lambda: fw.Logistic([["a", "b"]], [1]), "A must be an array of real numbers"),
        (lambda: fw.Logistic(np.array([[1.0, np.nan]] * 3), B_OK), "A must be finite"),
        (lambda: fw.SquaredError(sp.csr_matrix([[np.inf, 0.0]]), [1.0]), "A must be finite"),
        (lambda: fw.Logistic(A_OK, [1, 2, 3]), "exactly two classes .* got 3"),
        (lambda: fw.Logistic(A_OK, [1, 1, 1]), "exactly two classes .* got 1"),
        (lambda: fw.Logistic(A_OK, [1, -1]), "one label for each of the 3 rows"),
        (lambda: fw.Logistic(A_OK, [1.0, np.nan, -1.0]), "b must be finite"),
        (lambda: fw.SquaredError(A_OK, [1.0, 2.0]), "b must have 3 entries, got 2"),
        (lambda: fw.SquaredError(A_OK, [1.0, np.inf, 0.0]), "b must be finite"),
        (lambda: fw.Huber(A_OK, B_OK, delta=0.0), "delta must be a finite number > 0"),
        (lambda: fw.Huber(A_OK, B_OK, scaling="double"), "scaling must be"),
        (lambda: fw.Quantile(A_OK, B_OK, quantile=1.0), "quantile must lie between 0 and 1"),
        (lambda: fw.Quantile(A_OK, B_OK, delta=0.0), "delta must be a finite number > 0"),
        (lambda: fw.Huber(A_OK, B_OK, reduction="max"), "reduction must be"),
        (lambda: fw.Huber(A_OK, B_OK, sample_weight=[1, -1, 1]), "sample_weight must be >= 0"),
        (lambda: fw.Huber(A_OK, B_OK, sample_weight=[1, 1]), "sample_weight must have 3 entries"),
        (lambda: fw.Logistic(A_OK, np.array([1, None, "a"], dtype=object)), "mixes kinds"),
        (lambda: fw.SquaredError(A_OK * 1j, B_OK), "A must be an array of real numbers"),
        (lambda: fw.SquaredError(sp.csr_matrix(A_OK * 1j), B_OK), "real numbers, got complex"),
        (lambda: fw.SquaredError(np.ma.masked_equal(A_OK, 3.0), B_OK), "masked"),
        (lambda: fw.Quadratic(np.ones((2, 3))), "Q must be square"),
        (lambda: fw.Quadratic([[1.0, 2.0], [0.0, 1.0]]), "Q must be symmetric"),
        (lambda: fw.Quadratic(np.eye(2), [1.0]), "c must have 2 entries"),
        (lambda: fw.Function(3, True), "fun must be callable"),
        (lambda: fw.Function(lambda x: 0.0, None), "jac must be a function"),
    ],
)
def test_bad_data_say_what_is_wrong(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()


@pytest.mark.parametrize("as_given", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gram_form_is_the_same_function(as_given, weighted, rng):
    A = rng.standard_normal((300, 12)) * (rng.random((300, 12)) < 0.5)
    weight = rng.uniform(0.5, 2.0, 300) if weighted else None
    f = fw.SquaredError(as_given(A), A @ np.ones(12), sample_weight=weight)
    g = f.gram()
    for _ in range(5):
        x = rng.standard_normal(12)
        assert g(x) == pytest.approx(f(x), rel=1e-12)
        np.testing.assert_allclose(g.grad(x), f.grad(x), rtol=1e-10, atol=1e-12)
    runs = [fw.minimize(h, fw.L1Ball(6.0), method="pairwise", tol=1e-13) for h in (f, g)]
    np.testing.assert_allclose(runs[0].x, runs[1].x, atol=1e-6)
    assert max(run.lower_bound for run in runs) <= min(run.fun for run in runs)
    exact = fw.minimize(g, fw.L1Ball(12.0), tol=1e-20, max_iter=100)  # f* = 0: all cancels
    assert exact.lower_bound <= 0.0 <= exact.fun + exact.gap
