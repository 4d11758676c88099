"""Files that are either whole or not there."""

from __future__ import annotations

import contextlib
import os
import tempfile
from importlib.resources import files
from pathlib import Path

from frankwolfe.errors import InvalidInput

__all__ = ["asset", "write_bytes", "write_text"]


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write beside the place and move there when complete; a failure leaves the file before.

    Examples
    --------
    >>> import os, tempfile
    >>> from frankwolfe.report import write_text
    >>> write_text(os.path.join(tempfile.mkdtemp(), "a.txt"), "whole").read_text()
    'whole'
    """
    return write_bytes(path, text.encode())


def write_bytes(path: str | os.PathLike[str], data: bytes) -> Path:
    """The same for bytes."""
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.absolute().parent, prefix=f".{target.name}.")
    except OSError as error:
        raise _unwritable(target, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, 0o666 & ~_umask())  # mkstemp's own files are private
        os.replace(name, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(name)
        if isinstance(error, OSError):
            raise _unwritable(target, error) from None
        raise
    return target


def asset(package: str, name: str) -> str:
    """A style sheet or script that lies beside a module."""
    return files(package).joinpath("assets", name).read_text(encoding="utf-8")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _unwritable(target: Path, error: OSError) -> InvalidInput:
    return InvalidInput(
        f"{target} cannot be written: {error.strerror or error}; name a file in a folder that "
        "exists and can be written."
    )
