"""Time per iteration of FW and JFW on P1, P1b and P2, beside bare NumPy loops and the proxy.

The contestants take turns in one process, so that a noisy machine slows all of them; the
figure is the median over the rounds, and ratios are taken within each round. Compilation
is done before the first round and reported apart. The proxy is one A @ x and one A.T @ r.
Run with: python benchmarks/studies/per_iteration.py, which is also part of `make bench`.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path

import numpy as np
from common import by_turns, parser, timed
from problems import as_ours, load
from suite.facts import keep_to_one_thread, pin
from suite.problem import Problem
from suite.store import FOLDER, Row, save

import frankwolfe as fw
from frankwolfe.methods.polynomials import omega
from frankwolfe.solver import fast_path

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
    ours = as_ours(problem)

    def solve(method: fw.FrankWolfe, most: int = count) -> None:
        fw.solve(ours, method, fw.Iterations(most))

    def plain_path(method: fw.FrankWolfe) -> None:
        before, fast_path.PLAIN_STEPS = fast_path.PLAIN_STEPS, NEVER
        solve(method)
        fast_path.PLAIN_STEPS = before

    first = sum(timed(solve, method, fast_path.PLAIN_STEPS + 2)[0] for method in methods.values())
    contestants: dict[str, Callable[[], None]] = {
        "FW": lambda: solve(methods["FW"]),
        "JFW": lambda: solve(methods["JFW"]),
        "FW, without the fast path": lambda: plain_path(methods["FW"]),
        "JFW, without the fast path": lambda: plain_path(methods["JFW"]),
        f"FW, {LOOP}": lambda: numpy_loop(problem, plain, look=True),
        f"JFW, {LOOP}": lambda: numpy_loop(problem, damped, look=True),
        f"FW, {BARE}": lambda: numpy_loop(problem, plain, look=False),
        PROXY: lambda: products(problem.A, count),
    }
    whole = by_turns(contestants, rounds)
    times = {key: [seconds / count for seconds in taken] for key, taken in whole.items()}
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
    line = parser(__doc__)
    line.add_argument("--iterations", type=int, default=1000)
    line.add_argument("--rounds", type=int, default=25)
    line.add_argument("--free", action="store_true", help="do not stay on one core")
    line.add_argument("--out", type=Path, default=FOLDER)
    options = line.parse_args()
    keep_to_one_thread()
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
