"""Laws of link costs: slopes, integrals, monotony, marginal costs; extremes; bad parameters."""

from __future__ import annotations

import itertools
from inspect import signature

import numpy as np
import pytest
from random_roads import COSTS, SMOOTH
from scipy.integrate import quad

from frankwolfe import InvalidInput
from frankwolfe.apps import traffic
from frankwolfe.apps.traffic import LinkCost

SHARES = np.array([1e-6, 1e-3, 0.1, 0.29, 0.6, 0.9, 0.97, 1.05, 1.5, 4.0, 30.0, 1000.0])
CAPACITIES = (1e-6, 0.7, 2000.0, 1e9)
NEAR = 10.0 ** -np.arange(2, 9, 2)
KINKS = np.sort([0.3, 0.95, *(1 - NEAR), 1.0, *(1 + NEAR)])  # where slopes jump, or nearly so
EITHER = [*((name, False) for name in COSTS), *((name, True) for name in SMOOTH)]


def with_shares(name, capacity, shares=SHARES, time=2.5):
    """A cost whose links, all alike, have these shares of their capacity."""
    return COSTS[name](
        np.full(shares.size, time), np.full(shares.size, capacity)
    ), shares * capacity


def test_every_class_is_under_these_laws():
    made = {type(make([1.0], [1.0])) for make in COSTS.values()}
    assert made >= {each for each in vars(traffic).values() if _is_cost(each)} - {LinkCost}


def _is_cost(each):
    return isinstance(each, type) and issubclass(each, LinkCost)


@pytest.mark.parametrize("capacity", CAPACITIES)
@pytest.mark.parametrize(("name", "marginal"), EITHER)
def test_slopes_are_those_of_times(name, capacity, marginal):
    cost, x = with_shares(name, capacity)
    cost = cost.marginal() if marginal else cost
    h = 1e-5 * x
    differences = (cost.time(x + h) - cost.time(x - h)) / (2 * h)
    rounding = 1e-14 * cost.time(x) / h
    assert np.all(np.abs(cost.slope(x) - differences) <= 1e-5 * differences + rounding)


@pytest.mark.parametrize("capacity", CAPACITIES)
@pytest.mark.parametrize(("name", "marginal"), EITHER)
def test_integrals_are_those_of_times(name, capacity, marginal):
    cost, x = with_shares(name, capacity, SHARES[::3])
    cost = cost.marginal() if marginal else cost
    one = cost.at([0])
    for flow in x:
        cuts = [0.0, *(c for c in KINKS * capacity if c < flow), flow]
        parts = [
            quad(lambda s: one.time([s])[0], low, high, epsabs=0.0, epsrel=1e-11, limit=200)[0]
            for low, high in itertools.pairwise(cuts)
        ]
        assert one.integral([flow]) == pytest.approx(sum(parts), rel=1e-9, abs=0.0)


@pytest.mark.parametrize(("name", "marginal"), EITHER)
def test_small_differences_of_integrals_are_times(name, marginal):
    # the integral itself must not cancel: a bound is a difference of such sums
    cost, x = with_shares(name, 7.0)
    cost = cost.marginal() if marginal else cost
    for i, flow in enumerate(x):
        step, one = 1e-4 * flow, cost.at([i])
        difference = one.integral([flow + step]) - one.integral([flow - step])
        assert difference / (2 * step) == pytest.approx(one.time([flow])[0], rel=1e-5)


@pytest.mark.parametrize("capacity", CAPACITIES)
@pytest.mark.parametrize("name", COSTS)
def test_times_begin_at_the_free_one_and_never_fall(name, capacity):
    shares = np.append(0.0, np.geomspace(1e-9, 1e3, 300))
    cost, x = with_shares(name, capacity, shares)
    times = cost.time(x)
    assert np.all(np.diff(times) >= -1e-14 * times[1:])
    assert np.all(times >= cost.free_flow_time * (1 - 1e-14))
    assert times[0] == cost.free_flow_time[0]
    assert cost.free_flow_time[0] == pytest.approx(3.75 if name == "BPR^0" else 2.5, rel=1e-12)
    assert np.all(cost.slope(x) >= 0.0)
    assert cost.integral(np.zeros(shares.size)) == 0.0


@pytest.mark.parametrize("capacity", CAPACITIES)
@pytest.mark.parametrize("name", SMOOTH)
def test_marginal_costs_are_those_of_all_users(name, capacity):
    cost, x = with_shares(name, capacity)
    marginal = cost.marginal()
    np.testing.assert_allclose(marginal.time(x), cost.time(x) + x * cost.slope(x), rtol=1e-12)
    assert marginal.integral(x) == pytest.approx(x.dot(cost.time(x)), rel=1e-12)
    shares = np.geomspace(1e-6, 1e3, 300)  # so that the time of all is convex
    marginal, x = with_shares(name, capacity, shares)
    times = marginal.marginal().time(x)
    assert np.all(np.diff(times) >= -1e-13 * times[1:])


@pytest.mark.parametrize("name", COSTS)
def test_no_flow_and_no_time(name):
    cost = COSTS[name](np.zeros(2), np.array([3.0, 3.0]))
    assert cost.integral(np.zeros(2)) == 0.0
    for each in (cost, cost.marginal()) if name in SMOOTH else (cost,):
        for x in ([0.0, 0.0], [2.0, 5.0]):
            assert np.isfinite(each.time(x)).all()
            assert np.isfinite(each.integral(x))
    assert cost.time([0.0, 0.0]) == pytest.approx([0.0, 0.0])


