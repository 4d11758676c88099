"""Iterations to 1e-6 of the linearly convergent methods, beside FrankWolfe.jl's.

Suboptimality is relative, (f - f*) / (f(x0) - f*), from the vertex that minimizes <grad f(0), s>;
f* is what the default method certifies. The last column is FrankWolfe.jl 0.6.4's own count for
away-step / pairwise / blended pairwise (exact secant or short steps), measured by others on
the same problems and starts. Run with: python benchmarks/studies/iterations.py [--data FOLDER]
"""

from __future__ import annotations

import numpy as np
from common import header, parser, row, steps
from problems import ours, present

import frankwolfe as fw

JULIA = {
    "lasso 2000x5000": "167 / 118 / 169",
    "simplex 2000x2000": "371 / 258 / 382",
    "onto simplex n=1e6": "538 / 434 / -",
    "onto k-sparse n=1e5": "- / 807 / 2128",
    "onto birkhoff 200": "486 (lazy) / - / 482 (lazy)",
    "duke logistic l1": "- / 457 / -",
    "a9a logistic l1": "- / 839 / -",
}
METHODS = (
    *("away_step", "pairwise", "blended_pairwise", "lazy(blended_pairwise)"),
    *("blended_conditional_gradients", "decomposition_invariant"),
    *("fully_corrective", "working_set", "second_order"),
)


def iterations(problem: fw.Problem, name: str, x0: np.ndarray, best: float, start: float) -> str:
    """How many, or a dash."""
    method = fw.methods.METHODS[name.removeprefix("lazy(").removesuffix(")")]()
    if name.startswith("lazy("):
        method = fw.methods.lazy(method)
    if method.accepts(problem) is not None:
        return "-"
    stop = fw.stopping.Target(best + 1e-6 * (start - best)) | fw.Seconds(30.0)
    return steps(fw.solve(problem, method, stop, x0=x0))


def main() -> None:
    """Print a line a problem."""
    line = parser(__doc__, "duke.xz, a9a.xz")
    line.add_argument("--only", default="", help="a word in a problem's name")
    line.add_argument("--methods", nargs="+", default=METHODS)
    options = line.parse_args()
    header("problem", *options.methods, "FrankWolfe.jl")
    for name in (name for name in present(options.data) if name in JULIA and options.only in name):
        problem = ours(name, options.data)
        g = problem.objective.grad(np.zeros(problem.n))
        x0 = problem.region.lmo(g).dense(problem.n)
        stop = fw.Gap(1e-9 * abs(problem.objective(x0))) | fw.Seconds(60.0)
        best = fw.minimize(problem.objective, problem.region, stop=stop).fun
        start = problem.objective(x0)
        counts = [iterations(problem, method, x0, best, start) for method in options.methods]
        row(name, *counts, JULIA[name])


if __name__ == "__main__":
    main()
