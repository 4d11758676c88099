"""Reports of the reproduction: a page for the browser, report.html, and Markdown, report.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from frankwolfe.apps.paper.audit import Audit
from frankwolfe.apps.paper.claims import FAILS, HOLDS, PARTLY, tally
from frankwolfe.apps.paper.completion import SEED, CompletionPanel
from frankwolfe.apps.paper.experiments import Panel
from frankwolfe.apps.paper.figures import FLOOR
from frankwolfe.apps.paper.parameter_free import HEADER
from frankwolfe.datasets import U_DATA_SHA256
from frankwolfe.visual.report import Report, Series, machine

if TYPE_CHECKING:
    from frankwolfe.apps.paper.reproduce import Reproduction

__all__ = ["write_markdown", "write_page"]

MARKS = {HOLDS: "good", FAILS: "bad", PARTLY: "mixed"}
ORDER = ("FW", "JFW", "AFW", "JFW auto")  # the colours of figure 1
EXTRAS = ("JFW momentum", "FW 4/(k+4)", "FW 6/(k+6)")  # in the legend, shown when asked for
LEAD = (
    "Faster Rates for the Frank-Wolfe Algorithm Using Jacobi Polynomials: its experiments run "
    "again, and each sentence that can be checked beside what was measured."
)
STEPS = (10, 100, 300, 1000)
COMPLETION_STEPS = (1, 10, 29, 49, 99, 149)


def write_page(done: Reproduction, path: Path, command: str) -> Path:
    """Write the page; pictures are read from the folder it goes to."""
    report = Report("The paper, reproduced", lead=LEAD)
    if done.panels or done.completions:  # what a reader came for, before any table
        report.add_heading("Figure 1")
        words = _figure1_words(done.panels, done.completions)
        report.add_figure(path.parent / "figure1.png", words)
    report.add_heading("Claims")
    _claims(report, done)
    if done.panels or done.completions or done.audit:
        report.add_heading("Curves")
    for panel in done.panels:
        _panel(report, panel)
    _without_parameters(report, done, path.parent)
    for completed in done.completions:
        _completion(report, completed)
    if done.audit is not None:
        _audit(report, done.audit)
        report.add_figure(path.parent / "audit.png", _audit_words(done.audit))
    report.add_heading("Set-up")
    report.add_setup(**_setup(done))
    report.add_heading("Repeat it")
    report.add_text("In a clone of the repository, with Python 3.11 or newer:")
    report.add_commands("make reproduce")
    report.add_text("Where the package is installed with its extra `paper`, this very run is")
    report.add_commands(command)
    return report.write(path)


def _claims(report: Report, done: Reproduction) -> None:
    report.add_text(f"{tally(done.claims)}.")
    for note in done.missing:
        report.add_text(f"{note[:1].upper()}{note[1:]}")
    report.add_table(
        "What the paper says, and what was measured",
        ["where", "the paper says", "measured", "verdict"],
        [astuple(claim) for claim in done.claims],
        marks=MARKS,
    )


def _panel(report: Report, panel: Panel) -> None:
    setup, k = panel.setup, panel.iterations
    series = [_jumping(panel, name) for name in _ordered(panel.results)]
    series.append(Series("Theorem 2's bound", k, panel.theorem2(), quiet=True))
    report.add_curves(
        f"({setup.key}) {setup.title}",
        series,
        x="iteration k",
        y="f(xₖ) − f*",
        caption=f"{panel.facts} The line runs through even k, the band spans their "
        "neighbours: JFW's iterates jump. Three methods beyond the paper's wait in the legend. "
        f"Differences below {FLOOR:g} are rounding and drawn there.",
    )


def _ordered(names: Iterable[str]) -> list[str]:
    known = list(names)
    first = [name for name in ORDER if name in known]
    return [*first, *(name for name in known if name not in ORDER)]


def _jumping(panel: Panel, name: str) -> Series:
    """Curve of a method: a line through even steps, and a band that spans their neighbours."""
    k, error = panel.iterations, np.maximum(panel.error(name), FLOOR)
    around = np.stack([error, np.append(error[:1], error[:-1]), np.append(error[1:], error[-1:])])
    low, high = around.min(axis=0), around.max(axis=0)
    hidden = name in EXTRAS
    return Series(name, k[::2], error[::2], low=low[::2], high=high[::2], hidden=hidden)


def _without_parameters(report: Report, done: Reproduction, folder: Path) -> None:
    """Add the section on JFW that chooses its γ at every step, beside other rules."""
    if not done.comparisons:
        return
    report.add_heading("Without parameters")
    report.add_text(
        "JFW auto is Algorithm 2 with a γ for every step, read off the last gradient's slope "
        "along the last direction: no value of f, no constant, no parameter."
    )
    for found in done.comparisons:
        setup = found.panel.setup
        report.add_table(f"({setup.key}) {setup.title}", HEADER, found.rows)
        report.add_text(found.words)
    report.add_figure(folder / "pace.png", "c in the step c/(k+2) of FW, JFW and JFW auto.")


def _completion(report: Report, panel: CompletionPanel) -> None:
    report.add_curves(
        f"(c) Matrix completion, MovieLens 100K, {panel.reading.title}",
        {
            name: (panel.curves[name].steps, panel.curves[name].test)
            for name in _ordered(panel.curves)
        },
        x="iteration k",
        y="normalized test error",
        log_y=bool(panel.curves["FW"].test[-1] < 0.5),
    )


def _audit(report: Report, audit: Audit) -> None:
    k = audit.iterations + 1
    series = [Series(name, k, audit.errors[name]) for name in _ordered(audit.errors)]
    series += [
        Series("floor of every vertex method", k, audit.floor, quiet=True),
        Series("Theorem 2's bound", k, audit.bound, quiet=True),
    ]
    report.add_curves(
        f"Audit of Theorem 2: |x|² on the simplex, n = {audit.n}",
        series,
        x="k + 1",
        y="f(xₖ) − f*",
        log_x=True,
        caption="After k steps from a vertex an iterate has at most k + 1 entries, so its error "
        "is at least 1/(k+1) − 1/n. Where the bound runs below that floor it cannot hold.",
    )


def _figure1_words(panels: Sequence[Panel], completions: Sequence[CompletionPanel]) -> str:
    words = ["Curves of each method against iterations."]
    for panel in panels:
        last = int(panel.iterations[-1])
        ends = [f"{m} {panel.error(m)[-1]:.1e}" for m in ("FW", "AFW", "JFW", "JFW auto")]
        words.append(
            f"({panel.setup.key}) {panel.setup.title}: above the optimum after {last} steps by "
            f"{', '.join(ends)}."
        )
    for shown in (panel for panel in completions if not panel.reading.everywhere):
        ends = [f"{m} {curve.test[-1]:.3f}" for m, curve in shown.curves.items()]
        words.append(f"(c) {shown.reading.title}: normalized test error {', '.join(ends)}.")
    return " ".join(words)


def _audit_words(audit: Audit) -> str:
    ends = [f"{name} {error[-1]:.1e}" for name, error in audit.errors.items()]
    return (
        f"Errors on the simplex against k + 1 on logarithmic axes. After {len(audit.floor) - 1} "
        f"steps: {', '.join(ends)}, the floor {audit.floor[-1]:.1e}, Theorem 2's bound "
        f"{audit.bound[-1]:.1e}."
    )


def _setup(done: Reproduction) -> dict[str, str]:
    tables = [panel.setup.data() for panel in done.panels]
    facts = {table.name: f"{table.source}; sha256 `{table.sha256}`" for table in tables}
    seeds = []
    if done.panels:
        seeds.append("starts that differ by rounding: 0, 1, 2, …")
    if done.completions:
        facts["MovieLens 100K"] = f"sha256 of u.data `{U_DATA_SHA256}`"
        seeds.append(f"split of the ratings: {SEED}; further splits: 0, 1, 2")
    return facts | {"seeds": "; ".join(seeds) or "none: nothing is drawn at random"}


def write_markdown(done: Reproduction, path: Path) -> Path:
    """Write the claims, tables and set-up of a reproduction as Markdown."""
    lines = ["# The paper, reproduced", ""]
    if done.panels or done.completions:
        lines += ["![Figure 1: suboptimality and test error against iterations](figure1.png)", ""]
    header = ("where", "the paper says", "measured", "verdict")
    rows = map(astuple, done.claims)
    lines += [*_table("Claims", header, rows, f"{tally(done.claims)}."), *done.missing, ""]
    for panel in done.panels:
        lines += _panel_table(panel)
    for compared in done.comparisons:
        title = f"({compared.panel.setup.key}) Without parameters"
        lines += _table(title, HEADER, compared.rows, compared.words)
    if done.panels:
        lines += ["![c in the step c/(k+2) of FW, JFW and JFW auto](pace.png)", ""]
    for completed in done.completions:
        lines += _completion_table(completed)
    if done.audit is not None:
        lines += ["![Audit of Theorem 2 on the simplex](audit.png)", ""]
    tables = (panel.setup.data() for panel in done.panels)
    facts = [f"{name}: {value}" for name, value in machine().items()]
    facts += [f"{table.name}: {table.source}; sha256 {table.sha256}" for table in tables]
    lines += ["## Set-up", "", *(f"- {fact}" for fact in facts)]
    path.write_text("\n".join([*lines, "- Repeat with: `frankwolfe reproduce`", ""]), "utf-8")
    return path


def _table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[object]], lead: str = ""
) -> list[str]:
    lines = [f"## {title}", "", *([lead, ""] if lead else [])]
    lines += [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    for row in rows:
        cells = (str(cell).replace("|", "\\|") for cell in row)
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def _panel_table(panel: Panel) -> list[str]:
    errors = [panel.error(name) for name in panel.results]
    rows = [
        [k, *(f"{error[k]:.2e} ({error[k - 1]:.2e})" for error in errors)]
        for k in STEPS
        if k <= int(panel.iterations[-1])
    ]
    lead = f"{panel.facts} Each cell is f(x_k) - f*, and f(x_(k-1)) - f* in brackets."
    return _table(f"({panel.setup.key}) {panel.setup.title}", ["k", *panel.results], rows, lead)


def _completion_table(panel: CompletionPanel) -> list[str]:
    curves = panel.curves.values()
    rows = [
        [int(k), *(f"{curve.test[i]:.4f} ({curve.train[i]:.4e})" for curve in curves)]
        for i, k in enumerate(panel.curves["FW"].steps)
        if int(k) in COMPLETION_STEPS
    ]
    title = f"(c) Matrix completion, MovieLens 100K, {panel.reading.title}"
    lead = "Each cell is the normalized test error, and the training loss in brackets."
    return _table(title, ["k", *panel.curves], rows, lead)
