"""Iterations to 1e-6 of the linearly convergent methods, beside FrankWolfe.jl's.

Suboptimality is relative, (f - f*) / (f(x0) - f*), from the vertex that minimizes <grad f(0), s>;
f* is what the default method certifies. The last column is FrankWolfe.jl 0.6.4's own count for
away-step / pairwise / blended pairwise (exact secant or short steps), measured by others on
the same problems and starts. Run with: python benchmarks/iterations.py [--data FOLDER]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import common  # noqa: F401
import numpy as np
from registry import problems

import frankwolfe as fw
from frankwolfe.methods.default import best_for

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
    *("away_step", "pairwise", "blended_pairwise", "lazy_blended_pairwise"),
    *("blended_conditional_gradients", "decomposition_invariant"),
    *("fully_corrective", "working_set", "second_order"),
)


def iterations(problem: fw.Problem, name: str, x0: np.ndarray, best: float, start: float) -> str:
    """How many, or a dash."""
    method = fw.METHODS[name]()
    if method.accepts(problem) is not None:
        return "-"
    stop = fw.Target(best + 1e-6 * (start - best)) | fw.Seconds(30.0)
    result = fw.solve(problem, method, stop, x0=x0)
    return str(result.nit) if result.success else f"> {result.nit}"


def main() -> None:
    """Print a line a problem."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    print("| problem |", " | ".join(METHODS), "| FrankWolfe.jl |")
    print("|---" * (len(METHODS) + 2) + "|")
    for name, make in problems(options.data).items():
        if name not in JULIA:
            continue
        problem = make()
        g = problem.objective.grad(np.zeros(problem.n))
        x0 = problem.region.lmo(g).dense(problem.n)
        stop = fw.Gap(1e-9 * abs(problem.objective(x0))) | fw.Seconds(60.0)
        best = fw.solve(problem, best_for(problem), stop).fun
        start = problem.objective(x0)
        counts = [iterations(problem, method, x0, best, start) for method in METHODS]
        print(f"| {name} |", " | ".join(counts), f"| {JULIA[name]} |", flush=True)


if __name__ == "__main__":
    main()
