"""Atomic writing of files."""

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
    "writable_folder",
    "write_bytes",
    "write_text",
]

STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd", "/proc")  # written through, never replaced
MAX_NAME_LETTERS = 150  # of a file name kept in a temporary one, which may have 255 in all
_SWEPT: set[Path] = set()  # targets whose leftovers this process has removed already


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary file beside `path` that takes its place when the block ends well.

    A symbolic link stays, and the file that it names is replaced. Devices and pipes are written
    straight through.

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
    """True if the target is a device or pipe, which cannot be replaced; a folder is refused."""
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
    """Open a stream for writing."""
    try:
        handle = os.open(target, os.O_WRONLY | os.O_APPEND)
    except OSError as error:
        raise unwritable(target, error) from None
    with os.fdopen(handle, "wb") as file:
        yield file


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file in the target's folder, which replaces it in the end."""
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
    """Prefix of temporary files for `name`: the name, the machine and the process."""
    return f"{name[:MAX_NAME_LETTERS]}.{_machine()}-{os.getpid()}-"


def remove_left_behind(place: Path) -> None:
    """Remove temporary files of `place` whose process, on this machine, has ended.

    A process that is killed cannot remove its own. Each place is searched once in a process.
    """
    if place in _SWEPT or os.name != "posix":
        return
    _SWEPT.add(place)
    ours = re.compile(re.escape(f"{place.name[:MAX_NAME_LETTERS]}.{_machine()}-") + r"(\d+)-\w+")
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
    """True if a process of this number runs on this machine."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's: leave its files alone
        return True
    return True


def unwritable(target: Path, error: OSError) -> InvalidInput:
    """The error for a file that cannot be written."""
    return InvalidInput(
        f"{target} cannot be written: {error.strerror or error}; name a file in a folder that "
        "exists and can be written."
    )


def _mode(target: Path) -> int:
    """Permissions of the file that is replaced, or those of a new file."""
    try:
        return target.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)  # it can be read only by setting it
        os.umask(mask)
        return 0o666 & ~mask


def write_bytes(path: str | os.PathLike[str], data: bytes) -> Path:
    """Write bytes to a file, atomically, and return its path."""
    try:
        with atomic_write(path) as file:
            file.write(data)
    except BrokenPipeError:  # whoever read it went away
        raise
    except OSError as error:  # the disk is full, perhaps
        raise unwritable(Path(path), error) from None
    return Path(path)


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write text in UTF-8 to a file that takes its place when all is written; return its path.

    Examples
    --------
    >>> import tempfile
    >>> write_text(os.path.join(tempfile.mkdtemp(), "a.txt"), "whole").read_text()
    'whole'
    """
    return write_bytes(path, text.encode("utf-8"))


def writable_folder(path: str | os.PathLike[str]) -> Path:
    """Folder of that path, made if absent; InvalidInput if no file can be written to it."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):  # now, not after minutes of work
            pass
    except OSError as error:
        raise InvalidInput(
            f"the folder {folder} cannot be written: {error.strerror or error}."
        ) from None
    return folder
