"""Ctrl-C held back while something must not be broken off, and passed on afterwards.

An import that is broken off may leave half a module, print where it was, or swallow the Ctrl-C.
This module stands below all rooms and imports none.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["HeldBack", "held_back", "hold", "is_pressed", "release"]


class HeldBack:
    """Signal handler that notes a first Ctrl-C and raises KeyboardInterrupt at a second one."""

    def __init__(self) -> None:
        self.pressed: list[bool] = []

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed.append(True)


def _may_hold() -> bool:
    """True in the main thread, if SIGINT has Python's own handler: another one stays in charge."""
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
    """True if Ctrl-C was pressed in a block that holds it back."""
    handler = signal.getsignal(signal.SIGINT)
    return isinstance(handler, HeldBack) and bool(handler.pressed)


def hold() -> None:
    """Hold Ctrl-C back until `release`: for a command that is still to be imported."""
    if _may_hold():
        signal.signal(signal.SIGINT, HeldBack())


def release() -> None:
    """Let Ctrl-C through again after loading; raise KeyboardInterrupt if it came meanwhile."""
    handler = signal.getsignal(signal.SIGINT)
    if isinstance(handler, HeldBack) and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if handler.pressed:
            raise KeyboardInterrupt
