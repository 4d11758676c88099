"""Two checkouts of this library side by side: P1 to P10, the first call, the import.

    python benchmarks/studies/before_after.py --before PATH/src --after PATH/src
        [--data FOLDER] [--rounds 3] [--turns 7] [--problems P1 P4] [--parts calls first import]

Each checkout runs in processes of its own, which see nothing of the other; they build the
problems with the public names of `frankwolfe` only. Nothing is written into the checkouts:
bytecode and compiled kernels go to a temporary folder.

- calls: `minimize` from arrays to a relative suboptimality of 1e-6 (f* and so the target are
  found once, by `before`), P7 for four iterations. In a round both processes are new; they then
  take turns, first and second alternating, while the other one waits. A turn is some calls,
  together 50 ms or one call.
- first: the first call of a new process, with no compiled kernel on disk and with all of them.
- import: `import frankwolfe` in a new process.

Times are medians and minima. Ratios are after / before: the median of those of a turn, whose two
times are neighbours, the lowest and highest median of a round, and the ratio of the minima. The
last column tells whether both took the same iterations to the same bits.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from common import header, parser, row, timed
from suite.facts import THREADS, pin

SIDES = ("before", "after")
ACCURACY, SECONDS = 1e-6, 10.0  # the latter for finding f*
ITERATIONS = {"P7": 4}  # a second or two; to 1e-6 it takes 20
TURN, MOST = 0.05, 200  # seconds and calls
LONG, FEW = 0.5, 3  # seconds of a call from which there are so many turns at most
FIRST = {
    "l2 ball, 50 steps of FW": ("paper (a), l2 50", 50),
    "l2 ball, 300 steps of FW (fast path)": ("paper (a), l2 50", 300),
    "l1 ball, default": ("paper (a), l1 1", 0),
}
IMPORT = """
from time import perf_counter
began = perf_counter()
import frankwolfe
print(perf_counter() - began)
"""
COLUMNS = (
    *("", "before, ms", "after, ms", "ratio", "by rounds", "least before", "least after", "ratio"),
    "result",
)
Times = dict[str, list[list[float]]]  # of each side, by rounds


# What runs in a checkout's process


def serve() -> None:
    """Answer what is asked, line by line, until nothing more is."""
    answers = {"names": _names, "first": _first, "problem": _calls}
    for line in sys.stdin:
        asked = json.loads(line)
        answers[asked.pop("what")](**asked)


def _say(**answer: Any) -> None:
    print(json.dumps(answer), flush=True)


def _names(data: str) -> None:
    """The problems, each with what it lacks, and the library's place."""
    from problems import NAMES, missing

    import frankwolfe as fw

    lacking = {name: missing(name, Path(data) if data else None) for name in NAMES}
    _say(lacking=lacking, place=fw.__file__)


def _first(problem: str, steps: int) -> None:
    from problems import ours

    import frankwolfe as fw

    def call() -> None:
        made = ours(problem)
        if steps:
            fw.solve(made, fw.frank_wolfe(), fw.Iterations(steps))
        else:
            fw.minimize(made.objective, made.region)

    _say(seconds=timed(call)[0])


def _calls(name: str, data: str, target: float | None) -> None:
    """Get ready, say so, and then call as often as each further line says."""
    from problems import load, objective, region

    import frankwolfe as fw

    rules = getattr(fw, "stopping", fw)  # older checkouts have them at the top
    problem = load(name, Path(data) if data else None)

    def solve(stop: Any) -> fw.Result:
        return fw.minimize(objective(problem), region(problem), x0=problem.x0, stop=stop)

    def call() -> fw.Result:
        return solve(
            fw.Iterations(ITERATIONS[name]) if name in ITERATIONS else rules.Target(target)
        )

    if target is None and name not in ITERATIONS:
        sure = fw.Gap(1e-13 * abs(problem.start_value)) | fw.Seconds(SECONDS) | rules.Stalled(100)
        best = solve(sure).fun
        target = best + ACCURACY * (problem.start_value - best)
    call()  # compiles
    seconds, result = timed(call)
    counts = result.nit, result.njev, float(result.fun).hex()
    calls = min(max(int(TURN / seconds), 1), MOST)
    _say(target=target, result=counts, calls=calls, seconds=seconds)
    for line in sys.stdin:
        times = int(line)
        _say(seconds=timed(lambda: _repeat(call, times))[0] / times)  # noqa: B023


def _repeat(call: Callable[[], Any], times: int) -> None:
    """Keep no result: its memory is there for the next one."""
    for _ in range(times):
        call()


# What asks


class Checkout:
    """Starts processes that see this checkout, with a temporary folder for what is compiled."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.source, self.folder = source.resolve(), folder
        if not (self.source / "frankwolfe" / "__init__.py").is_file():
            raise SystemExit(f"{source} has no frankwolfe: name the folder src of a checkout.")

    def environment(self, kernels: Path | None = None) -> dict[str, str]:
        """Of a process; `kernels` is where compiled ones are kept."""
        return {
            **os.environ,
            **THREADS,
            "PYTHONPATH": str(self.source),
            "PYTHONDONTWRITEBYTECODE": "",  # an import with bytecode at hand is what counts
            "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode"),
            "NUMBA_CACHE_DIR": str(kernels or self.folder / "kernels"),
        }

    def start(self, kernels: Path | None = None) -> Process:
        """A new process that serves."""
        return Process(self.environment(kernels))

    def ask(self, kernels: Path | None = None, **question: Any) -> dict[str, Any]:
        """One question to a new process."""
        with self.start(kernels) as process:
            return process.ask(json.dumps(question))

    def import_seconds(self) -> float:
        """Of `import frankwolfe`."""
        command = [sys.executable, "-c", IMPORT]
        environment = self.environment()
        return float(subprocess.run(command, env=environment, stdout=-1, check=True).stdout)


class Process:
    """One that answers a line with a line."""

    def __init__(self, environment: dict[str, str]) -> None:
        command = [sys.executable, __file__, "--serve"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, env=environment, stdin=pipe, stdout=pipe, text=True, bufsize=1
        )

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def ask(self, question: str) -> dict[str, Any]:
        """Wait for the answer."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(question + "\n")
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit("A process failed; what it said is above.")
        return json.loads(answer)


