"""Networks with known answers, and grids."""

import numpy as np
import pytest

from frankwolfe import InvalidInput
from frankwolfe.apps import traffic


def test_sioux_falls_reaches_the_published_optimum():
    network, trips = traffic.sioux_falls()
    assert (network.size, network.nodes.size, trips.amounts.size, trips.total) == (
        76, 24, 528, 360600.0,
    )  # fmt: skip
    assert network.coordinates.shape == (24, 2)
    order = np.lexsort((network.links[:, 1], network.links[:, 0]))
    np.testing.assert_array_equal(order, np.arange(76))
    result = traffic.equilibrium(network, trips, tol=1e-9)
    assert result.certified
    assert result.fun - result.gap - 1e-3 <= 4231335.287 <= result.fun + 1e-3


def test_the_paradox_of_braess():
    network, trips = traffic.braess()
    with_it = traffic.equilibrium(network, trips, tol=1e-12)
    np.testing.assert_allclose(with_it.flows, [4.0, 2.0, 2.0, 2.0, 4.0], rtol=1e-6)
    assert with_it.total_cost / 6 == pytest.approx(92.0)
    network, trips = traffic.braess(shortcut=False)
    without = traffic.equilibrium(network, trips, tol=1e-12)
    np.testing.assert_allclose(without.flows, 3.0, rtol=1e-6)
    assert without.total_cost / 6 == pytest.approx(83.0)
    np.testing.assert_array_equal(network.cost.free_flow_time, [0.0, 50.0, 50.0, 0.0])


@pytest.mark.parametrize("seed", range(5))
def test_parallel_links_are_filled_as_water_fills_a_vessel(seed):
    rng = np.random.default_rng(seed)
    times, slopes = rng.uniform(0.0, 10.0, 8), rng.uniform(0.1, 2.0, 8)
    trips = rng.uniform(1.0, 30.0)
    result = traffic.equilibrium(*traffic.parallel_links(times, slopes, trips), tol=1e-12)
    level = result.costs[result.flows > 1e-9 * trips].max()
    np.testing.assert_allclose(result.flows, np.maximum(level - times, 0.0) / slopes, atol=1e-6)
    assert result.flows.sum() == pytest.approx(trips)


def test_affine_times_are_those_of_bpr_with_power_one():
    times, slopes = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.0, 2.0])
    affine, bpr = (
        traffic.AffineCost(times, slopes),
        traffic.BPR(times, 10.0, 10 * slopes / times, 1.0),
    )
    x = np.array([3.0, 4.0, 5.0])
    for ours, theirs in ((affine, bpr), (affine.marginal(), bpr.marginal())):
        np.testing.assert_allclose(ours.time(x), theirs.time(x))
        np.testing.assert_allclose(ours.slope(x), theirs.slope(x))
        assert ours.integral(x) == pytest.approx(theirs.integral(x))
    with pytest.raises(InvalidInput, match="link 1: slope must be >= 0"):
        traffic.AffineCost([1.0, 1.0], [1.0, -1.0])


@pytest.mark.parametrize(
    ("rows", "columns", "zones"), [(1, 2, 2), (2, 2, 4), (1, 9, 3), (7, 5, 35), (12, 20, 30)]
)
def test_a_grid_is_a_grid(rows, columns, zones):
    network, trips = traffic.grid(rows, columns, zones, seed=3)
    assert network.size == 4 * rows * columns - 2 * rows - 2 * columns
    assert network.nodes.tolist() == list(range(1, rows * columns + 1))
    assert network.nodes[network.zones].tolist() == list(range(1, zones + 1))
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    ours = networkx.DiGraph(network.links.tolist())
    theirs = networkx.grid_2d_graph(rows, columns)
    assert networkx.is_isomorphic(ours.to_undirected(), theirs)
    assert networkx.is_strongly_connected(ours)
    ends = network.coordinates[network.heads] - network.coordinates[network.tails]
    np.testing.assert_allclose(np.hypot(*ends.T), network.length)
    matrix = trips.matrix(network.nodes[network.zones])
    assert not matrix.diagonal().any()
    assert (matrix + np.eye(zones) > 0.0).all()


def test_grids_depend_on_their_seed_alone():
    one, two, other = (traffic.grid(6, 6, 5, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one[0].cost.table, two[0].cost.table)
    np.testing.assert_array_equal(one[1].amounts, two[1].amounts)
    assert not np.array_equal(one[1].amounts, other[1].amounts)


def test_congestion_is_what_was_asked_for():
    for asked in (0.2, 0.6):
        network, trips = traffic.grid(12, 12, 40, congestion=asked)
        flows = traffic.equilibrium(network, trips, tol=1e-4).flows
        share = flows @ network.length / (network.cost.capacity @ network.length)
        assert 0.9 * asked < share < 1.3 * asked  # ways are not always the shortest
    assert traffic.grid(3, 3, 2, congestion=0.0)[1].total == 0.0


def test_a_grid_needs_two_zones():
    for rows, columns, zones in ((1, 1, 1), (3, 3, 1), (3, 3, 10)):
        with pytest.raises(InvalidInput, match="a grid must have 2 nodes at least"):
            traffic.grid(rows, columns, zones)
