"""Elastic demand: as many go as the costs they find say, and a general solver says the same."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from small_city import small_city

from frankwolfe import InvalidInput
from frankwolfe.apps import traffic

DEMANDS = [traffic.LinearDemand(25.0, 8.0), traffic.ExponentialDemand(0.15, 8.0)]


def one_road():
    cost = traffic.BPR([10.0], [30.0], 1.0, 2.0)
    network = traffic.Network([1], [2], cost, toll=[3.0], toll_factor=0.5)
    return network, traffic.Trips([1], [2], [50.0])


@pytest.mark.parametrize(
    "demand", [traffic.LinearDemand(60.0, 12.0), traffic.ExponentialDemand(0.05, 12.0)]
)
def test_one_road_is_a_scalar_equation(demand) -> None:
    network, trips = one_road()
    result = traffic.elastic_equilibrium(network, trips, demand, tol=1e-13)
    cost = lambda d: float(network.cost_of([d])[0])  # noqa: E731
    wanted = brentq(lambda d: float(demand.trips_at(50.0, cost(d))) - d, 1e-6, 200.0, xtol=1e-12)
    assert result.trips.total == pytest.approx(wanted, rel=1e-8)
    assert result.flows == pytest.approx([wanted], rel=1e-8)
    area, _ = quad(lambda u: float(demand.trips_at(50.0, u)), cost(wanted), 400.0, points=[60.0])
    assert result.consumer_surplus == pytest.approx(area, rel=1e-6)
    assert result.total_cost == pytest.approx(wanted * cost(wanted), rel=1e-8)
    best = traffic.elastic_equilibrium(network, trips, demand, tol=1e-13, system_optimum=True)
    marginal = lambda d: float(network.cost.marginal().time([d])[0]) + 1.5  # noqa: E731
    wanted = brentq(lambda d: float(demand.trips_at(50.0, marginal(d))) - d, 1e-6, 200.0)
    assert best.trips.total == pytest.approx(wanted, rel=1e-8)


@pytest.mark.parametrize("demand", DEMANDS)
def test_costs_of_staying_are_those_at_which_so_many_go(demand) -> None:
    """Also their slopes and integrals, and as marginal costs, up to everybody and beyond."""
    empty, given = np.full(7, 6.0), np.full(7, 40.0)
    most = demand.trips_at(given, empty)
    pairs = traffic.Trips(np.ones(7, dtype=int), np.arange(7), given)
    cost = demand.on(pairs, np.arange(7)).staying(given, empty)
    stay = most * [0.0, 0.1, 0.5, 0.9, 0.999, 1.0, 1.1]
    time = cost.time(stay)
    np.testing.assert_allclose(demand.trips_at(given, time)[:5], (most - stay)[:5], rtol=1e-9)
    for kind in (cost, cost.marginal()):
        assert (np.diff(kind.time(stay)) > 0.0).all()
        step = 1e-6 * most
        high, low = kind.time(stay + step), kind.time(np.maximum(stay - step, 0.0))
        width = stay + step - np.maximum(stay - step, 0.0)
        inner = slice(0, 4)  # where the second derivative is not too large for differences
        np.testing.assert_allclose((high - low)[inner] / width[inner], kind.slope(stay)[inner],
                                   rtol=1e-4)  # fmt: skip
        for i in range(5):
            one = lambda x, i=i, kind=kind: float(kind.time(np.full(7, x))[i])  # noqa: E731
            part, _ = quad(one, 0.0, stay[i])
            assert kind.integral(np.where(np.arange(7) == i, stay, 0.0)) == pytest.approx(part)


def test_worth_of_few_trips_is_exact() -> None:
    """The integral of -log(1 - r) for small r, by its series."""
    for share in (1e-12, 1e-6, 0.01, 0.3, 0.4999, 0.5001):
        pair = traffic.Trips([1], [2], [10.0])
        cost = (
            traffic.ExponentialDemand(0.5)
            .on(pair, np.array([0]))
            .staying(pair.amounts, np.zeros(1))
        )
        series = sum(share**k / (k * (k - 1)) for k in range(2, 80))
        assert cost.integral([10.0 * share]) == pytest.approx(20.0 * series, rel=1e-13)


def by_program(network, trips, demand, system_optimum):
    """Flows and trips that minimize Beckmann's function less the worth of the trips."""
    cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    balance = np.zeros((network.nodes.size, network.size))
    balance[network.tails, np.arange(network.size)] += 1.0
    balance[network.heads, np.arange(network.size)] -= 1.0
    total, worth, made, rules = 0.0, 0.0, [], []
    for origin in np.unique(trips.origins):
        mine = trips.origins == origin
        d, x = cp.Variable(mine.sum(), nonneg=True), cp.Variable(network.size, nonneg=True)
        here = np.zeros((network.nodes.size, d.size))
        here[network.places("origin", origin)] = 1.0
        here[network.places("d", trips.destinations[mine]), np.arange(d.size)] -= 1.0
        passed = network.closed[network.tails] & (network.nodes[network.tails] != origin)
        rules += [balance @ x == here @ d, x[np.flatnonzero(passed)] == 0.0]
        given = trips.amounts[mine]
        if isinstance(demand, traffic.LinearDemand):
            slope = (demand.highest - demand.reference) / given
            worth += demand.highest * cp.sum(d) - slope / 2 @ cp.square(d)
        else:
            logs = cp.sum(cp.entr(d)) + (1.0 + np.log(given)) @ d
            worth += demand.reference * cp.sum(d) + logs / demand.theta
        total, made = total + x, [*made, d]
    empty, rise, capacity, power = network.cost.table.T
    rise = rise * capacity * (1.0 if system_optimum else 1.0 / (power + 1.0))
    bends = rise @ cp.power(cp.multiply(1 / capacity, total), float(power[0]) + 1.0)
    problem = cp.Problem(cp.Minimize((empty + network.fixed) @ total + bends - worth), rules)
    problem.solve(solver=cp.CLARABEL)
    return total.value, np.concatenate([d.value for d in made])


