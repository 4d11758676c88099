"""The reproduction's pictures, tables and sentences tell what was measured, and no more."""

from __future__ import annotations

import csv
import re
from dataclasses import astuple, replace
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("cvxpy", reason="cvxpy is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from frankwolfe.apps.paper import algebra, claims, panel_claims, reports
from frankwolfe.apps.paper import audit as audits
from frankwolfe.apps.paper.claims import of_all, of_every, tally
from frankwolfe.apps.paper.completion import READINGS, CompletionPanel, ErrorCurves
from frankwolfe.apps.paper.experiments import SETUPS, Panel, measure
from frankwolfe.apps.paper.figures import FLOOR, draw_audit, draw_paces, draw_panels
from frankwolfe.apps.paper.parameter_free import LEVEL, compare
from frankwolfe.apps.paper.reproduce import Reproduction
from frankwolfe.apps.paper.reproduce import _write_audit as write_audit
from frankwolfe.apps.paper.reproduce import _write_claims as write_claims
from frankwolfe.apps.paper.reproduce import _write_completion as write_completion
from frankwolfe.apps.paper.reproduce import _write_curves as write_curves
from frankwolfe.visual.plots import convergence

STEPS = 120


def curve_of(steps, start, end):
    steps = np.asarray(steps, dtype=float)
    return ErrorCurves(steps, 1e5 * start / (steps + 1.0), np.linspace(start, end, steps.size))


@pytest.fixture(scope="module")
def done():
    """Experiment (a) for a few steps, a small audit, and two made readings of (c)."""
    panel = measure(SETUPS["a"], STEPS, lambda _: None)
    found = Reproduction(panels=[panel], audit=audits.run(n=200, steps=250))
    found.claims = panel_claims.about_panel(panel, runs=2)
    found.comparisons = [compare(panel, 2, lambda _: None)]
    steps = (0, 1, 2, 3, 4, 9, 10, 29)
    for reading, end in zip(READINGS[:2], (0.02, 0.7), strict=True):
        courses = {m: curve_of(steps, 1.0, end * k) for k, m in enumerate(("FW", "AFW", "JFW"), 1)}
        found.completions.append(CompletionPanel(reading, courses))
    return found


def columns(path):
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    return {
        name: np.array(column, float) for name, column in zip(head, np.transpose(rows), strict=True)
    }


@pytest.fixture(scope="module")
def curves(done, tmp_path_factory):
    """The columns of the file of curves."""
    return columns(write_curves(done.panels[0], tmp_path_factory.mktemp("curves")))


def lines_of(ax):
    return {line.get_label(): line for line in ax.get_lines()}


def seen(ax):
    """All lines lie in the picture, which has words on both axes, and no two look the same."""
    ax.figure.draw_without_rendering()
    (left, right), (low, high) = sorted(ax.get_xlim()), sorted(ax.get_ylim())
    for line in ax.get_lines():
        x, y = map(np.asarray, line.get_data())
        assert ((low <= y) & (y <= high)).all(), line.get_label()
        if line.get_transform() == ax.transData:
            assert ((left <= x) & (x <= right)).all()
    looks = [
        (str(line.get_color()), str(line.get_linestyle()), line.get_linewidth())
        for line in ax.get_lines()
    ]
    assert len(set(looks)) == len(looks)
    assert all([ax.get_xlabel(), ax.get_ylabel(), ax.get_title()])
    assert ax.xaxis.get_gridlines()[0].get_visible()


def edges(band):
    """Lower and upper edge of a band, by its abscissa."""
    low, high = {}, {}
    for x, y in band.get_paths()[0].vertices:
        low[x], high[x] = min(y, low.get(x, np.inf)), max(y, high.get(x, -np.inf))
    return low, high


def test_the_figure_draws_the_curves_of_the_file(done, curves):
    figure = draw_panels(done.panels)
    (ax,) = figure.axes
    lines, k = lines_of(ax), curves["iteration"]
    bands = iter(ax.collections)
    for name in done.panels[0].results:
        shown = np.maximum(curves[name], FLOOR)
        np.testing.assert_array_equal(lines[name].get_data(), [k[::2], shown[::2]])
        low, high = edges(next(bands))
        assert sorted(low) == k[1:].tolist()
        pairs = np.sort([shown[1:], shown[:-1]], axis=0)
        np.testing.assert_array_equal([list(low.values()), list(high.values())], pairs)
    bound = lines["Theorem 2's bound"]
    np.testing.assert_allclose(bound.get_data(), [k, curves["theorem 2"]])
    (start,) = (line for name, line in lines.items() if name.startswith("the start"))
    assert set(start.get_ydata()) == {curves["FW"][0]}
    assert ax.get_yscale() == "log"
    assert {text.get_text() for text in figure.legends[0].get_texts()} == set(lines)
    assert f"({done.panels[0].setup.key})" in ax.get_title()
    seen(ax)


@pytest.mark.parametrize("counts", [(1, 0), (1, 1), (1, 2), (2, 2), (0, 2)])
def test_each_experiment_has_its_own_axes(counts, done):
    panels, completions = done.panels * counts[0], done.completions[: counts[1]]
    figure = draw_panels(panels, completions)
    shown = [ax for ax in figure.axes if ax.get_visible()]
    assert len(shown) == sum(counts)
    assert len(figure.axes) <= sum(counts) + 1
    places = [tuple(ax.get_subplotspec().rowspan) for ax in shown]
    assert [place[0] for place in places] == [i // 2 for i in range(sum(counts))]
    titles = [ax.get_title()[:3] for ax in shown]
    assert titles == ["(a)"] * counts[0] + ["(c)"] * counts[1]
    for ax, panel in zip(shown[counts[0] :], completions, strict=True):
        for name, line in lines_of(ax).items():
            one = panel.curves[name]
            np.testing.assert_array_equal(line.get_data(), [one.steps, one.test])
        assert set(lines_of(ax)) == set(panel.curves)
        assert panel.reading.title in ax.get_title()
        assert ax.get_yscale() == ("log" if panel.curves["FW"].test[-1] < 0.5 else "linear")
        seen(ax)


def test_a_method_is_drawn_the_same_in_all_pictures(done):
    figures = draw_panels(done.panels, done.completions), draw_paces(done.panels)
    looks = {}
    for figure in (*figures, draw_audit(done.audit)):
        for ax in figure.axes:
            for name in {*done.panels[0].results} & {*lines_of(ax)}:
                line = lines_of(ax)[name]
                look = (line.get_color(), str(line._unscaled_dash_pattern), line.get_linewidth())
                assert looks.setdefault(name, look) == look
    assert len(set(looks.values())) == len(looks) == len(done.panels[0].results)


def test_the_paces_are_steps_times_k_plus_2(done):
    (ax,) = draw_paces(done.panels).axes
    for name, line in lines_of(ax).items():
        history = done.panels[0].results[name].history
        k = history["iteration"]
        np.testing.assert_array_equal(line.get_xdata(), k[1:])
        # the step to x_k begins at x_(k-1): its pace is (k - 1 + 2) times it
        expected = np.maximum(history["step"][1:] * (k[1:] + 1.0), FLOOR)
        np.testing.assert_allclose(line.get_ydata(), expected, rtol=1e-12)
    assert set(lines_of(ax)) == {text.get_text() for text in ax.get_legend().get_texts()}
    assert ax.get_xscale() == ax.get_yscale() == "log"
    seen(ax)


def test_the_audit_is_drawn_as_it_is_written(done, tmp_path):
    table = columns(write_audit(done.audit, tmp_path))
    (ax,) = draw_audit(done.audit).axes
    lines = lines_of(ax)
    k = table["iteration"] + 1.0
    for name in done.audit.errors:
        np.testing.assert_array_equal(lines[name].get_data(), [k, table[name]])
    np.testing.assert_array_equal(lines["Theorem 2's bound"].get_data(), [k, table["theorem 2"]])
    (floor,) = (line for name, line in lines.items() if name.startswith("floor"))
    above = table["floor"] > 0
    np.testing.assert_array_equal(floor.get_data(), [k[above], table["floor"][above]])
    np.testing.assert_allclose(floor.get_ydata(), 1.0 / k[above] - 1.0 / done.audit.n)
    (band,) = ax.collections
    broken = np.array(sorted(edges(band)[0]))
    assert set(k[table["floor"] > table["theorem 2"]]) <= set(broken) <= set(k)
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {*lines, band.get_label()}
    assert ax.get_xscale() == ax.get_yscale() == "log"
    assert str(done.audit.n) in ax.get_title()
    seen(ax)


# ---- tables


def tables(text):
    """Header and rows of each table of a text, by its heading."""
    found = {}
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        rows = [
            [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            for line in part.splitlines()
            if line.startswith("|")
        ]
        if rows:
            head, rule, *rest = rows
            assert all(set(cell) == {"-"} for cell in rule)
            assert {len(row) for row in rows} == {len(head)}
            found[part.splitlines()[0]] = head, rest
    return found


@pytest.fixture(scope="module")
def report(done, tmp_path_factory):
    """The text of report.md."""
    path = tmp_path_factory.mktemp("report") / "report.md"
    return reports.write_markdown(done, path).read_text("utf-8")


def test_the_claims_of_both_files_are_the_same(done, report, tmp_path):
    with write_claims(done.claims, tmp_path).open(newline="", encoding="utf-8") as file:
        _, *rows = csv.reader(file)
    assert rows == [list(astuple(claim)) for claim in done.claims]
    assert tables(report)["Claims"][1] == rows
    assert f"\n{tally(done.claims)}.\n" in report


def cell(text):
    return [float(part) for part in re.fullmatch(r"(\S+) \((\S+)\)", text).groups()]


def test_the_tables_hold_values_of_the_curves(done, report, curves):
    setup = done.panels[0].setup
    head, rows = tables(report)[f"({setup.key}) {setup.title}"]
    assert head == ["k", *done.panels[0].results]
    assert [int(row[0]) for row in rows] == [k for k in reports.STEPS if k <= STEPS]
    for k, *cells in rows:
        for name, pair in zip(head[1:], map(cell, cells), strict=True):
            np.testing.assert_allclose(pair, curves[name][[int(k), int(k) - 1]], rtol=6e-3)
    assert done.panels[0].facts in report


def test_a_last_step_of_the_table_belongs_to_it(done, tmp_path):
    for last, ends in ((99, 10), (100, 100)):
        cut = SimpleNamespace(history={"iteration": np.arange(last + 1.0), "value": np.ones(1001)})
        panel = replace(done.panels[0], results={"FW": cut})
        path = reports.write_markdown(Reproduction(panels=[panel]), tmp_path / "a.md")
        _, (_, rows) = tables(path.read_text("utf-8")).values()
        assert int(rows[-1][0]) == ends


def test_the_completions_of_both_files_are_the_same(done, report, tmp_path):
    path = write_completion(done.completions, tmp_path)
    with path.open(newline="", encoding="utf-8") as file:
        written = {
            (row["reading"], row["method"], int(row["iteration"])): row
            for row in csv.DictReader(file)
        }
    assert len(written) == sum(c.steps.size for p in done.completions for c in p.curves.values())
    for panel in done.completions:
        (title,) = (name for name in tables(report) if name.endswith(panel.reading.title))
        head, rows = tables(report)[title]
        steps = set(panel.curves["FW"].steps.astype(int)) & set(reports.COMPLETION_STEPS)
        assert [int(row[0]) for row in rows] == sorted(steps)
        for k, *cells in rows:
            for name, (test, train) in zip(head[1:], map(cell, cells), strict=True):
                row = written[panel.reading.title, name, int(k)]
                assert test == pytest.approx(float(row["test error"]), abs=6e-5)
                assert train == pytest.approx(float(row["training loss"]), rel=6e-5)


def test_pictures_and_sources_are_named_where_there_are_any(done, report, tmp_path):
    for name in ("figure1.png", "pace.png", "audit.png"):
        assert f"]({name})" in report
    assert done.panels[0].setup.data().sha256 in report
    bare = Reproduction(missing=["experiment (c) is missing: no file"], claims=done.claims)
    text = reports.write_markdown(bare, tmp_path / "bare.md").read_text("utf-8")
    assert not re.findall(r"!\[", text)
    assert set(tables(text)) == {"Claims"}
    assert bare.missing[0] in text
    only = Reproduction(completions=done.completions)
    text = reports.write_markdown(only, tmp_path / "only.md").read_text("utf-8")
    assert re.findall(r"\]\((\w+\.png)\)", text) == ["figure1.png"]


def test_the_comparison_is_what_the_methods_need(done, report, curves):
    (found,) = done.comparisons
    title = f"({found.panel.setup.key}) Without parameters"
    head, rows = tables(report)[title]
    best = found.panel.optimum.value
    by_name = {"AFW": "AFW", "JFW by hand": "JFW", "JFW auto": "JFW auto", "FW 2/(k+2)": "FW"}
    by_name |= {name: name for name in curves if name in {entry.name for entry in found.entries}}
    for entry, row in zip(found.entries, rows, strict=True):
        shown = dict(zip(head, row, strict=True))
        assert (shown["method"], shown["asks for"]) == (entry.name, entry.asks)
        assert int(shown["gradients"]) == entry.gradients
        assert int(shown["values"]) == entry.values >= 0
        assert float(shown["ms"]) == pytest.approx(1e3 * entry.seconds, abs=0.06)
        assert float(shown[head[2]]) == pytest.approx(max(entry.error, 0.0), rel=0.06)
        if entry.name not in by_name:
            continue
        error = curves[by_name[entry.name]]
        assert entry.error * best == pytest.approx(error[-2:].max(), rel=1e-9, abs=1e-12)
        there = np.flatnonzero(error <= LEVEL * error[0])
        assert (entry.steps is None) == (there.size == 0)
        assert entry.steps is None or entry.steps == there[0]
        assert shown[head[3]] == (f"> {STEPS}" if entry.steps is None else str(there[0]))
        assert f"{1.0 / LEVEL:g} times nearer" in found.words
    assert set(found.spreads) == {"JFW", "JFW auto"}
    assert found.words in report
    for low, high in found.spreads.values():
        assert 0.0 <= low <= high
        assert f"{low:.1e} to {high:.1e}" in found.words


# ---- sentences on curves that are made


class Made(Panel):
    """A panel of curves C k^-p above the optimum."""

    def error(self, method):
        return self.results[method]


@pytest.fixture
def judge(done, monkeypatch):
    """Claims by their words, for made curves; rows of courses are their multiples."""
    real = done.panels[0]
    k = np.arange(401.0)

    def about(curves, factors=(1.0, 1.0)):
        results = dict(curves)
        panel = Made(real.setup, real.optimum, results, real.smoothness, real.diameter)
        monkeypatch.setattr(Made, "iterations", k)
        monkeypatch.setattr(
            panel_claims,
            "perturbed_errors",
            lambda panel, m, runs: np.outer(factors if m == "JFW" else (1.0, 1.0), curves[m]),
        )
        where = "here"
        courses = {m: panel_claims.perturbed_errors(panel, m, 2) for m in panel_claims.PAPER}
        return {
            "order": panel_claims._ordering(panel, where),
            "progress": panel_claims._progress(panel, where),
            "rate": panel_claims._rate(panel, where, courses),
            "rounding": panel_claims._rounding(panel, where, courses),
        }

    return about, k


def power(k, factor, exponent, start=50.0):
    curve = np.full(k.size, start)
    curve[1:] = factor * k[1:] ** -exponent
    return curve


@pytest.mark.parametrize("jfw", [0.5, 1.0, 1.05, 1.2, 2.0])
def test_rates_of_powers_are_their_exponents(jfw, judge):
    about, k = judge
    own = {"FW": 1.0, "AFW": 1.5, "JFW": jfw}
    found = about({m: power(k, 1.0, p) for m, p in own.items()})
    assert found["rate"].verdict == of_all(
        jfw > own[m] + panel_claims.EXPONENT_MARGIN for m in ("FW", "AFW")
    )
    shown = dict(re.findall(r"(\w+) k\^(\S+?)(?:,|$)", found["rate"].measured))
    for m, p in own.items():  # the worse of two neighbours is the one before: (k-1)^-p
        assert float(shown[m]) == pytest.approx(-p, abs=0.03)
    ahead = [np.mean((k[10:] ** -jfw) < (k[10:] ** -own[m])) for m in ("FW", "AFW")]
    for claim, share in zip(found["order"], ahead, strict=True):
        assert f"ahead at {share:.1%}" in claim.measured
        assert claim.verdict == of_every(share == 1.0)
    assert found["progress"].verdict == "holds"
    assert found["rounding"].verdict == "holds"


@pytest.mark.parametrize("spread", [1.0, 1.005, 1.5])
@pytest.mark.parametrize("high", ["none", "last", "last but one", "as the first", "as the start"])
def test_what_is_not_below_the_start_has_not_approached(high, spread, judge):
    about, k = judge
    curves = {m: power(k, 10.0, 1.0) for m in panel_claims.PAPER}
    if high.startswith("last"):
        curves["AFW"][-1 if high == "last" else -2] = 60.0
    if high == "as the first":
        curves["FW"][1] = curves["FW"][-2]
    if high == "as the start":
        for curve in curves.values():
            curve[0] = curves["JFW"][-2]
    claims = about(curves, (1.0, spread))
    progress, rounding = claims["progress"], claims["rounding"]
    assert progress.verdict == of_all([True, high == "none"])
    assert rounding.verdict == of_all([True, spread <= panel_claims.STABLE_END_RATIO])
    for m, curve in curves.items():
        assert f"{m} {curve[1]:.2e}, {max(curve[-2:]):.2e}" in progress.measured
        pair = f"{curve[-2]:.2e}, {curve[-1]:.2e}"
        assert m == "JFW" or pair in claims["order"][("FW", "AFW").index(m)].measured
        assert f"{m} {curve[-1]:.1e} to " in rounding.measured
    assert f"{spread * curves['JFW'][-1]:.1e}" in rounding.measured


def test_the_measured_bounds_are_those_of_the_curves(done, curves):
    panel, k = done.panels[0], curves["iteration"]
    said = {claim.claim: claim for claim in done.claims}
    scale = panel.smoothness * panel.diameter**2
    ours = {
        "FW: f(x_k) - f*": (curves["FW"] * (k + 2) / (2 * scale))[1:],
        "Theorem 2: f(x_k) - f*": curves["JFW"] / curves["theorem 2"],
    }
    for start, shares in ours.items():
        (claim,) = (one for name, one in said.items() if name.startswith(start))
        assert f"at most {shares.max():.2g} of the bound" in claim.measured
        assert claim.verdict == of_every(shares.max() <= 1.0)
    (descent,) = (one for name, one in said.items() if name.startswith("descent"))
    (omega,) = (one for name, one in said.items() if name.startswith("ω_k"))
    low, high = map(float, re.match(r"(\S+) to (\S+) ", omega.measured).groups())
    assert omega.verdict == of_every(0.0 <= low <= high <= 1.0)
    assert 0.0 < low < high
    from frankwolfe.methods.polynomials import omega as weight

    setup, f = panel.setup, panel.results["JFW"].history["value"]
    weights = np.array([weight(int(j), setup.alpha, setup.beta, setup.gamma) for j in k])
    np.testing.assert_allclose([weights.min(), weights.max()], [low, high], atol=6e-4)
    asked = 6.0 * weights * scale / (k + 2) ** 2
    share = np.mean(f[:-1] - f[1:] >= asked[:-1])
    assert descent.measured.startswith(f"true at {share:.1%} of the steps")
    assert f"by {asked[0]:.3g} from {f[0]:.3g}" in descent.measured
    assert descent.verdict == of_every(share == 1.0)


@pytest.mark.parametrize(("alpha", "gamma"), [(1.2, 2 / 3), (-0.9, 0.0), (5.0, 0.1), (0.3, 1.0)])
def test_weights_outside_of_the_unit_interval_are_told(alpha, gamma, done):
    from frankwolfe.methods.polynomials import omega as weight

    real = done.panels[0]
    setup = replace(real.setup, alpha=alpha, beta=alpha, gamma=gamma)
    claims = panel_claims._bounds(replace(real, setup=setup), "here")
    weights = [weight(k, alpha, alpha, gamma) for k in range(STEPS + 1)]
    (claim,) = (one for one in claims if one.claim.startswith("ω_k"))
    assert claim.verdict == of_every(all(0.0 <= w <= 1.0 for w in weights))
    low, high = map(float, re.match(r"(\S+) to (\S+) ", claim.measured).groups())
    np.testing.assert_allclose([low, high], [min(weights), max(weights)], atol=6e-4)


@pytest.mark.parametrize("counts", [(1, 0), (2, 0), (0, 2)])
def test_no_legend_covers_a_curve_or_leaves_the_picture(counts, done):
    figure = draw_panels(done.panels * counts[0], done.completions[: counts[1]])
    figure.draw_without_rendering()
    (legend,) = figure.legends
    box, whole = legend.get_window_extent(), figure.bbox
    assert whole.x0 <= box.x0 < box.x1 <= whole.x1
    assert whole.y0 <= box.y0 < box.y1 <= whole.y1
    for ax in figure.axes:
        assert not ax.get_tightbbox().overlaps(box)


def test_what_is_done_is_said_before_it_takes_its_time():
    said = []
    panel = measure(SETUPS["a"], 2, said.append)
    runs = [words for words in said if "iterations" in words]
    assert [words.split(":")[0] for words in runs] == [f"(a) {name}" for name in panel.results]
    del said[:]
    found = compare(panel, 1, said.append)
    names = [f"(a) without parameters: {entry.name}" for entry in found.entries]
    assert said == names


def test_convergence_takes_the_panels_runs(done, curves):
    """The library's own picture of the same runs shows the same errors."""
    panel = done.panels[0]
    ax = convergence(panel.results, optimum=panel.optimum.value, slopes=())
    for name, line in lines_of(ax).items():
        if name in curves:
            positive = curves[name] > 1e-12
            np.testing.assert_allclose(line.get_ydata()[positive], curves[name][positive])


# ---- the page, and the paper's polynomials


def test_the_page_holds_the_curves_of_the_files(done, curves, tmp_path):
    import json

    from matplotlib.figure import Figure

    from frankwolfe.apps.paper.reports import write_page

    for name in ("figure1", "pace", "audit"):
        Figure(figsize=(0.1, 0.1)).savefig(tmp_path / f"{name}.png")
    done.missing.append("experiment (z) is missing: no data")
    try:
        path = write_page(done, tmp_path / "report.html", "frankwolfe reproduce a <b>")
    finally:
        done.missing.pop()
    text = path.read_text("utf-8")
    assert "Experiment (z) is missing: no data" in text
    assert "frankwolfe reproduce a &lt;b&gt;" in text
    assert f"{tally(done.claims)}." in text
    assert done.panels[0].setup.data().sha256 in text
    blocks = [json.loads(b) for b in re.findall(r'application/json">(.*?)</script>', text)]
    assert len(blocks) == 1 + len(done.completions) + 1
    panel, *completions, audit = blocks
    by_name = {one["name"]: one for one in panel["series"]}
    k = curves["iteration"]
    for name in done.panels[0].results:
        one, error = by_name[name], np.maximum(curves[name], FLOOR)
        assert one["x"]["iteration k"] == k[::2].tolist()
        np.testing.assert_allclose(one["y"], error[::2], rtol=1e-5)
        near = [error[max(j - 1, 0) : j + 2] for j in range(0, k.size, 2)]
        np.testing.assert_allclose(one["low"], [part.min() for part in near], rtol=1e-5)
        np.testing.assert_allclose(one["high"], [part.max() for part in near], rtol=1e-5)
        beyond = name in ("JFW momentum", "FW 4/(k+4)", "FW 6/(k+6)")
        assert bool(one.get("hidden")) == beyond
    bound = by_name["Theorem 2's bound"]
    assert bound["quiet"]
    np.testing.assert_allclose(bound["y"], curves["theorem 2"], rtol=1e-5)
    assert [one["name"] for one in panel["series"]][:4] == ["FW", "JFW", "AFW", "JFW auto"]
    _check_other_curves(done, completions, audit)
    _check_words(done, re.findall(r'alt="([^"]*)"', text))
    bare = Reproduction(claims=done.claims)
    text = write_page(bare, tmp_path / "bare.html", "x").read_text("utf-8")
    assert "<img" not in text
    assert 'type="application/json"' not in text


def _check_other_curves(done, completions, audit):
    for block, shown in zip(completions, done.completions, strict=True):
        for one in block["series"]:
            curve = shown.curves[one["name"]]
            np.testing.assert_allclose(one["y"], curve.test, rtol=1e-5)
            assert one["x"]["iteration k"] == curve.steps.tolist()
        assert block["log_y"] == (shown.curves["FW"].test[-1] < 0.5)
    lines = {one["name"]: one for one in audit["series"]}
    found = done.audit
    for name, values in {
        **found.errors,
        "floor of every vertex method": found.floor, "Theorem 2's bound": found.bound,
    }.items():  # fmt: skip
        shown = [np.nan if v is None else v for v in lines[name]["y"]]
        np.testing.assert_allclose(shown, values, rtol=1e-5)
        assert lines[name]["x"]["k + 1"] == (found.iterations + 1).tolist()
        assert bool(lines[name].get("quiet")) == (name not in found.errors)
    assert audit["log_x"]


def _check_words(done, words):
    """Of pictures, for those who cannot see them."""
    found = done.audit
    ends = [f"{m} {done.panels[0].error(m)[-1]:.1e}" for m in ("FW", "AFW", "JFW", "JFW auto")]
    assert ", ".join(ends) in words[0]
    assert f"after {STEPS} steps" in words[0]
    for name, error in found.errors.items():
        assert f"{name} {error[-1]:.1e}" in words[-1]
    assert f"After {len(found.floor) - 1} steps" in words[-1]


def test_the_optimum_agrees_where_it_lies_between_the_bounds(done):
    real = done.panels[0].optimum
    assert real.agrees
    low, high = real.own.lower_bound, real.own.fun
    for value, agrees in (
        (low, True), (high, True), (0.5 * (low + high), True), (low - 0.9e-10, True),
        (low - 1.1e-10, False), (high + 0.9e-10, True), (high + 1.1e-10, False),
        (high + 1.0, False),
        (low - 1.0, False),
    ):  # fmt: skip
        assert replace(real, value=value).agrees == agrees
    own = SimpleNamespace(lower_bound=1e6, fun=1e6)
    assert replace(real, value=1e6 + 0.9e-4, own=own).agrees
    assert not replace(real, value=1e6 + 1.2e-4, own=own).agrees


MEASURED = {  # what is measured, values for which a sentence holds, and for which it does not
    "a_k + b_k - c_k": [("recurrence_error", 1e-13, 1e-11)],
    "the combining weights": [("weight_sum_error", 1e-11, 1e-9), ("least_weight", 0.0, -0.1)],
    "p_k(1-γ)": [("unrolled_error", 1e-11, 1e-9), ("identity_error", 1e-11, 1e-9)],
}


@pytest.mark.parametrize("words", MEASURED)
def test_a_sentence_holds_as_far_as_all_that_is_measured(words, monkeypatch):
    from itertools import product

    monkeypatch.setattr(claims, "_algorithm2", list)
    monkeypatch.setattr(algebra, "smaller_norm", lambda *_, **__: (1.0, 1.0))
    for choice in product((True, False), repeat=len(MEASURED[words])):
        for (name, good, bad), fine in zip(MEASURED[words], choice, strict=True):
            value = good if fine else bad
            monkeypatch.setattr(algebra, name, lambda *_, value=value: value)
        (claim,) = (one for one in claims.about_theory() if one.claim.startswith(words))
        assert claim.verdict == of_all(choice)


@pytest.mark.parametrize("monic", [0.9, 1.0])
@pytest.mark.parametrize("plain", [0.9, 1.0])
def test_polynomials_are_optimal_where_no_other_has_a_smaller_norm(plain, monic, monkeypatch):
    found = {False: plain, True: monic}
    monkeypatch.setattr(
        algebra, "smaller_norm", lambda *_, monic=False, **__: (1.0 + 1e-7, found[monic])
    )
    monkeypatch.setattr(claims, "_algorithm2", list)
    (claim,) = (c for c in claims.about_theory() if c.claim.startswith("orthogonal"))
    assert claim.verdict == of_all([plain == 1.0, monic == 1.0])
    assert f"one with {monic:.4f} if" in claim.measured
    assert f"finds one with {plain:.4f}," in claim.measured


@pytest.mark.parametrize("ends", [(0.5, 0.4), (0.5, 0.5), (0.5, 0.6), (0.5, 0.49999)])
@pytest.mark.parametrize("others", [(), ((0.5, 0.3),), ((0.5, 0.9), (0.4, 0.1))])
def test_a_test_error_is_better_where_it_is_so_on_all_splits(others, ends):
    from frankwolfe.apps.paper.claims import about_completion

    def made(fw_end, jfw_end):
        both = zip(("FW", "JFW"), (fw_end, jfw_end), strict=True)
        return CompletionPanel(READINGS[0], {m: curve_of((0, 10, 29), 1.0, end) for m, end in both})

    claim = about_completion(made(*ends), [made(*other) for other in others])
    pairs = [ends, *others]
    assert claim.verdict == of_all(jfw < f * (1 - 1e-4) for f, jfw in pairs)
    assert f"after 29 steps: FW {ends[0]:.4f}" in claim.measured
    assert f"JFW {ends[1]:.4f}" in claim.measured
    assert f"FW {1e5 / 30:.4e}, JFW {1e5 / 30:.4e}" in claim.measured
    for k, m in enumerate(("FW", "JFW")):
        own = [pair[k] for pair in pairs]
        spread = f"{m} {ends[k]:.4f} ({min(own):.4f} to {max(own):.4f} over {len(own)} splits)"
        assert (spread in claim.measured) == bool(others)


def test_the_audit_says_where_the_bound_is_broken(done):
    from frankwolfe.apps.paper.claims import about_audit

    found = done.audit
    k = np.arange(found.floor.size)
    broken = k[1.0 / (k + 1.0) - 1.0 / found.n > found.bound]
    claim = about_audit(found)
    assert f"for k from {broken[0]} to {broken[-1]}" in claim.measured
    assert claim.verdict == "does not hold"
    for name, error in found.errors.items():
        assert f"{name} {np.max(error / found.bound):.0f} times" in claim.measured
    assert f"{found.n}-simplex" in claim.measured
    fine = about_audit(replace(found, floor=0.0 * found.floor))
    assert fine.verdict == "holds"
    assert "nowhere here" in fine.measured


PARAMETERS = [(0.0, 0.0), (1.2, 1.2), (3.0, 0.5), (0.5, -0.5)]


@pytest.mark.parametrize(("alpha", "beta"), PARAMETERS)
def test_what_is_measured_of_polynomials_is_so_by_their_definitions(alpha, beta):
    from scipy.special import eval_jacobi, roots_jacobi

    from frankwolfe.methods.polynomials import weights

    def p(k, x):
        return eval_jacobi(k, alpha, beta, x) / eval_jacobi(k, alpha, beta, 1.0)

    gamma = 0.3
    assert algebra.recurrence_error(alpha, beta) < 1e-11
    assert algebra.weight_sum_error(alpha, beta) < 1e-11
    # the least weight: coefficients of the polynomials, by interpolation
    least = np.inf
    for k in range(11):
        nodes = np.cos(np.pi * (np.arange(k + 1) + 0.5) / (k + 1))
        least = min(least, np.linalg.solve(np.vander(nodes, increasing=True), p(k, nodes)).min())
    assert algebra.least_weight(alpha, beta) == pytest.approx(least, rel=1e-5)
    # the recursion of averages with gamma, made for numbers: atoms are ones, so is the start
    for k in range(6):
        x = [1.0]
        for _ in range(k):
            x.append((1.0 - gamma) * x[-1] + gamma)
        assert weights(k, alpha, beta) @ x == pytest.approx(1.0)
    assert algebra.unrolled_error(alpha, beta, gamma) < 1e-10
    values = [p(k, 1.0 - gamma) for k in range(11)]
    off = max(abs(values[k] + gamma * sum(values[:k]) - 1.0) for k in range(11))
    assert algebra.identity_error(alpha, beta, gamma) == pytest.approx(off, rel=1e-9)
    x, w = roots_jacobi(200, alpha, beta)
    w = w / w.sum()
    for monic in (False, True):
        norm, best = algebra.smaller_norm(alpha, beta, k=2, points=200, monic=monic)
        assert norm == pytest.approx(w @ np.abs(p(2, x)))
        assert 0.0 < best <= norm * (1 + 1e-9)
        # no polynomial with the same condition has a smaller norm
        rng = np.random.default_rng(0)
        for _ in range(50):
            c = rng.standard_normal(3) * [1.0, 1.0, 0.0 if monic else 1.0]
            c = c if monic else c - c.sum() * np.eye(3)[0]
            other = p(2, x) + 0.3 * sum(c[j] * p(j, x) for j in range(3))
            assert w @ np.abs(other) >= best * (1 - 1e-9)
