"""Tests in a process of their own, which may hang; other people's packages are loaded before."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

__all__ = ["STOPPED", "load_others", "run_tests"]

OTHERS = (
    *("numpy", "scipy.sparse.linalg", "scipy.optimize", "scipy.stats", "scipy.spatial", "numba"),
    *("hypothesis", "sklearn.linear_model", "sklearn.model_selection", "sklearn.utils"),
    *("matplotlib.pyplot", "pandas", "pyarrow", "cvxpy", "networkx", "rich.console"),
)
STOPPED = -1
PATIENCE = 6.0  # seconds of the wall to one of the processor: others use the machine too


def load_others() -> None:
    """What tests import besides the package; where something is absent, they do without."""
    for name in OTHERS:
        with suppress(ImportError):
            import_module(name)


def run_tests(
    tree: Path,
    files: list[str],
    plugin: Any,
    log: Path,
    environment: Mapping[str, str],
    seconds: float,
) -> int:
    """Pytest's status for these files, or STOPPED after so many seconds of the processor."""
    room = log.with_suffix(".tmp")
    process = os.fork()
    if not process:
        os.setsid()
        _become(tree, files, plugin, log, room, environment, seconds)
    until = time.monotonic() + PATIENCE * seconds
    while time.monotonic() < until:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            _end(process, room)
            return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else STOPPED
        time.sleep(0.05)
    _end(process, room)
    os.waitpid(process, 0)
    return STOPPED


def _end(group: int, room: Path) -> None:
    """End what the child has started and left, and drop its files."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    shutil.rmtree(room, ignore_errors=True)


def _become(
    tree: Path,
    files: list[str],
    plugin: Any,
    log: Path,
    room: Path,
    environment: Mapping[str, str],
    seconds: float,
) -> None:
    """Never returns: pytest over the tree, its output in a file."""
    code = 1
    try:
        with log.open("wb") as file:
            for stream in (1, 2):
                os.dup2(file.fileno(), stream)
        os.chdir(tree)
        os.environ.update({"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **environment})
        if "numba" in sys.modules:  # which has read its variables by now
            sys.modules["numba"].config.reload_config()
        sys.path.insert(0, str(tree / "src"))
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 5))
        quiet = ["-q", "-x", "-p", "no:cacheprovider", "--tb=short", "--rootdir", str(tree)]
        quiet += ["--basetemp", str(room)]
        code = int(pytest.main([*quiet, *files], plugins=[plugin]))
    except BaseException:  # the process is a copy of another: nothing may return to that one's code
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
