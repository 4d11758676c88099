"""Value, gap and rank on MovieLens: Frank-Wolfe with line search beside the in-face method.

Huber loss, all ratings; the contestants take turns step by step, and each one's own time counts.
Rank: singular values above 1e-6 of the largest. Small decompositions are fastest on one thread:
OPENBLAS_NUM_THREADS=1 python benchmarks/completion_rank.py 100k [--radius 5000] [--path FOLDER]
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np

import frankwolfe as fw
from frankwolfe.datasets import movielens

CONTESTANTS = {
    "FW, line search": fw.frank_wolfe(fw.ExactLineSearch()),
    "in_face(0, 1)": fw.in_face(0.0, 1.0),
    "in_face()": fw.in_face(),
}


def main() -> None:
    """Print a row for each contestant at each number of steps."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("version", nargs="?", default="100k")
    parser.add_argument("--path")
    parser.add_argument("--radius", type=float, default=5000.0)
    parser.add_argument("--steps", type=int, nargs="+", default=[200, 500])
    options = parser.parse_args()
    ratings = movielens(options.version, options.path)
    cells = ratings.movies, ratings.users, ratings.values.astype(np.float64)
    f = fw.Completion(cells, shape=ratings.shape, delta=4.0)
    problem = fw.Problem(f, fw.NuclearBall(options.radius))
    for method in CONTESTANTS.values():  # compile first
        state = method.init(problem)
        for _ in range(5):
            method.advance(state)
    states = {name: method.init(problem) for name, method in CONTESTANTS.items()}
    seconds = dict.fromkeys(CONTESTANTS, 0.0)
    print("steps  method           value       gap  rank  norm/R  seconds")
    for k in range(1, max(options.steps) + 1):
        for name, method in CONTESTANTS.items():
            began = perf_counter()
            method.advance(states[name])
            seconds[name] += perf_counter() - began
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
