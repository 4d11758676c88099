"""Pictures and pages told back: every number that is shown is one that was given."""

from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import frankwolfe as fw
from frankwolfe.apps import traffic
from frankwolfe.visual.animation import SCENES, WALKERS, Scene, animate, show, walk, write_view
from frankwolfe.visual.report import Report, Series, machine
from frankwolfe.visual.report import network as drawn
from frankwolfe.visual.report.curves import ROWS, _kept
from frankwolfe.visual.report.markup import MAX_TABLE_CELL, figures, short, table
from frankwolfe.visual.report.setup import versions
from frankwolfe.visual.roads import levels, roads_of

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

EXAMPLES = {name: make() for name, make in SCENES.items()}


def inside(ax):
    """All that is drawn in the axes' own units lies within their limits; words on both axes."""
    ax.figure.draw_without_rendering()
    (left, right), (low, high) = sorted(ax.get_xlim()), sorted(ax.get_ylim())
    for line in ax.get_lines():
        if line.get_transform() == ax.transData:
            x, y = (np.asarray(part, float) for part in line.get_data())
            assert ((left <= x) & (x <= right))[np.isfinite(x)].all()
            assert ((low <= y) & (y <= high))[np.isfinite(y)].all()
    assert all([ax.get_xlabel(), ax.get_ylabel()])
    assert ax.yaxis.get_gridlines()[0].get_visible()


# ---- plots


@pytest.fixture(scope="module")
def runs():
    f, region = fw.SquaredError(np.eye(3), [1.0, 2.0, 3.0]), fw.LInfBall(1.0)
    found = {}
    for name in ("afw", "away_step", "pairwise"):
        found[name] = fw.callbacks.Trace()
        fw.minimize(f, region, method=name, max_iter=40, callback=found[name])
    return found


@pytest.mark.parametrize("optimum", [None, 1.0])
@pytest.mark.parametrize("against", ["iteration", "seconds", "passes"])
def test_lines_and_bands_are_the_histories(against, optimum, runs):
    from matplotlib.colors import to_rgb

    axes = fw.plots.new_axes()[1]
    ax = fw.plots.convergence(runs, optimum=optimum, against=against, ax=axes[0])
    assert ax is axes[0]
    named = {line.get_label(): line for line in ax.get_lines() if line.get_label()[0] != "_"}
    assert list(named) == list(runs)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(runs)
    assert len(ax.collections) == len(runs)
    for (name, line), band in zip(named.items(), ax.collections, strict=True):
        history = runs[name].history
        x = history[against] + (against == "iteration")
        np.testing.assert_array_equal(line.get_xdata(), x)
        gap = np.maximum(history["gap"], 1e-17)
        error = gap if optimum is None else np.maximum(history["value"] - optimum, 1e-17)
        np.testing.assert_array_equal(line.get_ydata(), error)
        assert to_rgb(line.get_color()) == tuple(band.get_facecolor()[0][:3])
        points = band.get_paths()[0].vertices
        high = {a: max(points[points[:, 0] == a, 1]) for a in set(points[:, 0])}
        assert all(high[a] == b or against == "seconds" for a, b in zip(x, gap, strict=True))
    slopes = len(ax.get_lines()) - len(runs)
    assert slopes == (0 if against == "seconds" else 2) == len(ax.texts)
    assert ax.get_xscale() == ax.get_yscale() == "log"


def test_what_is_not_certified_has_a_second_line_of_its_colour():
    result = fw.minimize(fw.Quadratic(-np.eye(2)), fw.L2Ball(1.0), x0=[0.1, 0.0], max_iter=3)
    ax = fw.plots.convergence(result, optimum=-0.5, slopes=())
    error, gap = ax.get_lines()
    np.testing.assert_allclose(error.get_ydata(), np.maximum(result.history["value"] + 0.5, 1e-17))
    np.testing.assert_allclose(gap.get_ydata(), np.maximum(result.history["gap"], 1e-17))
    assert error.get_color() == gap.get_color()
    assert gap.get_linewidth() < error.get_linewidth()
    assert not ax.collections
    assert "no certificate" in ax.get_ylabel()


