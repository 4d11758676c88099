"""What the studies share; imported first, it lets them see problems.py, suite/ and peers/."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def parser(doc: str | None, data: str = "") -> ArgumentParser:
    """Of the command line; with --data where the study reads files, which `data` names."""
    made = ArgumentParser(description=(doc or "").splitlines()[0])
    if data:
        made.add_argument("--data", type=Path, metavar="FOLDER", help=f"with {data}")
    return made


def ratings_parser(doc: str | None) -> ArgumentParser:
    """The same for a study of MovieLens; without --data it is fetched."""
    made = parser(doc, "ml-100k, ml-1m, ... or their archives")
    made.add_argument("version", nargs="?", default="100k", help="100k, 1m, 10m, 25m or 32m")
    return made


def timed(run: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Seconds of a call, and its answer."""
    began = perf_counter()
    answer = run(*arguments)
    return perf_counter() - began, answer


def by_turns(contestants: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each in every round: they take turns, so that noise comes to all of them."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            times[name].append(timed(run)[0])
    return times


def steps(result: Any) -> str:
    """Iterations to the target, "> n" where it was not reached."""
    return str(result.nit) if result.success else f"> {result.nit}"


def header(*names: str) -> None:
    """Begin a table."""
    row(*names)
    print("|---" * len(names) + "|")


def row(*cells: object) -> None:
    """Print a line of it at once."""
    print(f"| {' | '.join(map(str, cells))} |", flush=True)
