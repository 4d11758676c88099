"""What `screening` saves: columns read and time of long runs over an l1 ball, dense data.

    python benchmarks/studies/screening.py [rows columns] [--steps 100 300 1000]

Each method with and without it, alternating; the same number of steps.
"""

from __future__ import annotations

from statistics import median

from common import parser, timed
from problems import dense_lasso

import frankwolfe as fw

ROUNDS = 3


def _run(problem: fw.Problem, method: fw.FrankWolfe, steps: int) -> fw.core.State:
    for state in fw.states(problem, method):
        if state.k == steps:
            break
    return state


def main() -> None:
    """Print the table."""
    line = parser(__doc__)
    line.add_argument("rows", nargs="?", type=int, default=2000)
    line.add_argument("columns", nargs="?", type=int, default=5000)
    line.add_argument("--steps", type=int, nargs="+", default=[100, 300, 1000])
    options = line.parse_args()
    m, n = options.rows, options.columns
    print(f"{m} x {n}, least squares over an l1 ball; median of {ROUNDS}")
    for order in ("F", "C"):
        problem = dense_lasso(m, n, order)
        for method in (fw.frank_wolfe(), fw.frank_wolfe(fw.steps.ExactLineSearch()), fw.pairwise()):
            for steps in options.steps:
                pair = [method, fw.methods.screening(method)]
                runs = [[timed(_run, problem, one, steps) for one in pair] for _ in range(ROUNDS)]
                plain, thrifty = (median(row[i][0] for row in runs) for i in range(2))
                state = runs[-1][1][1]
                read = state.memory.model.columns / (n * (steps + 1))
                print(
                    f"order {order}  {method.name:24s} {steps:5d} steps  reads {read:.2f} of the "
                    f"columns, {thrifty / plain:.2f} of the time ({1e3 * plain:.0f} ms)"
                )


if __name__ == "__main__":
    main()
