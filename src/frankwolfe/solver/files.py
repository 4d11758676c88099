"""Files that are written atomically."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from frankwolfe.numerics.errors import InvalidInput

__all__ = ["atomic_write", "write_bytes", "write_text"]

STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd", "/proc")


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary file beside `path` that takes its place when the block ends well.

    A link stays, and the file that it names is replaced. What is no file (a device, a pipe) is
    written straight through.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "a.txt")
    >>> with atomic_write(path) as file:
    ...     _ = file.write(b"all of it")
    >>> path.read_text()
    'all of it'
    """
    target = Path(path)
    with _through(target) if _is_stream(target) else _beside(target) as file:
        yield file


def _is_stream(target: Path) -> bool:
    """Whether something is there that cannot be replaced; a folder is refused."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return False
    except OSError as error:
        raise _unwritable(target, error) from None
    if stat.S_ISDIR(mode):
        raise InvalidInput(f"{target} cannot be written: it is a folder; name a file.")
    # /dev/stdout is a stream also where the shell has put a file behind it.
    return not stat.S_ISREG(mode) or any(map(target.absolute().is_relative_to, STREAMS))


@contextlib.contextmanager
def _through(target: Path) -> Iterator[IO[bytes]]:
    try:
        handle = os.open(target, os.O_WRONLY | os.O_APPEND)
    except OSError as error:
        raise _unwritable(target, error) from None
    with os.fdopen(handle, "wb") as file:
        yield file


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[IO[bytes]]:
    place = Path(os.path.realpath(target))
    try:
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    except OSError as error:
        raise _unwritable(target, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode(place))
        os.replace(name, place)
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
    """Write bytes, atomically."""
    try:
        with atomic_write(path) as file:
            file.write(data)
    except BrokenPipeError:  # whoever read it went away
        raise
    except OSError as error:  # the disk is full, perhaps
        raise _unwritable(Path(path), error) from None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8, atomically."""
    write_bytes(path, text.encode("utf-8"))
