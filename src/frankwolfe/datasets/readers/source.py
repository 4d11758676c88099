"""Bytes of a file, unpacked, in blocks of whole lines, read ahead by a thread."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import shutil
import stat
import tempfile
import weakref
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PosixPath
from typing import IO, Any

from frankwolfe.datasets.readers.table import Request
from frankwolfe.numerics.errors import InvalidInput

__all__ = ["BOM", "beginning", "checked", "inner_suffix", "line_blocks", "opened", "reading"]

BOM = b"\xef\xbb\xbf"
BLOCK = 1 << 20
PACKED = (".gz", ".bz2", ".xz")
MAGIC: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}


def inner_suffix(path: Path) -> str:
    """The suffix below that of a compression, in small letters: '.csv' of 'a.CSV.gz'."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


class _Spooled(PosixPath):
    """What came through a pipe, in a file that lives as long as this path; named as the pipe is."""

    pipe: Path
    place: str

    def __fspath__(self) -> str:
        return self.place

    def __str__(self) -> str:
        return str(self.pipe)


def checked(path: str | os.PathLike[str]) -> Path:
    """The path of a file that is there, is a file, and is not empty; a pipe is read into one."""
    found = path if isinstance(path, Path) else Path(path)
    with reading(found):
        mode = found.stat().st_mode
        if stat.S_ISDIR(mode):
            raise InvalidInput(f"{found} is a folder: name a file in it.")
        if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
            found = _spooled(found)
        size = found.stat()
        if stat.S_ISREG(size.st_mode) and size.st_size == 0:
            raise InvalidInput(f"{found} is empty.")
    return found


def _spooled(pipe: Path) -> Path:
    """The whole of a pipe or a terminal in a temporary file; another device as it is."""
    with open(pipe, "rb") as source:
        if stat.S_ISCHR(os.fstat(source.fileno()).st_mode) and not source.isatty():
            return pipe
        handle, place = tempfile.mkstemp()
        path = _Spooled(place)
        path.pipe, path.place = pipe, place
        weakref.finalize(path, os.unlink, place)
        with os.fdopen(handle, "wb") as file:
            shutil.copyfileobj(source, file, BLOCK)
    return path


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """What may go wrong with a file, in one sentence."""
    try:
        yield
    except FileNotFoundError:
        raise InvalidInput(f"there is no file {path}.") from None
    except PermissionError:
        raise InvalidInput(f"{path} cannot be read: you have no permission.") from None
    except EOFError:
        raise InvalidInput(f"{path} is cut short: its compressed data end in line 1.") from None
    except (gzip.BadGzipFile, lzma.LZMAError, zlib.error) as error:
        raise InvalidInput(f"{path} is damaged: {error}.") from None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror or error}.") from None


@contextlib.contextmanager
def opened(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The unpacked file, and the file itself, whose position is the progress."""
    with open(path, "rb") as raw:
        start = raw.peek(6)[:6]
        unpack = next((by for magic, by in MAGIC.items() if start.startswith(magic)), None)
        if unpack is None:
            yield raw, raw
            return
        with unpack(raw, "rb") as file:
            yield file, raw


def beginning(path: Path, size: int = 65536) -> bytes:
    """The first bytes of the unpacked file; fewer where it is damaged further on."""
    with reading(path), opened(path) as (file, _):
        start, whole = _read(file, size)
        if not start and not whole:
            raise EOFError
        return start


def line_blocks(request: Request) -> Iterator[bytes]:
    """Blocks of the unpacked file that end with a line's end; the last one gets one."""
    path = request.path
    with reading(path), opened(path) as (file, raw), ThreadPoolExecutor(1) as ahead:
        total = os.fstat(raw.fileno()).st_size
        coming = ahead.submit(_read, file, BLOCK)
        rest, lines = b"", 1
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
                rest += more
                continue
            yield rest + more[:end]
            rest = more[end:]
            request.say(min(done, total), total)
        if rest:
            yield rest + b"\n"
        request.say(total, total)


def _read(file: IO[bytes], wanted: int) -> tuple[bytes, bool]:
    """So many bytes or all that are left, and whether the file did not end too early."""
    with io.BytesIO() as parts:
        try:
            while parts.tell() < wanted and (
                part := file.read1(wanted - parts.tell())  # type: ignore[attr-defined]
            ):
                parts.write(part)
        except EOFError:
            return parts.getvalue(), False
        return parts.getvalue(), True