def test_counts_of_atoms_are_steps_from_zero(runs):
    two = {name: runs[name] for name in ("away_step", "pairwise")}
    axes = fw.plots.new_axes()[1]
    ax = fw.plots.active_set_size(two, ax=axes[0])
    assert ax is axes[0]
    for line, (name, run) in zip(ax.get_lines(), two.items(), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), run["iteration"])
        np.testing.assert_array_equal(line.get_ydata(), run["atoms"])
        assert (line.get_label(), line.get_drawstyle()) == (name, "steps-post")
    assert ax.get_ylim()[0] == 0.0
    inside(ax)
    (line,) = fw.plots.active_set_size(runs["pairwise"]).get_lines()
    np.testing.assert_array_equal(line.get_ydata(), runs["pairwise"]["atoms"])


@pytest.mark.parametrize("n", [3, 8, 9, 12])
def test_a_path_shows_all_coefficients(n, rng):
    radii, coefs = rng.permutation(6) + 1.0, rng.standard_normal((6, n))
    axes = fw.plots.new_axes()[1]
    ax = fw.plots.regularization_path(radii, coefs, ax=axes[0])
    assert ax is axes[0]
    size = np.abs(coefs).max(axis=0)
    shown = {tuple(line.get_ydata()): line for line in ax.get_lines()}
    assert len(ax.get_lines()) == n + 1  # and zero
    for j in range(n):
        line = shown[tuple(coefs[np.argsort(radii), j])]
        assert line.get_xdata().tolist() == sorted(radii)
        assert (line.get_label() == f"$x_{{{j}}}$") == ((size > size[j]).sum() < 8)
    inside(ax)


@pytest.mark.parametrize("rank", [1, 3, 5])
def test_singular_values_and_their_sum(rank, rng):
    M = rng.standard_normal((7, rank)) @ rng.standard_normal((rank, 5))
    values = np.linalg.svd(M, compute_uv=False)
    axes = fw.plots.new_axes()[1]
    ax = fw.plots.singular_values(M, ax=axes[0])
    assert ax is axes[0]
    (line,) = ax.get_lines()
    np.testing.assert_allclose(line.get_ydata(), values[:rank])
    assert line.get_xdata().tolist() == list(range(1, rank + 1))
    words = f"rank {rank}, nuclear norm {values.sum():.4g}"
    assert ax.get_legend().get_texts()[0].get_text() == words
    assert ax.get_yscale() == "log"
    inside(ax)
    for bad in (np.full((2, 2), np.nan), np.zeros((0, 2)), np.ones((2, 2, 2))):
        with pytest.raises(fw.InvalidInput, match="matrix must be"):
            fw.plots.singular_values(bad)


