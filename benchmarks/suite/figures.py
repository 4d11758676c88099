"""Plots from saved rows, with matplotlib."""

from __future__ import annotations

import math
from pathlib import Path

from peers import OURS

from suite.measure import seconds_to
from suite.reading import ACCURACIES, label
from suite.store import Row

COLORS = ("#0072b2", "#d55e00", "#009e73")  # told apart by all
SHOWN = 12  # contestants of a problem


def times_to_accuracy(problems: list[Row], rows: list[Row], path: Path) -> None:
    """A panel a problem: seconds to each accuracy, a line a contestant."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    columns = 3
    lines = -(-len(problems) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(16, 4.2 * lines), squeeze=False)
    for axis in axes.ravel()[len(problems) :]:
        axis.axis("off")
    for axis, problem in zip(axes.ravel(), problems, strict=False):
        _panel(axis, problem, [row for row in rows if row["problem"] == problem["problem"]])
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _panel(axis: object, problem: Row, rows: list[Row]) -> None:
    ran = [row for row in rows if math.isfinite(seconds_to(row, ACCURACIES[0]))]
    ran.sort(key=lambda row: seconds_to(row, 1e-6))
    for row in ran[:SHOWN]:
        points = [(seconds_to(row, accuracy), accuracy) for accuracy in ACCURACIES]
        seconds, reached = zip(*[p for p in points if math.isfinite(p[0])], strict=True)
        style = {"lw": 3, "color": "black", "zorder": 9} if row["solver"] == OURS else {"lw": 1.2}
        axis.loglog(seconds, reached, "o-", label=row["solver"], **style)
    axis.set_title(f"{problem['problem']}: {problem['title']}", fontsize=9)
    axis.set_xlabel("seconds")
    axis.set_yticks(ACCURACIES, [label(accuracy) for accuracy in ACCURACIES])
    axis.legend(fontsize=6)


def cost_of_variables(rows: list[Row], path: Path) -> None:
    """Microseconds of an iteration over an l1 ball as n grows, and what is not the gradient."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(7, 4.5))
    for color, name in zip(COLORS, dict.fromkeys(row["method"] for row in rows), strict=False):
        mine = [row for row in rows if row["method"] == name]
        n = [row["n"] for row in mine]
        axis.loglog(n, [row["µs"] for row in mine], "o--", color=color, label=f"{name}, all")
        axis.loglog(n, [row["the rest"] for row in mine], "s-", color=color, label=f"{name}, rest")
        cold = [row["the rest, caches emptied"] for row in mine]
        axis.loglog(n, cold, "x:", color=color, label=f"{name}, rest with emptied caches")
    axis.set(xlabel="variables", ylabel="µs an iteration", title="l1 ball: all, and without A'r")
    axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
