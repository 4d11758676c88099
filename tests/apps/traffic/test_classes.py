"""Classes of users: ways of their own on roads they share, as a general solver finds them too."""

from __future__ import annotations

import numpy as np
import pytest
from small_city import small_city

from frankwolfe import InvalidInput
from frankwolfe.apps import traffic


def two_roads(cars, lorries, **factors):
    """A fast road with a toll of 4 and a slow one without, for two classes."""
    cost = traffic.BPR([10.0, 12.0], [100.0, 100.0], 1.0, 1.0)
    network = traffic.Network([1, 1], [2, 2], cost, toll=[4.0, 0.0])
    trips = traffic.Trips([1], [2], [1.0])
    classes = [
        traffic.UserClass(trips.times(cars), toll_factor=0.0, name="cars"),
        traffic.UserClass(trips.times(lorries), name="lorries", **factors),
    ]
    return traffic.equilibrium(network, classes, tol=1e-13)


def test_who_minds_the_toll_takes_the_other_road() -> None:
    result = two_roads(30.0, 20.0, toll_factor=2.0)
    np.testing.assert_allclose(result.class_flows, [[30.0, 0.0], [0.0, 20.0]], atol=1e-9)
    both = two_roads(60.0, 20.0, toll_factor=2.0)  # now some cars go round: 10 + v/10 = 12 + .12 w
    v, w = np.linalg.solve([[0.1, -0.12], [1.0, 1.0]], [2.0, 80.0])
    np.testing.assert_allclose(both.class_flows, [[v, 60.0 - v], [0.0, 20.0]], atol=1e-8)
    np.testing.assert_allclose(both.flows, [v, w], atol=1e-8)


def test_a_lorry_counts_for_several_cars() -> None:
    result = two_roads(30.0, 20.0, toll_factor=2.0, weight=2.5)
    np.testing.assert_allclose(result.flows, [30.0, 50.0], atol=1e-9)
    np.testing.assert_allclose(result.class_flows[1], [0.0, 20.0], atol=1e-9)
    np.testing.assert_allclose(result.costs, [13.0, 18.0], atol=1e-9)


