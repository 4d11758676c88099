"""Whatever is wrong gets one sentence that names it, before any work starts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import frankwolfe as fw
from frankwolfe import InvalidInput
from frankwolfe.apps import traffic

COST = traffic.BPR([1.0, 2.0, 3.0], 10.0)
LINKS = [1, 2, 1], [2, 3, 3]
NETWORK = traffic.Network(*LINKS, COST, zones=[1, 3])
TRIPS = traffic.Trips([1], [3], [5.0])
NAN, INF = np.nan, np.inf


def network(tails=LINKS[0], heads=LINKS[1], cost=COST, **options):
    return traffic.Network(tails, heads, cost, **options)


def equilibrium(**options):
    return traffic.equilibrium(NETWORK, TRIPS, **options)


NETWORKS = {
    "no links": (lambda: network([], [], COST), "tails"),
    "fewer heads": (lambda: network(heads=[2, 3]), "2 heads"),
    "labels that are no whole numbers": (lambda: network(tails=[1.5, 2.0, 1.0]), "tails"),
    "labels that are none": (lambda: network(tails=[1, None, 2]), "tails"),
    "labels that are not finite": (lambda: network(tails=[1.0, NAN, 2.0]), "tails"),
    "labels without end": (lambda: network(tails=[1.0, INF, 2.0]), "tails"),
    "labels too large": (lambda: network(tails=[1.0, 1e300, 2.0]), "tails"),
    "labels in a table": (lambda: network(tails=[[1, 2, 1]]), "tails"),
    "ragged labels": (lambda: network(tails=[[1], [2, 3], 1]), "tails"),
    "words and numbers": (lambda: network(tails=["1", "2", "1"]), "heads"),
    "no cost": (lambda: network(cost=None), "cost"),
    "numbers as cost": (lambda: network(cost=[1.0, 2.0, 3.0]), "cost"),
    "a cost of fewer links": (lambda: network(cost=traffic.FixedTime([1.0])), "3 links"),
    "a strange zone": (lambda: network(zones=[1, 9]), "9"),
    "a strange closed node": (lambda: network(closed=["x"]), "closed"),
    "a closed node that is none": (lambda: network(closed=[7]), "7"),
    "lengths of fewer links": (lambda: network(length=[1.0, 2.0]), "length"),
    "a length that is none": (lambda: network(length=[1.0, NAN, 2.0]), "link 1"),
    "a toll without end": (lambda: network(toll=[1.0, 2.0, INF]), "link 2"),
    "a toll that is a word": (lambda: network(toll="dear"), "toll"),
    "a factor that is none": (lambda: network(toll_factor=NAN), "toll_factor"),
    "a factor that is a word": (lambda: network(distance_factor="far"), "distance_factor"),
    "a cost below zero": (lambda: network(toll=-5.0, toll_factor=1.0), "link 0"),
    "tolls that overflow": (lambda: network(toll=1e300, toll_factor=1e300), "link 0"),
    "coordinates of other nodes": (lambda: network(coordinates=[[0, 0]]), "coordinates"),
    "coordinates that are none": (lambda: network(coordinates=[[0, NAN]] * 3), "coordinates"),
    "flows of other links": (lambda: NETWORK.cost_of([1.0]), "3 links"),
    "flows that are none": (lambda: NETWORK.cost_of([1.0, NAN, 2.0]), "link 1"),
    "flows below zero": (lambda: NETWORK.cost_of([1.0, 1.0, -2.0]), "link 2"),
}
TRIPSES = {
    "fewer ends": (lambda: traffic.Trips([1, 2], [3], [1.0]), "2, 1 and 1"),
    "fewer amounts": (lambda: traffic.Trips([1, 2], [3, 3], [1.0]), "2, 2 and 1"),
    "amounts below zero": (lambda: traffic.Trips([1], [3], [-1.0]), "from 1 to 3"),
    "amounts that are none": (lambda: traffic.Trips([1], [3], [NAN]), "from 1 to 3"),
    "amounts without end": (lambda: traffic.Trips([1], [3], [INF]), "from 1 to 3"),
    "amounts that are words": (lambda: traffic.Trips([1], [3], ["many"]), "amounts"),
    "amounts in a table": (lambda: traffic.Trips([1], [3], [[1.0]]), "amounts"),
    "zones that are no labels": (lambda: traffic.Trips([1.5], [3], [1.0]), "origins"),
    "a matrix that is not square": (lambda: traffic.Trips.of_matrix(np.ones((2, 3))), "matrix"),
    "a vector": (lambda: traffic.Trips.of_matrix(np.ones(3)), "matrix"),
    "one number": (lambda: traffic.Trips.of_matrix(3.0), "matrix"),
    "a cube": (lambda: traffic.Trips.of_matrix(np.ones((2, 2, 2))), "matrix"),
    "a word": (lambda: traffic.Trips.of_matrix("many"), "matrix"),
    "a sparse one that is not square": (
        lambda: traffic.Trips.of_matrix(sp.csr_array(np.ones((2, 3)))), "matrix",
    ),
    "a sparse one with words": (
        lambda: traffic.Trips.of_matrix(sp.csr_array(np.array([[NAN]]))), "from 1 to 1",
    ),
    "zones of another matrix": (lambda: traffic.Trips.of_matrix(np.eye(2), zones=[1]), "zones"),
    "a factor below zero": (lambda: TRIPS.times(-1.0), "factor"),
    "a factor that is a word": (lambda: TRIPS.times("twice"), "factor"),
    "a matrix of other zones": (lambda: TRIPS.matrix([1, 2]), "from 1 to 3"),
    "a class of no trips": (lambda: traffic.UserClass([1.0]), "trips"),
    "a weight of zero": (lambda: traffic.UserClass(TRIPS, weight=0.0), "weight"),
    "a weight that is none": (lambda: traffic.UserClass(TRIPS, weight=NAN), "weight"),
}  # fmt: skip


def asked(trips, net=NETWORK):
    return lambda: traffic.equilibrium(net, trips)


CALLS = {
    "no network": (lambda: traffic.equilibrium(None, TRIPS), "network"),
    "no trips": (asked(None), "trips"),
    "numbers for trips": (asked([1.0, 2.0]), "trips"),
    "a word for trips": (asked("many"), "trips"),
    "no classes": (asked([]), "trips"),
    "an origin that is no node": (asked(traffic.Trips([9], [3], [1.0])), "9"),
    "an end that is no zone": (asked(traffic.Trips([1], [2], [1.0])), "zones"),
    "an origin that is no zone": (asked(traffic.Trips([2], [3], [1.0])), "zones"),
    "words for whole numbers": (asked(traffic.Trips(["1"], ["3"], [1.0])), "origins"),
    "whole numbers for words": (
        asked(TRIPS, traffic.Network(["a"], ["b"], traffic.FixedTime([1.0]))), "origins",
    ),
    "a pair without a way": (asked(traffic.Trips([3], [1], [2.0])), "from 3 to 1"),
    "fixed costs of fewer links": (asked(traffic.UserClass(TRIPS, fixed=[1.0])), "fixed"),
    "fixed costs below zero": (asked(traffic.UserClass(TRIPS, fixed=[1.0, -1.0, 0.0])), "fixed"),
    "fixed costs that are none": (asked(traffic.UserClass(TRIPS, fixed=[1.0, NAN, 0.0])), "fixed"),
    "a factor that is a text": (asked(traffic.UserClass(TRIPS, toll_factor="x")), "toll_factor"),
    "a tolerance below zero": (lambda: equilibrium(tol=-1.0), "tol"),
    "a tolerance that is none": (lambda: equilibrium(tol=NAN), "tol"),
    "a tolerance that is a word": (lambda: equilibrium(tol="fine"), "tol"),
    "no steps": (lambda: equilibrium(max_iter=0), "max_iter"),
    "half a step": (lambda: equilibrium(max_iter=1.5), "max_iter"),
    "a strange method": (lambda: equilibrium(method="teleport"), "teleport"),
    "a number as method": (lambda: equilibrium(method=3), "method"),
    "a number as rule": (lambda: equilibrium(stop=3), "stop"),
    "a number as callback": (lambda: equilibrium(callback=3), "callback"),
    "no network for flows": (lambda: traffic.Flows(COST, TRIPS), "network"),
    "costs that are too few": (lambda: traffic.Flows(NETWORK, TRIPS).lmo(np.ones(2)), "3"),
    "no network for Beckmann": (lambda: fw.traffic.Beckmann(COST), "network"),
    "fixed costs of other links": (lambda: fw.traffic.Beckmann(NETWORK, np.ones(2)), "fixed"),
    "fixed costs that are words": (lambda: fw.traffic.Beckmann(NETWORK, "dear"), "fixed"),
    "fixed costs without end": (lambda: fw.traffic.Beckmann(NETWORK, [1.0, INF, 1.0]), "fixed"),
    "no sweeps": (lambda: traffic.bushes(sweeps=-1), "sweeps"),
    "half a sweep": (lambda: traffic.bushes(sweeps=0.5), "sweeps"),
    "a rule with a word": (lambda: traffic.RelativeExcess("small"), "small"),
}  # fmt: skip
EVERY = {**NETWORKS, **TRIPSES, **CALLS}


@pytest.mark.parametrize("case", EVERY)
def test_one_sentence(case):
    call, word = EVERY[case]
    with pytest.raises(InvalidInput) as caught:
        call()
    said = str(caught.value)
    assert word in said
    assert said.endswith(".")
    assert "\n" not in said


HUGE = {
    "trips": lambda: (traffic.BPR([1.0], 1e-9, 1.0, 20.0), 1e9),
    "times": lambda: (traffic.BPR([1e308], 1.0), 1e9),
    "factors": lambda: (traffic.BPR([10.0], 1.0, 1e308), 1.0),
    "capacities": lambda: (traffic.Conical([1.0], 1e-300), 5.0),
    "shapes": lambda: (traffic.Conical([1.0], 1.0, 1e300), 5.0),
    "queues": lambda: (traffic.Akcelik([1.0], 1.0, 1e300), 5.0),
    "waits": lambda: (traffic.Akcelik([1.0], 5e-324), 5.0),
    "periods": lambda: (traffic.Akcelik([1.0], 1.0, 0.1, 1e-300), 5.0),
}


def _solve(case):
    cost, amount = HUGE[case]()
    return traffic.equilibrium(traffic.Network([1], [2], cost), traffic.Trips([1], [2], [amount]))


@pytest.mark.parametrize("case", HUGE)
def test_what_overflows_is_said(case):
    with pytest.raises(InvalidInput, match=r"overflow|too large or too small|finite"):
        _solve(case)
