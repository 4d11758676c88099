"""Live table of a race."""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING, Self

from frankwolfe.cli.screen import UPDATE_SECONDS, Screen, short
from frankwolfe.solver.callbacks import Callback
from frankwolfe.solver.result import Result
from frankwolfe.solver.run import Run

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

__all__ = ["Board"]

HEADER = ("method", "state", "iterations", "f", "gap", "seconds")


class Board:
    """Table that changes while methods run: drawn by rich, or one line at a time without it.

    Parameters
    ----------
    names : list of str
        The methods.
    quiet : bool
        Show nothing, even on a terminal.
    """

    def __init__(self, names: list[str], *, quiet: bool = False) -> None:
        self.rows: dict[str, tuple[object, ...]] = dict.fromkeys(names, ("waits",))
        self.screen = Screen(quiet)
        self._live: Live | None = None
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
        """Show that a method gets ready."""
        self._set(name, "gets ready")

    def leave(self, name: str) -> None:
        """Show that a method cannot run on this problem."""
        self._set(name, "left out")

    def finish(self, name: str, result: Result) -> None:
        """Show how the run of a method ended."""
        state = "done" if result.success else "stopped"
        self._set(name, state, result.nit, result.fun, result.gap, result.seconds)

    def callback(self, name: str) -> Callback:
        """Callback that writes into a method's row."""
        return _Row(self, name)

    def see(self, name: str, run: Run) -> None:
        """Write the figures of a run, unless others were written a moment ago."""
        if self.screen.live and time.monotonic() >= self._next:
            state = run.state
            self._set(name, "runs", state.k, state.value, state.gap, state.seconds)

    def _set(self, name: str, *cells: object) -> None:
        self.rows[name] = cells
        self._next = time.monotonic() + UPDATE_SECONDS
        if self._live is not None:
            self._live.update(self._table(), refresh=True)
        else:
            self.screen.say("  ".join([name, *map(short, cells)]))

    def _table(self) -> Table:
        from rich.table import Table

        table = Table()
        for column in HEADER:
            table.add_column(column, justify="left" if column in HEADER[:2] else "right")
        for name, cells in self.rows.items():
            table.add_row(name, *map(short, cells))
        return table


class _Row(Callback):
    """Callback that shows one run on the board."""

    def __init__(self, board: Board, name: str) -> None:
        self.board, self.name = board, name

    def next_step(self, k: int) -> float:
        """Ask for no step in particular: the loop calls a few times a second anyway."""
        return math.inf

    def on_step(self, run: Run) -> None:
        """Show the state of the run."""
        self.board.see(self.name, run)
