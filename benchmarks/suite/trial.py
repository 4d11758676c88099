"""A contestant alone in a process of its own: first call, budgets that reach what, memory.

The process is forked from one that holds the problem, and killed when a run takes too long.
"""

from __future__ import annotations

import multiprocessing
import traceback
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

from peers import Solver

from suite.contest import first_call, timed
from suite.memory import let_go, megabytes, reset_peak
from suite.problem import Problem
from suite.reading import Run
from suite.search import budgets, search

COMPILING = 90.0  # seconds more for the first call of a solver that compiles


@dataclass
class Trial:
    """What was found out, also where the process was killed."""

    first_call: float | None = None
    runs: list[Run] = field(default_factory=list)
    megabytes: dict[str, float] = field(default_factory=dict)
    ended: str = ""  # why it ended early, if it did


def trial(solver: Solver, problem: Problem, cap: float) -> Trial:
    """Try a contestant; a run longer than `cap` seconds ends it."""
    here, there = multiprocessing.get_context("fork").Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(
        target=_alone, args=(there, solver, problem, cap)
    )
    process.start()
    there.close()
    found = _listen(here, cap, cap + COMPILING if solver.compiles else cap + 5.0)
    if process.is_alive():
        process.join(1.0 if found.ended else 10.0)
        process.kill()
    process.join()
    return found


def _listen(pipe: Connection, cap: float, patience: float) -> Trial:
    found = Trial()
    began = perf_counter()
    while True:
        if not pipe.poll(patience):
            found.ended = f"a run took more than {cap:.3g} s"
            return found
        try:
            kind, value = pipe.recv()
        except EOFError:
            found.ended = "its process died"
            return found
        if kind == "end":
            found.ended = value
            return found
        if kind == "first":
            found.first_call, began = value, perf_counter()
        elif kind == "run":
            found.runs.append(value)
        else:
            found.megabytes = value
        if perf_counter() - began > 3 * cap + 5.0:
            found.ended = f"given up after {3 * cap:.3g} s"
            return found
        patience = cap + 5.0


def _alone(pipe: Connection, solver: Solver, problem: Problem, cap: float) -> None:
    try:
        pipe.send(("first", first_call(solver, problem, cap)))

        def attempt(amount: float) -> Run:
            run = timed(solver, problem, amount, cap)[0]
            pipe.send(("run", run))
            return run

        runs = search(solver.budget, solver.tolerances, attempt, cap)
        pipe.send(("memory", _memory(solver, problem, runs, cap)))
        pipe.send(("end", ""))
    except Exception as error:  # whatever a peer may raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        pipe.send(("end", f"{text[:150]} ({last.name})"))


def _memory(solver: Solver, problem: Problem, runs: list[Run], cap: float) -> dict[str, Any]:
    """Megabytes: of the whole process at its peak, and of one more run beyond what was held."""
    whole = megabytes("VmHWM")
    reached = budgets(solver.budget, runs)
    short = [run for run in runs if run.seconds < cap / 4] or runs[:1]
    best = reached.get(1e-6, short[-1])
    best = best if best.seconds < cap / 4 else short[-1]
    let_go()
    before = megabytes("VmRSS")
    if whole is None or before is None or not reset_peak():
        return {}
    timed(solver, problem, best.budget, cap)
    return {"process": whole, "call": max((megabytes("VmHWM") or 0.0) - before, 0.0)}
