"""What a call allocates, and what it takes where the C library gives memory back after each array.

    python benchmarks/studies/allocations.py [problems] [regions] [peers] [--data FOLDER]
        [--only WORD] [--rounds 20]

Every call runs in three processes that take turns: memory is kept (the C library's thresholds are
high), is treated as the library sees fit, or is given back: then every array of 64 KB or more is
new memory, which costs a fault for each page that is touched.

- problems: `minimize` on P1 to P10, from arrays, with the default method and tolerance; P7 for
  two iterations.
- regions: the squared distance to a random point over the regions of the registry.
- peers: P8 to P10 to a relative suboptimality of 1e-6, ours beside those that project.

"peak" is the largest sum of what a call holds at once, beyond what it was given, by tracemalloc;
"touched" the memory that is new to it where all is given back, by page faults. Both are in arrays
of the size of x. Times are medians in milliseconds, of the second of two calls in a turn. The
variables are those of glibc; elsewhere the three are the same.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from common import header, parser, row, timed
from suite.facts import THREADS, pin

SYSTEM: dict[str, str] = {}
KEPT = {"MALLOC_TRIM_THRESHOLD_": str(2**33), "MALLOC_MMAP_THRESHOLD_": str(2**25)}
GIVEN_BACK = {"MALLOC_TRIM_THRESHOLD_": "0", "MALLOC_MMAP_THRESHOLD_": str(2**16)}
ALLOCATORS = {"kept": KEPT, "as it comes": SYSTEM, "given back": GIVEN_BACK}
PROJECTIONS = ("P8", "P9", "P10")
N, LESS = 50_000, 2000
SMALLER = {  # regions of which an example with N variables takes long, or is no longer small
    *("ellipsoid", "lp_ball", "latent_group_ball", "unit_flow", "min_cost_flow", "spanning_trees"),
    *("bipartite_matching", "cuts", "submodular_base", "convex_hull", "polytope"),
    *("integer_polytope",),
}
LEFT_OUT = {
    "matching",
    "matroid",
    "oracle_region",
    "cvxpy_set",
}  # seconds for a call, or no example
STEPS = 20
PEERS = ["POT", "jaxopt projection"]  # those that project
ACCURACY = 1e-6
Call = Callable[[], Any]


# What a process does


def serve() -> None:
    """Answer what is asked, line by line: get a call ready, or make it."""
    calls: dict[str, Call] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        name = json.dumps(asked["call"])
        if name not in calls:
            calls.clear()  # one problem at a time is held
            made = MAKERS[asked["call"][0]](*asked["call"][1:])
            if made is None:
                print("null", flush=True)
                continue
            calls[name], size = made
            answer = _measured(calls[name], size)
        else:
            calls[name]()  # others have had the caches
            answer = {"seconds": timed(calls[name])[0]}
        print(json.dumps(answer), flush=True)


def _measured(call: Call, size: int) -> dict[str, float]:
    """The peak of a warm call, and the memory that it touches, in arrays of so many doubles."""
    call()
    call()
    gc.collect()
    before = _faults()
    call()
    touched = (_faults() - before) * os.sysconf("SC_PAGE_SIZE") if before is not None else 0
    tracemalloc.start()
    base = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    call()
    peak = tracemalloc.get_traced_memory()[1] - base
    tracemalloc.stop()
    return {"n": size, "peak": peak / (8 * size), "touched": touched / (8 * size)}


def _faults() -> Any:
    try:
        import resource
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def _of_problem(name: str, data: str) -> tuple[Call, int]:
    from problems import load, objective, region

    import frankwolfe as fw

    problem = load(name, Path(data) if data else None)
    few = {"stop": fw.Iterations(2)} if name == "P7" else {}
    return (
        lambda: fw.minimize(objective(problem), region(problem), x0=problem.x0, **few),
        problem.n,
    )


def _of_region(name: str, which: int) -> tuple[Call, int] | None:
    import frankwolfe as fw
    from frankwolfe.regions import REGIONS

    n = LESS if name in SMALLER else N
    examples = REGIONS[name].examples(n, np.random.default_rng(1))
    if which >= len(examples):
        return None
    region = examples[which]
    p = np.random.default_rng(2).standard_normal(region.dimension or n)
    stop = fw.RelativeGap(1e-6) | fw.Iterations(STEPS)
    return lambda: fw.minimize(fw.squared_distance(p), region, stop=stop), p.size


def _of_peer(name: str, which: int) -> tuple[Call, int] | None:
    """A call of a peer with its coarsest tolerance that does; None where there is none."""
    from peers import Budget, solvers
    from peers.ours import optimum
    from problems import load

    solver, problem = solvers(PEERS)[which], load(name)
    if solver.absent() or solver.skip(problem):
        return None
    problem.best, _ = optimum(problem, 10.0)
    problem.optimum = problem.value(problem.best)
    solver.prepare(problem)
    for tolerance in solver.tolerances:
        budget = Budget(tolerance=tolerance, target=problem.target(ACCURACY), seconds=60.0)
        if problem.relative(np.asarray(solver.run(problem, budget))) <= ACCURACY:
            return lambda: solver.run(problem, budget), problem.n  # noqa: B023
    return None


MAKERS: dict[str, Callable[..., tuple[Call, int] | None]] = {
    "problem": _of_problem,
    "region": _of_region,
    "peer": _of_peer,
}


# What asks


class Process:
    """One with its own allocator, that answers a line with a line."""

    def __init__(self, variables: dict[str, str]) -> None:
        pipe, command = subprocess.PIPE, [sys.executable, __file__, "--serve"]
        others = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
        environment = {**others, **THREADS, **variables}
        self.process = subprocess.Popen(
            command, env=environment, stdin=pipe, stdout=pipe, text=True, bufsize=1
        )

    def ask(self, *call: Any) -> Any:
        """Wait for the answer."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"call": call}) + "\n")
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit("A process failed; what it said is above.")
        return json.loads(answer)


