"""Constraints on matrices: other solvers, duals, proofs that there is no solution."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import frankwolfe as fw
from frankwolfe.apps.constraints.affine_cells import CellAffine
from frankwolfe.apps.constraints.augmented_cells import AugmentedCells

cp = pytest.importorskip("cvxpy")

SEEDS = range(24)


def _cycle(n):
    """Minus a quarter of the Laplacian of an odd cycle."""
    A = sp.coo_array((np.ones(n), (np.arange(n), (np.arange(n) + 1) % n)), shape=(n, n)).toarray()
    A = A + A.T
    return -0.25 * (np.diag(A.sum(axis=1)) - A)


def _random(seed):
    """A random program over a spectraplex in both languages."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    trace, at_most = float(rng.uniform(0.5, n)), bool(rng.random() < 0.3)
    C, *mats = (0.5 * (G + G.T) for G in rng.standard_normal((m + 1, n, n)))
    V = rng.standard_normal((n, int(rng.integers(1, n + 1))))
    inside = V @ V.T * (trace / np.square(V).sum())
    middle = np.array([np.sum(A * inside) for A in mats])
    if seed % 4 == 3:  # what nothing satisfies
        middle += 3.0 * trace * np.array([np.linalg.norm(A, 2) for A in mats])
    loose = rng.random(m) < 0.5
    lower, upper = np.where(loose, middle, middle), np.where(loose, np.inf, middle)
    X = cp.Variable((n, n), PSD=True)
    within = [cp.trace(X) <= trace if at_most else cp.trace(X) == trace]
    for A, low, high in zip(mats, lower, upper, strict=True):
        row = cp.sum(cp.multiply(A, X))
        within.append(row == low if low == high else row >= low)
    if seed % 2:
        f, cost = fw.objectives.TraceProduct(C), cp.sum(cp.multiply(C, X))
    else:
        cells = sp.coo_array(C)
        f = fw.Completion(cells, shape=(n, n), loss="squared")
        cost = 0.5 * cp.sum_squares(X - C)
    rows = fw.Affine(np.array([A.ravel() for A in mats]), lower, upper)
    return f, fw.Spectraplex(trace, at_most=at_most), rows, cp.Problem(cp.Minimize(cost), within)


@pytest.mark.parametrize("seed", SEEDS)
def test_semidefinite_programs_agree_with_cvxpy(seed):
    f, region, rows, program = _random(seed)
    program.solve(solver="CLARABEL")
    result = fw.minimize(f, region, subject_to=rows)
    if program.status in ("infeasible", "infeasible_inaccurate"):
        assert result.status is fw.Status.INFEASIBLE
        assert result.lower_bound == np.inf
        return
    assert program.status == "optimal"
    size = max(1.0, abs(program.value))
    assert result.success
    assert result.lower_bound <= program.value + 1e-4 * size
    assert result.fun == pytest.approx(program.value, abs=1e-4 * size)
    assert result.infeasibility <= 1e-4


@pytest.mark.parametrize("n", [5, 9, 61])
def test_maxcut_of_an_odd_cycle_is_known(n):
    """Its relaxation has the value n/2 (1 + cos(pi/n))."""
    rows = fw.Affine(fw.diagonal(n), 1.0)
    f = fw.objectives.TraceProduct(sp.csr_array(_cycle(n)))
    result = fw.minimize(f, fw.Spectraplex(float(n)), subject_to=rows, tol=1e-5)
    truth = -0.5 * n * (1.0 + np.cos(np.pi / n))
    assert result.success
    assert result.lower_bound <= truth + 1e-9 * n
    assert result.feasible_fun >= truth - 1e-9 * n
    assert result.fun == pytest.approx(truth, rel=2e-5)
    entries = result.feasible_x.predict(np.arange(n), np.arange(n))
    np.testing.assert_allclose(entries, 1.0, atol=1e-12)
    # all nodes are alike: so are the multipliers, which the trace leaves free up to a constant
    np.testing.assert_allclose(result.multipliers, result.multipliers.mean(), atol=2e-2)


