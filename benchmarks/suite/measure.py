"""Everything about one problem: its optimum, who can take it, the trials and the rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peers import OURS, Solver
from peers.ours import optimum
from problems import TITLES, load

from suite.problem import Problem
from suite.reading import ACCURACIES, Run, label, least, median, smallest
from suite.rounds import Entry, contest
from suite.search import budgets
from suite.store import Row
from suite.trial import Trial, trial


@dataclass(frozen=True)
class Limits:
    """Seconds.

    Attributes
    ----------
    cap : float
        A single run may take so long, for completion half as long again.
    multiple : float
        ... and no longer than so many times ours to 1e-6, but always `least`.
    share : float
        What a contestant may use in the rounds, for each accuracy.
    optimum : float
        For finding f*; `completion` for completion problems.
    """

    cap: float = 20.0
    multiple: float = 15.0
    least: float = 3.0
    share: float = 3.0
    optimum: float = 30.0
    completion: float = 150.0

    def longest(self, problem: Problem) -> float:
        """The cap for this problem."""
        return self.cap if problem.cells is None else 1.5 * self.cap


def measure(
    name: str,
    folder: Path | None,
    contestants: list[Solver],
    limits: Limits,
    say: Callable[[str], None],
) -> tuple[Row, list[Row]]:
    """The problem's row, and one for each contestant."""
    problem = load(name, folder)
    row = _solve(problem, limits)
    _ = problem.lipschitz  # for those who take it, all processes alike
    say(f"{name}: f* = {problem.optimum:.12g}, relative gap {row['relative gap']:.1e}")
    rows = [_row(problem, solver) for solver in contestants]
    trials = _trials(problem, contestants, rows, limits, say)
    entries = [
        Entry(solver, accuracy, run.budget)
        for solver, found in zip(contestants, trials, strict=True)
        if found is not None
        for accuracy, run in budgets(solver.budget, found.runs).items()
    ]
    _lower(problem, [found for found in trials if found], row)
    proxies = contest(problem, entries, limits.longest(problem), limits.share)
    row |= {"proxy": proxies, "proxy least": least(proxies), "proxy median": median(proxies)}
    for solver, found, into in zip(contestants, trials, rows, strict=True):
        if found is not None:
            into.update(_outcome(found, [entry for entry in entries if entry.solver is solver]))
    return row, rows


def _solve(problem: Problem, limits: Limits) -> Row:
    """Find f* with the library, and bound its error: by its own gap, and by one of the suite's."""
    seconds = limits.completion if problem.cells is not None else limits.optimum
    optimum(problem, 0.1)  # compiles
    x, gap = optimum(problem, seconds)
    problem.best = problem.region.repair(x)
    problem.optimum = problem.value(problem.best)
    checked = problem.gap(problem.best)
    return {
        "problem": problem.name,
        "title": TITLES[problem.name],
        "f*": problem.optimum,
        "f(x0)": problem.start_value,
        "certified gap": gap,
        "gap by the suite's own oracle": checked,
        "relative gap": max(min(gap, checked), 0.0) / problem.scale,
    }


def _lower(problem: Problem, trials: list[Trial], row: Row) -> None:
    """Where somebody found a lower value than ours, that is f*."""
    lowest = min((run.relative for found in trials for run in found.runs), default=0.0)
    row["lowered by"] = drop = max(-lowest, 0.0)  # in the old scale
    before, scale = problem.optimum, problem.scale
    problem.optimum = before - drop * scale
    row |= {"f*": problem.optimum}
    row["relative gap"] = max(row["relative gap"] - drop, 0.0) * scale / problem.scale
    for found in trials:
        found.runs = [run.moved(drop) for run in found.runs]


def _row(problem: Problem, solver: Solver) -> Row:
    skipped = solver.absent() or solver.skip(problem)
    return {
        "problem": problem.name,
        "solver": solver.name,
        "budget": solver.budget,
        "skipped": skipped,
    }


def _trials(
    problem: Problem,
    contestants: list[Solver],
    rows: list[Row],
    limits: Limits,
    say: Callable[[str], None],
) -> list[Trial | None]:
    """One after the other, ours first, since its time bounds that of the others."""
    longest = limits.longest(problem)
    cap, trials = longest, list[Trial | None]()
    for solver, row in zip(contestants, rows, strict=True):
        if row["skipped"]:
            trials.append(None)
            continue
        found = trial(solver, problem, cap)
        row["cap"] = cap
        trials.append(found)
        say(f"{problem.name}: {solver.name}: {_told(solver, found)}")
        run = smallest(solver.budget, found.runs, 1e-6)
        if solver.name == OURS and run is not None:
            cap = min(longest, max(limits.least, limits.multiple * run.seconds))
    return trials


def _told(solver: Solver, found: Trial) -> str:
    reached = budgets(solver.budget, found.runs)
    parts = [f"{label(a)} in {1e3 * run.seconds:.3g} ms" for a, run in reached.items()]
    return ", ".join(parts + [found.ended] * bool(found.ended)) or "no accuracy reached"


def _outcome(found: Trial, entries: list[Entry]) -> Row:
    """What the tables need."""
    best: list[Run] = sorted(found.runs, key=lambda run: run.relative)
    by = {label(entry.accuracy): entry for entry in entries}
    return {
        "first call": found.first_call,
        "megabytes": found.megabytes,
        "ended": found.ended,
        "best": best[0].relative if best else None,
        "seconds": {name: entry.seconds for name, entry in by.items()},
        "amount": {name: entry.amount for name, entry in by.items()},
        "counts": {name: entry.counts for name, entry in by.items()},
        "tried": [[run.budget, run.seconds, run.relative] for run in found.runs],
    }


def seconds_to(row: Row, accuracy: float, read: Callable[..., Any] = median) -> float:
    """Of a saved row; infinite where the accuracy was never reached."""
    assert accuracy in ACCURACIES
    return float(read(row.get("seconds", {}).get(label(accuracy), [])))
