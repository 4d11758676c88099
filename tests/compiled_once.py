"""Workers that start with no compiled kernels compile each of them once, not once each."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import IO, Any

from numba.core.dispatcher import Dispatcher

try:
    import fcntl
except ImportError:  # no POSIX: each compiles its own
    fcntl = None  # type: ignore[assignment]

_held: set[Path] = set()
PATIENCE = 60.0  # seconds: whoever waits longer compiles too, so that no circle of threads waits


@contextmanager
def _alone(path: Path) -> Generator[None]:
    """Held by one process at a time; by a thread that holds it already, again."""
    if fcntl is None or path in _held:
        yield
        return
    end = time.monotonic() + PATIENCE
    with path.open("w") as lock:
        while not _taken(lock) and time.monotonic() < end:
            time.sleep(0.02)
        _held.add(path)
        try:
            yield
        finally:
            _held.discard(path)


def _taken(lock: IO[str]) -> bool:
    """Whether the lock was free, and is ours now."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def compile_once() -> None:
    """Let whoever compiles a function hold its lock: who waited for it loads what was kept."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir(), f"frankwolfe-tests-{user}")
    folder.mkdir(exist_ok=True)
    alone = Dispatcher.compile

    @wraps(alone)
    def compile_alone(self: Dispatcher, sig: Any) -> Any:
        name = f"{self.py_func.__code__.co_filename}:{self.py_func.__qualname__}"
        with _alone(folder / hashlib.sha256(name.encode()).hexdigest()[:20]):
            return alone(self, sig)

    Dispatcher.compile = compile_alone
