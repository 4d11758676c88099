"""An assignment that is broken off and resumed is the one that was not."""

from __future__ import annotations

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.apps import traffic

METHODS = (None, "frank_wolfe", "biconjugate_fw")


def _solve(elastic, **options):
    network, trips = traffic.sioux_falls()
    if not elastic:
        return traffic.equilibrium(network, trips, **options)
    demand = traffic.ExponentialDemand(0.05, reference=10.0)
    return traffic.elastic_equilibrium(network, trips, demand, **options)


@pytest.mark.parametrize("elastic", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_a_resumed_assignment_is_the_one_that_was_not_stopped(method, elastic, tmp_path):
    path, options = tmp_path / "roads.npz", {"method": method, "tol": 0.0}
    whole = _solve(
        elastic, max_iter=7, callback=fw.Checkpoint(tmp_path / "b.npz", every=2), **options
    )
    _solve(elastic, max_iter=3, callback=fw.Checkpoint(path, every=2), **options)
    resumed = _solve(
        elastic, max_iter=7, callback=fw.Checkpoint(path, every=2), resume=path, **options
    )
    np.testing.assert_array_equal(resumed.flows, whole.flows)
    for part in ("fun", "relative_gap", "gap", "lower_bound", "nit", "status", "success"):
        assert getattr(resumed, part) == getattr(whole, part), part
    assert resumed.excess.size == whole.excess.size == len(whole.history)
    seen = np.isfinite(resumed.excess)
    assert not seen[0]
    np.testing.assert_array_equal(resumed.excess[seen], whole.excess[seen])


def test_an_assignment_of_others_is_not_resumed(tmp_path):
    path = tmp_path / "roads.npz"
    _solve(False, max_iter=3, tol=0.0, callback=fw.Checkpoint(path, every=2))
    network, trips = traffic.braess()
    with pytest.raises(fw.errors.CheckpointError, match="belongs to another run"):
        traffic.equilibrium(network, trips, resume=path)
    with pytest.raises(fw.InvalidInput, match="resume must name a file"):
        traffic.equilibrium(network, trips, resume=7)


def test_a_callback_around_an_assignment_is_called_once_a_step():
    network, trips = traffic.braess()
    steps = []
    with fw.callbacks.callback_context(lambda run: steps.append(run.state.k)):
        result = traffic.equilibrium(network, trips, method="frank_wolfe", max_iter=4, tol=0.0)
    assert steps == list(range(result.nit + 1))