def test_a_trace_that_does_not_fit_the_diagonal_is_proved():
    n = 60
    rows = fw.Affine(fw.diagonal(n), 1.0)
    f = fw.objectives.TraceProduct(sp.csr_array(_cycle(n)))
    result = fw.minimize(f, fw.Spectraplex(1.01 * n), subject_to=rows)
    assert result.status is fw.Status.INFEASIBLE


def test_constraints_over_a_nuclear_ball(rng):
    M = rng.standard_normal((6, 4))
    f = fw.Completion(sp.coo_array(M), shape=(6, 4), loss="squared")
    row = np.ones((1, 24))
    result = fw.minimize(f, fw.NuclearBall(2.0), subject_to=fw.Affine(row, 1.5))
    X = cp.Variable((6, 4))
    program = cp.Problem(
        cp.Minimize(0.5 * cp.sum_squares(X - M)), [cp.normNuc(X) <= 2, cp.sum(X) == 1.5]
    )
    program.solve(solver="CLARABEL")
    assert result.success
    assert result.fun == pytest.approx(program.value, abs=1e-4)


def test_no_cell_more_than_is_needed(rng):
    """The Lagrangian of cells, by its parts in full."""
    f = AugmentedCells.example(4, rng)
    X = rng.standard_normal((4, 4))
    w = f.rows.matrix @ X.ravel()
    shifted = w + f.penalty.multipliers / 2.0
    off = shifted - np.clip(shifted, f.rows.lower, f.rows.upper)
    value = float(f.objective.c @ X.ravel()) + np.square(off).sum() - f.penalty.constant
    assert f(X) == pytest.approx(value)
    step = 1e-6
    V = rng.standard_normal((4, 4))
    slope = f.covector(f.grad(X)).dense()
    change = (f(X + step * V) - f(X - step * V)) / (2 * step)
    assert np.sum(slope * V) == pytest.approx(change, rel=1e-5)


def test_second_derivatives_of_rows_of_many_cells(rng):
    f = AugmentedCells.example(4, rng)
    left = rng.standard_normal((4, 3))
    curvature = f.factor_curvature(left, left)
    move = rng.standard_normal((4, 3))
    out, other = np.empty((4, 3)), np.empty((4, 3))
    curvature.times(move, move, out, other)

    def gradient(U):
        by_row, by_column = np.empty((4, 3)), np.empty((4, 3))
        f.linearize_factors(1.0, U, U, by_row, by_column)
        return by_row + by_column

    step = 1e-6
    change = (gradient(left + step * move) - gradient(left - step * move)) / (2 * step)
    np.testing.assert_allclose(out + other, change, rtol=1e-5, atol=1e-6)


def test_rows_read_factored_and_dense_matrices_alike(rng):
    plain = fw.Affine(rng.standard_normal((3, 25)), 0.0)
    rows = CellAffine(plain, (5, 5))
    X = rng.standard_normal((5, 5))
    np.testing.assert_allclose(rows.apply(fw.FactoredMatrix.from_array(X)), rows.apply(X))
    y = rng.standard_normal(3)
    assert np.sum(rows.covector(y).dense() * X) == pytest.approx(y @ rows.apply(X))


def test_linear_functions_of_a_matrix(rng):
    C = rng.standard_normal((7, 7))
    C[0, 0] = 0.0
    result = fw.minimize(fw.objectives.TraceProduct(C), fw.Spectraplex(2.0))
    assert result.fun == pytest.approx(2.0 * np.linalg.eigvalsh(0.5 * (C + C.T))[0])
    ball = fw.minimize(fw.objectives.TraceProduct(C), fw.NuclearBall(2.0))
    assert ball.fun == pytest.approx(-2.0 * np.linalg.norm(C, 2))
    assert repr(fw.objectives.TraceProduct(sp.csr_array(C))) == "TraceProduct(7 x 7, 48 cells)"
    with pytest.raises(fw.InvalidInput, match="C must be finite"):
        fw.objectives.TraceProduct([[np.nan]])
