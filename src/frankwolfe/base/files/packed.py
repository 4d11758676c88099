"""Reading of files that may be compressed or in a zip archive, with errors as sentences."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, TypeAlias

from frankwolfe.base.budget import Budget
from frankwolfe.base.errors import InvalidInput

__all__ = ["opened", "reading"]

Opener: TypeAlias = Any
"""One of gzip.open, bz2.open and lzma.open, whose overloads have no common type."""

MAGIC: dict[bytes, Opener] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
ZIP = b"PK\x03\x04"
ARCHIVES = (".zip", ".whl")  # suffixes of what must be an archive: a broken one is no text
COPIES_OF_MEMBER = 3  # its bytes, and what is made of them: memory is checked before it is read


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Context that turns errors of reading `path` into an `InvalidInput` of one sentence."""
    try:
        yield
    except FileNotFoundError:
        raise InvalidInput(f"there is no file {path}.") from None
    except IsADirectoryError:
        raise InvalidInput(f"{path} is a folder: name a file in it.") from None
    except PermissionError:
        raise InvalidInput(f"{path} cannot be read: you have no permission.") from None
    except EOFError:
        raise InvalidInput(f"{path} is cut short: its compressed data end in line 1.") from None
    except (gzip.BadGzipFile, lzma.LZMAError, zlib.error) as error:
        raise InvalidInput(f"{path} is damaged: {error}.") from None
    except zipfile.BadZipFile as error:
        raise InvalidInput(f"{path} cannot be read: {str(error).rstrip('.')}.") from None
    except OSError as error:
        words = str(error.strerror or error).splitlines() or ["it is damaged"]
        raise InvalidInput(f"{path} cannot be read: {words[0].rstrip('.')}.") from None


@contextlib.contextmanager
def opened(path: Path, member: str | None = None) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a file: its unpacked bytes, and the file itself, whose position is the progress.

    The kind of compression is told by the first bytes, not by the name. A zip archive is unpacked
    where `member` names a file in it, by its path or the end of one (the file in the fewest folders
    if there are several; "" is the only file), and else given as it is: an npz file is one, too.

    Raises
    ------
    zipfile.BadZipFile
        If an archive is damaged, needs a password, or has no such file.
    """
    with open(path, "rb") as raw:
        start = raw.peek(6)[:6]
        if member is not None and (start.startswith(ZIP) or path.suffix in ARCHIVES):
            with zipfile.ZipFile(raw) as archive, _member(archive, path, member) as file:
                yield file, raw
            return
        unpack = next((by for magic, by in MAGIC.items() if start.startswith(magic)), None)
        if unpack is None:
            yield raw, raw
            return
        with unpack(raw, "rb") as file:
            yield file, raw


def _member(archive: zipfile.ZipFile, path: Path, name: str) -> IO[bytes]:
    """Open the only file of an archive, or the one of that name; its size is checked before."""
    files = [info for info in archive.infolist() if not info.is_dir()]
    if not name and len(files) != 1:
        raise InvalidInput(f"{path} must be a zip archive of one file, got {len(files)}.")
    found = [info for info in files if not name or f"/{info.filename}".endswith(f"/{name}")]
    if not found:
        raise zipfile.BadZipFile(f"it has no {name}")
    info = min(found, key=lambda info: info.filename.count("/"))
    Budget.of().need(COPIES_OF_MEMBER * info.file_size, path)
    try:
        return archive.open(info)
    except RuntimeError as error:  # a password, or an unknown compression
        raise zipfile.BadZipFile(str(error)) from None
