"""Sets of matrices: what the laws of all regions do not say."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import frankwolfe as fw
from frankwolfe.core.gradients import DenseGradient
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.regions.matrices.rescaled import RescaledGradient


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fw.regions.SpectralBall(0, 3), "rows must be a whole number >= 1, got 0"),
        (lambda: fw.regions.SpectralBall(3, 2.5), "columns must be a whole number >= 1, got 2.5"),
        (lambda: fw.regions.SpectralBall(3, 2, -1.0), "radius must be a finite number > 0, got -1"),
        (lambda: fw.regions.SpectralBall(3, 2).lmo(np.ones(5)), "g must have 6 entries, got 5"),
        (lambda: fw.regions.Fantope(0), "n must be a whole number >= 1"),
        (lambda: fw.regions.Fantope(3, 0), "k must be a whole number >= 1"),
        (lambda: fw.regions.Fantope(3, 4), "k must be at most n = 3, got 4"),
        (lambda: fw.regions.Elliptope(0), "n must be a whole number >= 1, got 0"),
        (lambda: fw.regions.Elliptope(3).lmo(np.ones(8)), "g must have 9 entries, got 8"),
        (lambda: fw.regions.UnitSpectraplex(0.0), "trace must be a finite number > 0"),
        (lambda: fw.regions.WeightedNuclearBall(0.0, [1.0], [1.0]), "radius must be"),
        (
            lambda: fw.regions.WeightedNuclearBall(1.0, [1.0, 0.0], [1.0]),
            "row_weights must be > 0, got 0",
        ),
        (
            lambda: fw.regions.WeightedNuclearBall(1.0, [1.0], [-2.0]),
            "column_weights must be > 0, got -2",
        ),
        (
            lambda: fw.regions.WeightedNuclearBall(1.0, [], [1.0]),
            "row_weights must be a non-empty vector",
        ),
        (
            lambda: fw.regions.WeightedNuclearBall(1.0, [np.nan], [1.0]),
            "row_weights must be finite",
        ),
        (
            lambda: fw.regions.WeightedNuclearBall(1.0, [1.0, 2.0], [1.0]).lmo(np.ones((3, 1))),
            r"weights for matrices of shape \(2, 1\), the matrix has shape \(3, 1\)",
        ),
    ],
)
def test_bad_matrices_say_what_is_wrong(make, words):
    with pytest.raises(fw.InvalidInput, match=words) as caught:
        make()
    assert str(caught.value).count("\n") == 0
    assert str(caught.value).endswith(".")


def test_sets_that_coincide(rng):
    row, disc = fw.regions.SpectralBall(1, 5, 1.3), fw.L2Ball(1.3)
    for g in rng.standard_normal((10, 5)):
        np.testing.assert_allclose(row.lmo(g).dense(5), disc.lmo(g).dense(5), atol=1e-14)
        assert row.contains(g) == disc.contains(g)
    assert row.strictly_convex
    assert not fw.regions.SpectralBall(2, 5).strictly_convex
    one, other = fw.regions.Fantope(4, 1), fw.Spectraplex()
    for G in rng.standard_normal((10, 4, 4)):
        same = one.lmo(G.ravel()).dense(16).reshape(4, 4), other.lmo(G).dense(None)
        np.testing.assert_allclose(*same, atol=1e-12)
    unit, at_most = fw.regions.UnitSpectraplex(2.0), fw.Spectraplex(2.0, at_most=True)
    for G in (np.eye(3), *rng.standard_normal((10, 3, 3))):
        np.testing.assert_array_equal(unit.lmo(G).dense(None), at_most.lmo(G).dense(None))
    assert unit.fingerprint() != at_most.fingerprint()


def test_equal_weights_give_the_plain_ball(rng):
    plain, weighted = (
        fw.NuclearBall(2.0),
        fw.regions.WeightedNuclearBall(4.0, np.full(5, 2.0), [2.0] * 4),
    )
    for G in rng.standard_normal((10, 5, 4)):
        np.testing.assert_allclose(
            weighted.lmo(G).dense(None), plain.lmo(G).dense(None), atol=1e-13
        )
        assert weighted.contains(G) == plain.contains(G)
    assert weighted.diameter((5, 4)) == pytest.approx(plain.diameter((5, 4)))


@pytest.mark.parametrize("scale", [1e-200, 1e-12, 1.0, 1e12, 1e200])
def test_gradients_of_any_scale(scale, rng):
    G = rng.standard_normal((4, 4))
    for region in (
        fw.regions.SpectralBall(4, 4, 1.5),
        fw.regions.Fantope(4, 2),
        fw.regions.Elliptope(4),
    ):
        near = region.lmo(G.ravel()).dense(16)
        np.testing.assert_allclose(region.lmo(scale * G.ravel()).dense(16), near, atol=1e-6)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (5, 5), (9, 1), (9, 4), (9, 5), (9, 8), (30, 3)])
def test_a_fantope_counts_both_ways(n, k, rng):
    G = rng.standard_normal((n, n))
    P = fw.regions.Fantope(n, k).lmo(G.ravel()).dense(n * n).reshape(n, n)
    np.testing.assert_allclose(P @ P, P, atol=1e-12)
    assert np.trace(P) == pytest.approx(k)
    values = np.linalg.eigvalsh(0.5 * (G + G.T))
    assert float((P * G).sum()) == pytest.approx(values[:k].sum(), rel=1e-12)
    ties = fw.regions.Fantope(n, k).lmo(np.eye(n).ravel()).dense(n * n)
    assert fw.regions.Fantope(n, k).contains(ties, 1e-12)


def test_the_reach_bounds_what_atoms_reach(rng):
    for region in (
        fw.regions.SpectralBall(2, 3, 1.5),
        fw.regions.SpectralBall(3, 2),
        fw.regions.Fantope(3, 2),
    ):
        n = region.dimension
        for _ in range(50):
            weights = rng.random(n) * (rng.random(n) < 0.5)
            s = region.lmo(rng.standard_normal(n)).dense(n)
            assert weights @ np.abs(s) <= region.reach(weights, n) + 1e-12


def test_projections_are_cvxpys(rng):
    cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    p = rng.standard_normal((4, 4))
    symmetric, plain = cp.Variable((4, 4), symmetric=True), cp.Variable((4, 4))
    eye = np.eye(4)
    for region, X, limits in (
        (fw.regions.SpectralBall(4, 4, 0.8), plain, [cp.sigma_max(plain) <= 0.8]),
        (fw.regions.Elliptope(4), symmetric, [symmetric >> 0, cp.diag(symmetric) == 1]),
        (
            fw.regions.Fantope(4, 2),
            symmetric,
            [symmetric >> 0, symmetric << eye, cp.trace(symmetric) == 2],
        ),
    ):
        cp.Problem(cp.Minimize(cp.sum_squares(X - p)), limits).solve(solver="CLARABEL")
        found = fw.minimize(fw.squared_distance(p.ravel()), region, tol=1e-10)
        assert found.success
        np.testing.assert_allclose(found.x.reshape(4, 4), X.value, atol=1e-3)


def test_a_rescaled_gradient_is_the_matrix(rng):
    G, left, right = rng.standard_normal((5, 4)), rng.uniform(0.5, 2.0, 5), rng.uniform(0.5, 2.0, 4)
    full, thin = left[:, None] * G * right, RescaledGradient(DenseGradient(G), left, right)
    for given, method, matrix in (
        (rng.standard_normal(4), thin.apply, full),
        (rng.standard_normal(5), thin.adjoint, full.T),
        (rng.standard_normal((4, 2)), thin.apply_block, full),
        (rng.standard_normal((5, 2)), thin.adjoint_block, full.T),
    ):
        out = np.empty((len(matrix), *given.shape[1:]))
        method(given, out)
        np.testing.assert_allclose(out, matrix @ given, atol=1e-13)
    u, v = rng.standard_normal((2, 5)), rng.standard_normal((3, 4))
    np.testing.assert_allclose(thin.between(u, v), u @ full @ v.T, atol=1e-13)
    np.testing.assert_allclose(thin.dense(), full, atol=1e-15)
    assert thin.frobenius() >= np.linalg.norm(full)


@pytest.mark.parametrize("loss", ["squared", "huber"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_weighted_completion_by_two_methods(loss, dtype, rng):
    shape = 12, 9
    cells = np.nonzero(rng.random(shape) < 0.6)
    values = rng.standard_normal(cells[0].size)
    p, q = rng.uniform(0.3, 3.0, shape[0]), rng.uniform(0.3, 3.0, shape[1])
    f = fw.Completion((*cells, values.astype(dtype)), shape=shape, loss=loss)
    loose = 1e-7 if dtype == np.float64 else 1e-4
    ours = fw.minimize(f, fw.regions.WeightedNuclearBall(4.0, p, q), tol=loose)
    assert ours.success
    assert ours.certified
    slow = fw.minimize(
        f, fw.regions.WeightedNuclearBall(4.0, p, q), method="frank_wolfe", max_iter=300
    )
    assert slow.lower_bound <= ours.fun + 10 * loose * max(1.0, ours.fun)
    assert ours.lower_bound <= slow.fun
    X = ours.x.toarray()
    weighed = np.linalg.norm(np.sqrt(p)[:, None] * X * np.sqrt(q), "nuc")
    assert weighed <= 4.0 * (1.0 + 10 * loose)


def test_weighted_completion_is_cvxpys(rng):
    cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    shape = 7, 5
    rows, columns = np.nonzero(rng.random(shape) < 0.6)
    values = rng.standard_normal(rows.size)
    p, q = rng.uniform(0.3, 3.0, shape[0]), rng.uniform(0.3, 3.0, shape[1])
    X = cp.Variable(shape)
    squares = 0.5 * cp.sum_squares(X[rows, columns] - values)
    scaled = cp.diag(np.sqrt(p)) @ X @ cp.diag(np.sqrt(q))
    cp.Problem(cp.Minimize(squares), [cp.normNuc(scaled) <= 2.0]).solve(solver="CLARABEL")
    f = fw.Completion((rows, columns, values), shape=shape, loss="squared")
    result = fw.minimize(f, fw.regions.WeightedNuclearBall(2.0, p, q), tol=1e-8)
    assert result.fun == pytest.approx(float(squares.value), rel=1e-5)


def test_a_weighted_bound_is_proved(rng):
    rows, columns = np.nonzero(rng.random((8, 6)) < 0.6)
    f = fw.Completion((rows, columns, rng.standard_normal(rows.size)), shape=(8, 6), loss="squared")
    ball = fw.regions.WeightedNuclearBall(2.0, rng.uniform(0.3, 3.0, 8), rng.uniform(0.3, 3.0, 6))
    result = fw.minimize(f, ball, tol=1e-7)
    proof = fw.prove(fw.Problem(f, ball), result.x)
    assert proof.gap >= result.fun - result.lower_bound - 1e-9
    assert proof.gap <= 1e-6 * max(1.0, result.fun)


def test_a_rotation_is_found_among_matrices(rng):
    A, turn = rng.standard_normal((40, 3)), np.linalg.qr(rng.standard_normal((3, 3)))[0]
    f = fw.SquaredError(sp.csr_array(np.kron(A, np.eye(3))), (A @ turn).ravel())
    result = fw.minimize(f, fw.regions.SpectralBall(3, 3), tol=1e-7)
    assert result.success
    np.testing.assert_allclose(result.x.reshape(3, 3), turn, atol=1e-2)


@pytest.mark.parametrize("n", [1, 2, 5, 12, 30])
@pytest.mark.parametrize("kind", ["random", "ties", "sparse", "one", "spread"])
def test_the_cut_program_is_bounded_by_its_dual(n, kind, rng):
    G = {
        "random": rng.standard_normal((n, n)),
        "ties": rng.choice([-1.0, 0.0, 1.0], (n, n)),
        "sparse": rng.standard_normal((n, n)) * (rng.random((n, n)) < 0.1),
        "one": np.ones((n, n)),
        "spread": 10.0 ** rng.uniform(-6, 6, (n, n)) * rng.choice([-1.0, 1.0], (n, n)),
    }[kind]
    region = fw.regions.Elliptope(n)
    memory = region.oracle_memory(n * n, np.dtype(float))
    atom, value, error = region.inexact_lmo(G.ravel(), memory, Accuracy(0.0, 0.0, 0.0, 0))
    assert region.violation(atom.dense(n * n)) <= 1e-13
    assert 0.0 <= error <= 1e-11 * np.abs(G).sum()
    for _ in range(20):  # no cut is better than the bound
        v = rng.choice([-1.0, 1.0], n)
        assert v @ G @ v >= value - error - 1e-12 * np.abs(G).sum()


def test_the_cut_program_is_cvxpys(rng):
    cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    G = rng.standard_normal((7, 7))
    X = cp.Variable((7, 7), symmetric=True)
    other = cp.Problem(cp.Minimize(cp.sum(cp.multiply(G, X))), [X >> 0, cp.diag(X) == 1])
    other.solve(solver="CLARABEL")
    assert fw.regions.Elliptope(7).lmo(G.ravel()).dot(G.ravel()) == pytest.approx(
        other.value, rel=1e-6
    )


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1.0, 1e3, 1e6])
def test_the_nearest_correlation_matrix_at_any_distance(scale, rng):
    for n in (1, 2, 6, 20):
        p = scale * rng.standard_normal(n * n)
        region = fw.regions.Elliptope(n)
        found = region.project(p)
        g = found.x - 0.5 * (p.reshape(n, n) + p.reshape(n, n).T).ravel()
        gap = float(g @ found.x) - found.bound(g, 1.0)
        assert region.violation(found.x) <= 1e-12
        assert gap + 1e-12 * n * max(1.0, scale) >= 0.0
        assert gap <= 1e-9 * n * max(1.0, scale)