@cache
def started(place: int, allocator: str) -> Process:
    """The process of a call by its place among those that take turns."""
    return Process(ALLOCATORS[allocator])


def alternating(calls: dict[str, tuple[Any, ...]], rounds: int) -> dict[str, Any]:
    """What is found of calls by title, each in a process for every allocator; all take turns."""
    places = {title: place for place, title in enumerate(calls)}
    jobs = {(title, name): started(places[title], name) for title in calls for name in ALLOCATORS}
    first = {job: process.ask(*calls[job[0]]) for job, process in jobs.items()}
    times: dict[tuple[str, str], list[float]] = {job: [] for job in jobs if first[job] is not None}
    for _ in range(rounds):
        for job, taken in times.items():
            taken.append(jobs[job].ask(*calls[job[0]])["seconds"])
    found = {}
    for title in dict.fromkeys(title for title, _ in times):
        seconds = {name: median(times[title, name]) for name in ALLOCATORS}
        touched = first[title, "given back"]["touched"]
        found[title] = {**first[title, "kept"], "touched": touched, "seconds": seconds}
    return found


def show(title: str, found: dict[str, Any]) -> None:
    """A line of the table."""
    times = (f"{1e3 * found['seconds'][name]:.3g}" for name in ALLOCATORS)
    size = 8e-3 * found["n"]
    sizes = (f"{found['peak']:.1f}", f"{found['peak'] * size:.4g}", f"{found['touched']:.1f}")
    row(title, found["n"], *sizes, *times)


def regions() -> Iterator[tuple[str, int]]:
    """Examples of the registry."""
    from frankwolfe.regions import REGIONS

    for name in REGIONS:
        if name not in LEFT_OUT:
            for which, _ in enumerate(REGIONS[name].examples(6, np.random.default_rng(1))):
                yield name, which


def calls(part: str, data: str) -> Iterator[dict[str, tuple[Any, ...]]]:
    """What is asked, by title; those that take turns together."""
    from peers import solvers
    from problems import NAMES, missing

    if part == "problems":
        for name in NAMES:
            if missing(name, Path(data) if data else None) is None:
                yield {name: ("problem", name, data)}
    elif part == "regions":
        for name, which in regions():
            yield {f"{name}, {which}": ("region", name, which)}
    else:
        for name in PROJECTIONS:
            named = enumerate(solvers(PEERS))
            yield {f"{name}, {solver.name}": ("peer", name, which) for which, solver in named}


def main() -> None:
    """Print a table for each part."""
    line = parser(__doc__, "duke.xz, a9a.xz, ml-100k/u.data; without them P3, P6, P7 are left out")
    line.add_argument("parts", nargs="*", default=["problems", "regions", "peers"])
    line.add_argument("--only", default="", metavar="WORD", help="lines whose title has it")
    line.add_argument("--rounds", type=int, default=20)
    options = line.parse_args()
    pin()
    data = str(options.data.resolve()) if options.data else ""
    for part in options.parts:
        print(f"\n## {part}\n")
        header("", "n", "peak", "in KB", "touched", *(f"{name}, ms" for name in ALLOCATORS))
        for together in calls(part, data):
            chosen = {title: call for title, call in together.items() if options.only in title}
            for title, found in alternating(chosen, options.rounds).items():
                show(title, found)


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["--serve"] else main()
