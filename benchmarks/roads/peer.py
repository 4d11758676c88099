"""AequilibraE on the same problem, in an interpreter that has it."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from roads.networks import Problem

RUN = Path(__file__).with_name("aequilibrae_run.py")
NOTE = (
    "AequilibraE: its loop of iterations alone is timed, on one core, without the import and the "
    "building of its graph. Links that take no time get 1e-9, powers where B = 0 become 1, both of "
    "which it refuses otherwise; links into nodes that lead nowhere are left out, as its "
    "compression makes a road of two of them; centroids are blocked where the file says so."
)


@dataclass
class Course:
    """What it had after each iteration."""

    problem: Problem
    seconds: Any
    reported: Any  # its own gap, of new flows with old costs
    flows: Any

    def by_its_gap(self, tol: float) -> int | None:
        """The first iteration whose gap, as it reports it, is within the tolerance."""
        found = np.flatnonzero(self.reported <= tol)
        return int(found[0]) if found.size else None

    def by_true_gap(self, tol: float) -> int | None:
        """The first iteration whose flows are within it with their own costs."""
        near = np.flatnonzero(self.reported <= 4.0 * tol)
        for i in near:
            if self.problem.relative_gap(self.flows[i]) <= tol:
                return int(i)
        return None


def version(python: str) -> str | None:
    """Which AequilibraE an interpreter has, or None."""
    ask = "import importlib.metadata as m; print(m.version('aequilibrae'))"
    try:
        found = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()


def used(network: Any) -> Any:
    """Links that a trip may use: to nodes that lead on, or are zones, from nodes that are reached.

    Where two links enter a node and none leaves it, AequilibraE's compression of the graph makes
    a road of them.
    """
    tails, heads, zones = network.tails, network.heads, network.zones
    keep = np.ones(tails.size, dtype=bool)
    while True:
        leads_on = np.isin(heads, np.append(zones, tails[keep]))
        reached = np.isin(tails, np.append(zones, heads[keep]))
        fewer = keep & leads_on & reached
        if np.array_equal(fewer, keep):
            return keep
        keep = fewer


def _arrays(problem: Problem, keep: Any) -> dict[str, Any]:
    network = problem.network
    empty, rise, capacity, power = network.cost.table[keep].T
    zones = network.nodes[network.zones]
    if network.closed.any() and not np.array_equal(np.flatnonzero(network.closed), network.zones):
        raise ValueError("AequilibraE blocks all zones or none.")
    return {
        "tails": network.nodes[network.tails[keep]],
        "heads": network.nodes[network.heads[keep]],
        "zones": zones,
        "closed": network.closed.any(),
        "free_flow_time": empty,
        "capacity": capacity,
        "b": np.divide(rise, empty, out=np.zeros_like(rise), where=empty > 0.0),
        "power": power,
        "fixed": network.fixed[keep],
        "matrix": problem.trips.matrix(zones),
    }


def course(problem: Problem, python: str, tol: float, limit: float, algorithm: str) -> Course:
    """One run of it to the tolerance, or as many seconds of its loop."""
    keep = used(problem.network)
    with tempfile.TemporaryDirectory() as folder:
        asked, given = Path(folder, "problem.npz"), Path(folder, "course.npz")
        np.savez(asked, **_arrays(problem, keep))
        options = [f"--tol={tol}", f"--seconds={limit}", f"--algorithm={algorithm}"]
        subprocess.run([python, str(RUN), str(asked), str(given), *options], check=True)
        with np.load(given) as found:
            flows = np.zeros((len(found["flows"]), keep.size))
            flows[:, keep] = found["flows"]
            return Course(problem, found["seconds"], found["gaps"], flows)
