"""The same work on 1, 2, 4, 8 and 16 threads; see README.md.

    python benchmarks/studies/cores.py [calls] [dense] [sparse] [completion]
        [--threads 1 2 4 8 16] [--data FOLDER] [--seconds 20] [--profile] [--small]

- calls: `minimize` on P1 to P6, from arrays to a relative suboptimality of 1e-6. Without a folder
  of data P3 and P6 have random stand-ins of the same shape and density.
- dense: an iteration of Frank-Wolfe on 20,000 x 10,000, over the l1 and the l2 ball
- sparse: the same on 10^6 x 10^6 with 10^8 entries, and its two products
- completion: 25 million made-up ratings; a sweep on factors, a pair of products of the Lanczos
  method, a block of them, and an iteration of the hybrid method with few local steps

Each number of threads has a process of its own, whose environment says so to BLAS, OpenMP and
Numba from the start. The processes take turns; figures are medians, in milliseconds. The first
row is a triad (a = b + s c), which tells how fast the machine streams: on it no loop that reads
its data once from memory gains more. --small is a hundredth of the size, to try it out.
"""

from __future__ import annotations

import cProfile
import json
import os
import pstats
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
from common import header, parser, row, timed

LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
GROUPS = ("stream", "calls", "dense", "sparse", "completion")
PROBLEMS = ("P1", "P2", "P3", "P4", "P5", "P6")
STAND_IN = {"P3": (44, 7129, None), "P6": (32_561, 123, 14)}  # rows, columns, entries of a row
ONLY = "FRANKWOLFE_CORES_ONLY"  # what tells the processes which problems
PROFILED = {"P1": 1, "P5": 5, "P6": 5, "an iteration": 3, "of the hybrid": 1}  # turns of each
RESTARTS = {"calls": 3}  # of all processes: how fast small calls are differs from one to another
ACCURACY, SURE = 1e-6, 5.0  # the latter: seconds for finding f*
TURN, MOST = 0.05, 200  # seconds and calls of a turn
ROUNDS = 9
RANK, BLOCK, LOCAL = 20, 25, 5  # of the sweep, of a block of products; local steps of the hybrid
RATINGS = 25_000_095
Turn = Callable[[], float]  # seconds of one turn


# What runs in the process of one number of threads


def serve(group: str, folder: Path, data: Path | None, scale: float) -> None:
    """Make the rows ready, name them, and then take a turn with each row that is asked for."""
    turns = MAKERS[group](folder, data, scale)
    _say(rows=list(turns))
    for line in sys.stdin:
        name = line.strip()
        if name.startswith("profile "):
            _, times, which = name.split(" ", 2)
            _say(table=_profile(turns[which], int(times)))
        else:
            _say(seconds=turns[name]())


def _say(**answer: Any) -> None:
    print(json.dumps(answer), flush=True)


def _profile(turn: Turn, times: int, count: int = 16) -> list[tuple[str, float]]:
    """Functions with the most time of their own, and that time in a turn."""
    profile = cProfile.Profile()
    for _ in range(times):
        profile.runcall(turn)
    found = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    own = {f"{Path(file).name}:{name}": entry[2] for (file, _, name), entry in found.items()}
    largest = sorted(own, key=own.__getitem__, reverse=True)[:count]
    return [("all", sum(own.values()) / times), *((name, own[name] / times) for name in largest)]


def _repeated(call: Callable[[], Any], seconds: float = TURN) -> Turn:
    """A turn of so many calls that it lasts some time; one call warms up."""
    call()
    times = min(max(int(seconds / max(timed(call)[0], 1e-9)), 1), MOST)

    def turn() -> float:
        return timed(lambda: [call() for _ in range(times)] and None)[0] / times

    return turn