@pytest.mark.parametrize("demand", DEMANDS)
@pytest.mark.parametrize("system_optimum", [False, True])
def test_the_same_as_a_convex_program(demand, system_optimum: bool) -> None:
    network, trips = small_city(1, side=3, zones=4, busy=3.0)
    flows, made = by_program(network, trips, demand, system_optimum)
    result = traffic.elastic_equilibrium(
        network, trips, demand, tol=1e-11, system_optimum=system_optimum
    )
    np.testing.assert_allclose(result.flows, flows, atol=1e-3 * flows.max())
    np.testing.assert_allclose(result.trips.amounts, made, atol=1e-3 * made.max())
    assert result.certified


@pytest.mark.parametrize("demand", DEMANDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_as_many_go_as_the_costs_say(demand, seed: int) -> None:
    network, trips = small_city(seed, busy=2.0)
    result = traffic.elastic_equilibrium(network, trips, demand, tol=1e-12)
    skims, zones = result.skims(), result.network.nodes[network.zones]
    wanted = demand.trips_at(trips.matrix(zones), skims.matrix())
    np.fill_diagonal(wanted, 0.0)
    np.testing.assert_allclose(result.trips.matrix(zones), wanted, rtol=1e-5)
    again = traffic.equilibrium(network, result.trips, tol=1e-12)
    np.testing.assert_allclose(again.flows, result.flows, rtol=1e-4, atol=1e-4)
    assert again.total_cost == pytest.approx(result.total_cost, rel=1e-6)


@pytest.mark.parametrize("kind", [traffic.LinearDemand, traffic.ExponentialDemand])
def test_at_the_costs_of_today_all_go(kind) -> None:
    network, trips = small_city(3)
    today = traffic.equilibrium(network, trips, tol=1e-12)
    number = 60.0 if kind is traffic.LinearDemand else 0.1
    result = traffic.elastic_equilibrium(network, trips, kind(number, today.skims()), tol=1e-12)
    np.testing.assert_allclose(result.trips.amounts, trips.amounts, rtol=1e-6)
    np.testing.assert_allclose(result.flows, today.flows, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("demand", DEMANDS)
def test_zones_that_may_be_passed(demand) -> None:
    """Trips do not leave by the links of others who stay: the same as with zones outside."""
    tails, heads = np.array([1, 2, 2, 3, 1, 3]), np.array([2, 1, 3, 2, 3, 1])
    cost = traffic.BPR([5.0, 5.0, 5.0, 5.0, 12.0, 12.0], 10.0, 1.0, 1.0)
    inside = traffic.Network(tails, heads, cost)
    outer = np.array([11, 12, 13])
    ways = np.concatenate([tails, outer, outer - 10]), np.concatenate([heads, outer - 10, outer])
    longer = traffic.BPR(
        np.append(cost.table[:, 0], np.zeros(6)), 10.0, np.append(np.ones(6), np.zeros(6)), 1.0
    )
    outside = traffic.Network(*ways, longer, zones=outer, closed=outer)
    matrix = [[0.0, 8.0, 9.0], [4.0, 0.0, 20.0], [3.0, 5.0, 0.0]]
    trips, far = traffic.Trips.of_matrix(matrix), traffic.Trips.of_matrix(matrix, outer)
    one = traffic.elastic_equilibrium(inside, trips, demand, tol=1e-12)
    two = traffic.elastic_equilibrium(outside, far, demand, tol=1e-12)
    np.testing.assert_allclose(one.trips.amounts, two.trips.amounts, rtol=1e-6)
    np.testing.assert_allclose(one.flows, two.flows[:6], rtol=1e-5, atol=1e-5)
    wanted = demand.trips_at(np.array(matrix), one.skims().matrix())
    np.testing.assert_allclose(one.trips.matrix([1, 2, 3]) + np.diag(np.diag(wanted)), wanted,
                               rtol=1e-5)  # fmt: skip


def test_nobody_passes_by_the_links_of_those_who_stay() -> None:
    """From 1 to 2 all stay at 7, on a road that costs those to 3 more than that."""
    cost = traffic.BPR([5.0, 1.0], 10.0, [1.0, 0.0], 1.0)
    for tails, heads, trips in (
        ([1, 2], [2, 3], traffic.Trips([1, 1], [2, 3], [4.0, 40.0])),
        ([2, 1], [3, 2], traffic.Trips([2, 1], [3, 3], [4.0, 40.0])),
    ):
        network = traffic.Network(tails, heads, cost)
        demand = traffic.LinearDemand([7.0, 40.0])
        result = traffic.elastic_equilibrium(network, trips, demand, tol=1e-12)
        # 40 (40 - u) / 40 = d and u = 6 + d / 2
        np.testing.assert_allclose(result.trips.matrix([1, 2, 3]).max(), 34.0 / 1.5, rtol=1e-8)
        np.testing.assert_allclose(result.trips.total, 34.0 / 1.5, rtol=1e-8)
        np.testing.assert_allclose(result.flows, 34.0 / 1.5, rtol=1e-8)


def test_what_is_asked_of_any_result_can_be_asked() -> None:
    network, trips = small_city(4, busy=2.0)
    result = traffic.elastic_equilibrium(network, trips, DEMANDS[0], tol=1e-10)
    for a in (0, 5, 9):
        assert result.select_link(a).flows[a] == pytest.approx(result.flows[a], abs=1e-8)
    every = result.select_link(range(network.size))
    assert every.trips.total == pytest.approx(result.trips.total)
    shortest, used = result.skims(), result.skims(ways="used")
    np.testing.assert_allclose(used.matrix(), shortest.matrix(), rtol=1e-5)
    amount = result.trips.matrix(shortest.zones)[0, 3]
    assert sum(path.flow for path in result.paths(1, 4, most=1000)) == pytest.approx(amount)


def test_nobody_goes_where_it_is_too_dear_or_no_way_leads() -> None:
    network, trips = traffic.braess()
    result = traffic.elastic_equilibrium(network, trips, traffic.LinearDemand(10.0))
    assert result.trips.total == result.flows.max() == result.consumer_surplus == 0.0
    back = traffic.Trips([1, 4], [4, 1], [6.0, 5.0])
    result = traffic.elastic_equilibrium(network, back, traffic.LinearDemand(184.0, 92.0))
    assert result.trips.total == pytest.approx(6.0, rel=1e-4)


def test_other_methods_end_within_their_gaps() -> None:
    network, trips = small_city(5)
    for demand in DEMANDS:
        best = traffic.elastic_equilibrium(network, trips, demand, tol=1e-12)
        rough = traffic.elastic_equilibrium(network, trips, demand, tol=1e-3, method="frank_wolfe")
        assert rough.certified
        assert -1e-9 * best.fun <= rough.fun - best.fun <= rough.gap + 1e-9 * best.fun


def test_demand_that_makes_no_sense() -> None:
    network, trips = small_city(0)
    linear, exponential = traffic.LinearDemand, traffic.ExponentialDemand
    for demand, sentence in (
        (linear(5.0, 5.0), "highest must be above reference, got 5 and 5 from 1 to 2"),
        (linear([5.0, 6.0]), "highest must be a number, or have one for each of 20 pairs"),
        (linear(np.nan), "highest must be finite"),
        (exponential(0.0), "theta must be > 0"),
        (exponential(9.0, 90.0), "on empty roads there must be at most"),
        (0.5, "demand LinearDemand"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            traffic.elastic_equilibrium(network, trips, demand)
    twice = traffic.Trips([1, 1], [2, 2], [3.0, 4.0])
    with pytest.raises(InvalidInput, match="each pair of zones once"):
        traffic.elastic_equilibrium(network, twice, linear(50.0))
    with pytest.raises(InvalidInput, match="zones of the network, but 9 is none"):
        traffic.elastic_equilibrium(network, traffic.Trips([9], [2], [3.0]), linear(50.0))
