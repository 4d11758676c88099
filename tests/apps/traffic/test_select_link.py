"""Select link: flows add up, cuts are all trips, and all paths counted one by one say the same."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from small_city import every_path, small_city

from frankwolfe import InvalidInput
from frankwolfe.apps import traffic


@pytest.fixture(scope="module")
def city() -> traffic.Equilibrium:
    return traffic.equilibrium(*small_city(busy=2.0), tol=1e-10)


def counted(result: traffic.Equilibrium, fits) -> tuple[np.ndarray, np.ndarray]:
    """Trips and flows of the paths that fit, each path with the product of its shares."""
    network, demand, bushes = result.network, result.demand, result.bushes
    n, matrix, flows = network.nodes.size, [], np.zeros(network.size)
    matrix = np.zeros((n, n))
    for b, origin in enumerate(demand.origins):
        load = np.zeros(network.size)
        np.add.at(load, bushes.links[bushes.begin[b] : bushes.begin[b + 1]],
                  bushes.loads[bushes.begin[b] : bushes.begin[b + 1]])  # fmt: skip
        into = np.bincount(network.heads, load, n)
        for i in range(demand.starts[b], demand.starts[b + 1]):
            end = demand.ends[i]
            for path in every_path(network, origin, end, load > 0.0):
                if fits(set(path)):
                    flow = demand.amounts[i] * np.prod(load[path] / into[network.heads[path]])
                    matrix[origin, end] += flow
                    flows[path] += flow
    zones = network.zones
    return matrix[np.ix_(zones, zones)], flows


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("use", ["any", "all"])
def test_the_same_as_counting_all_paths(city: traffic.Equilibrium, count: int, use: str) -> None:
    rng = np.random.default_rng(count)
    test, some = {"any": any, "all": all}[use], 0
    for _ in range(6):
        path = city.paths(1, int(rng.integers(2, 6)), most=1)[0].links
        links = rng.choice(path, count, replace=False).tolist()
        matrix, flows = counted(city, lambda way, links=links: test(a in way for a in links))
        found = city.select_link(links, use=use)
        np.testing.assert_allclose(found.matrix, matrix, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found.flows, flows, rtol=1e-9, atol=1e-9)
        some += matrix.sum() > 0.0
    assert some == 6


def test_a_link_carries_its_own_trips(city: traffic.Equilibrium) -> None:
    for a in range(city.network.size):
        found = city.select_link(a)
        assert found.flows[a] == pytest.approx(city.flows[a], rel=1e-9, abs=1e-9)
        assert found.trips.total == pytest.approx(city.flows[a], rel=1e-9, abs=1e-9)
        assert (found.flows <= city.flows * (1 + 1e-9) + 1e-9).all()


def test_a_cut_is_all_trips_across_it(city: traffic.Equilibrium) -> None:
    network, trips = city.network, small_city(busy=2.0)[1].matrix(np.arange(1, 6))
    out_of = np.flatnonzero(network.nodes[network.tails] == 2)
    into = np.flatnonzero(network.nodes[network.heads] == 4)
    np.testing.assert_allclose(city.select_link(out_of).matrix[1], trips[1])
    np.testing.assert_allclose(city.select_link(into).matrix[:, 3], trips[:, 3])
    both = city.select_link([out_of[0], into[0]], use="all")
    assert both.trips.total == pytest.approx(trips[1, 3])
    every = city.select_link(range(network.size))
    np.testing.assert_allclose(every.matrix, trips, atol=1e-12)
    np.testing.assert_allclose(every.flows, city.flows, rtol=1e-9, atol=1e-9)
    assert every.share == pytest.approx(1.0)


def test_any_and_all_are_one_for_two_links(city: traffic.Equilibrium) -> None:
    """|A or B| = |A| + |B| - |A and B|, for trips and for flows."""
    a, b = city.paths(1, 4, most=1)[0].links[1:3].tolist()
    one, other = city.select_link(a), city.select_link(b)
    either, both = city.select_link([a, b]), city.select_link([b, a], use="all")
    assert both.trips.total > 0.0
    np.testing.assert_allclose(either.matrix, one.matrix + other.matrix - both.matrix, atol=1e-9)
    np.testing.assert_allclose(either.flows, one.flows + other.flows - both.flows, atol=1e-9)


def test_links_by_their_ends() -> None:
    cost = traffic.BPR([1.0, 1.0, 1.0], 10.0)
    network = traffic.Network(["a", "a", "b"], ["b", "b", "c"], cost)
    result = traffic.equilibrium(network, traffic.Trips(["a"], ["c"], [8.0]), tol=1e-12)
    for links in (("a", "b"), [("a", "b")], [0, 1], np.array([["a", "b"]]), (("a", "b"), 0)):
        assert result.select_link(links).trips.total == pytest.approx(8.0)
    assert result.select_link(0).trips.total == pytest.approx(4.0)
    assert result.select_link([("a", "b"), ("b", "c")], use="all").flows == pytest.approx(
        [4.0, 4.0, 8.0]
    )
    assert result.select_link([0, 1], use="all").trips.total == 0.0  # none uses both


def test_classes_keep_their_vehicles() -> None:
    network, trips = small_city(4)
    classes = [
        traffic.UserClass(trips),
        traffic.UserClass(trips.times(0.3), toll_factor=2.0, weight=2.5),
    ]
    result = traffic.equilibrium(network, classes, tol=1e-10)
    a = int(np.argmax(result.flows[: network.size // 2 - 5]))
    found = result.select_link(a)
    np.testing.assert_allclose(found.class_flows[:, a], result.class_flows[:, a], rtol=1e-9)
    for own, each in zip(found.class_flows, found.class_trips, strict=True):
        assert own[a] == pytest.approx(each.total, rel=1e-9)
    assert found.flows[a] == pytest.approx(result.flows[a], rel=1e-9)


def test_paths_carry_the_trips_at_equal_costs(city: traffic.Equilibrium) -> None:
    network, trips = city.network, small_city(busy=2.0)[1].matrix(np.arange(1, 6))
    skims, several = city.skims().matrix(), 0
    for origin, end in ((1, 3), (2, 5), (5, 1), (4, 2)):
        paths = city.paths(origin, end, most=10_000)
        several += len(paths) > 1
        assert sum(path.flow for path in paths) == pytest.approx(trips[origin - 1, end - 1])
        assert all(one.flow >= two.flow for one, two in pairwise(paths))
        for path in paths:
            labels = network.nodes[network.heads[path.links]]
            assert path.nodes.tolist() == [origin, *labels]
            assert (network.tails[path.links[1:]] == network.heads[path.links[:-1]]).all()
            if path.flow > 1e-3:
                assert path.cost == pytest.approx(skims[origin - 1, end - 1], rel=1e-5)
        few = city.paths(origin, end, most=2)
        assert [path.flow for path in few] == pytest.approx([path.flow for path in paths[:2]])
    assert several
    assert city.paths(1, 1) == []


def test_few_paths_of_very_many_are_found_soon() -> None:
    """Two equal roads, sixty times in a row: 2^60 paths with equal flows."""
    tails = np.repeat(np.arange(60), 2)
    network = traffic.Network(tails, tails + 1, traffic.BPR(np.ones(120), 1.0, 1.0, 1.0))
    result = traffic.equilibrium(network, traffic.Trips([0], [60], [4.0]), tol=1e-12)
    paths = result.paths(0, 60, most=20)
    assert len({tuple(path.links) for path in paths}) == 20
    assert all(path.cost == pytest.approx(180.0) for path in paths)


def test_what_cannot_be_selected(city: traffic.Equilibrium) -> None:
    for links, sentence in (
        (-1, "links must be numbers from 0 to"),
        ([], "at least one"),
        (0.5, "links must be numbers"),
        ((1, 3), "none leads from 1 to 3"),
        ((1, 99), "99 is none"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            city.select_link(links)
    with pytest.raises(InvalidInput, match="use must be"):
        city.select_link(0, use="some")


def test_flows_alone_do_not_tell_whose_they_are() -> None:
    network, trips = traffic.braess()
    result = traffic.equilibrium(network, trips, method="frank_wolfe", tol=1e-2)
    for ask in (lambda: result.select_link(0), lambda: result.paths(1, 4)):
        with pytest.raises(InvalidInput, match="use equilibrium"):
            ask()
