"""Value, gap and rank on MovieLens: Frank-Wolfe with line search beside the in-face method.

Huber loss, all ratings; the contestants take turns step by step, and each one's own time counts.
Rank: singular values above 1e-6 of the largest. Small decompositions are fastest on one thread:
OPENBLAS_NUM_THREADS=1 python benchmarks/studies/completion_rank.py 100k [--radius 5000]
[--data FOLDER]
"""

from __future__ import annotations

from common import ratings_parser, timed
from problems import movielens

import frankwolfe as fw

CONTESTANTS = {
    "FW, line search": fw.frank_wolfe(fw.steps.ExactLineSearch()),
    "in_face(0, 1)": fw.methods.in_face(0.0, 1.0),
    "in_face()": fw.methods.in_face(),
}


def main() -> None:
    """Print a row for each contestant at each number of steps."""
    line = ratings_parser(__doc__)
    line.add_argument("--radius", type=float, default=5000.0)
    line.add_argument("--steps", type=int, nargs="+", default=[200, 500])
    options = line.parse_args()
    problem = movielens(options.version, options.data, options.radius)
    for method in CONTESTANTS.values():  # compile first
        state = method.init(problem)
        for _ in range(5):
            method.advance(state)
    states = {name: method.init(problem) for name, method in CONTESTANTS.items()}
    seconds = dict.fromkeys(CONTESTANTS, 0.0)
    print("steps  method           value       gap  rank  norm/R  seconds")
    for k in range(1, max(options.steps) + 1):
        for name, method in CONTESTANTS.items():
            seconds[name] += timed(method.advance, states[name])[0]
        for name, state in states.items() if k in options.steps else ():
            s = state.x.singular_values()
            rank = int((s > 1e-6 * s[0]).sum())
            print(
                f"{k:5}  {name:15} {state.value:8.0f} {state.gap:9.0f} {rank:5} "
                f"{s.sum() / options.radius:7.3f} {seconds[name]:8.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
