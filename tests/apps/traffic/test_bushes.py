"""Bushes: sorted, acyclic, balanced; runs that are interrupted, resumed, or end early."""

from __future__ import annotations

import io
import os
import signal
from pathlib import Path

import numpy as np
import pytest
from random_roads import COSTS, random_network, random_trips

import frankwolfe as fw
from frankwolfe import InvalidInput
from frankwolfe.apps import traffic


def check_bushes(answer):
    """What holds for the bushes of any answer."""
    network, demand, bushes = answer.network, answer.demand, answer.bushes
    total = np.zeros(network.size)
    assert bushes.begin[0] == 0
    assert bushes.begin.size == demand.origins.size + 1
    for b, origin in enumerate(demand.origins):
        mine = slice(bushes.begin[b], bushes.begin[b + 1])
        links, loads = bushes.links[mine], bushes.loads[mine]
        tails, heads = network.tails[links], network.heads[links]
        assert np.unique(links).size == links.size
        assert np.all(loads >= 0.0)
        done = {int(origin)}
        for p in range(links.size):  # all that enters a tail stands before what leaves it
            assert int(tails[p]) in done
            done.add(int(heads[p]))
            assert int(heads[p]) not in tails[: p + 1]
        assert not network.closed[tails[tails != origin]].any()
        balance = np.bincount(tails, loads, network.nodes.size)
        balance -= np.bincount(heads, loads, network.nodes.size)
        trip = slice(demand.starts[b], demand.starts[b + 1])
        np.add.at(balance, demand.ends[trip], demand.amounts[trip])
        amount = demand.amounts[trip].sum()
        balance[origin] -= amount
        assert np.abs(balance).max() <= 1e-14 * amount
        np.add.at(total, links, loads)
    np.testing.assert_allclose(total, answer.flows, rtol=1e-13)


@pytest.mark.parametrize("steps", [1, 2, 5, 1000])
@pytest.mark.parametrize("cost", COSTS)
def test_after_any_number_of_steps(cost, steps):
    rng = np.random.default_rng(steps)
    network = random_network(rng, 9, 25, cost, toll=1.0)
    classes = [
        random_trips(rng, 9, 20),
        traffic.UserClass(random_trips(rng, 9, 5), toll_factor=1.0, weight=3.0),
    ]
    answer = traffic.equilibrium(network, classes, tol=1e-11, max_iter=steps)
    check_bushes(answer)
    assert answer.nit <= steps
    assert answer.success == (answer.relative_gap <= 1e-11)
    if steps == 1000:
        assert answer.success, answer.message


def test_circles_without_cost_are_never_closed():
    rng = np.random.default_rng(1)
    n = 7
    around = np.arange(n)
    tails, heads = np.hstack([[around, (around + 1) % n], [(around + 1) % n, around]])
    times = np.where(rng.random(tails.size) < 0.7, 0.0, rng.integers(0, 3, tails.size))
    cost = traffic.BPR(times, rng.uniform(1.0, 3.0, tails.size))
    trips = traffic.Trips.of_matrix(rng.uniform(0.0, 4.0, (n, n)), zones=around)
    answer = traffic.equilibrium(traffic.Network(tails, heads, cost), trips, tol=1e-10)
    assert answer.success
    check_bushes(answer)


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_tolls_paid_back(share):
    """Costs that are differences of times and tolls: no label may fall along a link."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        plain, trips = random_network(rng, 12, 40), random_trips(rng, 12, 30)
        toll = -share * plain.cost.free_flow_time
        network = traffic.Network(*plain.links.T, plain.cost, toll=toll, toll_factor=1.0)
        answer = traffic.equilibrium(network, trips, tol=1e-7)
        check_bushes(answer)
        assert answer.success, answer.message


def test_capacities_over_many_powers_of_ten():
    """A step that goes far too far must come back, and not by a hair's breadth a time."""
    for power in (4.0, 20.0):
        cost = traffic.BPR([1.0, 1.0, 1.0], [1.0, 1e-4, 1e4], 0.15, power)
        network = traffic.Network([1] * 3, [2] * 3, cost)
        for amount in (1e-3, 1.0, 1e3):
            answer = traffic.equilibrium(network, traffic.Trips([1], [2], [amount]), tol=1e-10)
            assert answer.success, (power, amount, answer.message)
            assert answer.nit <= 100


