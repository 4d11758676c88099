"""All-or-nothing loading against shortest paths of scipy and networkx, and a linear program."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import in_threads
from scipy.optimize import linprog
from scipy.sparse.csgraph import dijkstra

from frankwolfe import InvalidInput
from frankwolfe.apps import traffic
from frankwolfe.apps.traffic.kernels import loading
from frankwolfe.apps.traffic.trips import Demand

SEEDS = range(12)


def crowded(rng, n=12, m=40):
    """Any links: parallel ones, those from a node to itself, nodes that none reaches."""
    tails, heads = rng.integers(0, n, (2, m))
    closed = rng.permutation(n)[: rng.integers(0, 4)]
    network = traffic.Network(
        tails, heads, traffic.FixedTime(np.ones(m)), nodes=np.arange(n + 2), closed=closed
    )
    return network, np.where(rng.random(m) < 0.3, 0.0, rng.uniform(0.0, 5.0, m))


def scipy_distances(network, costs, origin):
    """By scipy, where a closed node has no links that leave it."""
    n = network.nodes.size
    table = np.full((n, n), np.inf)
    for tail, head, cost in zip(network.tails, network.heads, costs, strict=True):
        if tail == origin or not network.closed[tail]:
            table[tail, head] = min(table[tail, head], cost)
    there = np.isfinite(table)
    # a zero that is stored is a link without cost
    graph = sp.csr_array((table[there], np.nonzero(there)), shape=(n, n))
    return dijkstra(graph, indices=int(origin))


def trips_to_all(network, costs, rng, origins):
    """Trips from these to every node that has a way there."""
    pairs = [
        (o, d)
        for o in origins
        for d in np.flatnonzero(np.isfinite(scipy_distances(network, costs, o)))
        if o != d
    ]
    if not pairs:
        return traffic.Trips([], [], [])
    ends = np.array(pairs).T
    return traffic.Trips(*ends, rng.uniform(0.1, 3.0, len(pairs)))


@pytest.mark.parametrize("seed", SEEDS)
def test_costs_of_all_trips_are_those_of_scipys_shortest_paths(seed):
    rng = np.random.default_rng(seed)
    network, costs = crowded(rng)
    trips = trips_to_all(network, costs, rng, range(6))
    flows = traffic.Flows(network, trips)
    loaded = flows.lmo(costs).dense(network.size)
    far = {o: scipy_distances(network, costs, o) for o in range(6)}
    expected = sum(
        x * far[o][d]
        for o, d, x in zip(trips.origins, trips.destinations, trips.amounts, strict=True)
    )
    assert loaded.dot(costs) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert flows.violation(loaded) <= 1e-14
    assert np.all(loaded[network.tails == network.heads] == 0.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_origin_is_a_tree_of_networkx(seed):
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    rng = np.random.default_rng(seed)
    network, _ = crowded(rng)
    costs = rng.uniform(0.5, 5.0, network.size)  # no ties: one tree alone
    origin = int(network.tails[0])
    graph = networkx.MultiDiGraph()
    for a, (tail, head) in enumerate(zip(network.tails, network.heads, strict=True)):
        if tail == origin or not network.closed[tail]:
            graph.add_edge(int(tail), int(head), key=a, weight=costs[a])
    trips = trips_to_all(network, costs, rng, [origin])
    expected = np.zeros(network.size)
    for end, amount in zip(trips.destinations, trips.amounts, strict=True):
        path = networkx.dijkstra_path(graph, origin, int(end))
        for tail, head in itertools.pairwise(path):
            expected[min(graph[tail][head], key=costs.__getitem__)] += amount
    loaded = traffic.Flows(network, trips).lmo(costs).dense(network.size)
    np.testing.assert_allclose(loaded, expected, rtol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_are_the_whole(seed):
    rng = np.random.default_rng(seed)
    network, costs = crowded(rng, n=30, m=150)
    demand = Demand.on(network, trips_to_all(network, costs, rng, range(20)))
    every = 0, demand.origins.size
    plain, parts = np.zeros((2, network.size))
    cost, lost = loading.load(costs, network.roads, demand.blocks, *every, plain)
    again = loading.load_in_parts(costs, network.roads, demand.blocks, *every, parts)
    assert (lost, again[1]) == (-1, -1)
    assert again[0] == pytest.approx(cost, rel=1e-13)
    np.testing.assert_allclose(parts, plain, rtol=1e-13)
    unreached = np.flatnonzero(~np.isfinite(scipy_distances(network, costs, demand.origins[-1])))
    if unreached.size:  # the first trip without a way is told from any part
        ends = demand.ends.copy()
        ends[-1] = unreached[0]
        args = costs, network.roads, demand.blocks._replace(ends=ends), *every
        assert loading.load_in_parts(*args, np.zeros(network.size))[1] == ends.size - 1


THREADED = """
import numba, numpy as np
from frankwolfe import traffic
from frankwolfe.apps.traffic import flows
rng = np.random.default_rng(3)
n = 40
around = np.arange(n)
tails, heads = np.hstack([[around, (around + 1) % n], rng.integers(0, n, (2, 160))])
network = traffic.Network(tails, heads, traffic.FixedTime(np.ones(tails.size)))
trips = traffic.Trips.of_matrix(rng.uniform(0, 1, (n, n)), zones=around)
region, costs = traffic.Flows(network, trips), rng.uniform(0, 1, tails.size)
loads = []
for threads, least in (2, 0), (1, 0), (1, 10**9):
    numba.set_num_threads(threads)
    flows.THREADED = least
    loads.append(region.lmo(costs).array)
