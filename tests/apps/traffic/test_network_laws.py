"""Networks and bushes by their definitions, under other names, and what makes no network."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from random_roads import COSTS, random_network, random_trips
from scipy.optimize import brentq

import frankwolfe as fw
from frankwolfe import InvalidInput
from frankwolfe.apps import traffic
from frankwolfe.apps.traffic import bush_memory
from frankwolfe.apps.traffic.link_cost import InvalidLink
from frankwolfe.base.kernels import shortest_paths as graphs_paths


@pytest.fixture
def many(rng):
    """Labels with gaps, links in no order, lengths and tolls."""
    labels = np.sort(rng.choice(900, 9, replace=False))
    tails = np.concatenate([labels, rng.choice(labels, 12)])
    heads = np.concatenate([np.roll(labels, -1), rng.choice(labels, 12)])
    tails, heads = tails[tails != heads], heads[tails != heads]
    m = tails.size
    cost = traffic.BPR(rng.uniform(1, 3, m), rng.uniform(2, 6, m), 0.5, 2.0)
    parts = {"length": rng.uniform(0.5, 2, m), "toll": rng.uniform(0, 3, m)}
    return labels, tails, heads, cost, parts


def test_links_lead_where_their_labels_say(many, rng):
    labels, tails, heads, cost, _ = many
    lonely = int(labels[-1]) + 5
    shut, zones = rng.choice(labels, 3, replace=False), rng.choice(labels, 4, replace=False)
    network = traffic.Network(
        tails, heads, cost, nodes=[lonely], zones=[*zones, zones[0]], closed=shut
    )
    assert network.nodes.tolist() == [*labels, lonely]
    assert network.links.tolist() == np.transpose([tails, heads]).tolist()
    assert network.size == tails.size
    assert network.nodes[network.zones].tolist() == sorted(zones)
    assert network.nodes[network.closed].tolist() == sorted(shut)
    asked = rng.choice(network.nodes, 20)
    assert network.nodes[network.places("asked", asked)].tolist() == asked.tolist()
    assert network.places("asked", asked.astype(float)).tolist() == (
        network.places("asked", asked).tolist()
    )
    for strange in (labels[0] - 1, labels[4] + 1 if labels[4] + 1 not in labels else -7, 10**6):
        with pytest.raises(InvalidInput, match=f"asked must be nodes .* but {strange} is none"):
            network.places("asked", [labels[1], strange])
    words = repr(network)
    assert words.startswith(f"Network({network.nodes.size} nodes, {tails.size} links, 4 zones")
    assert ("3 of them not to be passed" in words) == bool(network.closed.any())
    open_ = traffic.Network(tails, heads, cost)
    assert "passed" not in repr(open_)
    assert open_.zones.tolist() == list(range(labels.size))
    assert not open_.closed.any()


def test_the_lists_of_links_at_each_node_are_complete(many):
    _, tails, heads, cost, _ = many
    roads = traffic.Network(tails, heads, cost).roads
    for first, order, ends in (
        (roads.first, roads.order, roads.tails),
        (roads.entering_first, roads.entering, roads.heads),
    ):
        for node in range(roads.closed.size):
            assert (
                sorted(order[first[node] : first[node + 1]])
                == np.flatnonzero(ends == node).tolist()
            )
    again = graphs_paths.leaving(roads.tails, roads.closed.size)
    assert all(np.array_equal(a, b) for a, b in zip(again, (roads.first, roads.order), strict=True))


@pytest.mark.parametrize("name", COSTS)
def test_costs_are_times_tolls_and_lengths(name, rng):
    m = 8
    time, capacity = rng.uniform(1, 3, m), rng.uniform(2, 6, m)
    time[0] = 0.0
    length, toll, flows = rng.uniform(0, 2, m), rng.uniform(0, 3, m), rng.uniform(0, 2, m)
    flows[1] = 0.0
    cost = COSTS[name](time, capacity)
    network = traffic.Network(
        *(np.arange(m), np.arange(m) + 1, cost),
        **{"length": length, "toll": toll, "toll_factor": 0.7, "distance_factor": 1.3},
    )
    with np.errstate(all="ignore"):
        there = cost.time(flows)
    np.testing.assert_allclose(network.cost_of(flows), there + 0.7 * toll + 1.3 * length)
    np.testing.assert_allclose(network.fixed_cost(2.0, 0.1), 2.0 * toll + 0.1 * length)
    slower = network.congestion(flows)
    for a in range(m):
        empty = cost.free_flow_time[a]
        expected = np.inf if empty == 0.0 and there[a] > 0.0 else there[a] / (empty or 1.0)
        assert slower[a] == pytest.approx(max(expected, 1.0))
    full = network.saturation(flows)
    risen = cost.time(2.0 * cost.capacity) > cost.free_flow_time
    np.testing.assert_array_equal(np.isnan(full), ~risen)
    np.testing.assert_allclose(full[risen], (flows / cost.capacity)[risen])
    one = traffic.Network(np.arange(m), np.arange(m) + 1, cost, length=0.5, distance_factor=2.0)
    np.testing.assert_allclose(one.cost_of(flows) - there, 1.0)


@pytest.mark.parametrize("way", ["texts", "other numbers", "other order"])
def test_other_names_and_orders_change_no_flow(way, many, rng):
    labels, tails, heads, cost, parts = many
    network = traffic.Network(tails, heads, cost, **parts, toll_factor=0.5, distance_factor=0.2)
    trips = traffic.Trips(labels[:4], labels[4:8], rng.uniform(2, 8, 4))
    wanted = traffic.equilibrium(network, trips, tol=1e-11)
    order = rng.permutation(tails.size) if way == "other order" else np.arange(tails.size)
    new = {
        "texts": {label: f"n{rng.integers(10**6)}-{label}" for label in labels},
        "other numbers": dict(zip(labels, rng.permutation(5000)[: labels.size], strict=True)),
        "other order": {label: label for label in labels},
    }[way]
    named = [np.array([new[label] for label in ends]) for ends in (tails, heads)]
    table = cost.table[order]
    moved = traffic.BPR(*table[:, [0]].T, table[:, 2], 0.5, 2.0)
    other = traffic.Network(
        *(ends[order] for ends in named),
        moved,
        **{name: part[order] for name, part in parts.items()},
        **{"toll_factor": 0.5, "distance_factor": 0.2},
    )
    renamed = traffic.Trips(
        [new[label] for label in labels[:4]], [new[label] for label in labels[4:8]], trips.amounts
    )
    found = traffic.equilibrium(other, renamed, tol=1e-11)
    np.testing.assert_allclose(found.flows, wanted.flows[order], rtol=1e-5, atol=1e-5)
    assert found.fun == pytest.approx(wanted.fun, rel=1e-9)


def test_coordinates_are_kept_in_the_order_of_nodes(many, rng):
    labels, tails, heads, cost, _ = many
    places = rng.standard_normal((labels.size, 2))
    network = traffic.Network(tails, heads, cost, coordinates=places)
    np.testing.assert_array_equal(network.coordinates, places)
    assert traffic.Network(tails, heads, cost).coordinates is None
    for bad in (places[:-1], places.T, places * np.nan, places[:, 0]):
        with pytest.raises(InvalidInput, match="coordinates must be finite, of shape"):
            traffic.Network(tails, heads, cost, coordinates=bad)


COST = traffic.BPR([1.0, 2.0, 3.0], 5.0)
WRONG = {
    "tails and heads must name": {"tails": [1, 2]},
    "got 3 tails and 2 heads": {"heads": [1, 2]},
    "got 0 tails": {"tails": [], "heads": []},
    "cost must be times of links": {"cost": np.ones(3)},
    "cost must have 3 links": {"cost": traffic.BPR([1.0, 2.0], 5.0)},
    "tails must be a vector of labels": {"tails": [1.5, 2.0, 3.0]},
    "heads must be a vector": {"heads": [[2, 3, 1]]},
    "heads must be whole numbers": {"heads": ["b", "c", "a"]},
    "tails must be a vector of": {"tails": [2.0**53, 1.0, 2.0]},
    "zones must be whole numbers": {"zones": ["a"]},
    "zones must be nodes": {"zones": [1, 9]},
    "closed must be nodes": {"closed": [9]},
    "nodes must be whole numbers": {"nodes": ["x"]},
    "length must be one number, or 3": {"length": [1.0, 2.0]},
    "toll must be one number, or 3": {"toll": np.ones((3, 1))},
    "toll_factor": {"toll_factor": np.nan},
    "distance_factor": {"distance_factor": np.inf},
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_no_network_gets_one_sentence(words):
    given = {"tails": [1, 2, 3], "heads": [2, 3, 1], "cost": COST} | WRONG[words]
    with pytest.raises(InvalidInput, match=words):
        traffic.Network(**given)
    traffic.Network(["a", "b", "c"], ["b", "c", "a"], COST, zones=["a"], nodes=["d"])
    traffic.Network([1.0, 2.0, 3.0], [2, 3, 1], COST, closed=[])


@pytest.mark.parametrize("link", range(3))
def test_a_link_that_is_wrong_is_named(link):
    bad = np.zeros(3)
    bad[link] = np.nan
    with pytest.raises(InvalidLink, match="length must be finite") as caught:
        traffic.Network([1, 2, 3], [2, 3, 1], COST, length=bad)
    assert caught.value.link == link
    bad[link] = -COST.free_flow_time[link]
    traffic.Network([1, 2, 3], [2, 3, 1], COST, toll=bad, toll_factor=1.0)  # a cost of 0
    bad[link] *= 1.0 + 1e-9
    with pytest.raises(InvalidLink, match="a finite cost >= 0") as caught:
        traffic.Network([1, 2, 3], [2, 3, 1], COST, toll=bad, toll_factor=1.0)
    assert caught.value.link == link


# ---- bushes


@pytest.mark.parametrize("sweeps", [1, 3, 4])
def test_any_number_of_sweeps_finds_the_flows_of_other_methods(sweeps):
    rng = np.random.default_rng(sweeps)
    network, trips = random_network(rng, 10, 30), random_trips(rng, 10, 25)
    f, flows = fw.traffic.Beckmann(network), traffic.Flows(network, trips)
    found = fw.minimize(f, flows, method=traffic.bushes(sweeps), tol=1e-10)
    other = fw.minimize(f, flows, method="pairwise", tol=1e-6)
    assert found.success
    assert other.lower_bound - 1e-9 <= found.fun <= other.fun + 1e-9
    assert flows.violation(found.x) <= 1e-12
    np.testing.assert_allclose(found.x, other.x, atol=2e-2 * found.x.max())
    # and by definition: no used way is longer than another (Wardrop)
    costs = network.cost_of(found.x)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    best = np.full((10, 10), np.inf)
    np.minimum.at(best, (network.tails, network.heads), costs)
    shortest = dijkstra(coo_array(np.where(np.isfinite(best), best, 0.0)).tocsr())
    ends = network.places("o", trips.origins), network.places("d", trips.destinations)
    assert found.x @ costs == pytest.approx(trips.amounts @ shortest[ends], rel=1e-8)


def test_class_flows_are_the_sums_of_bushes(rng):
    network = random_network(rng, 9, 25)
    classes = [
        traffic.UserClass(random_trips(rng, 9, 12)),
        traffic.UserClass(random_trips(rng, 9, 6), weight=2.0),
    ]
    answer = traffic.equilibrium(network, classes, tol=1e-9)
    bushes, demand = answer.bushes, answer.demand
    own = np.zeros((2, network.size))
    other = rng.random(bushes.loads.size)
    theirs = np.zeros_like(own)
    for b, kind in enumerate(demand.of):
        mine = slice(bushes.begin[b], bushes.begin[b + 1])
        np.add.at(own[kind], bushes.links[mine], bushes.loads[mine])
        np.add.at(theirs[kind], bushes.links[mine], other[mine])
    np.testing.assert_allclose(bushes.flows(demand.of, own.shape), own.ravel(), rtol=1e-12)
    np.testing.assert_allclose(bushes.flows(demand.of, own.shape, other), theirs.ravel())
    np.testing.assert_allclose(answer.class_flows, own / [[1.0], [2.0]], rtol=1e-12)


def test_patience_is_counted_from_the_last_tenth(rng):
    for _ in range(20):
        memory = bush_memory.Bushes(
            *(np.zeros(1, int) for _ in range(2)), np.zeros(0), np.zeros(0), 3
        )
        best, since, gap = np.inf, 0, 1.0
        for _ in range(700):
            gap *= float(rng.choice([1.0, 0.95, 1.05, 0.9], p=[0.97, 0.01, 0.015, 0.005]))
            state = SimpleNamespace(model_gap=gap, spent=None)
            memory.watch(state)
            since += 1
            if gap < 0.9 * best:
                best, since = gap, 0
            assert (memory.best, memory.since) == (best, since)
            assert state.spent == (since >= bush_memory.PATIENCE)


FORGED = {
    "begin": [lambda a: a["begin"] + 1, lambda a: a["begin"][::-1].copy(),
              lambda a: np.r_[0, a["begin"][-1] + 1, a["begin"][-1]]],
    "links": [lambda a: a["links"] - a["links"].min() - 1,
              lambda a: a["links"] - a["links"].max() + a["size"], lambda a: a["links"][:-1]],
    "loads": [lambda a: a["loads"][:-1]],
    "size": [lambda a: a["size"] + 1],
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_each_flaw_of_forged_bushes_is_seen(name):
    network, trips = traffic.braess()
    answer = traffic.equilibrium(network, trips, tol=1e-6)
    memory = answer.bushes
    for forge in FORGED[name]:
        arrays = dict(memory.pack())
        fresh = replace(memory)
        fresh.take_form(arrays)
        assert fresh.links.size == fresh.loads.size == memory.links.size
        arrays[name] = forge(arrays)
        with pytest.raises(ValueError, match="bushes that are none"):
            fresh.take_form(arrays)
    empty = {"begin": np.zeros(2, int), "links": np.zeros(0, int), "loads": np.zeros(0)}
    replace(memory).take_form(dict(memory.pack()) | empty)


# ---- elastic demand


KINDS = {
    "linear": traffic.LinearDemand,
    "exponential": lambda a, r: traffic.ExponentialDemand(4.0 / a, r),
}


@pytest.mark.parametrize("optimum", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tol", [1e-2, 1e-12])
def test_the_figures_of_an_elastic_result_by_their_definitions(tol, kind, optimum, rng):
    network = random_network(rng, 8, 20, toll=0.8, toll_factor=0.5)
    pairs = [(i, j) for i in range(0, 8, 2) for j in range(1, 8, 3) if i != j]
    trips = traffic.Trips(*np.transpose(pairs), rng.uniform(1, 5, len(pairs)))
    highest, reference = rng.uniform(25, 60, len(pairs)), rng.uniform(2, 9, len(pairs))
    highest[0] = 1e-3 + reference[0]  # nobody goes there
    reference[0], highest[0] = 0.1, 0.2
    demand = KINDS[kind](highest, reference)
    result = traffic.elastic_equilibrium(network, trips, demand, tol=tol, system_optimum=optimum)
    made = result.trips.matrix(network.nodes)[tuple(np.transpose(pairs))]
    costs = network.cost.time(result.flows) + network.fixed
    np.testing.assert_allclose(result.costs, costs)
    priced = network.cost.marginal().time(result.flows) + network.fixed if optimum else costs

    def shortest(of):
        far = np.full((8, 8), np.inf)
        np.fill_diagonal(far, 0.0)
        np.minimum.at(far, (network.tails, network.heads), of)
        for k in range(8):
            far = np.minimum(far, far[:, [k]] + far[[k]])
        return far[tuple(np.transpose(pairs))]

    assert result.total_cost == pytest.approx(result.flows @ costs)
    assert result.shortest_cost == pytest.approx(made @ shortest(costs))
    excess = (result.flows @ priced - made @ shortest(priced)) / made.sum()
    assert result.average_excess_cost == pytest.approx(max(excess, 0.0), abs=1e-9)
    np.testing.assert_array_equal(result.class_flows, result.flows[None])
    assert result.system_optimum == optimum
    balance = np.bincount(network.tails, result.flows, 8) - np.bincount(
        network.heads, result.flows, 8
    )
    matrix = result.trips.matrix(network.nodes)
    np.testing.assert_allclose(balance, matrix.sum(axis=1) - matrix.sum(axis=0), atol=1e-9)
    # what those who go would pay on top: from the cost at which so many go, upwards
    surplus = 0.0
    for i in np.flatnonzero(made > 1e-9):
        one = demand.on(trips, np.array([i]))
        at = lambda u, i=i, one=one: float(one.trips_at(trips.amounts[i], u)[0])  # noqa: E731
        u = brentq(lambda u: at(u) - made[i], -100.0, 500.0)  # noqa: B023
        ends = np.linspace(u, u + 400.0 if kind == "exponential" else highest[i], 20001)
        surplus += np.trapezoid(one.trips_at(trips.amounts[i], ends), ends)
    assert result.consumer_surplus == pytest.approx(surplus, rel=1e-3)
    if tol < 1e-6:
        wanted = [
            float(demand.on(trips, np.array([i])).trips_at(trips.amounts[i], u)[0])
            for i, u in enumerate(shortest(priced))
        ]
        np.testing.assert_allclose(made, wanted, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_pairs_may_come_by_zones_and_in_any_order(kind, rng):
    network = random_network(rng, 6, 16)
    pairs = np.array([(i, j) for i in range(6) for j in range(6) if i != j and (i + j) % 3])
    trips = traffic.Trips(*pairs.T, rng.uniform(1, 5, len(pairs)))
    today = traffic.equilibrium(network, trips, tol=1e-11).skims()
    reference = today.matrix()[tuple(pairs.T)]
    one, two = (
        traffic.elastic_equilibrium(network, trips, KINDS[kind](50.0, given), tol=1e-11)
        for given in (today, reference)
    )
    np.testing.assert_array_equal(one.flows, two.flows)
    order = rng.permutation(len(pairs))
    mixed = traffic.Trips(*pairs[order].T, trips.amounts[order])
    other = traffic.elastic_equilibrium(
        network, mixed, KINDS[kind](np.full(len(pairs), 50.0), reference[order]), tol=1e-11
    )
    np.testing.assert_allclose(other.flows, one.flows, rtol=1e-5, atol=1e-6)
    assert other.consumer_surplus == pytest.approx(one.consumer_surplus, rel=1e-8)
    demand = KINDS[kind](50.0, reference).on(trips, np.arange(len(pairs)))
    some = rng.choice(len(pairs), 5, replace=False)
    np.testing.assert_array_equal(
        demand.at(some).trips_at(trips.amounts[some], 3.0),
        demand.trips_at(trips.amounts, 3.0)[some],
    )
    lone = traffic.Trips([0], [77], [1.0])
    with pytest.raises(InvalidInput, match="zones of the trips, but not 77"):
        KINDS[kind](50.0, today).on(lone, np.array([0]))
    assert "..." in repr(KINDS[kind](50.0, reference))
    assert "..." in repr(KINDS[kind](50.0, today))
    assert repr(KINDS[kind](50.0, 1.5)).endswith(", 1.5)")


def test_the_pair_with_the_wrong_ends_is_named(rng):
    trips = traffic.Trips([1, 2, 3], [4, 5, 6], [1.0, 1.0, 1.0])
    for i in range(3):
        highest = np.array([9.0, 9.0, 9.0])
        highest[i] = 2.0
        with pytest.raises(InvalidInput, match=f"2 and 3 from {i + 1} to {i + 4}"):
            traffic.LinearDemand(highest, 3.0).on(trips, np.arange(3))
        places = np.delete(np.arange(3), i)
        traffic.LinearDemand(highest, 3.0).on(trips, places)
        theta = np.ones(3)
        theta[i] = -0.5
        with pytest.raises(InvalidInput, match=r"theta must be > 0, got -0.5"):
            traffic.ExponentialDemand(theta).on(trips, np.arange(3))
