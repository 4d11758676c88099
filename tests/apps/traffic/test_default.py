"""Beckmann's function over flows without a named method: the default comes back, certified."""

from __future__ import annotations

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.apps import traffic


def _with(cost) -> tuple[traffic.Network, traffic.Trips]:
    """Sioux Falls with other times: of free-flow times and capacities."""
    network, trips = traffic.sioux_falls()
    table = network.cost.table
    return traffic.Network(*network.links.T, cost(table[:, 0], table[:, 2])), trips


NETWORKS = {
    "Sioux Falls": traffic.sioux_falls,
    "Braess": traffic.braess,
    "grid": lambda: traffic.grid(7, 8, 12),
    "power 0.3": lambda: _with(lambda t, c: traffic.BPR(t, c, 0.5, 0.3)),
    "power 12": lambda: _with(lambda t, c: traffic.BPR(t, c, 0.15, 12.0)),
    "conical": lambda: _with(lambda t, c: traffic.Conical(t, c, 4.0)),
    "Akcelik": lambda: _with(lambda t, c: traffic.Akcelik(t, c, 0.1)),
}


@pytest.mark.parametrize("system_optimum", [False, True])
@pytest.mark.parametrize("name", NETWORKS)
def test_the_default_of_minimize_reaches_the_equilibrium(name, system_optimum):
    network, trips = NETWORKS[name]()
    f = fw.traffic.Beckmann(network, system_optimum=system_optimum)
    found = fw.minimize(f, traffic.Flows(network, trips), tol=1e-6)
    best = traffic.equilibrium(network, trips, tol=1e-7, system_optimum=system_optimum)
    assert found.success
    assert found.certified
    assert abs(found.fun - best.fun) <= found.gap + best.gap + 1e-12 * abs(best.fun)


def test_the_default_takes_several_classes():
    network, trips = traffic.sioux_falls()
    own = np.random.default_rng(1).uniform(0.0, 3.0, network.size)
    classes = [
        traffic.UserClass(trips.times(0.6)),
        traffic.UserClass(trips.times(0.2), fixed=own, weight=2.0),
    ]
    flows = traffic.Flows(network, classes)
    found = fw.minimize(fw.traffic.Beckmann(network, flows.demand.fixed), flows, tol=1e-6)
    best = traffic.equilibrium(network, classes, tol=1e-7)
    assert found.success
    assert abs(found.fun - best.fun) <= found.gap + best.gap
