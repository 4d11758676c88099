"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from frankwolfe.errors import InvalidInput

__all__ = ["whole", "write_bytes", "write_text"]


@contextlib.contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary file beside `path` that takes its place when the block ends well.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "a.txt")
    >>> with whole(path) as file:
    ...     _ = file.write(b"all of it")
    >>> path.read_text()
    'all of it'
    """
    target = Path(path)
    if target.is_dir():
        raise InvalidInput(f"{target} cannot be written: it is a folder; name a file.")
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise _unwritable(target, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _unwritable(target: Path, error: OSError) -> InvalidInput:
    return InvalidInput(
        f"{target} cannot be written: {error.strerror or error}; name a file in a folder that "
        "exists and can be written."
    )


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, or those of a new one."""
    try:
        return target.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write bytes, whole or not at all."""
    try:
        with whole(path) as file:
            file.write(data)
    except OSError as error:  # the disk is full, perhaps
        raise _unwritable(Path(path), error) from None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8, whole or not at all."""
    write_bytes(path, text.encode("utf-8"))
