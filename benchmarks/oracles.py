"""Every oracle beside the obvious alternative, alternating in one run.

    python benchmarks/oracles.py [--family norms] [--rounds 5]

Prints for each contest and alternative the median seconds a call takes, the ratio (below 1: ours
is quicker), and the largest difference of the minima found.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import time
from statistics import median

import contests
import numpy as np
from contests import Contest, Solve

from frankwolfe.core.region_abilities import Accuracy

TIGHT = Accuracy(0.0, 0.0, 0.0, 0)


def ours(contest: Contest) -> Solve:
    """Our oracle as a run calls it: warm from call to call where it can be."""
    memory = contest.region.oracle_memory(contest.n, np.dtype(float))

    def solve(g: np.ndarray) -> float:
        return float(contest.region.inexact_lmo(g, memory, TIGHT)[1])

    return solve


def seconds(solve: Solve, costs: list[np.ndarray]) -> tuple[float, np.ndarray]:
    """A call's time, and what was found."""
    began = time.perf_counter()
    found = np.array([solve(g) for g in costs])
    return (time.perf_counter() - began) / len(costs), found


def run(contest: Contest, rounds: int) -> None:
    """A line for each alternative, the quickest first."""
    costs = contest.costs()
    solvers = {"ours": ours(contest), **contest.others}
    times: dict[str, list[float]] = {name: [] for name in solvers}
    found = {name: seconds(solve, costs[:1])[1] for name, solve in solvers.items()}  # compiled
    for _ in range(rounds):
        for name, solve in solvers.items():
            spent, found[name] = seconds(solve, costs)
            times[name].append(spent)
    own = median(times.pop("ours"))
    size = np.abs(found["ours"]).max() or 1.0
    for name in sorted(times, key=lambda name: median(times[name])):
        other, off = median(times[name]), float(np.abs(found[name] - found["ours"]).max()) / size
        print(
            f"{contest.name:42s} ours {own:9.2e} s   {name:22s} {other:9.2e} s   "
            f"ratio {own / other:6.2f}   apart {off:.0e}",
            flush=True,
        )


def main() -> None:
    """Run the contests of all families, or of one."""
    line = argparse.ArgumentParser(description=__doc__)
    line.add_argument("--family", default="")
    line.add_argument("--rounds", type=int, default=5)
    options = line.parse_args()
    for module in pkgutil.iter_modules(contests.__path__):
        if options.family in module.name:
            for contest in importlib.import_module(f"contests.{module.name}").all_contests():
                run(contest, options.rounds)


if __name__ == "__main__":
    main()
