"""Equilibria: known answers, others' solvers, Wardrop's conditions, and results."""

from __future__ import annotations

import numpy as np
import pytest
from random_roads import COSTS, random_network, random_trips, solved, ways

import frankwolfe as fw
from frankwolfe import InvalidInput
from frankwolfe.apps import traffic
from frankwolfe.apps.traffic.trips import Demand

METHODS = (
    *("bushes", "frank_wolfe", "conjugate_fw", "biconjugate_fw"),
    *("pairwise", "blended_pairwise", "fully_corrective"),
)
SEEDS = range(5)


def cvxpy_minimum(network, classes, power, *, system_optimum=False):
    """Flows by link and origin, each balanced at its nodes, by Clarabel."""
    cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    demand = Demand.on(network, classes)
    n, m = network.nodes.size, network.size
    incidence = np.zeros((n, m))
    np.add.at(incidence, (network.tails, np.arange(m)), 1.0)
    np.add.at(incidence, (network.heads, np.arange(m)), -1.0)
    flows, constraints, fixed = cp.Variable((demand.origins.size, m), nonneg=True), [], 0.0
    for b, origin in enumerate(demand.origins):
        supply, mine = np.zeros(n), slice(demand.starts[b], demand.starts[b + 1])
        np.subtract.at(supply, demand.ends[mine], demand.amounts[mine])
        supply[origin] += demand.amounts[mine].sum()
        constraints.append(incidence @ flows[b] == supply)
        shut = network.closed[network.tails] & (network.tails != origin)
        constraints += [flows[b][np.flatnonzero(shut)] == 0.0] if shut.any() else []
        fixed += demand.fixed[demand.of[b]] @ flows[b]
    time, rise, capacity, _ = network.cost.table.T
    rise = rise if system_optimum else rise / (power + 1.0)
    total = cp.sum(flows, axis=0)
    bent = cp.multiply(rise * capacity, cp.power(cp.multiply(1.0 / capacity, total), power + 1))
    program = cp.Problem(cp.Minimize(time @ total + cp.sum(bent) + fixed), constraints)
    program.solve(solver="CLARABEL")  # to about 1e-8
    return program.value


@pytest.mark.parametrize("system_optimum", [False, True])
@pytest.mark.parametrize(("cost", "power"), [("BPR", 4), ("BPR^1", 1)])
@pytest.mark.parametrize("seed", SEEDS[:3])
def test_cvxpy_finds_the_same(seed, cost, power, system_optimum):
    rng = np.random.default_rng(seed)
    network = random_network(rng, 5, 8, cost, toll=1.0, toll_factor=0.3)
    classes = [
        traffic.UserClass(random_trips(rng, 5)),
        traffic.UserClass(random_trips(rng, 5, 3), toll_factor=2.0, weight=2.0),
    ]
    least = cvxpy_minimum(network, classes, power, system_optimum=system_optimum)
    answer = solved(network, classes, system_optimum=system_optimum)
    assert answer.fun == pytest.approx(least, rel=1e-6)
    assert answer.lower_bound <= least * (1 + 1e-6)
    assert answer.certified
    for method in METHODS[1:]:
        other = traffic.equilibrium(
            network, classes, method=method, max_iter=40, tol=1e-8, system_optimum=system_optimum
        )
        assert other.lower_bound <= answer.fun * (1 + 1e-12)
        assert other.fun >= answer.lower_bound * (1 - 1e-12)
        assert other.fun - answer.fun <= other.gap + 1e-12 * answer.fun


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_cvxpy_finds_the_same_with_closed_zones(seed):
    rng = np.random.default_rng(seed)
    network = random_network(rng, 6, 12, closed=[0, 1])
    trips = traffic.Trips([0, 1, 2, 3], [1, 4, 0, 5], [3.0, 4.0, 2.0, 5.0])
    assert solved(network, trips).fun == pytest.approx(cvxpy_minimum(network, trips, 4), rel=1e-6)


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("seed", SEEDS[:2])
def test_nobody_has_a_cheaper_way(seed, cost):
    """Wardrop: each used way of a pair costs as little as its cheapest, by listing all ways."""
    rng = np.random.default_rng(seed)
    network, trips = random_network(rng, 5, 7, cost), random_trips(rng, 5, 4)
    answer = solved(network, trips)
    total, loads = 0.0, answer.bushes
    for b, origin in enumerate(answer.demand.origins):
        mine = slice(loads.begin[b], loads.begin[b + 1])
        carried = dict(zip(loads.links[mine].tolist(), loads.loads[mine].tolist(), strict=True))
        trip = slice(answer.demand.starts[b], answer.demand.starts[b + 1])
        ends, amounts = answer.demand.ends[trip], answer.demand.amounts[trip]
        for end, amount in zip(ends, amounts, strict=True):
            listed = ways(network, origin, end)
            costs = [answer.costs[way].sum() for way in listed]
            total += amount * min(costs)
            for way, price in zip(listed, costs, strict=True):
                least = min(carried.get(a, 0.0) for a in way)
                assert least * (price - min(costs)) <= 1e-9 * answer.total_cost
    assert answer.shortest_cost == pytest.approx(total, rel=1e-12)
    assert answer.total_cost == pytest.approx(answer.flows.dot(answer.costs), rel=1e-12)
    gap = (answer.total_cost - total) / answer.total_cost
    assert answer.relative_gap == pytest.approx(gap, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_comes_to_the_same(method):
    rng = np.random.default_rng(7)
    network, trips = random_network(rng, 8, 20), random_trips(rng, 8, 12)
    best = solved(network, trips, tol=1e-12)
    answer = traffic.equilibrium(network, trips, method=method, tol=1e-5, max_iter=5000)
    assert answer.success
    assert answer.relative_gap <= 1e-5
    assert answer.lower_bound - 1e-12 * best.fun <= best.fun <= answer.fun + 1e-12 * best.fun
    assert answer.fun - best.fun <= answer.gap
    assert traffic.Flows(network, trips).violation(answer.flows) <= 1e-12
    assert answer.excess.size == answer.nit + 1


def test_pigou():
    """One road takes 1, the other as long as the share of those on it."""
    network = traffic.Network([1, 1], [2, 2], traffic.AffineCost([1.0, 0.0], [0.0, 1.0]))
    trips = traffic.Trips([1], [2], [1.0])
    everybody = solved(network, trips)
    np.testing.assert_allclose(everybody.flows, [0.0, 1.0], atol=1e-9)
    assert everybody.total_cost == pytest.approx(1.0)
    best = solved(network, trips, system_optimum=True)
    np.testing.assert_allclose(best.flows, [0.5, 0.5], atol=1e-9)
    assert best.fun == pytest.approx(0.75)


@pytest.mark.parametrize("method", METHODS)
def test_braess(method):
    how = {
        "method": method,
        "tol": 1e-2 if method.endswith(("frank_wolfe", "conjugate_fw")) else 1e-8,
    }
    for shortcut, each in ((True, 92.0), (False, 83.0)):
        network, trips = traffic.braess(shortcut=shortcut)
        assert solved(network, trips, **how).total_cost / 6.0 == pytest.approx(each, rel=2e-2)
        best = solved(network, trips, **how, system_optimum=True)
        assert best.fun / 6.0 == pytest.approx(83.0, rel=1e-2)  # whoever plans leaves it empty


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0, 4.0, 10.0])
def test_parallel_links_in_closed_form(power):
    """t b (x / c)^p on each: flows that make times equal are c (T / (t b))^(1/p)."""
    times, capacity = np.array([1.0, 2.0, 5.0]), np.array([3.0, 1.0, 4.0])
    tiny = 1e-13
    cost = traffic.BPR(tiny * times, capacity, 1.0 / tiny, power)
    network = traffic.Network([1] * 3, [2] * 3, cost)
    level = 3.0
    flows = capacity * (level / times) ** (1.0 / power)
    answer = solved(network, traffic.Trips([1], [2], [flows.sum()]), tol=1e-12)
    np.testing.assert_allclose(answer.flows, flows, rtol=1e-6)
    np.testing.assert_allclose(answer.costs, level, rtol=1e-6)


