"""The files of the package that a call of `minimize` passes, in the order of their first call.

    python benchmarks/studies/walks.py [--markdown | --into docs/design.md]

Three problems: JFW over a ball, the default over an l1 ball, and the completion of a matrix. A file
counts if a function of it is called, compiled functions included; what only compiled code
calls is not seen. Each problem is solved once before, so that nothing is loaded or compiled
during the walk. Two more lines name the calls from a lower room into a higher one, and the pairs
of files that call each other. --markdown prints the lists of docs/design.md, --into puts them
there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
from common import parser
from scipy import sparse

import frankwolfe as fw

ROOT = Path(fw.__file__).resolve().parent
LEVELS = {"solver": 0, "methods": 1, "core": 2, "objectives": 3, "regions": 3, "numerics": 4}
BEGIN, END = "<!-- walks: benchmarks/studies/walks.py --into docs/design.md -->\n", "<!-- end -->"


class Problem(NamedTuple):
    """A call, how it is written, and how many files it passed before there were rooms."""

    title: str
    code: str
    solve: Callable[[], Any]
    flat: int  # by this script
    read: int  # by reading, with the files that only define what is passed on


class Walk(NamedTuple):
    """What one call passed."""

    files: list[str]
    calls: list[tuple[str, str]]  # from one file into another

    def upward(self) -> list[str]:
        """The calls into a higher room."""
        return [f"{a} -> {b}" for a, b in self.calls if _level(b) < _level(a)]

    def both_ways(self) -> list[str]:
        """The pairs of files that call each other."""
        return [f"{a} <-> {b}" for a, b in self.calls if a < b and (b, a) in self.calls]


def problems() -> list[Problem]:
    """Small instances; the data are made before the walk."""
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((300, 20)), np.sign(rng.standard_normal(300))
    R = sparse.random(40, 30, density=0.3, random_state=1, format="coo")
    R.data = rng.integers(1, 6, R.nnz).astype(float)
    jfw = partial(fw.jacobi, 1.2, 1.2, 2 / 3)
    return [
        Problem(
            "JFW over a ball",
            "minimize(Logistic(A, b), L2Ball(5.0), method=jacobi(1.2, 1.2, 2/3))",
            lambda: fw.minimize(fw.Logistic(A, b), fw.L2Ball(5.0), method=jfw(), max_iter=300),
            flat=34,
            read=39,
        ),
        Problem(
            "The default over an ℓ1 ball",
            "minimize(Logistic(A, b), L1Ball(5.0))",
            lambda: fw.minimize(fw.Logistic(A, b), fw.L1Ball(5.0)),
            flat=40,
            read=41,
        ),
        Problem(
            "Completion of a matrix",
            "minimize(Completion(R), NuclearBall(30.0))",
            lambda: fw.minimize(fw.Completion(R), fw.NuclearBall(30.0), max_iter=20),
            flat=35,
            read=42,
        ),
    ]


def walk(solve: Callable[[], Any]) -> Walk:
    """The files of the package that a call passes, and its calls from file to file."""
    solve()
    files: dict[str, None] = {}
    calls: dict[tuple[str, str], None] = {}

    def see(frame: FrameType, event: str, _: Any) -> None:
        name = _inside(frame)
        if event != "call" or not name:
            return
        files.setdefault(name)
        caller = _inside(frame.f_back)
        if caller not in ("", name):
            calls.setdefault((caller, name))

    sys.setprofile(see)
    try:
        solve()
    finally:
        sys.setprofile(None)
    return Walk(list(files), list(calls))


def _inside(frame: FrameType | None) -> str:
    """The file of a frame, from the package's folder on; empty where it is not of the package."""
    path = Path(frame.f_code.co_filename) if frame else ROOT.parent
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""


def _level(name: str) -> int:
    """How far down the room of a file lies; -1 outside."""
    return LEVELS.get(name.partition("/")[0], -1)


def by_room(files: Iterable[str]) -> dict[str, list[str]]:
    """The files of each room in the order of their first call, without the room and .py."""
    found: dict[str, list[str]] = {room: [] for room in LEVELS}
    for name in files:
        room, _, rest = name.removesuffix(".py").removesuffix("/__init__").partition("/")
        found.setdefault(room, []).append(rest)
    return {room: names for room, names in found.items() if names}


def markdown(problem: Problem, walked: Walk) -> str:
    """The paragraph of a walk."""
    count, flat, read = len(walked.files), problem.flat, problem.read
    head = f"**{problem.title}**, `{problem.code}`: {count} files ({flat}, {read})."
    rooms = by_room(walked.files).items()
    lines = [f"- `{room}`: {' → '.join(names)}" for room, names in rooms]
    return "\n".join([head, *lines, ""])


def into(page: Path, text: str) -> None:
    """Put the lists between their marks."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{page} has no place for the walks: {BEGIN}{END}")
    page.write_text(f"{before}{BEGIN}\n{text}\n{end}{after}", "utf-8")


def main() -> None:
    """Print the walks."""
    line = parser(__doc__)
    line.add_argument("--markdown", action="store_true", help="as docs/design.md has them")
    line.add_argument("--into", type=Path, metavar="PAGE", help="write them there")
    options = line.parse_args()
    walks = [(problem, walk(problem.solve)) for problem in problems()]
    text = "\n".join(markdown(*pair) for pair in walks)
    if options.into:
        into(options.into, text)
    elif options.markdown:
        print(text)
    else:
        for problem, walked in walks:
            print(f"{problem.title}: {len(walked.files)} files")
            print(f"    {' '.join(walked.files)}")
            print(f"    upward: {', '.join(walked.upward()) or 'none'}")
            print(f"    both ways: {', '.join(walked.both_ways()) or 'none'}")


if __name__ == "__main__":
    main()
