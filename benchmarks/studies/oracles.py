"""The top singular pair of real gradients: ours beside scipy's solvers and a power iteration.

The gradients are those that Frank-Wolfe with line search meets on MovieLens; every contestant
sees each of them, in turn, and continues from its own last vector where it can. The error is
that of the singular value, relative, against ARPACK at 1e-12.
Run with: python benchmarks/studies/oracles.py 100k [--data FOLDER]
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from common import ratings_parser, timed
from problems import movielens
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

import frankwolfe as fw
from frankwolfe.core.entries import CellMatrix
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.regions.matrices.spectral import Warm

TOLERANCE = 1e-4
Contestant = Callable[[CellMatrix, csr_array, float], float]


class Power:
    """A power iteration from the last vector, until the value changes by less than 1e-4."""

    def __init__(self, n: int) -> None:
        self.v = np.random.default_rng(0).standard_normal(n)

    def __call__(self, g: CellMatrix, G: csr_array, above: float) -> float:
        before = 0.0
        for _ in range(1000):
            u = G @ self.v
            w = G.T @ u
            value = float(np.linalg.norm(w) / max(np.linalg.norm(u), 1e-300))
            self.v = w / np.linalg.norm(w)
            if abs(value - before) <= TOLERANCE * value:
                break
            before = value
        return value


def ours(ball: fw.NuclearBall, slack: float, between: int) -> Contestant:
    """The library's oracle, warm; `slack` makes it bound its error, or not."""
    memory = Warm()

    def call(g: CellMatrix, G: csr_array, above: float) -> float:
        return -ball.inexact_lmo(g, memory, Accuracy(above, slack, 1.0, between))[1] / ball.radius

    return call


def scipy_solver(name: str) -> Contestant:
    """One of scipy's solvers, cold, as its interface has it."""

    def call(g: CellMatrix, G: csr_array, above: float) -> float:
        limit = {"maxiter": 500} if name == "propack" else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return float(svds(G, k=1, tol=TOLERANCE, solver=name, **limit)[1][0])

    return call


def main() -> None:
    """Print mean time and error of each contestant."""
    line = ratings_parser(__doc__)
    line.add_argument("--steps", type=int, default=100)
    options = line.parse_args()
    problem = movielens(options.version, options.data)
    f, ball = problem.objective, problem.region
    contestants: dict[str, Contestant] = {
        "ours, direction only": ours(ball, 0.0, 10**9),
        "ours, with a tight bound": ours(ball, np.inf, 0),
        "warm power iteration": Power(f.shape[1]),
        **{f"scipy {name}": scipy_solver(name) for name in ("arpack", "propack", "lobpcg")},
    }
    times: dict[str, list[float]] = {name: [] for name in contestants}
    errors: dict[str, list[float]] = {name: [] for name in contestants}
    method = fw.frank_wolfe(fw.steps.ExactLineSearch())
    state = method.init(problem)
    for k in range(options.steps):
        g = f.covector(state.gradient)
        G = csr_array((state.gradient, f.cells.columns, f.cells.indptr), shape=f.shape)
        exact = float(svds(G, k=1, tol=1e-12, return_singular_vectors=False)[0])
        for name, run in contestants.items():
            seconds, value = timed(run, g, G, state.above)
            if k:  # the first round compiles
                times[name].append(seconds)
                errors[name].append(abs(value / exact - 1.0))
        method.advance(state)
    print(f"MovieLens {options.version}, {options.steps} gradients of FW, R = {ball.radius:g}")
    for name, taken in times.items():
        mean, worst = 1e3 * float(np.mean(taken)), max(errors[name])
        print(f"{name:26} {mean:9.2f} ms   largest error {worst:.1e}")


if __name__ == "__main__":
    main()