assert np.array_equal(loads[0], loads[1])
print(abs(loads[0] - loads[2]).max() / loads[2].max())
"""


def test_threads_change_nothing():
    assert float(in_threads(2, THREADED)) <= 1e-14


@pytest.mark.parametrize("seed", range(4))
def test_the_oracle_is_a_linear_program(seed):
    """min <g, sum of the origins' flows> where each origin's flow carries its trips."""
    rng = np.random.default_rng(seed)
    n = 6
    around = np.arange(n)
    tails, heads = np.hstack([[around, (around + 1) % n], rng.integers(0, n, (2, 9))])
    network = traffic.Network(tails, heads, traffic.FixedTime(np.ones(tails.size)))
    demand = rng.uniform(0.0, 2.0, (n, n)) * (rng.random((n, n)) < 0.5)
    np.fill_diagonal(demand, 0.0)
    classes = [
        traffic.UserClass(traffic.Trips.of_matrix(part * demand, zones=around), weight=weight)
        for part, weight in ((1.0, 1.0), (0.5, 3.0))
    ]
    costs = rng.uniform(0.0, 1.0, (2, tails.size))
    incidence = np.zeros((n, tails.size))
    np.add.at(incidence, (tails, np.arange(tails.size)), 1.0)
    np.add.at(incidence, (heads, np.arange(tails.size)), -1.0)
    least = 0.0
    for own, scale in zip(costs, (1.0, 1.5), strict=True):
        for origin in range(n):
            supply = -scale * demand[origin]
            supply[origin] += scale * demand[origin].sum()
            least += linprog(own, A_eq=incidence, b_eq=supply).fun
    flows = traffic.Flows(network, classes)
    loaded = flows.lmo(costs.ravel()).dense(costs.size)
    assert loaded.dot(costs.ravel()) == pytest.approx(least, rel=1e-9)
    assert flows.violation(loaded) <= 1e-14


def test_a_closed_node_may_begin_and_end_and_not_be_passed():
    cost = traffic.FixedTime([1.0, 1.0, 5.0])
    links = [1, 2, 1], [2, 3, 3]
    trips = traffic.Trips([1, 1, 2], [3, 2, 3], [7.0, 1.0, 2.0])
    through = traffic.Flows(traffic.Network(*links, cost), trips)
    around = traffic.Flows(traffic.Network(*links, cost, closed=[2]), trips)
    np.testing.assert_array_equal(through.lmo(np.array([1.0, 1.0, 5.0])).array, [8.0, 9.0, 0.0])
    np.testing.assert_array_equal(around.lmo(np.array([1.0, 1.0, 5.0])).array, [1.0, 2.0, 7.0])


def test_an_origin_that_is_closed_may_be_left_and_not_come_back_to():
    network = traffic.Network([1, 2, 1], [2, 1, 3], traffic.FixedTime([1.0] * 3), closed=[1, 2])
    flows = traffic.Flows(network, traffic.Trips([1, 1], [2, 3], [1.0, 1.0]))
    np.testing.assert_array_equal(flows.lmo(np.ones(3)).array, [1.0, 0.0, 1.0])
    with pytest.raises(InvalidInput, match="from 2 to 3"):
        traffic.Flows(network, traffic.Trips([2], [3], [1.0]))


def test_circles_without_cost():
    network = traffic.Network(
        [1, 2, 3, 3, 1], [2, 3, 1, 4, 1], traffic.FixedTime([0.0, 0.0, 0.0, 0.0, 0.0])
    )
    flows = traffic.Flows(network, traffic.Trips([1, 2], [4, 4], [1.0, 2.0]))
    np.testing.assert_array_equal(flows.lmo(np.zeros(5)).array, [1.0, 3.0, 0.0, 3.0, 0.0])


@pytest.mark.parametrize("bad", [-1.0, -1e-3])
def test_costs_below_zero_are_refused(bad):
    network = traffic.Network([1], [2], traffic.FixedTime([1.0]))
    with pytest.raises(InvalidInput, match="links must cost >= 0"):
        traffic.Flows(network, traffic.Trips([1], [2], [1.0])).lmo(np.array([bad]))
