"""A folder for compiled functions where neither the package's nor the user's can be written.

Numba refuses then to define a function that is to be kept. A read-only installation in a
container, without a home, is such a case.
"""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
from importlib import import_module
from pathlib import Path
from types import ModuleType

__all__ = ["load"]

REFUSED = "cannot cache function"  # how Numba's message begins: it has no class of its own


def load(name: str) -> ModuleType:
    """Import a module of compiled functions, with a temporary cache folder where none other is."""
    try:
        return import_module(name)
    except RuntimeError as error:
        if REFUSED not in str(error):
            raise
    from numba import config

    before = config.CACHE_DIR
    config.CACHE_DIR = str(_folder())  # for these functions alone: a place is chosen once
    try:
        return import_module(name)
    finally:
        config.CACHE_DIR = before


_FOUND: list[Path] = []


def _folder() -> Path:
    """A temporary folder that only this user can write: what is kept in it is executed."""
    if not _FOUND:
        user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
        shared = Path(tempfile.gettempdir(), f"frankwolfe-compiled-{user}")
        if _is_own(shared):
            _FOUND.append(shared)
        else:
            _FOUND.append(Path(tempfile.mkdtemp(prefix="frankwolfe-compiled-")))
            atexit.register(shutil.rmtree, _FOUND[0], ignore_errors=True)
    return _FOUND[0]


def _is_own(folder: Path) -> bool:
    """True if the folder is there, or can be made, and only this user can write to it."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()  # not stat: a link may lead to somebody else's folder
    except OSError:
        return False
    if not stat.S_ISDIR(found.st_mode) or not os.access(folder, os.W_OK):
        return False
    return os.name != "posix" or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
