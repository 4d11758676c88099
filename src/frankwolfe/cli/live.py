"""Callbacks that show runs of commands, and imports and runs that Ctrl-C ends in order."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Self

from frankwolfe.cli.screen import UPDATE_SECONDS, Screen, short
from frankwolfe.interrupts import held_back
from frankwolfe.solver.callbacks import Callback
from frankwolfe.solver.result import Result, Status
from frankwolfe.solver.run import Run

if TYPE_CHECKING:
    from rich.live import Live as RichLive
    from rich.table import Table

__all__ = ["READING", "Board", "Live", "loading"]

HEADER = ("method", "state", "iterations", "f", "gap", "seconds")
READING = ("scipy.sparse", "pyarrow", "pyarrow.csv", "pandas")
"""Packages that readers need.

pyarrow imports pandas where it is installed, and accepts one whose import was broken off: so pandas
is imported here, where Ctrl-C waits.
"""


class _Occasional(Callback):
    """Callback that asks for no step in particular: the loop calls a few times a second anyway."""

    def next_step(self, k: int) -> float:
        """Number of the next step at which to be called: none."""
        return math.inf


class Live(_Occasional):
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

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Context that holds Ctrl-C back until there is a run, which then ends with a result."""
        with held_back() as ctrl_c:
            yield
            if self.interrupted:
                ctrl_c.pressed.clear()


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
        self._live: RichLive | None = None
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


class _Row(_Occasional):
    """Callback that shows one run on the board."""

    def __init__(self, board: Board, name: str) -> None:
        self.board, self.name = board, name

    def on_step(self, run: Run) -> None:
        """Show the state of the run."""
        self.board.see(self.name, run)


@contextmanager
def loading(*packages: str) -> Iterator[None]:
    """Context for slow imports, which Ctrl-C does not break off; packages are imported first.

    A missing one is reported where it is used.
    """
    with held_back():
        for name in packages:
            with suppress(ImportError):
                import_module(name)
        yield
