"""Passes over the data and seconds to a relative error, for methods that draw rows.

Logistic regression over an l1 ball: a generated set of rows, and a9a where the folder has it.
A pass is one gradient of every row: for Frank-Wolfe, which carries Ax, half of the products that
it costs from scratch. The relative error is (f - f*) / (f(0) - f*) with the best certified lower
bound for f*. Run with:
python benchmarks/studies/many_rows.py [--data FOLDER] [--rows 500000] [--seconds 10]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import parser
from problems import many_rows, missing, ours

import frankwolfe as fw
from frankwolfe.methods.parts.schedules import Doubling, Restarted

LEVELS = (1e-2, 1e-3, 1e-4)
METHODS = {
    "frank_wolfe": fw.frank_wolfe(),
    "afw": fw.afw(),
    "pairwise": fw.pairwise(),
    "stochastic": fw.methods.stochastic(),
    "svrf": fw.methods.svrf(),
    "svrf, the paper's schedule": fw.methods.svrf(Restarted()),
    "spider_fw": fw.methods.spider_fw(),
    "spider_fw, the paper's schedule": fw.methods.spider_fw(Doubling()),
}


class Marks(fw.callbacks.Callback):
    """Value, passes and seconds at every look."""

    def __init__(self) -> None:
        self.rows: list[tuple[float, int, float]] = []

    def on_step(self, run: Any) -> None:
        state = run.state
        self.rows.append((state.value, state.gradient_calls, state.seconds))


def compare(title: str, problem: fw.Problem, seconds: float) -> None:
    """Print a row for each method."""
    f, ball = problem.objective, problem.region
    stop = fw.Gap(1e-7) | fw.Seconds(10 * seconds)
    best = fw.minimize(f, ball, method="pairwise", stop=stop)
    start = f(np.zeros(f.n))
    print(f"{title}: f* = {best.lower_bound:.8f} (+ {best.gap:.1e})")
    for name, method in METHODS.items():
        fw.minimize(f, ball, method=method, max_iter=1)  # compile
        marks = Marks()
        target = fw.stopping.Target(best.lower_bound + LEVELS[-1] * (start - best.lower_bound))
        fw.minimize(f, ball, method=method, stop=target | fw.Seconds(seconds), callback=marks)
        cells = []
        for level in LEVELS:
            bar = best.lower_bound + level * (start - best.lower_bound)
            found = next((row for row in marks.rows if row[0] <= bar), None)
            cells.append("-" if found is None else f"{found[1]} ({found[2]:.2f} s)")
        print(f"  {name:32s}" + "".join(f"{cell:>18s}" for cell in cells), flush=True)


def main() -> None:
    """Run the comparison."""
    line = parser(__doc__, "a9a.xz")
    line.add_argument("--rows", type=int, default=500_000)
    line.add_argument("--seconds", type=float, default=10.0, help="for each method")
    options = line.parse_args()
    compare(f"generated, {options.rows} x 50", many_rows(options.rows), options.seconds)
    if missing("P6", options.data) is None:
        compare("a9a", ours("P6", options.data), options.seconds)


if __name__ == "__main__":
    main()
