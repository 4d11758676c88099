"""What `sparing` saves: columns read and time of long runs over an l1 ball, dense data.

    python benchmarks/sparing.py [rows columns]

Each method with and without it, alternating; the same number of steps.
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np

import frankwolfe as fw

STEPS = (100, 300, 1000)
ROUNDS = 3


def _problem(m: int, n: int, order: str) -> fw.Problem:
    rng = np.random.default_rng(0)
    A = np.asarray(rng.standard_normal((m, n)), order=order)
    truth = np.zeros(n)
    truth[: n // 100] = rng.standard_normal(n // 100)
    target = A @ truth + 0.5 * rng.standard_normal(m)
    return fw.Problem(fw.SquaredError(A, target), fw.L1Ball(0.7 * float(np.abs(truth).sum())))


def _seconds(problem: fw.Problem, method: fw.FrankWolfe, steps: int) -> tuple[float, fw.State]:
    began = perf_counter()
    for state in fw.states(problem, method):
        if state.k == steps:
            break
    return perf_counter() - began, state


def main() -> None:
    """Print the table."""
    m, n = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (2000, 5000)
    print(f"{m} x {n}, least squares over an l1 ball; median of {ROUNDS}")
    for order in ("F", "C"):
        problem = _problem(m, n, order)
        for method in (fw.frank_wolfe(), fw.frank_wolfe(fw.ExactLineSearch()), fw.pairwise()):
            for steps in STEPS:
                pair = [method, fw.sparing(method)]
                runs = [[_seconds(problem, one, steps) for one in pair] for _ in range(ROUNDS)]
                plain, thrifty = np.median([[run[0] for run in row] for row in runs], axis=0)
                state = runs[-1][1][1]
                read = state.memory.model.columns / (n * (steps + 1))
                print(
                    f"order {order}  {method.name:24s} {steps:5d} steps  reads {read:.2f} of the "
                    f"columns, {thrifty / plain:.2f} of the time ({1e3 * plain:.0f} ms)"
                )


if __name__ == "__main__":
    main()
