"""From saved files to a report in Markdown and a plot."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from suite.claims import claims
from suite.figures import cost_of_variables, times_to_accuracy
from suite.reading import ACCURACIES
from suite.store import FOLDER, Row, load, sections
from suite.tables import human, iteration_table, plain_table, problem_table, skipped_line

OWN = ("problems", "solvers", "per_iteration")
HOW = """\
Times are seconds of a whole call, from arrays to x, until (f - f*) / (f(x0) - f*) is at most the
accuracy: medians over rounds in which the contestants take turns, one thread of one core. A solver
that stops by iterations or by a tolerance is given the fewest or the coarsest that reaches the
accuracy, found beforehand; ours is stopped at the value. f is evaluated after the clock has
stopped, at the point moved into the region. The first call (import, model, compilation) is apart;
compiled kernels may come from a cache on disk. Memory is the peak of a call beyond what the process
held before it. A pass is one gradient."""


def report(folder: Path | None = None) -> str:
    """Write report.md and the plot beside the files, and return the text."""
    folder = folder or FOLDER
    told = text(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.md").write_text(told)
    ran = [problem for problem in load("problems", folder)[0] if "left out" not in problem]
    if ran and find_spec("matplotlib"):
        times_to_accuracy(ran, load("solvers", folder)[0], folder / "times.png")
    variables = load("scale variables", folder)[0]
    if variables and find_spec("matplotlib"):
        cost_of_variables(variables, folder / "variables.png")
    return told


def text(folder: Path) -> str:
    """The report of what is saved in a folder."""
    problems, facts = load("problems", folder)
    rows, iterations = load("solvers", folder)[0], load("per_iteration", folder)[0]
    ran = [problem for problem in problems if "left out" not in problem]
    left_out = [problem for problem in problems if "left out" in problem]
    parts = ["# Benchmark", _machine(facts), HOW]
    parts += [_section(problem, rows) for problem in ran]
    parts += [f"{row['problem']} is left out: {row['left out']}." for row in left_out]
    if iterations:
        parts += ["## Time per iteration", iteration_table(iterations)]
    for name in sections(folder):
        if name not in OWN and load(name, folder)[0]:
            parts += [f"## {name.capitalize()}", plain_table(load(name, folder)[0])]
    scale = {name: load(f"scale {name}", folder)[0] for name in ("dense", "sparse", "variables")}
    parts += ["## Claims", "\n".join(map(str, claims(problems, rows, iterations, scale)))]
    return "\n\n".join(parts) + "\n"


def _machine(facts: dict[str, Any]) -> str:
    if not facts:
        return "Nothing was run yet."
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    return (
        f"{facts['date']}, {facts['cpu']}, {facts['cores']} cores of which {facts['cores used']} "
        f"used, load {facts['load']}; Python {facts['python']}, {versions}."
    )


def _section(problem: Row, rows: list[Row]) -> str:
    mine = [row for row in rows if row["problem"] == problem["problem"]]
    left = skipped_line(mine)
    return "\n\n".join(
        [
            f"## {problem['problem']}: {problem['title']}",
            f"f* = {problem['f*']:.12g} (relative gap {problem['relative gap']:.1e}), "
            f"f(x0) = {problem['f(x0)']:.6g}, proxy {human(problem['proxy median'])} "
            f"(least {human(problem['proxy least'])}).",
            *_doubts(problem),
            problem_table(problem, mine),
            *([f"Not here: {left}."] if left else []),
        ]
    )


def _doubts(problem: Row) -> list[str]:
    """What makes the accuracies less than sure."""
    gap, drop = problem["relative gap"], problem["lowered by"]
    doubts = []
    if gap > ACCURACIES[-1] / 10:
        doubts.append(f"f* is certified to {gap:.1e} only: accuracies below that are in doubt.")
    if drop > ACCURACIES[-1] / 10:
        doubts.append(f"f* is another solver's value, lower than ours by {drop:.1e}.")
    return doubts
