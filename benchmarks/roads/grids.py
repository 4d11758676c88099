"""Generated cities of growing size: time to a relative gap of 1e-4, of an iteration, and memory.

An iteration is measured in processor time, of all threads together.

Each runs in a process of its own, so that its peak of memory is its own:
``python grids.py ROWS COLUMNS ZONES SECONDS`` prints a line of JSON.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

# rows, columns, zones: from 360 links to 10^5, and a thousand zones; then zones alone
SIZES = (
    *((10, 10, 10), (16, 16, 26), (30, 30, 60), (51, 51, 130), (90, 90, 250)),
    *((100, 100, 100), (100, 100, 1000), (159, 159, 500), (159, 159, 1000)),
)


def measured(
    rows: int, columns: int, zones: int, limit: float = 3600.0, tol: float = 1e-4
) -> dict[str, Any]:
    """Figures of one city; of as many seconds, where it takes longer."""
    import frankwolfe as fw
    from frankwolfe.apps import traffic

    traffic.equilibrium(*traffic.braess())
    network, trips = traffic.grid(rows, columns, zones=zones, seed=0)
    before = peak()
    began, processor = time.perf_counter(), time.process_time()
    answer = traffic.equilibrium(network, trips, tol=tol, stop=fw.Seconds(limit))
    waited, processor = time.perf_counter() - began, time.process_time() - processor
    origins = answer.demand.origins.size
    return {
        "links": network.size,
        "origins": origins,
        "iterations": answer.nit,
        "seconds": waited,
        "processor": processor,
        "an iteration": processor / max(answer.nit, 1),
        "relative gap": answer.relative_gap,
        "megabytes": peak(),
        "of its own": peak() - before,
        "bytes a link and origin": 1e6 * (peak() - before) / (network.size * origins),
    }


def peak() -> float:
    """The most megabytes that this process has had."""
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes / 1e3 if sys.platform != "darwin" else kilobytes / 1e6


def all_measured(sizes: Any, threads: int, limit: float) -> list[dict[str, Any]]:
    """One after the other, each in a new process with so many threads."""
    rows, room = [], {**os.environ, "NUMBA_NUM_THREADS": str(threads)}
    for size in sizes:
        line = [sys.executable, str(Path(__file__)), *map(str, size), str(limit)]
        found = subprocess.run(line, capture_output=True, text=True, check=True, env=room)
        rows.append(json.loads(found.stdout))
        print(f"grid {size}: {found.stdout.strip()}", flush=True)
    return rows


def drawn(rows: list[dict[str, Any]], path: Path) -> None:
    """Time of an iteration, and peak of memory, against links times origins.

    A city too small for the clock, or for what memory was taken before, has no place there.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    shown = ("an iteration", "s of processor time an iteration"), ("of its own", "MB at most")
    for axis, (key, label) in zip(axes, shown, strict=True):
        axis.set(xlabel="links x origins", ylabel=label)
        points = sorted((row["links"] * row["origins"], row[key]) for row in rows if row[key] > 0)
        if not points:
            continue
        axis.loglog(*zip(*points, strict=True), "o", color="#0072b2")
        (smallest, _), (largest, value) = points[0], points[-1]
        line = [value * smallest / largest, value]
        axis.loglog([smallest, largest], line, ":", color="0.6", label="in proportion")
        axis.legend(frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    print(json.dumps(measured(*map(int, sys.argv[1:4]), float(sys.argv[4]))))
