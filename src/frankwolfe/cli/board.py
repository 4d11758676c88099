"""The live table of a race."""

from __future__ import annotations

import math
import sys
import time
from typing import Any, Self

from frankwolfe.cli.screen import EVERY, Screen, short
from frankwolfe.solver.callbacks import Callback
from frankwolfe.solver.result import Result
from frankwolfe.solver.run import Run

__all__ = ["Board"]

HEADER = ("method", "state", "iterations", "f", "gap", "seconds")


class Board:
    """A table that changes while methods run: by rich, or one line at a time without it.

    Parameters
    ----------
    names : list of str
        The methods.
    quiet : bool
        Show nothing, even on a terminal.
    """

    def __init__(self, names: list[str], *, quiet: bool = False) -> None:
        self.rows: dict[str, tuple[Any, ...]] = dict.fromkeys(names, ("waits",))
        self.screen = Screen(quiet)
        self._live: Any = None
        self._next = 0.0

    def __enter__(self) -> Self:
        if self.screen.live:
            try:
                from rich.console import Console
                from rich.live import Live
            except ImportError:
                return self
            self._live = Live(
                self._table(), console=Console(file=sys.stderr), auto_refresh=False, transient=True
            )
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
        self.screen.__exit__()

    def begin(self, name: str) -> None:
        """A method gets ready."""
        self._set(name, "gets ready")

    def leave(self, name: str) -> None:
        """A method cannot run."""
        self._set(name, "left out")

    def finish(self, name: str, result: Result) -> None:
        """A method has ended."""
        state = "done" if result.success else "stopped"
        self._set(name, state, result.nit, result.fun, result.gap, result.seconds)

    def callback(self, name: str) -> Callback:
        """A callback that writes into a method's row."""
        return _Row(self, name)

    def see(self, name: str, run: Run) -> None:
        """Write a run's figures, unless others were written a moment ago."""
        if self.screen.live and time.monotonic() >= self._next:
            state = run.state
            self._set(name, "runs", state.k, state.value, state.gap, state.seconds)

    def _set(self, name: str, *cells: Any) -> None:
        self.rows[name] = cells
        self._next = time.monotonic() + EVERY
        if self._live is not None:
            self._live.update(self._table(), refresh=True)
        else:
            self.screen.say("  ".join([name, *map(short, cells)]))

    def _table(self) -> Any:
        from rich.table import Table

        table = Table()
        for column in HEADER:
            table.add_column(column, justify="left" if column in HEADER[:2] else "right")
        for name, cells in self.rows.items():
            table.add_row(name, *map(short, cells))
        return table


class _Row(Callback):
    """A callback that shows one run on the board."""

    def __init__(self, board: Board, name: str) -> None:
        self.board, self.name = board, name

    def next_step(self, k: int) -> float:
        """No step needs it: it is called now and then."""
        return math.inf

    def on_step(self, run: Run) -> None:
        """Show the state."""
        self.board.see(self.name, run)
