"""Output of commands: progress on a terminal's standard error, results on standard output."""

from __future__ import annotations

import json
import math
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np

__all__ = ["INTERRUPTED", "Screen", "interrupted", "plain", "print_json", "print_table", "short"]

INTERRUPTED = 130  # exit code: 128 + 2, the number of SIGINT
UPDATE_SECONDS = 0.1  # between two updates of the line: more often is not seen, and costs


class Screen:
    """Line of progress on standard error, overwritten at each update; none if not a terminal.

    Parameters
    ----------
    quiet : bool
        Say nothing, even on a terminal.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.live = sys.stderr.isatty() and not quiet
        self._next = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            self._write("")

    def say(self, text: str) -> None:
        """Show a text now."""
        if self.live:
            self._write(text)
            self._next = time.monotonic() + UPDATE_SECONDS

    def hint(self, text: Callable[[], str]) -> None:
        """Show a text, unless another was shown a moment ago."""
        if self.live and time.monotonic() >= self._next:
            self.say(text())

    def reading(self, name: str) -> Callable[[int, int], None]:
        """Callback for a reader, which shows the bytes done of a file."""
        self.say(f"reading {name}")

        def show(done: int, total: int) -> None:
            share = done / total if total else 1.0
            self.hint(lambda: f"reading {name}  {share:4.0%}  of {total / 1e6:,.1f} MB")

        return show

    def _write(self, text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write("\r\x1b[K" + text[:width])
        sys.stderr.flush()


def interrupted(what: str) -> int:
    """Say on standard error that Ctrl-C ended a command, and what there is; return exit code."""
    print(f"frankwolfe: interrupted; {what}", file=sys.stderr)
    return INTERRUPTED


def short(value: object) -> str:
    """Text of a value for a table: six digits of a float, a dash for None and NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def print_table(header: Sequence[str], rows: Sequence[Sequence[object]], title: str = "") -> None:
    """Print a table: by rich on a terminal if it is installed, else in plain columns."""
    cells = [[short(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        try:
            _rich_table(header, cells, title)
        except ImportError:
            pass
        else:
            return
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    for row in (list(header), *cells):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print(line.rstrip())


def _rich_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None)
    for name in header:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)


def plain(value: object) -> object:
    """Value that JSON can hold: arrays as lists, NumPy's numbers as Python's, NaN as null."""
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_json(value: object) -> None:
    """Print a value as JSON."""
    print(json.dumps(plain(value), indent=2, ensure_ascii=False))
