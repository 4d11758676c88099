"""Markdown tables from saved rows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from suite.measure import seconds_to
from suite.reading import ACCURACIES, label
from suite.store import Row


def human(seconds: float) -> str:
    """A time in a unit that suits it; a dash for never."""
    if not math.isfinite(seconds):
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def markdown(header: Iterable[str], lines: Iterable[Iterable[Any]]) -> str:
    """A table."""
    header = list(header)
    rows = [header, ["---"] * len(header), *(list(map(str, line)) for line in lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def problem_table(problem: Row, rows: list[Row]) -> str:
    """The contestants of one problem, the fastest to 1e-6 first."""
    ran = [row for row in rows if not row["skipped"]]
    ran.sort(key=lambda row: [seconds_to(row, accuracy) for accuracy in (1e-6, 1e-3, 1e-8)])
    header = ["solver", *(f"to {label(accuracy)}" for accuracy in ACCURACIES)]
    header += ["its.", "passes", "per it. / proxy", "first call", "memory", "remarks"]
    return markdown(header, (_line(row, problem["proxy median"]) for row in ran))


def _line(row: Row, proxy: float) -> list[str]:
    times = [seconds_to(row, accuracy) for accuracy in ACCURACIES]
    counts = row["counts"].get(label(1e-6)) or {}
    its, gradients = counts.get("iterations"), counts.get("gradients")
    each = f"{times[1] / its / proxy:.3g}" if its and math.isfinite(times[1]) else ""
    call = row["megabytes"].get("call")
    remark = row["ended"]
    if not math.isfinite(times[1]) and row["best"] is not None:
        remark = f"{remark + '; ' if remark else ''}best {row['best']:.1e}, cap {row['cap']:.3g} s"
    return [
        row["solver"],
        *map(human, times),
        str(its or ""),
        str(gradients or ""),
        each,
        human(row["first call"] or math.inf),
        f"{call:.0f} MB" if call is not None else "",
        remark.replace("|", "/"),
    ]


def skipped_line(rows: list[Row]) -> str:
    """Who did not take part, and why."""
    by: dict[str, list[str]] = {}
    for row in rows:
        if row["skipped"]:
            by.setdefault(row["skipped"], []).append(row["solver"])
    return "; ".join(f"{', '.join(names)}: {why}" for why, names in by.items())


def plain_table(rows: list[Row]) -> str:
    """Any rows: a column for each key of the first one."""
    keys = list(rows[0])
    return markdown(keys, ([_cell(row.get(key)) for key in keys] for row in rows))


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str("" if value is None else value)


def iteration_table(rows: list[Row]) -> str:
    """Time per iteration."""
    lines = (
        [row["problem"], row["what"], human(row["seconds"]), f"{row['proxies']:.2f}"]
        for row in rows
    )
    return markdown(["problem", "what", "per iteration", "proxies"], lines)
