"""Report of the reproduction as Markdown, report.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING

from frankwolfe.apps.paper import parameter_free
from frankwolfe.apps.paper.completion import CompletionPanel
from frankwolfe.apps.paper.curves import Panel
from frankwolfe.apps.paper.verdicts import tally
from frankwolfe.visual.report import machine

if TYPE_CHECKING:
    from frankwolfe.apps.paper.reproduce import Reproduction

__all__ = ["write_markdown"]

STEPS = (10, 100, 300, 1000)
COMPLETION_STEPS = (1, 10, 29, 49, 99, 149)


def write_markdown(done: Reproduction, path: Path) -> Path:
    """Write the claims, tables and set-up of a reproduction as Markdown."""
    lines = ["# The paper, reproduced", ""]
    if done.panels or done.completions:
        lines += ["![Figure 1: suboptimality and test error against iterations](figure1.png)", ""]
    header = ("where", "the paper says", "measured", "verdict")
    rows = map(astuple, done.claims)
    lines += [*_table("Claims", header, rows, f"{tally(done.claims)}."), *done.missing, ""]
    for panel in done.panels:
        lines += _panel(panel)
    for compared in done.comparisons:
        lines += _comparison(compared)
    if done.panels:
        lines += ["![c in the step c/(k+2) of FW, JFW and JFW auto](pace.png)", ""]
    for completed in done.completions:
        lines += _completion(completed)
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


def _panel(panel: Panel) -> list[str]:
    errors = [panel.error(name) for name in panel.results]
    rows = [
        [k, *(f"{error[k]:.2e} ({error[k - 1]:.2e})" for error in errors)]
        for k in STEPS
        if k <= int(panel.iterations[-1])
    ]
    lead = f"{panel.facts} Each cell is f(x_k) - f*, and f(x_(k-1)) - f* in brackets."
    return _table(f"({panel.setup.key}) {panel.setup.title}", ["k", *panel.results], rows, lead)


def _comparison(found: parameter_free.Comparison) -> list[str]:
    most = int(found.panel.iterations[-1])
    rows = [parameter_free.row(entry, most) for entry in found.entries]
    title = f"({found.panel.setup.key}) Without parameters"
    return _table(title, parameter_free.HEADER, rows, parameter_free.words(found))


def _completion(panel: CompletionPanel) -> list[str]:
    courses = panel.courses.values()
    rows = [
        [int(k), *(f"{course.test[i]:.4f} ({course.train[i]:.4e})" for course in courses)]
        for i, k in enumerate(panel.courses["FW"].steps)
        if int(k) in COMPLETION_STEPS
    ]
    title = f"(c) Matrix completion, MovieLens 100K, {panel.reading.title}"
    lead = "Each cell is the normalized test error, and the training loss in brackets."
    return _table(title, ["k", *panel.courses], rows, lead)
