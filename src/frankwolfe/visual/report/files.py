"""Files that are written atomically, and assets."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

from frankwolfe.base import files

__all__ = ["asset", "write_bytes", "write_text"]


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a temporary file and move it into place; after a failure the old file is still there.

    Examples
    --------
    >>> import os, tempfile
    >>> from frankwolfe.visual.report import write_text
    >>> write_text(os.path.join(tempfile.mkdtemp(), "a.txt"), "whole").read_text()
    'whole'
    """
    return write_bytes(path, text.encode())


def write_bytes(path: str | os.PathLike[str], data: bytes) -> Path:
    """The same for bytes."""
    files.write_bytes(path, data)
    return Path(path)


def asset(package: str, name: str) -> str:
    """A style sheet or script that lies beside a module."""
    return resources.files(package).joinpath("assets", name).read_text(encoding="utf-8")
