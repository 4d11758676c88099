"""Flows of an assignment as rows and files, and its figures in one line."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from frankwolfe.cli.commands.predict import rows_to

if TYPE_CHECKING:
    from frankwolfe.apps.traffic import Equilibrium

__all__ = [
    "COLUMNS",
    "figures_of",
    "rows_of",
    "summary",
    "write_flows",
    "write_skims",
]

COLUMNS = ("from", "to", "flow", "cost", "free_flow_cost", "flow_over_capacity")
SKIMS = ("cost", "time", "length", "toll")


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
