"""Skims: along shortest paths as networkx finds them, and by used ways the same up to the gap."""

from __future__ import annotations

import numpy as np
import pytest
from small_city import small_city

from frankwolfe import InvalidInput
from frankwolfe.apps import traffic


@pytest.fixture(scope="module")
def city() -> traffic.Equilibrium:
    return traffic.equilibrium(*small_city(), tol=1e-12)


def test_shortest_paths_are_those_of_networkx(city: traffic.Equilibrium) -> None:
    nx = pytest.importorskip("networkx", reason="networkx is not installed")
    network, skims = city.network, city.skims(("cost", "time", "length", "toll"))
    for i, origin in enumerate(network.zones):
        graph = nx.DiGraph()
        for a, (u, v) in enumerate(zip(network.tails, network.heads, strict=True)):
            if not network.closed[u] or u == origin:
                graph.add_edge(u, v, cost=city.costs[a])
        far = nx.single_source_dijkstra_path_length(graph, origin, weight="cost")
        wanted = [far[end] for end in network.zones]
        np.testing.assert_allclose(skims.matrix("cost")[i], wanted, rtol=1e-12)
    parts = skims.matrix("time") + 0.2 * skims.matrix("toll") + 0.3 * skims.matrix("length")
    np.testing.assert_allclose(skims.matrix("cost"), parts, rtol=1e-12)


def test_costs_agree_by_either_kind_of_way(city: traffic.Equilibrium) -> None:
    shortest, used = city.skims(), city.skims(ways="used")
    np.testing.assert_allclose(used.matrix(), shortest.matrix(), rtol=1e-8)
    assert (used.matrix() >= shortest.matrix() * (1 - 1e-12)).all()


@pytest.mark.parametrize("tol", [1e-2, 1e-12])
def test_trips_times_used_skims_are_what_all_spend(tol: float) -> None:
    network, trips = small_city(1)
    result = traffic.equilibrium(network, trips, tol=tol)
    skims = result.skims(("cost", "time", "length", "toll"), ways="used")
    matrix = trips.matrix(skims.zones)
    assert (matrix * skims.matrix("cost")).sum() == pytest.approx(result.total_cost, rel=1e-9)
    for name, each in (("length", network.length), ("toll", network.toll)):
        assert (matrix * skims.matrix(name)).sum() == pytest.approx(result.flows @ each, rel=1e-9)


def test_trips_times_shortest_costs_are_the_shortest_cost(city: traffic.Equilibrium) -> None:
    _, trips = small_city()
    spent = (trips.matrix(np.arange(1, 6)) * city.skims().matrix()).sum()
    assert spent == pytest.approx(city.shortest_cost, rel=1e-9)


def test_ways_of_a_system_optimum_have_equal_marginal_costs() -> None:
    network, trips = small_city(2)
    result = traffic.equilibrium(network, trips, tol=1e-12, system_optimum=True)
    marginal = {"marginal": network.cost.marginal().time(result.flows) + network.fixed}
    shortest, used = result.skims(marginal), result.skims(marginal, ways="used")
    np.testing.assert_allclose(used.matrix(), shortest.matrix(), rtol=1e-8)


def test_no_way_is_infinite_and_home_is_near() -> None:
    network, trips = traffic.braess()
    result = traffic.equilibrium(network, trips)
    for ways in ("shortest", "used"):
        skims = result.skims(("time", "length"), ways=ways)
        assert np.isinf(skims.matrix("length")[3, :3]).all()  # nothing leaves node 4
        assert (np.diag(skims.matrix("time")) == 0.0).all()


def test_classes_are_skimmed_by_their_own_costs() -> None:
    network, trips = small_city(3)
    classes = [
        traffic.UserClass(trips, name="cars"),
        traffic.UserClass(trips.times(0.2), toll_factor=3.0, weight=2.0, name="lorries"),
    ]
    result = traffic.equilibrium(network, classes, tol=1e-12)
    for which, k in (("cars", 0), ("lorries", 1), (0, 0), (1, 1)):
        skims = result.skims(("cost", "toll"), user_class=which)
        used = result.skims(("cost", "toll"), user_class=which, ways="used")
        np.testing.assert_allclose(used.matrix(), skims.matrix(), rtol=1e-8)
        paid = (classes[k].trips.matrix(skims.zones) * used.matrix("toll")).sum()
        assert paid == pytest.approx(result.class_flows[k] @ network.toll, rel=1e-9)
    cars, lorries = (result.skims("toll", user_class=k).matrix().sum() for k in (0, 1))
    assert lorries < cars


def test_frames_have_the_labels_of_zones(city: traffic.Equilibrium) -> None:
    pytest.importorskip("pandas")
    skims = city.skims(("cost", "length"))
    frame = skims.frame("length")
    assert frame.loc[2, 4] == skims.matrix("length")[1, 3]
    assert list(frame.index) == list(frame.columns) == [1, 2, 3, 4, 5]


def test_what_cannot_be_skimmed(city: traffic.Equilibrium) -> None:
    for wrong, sentence in (
        ({"quantities": "speed"}, "quantities must be of cost, time"),
        ({"quantities": ()}, "at least one"),
        ({"quantities": {"mine": [1.0, 2.0]}}, "mine must"),
        ({"ways": "long"}, "ways must be"),
        ({"user_class": "lorries"}, "user_class must be a number from 0 to 0"),
        ({"user_class": 1}, "user_class must be"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            city.skims(**wrong)
    with pytest.raises(InvalidInput, match="name must be one of cost"):
        city.skims().matrix("time")


def test_used_ways_need_flows_by_origin() -> None:
    network, trips = traffic.braess()
    result = traffic.equilibrium(network, trips, method="frank_wolfe", tol=1e-3)
    assert result.skims().matrix()[0, 3] == pytest.approx(92.0, rel=0.1)
    with pytest.raises(InvalidInput, match="method 'bushes' does"):
        result.skims(ways="used")


def test_threads_change_nothing(city: traffic.Equilibrium, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = city.skims(("cost", "toll"), ways="used").values
    monkeypatch.setattr("frankwolfe.apps.traffic.skims.MIN_THREADED_WORK", 0)
    np.testing.assert_array_equal(city.skims(("cost", "toll"), ways="used").values, plain)
