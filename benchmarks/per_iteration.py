"""Time per iteration of FW and JFW on the paper's problems, on both paths, beside NumPy.

The contestants take turns in one process, so that a noisy machine slows all of them; the
figure is the median over the rounds, and the ratio is taken within each round. The proxy is
one product with A and one with its transpose by NumPy. Compilation is done before the first
round and reported apart. Run with: OPENBLAS_NUM_THREADS=1 python benchmarks/per_iteration.py
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from functools import partial
from time import perf_counter

import numpy as np
from scipy.special import expit

import frankwolfe as fw
from frankwolfe import lane

RADIUS = 50.0
JACOBI = (1.2, 1.2, 2 / 3)
NEVER = 10**9
PROXY = "A @ x and A.T @ r alone"


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


def ours(method: fw.FrankWolfe, problem: fw.Problem, iterations: int, first: int) -> np.ndarray:
    """The library's loop: value, certified gap, history, stopping rule and best point.

    The compiled lane takes over after `first` steps.
    """
    before, lane.FIRST = lane.FIRST, first
    fw.solve(problem, method, fw.Iterations(iterations))
    lane.FIRST = before
    return np.empty(0)


def proxy(A: np.ndarray, iterations: int) -> np.ndarray:
    """One product with A and one with its transpose."""
    x, r = np.ones(A.shape[1]), np.ones(A.shape[0])
    for _ in range(iterations):
        _ = A @ x
        _ = A.T @ r
    return x


def rounds(contestants: dict[str, Callable[[], np.ndarray]], count: int) -> dict[str, list[float]]:
    """Seconds of each contestant in each round; they take turns."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(count):
        for name, run in contestants.items():
            began = perf_counter()
            run()
            times[name].append(perf_counter() - began)
    return times


def table(title: str, times: dict[str, list[float]], iterations: int) -> None:
    """Print times per iteration, and their ratio to the proxy's: of medians, and of minima."""
    print(f"\n{title}, {iterations} iterations")
    print(f"{'':32}  µs/iteration   quartiles         of the proxy  (minima)")
    base = times[PROXY]
    for name, taken in times.items():
        low, middle, high = (1e6 * q / iterations for q in statistics.quantiles(taken, n=4))
        ratio = statistics.median(a / b for a, b in zip(taken, base, strict=True))
        least = min(taken) / min(base)
        print(f"{name:32}  {middle:12.2f}   {low:6.2f} .. {high:6.2f}  {ratio:12.2f}  {least:8.2f}")


def main() -> None:
    """Run the rounds and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    count = options.iterations
    A, b = fw.datasets.breast_cancer().paper()
    logistic, huber = fw.Logistic(A, b), fw.Huber(*fw.datasets.pima().paper(), delta=0.5)
    problems = {
        "logistic loss, 698 x 9, l2 ball of radius 50": fw.Problem(logistic, fw.L2Ball(RADIUS)),
        "logistic loss, 698 x 9, l2 ball of radius 1": fw.Problem(logistic, fw.L2Ball(1.0)),
        "Huber loss, 767 x 8, l2 ball of radius 35": fw.Problem(huber, fw.L2Ball(35.0)),
    }
    methods = {"FW": fw.frank_wolfe(), "JFW": fw.jacobi(*JACOBI)}
    for first, words in ((NEVER, "plain path"), (0, "lane")):
        began = perf_counter()
        ours(methods["FW"], problems["logistic loss, 698 x 9, l2 ball of radius 50"], 2, first)
        print(f"first run, {words}, compilation or cache included: {perf_counter() - began:.2f} s")

    k = np.arange(count)
    plain = 2.0 / (k + 2)
    numpy_loops: dict[str, Callable[[], np.ndarray]] = {
        "FW, NumPy, same arithmetic": lambda: numpy_loop(A, b, plain, look=True),
        "FW, NumPy, no value and no gap": lambda: numpy_loop(A, b, plain, look=False),
    }
    for title, problem in problems.items():
        matrix = problem.objective.linear.matrix
        contestants: dict[str, Callable[[], np.ndarray]] = {PROXY: partial(proxy, matrix, count)}
        for name, method in methods.items():
            contestants[f"{name}, lane"] = partial(ours, method, problem, count, lane.FIRST)
            contestants[f"{name}, plain path"] = partial(ours, method, problem, count, NEVER)
        if title.endswith("50"):
            contestants |= numpy_loops
        table(title, rounds(contestants, options.rounds), count)


if __name__ == "__main__":
    main()
