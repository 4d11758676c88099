"""Unpacked bytes of a file in blocks of whole lines, read ahead by a thread; pipes."""

from __future__ import annotations

import glob
import io
import os
import stat
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PosixPath
from typing import IO

from frankwolfe.base.budget import Budget
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files import opened, reading, remove_left_behind, temporary_prefix
from frankwolfe.datasets.readers.table import Request

__all__ = [
    "BOM",
    "beginning",
    "checked",
    "files_of",
    "inner_suffix",
    "line_blocks",
]

BOM = b"\xef\xbb\xbf"
BLOCK = 1 << 20  # unpacked bytes read at once; a block is parsed while the next one is read
PARSED_BYTES_PER_BYTE = 16  # memory that a byte of a line may take while it is parsed
SPOOL = "frankwolfe-pipe"
PACKED = (".gz", ".bz2", ".xz")


def inner_suffix(path: Path) -> str:
    """The suffix below that of a compression, in small letters: '.csv' of 'a.CSV.gz'."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


class _Spooled(PosixPath):
    """Path of a temporary file with the content of a pipe; shown by the name of the pipe.

    The file is removed when this path is no longer referenced.
    """

    pipe: Path
    place: str

    def __fspath__(self) -> str:
        return self.place

    def __str__(self) -> str:
        return str(self.pipe)


def checked(path: str | os.PathLike[str], budget: Budget | None = None) -> Path:
    """Path of a file that exists and is not empty; a pipe is read into a temporary file first."""
    found = path if isinstance(path, Path) else Path(path)
    with reading(found):
        mode = found.stat().st_mode
        if stat.S_ISDIR(mode):
            raise InvalidInput(f"{found} is a folder: name a file in it.")
        if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
            found = _spooled(found, Budget.of() if budget is None else Budget(budget.limit))
        elif not stat.S_ISREG(mode):
            raise InvalidInput(f"{found} is not a file: name a file or a pipe.")
        if found.stat().st_size == 0:
            raise InvalidInput(f"{found} is empty.")
    return found


def files_of(files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """Absolute paths of the files that names and patterns mean, each once, patterns in order.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from frankwolfe.datasets.readers.source import files_of
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("b.csv", "a.csv"):
    ...     _ = (folder / name).write_text("1,2")
    >>> [Path(name).name for name in files_of(folder / "*.csv")]
    ['a.csv', 'b.csv']
    """
    given = [files] if isinstance(files, str | os.PathLike) else list(files)
    found: dict[str, None] = {}
    for name in (str(os.fspath(one)) for one in given):
        there = [name] if Path(name).exists() else sorted(glob.glob(name, recursive=True))
        there = [path for path in there if path == name or not Path(path).is_dir()]
        if not there:
            raise InvalidInput(f"there is no file {name}.")
        found.update(dict.fromkeys(there))
    return [str(checked(name).absolute()) for name in found]  # wherever a worker was started


def _spooled(pipe: Path, budget: Budget) -> Path:
    """Read a pipe or a terminal into a temporary file, within the budget."""
    with open(pipe, "rb") as source:
        if stat.S_ISCHR(os.fstat(source.fileno()).st_mode) and not source.isatty():
            what = "is a device, and has no end" if source.read(1) else "is empty"
            raise InvalidInput(f"{pipe} {what}: name a file or a pipe.")
        remove_left_behind(Path(tempfile.gettempdir(), SPOOL))
        handle, place = tempfile.mkstemp(prefix=temporary_prefix(SPOOL))
        path = _Spooled(place)
        path.pipe, path.place = pipe, place
        weakref.finalize(path, os.unlink, place)
        with os.fdopen(handle, "wb") as file:
            while block := source.read(BLOCK):
                budget.hold(len(block), pipe)
                file.write(block)
    return path


def beginning(path: Path, size: int = 65536) -> bytes:
    """First bytes of the unpacked file; fewer where it is damaged further on."""
    with reading(path), opened(path) as (file, _):
        start, whole = _read(file, size)
        if not start and not whole:
            raise EOFError
        return start


def line_blocks(request: Request) -> Iterator[bytes]:
    """Blocks of whole lines of the unpacked file; a line's end is added to the last one."""
    path, ahead = request.path, ThreadPoolExecutor(1)
    try:
        with reading(path), opened(path) as (file, raw):
            yield from _blocks(request, file, raw, ahead)
    finally:
        # wait=False: an abandoned generator may be collected while some thread is being started.
        # That holds a lock which the end of our thread needs, and waiting for it would deadlock.
        ahead.shutdown(wait=False, cancel_futures=True)


def _blocks(
    request: Request, file: IO[bytes], raw: IO[bytes], ahead: ThreadPoolExecutor
) -> Iterator[bytes]:
    """Blocks of whole lines of an open file, the next of which a thread reads meanwhile."""
    path, total = request.path, os.fstat(raw.fileno()).st_size
    coming = ahead.submit(_read, file, BLOCK)
    rest: list[bytes] = []  # beginning of a line that goes on in the next block
    lines = 1
    while True:
        more, whole = coming.result()
        done = raw.tell()
        lines += more.count(b"\n")
        if not whole:
            raise InvalidInput(f"{path} is cut short: its compressed data end in line {lines}.")
        if not more:
            break
        coming = ahead.submit(_read, file, BLOCK)
        end = more.rfind(b"\n") + 1
        if end == 0:
            rest.append(more)
            request.budget.need(PARSED_BYTES_PER_BYTE * BLOCK * len(rest), f"{path}, line {lines},")
            continue
        request.budget.share = min(done / total, 1.0)
        yield b"".join([*rest, more[:end]])
        rest = [more[end:]]
        request.say(min(done, total), total)
    request.budget.share = 1.0
    if any(rest):
        yield b"".join([*rest, b"\n"])
    request.say(total, total)


def _read(file: IO[bytes], wanted: int) -> tuple[bytes, bool]:
    """Up to `wanted` bytes, and False if the compressed data ended too early."""
    with io.BytesIO() as parts:
        try:
            while parts.tell() < wanted and (
                part := file.read1(wanted - parts.tell())  # type: ignore[attr-defined]
            ):
                parts.write(part)
        except EOFError:
            return parts.getvalue(), False
        return parts.getvalue(), True
