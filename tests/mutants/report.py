"""What became of the mutants, by room."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from .equivalent import reason
from .trial import Outcome

__all__ = ["share", "table", "write"]

SEEN = ("noticed", "hangs")


def _end(outcome: Outcome) -> str:
    judged = outcome.end not in SEEN and reason(outcome.change)
    return "equivalent" if judged else outcome.end


def share(outcomes: list[Outcome]) -> float:
    """Part of the mutants that were noticed, of those not judged equivalent."""
    ends = Counter(map(_end, outcomes))
    rest = len(outcomes) - ends["equivalent"]
    return sum(ends[end] for end in SEEN) / rest if rest else 1.0


def table(rooms: dict[str, list[Outcome]]) -> str:
    """A row for each room, and a list of those that survived."""
    heads = ("noticed", "hangs", "survived", "never called", "equivalent")
    lines = [f"| room | mutants | {' | '.join(heads)} | share |", "|---" * 8 + "|"]
    total = [outcome for outcomes in rooms.values() for outcome in outcomes]
    for room, outcomes in [*rooms.items(), ("all", total)]:
        ends = Counter(map(_end, outcomes))
        counts = " | ".join(str(ends[head]) for head in heads)
        lines.append(f"| {room} | {len(outcomes)} | {counts} | {share(outcomes):.0%} |")
    lines += ["", "Survivors that nobody has judged equivalent:", ""]
    left = [outcome for outcome in total if _end(outcome) in ("survived", "never called")]
    lines += [f"- {outcome.change} ({outcome.end}, {outcome.tests} tests)" for outcome in left]
    return "\n".join(lines) + "\n"


def write(path: Path, rooms: dict[str, list[Outcome]]) -> None:
    """The table, and beside it a record of each mutant."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".md").write_text(table(rooms))
    records = [
        {"room": room, **asdict(outcome), "equivalent": reason(outcome.change)}
        for room, outcomes in rooms.items()
        for outcome in outcomes
    ]
    path.with_suffix(".json").write_text(json.dumps(records, indent=1))
