"""Time to 1e-6 of every method on every problem of the registry, and of the default.

Suboptimality is relative, (f - f*) / (f(x0) - f*) with x0 the region's start; f* is the lowest
value any method found, and a certified gap says how sure that is. Each pair runs twice, the
second time counts (compilation apart); the default and the three fastest others then run four
times more, alternating, and their median counts. A method is given up after three times the
default's time, and 0.3 s at least.

Run with: python benchmarks/studies/methods.py [--data FOLDER] [--only WORD] [--sets]
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from common import header, parser, row
from problems import ours, present
from problems_of_sets import PROBLEMS

import frankwolfe as fw
from frankwolfe.methods.chain import Chain
from frankwolfe.methods.default import best_for

TARGET = 1e-6
NEAR, ROUNDS = 3, 4


def run(problem: fw.Problem, method: fw.methods.Method, seconds: float) -> fw.Result:
    """One run, until the gap is far below the target or time is up."""
    start = problem.objective(problem.start())
    stop = fw.Gap(1e-9 * max(abs(start), 1e-300)) | fw.Seconds(seconds) | fw.stopping.Stalled(300)
    return fw.solve(problem, method, stop)


def reached(result: fw.Result, best: float, start: float) -> float:
    """Seconds until the value was within the target; infinity where it never was."""
    values, seconds = result.history["value"], result.history["seconds"]
    done = np.flatnonzero(values - best <= TARGET * max(start - best, 1e-300))
    return float(seconds[done[0]]) if done.size else float("inf")


def compare(problem: fw.Problem, names: list[str], longest: float) -> dict:
    """Seconds of the default and of every other method; medians for those that count."""
    default = best_for(problem)
    own = default.stages[0].method if isinstance(default, Chain) else default
    run(problem, default, min(longest, 2.0))
    first = run(problem, default, longest)
    runs = {"default": [first]}
    methods = {"default": default}
    budget = min(max(3.0 * first.seconds, 0.3), longest)
    for name in names:
        method = fw.methods.METHODS[name]()
        if method != own and method.accepts(problem) is None:
            methods[name] = method
            run(problem, method, min(budget, 0.5))
            runs[name] = [run(problem, method, budget)]
    best, start = _best(runs), problem.objective(problem.start())
    times = {name: reached(found[0], best, start) for name, found in runs.items()}
    near = [name for name in sorted(times, key=times.__getitem__) if name != "default"][:NEAR]
    for _ in range(ROUNDS):  # alternating
        for name in ("default", *near):
            runs[name].append(run(problem, methods[name], budget))
    best = _best(runs)
    sure = max(result.lower_bound for found in runs.values() for result in found)
    for name in ("default", *near):
        times[name] = float(np.median([reached(one, best, start) for one in runs[name]]))
    gap = (best - sure) / max(start - best, 1e-300)
    return {"method": default.name, "times": times, "near": near, "gap of f*": gap}


def _best(runs: dict[str, list[fw.Result]]) -> float:
    return min(result.fun for found in runs.values() for result in found)


def main() -> None:
    """Print a line a problem, and a summary; save everything."""
    line = parser(__doc__, "duke.xz, a9a.xz, w8a.xz")
    line.add_argument("--only", default="")
    line.add_argument("--methods", nargs="+", default=list(fw.methods.METHODS))
    line.add_argument("--longest", type=float, default=5.0)
    line.add_argument("--json", type=Path)
    line.add_argument("--sets", action="store_true", help="over the sets of the gallery")
    options = line.parse_args()
    results, ratios = {}, []
    header("problem", "default", "ms", "fastest other", "ms", "ratio", "gap of f*")
    for name in PROBLEMS if options.sets else present(options.data):
        if options.only not in name:
            continue
        problem = PROBLEMS[name]() if options.sets else ours(name, options.data)
        found = results[name] = compare(problem, options.methods, options.longest)
        times = found["times"]
        fastest = min(found["near"], key=times.__getitem__)
        ratio = times["default"] / min(times[fastest], times["default"])
        ratios.append(ratio)
        mine, other = (f"{1e3 * times[key]:.3g}" for key in ("default", fastest))
        gap = f"{found['gap of f*']:.0e}"
        row(name, found["method"], mine, fastest, other, f"{ratio:.2f}", gap)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))
    within = np.mean(np.array(ratios) <= 1.3)
    print(
        f"\n{len(ratios)} problems: within 1.3 times the fastest on {within:.0%}, "
        f"at most {max(ratios):.2f} times."
    )


if __name__ == "__main__":
    main()