def test_steep_and_free_links_side_by_side():
    """An empty link of power 0.3 has an infinite slope: it must not keep others from filling."""
    cost = traffic.BPR([1.0, 2.0, 1.0], 1.0, [0.1, 0.1, 0.0], [0.3, 1.0, 1.0])
    network = traffic.Network([1] * 3, [2] * 3, cost)
    answer = traffic.equilibrium(network, traffic.Trips([1], [2], [1.0]), tol=1e-10)
    assert answer.success
    assert answer.total_cost == pytest.approx(1.0, rel=1e-9)


def _crowd():
    rng = np.random.default_rng(12)
    network = random_network(rng, 15, 60)
    trips = random_trips(rng, 15, 60, 6.0)
    flows = traffic.Flows(network, trips)
    return network, trips, fw.traffic.Beckmann(network), flows


def test_a_run_goes_on_from_a_checkpoint_bit_for_bit(tmp_path: Path):
    *_, f, flows = _crowd()
    path = tmp_path / "run.npz"
    arguments = {"method": traffic.bushes(sweeps=1), "tol": 0.0}
    whole = fw.minimize(f, flows, **arguments, max_iter=12)
    fw.minimize(f, flows, **arguments, max_iter=5, callback=fw.Checkpoint(path, every=5))
    rest = fw.minimize(f, flows, **arguments, max_iter=12, resume=path)
    np.testing.assert_array_equal(rest.x, whole.x)
    assert (rest.fun, rest.gap, rest.nit) == (whole.fun, whole.gap, whole.nit)
    np.testing.assert_array_equal(rest.history["value"], whole.history["value"])


class _PressCtrlC(fw.callbacks.Callback):
    def __init__(self, at: int) -> None:
        self.at = at

    def on_step(self, run) -> None:
        if run.state.k == self.at:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("method", ["bushes", "frank_wolfe"])
def test_ctrl_c_returns_the_flows_so_far(method):
    network, trips, f, flows = _crowd()
    answer = traffic.equilibrium(network, trips, tol=0.0, method=method, callback=_PressCtrlC(3))
    assert answer.status is fw.Status.INTERRUPTED
    assert not answer.success
    assert 3 <= answer.nit <= 5
    assert flows.violation(answer.flows) <= 1e-12
    assert answer.fun == pytest.approx(f(answer.flows), rel=1e-12)
    best = traffic.equilibrium(network, trips, tol=1e-12)
    assert 0.0 <= answer.fun - best.fun <= answer.gap
    assert 0.0 < answer.relative_gap < 1.0
    if method == "bushes":
        check_bushes(answer)


def test_other_ways_to_end():
    network, trips, *_ = _crowd()
    seen = []
    few = traffic.equilibrium(network, trips, tol=0.0, max_iter=4, callback=seen.append)
    assert (few.nit, few.status, few.success) == (4, fw.Status.MAX_ITERATIONS, False)
    assert len(few.excess) == 5
    assert len(seen) >= 4
    soon = traffic.equilibrium(network, trips, tol=0.0, stop=fw.Seconds(1e-9))
    assert not soon.success
    assert soon.nit <= 1
    check_bushes(soon)


class _Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown():
    pytest.importorskip("rich", reason="rich is not installed")
    network, trips, *_ = _crowd()
    screen = _Screen()
    shown = fw.Progress(screen, label="roads")
    assert traffic.equilibrium(network, trips, callback=shown).success
    assert "roads" in screen.getvalue()


def test_what_bushes_refuse():
    network, _trips, f, flows = _crowd()
    other = random_network(np.random.default_rng(0))
    for objective, region, said in (
        (fw.squared_distance(np.ones(flows.dimension)), flows, "minimizes Beckmann's function"),
        (fw.traffic.Beckmann(other), flows, "."),
        (fw.traffic.Beckmann(network, 1.0 + flows.demand.fixed), flows, "one network"),
    ):
        with pytest.raises(InvalidInput, match=said):
            fw.minimize(objective, region, method=traffic.bushes())
    with pytest.raises(InvalidInput, match="drop x0"):
        fw.minimize(f, flows, method=traffic.bushes(), x0=flows.start(None))


@pytest.mark.parametrize("wrong", ["links", "begin", "size"])
def test_bushes_of_a_forged_file_are_refused(wrong):
    answer = traffic.equilibrium(*traffic.sioux_falls(), tol=1e-2)
    memory = answer.bushes
    arrays = memory.pack()
    memory.take_form(arrays)  # its own are fine
    arrays[wrong] = arrays[wrong] + 1000
    with pytest.raises(ValueError, match="none"):
        memory.take_form(arrays)
