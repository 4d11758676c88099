"""Time per iteration of FW and JFW on experiment (a), beside bare NumPy loops.

The contestants take turns in one process, so that a noisy machine slows all of them; the
figure is the median over the rounds, and the ratio is taken within each round. Compilation
is done before the first round and reported apart. Run with: python benchmarks/per_iteration.py
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from time import perf_counter

import numpy as np
from scipy.special import expit

import frankwolfe as fw
from frankwolfe.polynomials import omega

RADIUS = 50.0
JACOBI = (1.2, 1.2, 2 / 3)


def numpy_loop(A: np.ndarray, b: np.ndarray, steps: np.ndarray, *, look: bool) -> np.ndarray:
    """Frank-Wolfe in plain NumPy; with `look`, also value and gap at every step, as ours."""
    m, n = A.shape
    x, z = np.zeros(n), np.zeros(m)
    values, gaps = np.empty(len(steps)), np.empty(len(steps))
    for k, gamma in enumerate(steps):
        margin = -b * z
        g = A.T @ (-b * expit(margin) / m)
        s = -RADIUS / np.linalg.norm(g) * g
        if look:
            values[k] = np.logaddexp(0.0, margin).mean()
            gaps[k] = g @ x - g @ s
        x += gamma * (s - x)
        z += gamma * (A @ s - z)
    return x


def ours(method: fw.FrankWolfe, f: fw.Logistic, iterations: int) -> np.ndarray:
    """The library's loop: value, certified gap, history, stopping rule and best point."""
    fw.solve(fw.Problem(f, fw.L2Ball(RADIUS)), method, fw.Iterations(iterations))
    return np.empty(0)


def proxy(A: np.ndarray, iterations: int) -> np.ndarray:
    """One product with A and one with its transpose."""
    x, r = np.ones(A.shape[1]), np.ones(A.shape[0])
    for _ in range(iterations):
        _ = A @ x
        _ = A.T @ r
    return x


def main() -> None:
    """Run the rounds and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=25)
    options = parser.parse_args()
    count = options.iterations
    A, b = fw.datasets.breast_cancer().paper()
    began = perf_counter()
    f = fw.Logistic(A, b)
    ours(fw.frank_wolfe(), f, 2)
    ours(fw.jacobi(*JACOBI), f, 2)
    print(
        f"first run of both methods, compilation or cache included: {perf_counter() - began:.2f} s"
    )

    k = np.arange(count)
    plain = 2.0 / (k + 2)
    damped = plain * np.array([omega(int(j), *JACOBI) for j in k])
    contestants: dict[str, Callable[[], np.ndarray]] = {
        "FW, NumPy, same arithmetic": lambda: numpy_loop(A, b, plain, look=True),
        "FW, ours": lambda: ours(fw.frank_wolfe(), f, count),
        "JFW, NumPy, same arithmetic": lambda: numpy_loop(A, b, damped, look=True),
        "JFW, ours": lambda: ours(fw.jacobi(*JACOBI), f, count),
        "FW, NumPy, no value and no gap": lambda: numpy_loop(A, b, plain, look=False),
        "A @ x and A.T @ r alone": lambda: proxy(A, count),
    }
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(options.rounds):
        for name, run in contestants.items():
            began = perf_counter()
            run()
            times[name].append((perf_counter() - began) / count * 1e6)

    print(
        f"experiment (a), {A.shape[0]} x {A.shape[1]}, {count} iterations, {options.rounds} rounds"
    )
    print(f"{'':32}  µs/iteration   quartiles")
    for name, taken in times.items():
        low, middle, high = statistics.quantiles(taken, n=4)
        print(f"{name:32}  {middle:12.2f}   {low:.2f} .. {high:.2f}")
    for method in ("FW", "JFW"):
        pairs = zip(
            times[f"{method}, ours"], times[f"{method}, NumPy, same arithmetic"], strict=True
        )
        ratio = statistics.median(a / b for a, b in pairs)
        print(f"{method}: ours takes {ratio:.2f} of the NumPy loop's time")


if __name__ == "__main__":
    main()
