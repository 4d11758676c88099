"""The semidefinite relaxation of MaxCut, and CVXPY on the same programs; see README.md.

    python benchmarks/studies/maxcut.py --data DIR [--graphs maxG11 maxG51 ...] [--tol 1e-3]
        [--solvers SCS CLARABEL] [--limit 600] [--cgal 0]

DIR holds files of SDPLIB (github.com/vsdp/SDPLIB, GPL), such as maxG11.dat-s. The best of 100 cuts
by hyperplanes (Goemans and Williamson 1995) stands beside the bound. Each contestant has a process
of its own, whose peak memory is reported.
"""

from __future__ import annotations

import resource
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from common import header, parser, row
from maxcut_cgal import cgal

import frankwolfe as fw

GRAPHS = "maxG11", "maxG51", "maxG32", "maxG55", "maxG60"
CUTS = 100


def read(path: Path) -> Any:
    """The matrix C of max <C, X>, diag X = 1, X semidefinite, from a file in SDPA's format."""
    lines = [line for line in path.read_text().splitlines() if line[:1] not in ('"', "*", "")]
    n = int(lines[2].split()[0])
    rows = np.array([line.split() for line in lines[4:]], dtype=float)
    rows = rows[rows[:, 0] == 0]
    i, j = (rows[:, k].astype(int) - 1 for k in (2, 3))
    upper = sp.coo_array((rows[:, 4], (i, j)), shape=(n, n)).tocsr()
    return (upper + sp.triu(upper, 1).T).tocsr()


def best_cut(C: Any, x: fw.FactoredMatrix) -> float:
    """The largest of cuts by random hyperplanes."""
    rng = np.random.default_rng(0)
    factor = (x.left * np.sqrt(x.weights)[:, None]).T
    signs = np.sign(factor @ rng.standard_normal((factor.shape[1], CUTS)))
    return float((signs * (C @ signs)).sum(axis=0).max())


def program(C: Any) -> tuple[fw.Objective, fw.Region, fw.Affine]:
    """The relaxation of MaxCut as a minimization: objective, region and rows."""
    n = C.shape[0]
    return fw.objectives.TraceProduct(-C), fw.Spectraplex(float(n)), fw.Affine(fw.diagonal(n), 1.0)


def ours(path: Path, tol: float, steps: int | None = None) -> list[str]:
    """A line of the table; small loops are compiled first. With `steps`, that of CGAL."""
    f, region, rows = program(np.ones((60, 60)))
    fw.minimize(f, region, subject_to=rows, tol=1e-2)
    C = read(path)
    f, region, rows = program(C)
    began = time.perf_counter()
    result: Any = (
        fw.minimize(f, region, subject_to=rows, tol=tol)
        if steps is None
        else cgal(f, region, rows, tol=tol, max_iter=steps)
    )
    seconds = time.perf_counter() - began
    share = (result.fun - result.lower_bound) / abs(result.fun)
    figures = [f"{-result.fun:.4f}", f"{-result.lower_bound:.4f}", f"{share:.1e}"]
    figures += [f"{result.infeasibility:.1e}", f"{best_cut(C, result.x):.0f}"]
    return [f"{seconds:.1f}", *figures, result.status.name, _memory()]


LIMITS = {"SCS": "time_limit_secs", "CLARABEL": "time_limit"}


def theirs(path: Path, solver: str, limit: float) -> list[str]:
    """The same by CVXPY, whose solver has so many seconds."""
    import cvxpy as cp

    C = read(path)
    X = cp.Variable(C.shape, PSD=True)
    program = cp.Problem(cp.Maximize(cp.sum(cp.multiply(C, X))), [cp.diag(X) == 1])
    began = time.perf_counter()
    try:
        program.solve(solver=solver, **({LIMITS[solver]: limit} if solver in LIMITS else {}))
    except cp.SolverError as error:
        return [f"{time.perf_counter() - began:.1f}", *5 * ["-"], str(error)[:40], _memory()]
    seconds = time.perf_counter() - began
    if X.value is None:
        return [f"{seconds:.1f}", *5 * ["-"], str(program.status), _memory()]
    off = float(np.abs(np.diag(X.value) - 1.0).max())
    figures = [f"{program.value:.4f}", "-", "-", f"{off:.1e}", "-"]
    return [f"{seconds:.1f}", *figures, str(program.status), _memory()]


def _memory() -> str:
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB"


def main() -> None:
    """A table: one line a graph and contestant."""
    options = parser(__doc__, "maxG11.dat-s, ...")
    options.add_argument("--graphs", nargs="*", default=GRAPHS)
    options.add_argument("--solvers", nargs="*", default=[])
    options.add_argument("--tol", type=float, default=1e-3)
    options.add_argument("--limit", type=float, default=600.0, help="seconds of other solvers")
    options.add_argument("--cgal", type=int, default=0, help="steps of CGAL as printed")
    given = options.parse_args()
    columns = ["graph", "by", "s", "<C, X>", "bound", "gap", "violated", "cut", "ended", "peak"]
    header(*columns)
    for graph in given.graphs:
        path = given.data / f"{graph}.dat-s"
        contestants: dict[str, tuple[Any, tuple[Any, ...]]] = {
            "frankwolfe": (ours, (path, given.tol))
        }
        if given.cgal:
            contestants["CGAL"] = ours, (path, given.tol, given.cgal)
        contestants |= {solver: (theirs, (path, solver, given.limit)) for solver in given.solvers}
        for name, (run, arguments) in contestants.items():
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                try:
                    row(graph, name, *pool.submit(run, *arguments).result())
                except BrokenProcessPool:  # killed, for memory as a rule
                    row(graph, name, *7 * ["-"], "killed", "-")


if __name__ == "__main__":
    main()