def stream(folder: Path, data: Path | None, scale: float) -> dict[str, Turn]:
    """A triad over arrays that no cache holds."""
    from numba import njit, prange

    @njit(parallel=True, fastmath=True)
    def triad(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
        for i in prange(a.size):
            a[i] = b[i] + 3.0 * c[i]

    a, b, c = np.zeros((3, int(60e6 * max(scale, 0.1))))
    triad(a, b, c)
    whole = _repeated(lambda: triad(a, b, c))
    return {"stream: a = b + s c, for 1 GB": lambda: whole() / (3e-9 * a.nbytes)}


def calls(folder: Path, data: Path | None, scale: float) -> dict[str, Turn]:
    """Whole calls of `minimize`."""
    wanted = os.environ.get(ONLY, " ".join(PROBLEMS)).split()
    return {name: _call(name, folder / f"{name}.json", data) for name in wanted}


def _call(name: str, kept: Path, data: Path | None) -> Turn:
    import problems

    import frankwolfe as fw

    if problems.missing(name, data) is None:
        problem = problems.load(name, data)
    else:
        over = problems.L1({"P3": 10.0, "P6": 20.0}[name])
        problem = problems._classes(name, _stand_in(*STAND_IN[name]), over)

    def solve(stop: Any) -> fw.Result:
        f, over = problems.objective(problem), problems.region(problem)
        return fw.minimize(f, over, x0=problem.x0, stop=stop)

    if not kept.exists():  # the first process finds f*, for all
        solve(fw.Iterations(20))  # compiles
        sure = (
            fw.Gap(1e-13 * abs(problem.start_value)) | fw.Seconds(SURE) | fw.stopping.Stalled(100)
        )
        kept.write_text(json.dumps(solve(sure).fun))
    best = json.loads(kept.read_text())
    enough = fw.stopping.Target(best + ACCURACY * (problem.start_value - best))
    return _repeated(lambda: solve(enough))


def _stand_in(m: int, n: int, entries: int | None) -> tuple[Any, np.ndarray]:
    """Random data for two classes: dense, or with some ones in each row, as categories give."""
    import scipy.sparse as sp

    rng = np.random.default_rng(0)
    if entries is None:
        A: Any = rng.standard_normal((m, n))
    else:
        begins = np.linspace(0, n, entries + 1).astype(int)
        shares = rng.random((m, entries)) ** 3  # some categories are frequent
        places = begins[:-1] + (shares * np.diff(begins)).astype(int)
        ends = np.arange(0, m * entries + 1, entries)
        A = sp.csr_matrix((np.ones(places.size), places.ravel(), ends), shape=(m, n))
    truth = 2.0 * rng.standard_normal(n) * (rng.random(n) < 0.3)
    z = A @ truth
    return A, np.where(rng.random(m) < 1.0 / (1.0 + np.exp(np.median(z) - z)), 1.0, -1.0)


def _iteration(problem: Any, method: Any, times: int) -> Turn:
    """Iterations one after another: those of a turn are the same on any number of threads."""
    import frankwolfe as fw

    states: Iterator[Any] = iter(fw.states(problem, method))
    for _ in range(3):
        next(states)

    def turn() -> float:
        return timed(lambda: [next(states) for _ in range(times)] and None)[0] / times

    return turn


def dense(folder: Path, data: Path | None, scale: float) -> dict[str, Turn]:
    """Least squares over an l1 ball reads A once an iteration, logistic over an l2 ball twice."""
    from problems import large_dense

    import frankwolfe as fw

    A, b = large_dense(int(20_000 * scale**0.5), int(10_000 * scale**0.5))
    size = f"dense {A.shape[0]} x {A.shape[1]}"
    squares = fw.Problem(fw.SquaredError(A, b), fw.L1Ball(25.0))
    logistic = fw.Problem(fw.Logistic(A, np.sign(b)), fw.L2Ball(5.0))
    return {
        f"{size}, l1, an iteration": _iteration(squares, fw.frank_wolfe(), 3),
        f"{size}, l2, an iteration": _iteration(logistic, fw.frank_wolfe(), 3),
    }


def sparse(folder: Path, data: Path | None, scale: float) -> dict[str, Turn]:
    """Logistic over both balls; the products alone beside them."""
    from problems import large_sparse

    import frankwolfe as fw

    A, labels = large_sparse(int(1e6 * scale))
    f = fw.Logistic(A, labels)
    x, y = np.ones(A.shape[1], A.dtype), np.ones(A.shape[0], A.dtype)
    image, gradient = f.new_image(), f.new_gradient()
    size = f"sparse, {A.nnz:.0e} entries"
    return {
        f"{size}, l1, an iteration": _iteration(
            fw.Problem(f, fw.L1Ball(20.0)), fw.frank_wolfe(), 1
        ),
        f"{size}, l2, an iteration": _iteration(fw.Problem(f, fw.L2Ball(5.0)), fw.frank_wolfe(), 1),
        f"{size}, A x": _repeated(lambda: f.image(x, image)),
        f"{size}, A' y": _repeated(lambda: f.gradient(y, gradient)),
    }


def completion(folder: Path, data: Path | None, scale: float) -> dict[str, Turn]:
    """Ratings that the first process has made; the others read them."""
    f = _ratings(folder, scale)
    rng = np.random.default_rng(0)
    left, right = (rng.standard_normal((k, RANK)).astype(f.dtype) for k in f.shape)
    sides = np.empty_like(left), np.empty_like(right)
    g = f.covector(f.b)
    u, v = np.ones(f.shape[0], f.dtype), np.ones(f.shape[1], f.dtype)
    wide = [rng.standard_normal((k, BLOCK)).astype(f.dtype) for k in f.shape]

    def pair() -> None:
        g.apply(v, u)
        g.adjoint(u, v)
        v[:] = 1.0

    def block() -> None:
        g.apply_block(wide[1], wide[0])
        g.adjoint_block(wide[0], wide[1])
        wide[1][:] = 1.0

    states = _hybrid(f)
    for _ in range(2):  # the second compiles what is left, and touches all memory once
        next(states)
    size = f"completion, {f.m:.1e} ratings"
    return {
        f"{size}, an iteration of the hybrid": lambda: timed(next, states)[0],
        f"{size}, a sweep of rank {RANK}": _repeated(
            lambda: f.linearize_factors(0.01, left, right, *sides)
        ),
        f"{size}, a pair of products": _repeated(pair),
        f"{size}, a pair of blocks of {BLOCK}": _repeated(block),
    }


def _hybrid(f: Any) -> Iterator[Any]:
    """The states of the method that completion gets by default.

    All is compiled before, by data that are just large enough for threads.
    """
    import frankwolfe as fw

    rng = np.random.default_rng(0)
    cells, values = rng.integers(0, 21_000, (2, 400_000)), rng.random(400_000, dtype=f.dtype)
    few = fw.Completion((*cells, values), loss="squared")
    both = []
    for objective in (few, f):
        problem = fw.Problem(objective, fw.NuclearBall(2.0 * float(np.sqrt(objective.m))))
        both.append(iter(fw.states(problem, fw.methods.hybrid(local_steps=LOCAL))))
    for _ in range(3):
        next(both[0])
    return both[1]


def _ratings(folder: Path, scale: float) -> Any:
    import frankwolfe as fw
    from frankwolfe.datasets import synthetic_ratings

    kept = folder / "ratings.npz"
    if not kept.exists():
        sides = (int(max(n * scale**0.5, 500)) for n in (59_047, 162_541))
        made = synthetic_ratings(*sides, int(RATINGS * scale))
        values = made.values - made.values.mean()
        np.savez(kept, rows=made.movies, columns=made.users, values=values, shape=made.shape)
    with np.load(kept) as file:
        cells = file["rows"], file["columns"], file["values"]
        return fw.Completion(cells, shape=tuple(map(int, file["shape"])), loss="squared")


MAKERS = {"stream": stream, "calls": calls, "dense": dense, "sparse": sparse}
MAKERS["completion"] = completion


# What asks


class Process:
    """One with a number of threads, that answers a line with a line."""

    def __init__(self, threads: int, command: list[str]) -> None:
        environment = {**os.environ, **dict.fromkeys(LIMITS, str(threads))}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [sys.executable, __file__, *command],
            env=environment,
            stdin=pipe,
            stdout=pipe,
            text=True,
            bufsize=1,
        )

    def answer(self) -> dict[str, Any]:
        """The next line."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("A process failed; what it said is above.")
        return json.loads(line)

    def ask(self, question: str) -> dict[str, Any]:
        """Wait for the answer."""
        assert self.process.stdin
        self.process.stdin.write(question + "\n")
        return self.answer()

    def end(self) -> None:
        """Close its input, and wait."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def measure(group: str, command: list[str], options: Any) -> None:
    """Print the rows of a group: of processes that load what another one has compiled."""
    threads, began = options.threads, perf_counter()
    first = Process(threads[-1], command)
    names = first.answer()["rows"]  # it has made what the others read, too
    times: dict[str, dict[int, list[float]]] = {name: {k: [] for k in threads} for name in names}
    restarts = RESTARTS.get(group, 1)
    if restarts > 1:
        first.end()
    for i in range(restarts):
        kept = {threads[-1]: first} if restarts == 1 else {}
        processes = {k: kept.get(k) or Process(k, command) for k in threads}
        for process in processes.values():
            if process is not first:
                process.answer()
        ready = f"({group}: {perf_counter() - began:.0f} s to get ready)"
        print(ready, file=sys.stderr, flush=True)
        for name in names:
            found = rounds(processes, name, options.seconds / restarts)
            for k, taken in found.items():
                times[name][k] += taken
        if options.profile and i + 1 == restarts:
            profiled(names, {k: processes[k] for k in (threads[0], threads[-1])})
        for process in processes.values():
            process.end()
    for name in names:
        show(name, times[name], threads)


