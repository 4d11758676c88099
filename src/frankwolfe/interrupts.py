"""Ctrl-C held back: noted while something must not be broken off, and passed on afterwards.

An import that is broken off may leave half a module, print where it was, or swallow the Ctrl-C.
This module stands below all rooms and imports none.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

__all__ = ["HeldBack", "held_back", "is_pressed", "release"]

NAME = "frankwolfe"


class HeldBack:
    """A handler that notes a first Ctrl-C; a second one is passed on at once."""

    def __init__(self) -> None:
        self.pressed: list[bool] = []

    def __call__(self, _number: int, _frame: Any) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed.append(True)


def _may_hold() -> bool:
    """Whether Ctrl-C is Python's own here; somebody else's handler stays in charge."""
    mine = threading.current_thread() is threading.main_thread()
    return mine and signal.getsignal(signal.SIGINT) is signal.default_int_handler


@contextmanager
def held_back() -> Iterator[HeldBack]:
    """Hold Ctrl-C back until the block ends, and raise KeyboardInterrupt then.

    A run inside the block takes a Ctrl-C over: it ends, and gives its best point.

    Examples
    --------
    >>> import signal
    >>> from frankwolfe.interrupts import held_back
    >>> try:
    ...     with held_back():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("to the end")
    ... except KeyboardInterrupt:
    ...     print("interrupted")
    to the end
    interrupted
    """
    handler = HeldBack()
    if not _may_hold():
        yield handler
        return
    signal.signal(signal.SIGINT, handler)
    try:
        yield handler
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if handler.pressed:
        raise KeyboardInterrupt


def is_pressed() -> bool:
    """Whether Ctrl-C was pressed in a block that holds it back."""
    handler = signal.getsignal(signal.SIGINT)
    return isinstance(handler, HeldBack) and bool(handler.pressed)


def _hold_back_while_loading() -> None:
    """Hold Ctrl-C back from now on where this process is the command line, and it still loads."""
    script = bool(sys.argv) and PurePath(sys.argv[0]).name in (NAME, f"{NAME}.exe")
    module = sys.argv[:1] == ["-m"] and _is_module(sys.orig_argv)
    if (script or module) and _may_hold():
        signal.signal(signal.SIGINT, HeldBack())


def _is_module(words: list[str]) -> bool:
    """Whether Python was started with -m and this package, or a module of it."""
    named = words[words.index("-m") + 1 :][:1] if "-m" in words else []
    return any(name.split(".")[0] == NAME for name in named)


def release() -> None:
    """End what `_hold_back_while_loading` began; KeyboardInterrupt if Ctrl-C came meanwhile."""
    handler = signal.getsignal(signal.SIGINT)
    if isinstance(handler, HeldBack) and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if handler.pressed:
            raise KeyboardInterrupt


_hold_back_while_loading()
