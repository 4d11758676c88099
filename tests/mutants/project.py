"""What is mutated: a package in rooms, with its tests, in a copy where nothing else is changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .changes import Change, changes, mutated

__all__ = ["Project", "folder_of", "is_compiled"]

KERNELS = "kernels"  # the name of each folder of compiled functions, and of all in reports
APPS = "apps"  # each folder in it is a room
ELSEWHERE = ("engines/cuda", "apps/__init__.py")  # needs a device; nothing to change
TEST_DATA = ("example", "examples")  # functions that tests alone call
COPIED = ("src", "tests", "docs", "examples", "benchmarks")
NOT_COPIED = {"__pycache__", "_build", "generated", "auto_examples"}
ROOM = 4096  # bytes added to a file with compiled functions, that a longer mutant may take


def is_compiled(file: str | Path) -> bool:
    """Whether a file of the package holds compiled functions."""
    return Path(file).parent.name == KERNELS


def folder_of(file: str) -> str:
    """The folder of a file's room, in the package and in the tests: `regions`, `apps/traffic`."""
    folders = file.split("/")[:-1]
    return "/".join(folders[: 2 if folders[0] == APPS else 1])


@dataclass(frozen=True)
class Project:
    """A checkout, its package, and the folder where the copy and its kernels are kept."""

    root: Path
    package: Path  # from the root
    scratch: Path

    @property
    def tree(self) -> Path:
        return self.scratch / "tree"

    @cached_property
    def texts(self) -> dict[str, str]:
        """Python files of the package, by their path in it."""
        folder = self.root / self.package
        return {
            path.relative_to(folder).as_posix(): path.read_text()
            for path in sorted(folder.rglob("*.py"))
        }

    def rooms(self) -> dict[str, list[str]]:
        """Files by the room that is told apart in reports."""
        found: dict[str, list[str]] = {}
        for file in self.texts:
            if "/" in file and not file.startswith(ELSEWHERE):
                room = KERNELS if is_compiled(file) else Path(folder_of(file)).name
                found.setdefault(room, []).append(file)
        return found

    def changes(self, room: str) -> list[Change]:
        """All changes in a room, but for those in the data of tests."""
        every = [c for file in self.rooms()[room] for c in changes(file, self.texts[file])]
        return [c for c in every if c.function.rpartition(".")[2] not in TEST_DATA]

    def copy(self) -> None:
        """Bring the copy to the state of the checkout."""
        there = set(self._names())
        for path in [path for path in self.tree.rglob("*.py") if path.is_file()]:
            if path.relative_to(self.tree) not in there:
                path.unlink()
        for name in there:
            self._copy_file(name)

    def _names(self) -> Iterator[Path]:
        """Files that the tests may need, from the root."""
        for path in self.root.iterdir():
            if path.is_file() and not path.name.startswith("."):
                yield path.relative_to(self.root)
        for folder in COPIED:
            for path in (self.root / folder).rglob("*"):
                if path.is_file() and not NOT_COPIED.intersection(path.parts):
                    yield path.relative_to(self.root)

    def _copy_file(self, name: Path) -> None:
        here, place = self.root / name, self.tree / name
        if place.is_file() and place.stat().st_mtime_ns == here.stat().st_mtime_ns:
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(here, place)
        if name.is_relative_to(self.package) and is_compiled(name) and name.suffix == ".py":
            _fill(place, here.read_text(), here.stat().st_size + ROOM)
        os.utime(place, ns=(here.stat().st_mtime_ns,) * 2)

    @contextmanager
    def changed(self, change: Change) -> Iterator[None]:
        """The copy with one change; size and time of the file stay, by which Numba knows it."""
        place = self.tree / self.package / change.file
        text, stat = place.read_bytes(), place.stat()
        try:
            new = mutated(self.texts[change.file], change)
            _fill(place, new, stat.st_size if is_compiled(change.file) else 0)
            os.utime(place, ns=(stat.st_atime_ns, stat.st_mtime_ns))
            _forget(place)
            yield
        finally:
            place.write_bytes(text)
            os.utime(place, ns=(stat.st_atime_ns, stat.st_mtime_ns))
            _forget(place)


def _fill(place: Path, text: str, size: int) -> None:
    """Write a text, with a comment at its end up to that size."""
    data = text.encode()
    place.write_bytes(data + b"#" * (size - len(data)))


def _forget(place: Path) -> None:
    """Python's own compiled file goes by size and time too."""
    for path in (place.parent / "__pycache__").glob(f"{place.stem}.*.pyc"):
        path.unlink()
