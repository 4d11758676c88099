"""Problems that must come to the same: other orders, names, scales, links, classes and tolls."""

from __future__ import annotations

import numpy as np
import pytest
from random_roads import random_network, random_trips, solved

import frankwolfe as fw
from frankwolfe.apps import traffic

SEEDS = range(5)


@pytest.mark.parametrize("seed", SEEDS)
def test_who_plans_for_all_does_no_worse(seed):
    rng = np.random.default_rng(seed)
    network, trips = random_network(rng), random_trips(rng)
    ours, best = (solved(network, trips, system_optimum=so) for so in (False, True))
    assert best.fun <= ours.total_cost * (1 + 1e-9)
    assert best.fun == pytest.approx(best.flows.dot(best.costs))
    assert best.fun < ours.total_cost or np.allclose(best.flows, ours.flows)


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_times_through_zero_make_both_the_same(seed):
    """With t = k x the equilibrium is the system optimum."""
    rng = np.random.default_rng(seed)
    around = np.arange(6)
    tails, heads = np.hstack([[around, (around + 1) % 6], [[0, 2, 4, 1], [3, 5, 1, 4]]])
    cost = traffic.AffineCost(0.0, rng.uniform(1.0, 3.0, tails.size))
    network, trips = traffic.Network(tails, heads, cost), random_trips(rng)
    ours, best = (solved(network, trips, system_optimum=so) for so in (False, True))
    np.testing.assert_allclose(ours.flows, best.flows, atol=1e-4 * trips.total)
    assert ours.total_cost == pytest.approx(best.fun, rel=1e-8)


def test_trips_within_a_zone_use_no_link():
    rng = np.random.default_rng(1)
    network, trips = random_network(rng), random_trips(rng)
    more = traffic.Trips(
        np.append(trips.origins, [0, 1]), np.append(trips.destinations, [0, 1]),
        np.append(trips.amounts, [100.0, 5.0]),
    )  # fmt: skip
    np.testing.assert_array_equal(solved(network, trips).flows, solved(network, more).flows)


def test_tolls_and_lengths_are_costs():
    rng = np.random.default_rng(2)
    plain, trips = random_network(rng), random_trips(rng)
    toll, length = rng.uniform(0.0, 3.0, (2, plain.size))
    links = plain.links.T
    network = traffic.Network(
        *links, plain.cost, toll=toll, length=length, toll_factor=0.7, distance_factor=0.2
    )
    answer = solved(network, trips)
    fixed = 0.7 * toll + 0.2 * length
    np.testing.assert_allclose(answer.costs, plain.cost.time(answer.flows) + fixed)
    as_class = solved(plain, traffic.UserClass(trips, fixed=fixed))
    np.testing.assert_allclose(as_class.flows, answer.flows, atol=1e-6)
    assert answer.fun == pytest.approx(plain.cost.integral(answer.flows) + fixed @ answer.flows)


def test_costs_as_a_plain_function_give_the_same_flows():
    """Its gradient is compared with differences along ways alone: roads have no cost below zero."""
    rng = np.random.default_rng(4)
    network, trips = random_network(rng), random_trips(rng)
    answer, cost = solved(network, trips, tol=1e-9), network.cost
    f = fw.Function(cost.integral, cost.time, n=network.size)
    plain = fw.minimize(f, traffic.Flows(network, trips), tol=1e-9)
    assert plain.success
    assert plain.fun == pytest.approx(answer.fun, rel=1e-8)


