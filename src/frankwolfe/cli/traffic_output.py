"""Output of the command `traffic`: flows as rows and files, a summary, and a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from frankwolfe.base.arrays import AnyArray
from frankwolfe.cli.commands.predict import rows_to
from frankwolfe.visual.report import Report, Series
from frankwolfe.visual.report.markup import short
from frankwolfe.visual.roads import roads_of

if TYPE_CHECKING:
    from frankwolfe.apps.traffic import Equilibrium

__all__ = [
    "COLUMNS",
    "figures_of",
    "rows_of",
    "summary",
    "write_flows",
    "write_page",
    "write_skims",
]

COLUMNS = ("from", "to", "flow", "cost", "free_flow_cost", "flow_over_capacity")
SKIMS = ("cost", "time", "length", "toll")
TOP = 12  # rows of a table of links
HEADER = ("link", "flow", "flow / capacity", "time / free-flow time", "cost", "delay of all")

RELATIVE = (
    "(TSTT − SPTT) / TSTT: the share of their cost that all could save on the shortest paths of "
    "these costs; marginal costs for a system optimum."
)
EXCESS = "(TSTT − SPTT) / trips: what a trip could save on a shortest path, on average."
BECKMANN = "Beckmann's function: the sum over links of the integral of cost over flow."
MINIMIZED = "The cost of all together, which is minimized."


def rows_of(result: Equilibrium) -> Iterator[tuple[object, ...]]:
    """Yield the COLUMNS of each link in the order of the network; None for no capacity."""
    network = result.network
    ends = network.links
    columns = (
        ends[:, 0],
        ends[:, 1],
        result.flows,
        result.costs,
        network.cost_of(np.zeros(network.size)),
        network.saturation(result.flows),
    )
    for *known, share in zip(*(column.tolist() for column in columns), strict=True):
        yield (*known, None if math.isnan(share) else share)


def write_flows(result: Equilibrium, path: str | None) -> None:
    """Write the flows as CSV, or in TNTP's form if the file is called .tntp."""
    if path is not None and Path(path).suffix.lower() == ".tntp":
        _write_tntp(result, path)
    else:
        rows_to(path, COLUMNS, rows_of(result), as_json=False)


def _write_tntp(result: Equilibrium, path: str) -> None:
    from frankwolfe.base.files import write_bytes

    lines = ["From\tTo\tVolume\tCost"]
    lines += [f"{a}\t{b}\t{flow!r}\t{cost!r}" for a, b, flow, cost, *_ in rows_of(result)]
    write_bytes(path, ("\n".join(lines) + "\n").encode())


def write_skims(result: Equilibrium, path: str) -> None:
    """Write the skims (SKIMS of a cheapest path) between zones as CSV; None where no path leads."""
    found = result.skims(SKIMS)
    rows, columns = np.nonzero(~np.eye(len(found.zones), dtype=np.bool_))
    values = found.values[:, rows, columns].T.tolist()
    ends = zip(found.zones[rows].tolist(), found.zones[columns].tolist(), values, strict=True)
    table = ((a, b, *(v if math.isfinite(v) else None for v in row)) for a, b, row in ends)
    rows_to(path, ("from", "to", *SKIMS), table, as_json=False)


def figures_of(result: Equilibrium) -> dict[str, object]:
    """Figures of an assignment by name, for programs."""
    return {
        "method": result.method,
        "system optimum": result.system_optimum,
        "converged": result.success,
        "message": result.message,
        "relative gap": result.relative_gap,
        "gap": result.gap,
        "certified": result.certified,
        "objective": result.fun,
        "lower bound": result.lower_bound,
        "average excess cost": result.average_excess_cost,
        "total cost": result.total_cost,
        "iterations": result.nit,
        "seconds": result.seconds,
    }


def summary(result: Equilibrium) -> str:
    """Figures of an assignment in one line of text."""
    gap = "certified gap" if result.certified else "gap"
    return (
        f"relative gap {result.relative_gap:.2e}, {gap} {result.gap:.3g}, "
        f"objective {result.fun:.10g}, average excess cost {result.average_excess_cost:.2e}, "
        f"total cost {result.total_cost:.10g}, {result.nit:,} iterations of {result.method}, "
        f"{result.seconds:.2f} s"
    )


def write_page(result: Equilibrium, path: str, name: str, command: str) -> Path:
    """Write the page of an assignment to the network with that name."""
    network = result.network
    aim = "System optimum" if result.system_optimum else "User equilibrium"
    trips = sum(each.trips.total for each in result.demand.classes)
    report = Report(
        f"{aim}: {name}",
        lead=f"{short(trips)} trips on {network.size:,} links between {network.nodes.size:,} "
        f"nodes, {network.zones.size:,} of them zones.",
    )
    report.add_heading("Result")
    report.add_key_figures(_figures(result))
    report.add_heading("Network")
    _network(report, result)
    report.add_heading("Convergence")
    _convergence(report, result)
    report.add_heading("Links")
    _links(report, result)
    report.add_heading("Set-up")
    report.add_setup(
        toll_factor=f"{network.toll_factor:g}", distance_factor=f"{network.distance_factor:g}"
    )
    report.add_commands(command)
    return report.write(path)


