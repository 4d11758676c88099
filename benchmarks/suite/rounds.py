"""The contest itself: contestants take turns, round by round, in one process."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field

from peers import Solver

from suite.contest import first_call, timed
from suite.problem import Problem
from suite.proxies import measure, proxy

ROUNDS, FEWEST = 31, 3


@dataclass
class Entry:
    """A contestant with the budget that reaches an accuracy, and its times."""

    solver: Solver
    accuracy: float
    amount: float
    seconds: list[float | None] = field(default_factory=list)  # None: missed the accuracy
    spent: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)

    def wants(self, share: float) -> bool:
        """Whether it takes part in another round."""
        if not self.seconds:
            return True
        return self.spent < share and (len(self.seconds) < FEWEST or self.spent < share / 3)


def contest(problem: Problem, entries: list[Entry], cap: float, share: float) -> list[float]:
    """Fill in the times; returns the proxy of each round. No contestant gets much over `share`."""
    for solver in {id(entry.solver): entry.solver for entry in entries}.values():
        first_call(solver, problem, cap)
    unit = proxy(problem)
    proxies = []
    gc.collect()
    gc.disable()
    try:
        for number in range(ROUNDS):
            turn = [entry for entry in entries if entry.wants(share)]
            if not turn:
                break
            proxies.append(measure(unit))
            shift = number % len(turn)
            for entry in turn[shift:] + turn[:shift]:
                _take(entry, problem, cap)
            gc.collect()
    finally:
        gc.enable()
    return proxies


def _take(entry: Entry, problem: Problem, cap: float) -> None:
    run, entry.counts = timed(entry.solver, problem, entry.amount, cap)
    entry.spent += run.seconds
    entry.seconds.append(run.seconds if run.reaches(entry.accuracy) else None)
