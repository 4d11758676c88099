"""A search over all weights as squares, for functions without second derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.core import ActiveSet
from frankwolfe.core.atoms import Dense
from frankwolfe.methods.corrective.squares import WeightLoss, squares


def _logs(w):
    return fw.Function(
        lambda x: -float(w @ np.log(x)),
        lambda x: -w / x,
        n=w.size,
        domain=lambda x: bool(x.min() > 0.0),
    )


def test_the_gradient_in_the_roots_is_that_of_differences(rng):
    f, atoms = _logs(rng.exponential(size=5)), ActiveSet(5)
    for _ in range(7):
        atoms.toward(Dense(rng.uniform(0.1, 1.0, 5)), 0.3)
    loss, u, d = WeightLoss(f, atoms), rng.uniform(0.2, 1.0, len(atoms)), rng.standard_normal(7)
    slope = (loss(u + 1e-6 * d)[0] - loss(u - 1e-6 * d)[0]) / 2e-6
    assert slope == pytest.approx(float(loss(u)[1] @ d), rel=1e-6)


@pytest.mark.parametrize("region", [fw.Simplex(3.0), fw.UnitSimplex(3.0)], ids=repr)
@pytest.mark.parametrize("n", [40, 900])
def test_logarithms_with_weights_of_all_sizes_are_solved_by_the_default(region, n, rng):
    """The minimizer is known: the weights, scaled."""
    w = rng.exponential(size=n) * 10.0 ** rng.uniform(-2, 2, n)
    result = fw.minimize(_logs(w), region, tol=1e-8)
    assert result.success
    assert result.certified
    best = -float(w @ np.log(3.0 * w / w.sum()))
    assert abs(result.fun - best) <= 1e-8 * max(1.0, abs(best))


def test_it_leaves_a_corner_at_the_end_of_the_domain(rng):
    w = rng.exponential(size=20)
    x0 = np.full(20, 1e-15)
    x0[0] = 1.0 - 19e-15
    result = fw.minimize(_logs(w), fw.Simplex(), x0=x0, method=squares(), tol=1e-9)
    assert result.success
    assert np.abs(result.x - w / w.sum()).max() <= 1e-4


def test_a_resumed_run_is_the_run_that_was_not_stopped(rng, tmp_path):
    f, hull = _logs(rng.exponential(size=4)), fw.ConvexHull(rng.uniform(0.1, 1.0, (9, 4)))
    run = {"method": squares(3), "tol": 0.0}
    whole = fw.minimize(f, hull, max_iter=9, **run)
    file = tmp_path / "state.npz"
    fw.minimize(f, hull, max_iter=4, callback=fw.Checkpoint(file, every=4), **run)
    rest = fw.minimize(f, hull, max_iter=9, resume=file, **run)
    assert rest.x.tolist() == whole.x.tolist()
