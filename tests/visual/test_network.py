"""Networks drawn: what the picture says is what the arrays say."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

import frankwolfe as fw
from frankwolfe.apps import traffic
from frankwolfe.visual.layout import graph_layout
from frankwolfe.visual.report import network as page
from frankwolfe.visual.roads import COLORS, LEVELS, level_names, levels, roads_of


def grid(rows, columns):
    """Tails and heads of the links of a grid, in one direction."""
    index = np.arange(rows * columns).reshape(rows, columns)
    across = np.stack([index[:, :-1].ravel(), index[:, 1:].ravel()])
    down = np.stack([index[:-1].ravel(), index[1:].ravel()])
    return np.concatenate([across, down], axis=1)


def network(tails, heads, **options):
    return traffic.Network(tails, heads, traffic.BPR(np.ones(len(tails)), 10.0), **options)


def test_a_grid_is_laid_out_as_a_grid():
    tails, heads = grid(7, 9)
    order = np.random.default_rng(0).permutation(tails.size)
    places = graph_layout(tails[order], heads[order], 63)
    long = np.linalg.norm(places[tails] - places[heads], axis=1)
    assert long.min() > 0.4
    assert long.max() < 1.8
    every = np.linalg.norm(places[:, None] - places, axis=2) + 10.0 * np.eye(63)
    assert every.min() > 0.35  # no node lies on another
    at = places.reshape(7, 9, 2)
    assert np.linalg.norm(at[0, 0] - at[-1, -1]) > 8.0


def test_a_layout_is_the_same_every_time_and_keeps_lengths():
    tails, heads = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 4])
    lengths = np.array([1.0, 2.0, 4.0, 2.0])
    places = graph_layout(tails, heads, 5, lengths)
    np.testing.assert_array_equal(places, graph_layout(tails, heads, 5, lengths))
    long = np.linalg.norm(np.diff(places, axis=0), axis=1)
    np.testing.assert_allclose(long / long[0], lengths, rtol=1e-6)


def test_no_better_layout_is_near():
    """An optimizer that starts from the layout gains little: ways look as long as they can."""
    rng, count = np.random.default_rng(0), 30
    parents = [int(rng.integers(0, node)) for node in range(1, count)]  # a random tree
    places = graph_layout(parents, range(1, count), count)
    links = csr_array((np.ones(count - 1), (parents, range(1, count))), shape=(count, count))
    pairs = np.triu_indices(count, 1)
    along = dijkstra(links, directed=False)[pairs]

    def stress(flat):
        far = np.linalg.norm(np.subtract(*flat.reshape(count, 2)[np.array(pairs)]), axis=1)
        return float(np.mean((far / along - 1.0) ** 2))

    before = stress(places.ravel())
    after = minimize(stress, places.ravel(), method="L-BFGS-B", options={"maxiter": 30}).fun
    assert after > 0.8 * before


def test_parts_that_do_not_hang_together_lie_apart():
    tails, heads = grid(3, 3)
    both = np.concatenate([tails, tails + 9]), np.concatenate([heads, heads + 9])
    places = graph_layout(*both, 20)  # and two nodes without links
    assert np.isfinite(places).all()
    assert (
        places[:9, 0].max() < places[9:18, 0].min() or places[9:18, 0].max() < places[:9, 0].min()
    )


@pytest.mark.parametrize("ends", [([0], [1]), ([0, 0, 1], [1, 1, 0]), ([0, 0], [0, 1])])
def test_the_smallest_graphs_have_a_layout(ends):
    places = graph_layout(*ends, 2, [0.0] * len(ends[0]))
    assert np.isfinite(places).all()
    assert np.linalg.norm(places[0] - places[1]) > 0.0


def test_links_between_two_nodes_do_not_cover_each_other():
    tails, heads = [1, 1, 1, 2, 2, 3, 4], [2, 2, 2, 1, 1, 1, 2]
    places = np.random.default_rng(0).normal(size=(4, 2))
    roads = roads_of(network(tails, heads, coordinates=places), np.arange(1.0, 8.0))
    links = np.arange(7)
    widths = roads.widths(links, 0.1, 7.0)
    np.testing.assert_allclose(widths, np.arange(1.0, 8.0))
    shifts = roads.shifts(links, widths)
    sides = shifts * np.where(roads.tails < roads.heads, 1.0, -1.0)  # of the way from 1 to 2
    low, high = (sides - 0.5 * widths)[:5], (sides + 0.5 * widths)[:5]
    order = np.argsort(low)
    np.testing.assert_array_less(high[order][:-1], low[order][1:] + 1e-12)
    assert (shifts[:5] > 0.0).all()  # traffic on the right
    np.testing.assert_allclose(shifts[5:], 0.0, atol=1e-12)


def test_the_right_is_the_right():
    roads = roads_of(network([1, 2], [2, 3], coordinates=[[0, 0], [1, 0], [1, 1]]))
    np.testing.assert_allclose(roads.normals(np.arange(2)), [[0, -1], [1, 0]], atol=1e-15)


def test_colours_are_the_times():
    free = traffic.BPR([1.0, 2.0, 0.0, 3.0], 10.0, [1.0, 0.0, 0.15, 1.0], 1.0)
    found = traffic.Network([1, 2, 3, 4], [2, 3, 4, 1], free).congestion([3.0, 9.0, 9.0, 20.0])
    np.testing.assert_allclose(found, [1.3, 1.0, 1.0, 3.0])
    assert levels(found).tolist() == [2, 0, 0, 4]
    assert len(level_names()) == len(COLORS) == len(LEVELS) + 1
    for name, share in zip(level_names(), (1.0, 1.2, 1.4, 1.9, 2.1), strict=True):
        bounds = [float(word) for word in re.findall(r"[\d.]+", name)]
        assert (share <= bounds[0]) if "up" in name else (bounds[0] <= share)


def test_a_picture_has_the_widths_and_colours_of_the_links():
    pytest.importorskip("matplotlib")
    net, trips = traffic.braess()
    result = traffic.equilibrium(net, trips, tol=1e-10)
    ax = result.plot()
    (lines,) = ax.collections
    drawn = np.argsort(result.flows, kind="stable")  # the busiest on top
    np.testing.assert_allclose(
        lines.get_linewidths(), 7.0 * result.flows[drawn] / result.flows.max(), rtol=1e-6
    )
    from matplotlib.colors import to_rgba

    wanted = [to_rgba(COLORS[k]) for k in levels(net.congestion(result.flows))[drawn]]
    np.testing.assert_allclose(lines.get_colors(), wanted)
    assert {text.get_text() for text in ax.texts} == {"1", "2", "3", "4"}
    ax.figure.canvas.draw()
    assert fw.plots.network(net).get_legend() is None  # without flows


def test_degrees_are_drawn_as_a_map_and_metres_as_they_are():
    degrees = np.array([[-96.8, 43.6], [-96.7, 43.6], [-96.7, 43.5]])
    roads = roads_of(network([1, 2], [2, 3], coordinates=degrees))
    wide, high = np.ptp(roads.places, axis=0)
    assert wide / high == pytest.approx(np.cos(np.radians(43.57)), rel=1e-3)
    metres = degrees * 1e4
    np.testing.assert_array_equal(
        roads_of(network([1, 2], [2, 3], coordinates=metres)).places, metres
    )


@pytest.mark.parametrize(
    ("flows", "congestion", "words"),
    [
        ([1.0], None, "flows must have a number for each of 5 links, got 1"),
        ([-1.0] * 5, None, "flows must be finite numbers >= 0"),
        ([np.nan] * 5, None, "flows must be finite numbers >= 0"),
        ([1.0] * 5, [1.0, 2.0], "congestion must have a number for each of 5 links, got 2"),
        ([1.0] * 5, [np.nan] * 5, "congestion must have a number for each link"),
    ],
)
def test_wrong_arrays_get_one_sentence(flows, congestion, words):
    with pytest.raises(fw.InvalidInput, match=words):
        roads_of(traffic.braess()[0], flows, congestion)


def test_a_drawing_says_what_it_leaves_out(monkeypatch):
    tails, heads = grid(6, 6)
    net = network(tails, heads)
    roads = roads_of(net, np.arange(60.0))
    text = page.drawing("Roads", roads, lambda i: f"link {i}", range(36))
    assert text.count("<title>") == 60
    assert "no coordinates" in text
    assert "busiest" not in text
    monkeypatch.setattr(page, "MAX_DETAILED_LINKS", 10)
    monkeypatch.setattr(page, "MAX_PLAIN_LINKS", 20)
    text = page.drawing("Roads <&>", roads, lambda i: f"link {i} <b>", range(36))
    assert re.findall(r"<title>link (\d+) &lt;b&gt;</title>", text) == [
        str(i) for i in range(50, 60)
    ]
    assert "the 10 busiest of 60 links, and 20 others" in text
    assert "Left out: 30 links" in text
    assert 'aria-label="Roads &lt;&amp;&gt;"' in text


@pytest.mark.parametrize(
    ("ends", "places"),
    [
        (([1], [1]), None),  # nowhere to go
        (([1, 2], [2, 1]), [[0.0, 0.0], [0.0, 0.0]]),
        (([1, 2], [2, 3]), [[0.0, 5.0], [1.0, 5.0], [2.0, 5.0]]),
        (([1, 2], [2, 3]), [[7.0, 0.0], [7.0, 1e-9], [7.0, 1.0]]),
    ],
)
def test_networks_that_are_a_point_or_a_line_are_drawn(ends, places):
    net = network(*ends, coordinates=places)
    roads = roads_of(net, np.ones(net.size))
    text = page.drawing("Roads", roads, str, net.nodes)
    assert not re.search("nan|inf", text)
    assert text.count("<title>") == len(roads.seen())
    pytest.importorskip("matplotlib")
    fw.plots.network(net, np.ones(net.size)).figure.canvas.draw()


def test_all_links_lie_within_the_drawing():
    tails, heads = grid(4, 9)
    rng = np.random.default_rng(0)
    places = rng.normal(size=(36, 2)) * [1e6, 10.0] + [5e6, -3.0]
    roads = roads_of(network(tails, heads, coordinates=places), rng.uniform(0, 9, tails.size))
    text = page.drawing("Roads", roads, str, range(36))
    width, height = map(float, re.search(r'viewBox="0 0 (\d+) (\d+)"', text).groups())
    ends = np.array(re.findall(r'd="M(\S+) (\S+)L(\S+) (\S+)"', text), dtype=float)
    assert len(ends) == tails.size
    assert ends.min() >= 0.0
    assert ends[:, ::2].max() <= width
    assert ends[:, 1::2].max() <= height