def test_a_marginal_time_that_jumps_is_refused():
    cost = traffic.Akcelik([1.0, 1.0], 10.0, [0.1, 0.0])
    with pytest.raises(InvalidInput, match="link 1: J must be > 0"):
        cost.marginal()
    with pytest.raises(InvalidInput, match="marginal already"):
        traffic.Conical([1.0], 1.0).marginal().marginal()


def test_known_times():
    assert traffic.BPR([1.0], 2.0).time([2.0]) == pytest.approx([1.15])
    assert traffic.BPR([1.0], 2.0, 1.0, 2.0).time([4.0]) == pytest.approx([5.0])
    assert traffic.Conical([3.0], 2.0, 7.0).time([2.0]) == pytest.approx([6.0])
    assert traffic.Davidson([3.0], 2.0, 0.5).time([1.0]) == pytest.approx([4.5])
    wait = np.sqrt(8 * 0.2 / (50.0 * 2.0))  # at capacity the queue is the root alone
    assert traffic.Akcelik([3.0], 50.0, 0.2, 2.0).time([50.0]) == pytest.approx([3.0 + 0.5 * wait])


def test_costs_of_some_links_and_mixed_ones():
    rng = np.random.default_rng(4)
    times, capacity, x = rng.uniform(1, 2, 6), rng.uniform(1, 2, 6), rng.uniform(0, 3, 6)
    a, b = traffic.BPR(times, capacity), traffic.Conical(times, capacity)
    mixed = a.replaced([1, 4], b.at([1, 4]))
    expected = np.where(np.isin(np.arange(6), [1, 4]), b.time(x), a.time(x))
    np.testing.assert_array_equal(mixed.time(x), expected)
    np.testing.assert_array_equal(mixed.marginal().at([4]).time(x[[4]]), b.marginal().time(x)[[4]])
    np.testing.assert_array_equal(a.time(x), traffic.BPR(times, capacity).time(x))  # untouched
    mask = np.isin(np.arange(6), [1, 4])
    np.testing.assert_array_equal(a.replaced(mask, b.at(mask)).time(x), mixed.time(x))
    assert mixed.integral(x) == pytest.approx(sum(mixed.at([i]).integral(x[[i]]) for i in range(6)))


BAD = [
    (traffic.BPR, {"capacity": -1.0}, "capacity"),
    (traffic.BPR, {"capacity": 0.0}, "capacity"),
    (traffic.BPR, {"capacity": np.nan}, "capacity"),
    (traffic.BPR, {"free_flow_time": -1.0}, "free_flow_time"),
    (traffic.BPR, {"free_flow_time": np.inf}, "free_flow_time"),
    (traffic.BPR, {"b": -0.1}, "b"),
    (traffic.BPR, {"power": -1.0}, "power"),
    (traffic.AffineCost, {"slope": -1.0}, "slope"),
    (traffic.AffineCost, {"free_flow_time": -1.0}, "free_flow_time"),
    (traffic.FixedTime, {"time": -1.0}, "time"),
    (traffic.FixedTime, {"time": np.nan}, "time"),
    (traffic.Conical, {"alpha": 1.0}, "alpha"),
    (traffic.Conical, {"capacity": 0.0}, "capacity"),
    (traffic.Davidson, {"J": -1.0}, "J"),
    (traffic.Davidson, {"until": 1.0}, "until"),
    (traffic.Davidson, {"until": 0.0}, "until"),
    (traffic.Akcelik, {"J": -1.0}, "J"),
    (traffic.Akcelik, {"period": 0.0}, "period"),
    (traffic.Akcelik, {"capacity": -3.0}, "capacity"),
]


USUAL = {"free_flow_time": 2.0, "capacity": 5.0, "time": 2.0, "slope": 1.0, "b": 0.15, "power": 4.0}
USUAL |= {"alpha": 4.0, "J": 0.1, "until": 0.9, "period": 1.0}


@pytest.mark.parametrize(("make", "wrong", "word"), BAD)
def test_a_bad_number_names_its_link(make, wrong, word):
    ((name, value),) = wrong.items()
    needed = [key for key, each in signature(make).parameters.items() if each.default is each.empty]
    numbers = {key: np.full(4, USUAL[key]) for key in {*needed, name}}
    numbers[name][2] = value
    with pytest.raises(InvalidInput, match=rf"link 2: .*{word} must be") as caught:
        make(**numbers)
    assert (caught.value.link, str(caught.value).count("\n")) == (2, 0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: traffic.BPR([1.0, 2.0], [1.0, 2.0, 3.0]),
        lambda: traffic.BPR("fast", 1.0),
        lambda: traffic.BPR([[1.0]], 1.0),
        lambda: traffic.BPR([], 1.0),
        lambda: traffic.BPR(None, 1.0),
        lambda: traffic.BPR([1.0], 1.0).time([1.0, 2.0]),
        lambda: traffic.BPR([1.0], 1.0).time("much"),
        lambda: traffic.BPR([1.0], 1.0).replaced([0, 0], traffic.FixedTime([1.0])),
        lambda: traffic.BPR([1.0], 1.0).replaced([3], traffic.FixedTime([1.0])),
        lambda: traffic.BPR([1.0], 1.0).replaced([0], "slow"),
        lambda: traffic.BPR([1.0], 1.0).at([7]),
        lambda: traffic.BPR([1.0], 1.0).time([-1.0]),
        lambda: traffic.BPR([1.0], 1.0).integral([np.nan]),
    ],
)
def test_wrong_calls_get_a_sentence(call):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
