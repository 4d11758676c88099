"""Which budgets a contestant is tried with: small ones first, until the last accuracy."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from suite.reading import ACCURACIES, Run, smallest

MOST = 2**26  # iterations
FINE = 1.06  # how near the smallest number of iterations is searched for

Attempt = Callable[[float], Run]


def search(kind: str, ladder: tuple[float, ...], attempt: Attempt, seconds: float) -> list[Run]:
    """Runs that tell how much each accuracy costs; nothing new is tried after `seconds`."""
    if kind == "target":
        return [attempt(accuracy) for accuracy in ACCURACIES]
    deadline = perf_counter() + seconds
    if kind == "tolerance":
        return _climb(ladder, attempt, deadline)
    runs = _double(attempt, deadline, seconds)
    for accuracy in ACCURACIES:
        _refine(runs, attempt, accuracy, deadline + seconds / 2)
    return runs


def _climb(ladder: tuple[float, ...], attempt: Attempt, deadline: float) -> list[Run]:
    runs: list[Run] = []
    for tolerance in ladder:
        runs.append(attempt(tolerance))
        if runs[-1].reaches(ACCURACIES[-1]) or perf_counter() > deadline:
            break
    return runs


def _double(attempt: Attempt, deadline: float, longest: float) -> list[Run]:
    """1, 2, 4, ... iterations, until the last accuracy, or x no longer changes."""
    runs: list[Run] = []
    count = 1
    while count <= MOST:
        runs.append(attempt(count))
        still = len(runs) > 2 and len({run.relative for run in runs[-3:]}) == 1
        late = perf_counter() > deadline or 2 * runs[-1].seconds > longest
        if runs[-1].reaches(ACCURACIES[-1]) or still or late:
            break
        count *= 2
    return runs


def _refine(runs: list[Run], attempt: Attempt, accuracy: float, deadline: float) -> None:
    """Bisect for the fewest iterations that reach the accuracy."""
    reaching = [run.budget for run in runs if run.reaches(accuracy)]
    if not reaching:
        return
    high = min(reaching)
    low = max((run.budget for run in runs if run.budget < high), default=0)
    while high > low + 1 and high > FINE * low and perf_counter() < deadline:
        run = attempt((low + high) // 2)
        runs.append(run)
        low, high = (low, run.budget) if run.reaches(accuracy) else (run.budget, high)


def budgets(kind: str, runs: list[Run]) -> dict[float, Run]:
    """The smallest budget for each accuracy that was reached."""
    found = {accuracy: smallest(kind, runs, accuracy) for accuracy in ACCURACIES}
    return {accuracy: run for accuracy, run in found.items() if run is not None}
