"""Which tests call which function of the package, and what they take.

The source is run with a mark at the head of each function. Compiled functions have none: they are
found through the Python functions that call them.
"""

from __future__ import annotations

import ast
import builtins
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .child import run_tests
from .kernels import clean_store, compiled_files
from .project import Project

__all__ = ["Calls", "Seen", "marked", "record", "recorded"]

HITS = "_functions_called"
LONG = 60.0  # seconds for a test that is worth its time here


@dataclass(frozen=True)
class Seen:
    """A test that passed: its seconds, and the numbers of the functions it called, as bits."""

    test: str
    seconds: float
    functions: int


class Calls:
    """What is known of tests so far, and the number of each function, named as file:name."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.seen: list[Seen] = []

    def calling(self, functions: set[str]) -> list[Seen]:
        """Tests that call one of the functions."""
        wanted = sum(1 << self.numbers[name] for name in functions if name in self.numbers)
        return [seen for seen in self.seen if seen.functions & wanted]


def marked(file: str, text: str) -> str:
    """The source where each function adds its name to a set."""
    tree = ast.parse(text)
    _mark(tree, file, "")
    start = ast.parse(f"import builtins\n{HITS} = builtins.__dict__.setdefault('{HITS}', set())")
    future = [
        place
        for place, node in enumerate(tree.body)
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]
    place = max(future, default=-1 if ast.get_docstring(tree) is None else 0) + 1
    tree.body[place:place] = start.body
    return ast.unparse(ast.fix_missing_locations(tree))


def _mark(node: ast.AST, file: str, above: str) -> None:
    for child in ast.iter_child_nodes(node):
        name = above
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            name = f"{above}.{child.name}" if above else child.name
        _mark(child, file, name)
        if isinstance(child, ast.FunctionDef):
            mark = ast.parse(f"{HITS}.add({f'{file}:{name}'!r})").body
            place = 0 if ast.get_docstring(child, clean=False) is None else 1
            child.body[place:place] = mark


class _Recorder:
    """Writes a line for each test that passes; what a shared fixture calls counts for its users."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._passed = True
        self._numbers: dict[str, int] = {}
        self._shared: dict[str, set[str]] = {}  # by the name of the fixture

    @property
    def hits(self) -> set[str]:
        found: set[str] = builtins.__dict__.setdefault(HITS, set())
        return found

    def _write(self, test: str, seconds: float, hits: set[str]) -> None:
        new = sorted(hits - self._numbers.keys())
        for name in new:
            self._numbers[name] = len(self._numbers)
        numbers = sorted(self._numbers[name] for name in hits)
        with self.path.open("a") as file:
            file.write(json.dumps([test, round(seconds, 3), new, numbers]) + "\n")

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: Any) -> Iterator[None]:
        self.hits.clear()
        report = yield
        if isinstance(collector, pytest.Module):
            self._write(collector.nodeid, 0.0, self.hits)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        before = set(self.hits)
        self.hits.clear()
        done = yield
        if fixturedef.scope != "function":
            self._shared[fixturedef.argname] = set(self.hits)
        self.hits.update(before)
        return done

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.hits.clear()
        self._passed, began = True, sum(os.times()[:4])
        done = yield
        if self._passed:
            names = getattr(item, "fixturenames", ())
            shared = set().union(*(self._shared.get(name, set()) for name in names))
            self._write(item.nodeid, sum(os.times()[:4]) - began, self.hits | shared)
        return done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._passed = self._passed and report.passed


def record(project: Project, part: str, seconds: float) -> int:
    """Run a file or folder of tests over marked source; what they call is kept in the scratch."""
    path = _path(project, part)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    project.copy()
    folder = project.tree / project.package
    kept = {}
    for file, text in project.texts.items():
        if file not in compiled_files(project):
            place = folder / file
            kept[place] = place.stat()
            place.write_text(marked(file, text))
    environment = {
        "NUMBA_CACHE_DIR": str(clean_store(project)),
        "PYTHONPATH": str(project.tree / "src"),
    }
    log = path.with_suffix(".log")
    try:
        return run_tests(
            project.tree, ["--maxfail=10000", part], _Recorder(path), log, environment, seconds
        )
    finally:
        for place, stat in kept.items():
            place.write_text(project.texts[place.relative_to(folder).as_posix()])
            os.utime(place, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def _path(project: Project, part: str) -> Path:
    return project.scratch / "calls" / f"{part.replace('/', '_')}.jsonl"


def recorded(project: Project) -> Calls:
    """The calls of all tests that were recorded."""
    calls = Calls()
    for path in sorted((project.scratch / "calls").glob("*.jsonl")):
        names: list[str] = []
        for line in path.read_text().splitlines():
            test, seconds, new, numbers = json.loads(line)
            names += new
            mask = 0
            for number in numbers:
                mask |= 1 << calls.numbers.setdefault(names[number], len(calls.numbers))
            if seconds <= LONG:
                calls.seen.append(Seen(test, seconds, mask))
    return calls
