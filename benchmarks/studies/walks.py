"""Files of the package that a call runs through, in the order of their first call.

    python benchmarks/studies/walks.py [--markdown | --into docs/design.md]

Five calls: JFW over a ball, the default over an l1 ball, matrix completion, a constraint beside a
simplex, and traffic assignment. A file counts if one of its functions is called, compiled
functions included; functions that only compiled code calls are not seen. Each call is made once
before, so that nothing is loaded or compiled during the walk. Two more lines name the calls from a
lower room into a higher one, and the pairs of files that call each other. A last line counts the
files and lines of the whole package. --markdown prints the lists of docs/design.md, --into writes
them there.
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
ROOMS = (
    *(("cli",), ("sklearn",), ("apps",), ("visual", "datasets"), ("solver",), ("methods",)),
    *(("engines",), ("objectives", "regions"), ("subproblems",), ("core",), ("base",)),
)
LEVELS = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}
BEGIN, END = "<!-- walks: benchmarks/studies/walks.py --into docs/design.md -->\n", "<!-- end -->"


class Problem(NamedTuple):
    """A call and how it is written."""

    title: str
    code: str
    solve: Callable[[], Any]


class Walk(NamedTuple):
    """Files and calls of one walk."""

    files: list[str]
    calls: list[tuple[str, str]]  # from one file into another

    def upward(self) -> list[str]:
        """Calls into a higher room."""
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
    traffic = fw.traffic  # loaded here
    jfw = partial(fw.jacobi, 1.2, 1.2, 2 / 3)
    Q, B = A.T @ A / 300, np.repeat([[1.0, 0.0]], 10, axis=1)
    rows = partial(fw.Affine, B, 0.0, 0.1)
    return [
        Problem(
            "JFW over a ball",
            "minimize(Logistic(A, b), L2Ball(5.0), method=jacobi(1.2, 1.2, 2/3))",
            lambda: fw.minimize(fw.Logistic(A, b), fw.L2Ball(5.0), method=jfw(), max_iter=300),
        ),
        Problem(
            "The default over an ℓ1 ball",
            "minimize(Logistic(A, b), L1Ball(5.0))",
            lambda: fw.minimize(fw.Logistic(A, b), fw.L1Ball(5.0)),
        ),
        Problem(
            "Completion of a matrix",
            "minimize(Completion(R), NuclearBall(30.0))",
            lambda: fw.minimize(fw.Completion(R), fw.NuclearBall(30.0), max_iter=20),
        ),
        Problem(
            "A constraint beside a simplex",
            "minimize(Quadratic(Q), Simplex(), subject_to=Affine(B, 0.0, 0.1))",
            lambda: fw.minimize(fw.Quadratic(Q), fw.Simplex(), subject_to=rows()),
        ),
        Problem(
            "Traffic assignment",
            "traffic.equilibrium(*traffic.sioux_falls())",
            lambda: traffic.equilibrium(*traffic.sioux_falls(), tol=1e-6),
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
    """Files of each room in the order of their first call, without the room and .py."""
    found: dict[str, list[str]] = {room: [] for room in LEVELS}
    for name in files:
        room, inside, rest = name.removesuffix(".py").removesuffix("/__init__").partition("/")
        if inside:
            found[room].append(rest)
    return {room: names for room, names in found.items() if names}


def markdown(problem: Problem, walked: Walk) -> str:
    """The paragraph of a walk."""
    head = f"**{problem.title}**, `{problem.code}`: {len(walked.files)} files."
    rooms = by_room(walked.files).items()
    lines = [f"- `{room}`: {' → '.join(names)}" for room, names in rooms]
    return "\n".join([head, *lines, ""])


def size() -> str:
    """Number of files and lines of the package."""
    files = list(ROOT.rglob("*.py"))
    lines = sum(path.read_text("utf-8").count("\n") for path in files)
    return f"{len(files)} files, {lines:,} lines"


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
        print(f"The package: {size()}")


if __name__ == "__main__":
    main()
