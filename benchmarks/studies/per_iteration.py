"""Time per iteration of FW and JFW on P1, P1b and P2, beside bare NumPy loops and the proxy.

The contestants take turns in one process, so that a noisy machine slows all of them; the
figure is the median over the rounds, and ratios are taken within each round. Compilation
is done before the first round and reported apart. The proxy is one A @ x and one A.T @ r.
Run with: python benchmarks/per_iteration.py, which is also part of `make bench`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import common  # noqa: F401
from suite.facts import THREADS, one_thread, pin

if __name__ == "__main__" and one_thread():  # before NumPy is loaded
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **THREADS})

import numpy as np
from peers.ours import objective, region
from problems import Problem, load
from suite.store import FOLDER, Row, save

import frankwolfe as fw
from frankwolfe.numerics.polynomials import omega
from frankwolfe.solver import fast_path as lane

JACOBI = {"P1": (1.2, 1.2, 2 / 3), "P1b": (1.2, 1.2, 2 / 3), "P2": (1450.0, 1450.0, 0.65)}
NEVER = 10**9
LOOP, BARE, PROXY = "NumPy, same arithmetic", "NumPy, no value and no gap", "A @ x and A.T @ r"


def numpy_loop(problem: Problem, steps: np.ndarray, *, look: bool) -> None:
    """Frank-Wolfe in plain NumPy; with `look`, also value and gap at every step, as ours."""
    A, radius = problem.A, problem.region.radius
    m, n = A.shape
    x, z = np.zeros(n), np.zeros(m)
    values, gaps = np.empty(len(steps)), np.empty(len(steps))
    slope = problem.loss.both if look else lambda z: (0.0, problem.loss.slope(z))
    for k, gamma in enumerate(steps):
        values[k], r = slope(z)
        g = A.T @ r
        s = -radius / np.linalg.norm(g) * g
        if look:
            gaps[k] = g @ x - g @ s
        x += gamma * (s - x)
        z += gamma * (A @ s - z)


def products(A: np.ndarray, iterations: int) -> None:
    """One product with A and one with its transpose."""
    x, r = np.ones(A.shape[1]), np.ones(A.shape[0])
    for _ in range(iterations):
        _ = A @ x
        _ = A.T @ r


def measure(name: str, count: int, rounds: int) -> list[Row]:
    """The rows of one problem."""
    problem = load(name)
    methods = {"FW": fw.frank_wolfe(), "JFW": fw.jacobi(*JACOBI[name])}
    plain = 2.0 / (np.arange(count) + 2)
    damped = plain * np.array([omega(k, *JACOBI[name]) for k in range(count)])
    ours = fw.Problem(objective(problem), region(problem))

    def solve(method: fw.FrankWolfe, most: int = count) -> None:
        fw.solve(ours, method, fw.Iterations(most))

    def plain_path(method: fw.FrankWolfe) -> None:
        before, lane.FIRST = lane.FIRST, NEVER
        solve(method)
        lane.FIRST = before

    began = perf_counter()
    for method in methods.values():
        solve(method, lane.FIRST + 2)
    first = perf_counter() - began
    contestants: dict[str, Callable[[], None]] = {
        "FW": lambda: solve(methods["FW"]),
        "JFW": lambda: solve(methods["JFW"]),
        "FW, without the lane": lambda: plain_path(methods["FW"]),
        "JFW, without the lane": lambda: plain_path(methods["JFW"]),
        f"FW, {LOOP}": lambda: numpy_loop(problem, plain, look=True),
        f"JFW, {LOOP}": lambda: numpy_loop(problem, damped, look=True),
        f"FW, {BARE}": lambda: numpy_loop(problem, plain, look=False),
        PROXY: lambda: products(problem.A, count),
    }
    times: dict[str, list[float]] = {key: [] for key in contestants}
    for _ in range(rounds):
        for key, run in contestants.items():
            began = perf_counter()
            run()
            times[key].append((perf_counter() - began) / count)
    return [
        {
            "problem": name,
            "what": key,
            "seconds": statistics.median(taken),
            "quartiles": statistics.quantiles(taken, n=4),
            "proxies": statistics.median(a / b for a, b in zip(taken, times[PROXY], strict=True)),
            "iterations": count,
            "first call": first,
        }
        for key, taken in times.items()
    ]


def main() -> None:
    """Run the rounds, save the rows and print them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--free", action="store_true", help="do not stay on one core")
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args()
    if not options.free:
        pin()
    rows = [row for name in JACOBI for row in measure(name, options.iterations, options.rounds)]
    save("per_iteration", rows, options.out)
    print(f"{options.iterations} iterations, {options.rounds} rounds, µs per iteration")
    for row in rows:
        low, middle, high = (1e6 * value for value in row["quartiles"])
        print(
            f"{row['problem']:4} {row['what']:32} {middle:9.2f}  ({low:.2f} .. {high:.2f})"
            f"  {row['proxies']:6.2f} proxies"
        )


if __name__ == "__main__":
    main()
