"""How a run ends: f of the point that is returned, and the gap that a proof shows."""

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.core.certificate import certify
from frankwolfe.core.proof import between


@pytest.mark.parametrize("scale", [1e-4, 1.0])
def test_a_value_of_which_little_is_left_is_that_of_the_point(scale, rng):
    """Of a Gram matrix f is a difference of numbers far larger than it."""
    A = scale * rng.standard_normal((50, 8)) * 10.0 ** rng.uniform(-2, 2, 8)
    f = fw.SquaredError(A, A @ rng.uniform(0.0, 0.1, 8)).gram()
    for method in (None, "pairwise", "fully_corrective"):
        result = fw.minimize(f, fw.UnitSimplex(), method=method, tol=1e-14, max_iter=300)
        low, high = between(result.problem, result.x)
        assert low <= result.fun <= high


def test_a_run_that_rounding_ends_has_the_gap_of_a_proof(rng):
    A = rng.standard_normal((40, 6)) + 1e7
    f = fw.SquaredError(A, rng.standard_normal(40))
    result = fw.minimize(f, fw.L1Ball(1.0), method="fully_corrective", tol=1e-15, max_iter=500)
    assert result.status in (fw.Status.PRECISION, fw.Status.STALLED, fw.Status.CONVERGED)
    proof = result.verify()
    assert result.lower_bound <= proof.upper
    assert result.gap <= 1.000001 * max(proof.gap, result.fun - proof.lower)


def test_data_so_small_that_slopes_overflow_get_a_sentence(rng):
    f = fw.Poisson(1e-230 * rng.uniform(1.0, 2.0, (9, 4)), np.arange(9.0))
    with pytest.raises(fw.InvalidInput, match="scale the data"):
        fw.minimize(f, fw.Simplex())


@pytest.mark.parametrize("gap", [-1e-9, -1e-14, 0.0, 1e-3])
def test_no_bound_is_above_a_value(gap):
    """A gap below zero is rounding: it must not lift the bound over the value of a point."""
    found, bound = certify(1.0, 5.0 + gap, 5.0, 0.0, -np.inf, 2.0**-52, 0.0, 0.0)
    assert bound <= 1.0
    assert found >= max(gap, 0.0)
