"""Passes over the data and seconds to a relative error, for methods that draw rows.

Logistic regression over an l1 ball: a generated set of rows, and a9a where FRANKWOLFE_DATA
names a folder with it. A pass is one gradient of every row: for Frank-Wolfe, which carries Ax,
half of the products that it costs from scratch. The relative error is (f - f*) / (f(0) - f*)
with the best certified lower bound for f*. Run with: python benchmarks/many_rows.py
"""

from __future__ import annotations

import argparse
import lzma
import os
from pathlib import Path
from typing import Any

import numpy as np

import frankwolfe as fw
from frankwolfe.methods.parts.schedules import Doubling, Restarted

LEVELS = (1e-2, 1e-3, 1e-4)
METHODS = {
    "frank_wolfe": fw.frank_wolfe(),
    "afw": fw.afw(),
    "pairwise": fw.pairwise(),
    "stochastic": fw.stochastic(),
    "svrf": fw.svrf(),
    "svrf, the paper's schedule": fw.svrf(Restarted()),
    "spider_fw": fw.spider_fw(),
    "spider_fw, the paper's schedule": fw.spider_fw(Doubling()),
}


def generated(rows: int) -> tuple[Any, Any]:
    """Rows with columns of decreasing size, and labels of a sparse logistic model."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((rows, 50)) * np.exp(-np.arange(50) / 20)
    x = rng.standard_normal(50) * (rng.random(50) < 0.3)
    return A, np.where(rng.random(rows) < 1 / (1 + np.exp(-A @ x)), 1.0, -1.0)


def a9a(folder: Path) -> tuple[Any, Any]:
    """The data set a9a, 32,561 x 123, sparse."""
    from sklearn.datasets import load_svmlight_file

    with lzma.open(folder / "a9a.xz") as file:
        A, b = load_svmlight_file(file, n_features=123)
    return A, b


class Marks(fw.Callback):
    """Value, passes and seconds at every look."""

    def __init__(self) -> None:
        self.rows: list[tuple[float, int, float]] = []

    def on_step(self, run: Any) -> None:
        state = run.state
        self.rows.append((state.value, state.gradient_calls, state.seconds))


def compare(title: str, A: Any, b: Any, radius: float, seconds: float) -> None:
    """Print a row for each method."""
    f, ball = fw.Logistic(A, b), fw.L1Ball(radius)
    stop = fw.Gap(1e-7) | fw.Seconds(10 * seconds)
    best = fw.minimize(f, ball, method="pairwise", stop=stop)
    start = f(np.zeros(f.n))
    print(f"{title}: f* = {best.lower_bound:.8f} (+ {best.gap:.1e})")
    for name, method in METHODS.items():
        fw.minimize(f, ball, method=method, max_iter=1)  # compile
        marks = Marks()
        target = fw.Target(best.lower_bound + LEVELS[-1] * (start - best.lower_bound))
        fw.minimize(f, ball, method=method, stop=target | fw.Seconds(seconds), callback=marks)
        cells = []
        for level in LEVELS:
            bar = best.lower_bound + level * (start - best.lower_bound)
            found = next((row for row in marks.rows if row[0] <= bar), None)
            cells.append("-" if found is None else f"{found[1]} ({found[2]:.2f} s)")
        print(f"  {name:32s}" + "".join(f"{cell:>18s}" for cell in cells), flush=True)


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each method")
    options = parser.parse_args()
    compare(f"generated, {options.rows} x 50", *generated(options.rows), 4.0, options.seconds)
    folder = Path(os.environ.get("FRANKWOLFE_DATA", ""))
    if (folder / "a9a.xz").is_file():
        compare("a9a", *a9a(folder), 20.0, options.seconds)


if __name__ == "__main__":
    main()