def test_tolls_of_marginal_costs_bring_about_the_system_optimum():
    rng = np.random.default_rng(3)
    network, trips = random_network(rng, cost="BPR^1"), random_trips(rng)
    best = solved(network, trips, tol=1e-12, system_optimum=True)
    toll = best.flows * network.cost.slope(best.flows)
    paid = traffic.Network(*network.links.T, network.cost, toll=toll, toll_factor=1.0)
    answer = solved(paid, trips, tol=1e-12)
    assert answer.flows.dot(network.cost.time(answer.flows)) == pytest.approx(best.fun, rel=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_order_and_names_change_nothing(seed):
    rng = np.random.default_rng(seed)
    network, trips = random_network(rng), random_trips(rng)
    order, names = (
        rng.permutation(network.size),
        np.array([f"node {i}" for i in rng.permutation(6)]),
    )
    tails, heads = (names[ends[order]] for ends in (network.tails, network.heads))
    other = traffic.Network(tails, heads, network.cost.at(order))
    rows = rng.permutation(trips.amounts.size)
    named = traffic.Trips(
        names[trips.origins[rows]], names[trips.destinations[rows]], trips.amounts[rows]
    )
    a, b = solved(network, trips, tol=1e-12), solved(other, named, tol=1e-12)
    assert a.fun == pytest.approx(b.fun, rel=1e-11)
    np.testing.assert_allclose(a.flows[order], b.flows, atol=1e-4)


@pytest.mark.parametrize("factor", [1e-6, 3.0, 1e6])
def test_scales(factor):
    rng = np.random.default_rng(5)
    network, trips = random_network(rng), random_trips(rng)
    table, links = network.cost.table, network.links.T
    plain = solved(network, trips, tol=1e-12)
    wide = traffic.Network(*links, traffic.BPR(table[:, 0], factor * table[:, 2]))
    more = solved(wide, trips.times(factor), tol=1e-12)
    np.testing.assert_allclose(more.flows, factor * plain.flows, atol=1e-5 * factor)
    assert more.fun == pytest.approx(factor * plain.fun, rel=1e-11)
    slow = solved(traffic.Network(*links, traffic.BPR(factor * table[:, 0], table[:, 2])), trips)
    assert slow.fun == pytest.approx(factor * plain.fun, rel=1e-8)


def test_two_links_for_one_change_nothing():
    rng = np.random.default_rng(6)
    network, trips = random_network(rng), random_trips(rng)
    plain = solved(network, trips, tol=1e-12)
    tails, heads = np.append(network.tails, 9), np.append(network.heads, network.heads[0])
    heads[0] = 9  # then on without cost to where it led
    everything = np.append(np.arange(network.size), 0)
    cost = network.cost.at(everything).replaced([network.size], traffic.FixedTime([0.0]))
    split = solved(traffic.Network(tails, heads, cost), trips, tol=1e-12)
    assert split.fun == pytest.approx(plain.fun, rel=1e-11)
    np.testing.assert_allclose(split.flows[:-1], plain.flows, atol=1e-4)
    assert split.flows[-1] == pytest.approx(split.flows[0], rel=1e-12)


def test_a_link_that_never_pays_stays_empty():
    rng = np.random.default_rng(8)
    network, trips = random_network(rng), random_trips(rng)
    plain = solved(network, trips, tol=1e-12)
    tails, heads = np.append(network.tails, 0), np.append(network.heads, 3)
    cost = network.cost.at(np.append(np.arange(network.size), 0))
    cost = cost.replaced([network.size], traffic.FixedTime([1e6]))
    more = solved(traffic.Network(tails, heads, cost), trips, tol=1e-12)
    assert more.flows[-1] == 0.0
    assert more.fun == pytest.approx(plain.fun, rel=1e-11)


def test_pairs_that_come_twice_count_twice():
    rng = np.random.default_rng(9)
    network, trips = random_network(rng), random_trips(rng)
    halves = traffic.Trips(
        np.tile(trips.origins, 2), np.tile(trips.destinations, 2), np.tile(trips.amounts / 2, 2)
    )
    a, b = solved(network, trips), solved(network, halves)
    np.testing.assert_allclose(a.flows, b.flows, rtol=1e-9, atol=1e-9)


def test_classes_alike_are_one():
    rng = np.random.default_rng(10)
    network, trips = random_network(rng), random_trips(rng)
    one = solved(network, trips, tol=1e-12)
    two = solved(network, [trips.times(0.25), trips.times(0.75)], tol=1e-12)
    assert two.fun == pytest.approx(one.fun, rel=1e-11)
    np.testing.assert_allclose(two.flows, one.flows, atol=1e-4)
    heavy = solved(network, traffic.UserClass(trips.times(0.5), weight=2.0), tol=1e-12)
    assert heavy.fun == pytest.approx(one.fun, rel=1e-11)
    np.testing.assert_allclose(heavy.class_flows[0], heavy.flows / 2)
    assert heavy.average_excess_cost == pytest.approx(2 * one.average_excess_cost, abs=1e-9)