def show(name: str, times: dict[int, list[float]], threads: list[int]) -> None:
    """Print the row."""
    ratios = [a / b for a, b in zip(times[threads[0]], times[threads[-1]], strict=True)]
    shown = (f"{1e3 * median(times[k]):.4g}" for k in threads)
    row(name, *shown, f"{median(ratios):.2f}", f"{min(ratios):.2f} .. {max(ratios):.2f}")


def rounds(processes: dict[int, Process], name: str, seconds: float) -> dict[int, list[float]]:
    """Turns of all, in one order and then in the other, while there is time."""
    times: dict[int, list[float]] = {k: [] for k in processes}
    began, order = perf_counter(), list(processes)
    for i in range(ROUNDS):
        if i and perf_counter() - began > seconds * (1.0 - 1.0 / (i + 1)):
            break
        for k in order if i % 2 else order[::-1]:
            times[k].append(processes[k].ask(name)["seconds"])
    return times


def profiled(names: list[str], processes: dict[int, Process]) -> None:
    """Print where the time of some rows goes, on one thread and on all."""
    for name in names:
        turns = [turns for end, turns in PROFILED.items() if name.endswith(end)]
        for k, process in processes.items() if turns else ():
            table = process.ask(f"profile {turns[0]} {name}")["table"]
            shares = ", ".join(f"{place} {1e3 * seconds:.3g}" for place, seconds in table)
            print(f"{name}, {k} threads, ms: {shares}", file=sys.stderr, flush=True)