def test_nobody_travels():
    network, _ = traffic.braess()
    for trips in (traffic.Trips([], [], []), traffic.Trips([1, 2], [4, 2], [0.0, 5.0])):
        answer = traffic.equilibrium(network, trips)
        assert answer.success
        assert (answer.fun, answer.relative_gap, answer.total_cost) == (0.0, 0.0, 0.0)
        np.testing.assert_array_equal(answer.flows, np.zeros(5))
        np.testing.assert_allclose(answer.costs, network.cost.free_flow_time)


def test_one_trip():
    network = traffic.Network([1, 2, 1], [2, 3, 3], traffic.BPR([1.0, 1.0, 9.0], 10.0))
    answer = solved(network, traffic.Trips([1], [3], [1.0]))
    np.testing.assert_array_equal(answer.flows, [1.0, 1.0, 0.0])
    assert answer.total_cost == pytest.approx(2 * (1 + 0.15e-4))


def test_a_zone_that_may_not_be_passed():
    cost = traffic.BPR([1.0, 1.0, 10.0, 10.0], 100.0)
    links = [1, 2, 1, 4], [2, 3, 4, 3]
    trips = traffic.Trips([1, 1], [3, 2], [50.0, 10.0])
    through = solved(traffic.Network(*links, cost), trips)
    around = solved(traffic.Network(*links, cost, closed=[2]), trips)
    np.testing.assert_allclose(through.flows, [60.0, 50.0, 0.0, 0.0])
    np.testing.assert_allclose(around.flows, [10.0, 0.0, 50.0, 50.0])


@pytest.mark.parametrize("method", METHODS)
def test_a_pair_without_a_way_is_named(method):
    network = traffic.Network(["a", "b", "c"], ["b", "a", "a"], traffic.FixedTime([1.0] * 3))
    with pytest.raises(InvalidInput, match="3 trips must have a way from b to c"):
        traffic.equilibrium(
            network, traffic.Trips(["a", "b"], ["b", "c"], [1.0, 3.0]), method=method
        )


def test_a_result_tells_what_it_is():
    network, trips = traffic.braess()
    answer = solved(network, trips)
    assert answer.gap >= answer.fun - answer.lower_bound - 1e-12 * answer.fun
    assert answer.certified
    assert answer.status is fw.Status.CONVERGED
    assert answer.average_excess_cost * 6.0 == pytest.approx(
        answer.total_cost - answer.shortest_cost
    )
    assert "relative gap" in answer.message


def test_a_table_of_links():
    pytest.importorskip("pandas", reason="pandas is not installed")
    rng = np.random.default_rng(11)
    network, trips = random_network(rng), random_trips(rng)
    classes = [traffic.UserClass(trips, name="cars"), traffic.UserClass(trips, weight=2.0)]
    table = solved(network, classes).frame()
    assert list(table.columns) == ["from", "to", "flow", "cost", "cars", "class 2"]
    np.testing.assert_allclose(table["flow"], table["cars"] + 2 * table["class 2"])
