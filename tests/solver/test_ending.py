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


@pytest.mark.parametrize(("region", "mean"), [(fw.L1Ball(1.0), 1e7), (fw.Simplex(), 1e5)])
def test_a_run_that_rounding_ends_has_the_gap_of_a_proof(region, mean, rng):
    """The proof by the tangent at x, that is: `verify` may find another tangent, and a smaller gap.

    Over the simplex the run's own allowance for rounding is ten times as large as that of a proof.
    """
    A = rng.standard_normal((40, 6)) + mean
    f = fw.SquaredError(A, rng.standard_normal(40))
    result = fw.minimize(f, region, method="fully_corrective", tol=1e-17, max_iter=500)
    assert result.status is fw.Status.PRECISION
    assert result.certified
    proof = fw.prove(result.problem, result.x)
    assert result.lower_bound <= proof.upper
    # the bound is lowered by 4 eps |f|, so that no value computed in doubles lies below it
    rounding = 8.0 * 2.0**-52 * abs(result.fun)
    assert result.gap <= 1.000001 * max(proof.gap, result.fun - proof.lower) + rounding


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
