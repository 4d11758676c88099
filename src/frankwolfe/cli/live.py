"""Callback of commands that shows progress and keeps the result of a run."""

from __future__ import annotations

import math
from typing import Self

from frankwolfe.cli.screen import Screen
from frankwolfe.solver.callbacks import Callback
from frankwolfe.solver.result import Result, Status
from frankwolfe.solver.run import Run

__all__ = ["Live"]


class Live(Callback):
    """Callback that shows iteration and gap, and keeps the result of the last run.

    Parameters
    ----------
    screen : Screen
    label : str
        What stands before the figures.
    keep : bool
        Whether an interrupted run has a result worth keeping; otherwise Ctrl-C ends everything,
        as it must where many runs follow one another.
    """

    def __init__(self, screen: Screen, label: str, *, keep: bool) -> None:
        self.screen, self.label, self.keep = screen, label, keep
        self.result: Result | None = None
        self.runs = 0
        self.interrupted = False  # Ctrl-C ended a run, perhaps not the last one

    def __enter__(self) -> Self:
        self.runs += 1
        return self

    def next_step(self, k: int) -> float:
        """Ask for no step in particular: the loop calls a few times a second anyway."""
        return math.inf

    def on_step(self, run: Run) -> None:
        """Show the state of the run."""
        state, count = run.state, "" if self.keep else f"  run {self.runs}"
        apart = "" if run.traffic is None else f"  {run.traffic}"
        self.screen.hint(
            lambda: (
                f"{self.label}{count}  iteration {state.k:,}  gap {state.gap:.2e}  "
                f"{state.seconds:.1f} s{apart}"
            )
        )

    def on_end(self, result: Result) -> None:
        """Keep the result, or pass Ctrl-C on."""
        self.result = result
        if result.status is Status.INTERRUPTED:
            self.interrupted = True
            if not self.keep:
                raise KeyboardInterrupt