def _figures(result: Equilibrium) -> list[tuple[str, object, str]]:
    """Key figures: name, value, and a sentence on what it means."""
    trips = sum(each.trips.total for each in result.demand.classes)
    cost = result.total_cost
    seconds = float(f"{result.seconds:.3g}")
    return [
        ("relative gap", result.relative_gap, RELATIVE),
        ("certified gap" if result.certified else "gap", result.gap, _proven(result)),
        ("average excess cost", result.average_excess_cost, EXCESS),
        ("objective", _long(result.fun), MINIMIZED if result.system_optimum else BECKMANN),
        ("total cost", _long(cost), "What all trips cost together (TSTT)."),
        ("cost of a trip", f"{cost / trips:,.6g}" if trips else "–", "On average."),
        ("method", result.method, result.message),
        ("iterations", result.nit, "Steps of the method; each loads all trips at least once."),
        ("seconds", seconds, "Time in the method, without reading and drawing."),
    ]


def _proven(result: Equilibrium) -> str:
    """Sentence on what the gap proves."""
    if not result.certified:
        return "Of the last step; it is no proven bound."
    least = _long(result.lower_bound)
    return f"The objective is at most this above the minimum, which is at least {least}."


def _long(value: float) -> str:
    return f"{value:,.10g}"


def _network(report: Report, result: Equilibrium) -> None:
    network = result.network
    roads = roads_of(network, result.flows)
    slow = int((roads.congestion > 1.5).sum())
    label = (
        f"Map of {network.size:,} links: wider ones have more flow, darker ones are slower than "
        f"when empty. The largest flow is {short(float(result.flows.max()))}; {slow:,} links take "
        "more than 1.5 times their free-flow time. The tables below name the links that matter."
    )
    report.add_network(label, roads, words=_words(result), names=network.nodes.tolist())


def _words(result: Equilibrium) -> Callable[[int], str]:
    """Function from the number of a link to the text shown for it."""
    network = result.network
    links, full = network.links, network.saturation(result.flows)
    slower = network.congestion(result.flows)
    empty = network.cost_of(np.zeros(network.size))

    def words(i: int) -> str:
        parts = [f"{links[i, 0]} → {links[i, 1]}", f"flow {short(result.flows[i])}"]
        if not math.isnan(full[i]):
            parts.append(f"{full[i]:.0%} of capacity")
        if math.isfinite(slower[i]):
            parts.append(f"{slower[i]:.3g} × free-flow time")
        parts.append(f"cost {short(result.costs[i])}, empty {short(empty[i])}")
        return "; ".join(parts)

    return words


def _convergence(report: Report, result: Equilibrium) -> None:
    history = result.history
    x = {"iteration": history["iteration"], "seconds": history["seconds"]}
    series = [Series("relative gap", x, result.excess)]
    if result.certified:
        size = max(abs(result.fun), 1e-300)  # an empty network costs nothing
        series.append(Series("certified gap / objective", x, history["gap"] / size))
    report.add_curves(
        "Gaps",
        series,
        y="gap",
        caption="The relative gap may rise from one step to the next; the certified one is "
        "measured against the best lower bound so far.",
    )


def _links(report: Report, result: Equilibrium) -> None:
    network = result.network
    delay = result.flows * (result.costs - network.cost_of(np.zeros(network.size)))
    slower = np.where(result.flows > 0.0, network.congestion(result.flows), 0.0)
    columns = (result.flows, network.saturation(result.flows), slower, result.costs, delay)
    for caption, order in (
        ("Busiest links, by flow", result.flows),
        ("Slowest links, by time over free-flow time", slower),
        ("Costliest links, by delay: flow × (cost − cost when empty)", delay),
    ):
        best = np.argsort(-order, kind="stable")[:TOP]
        rows = [_row(network.links[i], [column[i] for column in columns]) for i in best.tolist()]
        report.add_table(caption, HEADER, rows)


def _row(ends: AnyArray, values: list[float]) -> list[object]:
    """Row of a table of links: the ends, and the values of HEADER."""
    return [f"{ends[0]}\u00a0→\u00a0{ends[1]}", *(_cell(float(value)) for value in values)]


def _cell(value: float) -> float:
    """Value rounded to a whole number if it is large, so that a table writes it out."""
    return round(value) if 1000.0 <= abs(value) < 1e15 else value