def test_the_figure_of_a_network_holds_its_nodes(rng):
    for stretch in ([1.0, 1.0], [10.0, 1.0], [1.0, 3.0]):
        places = rng.uniform(0.0, 1.0, (6, 2)) * stretch
        cost = traffic.BPR(np.ones(8), 10.0)
        tails, heads = [1, 2, 3, 4, 5, 6, 2, 1], [2, 3, 4, 5, 6, 1, 1, 3]
        net = traffic.Network(tails, heads, cost, coordinates=places)
        flows = rng.uniform(1.0, 30.0, 8)
        ax = fw.plots.network(net, flows)
        ax.figure.draw_without_rendering()
        (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
        drawn_at = roads_of(net).places
        assert left <= drawn_at[:, 0].min() <= drawn_at[:, 0].max() <= right
        assert low <= drawn_at[:, 1].min() <= drawn_at[:, 1].max() <= high
        at = {text.get_text(): text.get_position() for text in ax.texts}
        for name, place in zip(net.nodes.tolist(), drawn_at, strict=True):
            np.testing.assert_allclose(at[str(name)], place)
        wide, tall = ax.figure.get_size_inches()
        ratio = np.ptp(drawn_at[:, 1]) / np.ptp(drawn_at[:, 0])
        assert tall / wide == pytest.approx(np.clip(ratio, 0.4, 1.4))
        assert max(wide, tall) == 7.0
        (lines,) = ax.collections
        order = np.argsort(flows, kind="stable")
        ends = np.stack([drawn_at[net.tails], drawn_at[net.heads]], axis=1)[order]
        np.testing.assert_allclose(lines.get_segments(), ends)
        # the two directions of a road lie side by side, by half their widths and a gap in points
        roads = roads_of(net, flows)
        widths = np.maximum(0.5, 7.0 * flows / flows.max())
        aside = roads.shifts(order, widths[order] + 0.4)[:, None] * roads.normals(order)
        np.testing.assert_allclose(lines.get_offsets(), aside, atol=1e-12)
        moved = lines.get_offset_transform().transform([[72.0, 0.0]])
        np.testing.assert_allclose(moved, [[ax.figure.dpi, 0.0]])
        shown = {text.get_text() for text in ax.get_legend().get_texts()}
        assert len(shown) == np.unique(levels(net.congestion(flows))).size
    bare = fw.plots.network(net, ax=ax)
    assert bare is ax
    assert set(bare.collections[-1].get_linewidths()) == {1.0}


@pytest.mark.parametrize("shape", [(2, 3), (3, 2)])
def test_the_shadow_of_a_region_of_matrices(shape, rng):
    region = fw.NuclearBall(2.0)
    onto = rng.standard_normal((2, 6))
    polygon = fw.plots.shadow(region, onto, shape=shape).patches[0].get_xy()
    for u in rng.standard_normal((30, 2)):
        reach = 2.0 * np.linalg.norm((u @ onto).reshape(shape), 2)
        assert reach * (1 - 1e-4) <= (polygon @ u).max() <= reach * (1 + 1e-6)
    with pytest.raises(fw.InvalidInput, match="shape must say"):
        fw.plots.shadow(region)
    for bad in (onto.T, onto[:1], onto[:, :5], onto[0]):
        with pytest.raises(fw.InvalidInput, match=r"onto must be .* \(2, 6\) or \(3, 6\)"):
            fw.plots.shadow(region, bad, shape=shape)
    ax = fw.plots.shadow(fw.L1Ball(), shape=4)
    assert hasattr(ax, "get_zlim")
    faces, lines, _ = ax.collections
    np.testing.assert_allclose(lines.get_colors()[0][:3], faces.get_facecolor()[0][:3])
    same = fw.plots.shadow(fw.Simplex(), np.eye(2, 5), ax=fw.plots.new_axes()[1][0])
    assert len(same.get_lines()) == 1  # its corners


# ---- tables and figures of a page


class Table(HTMLParser):
    """Cells with their tags and attributes, row by row."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.caption, self.classes, self._cell = [], "", "", None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "div":
            self.classes = given["class"]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th", "caption"):
            self._cell = [tag, given, ""]
        if tag == "sup":
            self._cell[2] += "^"

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(self._cell)
        if tag == "caption":
            self.caption = self._cell[2]
        if tag in ("td", "th", "caption"):
            self._cell = None

    def handle_data(self, text):
        if self._cell:
            self._cell[2] += text


def number(text):
    """What figures() has written."""
    named = {"–": np.nan, "∞": np.inf, "−∞": -np.inf, "yes": 1.0, "no": 0.0}
    plain = text.replace("<sup>", "^").replace("</sup>", "").replace("−", "-")
    plain = plain.replace(",", "").replace(" × 10^", "e")
    return named[text] if text in named else float(plain)


NUMBERS = [0.0, 1, -7, 12345678, -98765, 0.25, -1.5e-9, 6.02e23, -3e-300, np.inf, -np.inf, True,
           np.float32(0.5), np.int64(-4000), 99999.5, 1e4]  # fmt: skip


@pytest.mark.parametrize("value", NUMBERS, ids=str)
def test_figures_can_be_read_back(value):
    assert number(figures(value)) == pytest.approx(float(value), rel=6e-4)
    assert "-" not in figures(value)
    assert isinstance(value, bool) == (figures(value) in ("yes", "no"))
    if not isinstance(value, bool) and np.isfinite(float(value)):
        assert float(short(float(value)).replace(",", "")) == pytest.approx(float(value), rel=6e-4)


def test_a_nan_is_a_dash():
    assert figures(float("nan")) == "–"


def test_a_table_can_be_read_back():
    rows = [["a <b>", 1.5, "good", 3], ["b", -2e-9, "bad", 4000], ["`c`", np.nan, "else", True]]
    found = Table(
        table("What & who", ["name", "x", "says", "n"], rows, {"good": "good", "bad": "bad"})
    )
    head, *body = found.rows
    assert found.caption == "What & who"
    assert [cell[2] for cell in head] == ["name", "x", "says", "n"]
    assert all(cell[:1] == ["th"] and cell[1]["scope"] == "col" for cell in head)
    assert [cell[1].get("class") for cell in head] == [None, "number", None, "number"]
    for cells, row in zip(body, rows, strict=True):
        assert [cell[0] for cell in cells] == ["th", "td", "td", "td"]
        assert cells[0][1]["scope"] == "row"
        assert all("scope" not in cell[1] for cell in cells[1:])
        assert [cell[1]["data-name"] for cell in cells] == ["name", "x", "says", "n"]
        marked = row[2] if row[2] in ("good", "bad") else None
        assert [cell[1].get("class") for cell in cells] == [None, "number", marked, "number"]
        assert cells[0][2] == row[0].strip("`")
        assert cells[2][2] == row[2]
        np.testing.assert_allclose(
            [number(cells[1][2]), number(cells[3][2])], [row[1], float(row[3])], rtol=6e-4
        )
    assert "stack" not in found.classes
    for size in (MAX_TABLE_CELL, MAX_TABLE_CELL + 1):
        wide = Table(table("", ["a"], [["x" * size]]))
        assert ("stack" in wide.classes) == (size > MAX_TABLE_CELL)
    mixed = Table(table("", ["a", "b"], [[1, 2], ["x", 3]]))
    assert [cell[1].get("class") for cell in mixed.rows[0]] == [None, "number"]
    assert [cell[1].get("class") for cell in Table(table("", ["a"], [])).rows[0]] == [None]


# ---- curves of a page


@pytest.mark.parametrize("points", [5, 300, 5000])
def test_the_curves_and_their_table_hold_the_values(points, rng):
    x = {"k": np.arange(1.0, points + 1), "s": np.sort(rng.random(points))}
    y = rng.standard_normal(points)
    y[1] = np.nan
    low, high = y - 1.0, y + 2.0
    some = slice(0, points // 2)
    short_x = {name: values[some] for name, values in x.items()}
    report = Report("A")
    report.add_curves(
        *("name <1>", [
            Series("one", x, y, low=low, high=high),
            Series("two", short_x, y[some], quiet=True),
            Series("three", x, 2.0 * y, hidden=True),
        ]),
        y="value", log_x=True, log_y=False, caption="a <b>",
    )  # fmt: skip
    text = report.html()
    data = json.loads(re.search(r'application/json">(.*?)</script>', text)[1])
    assert (data["y"], data["log_x"], data["log_y"]) == ("value", True, False)
    one, two, three = data["series"]
    assert ("quiet" in one, "quiet" in two, "hidden" in two, "hidden" in three) == (
        False, True, False, True
    )  # fmt: skip
    assert ("low" in one, "high" in one, "low" in two, "high" in three) == (
        True,
        True,
        False,
        False,
    )
    kept = _kept(y)
    assert points > 2000 or kept.size == points
    for name, values in (("y", y), ("low", low), ("high", high)):
        shown = [np.nan if v is None else v for v in one[name]]
        np.testing.assert_allclose(shown, values[kept], rtol=1e-5)
    for axis, values in x.items():
        np.testing.assert_allclose(one["x"][axis], values[kept], rtol=1e-5)
    label = "name &lt;1&gt;: value against k"
    assert text.count(label) >= 2
    assert "<figcaption>a &lt;b&gt;</figcaption>" in text
    part = text[text.index("<details>") : text.index("</details>")]
    head, *rows = Table(part[part.index("<div") :]).rows
    assert [cell[2] for cell in head] == ["k", "one", "two", "three"]
    assert len(rows) <= ROWS
    seen = [[number(cell[2]) for cell in row] for row in rows]
    assert seen[0][0] == one["x"]["k"][0]
    assert seen[-1][0] == pytest.approx(points, rel=1e-3)
    for at, *values in seen:
        for series, value in zip((one, two, three), values, strict=True):
            pairs = [p for p in zip(series["x"]["k"], series["y"], strict=True) if p[1] is not None]
            if at > max(p[0] for p in pairs) * (1 + 1e-3):
                assert np.isnan(value)
            elif at < 1000:
                nearest = min(abs(p[0] - at) for p in pairs)
                near = [p[1] for p in pairs if abs(p[0] - at) == nearest]
                assert any(value == pytest.approx(v, rel=6e-4) for v in near)


def test_pieces_of_a_page_stand_in_their_order():
    from matplotlib.figure import Figure

    report = Report("A <title>", lead="A lead.")
    for k in range(2):
        report.add_heading(f"Part {k}")
        report.add_curves(f"curves {k}", {"c": ([1, 2], [1.0, 2.0])})
        report.add_figure(Figure(figsize=(1.0, 0.5)), f"alt {k}", caption="told" if k else "")
        report.add_text("One.\n\nTwo `code`.")
        net = traffic.braess()[0]
        report.add_network("Roads", roads_of(net), words=str, names=net.nodes.tolist())
    text = report.html()
    for name in ("section", "curves", "network"):
        assert re.findall(rf'id="{name}-(\d+)"', text) == ["1", "2"]
    assert re.findall(r'href="#section-(\d)">(.*?)</a>', text) == [("1", "Part 0"), ("2", "Part 1")]
    assert text.count("<title>A &lt;title&gt;</title>") == 1
    assert '<p class="lead">A lead.</p>' in text
    assert re.findall(r'alt="(.*?)">(.*?)</figure>', text) == [
        ("alt 0", ""), ("alt 1", "<figcaption>told</figcaption>"),
    ]  # fmt: skip
    assert text.count("<p>One.</p>\n<p>Two <code>code</code>.</p>") == 2
    assert text.index("Part 0") < text.index("curves 0") < text.index("alt 0") < text.index("alt 1")
    assert "<script>" not in Report("bare").html()
    assert "<nav" not in Report("bare").html()
    assert 'class="lead"' not in Report("bare").html()
    for wrong in ({}, [Series("a", {"k": [1]}, [1.0]), Series("b", {"s": [1]}, [1.0])]):
        with pytest.raises(fw.InvalidInput, match="same horizontal axes"):
            report.add_curves("x", wrong)
    import base64
    import struct

    png = base64.b64decode(re.search(r"base64,([^\"]*)", text)[1])
    wide, tall = struct.unpack(">II", png[16:24])
    assert wide == 2 * tall


def test_the_machine_is_told_with_what_is_installed():
    found = machine(("numpy", "no-such-package", "scipy"))
    import platform

    import scipy

    assert found["packages"] == f"numpy {np.__version__}, scipy {scipy.__version__}"
    assert versions(("no-such-package",)) == {}
    assert platform.python_version() in found["Python"]
    assert platform.machine() in found["system"]
    report = Report("A")
    report.add_setup(seed_of_all=7)
    text = report.html()
    assert all(f"<dt>{name}</dt>" in text for name in (*found, "seed of all"))


# ---- a network in a page


@pytest.mark.parametrize("size", [1.0, 100.0])
def test_links_of_a_drawing_have_their_widths_places_and_words(size, rng):
    places = rng.uniform(0.0, size, (7, 2))
    tails = np.array([1, 2, 3, 4, 5, 6, 7, 2, 1])
    heads = np.array([2, 3, 4, 5, 6, 7, 1, 1, 4])
    net = traffic.Network(tails, heads, traffic.BPR(np.ones(9), 10.0), coordinates=places)
    flows = rng.uniform(0.0, 20.0, 9)
    roads = roads_of(net, flows)
    text = drawn.drawing("Roads", roads, lambda i: f"link {i}", net.nodes.tolist())
    svg = text[: text.index('class="keys"')]
    links = re.findall(
        r'class="road(\d)" d="M(\S+) (\S+)L(\S+) (\S+)" stroke-width="(\S+)"><title>link (\d+)<',
        svg,
    )
    assert [int(link[-1]) for link in links] == np.argsort(flows).tolist()
    nodes = np.array(re.findall(r'translate\((\S+) (\S+)\)"><circle', svg), float)
    names = re.findall(r'<text dy="4">(.*?)</text>', svg)
    assert names == [str(name) for name in net.nodes]
    # one scale in both directions, and up is up
    scale = (nodes[1, 0] - nodes[0, 0]) / (roads.places[1, 0] - roads.places[0, 0])
    np.testing.assert_allclose(
        nodes - nodes[0], scale * (roads.places - roads.places[0]) * [1, -1], atol=0.2
    )
    widths = np.array([float(link[5]) for link in links])
    mine = flows[[int(link[-1]) for link in links]]
    widest = widths[-1]
    assert 4.0 <= widest <= 14.0
    np.testing.assert_allclose(widths, np.maximum(0.7, widest * mine / flows.max()), atol=0.06)
    shades = levels(net.congestion(flows))
    twins = {(int(a), int(b)) for a, b in zip(tails, heads, strict=True)}
    for shade, *corners, width, which in links:
        i, ends = int(which), np.array(corners, float).reshape(2, 2)
        assert int(shade) == shades[i]
        along = nodes[heads[i] - 1] - nodes[tails[i] - 1]
        right = np.array([-along[1], along[0]]) / np.linalg.norm(along)  # where down is more
        aside = ends - nodes[[tails[i] - 1, heads[i] - 1]]
        np.testing.assert_allclose(aside[0], aside[1], atol=0.21)
        two = (int(heads[i]), int(tails[i])) in twins
        wanted = 0.5 * (float(width) + 0.5) if two else 0.0
        assert aside[0] @ right == pytest.approx(wanted, abs=0.3)
        assert abs(aside[0] @ along) / np.linalg.norm(along) < 0.3
    keys = text[text.index('class="keys"') :]
    assert len(re.findall("<li>", keys)) == 3 + np.unique(shades).size
    strokes = [float(w) for w in re.findall(r'stroke-width="(\S+)"', keys)][-3:]
    np.testing.assert_allclose(
        strokes, np.maximum(0.7, widest * np.array([1, 0.5, 0.1])), atol=0.06
    )
    told = re.findall(r"</svg>([\d,.]+)</li>", keys)
    np.testing.assert_allclose(
        [float(t.replace(",", "")) for t in told], flows.max() * np.array([1, 0.5, 0.1]), rtol=6e-3
    )
    assert "no coordinates" not in text
    for where, count in (("MAX_DETAILED_LINKS", 4), ("MAX_PLAIN_LINKS", 3)):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(drawn, where, count)
            patched.setattr(drawn, "MAX_DETAILED_LINKS", 4)
            fewer = drawn.drawing("Roads", roads, lambda i: f"link {i}", net.nodes.tolist())
        left = 0 if where == "MAX_DETAILED_LINKS" else 2
        behind = re.search(r'class="behind" d="(.*?)"', fewer)[1]
        assert behind.count("M") == 5 - left
        assert (f"Left out: {left} links" in fewer) == (left > 0)
        assert "the 4 busiest of 9 links" in fewer


# ---- methods in the plane


@pytest.mark.parametrize("place", SCENES)
def test_the_page_of_walks_tells_the_walks(place, tmp_path):
    scene, names = EXAMPLES[place], ["JFW", "away steps"]
    text = write_view([scene], tmp_path / "a.html", methods=names, steps=5).read_text("utf-8")
    data = json.loads(re.search(r'application/json" id="data">(.*?)</script>', text)[1])
    assert data["steps"] == 5
    assert 'max="5"' in text
    (told,) = data["scenes"]
    assert (told["title"], told["corners"]) == (scene.title, scene.polygonal)
    for name, values in (
        ("frame", scene.frame()), ("outline", scene.outline), ("center", scene.center),
        ("rings", scene.rings()), ("optimum", scene.optimum.x),
    ):  # fmt: skip
        np.testing.assert_allclose(told[name], values, rtol=1e-6, atol=1e-9)
    assert [one["name"] for one in told["walks"]] == names
    for one in told["walks"]:
        course = walk(scene, one["name"], 5)
        for name in ("points", "atoms", "errors", "gaps"):
            np.testing.assert_allclose(one[name], getattr(course, name), rtol=1e-6, atol=1e-12)
        assert one["moves"] == list(course.moves)
    for scenes, methods in (([], names), ([scene], [])):
        with pytest.raises(fw.InvalidInput, match="one scene and one method"):
            write_view(scenes, tmp_path / "b.html", methods=methods)
        with pytest.raises(fw.InvalidInput, match="one scene and one method"):
            animate(scenes, tmp_path / "b.gif", methods=methods)
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]


def test_the_animation_shows_each_step_and_rests_at_the_end(tmp_path, monkeypatch):
    from frankwolfe.visual.animation import animation

    seen, picture = [], animation._picture

    def look(figure):
        seen.append(
            [
                [(line.get_color(), np.column_stack(line.get_data())) for line in ax.get_lines()]
                for ax in figure.axes
            ]
        )
        words.append([text.get_text() for ax in figure.axes for text in ax.texts])
        grounds[:] = [
            (ax.get_title(), ax.get_xlim(), ax.get_ylim(), list(ax.patches), ax.axison)
            for ax in figure.axes
        ]
        return picture(figure)

    words, grounds = [], []
    monkeypatch.setattr(animation, "_picture", look)
    scenes, names = list(EXAMPLES.values()), ["JFW", "away steps"]
    path = animate(scenes, tmp_path / "a.gif", methods=names, steps=4)
    from PIL import Image

    with Image.open(io.BytesIO(path.read_bytes())) as image:
        assert image.n_frames == len(seen) == 5
        assert image.info["loop"] == 0
        times = []
        for k in range(5):
            image.seek(k)
            times.append(image.info["duration"])
    assert len(set(times[:-1])) == 1
    assert times[-1] > 2 * times[0]
    courses = [walk(scene, name, 4) for scene in scenes for name in names]
    titles = [ground[0] for ground in grounds]
    assert titles == [*names, "", ""]
    colors = set()
    for i, (course, ground) in enumerate(zip(courses, grounds, strict=True)):
        scene = scenes[i // 2]
        assert (*ground[1], *ground[2]) == pytest.approx(scene.frame())
        assert len(ground[3]) == len(scene.rings()) + 2
        assert not ground[4]
        for patch, (a, b, angle) in zip(ground[3], scene.rings(), strict=False):
            assert (patch.width, patch.height, patch.angle) == pytest.approx((2 * a, 2 * b, angle))
            assert tuple(patch.center) == pytest.approx(tuple(scene.center))
        for k in range(5):
            atoms, aim, last, way, here, best = seen[k][i]
            np.testing.assert_array_equal(atoms[1], course.atoms[: k + 1])
            np.testing.assert_array_equal(aim[1], [course.points[k], course.atoms[k]])
            np.testing.assert_array_equal(last[1], course.atoms[k : k + 1])
            np.testing.assert_array_equal(way[1], course.points[: k + 1])
            np.testing.assert_array_equal(here[1], course.points[k : k + 1])
            np.testing.assert_array_equal(best[1], [scene.optimum.x])
            assert len({color for color, _ in (aim, last, way)}) == 1
            colors.add((i % 2, way[0]))
            said = re.fullmatch(r"k = (\d+),  f − f\* (.*)", words[k][i])
            assert int(said[1]) == k
            plain = said[2].replace(" · $10^{", "e").replace("}$", "").removeprefix("= ")
            if not plain.startswith("<"):
                assert float(plain) == pytest.approx(course.errors[k], rel=0.06)
            assert plain.startswith("<") == (course.errors[k] < 1e-12)
    assert len(colors) == len({color for _, color in colors}) == 2


def test_outlines_are_those_of_the_region(rng):
    points = rng.standard_normal((12, 2))
    corners = points[ConvexHull(points).vertices]
    scene = Scene("hull", fw.ConvexHull(points), np.eye(2), np.zeros(2), corners[0])
    assert {tuple(p) for p in scene.outline.round(9)} == {tuple(p) for p in corners.round(9)}
    assert scene.polygonal
    round_one = Scene("disc", fw.L2Ball(1.5), np.eye(2), np.zeros(2), np.zeros(2))
    np.testing.assert_allclose(np.linalg.norm(round_one.outline, axis=1), 1.5)
    assert not round_one.polygonal
    for one in (scene, round_one):
        left, right, low, high = one.frame()
        shown = np.vstack([one.outline, one.start])
        edges = shown.min(axis=0), shown.max(axis=0)
        gaps = [edges[0][0] - left, right - edges[1][0], edges[0][1] - low, high - edges[1][1]]
        np.testing.assert_allclose(gaps, 0.08 * (edges[1] - edges[0]).max())
    # a level line runs through the farthest corner, and one through the optimum outside
    away = Scene("away", fw.L2Ball(1.0), np.diag([1.0, 4.0]), np.array([3.0, 1.0]), np.zeros(2))
    value = away.problem.objective
    sizes = [0.5 * a * a for a, _, _ in away.rings()] if away.rings()[0][2] % 180 == 0 else []
    levels_ = [0.5 * r[0] ** 2 * 1.0 for r in away.rings()]
    assert sizes in ([], levels_)
    assert levels_[0] == pytest.approx(away.optimum.fun)
    assert levels_[-1] == pytest.approx(max(value(p) for p in away.outline))
    assert value(away.center) == pytest.approx(0.0, abs=1e-12)
    bad = [np.array([[1.0, 0.5], [0.0, 1.0]]), np.diag([1.0, 0.0]), np.eye(3), np.diag([1.0, -1.0])]
    for Q in bad:
        with pytest.raises(fw.InvalidInput, match="symmetric, positive definite"):
            Scene("a", fw.L2Ball(), Q, np.zeros(2), np.zeros(2))
    for center, start in ((np.zeros(3), np.zeros(2)), (np.zeros(2), np.zeros(3))):
        with pytest.raises(fw.InvalidInput, match="points of the plane"):
            Scene("a", fw.L2Ball(), np.eye(2), center, start)


@pytest.mark.parametrize("name", WALKERS)
@pytest.mark.parametrize("place", SCENES)
def test_moves_are_what_the_points_show(place, name):
    course = walk(EXAMPLES[place], name, 15)
    assert course.moves[0] == "start"
    assert len(course.moves) == len(course.points) == 16
    for k in range(1, 16):
        way, aim = (
            course.points[k] - course.points[k - 1],
            course.atoms[k - 1] - course.points[k - 1],
        )
        cosine = way @ aim / max(np.linalg.norm(way) * np.linalg.norm(aim), 1e-300)
        move = course.moves[k]
        assert (move == "stay") == (np.linalg.norm(way) < 1e-12)
        if move == "toward":
            assert cosine == pytest.approx(1.0, abs=1e-9)
        if move == "away":  # from an earlier answer, in a straight line
            earlier = np.vstack([course.points[:1], course.atoms[:k]]) - course.points[k - 1]
            across = np.abs(way[0] * earlier[:, 1] - way[1] * earlier[:, 0])
            assert ((across < 1e-6) & (earlier @ way < 0.0)).any() or place == "disc"
        if move == "combined":
            assert cosine < 1.0 - 1e-13


def test_what_is_shown_is_said_and_written(tmp_path):
    said = []
    paths = show(tmp_path / "new", scenes=["disc"], methods=["JFW"], steps=2, say=said.append)
    assert said == ["the page", "the animation"]
    assert {path.name for path in paths} == {path.name for path in (tmp_path / "new").iterdir()}
    assert "A disc" in paths[0].read_text("utf-8")
    assert "A polygon" not in paths[0].read_text("utf-8")
    (tmp_path / "file").write_text("")
    with pytest.raises(fw.InvalidInput, match="cannot be written"):
        show(tmp_path / "file")
