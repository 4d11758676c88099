"""Random single changes of the source: `python -m tests.mutants --seeds 0:20 --room regions`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from .changes import pick
from .child import load_others
from .coverage import record, recorded
from .project import Project
from .report import share, table, write
from .trial import Outcome, try_out, without_false_alarms

ROOT = Path(__file__).resolve().parents[2]
SLOW = ("attack", "mutants")  # folders of tests that no mutant waits for
ENOUGH = 0.85  # of the mutants of a room should be noticed


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seeds", default="0:20", help="a:b, mutants a up to b - 1 of each room")
    parser.add_argument("--room", nargs="*", help="these rooms; all without it")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds of tests for a mutant")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no more mutants after")
    parser.add_argument("--record", nargs="*", help="record again which tests call what, for these")
    parser.add_argument("--out", type=Path, default=ROOT / "results/mutants")
    return parser.parse_args()


def parts() -> list[str]:
    """The package with its doctests, and each folder of tests, which are recorded one by one."""
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "tests").rglob("test_*.py")}
    tested = (folder for folder in folders if folder.name not in ("tests", *SLOW))
    return ["src", *sorted(folder.as_posix() for folder in tested)]


def _record(project: Project, again: list[str] | None) -> None:
    """The calls of each folder of tests, where they are not known yet."""
    for part in parts():
        known = (project.scratch / "calls" / f"{part.replace('/', '_')}.jsonl").exists()
        if (again and part in again) or not known:
            began = time.monotonic()
            print(f"recording what {part} calls", end="", flush=True)
            record(project, part, 3600.0)
            print(f", {time.monotonic() - began:.0f} s", flush=True)


def main() -> int:
    """Run, print, write; 1 where a room's tests notice too few."""
    options, began = _options(), time.monotonic()
    project = Project(ROOT, Path("src/frankwolfe"), options.out / "scratch")
    load_others()
    if options.record is None or options.record:
        _record(project, options.record)
    project.copy()
    calls = recorded(project)
    first, last = map(int, options.seeds.split(":"))
    rooms: dict[str, list[Outcome]] = {}
    path = options.out / f"{first}-{last}{''.join(f'-{room}' for room in options.room or ())}"
    for room in options.room or project.rooms():
        found, outcomes = project.changes(room), rooms.setdefault(room, [])
        for seed in range(first, last):
            if time.monotonic() - began > 60.0 * options.minutes:
                break
            change, start = pick(found, project.texts, f"{room} {seed}"), time.monotonic()
            outcomes.append(try_out(project, calls, change, options.limit))
            taken = time.monotonic() - start
            end, by = outcomes[-1].end, outcomes[-1].test
            print(f"{room} {seed} {end}, {taken:.0f} s: {change} {by}", flush=True)
            write(path, rooms)
    for room, outcomes in rooms.items():
        rooms[room] = without_false_alarms(project, calls, outcomes)
    write(path, rooms)
    print(table(rooms))
    return int(any(share(outcomes) < ENOUGH for outcomes in rooms.values()))


if __name__ == "__main__":
    sys.exit(main())
