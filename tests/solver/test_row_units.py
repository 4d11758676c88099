"""The unit of a row of the constraints changes its multiplier and its violation, nothing else."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

import frankwolfe as fw

LEAST = 2.0**-73  # what is left of the least number, 2^-1074, in units of the largest factor


def _vectors(rng):
    n = 12
    f = fw.SquaredError(rng.standard_normal((30, n)), rng.standard_normal(30))
    A = rng.standard_normal((3, n))
    middle = A @ np.full(n, 1.0 / n)
    return f, A, middle, middle + np.array([0.0, 0.01, np.inf])


def _operator(A):
    return LinearOperator(
        A.shape, matvec=lambda x: A @ x, rmatvec=lambda y: A.T @ y, dtype=np.float64
    )


def _runs(rng):
    """Problems by name: objective, region, rows with their bounds, how they are passed, options."""
    f, A, lower, upper = _vectors(rng)
    both = fw.Intersection(fw.Simplex(), fw.Box(0.0, 0.3))
    few = {"tol": 1e-2, "max_iter": 400}
    S = rng.standard_normal((16, 2))
    inside = (S @ S.T)[:4, :4] / np.trace((S @ S.T)[:4, :4])
    M = rng.standard_normal((2, 4, 4))
    cells = M.reshape(2, 16)
    at = cells @ inside.ravel()
    g = fw.objectives.TraceProduct(rng.standard_normal((4, 4)))
    return {
        "dense": (f, fw.Simplex(), A, lower, upper, np.asarray, {}),
        "sparse": (f, fw.L1Ball(1.0), A, lower, upper, sp.csr_array, {}),
        "operator": (f, fw.L2Ball(0.5), A, lower, upper, _operator, few),
        "nearest": (fw.squared_distance(A[0]), fw.Simplex(), A, lower, upper, np.asarray, {}),
        "steps": (f, fw.Simplex(), A, lower, upper, np.asarray, {"method": "pairwise", **few}),
        "both": (f, both, A, lower, upper, np.asarray, {}),
        "infeasible": (f, fw.Simplex(), A, lower + 9.0, upper + 9.0, np.asarray, {}),
        "matrices": (g, fw.Spectraplex(1.0), cells, at, at + np.array([0.0, 0.1]), np.asarray, {}),
    }


NAMES = tuple(_runs(np.random.default_rng(0)))


@pytest.mark.parametrize("name", NAMES)
def test_powers_of_two_change_no_bit(name, rng):
    f, region, A, lower, upper, form, options = _runs(rng)[name]
    one = fw.minimize(f, region, subject_to=fw.Affine(form(A), lower, upper), **options)
    count = len(A)
    for powers in ([-1000] * count, [1000] * count, [-1000, 1000, 7][:count]):
        scaled = (np.ldexp(each, powers) for each in (lower, upper))
        rows = fw.Affine(form(np.ldexp(A, np.array(powers)[:, None])), *scaled)
        other = fw.minimize(f, region, subject_to=rows, **options)
        for part in ("x", "feasible_x"):
            mine, his = (
                x.toarray() if isinstance(x, fw.FactoredMatrix) else x
                for x in (one[part], other[part])
            )
            np.testing.assert_array_equal(his, mine)
        for part in ("status", "fun", "gap", "lower_bound", "nit", "infeasibility", "message"):
            assert other[part] == one[part] or np.isnan(one[part]), part
        (mine, off), (his, beyond) = (
            (each.multipliers[-count:], each.violations[-count:]) for each in (one, other)
        )
        np.testing.assert_allclose(np.ldexp(his, powers), mine, rtol=0.0, atol=LEAST)
        np.testing.assert_allclose(beyond, np.ldexp(off, powers), rtol=0.0, atol=5e-324)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, _operator])
def test_rows_that_hold_nothing_back_or_nothing_can_satisfy(form):
    f = fw.squared_distance([0.7, 0.2, 0.1])
    A = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    result = fw.minimize(f, fw.Simplex(), subject_to=fw.Affine(form(A), [-1.0, 0.0], [0.0, 0.5]))
    assert result.success
    assert result.multipliers[0] == 0.0
    np.testing.assert_allclose(result.x, [0.5, 0.3, 0.2], atol=1e-5)
    for bound, sign in ((1e-300, -1.0), (-1e300, 1.0)):  # however large the bounds of others
        rows = fw.Affine(form(A), [bound, 0.0], [bound, 0.5])
        result = fw.minimize(f, fw.Simplex(), subject_to=rows)
        assert result.status is fw.Status.INFEASIBLE
        assert result.lower_bound == np.inf
        np.testing.assert_array_equal(np.sign(result.multipliers), [sign, 0.0])
    with pytest.raises(fw.InvalidInput, match=r"row 1 of the constraints has entries of 1\.0e-310"):
        fw.minimize(f, fw.Simplex(), subject_to=fw.Affine(form(1e-310 * A), [0.0, 0.5]))
    loose = fw.Affine(form(1e-310 * A), [0.0, -0.5], [0.0, 0.5])  # what no x leaves
    assert fw.minimize(f, fw.Simplex(), subject_to=loose).fun == pytest.approx(0.0, abs=1e-12)
