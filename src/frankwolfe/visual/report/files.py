"""Files written atomically, and assets read from the package."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

from frankwolfe.base import files

__all__ = ["asset", "write_bytes", "write_text"]


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write text by a temporary file that is moved into place: a failure leaves the old file.

    Examples
    --------
    >>> import os, tempfile
    >>> from frankwolfe.visual.report import write_text
    >>> write_text(os.path.join(tempfile.mkdtemp(), "a.txt"), "whole").read_text()
    'whole'
    """
    return write_bytes(path, text.encode())


def write_bytes(path: str | os.PathLike[str], data: bytes) -> Path:
    """Write bytes by a temporary file that is moved into place: a failure leaves the old file."""
    files.write_bytes(path, data)
    return Path(path)


def asset(package: str, name: str) -> str:
    """Text of a style sheet or script in a package's folder `assets`."""
    return resources.files(package).joinpath("assets", name).read_text(encoding="utf-8")