def test_one_savings_is_one_vehicles_whatever_it_counts_for() -> None:
    """Where all are a lorry each, the trips are fewer and each saves as much."""
    network, trips = small_city(5)
    cars = traffic.equilibrium(network, trips, tol=1e-3)
    half = traffic.UserClass(trips.times(0.5), weight=2.0)
    lorries = traffic.equilibrium(network, half, tol=1e-3)
    np.testing.assert_allclose(lorries.flows, cars.flows, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(2.0 * lorries.class_flows[0], cars.flows, rtol=1e-9, atol=1e-9)
    assert lorries.average_excess_cost == pytest.approx(cars.average_excess_cost, rel=1e-6)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_class_in_two_halves_is_the_whole(seed: int) -> None:
    network, trips = small_city(seed, busy=1.5)
    lorries = traffic.UserClass(trips.times(0.2), toll_factor=1.0, weight=2.0)
    whole = traffic.equilibrium(network, [trips, lorries], tol=1e-12)
    halves = [trips.times(0.25), lorries, trips.times(0.75)]
    parts = traffic.equilibrium(network, halves, tol=1e-12)
    np.testing.assert_allclose(parts.flows, whole.flows, rtol=1e-5, atol=1e-4)
    assert parts.fun == pytest.approx(whole.fun, rel=1e-9)
    assert parts.total_cost == pytest.approx(whole.total_cost, rel=1e-7)


def test_costs_of_links_may_be_given_instead_of_factors() -> None:
    network, trips = small_city(2)
    seen = 0.7 * network.toll + 0.1 * network.length
    factors = traffic.UserClass(trips, toll_factor=0.7, distance_factor=0.1)
    one = traffic.equilibrium(network, [trips, factors], tol=1e-10)
    two = traffic.equilibrium(network, [trips, traffic.UserClass(trips, fixed=seen)], tol=1e-10)
    np.testing.assert_allclose(one.class_flows, two.class_flows, rtol=1e-6, atol=1e-6)


def by_program(network: traffic.Network, classes: list, power: int) -> tuple[float, np.ndarray]:
    """Beckmann's minimum and its flows as a convex program over the flows of each origin."""
    cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    balance = np.zeros((network.nodes.size, network.size))
    balance[network.tails, np.arange(network.size)] += 1.0
    balance[network.heads, np.arange(network.size)] -= 1.0
    zones = network.nodes[network.zones]
    total, paid, rules = 0.0, 0.0, []
    for each in classes:
        for origin, row in zip(zones, each.weight * each.trips.matrix(zones), strict=True):
            x, needs = cp.Variable(network.size, nonneg=True), np.zeros(network.nodes.size)
            needs[network.zones] = -row
            needs[network.places("origin", origin)] += row.sum()
            passed = network.closed[network.tails] & (network.nodes[network.tails] != origin)
            rules += [balance @ x == needs, x[np.flatnonzero(passed)] == 0.0]
            total, paid = total + x, paid + each.costs_on(network) @ x
    empty, rise, capacity, _ = network.cost.table.T
    bends = (rise * capacity / (power + 1)) @ cp.power(cp.multiply(1 / capacity, total), power + 1)
    problem = cp.Problem(cp.Minimize(empty @ total + bends + paid), rules)
    problem.solve(solver=cp.CLARABEL)
    return problem.value, total.value


@pytest.mark.parametrize("power", [1, 4])
def test_the_same_as_a_convex_program(power: int) -> None:
    network, trips = small_city(6, side=3, zones=3, busy=2.0)
    cost = traffic.BPR(*network.cost.table[:, [0, 2]].T, 0.5, power)
    network = traffic.Network(
        *network.links.T, cost, zones=[1, 2, 3], closed=[1, 2, 3], length=network.length,
        toll=network.toll, toll_factor=0.2, distance_factor=0.3,
    )  # fmt: skip
    classes = [
        traffic.UserClass(trips),
        traffic.UserClass(trips.times(0.4), toll_factor=2.0, weight=2.0),
    ]
    least, flows = by_program(network, classes, power)
    result = traffic.equilibrium(network, classes, tol=1e-11)
    assert result.fun == pytest.approx(least, rel=1e-6)
    assert result.lower_bound <= least * (1 + 1e-6)
    np.testing.assert_allclose(result.flows, flows, atol=1e-3 * flows.max())


def test_each_class_uses_ways_that_are_cheapest_for_it() -> None:
    network, trips = small_city(7, busy=2.0)
    classes = [
        traffic.UserClass(trips, toll_factor=0.0, name="cars"),
        traffic.UserClass(trips.times(0.3), toll_factor=3.0, name="lorries"),
    ]
    result, apart = traffic.equilibrium(network, classes, tol=1e-11), 0
    for name in ("cars", "lorries"):
        least = result.skims(user_class=name).matrix()
        for origin, end in ((1, 2), (3, 5), (4, 1), (5, 2)):
            paths = result.paths(origin, end, user_class=name)
            apart += len(paths) > 1
            for path in paths:
                if path.flow > 1e-3:
                    assert path.cost == pytest.approx(least[origin - 1, end - 1], rel=1e-5)
    assert apart
    cars, lorries = result.class_flows @ network.toll / [t.trips.total for t in classes]
    assert lorries < cars


@pytest.mark.parametrize("method", ["frank_wolfe", "bushes"])
def test_other_methods_end_within_their_gaps(method: str) -> None:
    network, trips = small_city(8)
    classes = [trips, traffic.UserClass(trips.times(0.3), toll_factor=2.0, weight=1.5)]
    best = traffic.equilibrium(network, classes, tol=1e-12)
    result = traffic.equilibrium(network, classes, tol=1e-3, method=method)
    assert result.certified
    assert -1e-9 * best.fun <= result.fun - best.fun <= result.gap + 1e-9 * best.fun


@pytest.mark.parametrize("system_optimum", [False, True])
def test_a_class_of_nobody_changes_nothing(system_optimum: bool) -> None:
    network, trips = small_city(9)
    nobody = traffic.UserClass(trips.times(0.0), toll_factor=5.0)
    for classes in ([trips, nobody], [nobody, trips]):
        result = traffic.equilibrium(network, classes, system_optimum=system_optimum, tol=1e-10)
        alone = traffic.equilibrium(network, trips, system_optimum=system_optimum, tol=1e-10)
        # flows are off by the root of a gap
        np.testing.assert_allclose(result.flows, alone.flows, rtol=1e-4)
        assert result.class_flows[classes.index(nobody)].max() == 0.0


def test_classes_that_make_no_sense() -> None:
    network, trips = small_city(0)
    with pytest.raises(InvalidInput, match="weight must be"):
        traffic.UserClass(trips, weight=0.0)
    with pytest.raises(InvalidInput, match="fixed must have a finite number >= 0"):
        traffic.equilibrium(network, traffic.UserClass(trips, fixed=[1.0]))
    with pytest.raises(InvalidInput, match="cost >= 0"):
        traffic.equilibrium(network, traffic.UserClass(trips, toll_factor=-50.0))
