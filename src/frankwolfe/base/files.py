"""Files that are written atomically."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from frankwolfe.base.errors import InvalidInput

__all__ = [
    "atomic_write",
    "remove_left_behind",
    "temporary_prefix",
    "unwritable",
    "write_bytes",
    "write_text",
]

STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd", "/proc")
LONGEST = 150  # letters of a name, so that a temporary one is not too long
_SWEPT: set[Path] = set()  # what this process has looked for already


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
        raise unwritable(target, error) from None
    if stat.S_ISDIR(mode):
        raise InvalidInput(f"{target} cannot be written: it is a folder; name a file.")
    # /dev/stdout is a stream also where the shell has put a file behind it.
    return not stat.S_ISREG(mode) or any(map(target.absolute().is_relative_to, STREAMS))


@contextlib.contextmanager
def _through(target: Path) -> Iterator[IO[bytes]]:
    try:
        handle = os.open(target, os.O_WRONLY | os.O_APPEND)
    except OSError as error:
        raise unwritable(target, error) from None
    with os.fdopen(handle, "wb") as file:
        yield file


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[IO[bytes]]:
    place = Path(os.path.realpath(target))
    remove_left_behind(place.with_name(f".{place.name}"))
    try:
        prefix = temporary_prefix(f".{place.name}")
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=prefix)
    except OSError as error:
        raise unwritable(target, error) from None
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


def temporary_prefix(name: str) -> str:
    """How a temporary file for `name` begins: with whose it is, the machine and the process."""
    return f"{name[:LONGEST]}.{_machine()}-{os.getpid()}-"


def remove_left_behind(place: Path) -> None:
    """Remove the temporary files of `place` whose process on this machine is gone.

    A process that is killed cannot remove its own. They are looked for once in a process.
    """
    if place in _SWEPT or os.name != "posix":
        return
    _SWEPT.add(place)
    ours = re.compile(re.escape(f"{place.name[:LONGEST]}.{_machine()}-") + r"(\d+)-\w+")
    with contextlib.suppress(OSError), os.scandir(place.parent) as found:
        for entry in found:
            owner = ours.fullmatch(entry.name)
            if owner is None or _is_alive(int(owner[1])):
                continue
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
                else:
                    os.unlink(entry.path)


def _machine() -> str:
    """The name of this machine, in letters and digits."""
    return re.sub(r"[^A-Za-z0-9]", "", platform.node())[:24] or "host"


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's
        return True
    return True


def unwritable(target: Path, error: OSError) -> InvalidInput:
    """What to say of a file that cannot be written."""
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
        raise unwritable(Path(path), error) from None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8, atomically."""
    write_bytes(path, text.encode("utf-8"))
