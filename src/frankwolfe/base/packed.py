"""Reading of files that may be compressed, with errors as sentences."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, TypeAlias

from frankwolfe.base.errors import InvalidInput

__all__ = ["opened", "reading"]

Opener: TypeAlias = Any
"""One of gzip.open, bz2.open and lzma.open, whose overloads have no common type."""

MAGIC: dict[bytes, Opener] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}


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
    except OSError as error:
        words = str(error.strerror or error).splitlines() or ["it is damaged"]
        raise InvalidInput(f"{path} cannot be read: {words[0].rstrip('.')}.") from None


@contextlib.contextmanager
def opened(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a file: its unpacked bytes, and the file itself, whose position is the progress.

    The kind of compression is told by the first bytes, not by the name.
    """
    with open(path, "rb") as raw:
        start = raw.peek(6)[:6]
        unpack = next((by for magic, by in MAGIC.items() if start.startswith(magic)), None)
        if unpack is None:
            yield raw, raw
            return
        with unpack(raw, "rb") as file:
            yield file, raw
