"""Limits of memory, checked before it is taken: a small file cannot make us ask for all of it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from frankwolfe.base.errors import InvalidInput

__all__ = ["Budget", "as_bytes", "check_room", "memory_left", "size_in_words"]

USABLE_SHARE = 0.5  # of the free memory: the rest is for the work with what was read
UNCHECKED_BYTES = 1 << 26  # requests up to this are granted without asking the system
ASSUMED_FREE_BYTES = 4 << 30  # where the system does not tell
UNITS = {"": 1, "b": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
UNITS |= {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}
SIZE = re.compile(r"(\d+\.?\d*|\.\d+)\s*([kmgt]i?)?b?", re.IGNORECASE)
CGROUPS = Path("/sys/fs/cgroup")


@dataclass(eq=False)
class Budget:
    """Number of bytes that a file may take in memory, and that it has taken so far.

    Attributes
    ----------
    limit : int
        Largest number of bytes allowed.
    held : int
        Bytes taken so far.
    share : float
        Fraction of the file that has been read, where known; held / share estimates what the
        whole file will take.
    """

    limit: int
    held: int = 0
    share: float = 1.0

    @classmethod
    def of(cls, given: object = None) -> Budget:
        """Budget of a number of bytes or a text such as "4GB"; by default half the free memory."""
        return cls(int(USABLE_SHARE * memory_left()) if given is None else as_bytes(given))

    def hold(self, size: int, whose: object) -> None:
        """Take `size` bytes, or raise an error that names `whose` file."""
        self.held += size
        self.need(0, whose)
        ahead = self.held / max(self.share, 1e-9)
        if ahead > 2 * self.limit:  # lines differ: only a clear excess is told beforehand
            self._refuse(ahead, whose)

    def need(self, size: float, whose: object) -> None:
        """Raise an error if `size` more bytes would exceed the limit."""
        if self.held + size > self.limit:
            self._refuse(self.held + size, whose)

    def _refuse(self, size: float, whose: object) -> None:
        raise InvalidInput(
            f"{whose} would take about {size_in_words(size)} of memory, and "
            f"{size_in_words(self.limit)} may be taken: allow more by --max-memory (max_memory=), "
            "or give less data."
        )


def check_room(size: float, what: str, instead: str) -> None:
    """Raise an error if arrays of `size` bytes, set by numbers of the caller, need too much memory.

    Examples
    --------
    >>> from frankwolfe.base.budget import check_room
    >>> check_room(8e15, "a vector of 10^15 entries", "pass a shorter one")
    Traceback (most recent call last):
        ...
    frankwolfe.base.errors.InvalidInput: a vector of 10^15 entries would take about 8000 TB ...
    """
    if size <= UNCHECKED_BYTES or size <= (limit := USABLE_SHARE * memory_left()):
        return
    raise InvalidInput(
        f"{what} would take about {size_in_words(size)} of memory, and {size_in_words(limit)} may "
        f"be taken: {instead}."
    )


def as_bytes(given: object) -> int:
    """Number of bytes from a number, or a text such as 500M, 4GB or 1.5GiB."""
    if isinstance(given, str):
        found = SIZE.fullmatch(given.strip())
        size = float(found[1]) * UNITS[(found[2] or "").lower()] if found else 0.0
    elif isinstance(given, int | float) and not isinstance(given, bool):
        size = float(given)
    else:
        size = 0.0
    if not 1.0 <= size < 2.0**62:
        raise InvalidInput(
            f"max_memory must be a number of bytes, or a text such as 500M or 4GB, got {given!r}."
        )
    return int(size)


def size_in_words(size: float) -> str:
    """Text for a number of bytes, in the largest unit of which it is at least one.

    Examples
    --------
    >>> from frankwolfe.base.budget import size_in_words
    >>> size_in_words(512), size_in_words(2_340_000), size_in_words(71e9)
    ('512 bytes', '2.3 MB', '71 GB')
    """
    for unit, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.{1 if size < 10 * unit else 0}f} {name}"
    return f"{int(size)} bytes"


def memory_left() -> int:
    """Free bytes for this process: the least of its machine's, container's and own limits."""
    return max(min(_of_machine(), _of_container(), _of_process()), 1 << 20)


def _of_machine() -> int:
    try:
        found = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
        if found:
            return int(found[1]) << 10
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):  # no such file, no such name, no sysconf
        return ASSUMED_FREE_BYTES


def _of_container() -> int:
    """Free bytes in the tightest control group around this process; 2^62 if there is none."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return 1 << 62
    left = [1 << 62]
    for line in lines:
        _, kinds, place = line.split(":", 2)
        if kinds == "":  # version 2
            root, files = CGROUPS, ("memory.max", "memory.current")
        elif "memory" in kinds.split(","):
            root = CGROUPS / "memory"
            files = ("memory.limit_in_bytes", "memory.usage_in_bytes")
        else:
            continue
        folder = root / place.strip("/")
        groups = [group for group in (folder, *folder.parents) if group.is_relative_to(root)]
        left += [_group(group, *files) for group in groups]
    return min(left)


def _group(folder: Path, most: str, used: str) -> int:
    """Free bytes in one control group, cached pages of files counted as free."""
    try:
        limit, now = int((folder / most).read_text()), int((folder / used).read_text())
        stat = (folder / "memory.stat").read_text()
    except (OSError, ValueError):  # no such group, or no limit
        return 1 << 62
    found = re.search(r"(?m)^inactive_file (\d+)$", stat)
    return max(limit - now + (int(found[1]) if found else 0), 0)


def _of_process() -> int:
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most == resource.RLIM_INFINITY:
            return 1 << 62
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError):
        return 1 << 62
    return max(int(most) - used, 0)
