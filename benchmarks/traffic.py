"""Traffic assignment: public networks to small gaps, AequilibraE beside, cities that grow.

``python benchmarks/traffic.py --data FOLDER --aequilibrae PYTHON --grid --out report.md``

FOLDER is laid out as bstabler/TransportationNetworks; PYTHON is an interpreter that has
AequilibraE. Times are processor times on one core, medians of rounds in which the contestants take
turns; those of whole calls of this library stand beside AequilibraE's loop alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from statistics import median
from typing import Any

from roads import grids, ours, peer
from roads.networks import NETWORKS, Problem, loaded
from suite.facts import facts, keep_to_one_thread, pin
from suite.tables import human, markdown

TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
CONTEST = (1e-4, 1e-6)  # to which the peers are followed
FIRST_CALL = (
    "import sys; sys.path[:0] = sys.argv[1:2]; from pathlib import Path; "
    "from roads import networks, ours; p = networks.load(sys.argv[2], Path(sys.argv[3])); "
    "print(ours.solved(p, 1e-4)[0])"
)


def optimum_row(problem: Problem, answer: Any) -> list[str]:
    """The end of a run beside what is published."""
    found = [problem.name, f"{answer.fun:.10g}", f"{answer.relative_gap:.0e}", f"{answer.gap:.0e}"]
    known = problem.published
    if known is None:
        return [*found, "-", "-", "-"]
    low, high = known.value - known.unsure, known.value + known.unsure
    within = answer.certified and answer.lower_bound <= high and answer.fun >= low
    apart = "-"
    if problem.flows is not None:
        sure = problem.sure
        apart = f"{abs(answer.flows - problem.flows)[sure].max():.0e} of {answer.flows.max():.3g}"
    return [*found, known.optimum, "yes" if within else "NO", apart]


def first_calls(problem: Problem, data: Path) -> float:
    """Seconds of the first call in a new process, whose compiled code is on disk."""
    here = str(Path(__file__).resolve().parent)
    line = [sys.executable, "-c", FIRST_CALL, here, problem.name, str(data)]
    found = subprocess.run(line, capture_output=True, text=True, check=True)
    return float(found.stdout)


def contest(
    problem: Problem, options: Namespace
) -> tuple[dict[float, list[float]], list[peer.Course]]:
    """Whole calls of ours and runs of the peer, by turns: seconds by tolerance, and its courses."""
    ours_by: dict[float, list[float]] = {tol: [] for tol in TOLERANCES}
    courses = []
    for turn in range(options.rounds):
        for tol in TOLERANCES:
            ours_by[tol].append(ours.solved(problem, tol, options.limit)[0])
        if options.aequilibrae and turn < options.peer_rounds:
            asked = problem, options.aequilibrae, CONTEST[-1], options.limit
            courses.append(peer.course(*asked, options.algorithm))
    return ours_by, courses


def peer_row(
    problem: Problem, tol: float, own: list[float], courses: list[peer.Course]
) -> list[str]:
    """Ours beside the peer to one tolerance: by its own gap, and by the true one."""
    mine = median(own)
    cells = [problem.name, f"{tol:.0e}", human(mine)]
    course = courses[0]
    for i in (course.by_its_gap(tol), course.by_true_gap(tol)):
        if i is None:
            cells += ["not reached", "-", "-"]
            continue
        spent = median(float(each.seconds[i]) for each in courses)
        true = problem.relative_gap(course.flows[i])
        cells += [human(spent), f"{true / course.reported[i]:.2f}", f"{spent / mine:.1f}"]
    return cells


def method_rows(problem: Problem, methods: list[str], limit: float) -> list[list[str]]:
    """One run of each method: seconds to the tolerances, and how far it came."""
    rows = []
    for method in methods:
        seconds, answer = ours.course(problem, method, CONTEST[-1], limit)
        times = []
        for tol in CONTEST:
            found = [s for s, gap in zip(seconds, answer.excess, strict=False) if gap <= tol]
            times.append(human(found[0]) if found else "-")
        each = human(seconds[-1] / max(answer.nit, 1))
        rows.append(
            [problem.name, method, *times, str(answer.nit), each, f"{answer.relative_gap:.0e}"]
        )
    return rows


class Report:
    """Tables, printed as they come and written at the end."""

    def __init__(self, path: Path | None) -> None:
        self.path, self.parts = path, list[str]()

    def add(self, *parts: str) -> None:
        """Print, and keep."""
        for part in parts:
            print(f"\n{part}", flush=True)
            self.parts.append(part)
        if self.path:
            self.path.write_text("\n\n".join(self.parts) + "\n", "utf-8")


def networks_report(report: Report, options: Namespace) -> None:
    """The tables of the networks that there are."""
    methods = ours.warm_up(options.methods)
    tables: dict[str, list[list[str]]] = {"optimum": [], "times": [], "peer": [], "methods": []}
    for problem in loaded(options.networks, options.data, options.demand):
        own, courses = contest(problem, options)
        tables["optimum"].append(optimum_row(problem, ours.solved(problem, TOLERANCES[-1])[1]))
        cold = "-" if options.demand != 1.0 else human(first_calls(problem, options.data))
        times = [human(median(own[tol])) for tol in TOLERANCES]
        tables["times"].append([problem.name, *times, cold])
        if courses:
            tables["peer"] += [peer_row(problem, tol, own[tol], courses) for tol in CONTEST]
        tables["methods"] += method_rows(problem, methods, options.limit)
        print(f"{problem.name} is done: {tables['times'][-1]}", flush=True)
    columns = [
        "network",
        "f",
        "relative gap",
        "certified gap",
        "published",
        "agrees",
        "flows differ by",
    ]
    report.add("## At the end", markdown(columns, tables["optimum"]))
    columns = ["network", *(f"to {tol:.0e}" for tol in TOLERANCES), "first call, to 1e-04"]
    report.add("## Whole calls of `equilibrium`", markdown(columns, tables["times"]))
    if tables["peer"]:
        columns = ["network", "to", "ours", "until its gap", "true / its gap", "ratio"]
        columns += ["until the true gap", "true / its gap", "ratio"]
        report.add(f"## Beside AequilibraE's `{options.algorithm}`", peer.NOTE)
        report.add(markdown(columns, tables["peer"]))
    if tables["methods"]:
        columns = ["network", "method", *(f"to {tol:.0e}" for tol in CONTEST)]
        columns += ["iterations", "an iteration", "relative gap"]
        report.add("## Methods, one run each", markdown(columns, tables["methods"]))


def grid_report(report: Report, options: Namespace) -> None:
    """The table of growing cities, and their picture."""
    rows = grids.all_measured(options.sizes or grids.SIZES, options.threads, options.city_limit)
    lines = [[f"{v:.3g}" if isinstance(v, float) else f"{v:,}" for v in r.values()] for r in rows]
    report.add(f"## Generated cities, to 1e-4, on {options.threads} threads")
    report.add(markdown(rows[0], lines))
    if options.picture:
        grids.drawn(rows, options.picture)


def parsed(words: list[str] | None = None) -> Namespace:
    """The command line."""
    line = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    line.add_argument("--data", type=Path, metavar="FOLDER", help="with SiouxFalls/ and others")
    line.add_argument("--networks", nargs="*", default=list(NETWORKS), metavar="NAME")
    line.add_argument("--demand", type=float, default=1.0, help="so many times the trips")
    line.add_argument("--aequilibrae", metavar="PYTHON", help="an interpreter that has it")
    line.add_argument("--algorithm", default="bfw", help="of AequilibraE")
    line.add_argument("--methods", nargs="*", default=list(ours.METHODS), help="of this library")
    line.add_argument("--rounds", type=int, default=3)
    line.add_argument("--peer-rounds", type=int, default=2)
    line.add_argument("--limit", type=float, default=300.0, metavar="SECONDS", help="of a run")
    line.add_argument("--grid", action="store_true", help="generated cities of growing size")
    line.add_argument("--city-limit", type=float, default=3600.0, metavar="SECONDS")
    line.add_argument("--threads", type=int, default=os.cpu_count(), help="for the cities")
    line.add_argument("--sizes", nargs="*", type=_size, metavar="ROWSxCOLUMNSxZONES")
    line.add_argument("--picture", type=Path, metavar="PNG", help="of the cities")
    line.add_argument("--out", type=Path, metavar="FILE", help="for the tables, in Markdown")
    options = line.parse_args(words)
    if not options.data and not options.grid:
        line.error("there is nothing to do without --data FOLDER or --grid")
    if options.aequilibrae and peer.version(options.aequilibrae) is None:
        line.error(f"{options.aequilibrae} has no AequilibraE")
    return options


def _size(text: str) -> tuple[int, ...]:
    rows, columns, zones = map(int, text.split("x"))
    return rows, columns, zones


def main() -> None:
    """Measure what is asked for, and report."""
    options = parsed()
    report = Report(options.out)
    machine = facts()
    about = (
        f"{machine['cpu']}, Python {machine['python']}, load {machine['load']}, {machine['date']}"
    )
    if options.aequilibrae:
        about += f", AequilibraE {peer.version(options.aequilibrae)}"
    report.add("# Traffic assignment", about)
    if options.data:
        cores = os.sched_getaffinity(0)
        pin()
        networks_report(report, options)
        os.sched_setaffinity(0, cores)
    if options.grid:
        grid_report(report, options)


if __name__ == "__main__":
    keep_to_one_thread()
    main()
