"""frankwolfe traffic: the flows are the library's, the page tells them, what is wrong is said."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from browser import check_contrast, check_page, chromium, visit

from frankwolfe.apps import traffic
from frankwolfe.cli import main
from frankwolfe.cli.commands.traffic import METHODS


def write_net(path, rows, zones, nodes, through=1):
    lines = [
        f"<NUMBER OF ZONES> {zones}",
        f"<NUMBER OF NODES> {nodes}",
        f"<FIRST THRU NODE> {through}",
        f"<NUMBER OF LINKS> {len(rows)}",
        "<END OF METADATA>",
        "~ init_node term_node capacity length free_flow_time b power speed toll link_type ;",
        *(" ".join(map(str, row)) + " ;" for row in rows),
    ]
    Path(path).write_text("\n".join(lines) + "\n")


def write_trips(path, matrix):
    lines = [f"<NUMBER OF ZONES> {len(matrix)}", "<END OF METADATA>"]
    for i, row in enumerate(matrix.tolist()):
        lines += [f"Origin {i + 1}", " ".join(f"{j + 1} : {v};" for j, v in enumerate(row))]
    Path(path).write_text("\n".join(lines) + "\n")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A town: a grid of 4 by 4 with trips between 5 of its nodes."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    index = np.arange(1, 17).reshape(4, 4)
    pairs = [*zip(index[:, :-1].ravel(), index[:, 1:].ravel(), strict=True)]
    pairs += [*zip(index[:-1].ravel(), index[1:].ravel(), strict=True)]
    pairs += [(b, a) for a, b in pairs]
    rows = [
        (a, b, round(rng.uniform(20, 60)), round(rng.uniform(1, 3), 2), round(rng.uniform(1, 4), 2),
         0.15, 4, 0, 0, 1)
        for a, b in pairs
    ]  # fmt: skip
    write_net("net.tntp", rows, 5, 16)
    write_trips("trips.tntp", np.round(rng.uniform(0, 40, (5, 5)), 1))
    places = "\n".join(f"{k + 1} {k % 4} {k // 4} ;" for k in range(16))
    Path("node.tntp").write_text(f"node X Y ;\n{places}\n")
    return tmp_path


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def column(rows, name):
    return np.array([float(row[name]) for row in rows])


def test_the_flows_are_those_of_the_library(here, capsys):
    assert main(["traffic", "net.tntp", "trips.tntp", "--tol", "1e-9"]) == 0
    out, err = capsys.readouterr()
    rows = table(out)
    network, trips = traffic.read_tntp("net.tntp", "trips.tntp")
    theirs = traffic.equilibrium(network, trips, tol=1e-9)
    np.testing.assert_array_equal(column(rows, "flow"), theirs.flows)
    np.testing.assert_array_equal(column(rows, "cost"), theirs.costs)
    assert [[int(row["from"]), int(row["to"])] for row in rows] == network.links.tolist()
    empty = column(rows, "free_flow_cost")
    np.testing.assert_allclose(
        column(rows, "cost"), empty * (1.0 + 0.15 * column(rows, "flow_over_capacity") ** 4)
    )
    assert re.match(r"frankwolfe: relative gap \S+, certified gap \S+, objective", err)
    assert main(["traffic", "net.tntp", "trips.tntp", "--tol", "1e-9", "-q"]) == 0
    assert capsys.readouterr() == (out, "")


def test_a_flow_file_can_be_read_again(here, capsys):
    assert main(["traffic", "net.tntp", "trips.tntp", "-o", "flow.tntp"]) == 0
    network, trips = traffic.read_tntp("net.tntp", "trips.tntp")
    flows, costs = traffic.read_flow("flow.tntp", network)
    theirs = traffic.equilibrium(network, trips)
    np.testing.assert_array_equal(flows, theirs.flows)
    np.testing.assert_array_equal(costs, theirs.costs)
    assert capsys.readouterr().out == ""


def test_figures_for_programs(here, capsys):
    words = ["traffic", "net.tntp", "trips.tntp", "--distance-factor", "0.5", "--json"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert err == ""
    own = json.loads(out)
    flows = np.array([link["flow"] for link in own["links"]])
    costs = np.array([link["cost"] for link in own["links"]])
    assert own["total cost"] == pytest.approx(flows @ costs, rel=1e-12)
    assert own["relative gap"] <= 1e-6
    assert own["certified"]
    assert own["lower bound"] <= own["objective"]
    assert main([*words, "--system-optimum", "-o", "flows.csv"]) == 0
    best = json.loads(capsys.readouterr().out)
    assert "links" not in best
    rows = table(Path("flows.csv").read_text())
    spent = column(rows, "flow") @ column(rows, "cost")
    assert best["total cost"] == pytest.approx(spent, rel=1e-9)
    assert spent < own["total cost"]


def test_links_without_a_capacity_are_empty_cells(here, capsys):
    rows = [(1, 2, 10, 1, 1, 0.15, 4, 0, 0, 1), (1, 2, 0, 1, 2, 0, 0, 0, 0, 1)]
    write_net("net.tntp", rows, 2, 2)
    write_trips("trips.tntp", np.array([[0, 30.0], [0, 0]]))
    assert main(["traffic", "net.tntp", "trips.tntp", "-q", "--report"]) == 0
    first, second = table(capsys.readouterr().out)
    assert float(first["flow_over_capacity"]) > 1.0
    assert second["flow_over_capacity"] == ""
    assert Path("traffic.html").is_file()


def test_skims_are_shortest_paths_at_the_costs_written(here, capsys):
    words = ["traffic", "net.tntp", "trips.tntp", "-o", "a.csv", "--skims", "s.csv"]
    assert main([*words, "--distance-factor", "0.5"]) == 0
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    rows = table(Path("a.csv").read_text())
    ends = column(rows, "from").astype(int) - 1, column(rows, "to").astype(int) - 1
    shortest = dijkstra(coo_array((column(rows, "cost"), ends), shape=(16, 16)).tocsr())
    skims = table(Path("s.csv").read_text())
    assert len(skims) == 20
    pairs = column(skims, "from").astype(int) - 1, column(skims, "to").astype(int) - 1
    np.testing.assert_allclose(column(skims, "cost"), shortest[pairs], rtol=1e-9)
    both = column(skims, "time") + 0.5 * column(skims, "length")
    np.testing.assert_allclose(both, column(skims, "cost"), rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_find_the_same_flows(method, here, capsys):
    words = ["traffic", "net.tntp", "trips.tntp", "--max-iter", "20000", "--json"]
    assert main([*words, "--tol", "1e-4", "--method", method]) == 0
    found = json.loads(capsys.readouterr().out)
    network, trips = traffic.read_tntp("net.tntp", "trips.tntp")
    least = traffic.equilibrium(network, trips, tol=1e-12).fun
    assert found["lower bound"] <= least * (1.0 + 1e-12)
    assert least - 1e-9 * least <= found["objective"] <= least + found["gap"]


def test_not_reached_is_code_one_and_the_flows_are_written(here, capsys):
    words = ["traffic", "net.tntp", "trips.tntp", "-o", "a.csv", "--tol", "1e-12"]
    assert main([*words, "--method", "frank_wolfe", "--max-iter", "3"]) == 1
    assert "the tolerance 1e-12 was not reached" in capsys.readouterr().err
    assert len(table(Path("a.csv").read_text())) == 48


def test_ctrl_c_keeps_the_flows_so_far(here, monkeypatch, capsys):
    from frankwolfe.cli.commands import traffic as command

    def on_step(self, run):
        if run.state.k == 5 and not run.done:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(command._Live, "on_step", on_step)
    monkeypatch.setattr(command._Live, "next_step", lambda self, k: k + 1)
    words = ["traffic", "net.tntp", "trips.tntp", "-o", "a.csv", "--tol", "0", "--report"]
    assert main([*words, "--method", "frank_wolfe"]) == 130
    assert "these are the flows so far, at a relative gap of" in capsys.readouterr().err
    rows = table(Path("a.csv").read_text())
    network, trips = traffic.read_tntp("net.tntp", "trips.tntp")
    flows = traffic.Flows(network, trips)
    assert flows.contains(column(rows, "flow"))
    assert Path("traffic.html").is_file()


ROW = (1, 2, 10, 1, 1, 0.15, 4, 0, 0, 1)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nowhere", "trips.tntp"], "there is no file nowhere"),
        (["trips.tntp", "net.tntp"], "line"),
        (["net.tntp", "trips.tntp", "--tol", "-1"], "--tol must be a finite number >= 0"),
        (["net.tntp", "trips.tntp", "--max-iter", "0"], "--max-iter must be"),
        (["net.tntp", "trips.tntp", "--seconds", "0"], "--seconds must be"),
        (["net.tntp", "trips.tntp", "--toll-factor", "nan"], "--toll-factor must be"),
        (["net.tntp", "trips.tntp", "-o", "./net.tntp"], "--out must be a file"),
        (
            ["net.tntp", "trips.tntp", "--report", "trips.tntp"],
            "--report must be a file",
        ),
        (["net.tntp", "trips.tntp", "--report", "a", "-o", "a"], "--out must be a file"),
        (["net.tntp", "trips.tntp", "--skims", "net.tntp"], "--skims must be a file"),
        (["net.tntp", "trips.tntp", "--report", "no/a"], "--report must be in a folder that"),
        (["net.tntp", "trips.tntp", "--nodes", "trips.tntp"], "trips.tntp"),
        (["net.tntp", "trips.tntp", "--distance-factor", "-9"], "net.tntp, line 7"),
    ],
)
def test_wrong_input_is_one_sentence_and_nothing_is_written(words, sentence, here, capsys):
    before = {path: Path(path).read_bytes() for path in os.listdir(".")}
    assert main(["traffic", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert sentence in err
    assert {path: Path(path).read_bytes() for path in os.listdir(".")} == before


def test_nobody_travels_and_all_is_written(here, capsys):
    write_net("net.tntp", [ROW, (2, 1, *ROW[2:])], 2, 2)
    write_trips("trips.tntp", np.zeros((2, 2)))
    assert main(["traffic", "net.tntp", "trips.tntp", "--report", "a.html"]) == 0
    assert [row["flow"] for row in table(capsys.readouterr().out)] == ["0.0", "0.0"]
    assert Path("a.html").is_file()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_sees_where_it_is(here, monkeypatch, capsys):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("frankwolfe.cli.screen.UPDATE_SECONDS", 0.0)
    monkeypatch.setattr("frankwolfe.cli.commands.traffic._Live.next_step", lambda self, k: k + 1)
    assert main(["traffic", "net.tntp", "trips.tntp", "--json"]) == 0
    text = terminal.getvalue()
    assert text.index("reading net.tntp") < text.index("iteration 1  objective")
    assert "relative gap" in text
    json.loads(capsys.readouterr().out)


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


def test_the_page_asks_for_nothing_and_escapes_names(here, capsys):
    os.rename("net.tntp", "<b>net&.tntp")
    words = ["traffic", "<b>net&.tntp", "trips.tntp", "--report", "a.html", "-o", "a.csv"]
    assert main(words) == 0
    text = Path("a.html").read_text("utf-8")
    assert "<b>" not in text.split("</style>")[1].split("<script>")[0]
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)""", text)
    assert text.count("<title>") == 1 + 48
    for name in ("relative gap", "certified gap", "average excess cost", "objective", "total cost"):
        assert f"<dt>{name}</dt>" in text


