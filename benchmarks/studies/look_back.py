"""Iterations to 1e-3 of LookBack and other fixed or free step rules, relative to FW's.

Suboptimality is relative, (f - f*) / (f(x0) - f*), f* from the default method. Run with:

    python benchmarks/studies/look_back.py paper         experiments (a) and (b)
    python benchmarks/studies/look_back.py development   random problems, on which it was tuned
    python benchmarks/studies/look_back.py held-out      random problems of other seeds
    python benchmarks/studies/look_back.py registry [--data FOLDER]   problems of the suite
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from common import header, parser, row
from problems import ours, present
from random_problems import SETS, Drawn, drawn

import frankwolfe as fw

RIVALS: dict[str, fw.FrankWolfe] = {
    "FW": fw.frank_wolfe(),
    "JFW": fw.jacobi(),
    "2.1/(k+2.1)": fw.frank_wolfe(fw.steps.OpenLoop(2.1)),
    "4/(k+4)": fw.frank_wolfe(fw.steps.OpenLoop(4.0)),
    "log-adaptive": fw.frank_wolfe(fw.steps.LogAdaptive()),
    "exact line search": fw.frank_wolfe(fw.steps.ExactLineSearch()),
    "JFW(auto)": fw.jacobi("auto"),
    "LookBack": fw.frank_wolfe(fw.steps.LookBack()),
}
SURE = 1e-4  # what f* may be off, of the way from the start
SLOWER = 1.2


class Case(NamedTuple):
    """A problem with its target, and FW's iterations to it."""

    name: str
    curved: bool
    problem: fw.Problem
    target: float
    plain: int


def main() -> None:
    """Print the table of a set."""
    line = parser(__doc__, "duke.xz, a9a.xz, w8a.xz")
    line.add_argument("which", choices=["paper", *SETS, "registry"])
    line.add_argument("--only", default="", help="a word in a rule's name")
    line.add_argument("--count", type=int, default=200, help="random problems")
    line.add_argument("--most", type=int, default=4000, help="iterations")
    options = line.parse_args()
    rivals = {name: m for name, m in RIVALS.items() if options.only in name and name != "FW"}
    if options.which == "paper":
        _paper(rivals)
    elif options.which == "registry":
        named = (
            Drawn(n, _curved(p), p) for n in present(options.data) for p in [ours(n, options.data)]
        )
        _each(_cases(named, options.most), rivals, options.most)
    else:
        cases = list(_cases(drawn(options.which, options.count), options.most))
        print(f"{len(cases)} of {options.count} problems whose optimum is known to {SURE:g}\n")
        _summary(cases, rivals, options.most)


def _curved(problem: fw.Problem) -> bool:
    return problem.region.strictly_convex


def _cases(problems: Iterator[Drawn], most: int) -> Iterator[Case]:
    for name, curved, problem in problems:
        start = problem.objective(problem.start())
        sure = fw.Gap(1e-7 * abs(start)) | fw.Seconds(3.0) | fw.stopping.Stalled(500)
        best = fw.minimize(problem.objective, problem.region, stop=sure)
        if not best.gap <= SURE * (start - best.fun):
            continue
        target = best.fun + 1e-3 * (start - best.fun)
        yield Case(name, curved, problem, target, _steps(problem, RIVALS["FW"], target, most))


def _steps(problem: fw.Problem, method: fw.FrankWolfe, target: float, most: int) -> int:
    """Iterations to the target; at least one, at most `most`."""
    found = fw.solve(
        problem, method, fw.stopping.Target(target) | fw.Iterations(most) | fw.Seconds(20.0)
    )
    return max(found.nit if found.success else most, 1)


def _summary(cases: list[Case], rivals: dict[str, fw.FrankWolfe], most: int) -> None:
    """Geometric means of the iterations over FW's, and how often they are beyond 1.2."""
    header(
        "rule",
        *(f"{kind}: {what}" for kind in ("balls", "polytopes") for what in ("mean", "> 1.2")),
    )
    losses = []
    for name, method in rivals.items():
        cells = []
        for curved in (True, False):
            ours = [case for case in cases if case.curved is curved]
            steps = [_steps(case.problem, method, case.target, most) for case in ours]
            ratios = np.array([s / case.plain for s, case in zip(steps, ours, strict=True)])
            cells += [
                f"{np.exp(np.log(ratios).mean()):.2f}",
                f"{(ratios > SLOWER).sum()} of {len(ours)}",
            ]
            losses += [
                (name, case, s)
                for case, s in zip(ours, steps, strict=True)
                if s > SLOWER * case.plain
            ]
        row(name, *cells)
    print()
    header("where LookBack needs more than 1.2 times FW's iterations", "FW", "LookBack")
    for name, case, steps in losses:
        if name == "LookBack":
            row(case.name, case.plain, steps)


def _each(cases: Iterator[Case], rivals: dict[str, fw.FrankWolfe], most: int) -> None:
    header("problem", "FW", *rivals)
    for case in cases:
        found = (_steps(case.problem, method, case.target, most) for method in rivals.values())
        row(case.name, case.plain, *found)


def _paper(rivals: dict[str, fw.FrankWolfe]) -> None:
    """The worse of the iterates 999 and 1000, over f*."""
    names = ("paper (a), l2 50", "paper (a), l2 1", "paper (b), l2 35")
    problems = [ours(name) for name in names]
    best = [fw.minimize(p.objective, p.region, tol=1e-12).fun for p in problems]
    header("rule", *names)
    for name, method in {"FW": RIVALS["FW"], **rivals}.items():
        values = [
            fw.solve(p, method, fw.Iterations(1000)).history.value[-2:].max() for p in problems
        ]
        row(name, *(f"{(v - b) / b:.1e}" for v, b in zip(values, best, strict=True)))


if __name__ == "__main__":
    main()