def main() -> None:
    """Print the table."""
    line = parser(__doc__, "duke.xz, a9a.xz")
    line.add_argument("groups", nargs="*", default=GROUPS[1:], metavar="GROUP")
    line.add_argument("--threads", nargs="+", type=int, default=[1, 2, 4, 8, 16])
    line.add_argument("--seconds", type=float, default=20.0, help="for the rounds of a row")
    line.add_argument("--profile", action="store_true", help="also where some rows spend it")
    line.add_argument("--only", nargs="+", metavar="P", help="of the calls")
    line.add_argument("--small", action="store_true", help="a hundredth of the size")
    line.add_argument("--serve", nargs=2, metavar=("GROUP", "FOLDER"))
    options = line.parse_args()
    scale = 0.01 if options.small else 1.0
    if options.serve:
        group, folder = options.serve
        serve(group, Path(folder), options.data, scale)
        return
    if options.only:
        os.environ[ONLY] = " ".join(options.only)
    rest = ["--data", str(options.data.resolve())] if options.data else []
    rest += ["--small"] * options.small
    header("", *(f"{k} threads, ms" for k in options.threads), "first / last", "in rounds")
    with TemporaryDirectory() as folder:
        for group in ("stream", *options.groups):
            measure(group, ["--serve", group, folder, *rest], options)


if __name__ == "__main__":
    main()