class _Page(HTMLParser):
    """Tables by caption, key figures by name, titles of links, data of curves."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.facts, self.titles, self.data = {}, {}, [], []
        self.meanings = {}
        self._path, self._text, self._rows, self._name = [], "", [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self._path.append(tag)
        if tag in ("td", "th", "caption", "dt", "dd", "title", "script"):
            self._text = ""
        if tag == "tr":
            self._rows.append([])

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._rows[-1].append(self._text)
        elif tag == "caption":
            self.tables[self._text] = self._rows = []
        elif tag == "dt":
            self._name = self._text
        elif tag == "dd":
            self.meanings[self._name] = self._text
            self.facts.setdefault(self._name, self._text)
        elif tag == "title":
            self.titles.append(self._text)
        elif tag == "script" and self._text.startswith("{"):
            self.data.append(json.loads(self._text))

    def handle_data(self, text):
        self._text += text


def value(text):
    """The number that a cell or a key figure shows."""
    plain = text.replace(",", "").replace("\u2212", "-").replace(" × 10", "e")
    return {"–": np.nan, "∞": np.inf}.get(text) or float(plain)


@pytest.mark.parametrize("method", [None, "frank_wolfe"])
@pytest.mark.parametrize("optimum", [False, True])
def test_the_page_tells_what_the_flows_are(optimum, method, here, capsys):
    from frankwolfe.cli.traffic_output import TOP, write_page

    network, trips = traffic.read_tntp("net.tntp", "trips.tntp", distance_factor=0.5)
    result = traffic.equilibrium(
        network, trips, system_optimum=optimum, tol=1e-3, **({"method": method} if method else {})
    )
    page = _Page(write_page(result, "a.html", "town", "frankwolfe traffic").read_text("utf-8"))
    flows, costs, empty = result.flows, result.costs, network.cost_of(np.zeros(network.size))
    total, people = flows @ costs, trips.total
    said = page.facts
    close = {"rel": 6e-4}
    assert value(said["relative gap"]) == pytest.approx(result.relative_gap, **close)
    gap = "certified gap" if result.certified else "gap"
    assert value(said[gap]) == pytest.approx(result.gap, **close)
    assert value(said["total cost"]) == pytest.approx(total, rel=1e-9)
    assert value(said["cost of a trip"]) == pytest.approx(total / people, rel=1e-5)
    assert value(said["average excess cost"]) == pytest.approx(
        result.relative_gap * total / people if not optimum else result.average_excess_cost, **close
    )
    assert value(said["objective"]) == pytest.approx(total if optimum else result.fun, rel=1e-9)
    assert (int(said["iterations"].replace(",", "")), said["method"]) == (result.nit, result.method)
    assert value(said["seconds"]) == pytest.approx(result.seconds, rel=6e-3)
    assert (said["toll factor"], said["distance factor"]) == ("0", "0.5")
    assert page.titles[0].startswith("System" if optimum else "User")
    assert "town" in page.titles[0]
    meaning = "cost of all together" if optimum else "integral of cost"
    assert meaning in page.meanings["objective"]
    assert ("at least" in page.meanings[gap]) == result.certified
    # the tables: the first in each order, with what the network says of them
    delay, slower = flows * (costs - empty), network.congestion(flows)
    columns = np.stack([flows, network.saturation(flows), slower, costs, delay], axis=1)
    orders = {"Busiest": flows, "Slowest": np.where(flows > 0.0, slower, 0.0), "Costliest": delay}
    tables = {name.split()[0]: rows for name, rows in page.tables.items()}
    number = {tuple(pair): i for i, pair in enumerate(network.links.tolist())}
    assert set(orders) < set(tables)
    for name, order in orders.items():
        _, *rows = tables[name]
        places = [number[tuple(int(end) for end in row[0].split("\u00a0→\u00a0"))] for row in rows]
        assert len(set(places)) == TOP
        assert sorted(order[places])[::-1] == order[places].tolist()
        assert set(np.flatnonzero(order > order[places].min())) <= set(places)
        shown = [[value(cell) for cell in row[1:]] for row in rows]
        np.testing.assert_allclose(shown, columns[places], rtol=6e-4)
    words = [title for title in page.titles if "; flow " in title]
    assert len(words) == network.size
    for title in words:
        ends, *parts = title.split("; ")
        i = number[tuple(map(int, ends.split(" → ")))]
        told = [f"{columns[i, 1]:.0%} of capacity", f"{slower[i]:.3g} × free-flow time"]
        assert parts[1:3] == told
        assert value(parts[0].split()[1]) == pytest.approx(flows[i], rel=1e-3)
        assert re.findall(r"cost (\S+), empty (\S+)", parts[3]) == [
            (f"{costs[i]:.4g}", f"{empty[i]:.4g}")
        ]
    _check_the_rest(page, Path("a.html").read_text("utf-8"), result)


def _check_the_rest(page, text, result):
    """Sentences and curves."""
    network, slower = result.network, result.network.congestion(result.flows)
    assert f"{(slower > 1.5).sum():,} links take more than 1.5 times" in text
    assert f"on {network.size} links between {network.nodes.size} nodes, 5 of them zones" in text
    # the curves: the history
    (curves,) = page.data
    by_name = {one["name"]: one for one in curves["series"]}
    np.testing.assert_allclose(by_name["relative gap"]["y"], result.excess, rtol=1e-5)
    for axis, seen in by_name["relative gap"]["x"].items():
        np.testing.assert_allclose(seen, result.history[axis], rtol=1e-5)
    assert ("certified gap / objective" in by_name) == result.certified
    if result.certified:
        shares = result.history["gap"] / result.fun
        np.testing.assert_allclose(by_name["certified gap / objective"]["y"], shares, rtol=1e-5)
    assert ("at least" in text) == result.certified


def test_the_page_of_links_that_take_no_time(here, capsys):
    """Nothing is said where there is no capacity, and infinitely slower is no number."""
    from frankwolfe.cli.traffic_output import write_page

    rows = [(1, 2, 10, 1, 1, 0.15, 4, 0, 0, 1), (1, 2, 10, 1, 0, 0.15, 4, 0, 7, 1)]
    back = [(2, 1, 0, 1, 2, 0, 0, 0, 0, 1), (2, 1, 5, 1, 9, 0.15, 4, 0, 0, 1)]
    write_net("net.tntp", [*rows, *back], 2, 2)
    write_trips("trips.tntp", np.array([[0, 30.0], [12000.0, 0]]))
    result = traffic.equilibrium(*traffic.read_tntp("net.tntp", "trips.tntp", toll_factor=1.0))
    page = _Page(write_page(result, "a.html", "a", "b").read_text("utf-8"))
    words = [title for title in page.titles if "; flow " in title]
    full, slow = result.network.saturation(result.flows), result.network.congestion(result.flows)
    assert sum("capacity" in one for one in words) == np.isfinite(full).sum()
    assert sum("free-flow" in one for one in words) == np.isfinite(slow).sum()
    (busiest,) = (rows for name, rows in page.tables.items() if name.startswith("Busiest"))
    assert busiest[1][:2] == ["2\u00a0→\u00a01", "12,000"]
    assert page.facts["toll factor"] == "1"
    (slowest,) = (rows for name, rows in page.tables.items() if name.startswith("Slowest"))
    assert len(slowest) == len(result.flows) + 1
    for ends, flow, _, slower, *_ in slowest[1:]:  # who is not there is not slowed down
        assert (value(slower) == 0.0) == (value(flow) == 0.0), ends


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_in_a_browser(scheme, here, browser, capsys):
    words = ["traffic", "net.tntp", "trips.tntp", "--nodes", "node.tntp", "--report", "a.html"]
    assert main([*words, "-o", "a.csv"]) == 0
    with visit(browser, here / "a.html", color_scheme=scheme) as page:
        check_page(page)
        check_contrast(page)
        assert page.locator(".links path").count() == 48
        assert page.locator("table").count() == 4
        link, row = page.locator(".links path").last, table(Path("a.csv").read_text())
        busiest = max(row, key=lambda one: float(one["flow"]))
        page.locator(".roads").scroll_into_view_if_needed()
        box = link.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        tip = page.locator(".roads .tip")
        assert f"{busiest['from']} → {busiest['to']}" in tip.text_content()
        before = page.locator(".roads svg").first.get_attribute("viewBox")
        page.get_by_role("button", name="Zoom in").click()
        assert page.locator(".roads svg").first.get_attribute("viewBox") != before
        page.get_by_role("button", name="Whole network").click()
        assert page.locator(".roads svg").first.get_attribute("viewBox") == before
    with visit(browser, here / "a.html", viewport={"width": 390, "height": 844}) as page:
        check_page(page)
