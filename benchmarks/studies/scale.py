"""Time per iteration on large data, over what reading them costs; see README.md.

    python benchmarks/studies/scale.py [dense] [sparse] [variables] [--data FOLDER] [--quick]

- dense: 20,000 x 10,000, over reading A at the streaming rate
- sparse: 10^6 x 10^6 with 10^8 entries, over scipy's products
- variables: l1 ball, 3 10^7 variables: what is not the gradient

With --quick all is a hundredth of the size, to try it out.

Sections are saved like those of bench.py, which reports them. Threads are those of the
environment: two or more cores read faster than one.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from common import by_turns, parser
from numba import njit, prange
from problems import large_dense, large_sparse, many_variables, svmlight
from suite.memory import megabytes
from suite.store import FOLDER, Row, save

import frankwolfe as fw

ITERATIONS = 24
ROUNDS = 5
CACHES = 512 * 2**20  # bytes, more than any cache holds


def least(run: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """Seconds of the quickest of some runs, after one to warm up."""
    run()
    return min(by_turns({"": run}, rounds)[""])


def per_iteration(problem: fw.Problem, method: fw.methods.Method, count: int = ITERATIONS) -> float:
    """The median time of an iteration; the first ones, which compile, are left out."""
    result = fw.solve(problem, method, fw.Iterations(count))
    return statistics.median(np.diff(result.history["seconds"])[-count // 2 :])


@njit(parallel=True, fastmath=True)
def _stream(a: np.ndarray) -> float:
    total = 0.0
    for i in prange(a.size):
        total += a[i]
    return total


def dense(scale: float) -> list[Row]:
    """Least squares over an l1 ball reads A once an iteration, logistic over an l2 ball twice.

    Data by rows are read once there too, where the step is known: their bound stays two.
    """
    root = scale**0.5
    A, b = large_dense(int(20_000 * root), int(10_000 * root))
    labels = np.sign(b)
    rows = [
        _dense_one("least squares, l1", fw.Problem(fw.SquaredError(A, b), fw.L1Ball(25.0)), A, 1),
        _dense_one("logistic, l2", fw.Problem(fw.Logistic(A, labels), fw.L2Ball(5.0)), A, 2),
    ]
    A = np.ascontiguousarray(A)
    by_rows = fw.Problem(fw.Logistic(A, labels), fw.L2Ball(5.0))
    return [*rows, _dense_one("logistic, l2, data by rows", by_rows, A, 2)]


def _dense_one(name: str, problem: fw.Problem, A: np.ndarray, reads: int) -> Row:
    flat = (A if A.flags.c_contiguous else A.T).reshape(-1)
    taken, once = [], []
    for _ in range(3):  # alternating
        taken.append(per_iteration(problem, fw.frank_wolfe()))
        once.append(least(lambda: _stream(flat), 3))
    ratio = statistics.median(a / (reads * b) for a, b in zip(taken, once, strict=True))
    return {
        "problem": f"{name}, {A.shape[0]} x {A.shape[1]}",
        "seconds": statistics.median(taken),
        "reading A once": statistics.median(once),
        "GB/s": A.nbytes / 1e9 / statistics.median(once),
        "reads": reads,
        "ratio": ratio,
        "at most": 1.3,
    }


def sparse_one(name: str, A: sp.csr_matrix, labels: np.ndarray) -> Row:
    """Frank-Wolfe over an l1 ball, beside a product with A and one with its transpose."""
    size = A.data.nbytes + A.indices.nbytes + A.indptr.nbytes
    x, y = np.ones(A.shape[1], A.dtype), np.ones(A.shape[0], A.dtype)
    before = megabytes("VmRSS") or 0.0
    problem = fw.Problem(fw.Logistic(A, labels), fw.L1Ball(20.0))
    taken, pair = [], []
    for _ in range(3):  # alternating
        taken.append(per_iteration(problem, fw.frank_wolfe()))
        pair.append(least(lambda: A @ x, 2) + least(lambda: A.T @ y, 2))
    ratio = statistics.median(a / b for a, b in zip(taken, pair, strict=True))
    held = 2**20 * max((megabytes("VmRSS") or 0.0) - before, 0.0)
    return {
        "problem": f"{name}, {A.shape[0]} x {A.shape[1]}, {A.nnz} entries",
        "seconds": statistics.median(taken),
        "scipy's products": statistics.median(pair),
        "ratio": ratio,
        "at most": 2.0,
        "memory over data": 1.0 + held / size if size > 1e8 else None,
    }


def sparse(scale: float, data: Path | None) -> list[Row]:
    """A generated matrix, and real ones where their files are."""
    files = [data / f"{name}.xz" for name in ("a9a", "w8a")] if data else []
    rows = [sparse_one(path.stem, *svmlight(path)) for path in files if path.exists()]
    return [*rows, sparse_one("generated", *large_sparse(int(1e6 * scale)))]


class _Timed:
    """A function that adds up the time spent in it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.seconds = function, 0.0

    def __call__(self, *args: Any) -> Any:
        began = perf_counter()
        try:
            return self.function(*args)
        finally:
            self.seconds += perf_counter() - began


