"""Iterations to 1e-3 of FW, JFW with the paper's parameters, and jacobi("auto").

Suboptimality is relative, (f - f*) / (f(x0) - f*), f* from the default method. Run with:
python benchmarks/jacobi_auto.py [--data FOLDER] [--seconds 2]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import common  # noqa: F401
from registry import problems

import frankwolfe as fw
from frankwolfe.methods.default import best_for

METHODS = {"FW": fw.frank_wolfe(), "JFW": fw.jacobi(), "auto": fw.jacobi("auto")}


def main() -> None:
    """Print a line a problem; > where time was up."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    print("| problem |", " | ".join(METHODS), "|")
    print("|---" * (len(METHODS) + 1) + "|")
    for name, make in problems(options.data).items():
        problem = make()
        start = problem.objective(problem.start())
        sure = fw.Gap(1e-6 * abs(start)) | fw.Seconds(2.0) | fw.Stalled(300)
        best = fw.solve(problem, best_for(problem), sure).fun
        stop = fw.Target(best + 1e-3 * (start - best)) | fw.Seconds(options.seconds)
        counts = []
        for method in METHODS.values():
            result = fw.solve(problem, method, stop)
            counts.append(str(result.nit) if result.success else f"> {result.nit}")
        print(f"| {name} |", " | ".join(counts), "|", flush=True)


if __name__ == "__main__":
    main()
