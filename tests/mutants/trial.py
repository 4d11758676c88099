"""One mutant: the tests that may notice it, the quick and near ones first, until one fails."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

import pytest

from .changes import Change
from .child import STOPPED, run_tests
from .coverage import Calls, Seen
from .kernels import clean_store, python_users, store
from .project import Project, folder_of

__all__ = ["Outcome", "chosen", "try_out", "without_false_alarms"]

START = 60.0  # seconds to import and collect, with little compiled
SLOWER = 4.0  # a mutant may take so many times as long before it counts as one that hangs


@dataclass(frozen=True)
class Outcome:
    """How a mutant ended (noticed, hangs, survived, never called), by which of how many tests."""

    change: Change
    end: str
    test: str = ""
    tests: int = 0


def chosen(project: Project, calls: Calls, change: Change, seconds: float) -> list[Seen]:
    """Tests that call what is changed, of the same room first, as many as there is time for.

    One of each test function comes before the second of any, and the cheap ones first.
    """
    names = {f"{change.file}:{change.function}", *python_users(project, change)}
    found = calls.calling(names)
    if not change.function or not found:  # a class or module: whoever calls something of it
        above = f"{change.file}:{change.function}"
        found += calls.calling({name for name in calls.numbers if name.startswith(above)})
    if not found:
        found = calls.calling({n for n in calls.numbers if n.startswith(f"{change.file}:")})
    room = folder_of(change.file)
    groups: dict[str, list[Seen]] = defaultdict(list)
    for seen in sorted(set(found), key=lambda seen: seen.seconds):
        groups[seen.test.partition("[")[0]].append(seen)
    near = sorted(groups.values(), key=lambda group: (_far(room, group[0].test), group[0].seconds))
    taken, left = [], seconds
    for turn in zip_longest(*near):
        for seen in turn:
            if seen is not None and (seen.seconds <= left or not taken):
                taken.append(seen)
                left -= seen.seconds
    return taken


def _far(room: str, test: str) -> bool:
    return not test.startswith((f"tests/{room}/", f"src/frankwolfe/{room}/"))


class _Only:
    """Runs the chosen tests, in that order,"""

    def __init__(self, tests: list[Seen]) -> None:
        self._places = {seen.test: place for place, seen in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        whole = {name for name in self._places if "::" not in name}
        kept = [
            item
            for item in items
            if item.nodeid in self._places or item.nodeid.partition("::")[0] in whole
        ]
        items[:] = sorted(kept, key=lambda item: self._places.get(item.nodeid, len(self._places)))


def run(
    project: Project, tests: list[Seen], kernels: Path, seconds: float, most: int = 1
) -> tuple[int, list[str]]:
    """Pytest's status, and the tests that failed, up to so many."""
    files = list(dict.fromkeys(seen.test.partition("::")[0] for seen in tests))
    log = project.scratch / "mutant.log"
    environment = {
        "NUMBA_CACHE_DIR": str(kernels),
        "PYTHONPATH": str(project.tree / "src"),
    }
    options = [f"--maxfail={most}", *files]
    status = run_tests(project.tree, options, _Only(tests), log, environment, seconds)
    output = log.read_text(errors="replace")
    return status, re.findall(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", output, re.MULTILINE)


def try_out(
    project: Project, calls: Calls, change: Change, seconds: float, start: float = START
) -> Outcome:
    """Run the tests that may notice a change."""
    tests = chosen(project, calls, change, seconds)
    if not tests:
        return Outcome(change, "never called")
    cost = sum(seen.seconds for seen in tests)
    with project.changed(change), store(project, change) as folder:
        status, failed = run(project, tests, folder, start + SLOWER * cost)
    ends = {0: "survived", 5: "survived", STOPPED: "hangs"}
    return Outcome(change, ends.get(status, "noticed"), "".join(failed[:1]), len(tests))


def without_false_alarms(project: Project, calls: Calls, outcomes: list[Outcome]) -> list[Outcome]:
    """The outcomes where no test counts that fails without any change too."""
    names = {outcome.test for outcome in outcomes}
    tests = [seen for seen in calls.seen if seen.test in names]
    if not tests:
        return outcomes
    cost = START + SLOWER * sum(seen.seconds for seen in tests)
    _, failed = run(project, tests, clean_store(project), cost, most=len(tests))
    return [replace(o, end="survived") if o.test in failed else o for o in outcomes]