def _steps(
    problem: fw.Problem, method: fw.methods.Method, *, empty: bool
) -> tuple[np.ndarray, ...]:
    """Seconds of 50 iterations, and of gradient and oracle in them.

    With `empty` both are followed, within their time, by reading so much that nothing of the
    iteration is left in a cache, as after a gradient of many variables and a look at all of it.
    """
    other = np.zeros(CACHES // 8 if empty else 1)
    f, region = problem.objective, problem.region

    def then_empty(function: Callable[..., Any]) -> _Timed:
        def both(*args: Any) -> Any:
            answer = function(*args)
            other.sum()
            return answer

        return _Timed(both)

    gradient, oracle = then_empty(f.gradient), then_empty(region.lmo)
    f.gradient, region.lmo = gradient, oracle  # type: ignore[method-assign]
    states = fw.states(problem, method)
    next(states)
    whole, inner = np.empty(50), np.empty(50)
    for i in range(50):
        began, inside = perf_counter(), gradient.seconds + oracle.seconds
        next(states)
        whole[i] = perf_counter() - began
        inner[i] = gradient.seconds + oracle.seconds - inside
    del f.gradient, region.lmo  # type: ignore[method-assign]
    return whole, inner


def variables(scale: float) -> list[Row]:
    """As n grows: an iteration, the gradient with its largest entry, and what is left.

    Medians; the mean of the rest also has what is done once, such as the copy of the start
    that a first step of 1 leaves behind.
    """
    rows = []
    for n in (int(n * scale) for n in (10**4, 10**5, 10**6, 10**7, 3 * 10**7)):
        for method in (fw.frank_wolfe(), fw.frank_wolfe(fw.steps.ExactLineSearch()), fw.pairwise()):
            problem = many_variables(n)
            fw.solve(problem, method, fw.Iterations(5))
            whole, inner = _steps(problem, method, empty=False)
            cold, inner_cold = _steps(problem, method, empty=True)
            rows.append(
                {
                    "n": n,
                    "method": method.name,
                    "µs": float(np.median(whole) * 1e6),
                    "gradient and its largest entry": float(np.median(inner) * 1e6),
                    "the rest": float(np.median(whole - inner) * 1e6),
                    "the rest, mean": float(np.mean(whole - inner) * 1e6),
                    "the rest, caches emptied": float(np.median(cold - inner_cold) * 1e6),
                }
            )
    return rows


def main() -> None:
    """One section, or each in a process of its own."""
    line = parser(__doc__, "a9a.xz, w8a.xz")
    line.add_argument("sections", nargs="*", default=["dense", "sparse", "variables"])
    line.add_argument("--quick", action="store_true", help="a hundredth of the size")
    line.add_argument("--out", type=Path, default=FOLDER)
    given = line.parse_args()
    if hasattr(os, "sched_setaffinity"):  # all cores, whatever the caller keeps to
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    if len(given.sections) > 1:  # so that one leaves no memory to the next
        rest = ["--data", str(given.data)] * bool(given.data) + ["--quick"] * given.quick
        for section in given.sections:
            command = [sys.executable, __file__, section, *rest, "--out", str(given.out)]
            subprocess.run(command, check=True)
        return
    scale, (section,) = 0.01 if given.quick else 1.0, given.sections
    makers: dict[str, Callable[[], list[Row]]] = {
        "dense": lambda: dense(scale),
        "sparse": lambda: sparse(scale, given.data),
        "variables": lambda: variables(scale),
    }
    rows = makers[section]()
    save(f"scale {section}", rows, given.out)
    for row in rows:
        shown = (f"{v:.4g}" if isinstance(v, float) else str(v) for v in row.values())
        print(", ".join(f"{name} {value}" for name, value in zip(row, shown, strict=True)))


if __name__ == "__main__":
    main()