def by_rounds(measure: Callable[[str], list[float]], rounds: int) -> Times:
    """Both sides in each round, first and second alternating."""
    times: Times = {side: [] for side in SIDES}
    for i in range(rounds):
        for side in SIDES if i % 2 == 0 else SIDES[::-1]:
            times[side].append(measure(side))
    return times


def compare(name: str, checkouts: dict[str, Checkout], data: str, rounds: int, turns: int) -> None:
    """Print the line of a problem."""
    times: Times = {side: [] for side in SIDES}
    target, results = None, {}
    for _ in range(rounds):
        with checkouts["before"].start() as one, checkouts["after"].start() as other:
            processes, ready = {"before": one, "after": other}, {}
            for side, process in processes.items():
                question = {"what": "problem", "name": name, "data": data, "target": target}
                ready[side] = process.ask(json.dumps(question))
                target, results[side] = ready[side]["target"], ready[side]["result"]
            first = ready["before"]

            def turn(side: str) -> list[float]:
                return [processes[side].ask(str(first["calls"]))["seconds"]]  # noqa: B023

            found = by_rounds(turn, min(turns, FEW) if first["seconds"] > LONG else turns)
        for side in SIDES:
            times[side].append([taken for (taken,) in found[side]])
    (steps, _, _), (steps_after, _, _) = results["before"], results["after"]
    same = results["before"] == results["after"]
    show(name, times, "the same" if same else f"{steps} and {steps_after} steps")


def show(name: str, times: Times, remark: str = "") -> None:
    """Print medians in milliseconds, and the ratios."""
    middle, least = ([read(chain(*times[side])) for side in SIDES] for read in (median, min))
    both = zip(times["before"], times["after"], strict=True)
    rounds = [[b / a for a, b in zip(*found, strict=True)] for found in both]
    by_round = [median(ratios) for ratios in rounds]
    row(
        name,
        *(f"{1e3 * seconds:.4g}" for seconds in middle),
        f"{median(chain(*rounds)):.3f}",
        f"{min(by_round):.3f} .. {max(by_round):.3f}",
        *(f"{1e3 * seconds:.4g}" for seconds in least),
        f"{least[1] / least[0]:.3f}",
        remark,
    )


def first_calls(checkouts: dict[str, Checkout], rounds: int) -> None:
    """Print the lines of first calls."""
    for title, (problem, count) in FIRST.items():

        def measure(side: str) -> list[float]:
            question = {"what": "first", "problem": problem, "steps": count}  # noqa: B023
            with TemporaryDirectory() as kernels:
                return [checkouts[side].ask(Path(kernels), **question)["seconds"] for _ in range(2)]

        both = by_rounds(measure, rounds)
        for i, kind in enumerate(("no kernels", "kernels on disk")):
            show(f"{title}, {kind}", {side: [[pair[i]] for pair in both[side]] for side in SIDES})


def main() -> None:
    """Print the tables."""
    line = parser(__doc__, "duke.xz, a9a.xz, ml-100k/u.data; without them P3, P6, P7 are left out")
    line.add_argument("--before", type=Path, required=True, metavar="SRC")
    line.add_argument("--after", type=Path, required=True, metavar="SRC")
    line.add_argument("--rounds", type=int, default=3, help="new processes")
    line.add_argument("--turns", type=int, default=7, help="in each of them")
    line.add_argument("--problems", nargs="+")
    line.add_argument("--parts", nargs="+", default=["calls", "first", "import"])
    line.add_argument("--free", action="store_true", help="do not stay on one core")
    options = line.parse_args()
    if not options.free:
        pin()
    data = str(options.data.resolve()) if options.data else ""
    with TemporaryDirectory() as folder:
        checkouts = {side: Checkout(getattr(options, side), Path(folder) / side) for side in SIDES}
        for checkout in checkouts.values():
            told = checkout.ask(what="names", data=data)
            if not Path(told["place"]).is_relative_to(checkout.source):
                raise SystemExit(f"{told['place']} was imported, not that of {checkout.source}.")
        header(*COLUMNS)
        for name in options.problems or told["lacking"] if "calls" in options.parts else ():
            if why := told["lacking"][name]:
                print(f"{name} is left out: {why}.")
            else:
                compare(name, checkouts, data, options.rounds, options.turns)
        if "first" in options.parts:
            first_calls(checkouts, options.rounds)
        if "import" in options.parts:
            for checkout in checkouts.values():
                checkout.import_seconds()  # writes the bytecode
            rounds = 3 * options.rounds
            times = by_rounds(lambda side: [checkouts[side].import_seconds()], rounds)
            show("import frankwolfe", times)


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["--serve"] else main()
