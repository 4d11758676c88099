"""Several regions at once, operators as constraints, and points that are feasible."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator

import frankwolfe as fw
from frankwolfe.apps.constraints.first_block import FirstBlock

PAIRS = [
    (lambda: (fw.Simplex(), fw.Box(0.0, 0.3)), lambda x, cp: [x >= 0, cp.sum(x) == 1, x <= 0.3]),
    (
        lambda: (fw.L2Ball(1.0), fw.L1Ball(1.3)),
        lambda x, cp: [cp.norm(x) <= 1, cp.norm1(x) <= 1.3],
    ),
    (
        lambda: (fw.L1Ball(1.0), fw.LInfBall(0.3), fw.L2Ball(0.5)),
        lambda x, cp: [cp.norm1(x) <= 1, cp.norm_inf(x) <= 0.3, cp.norm(x) <= 0.5],
    ),
]


@pytest.mark.parametrize(("regions", "within"), PAIRS)
def test_intersections_agree_with_cvxpy(regions, within, rng):
    cp = pytest.importorskip("cvxpy")
    A, b = rng.standard_normal((12, 7)), 3.0 * rng.standard_normal(12)
    both = fw.Intersection(*regions())
    result = fw.minimize(fw.SquaredError(A, b, reduction="sum"), both)
    x = cp.Variable(7)
    program = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(A @ x - b)), within(x, cp))
    program.solve(solver="CLARABEL")
    size = max(1.0, program.value)
    assert result.success
    assert result.x.shape == (7,)
    assert result.fun == pytest.approx(program.value, abs=5e-6 * size)
    assert result.lower_bound <= program.value + 1e-6 * size
    for region in both.regions:
        assert region.violation(result.x) <= 1e-5


def test_an_intersection_and_constraints(rng):
    both = fw.Intersection(fw.Simplex(), fw.Box(0.0, 0.6))
    row = fw.Affine([[1.0, -1.0, 0.0]], 0.0)
    result = fw.minimize(fw.squared_distance([1.0, 0.0, 0.0]), both, subject_to=row)
    assert result.success
    np.testing.assert_allclose(result.x, [0.5, 0.5, 0.0], atol=1e-5)


def test_regions_that_do_not_meet():
    apart = fw.Intersection(fw.Simplex(), fw.Box(-1.0, -0.1))
    result = fw.minimize(fw.squared_distance([1.0, 0.0, 0.0]), apart)
    assert result.status is fw.Status.INFEASIBLE


def test_what_is_no_intersection():
    with pytest.raises(fw.InvalidInput, match="two or more"):
        fw.Intersection(fw.Simplex())
    with pytest.raises(fw.InvalidInput, match="regions of vectors"):
        fw.Intersection(fw.Simplex(), fw.Spectraplex())
    with pytest.raises(fw.InvalidInput, match="needs x0"):
        fw.minimize(
            lambda x: x @ x, fw.Intersection(fw.Simplex(), fw.L2Ball(1.0)), jac=lambda x: 2 * x
        )


def test_a_function_of_the_first_block(rng):
    f = FirstBlock.example(9, rng)
    x = rng.standard_normal(9)
    g = f.grad(x)
    v = rng.standard_normal(9)
    change = (f(x + 1e-6 * v) - f(x - 1e-6 * v)) / 2e-6
    assert g @ v == pytest.approx(change, rel=1e-6)
    assert not g[f.objective.n :].any()


def _operator(A, adjoint=None):
    back = A.T if adjoint is None else adjoint
    return LinearOperator(
        A.shape, matvec=lambda x: A @ x, rmatvec=lambda y: back @ y, dtype=np.float64
    )


def test_operators_are_their_matrices(rng):
    A = rng.standard_normal((3, 8))
    f, region = fw.squared_distance(rng.standard_normal(8)), fw.L2Ball(2.0)
    one, other = (
        fw.minimize(f, region, subject_to=fw.Affine(rows, 0.1)) for rows in (A, _operator(A))
    )
    np.testing.assert_allclose(one.x, other.x, atol=1e-9)


def test_an_adjoint_that_is_none(rng):
    A = rng.standard_normal((3, 8))
    with pytest.raises(fw.InvalidInput, match="must be the adjoint"):
        fw.Affine(_operator(A, 1.001 * A.T), 0.0)
    with pytest.raises(fw.InvalidInput, match="rmatvec of A must give 8 finite numbers"):
        fw.Affine(_operator(A, np.full((8, 3), np.nan)), 0.0)


@pytest.mark.parametrize("region", [fw.Simplex(), fw.L1Ball(1.0), fw.Box(0.0, 1.0)])
def test_polytopes_have_points_that_are_feasible(region, rng):
    """To rounding, and as good as was asked for: the result is such a point."""
    A = rng.standard_normal((3, 10))
    inside = np.abs(region.lmo(rng.standard_normal(10)).dense(10)) + 0.05
    inside /= inside.sum()
    rows = fw.Affine(A, A @ inside - 0.01, A @ inside + 0.01)
    f = fw.SquaredError(rng.standard_normal((20, 10)), rng.standard_normal(20))
    result = fw.minimize(f, region, subject_to=rows)
    assert result.success
    assert result.message.endswith("The constraints hold to rounding.")
    assert result.infeasibility <= 1e-11
    assert result.feasible_fun >= result.lower_bound - 1e-9
    assert region.violation(result.feasible_x) <= 1e-12


@pytest.mark.parametrize(("width", "hold"), [(0.0, "do not hold"), (9.0, "hold")])
def test_what_was_reached_is_said(width, hold, rng):
    """After one step: whether the rows hold, and a gap that is the result's own."""
    f = fw.SquaredError(rng.standard_normal((20, 6)), rng.standard_normal(20))
    A = rng.standard_normal((2, 6))
    rows = fw.Affine(A, 0.5 - width, 0.5 + width)
    result = fw.minimize(f, fw.L2Ball(1.0), subject_to=rows, method="frank_wolfe", max_iter=1)
    assert not result.success
    assert (np.abs(rows.excess(result.x)).max() > 1e-3) == (hold == "do not hold")
    assert result.message == (
        f"{fw.Status.MAX_ITERATIONS.message} The constraints {hold} to tol, the gap is "
        f"{result.gap:.3g}, which is more than was asked for."
    )
