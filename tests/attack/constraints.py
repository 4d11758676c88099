"""The attack on linear constraints: `python -m tests.attack.constraints --seeds 0:200`.

A seed makes a region, rows and an objective, in many scales; some rows are repeated, and some are
satisfied by nothing. Values, bounds and proofs are compared with what Clarabel finds, where that is
sure of itself; points are looked at on their own.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from typing import Any

import cvxpy as cp
import numpy as np

import frankwolfe as fw

from .constraint_shapes import KINDS, Case, case

__all__ = ["judged"]

SURE = 1e-10  # what Clarabel is asked for
UNSURE = 1e-6  # what it may be off by all the same, of the size of f


def _truth(problem: Case) -> tuple[str, float]:
    """What Clarabel says: optimal, infeasible or nothing; and the value."""
    asked = {"tol_gap_abs": SURE * problem.scale, "tol_gap_rel": SURE, "tol_feas": SURE}
    try:
        problem.program.solve(solver=cp.CLARABEL, max_iter=500, **asked)
    except cp.SolverError:
        return "nothing", np.nan
    status = problem.program.status
    return status if status in ("optimal", "infeasible") else "nothing", problem.program.value


def _units(rows: fw.Affine) -> np.ndarray:
    norms = rows.row_norms()
    return np.where(norms > 0.0, norms, 1.0)


def _defects(problem: Case, result: Any, said: str, value: float) -> list[str]:
    size = max(1.0, abs(value)) if np.isfinite(value) else 1.0
    if result.status is fw.Status.INFEASIBLE:
        return ["proved what is not true"] if said == "optimal" else []
    found = [] if problem.possible else ["not proved to be impossible"]
    if said == "optimal":
        unsure = UNSURE * max(size, problem.scale)
        found += ["a false bound"] * bool(result.lower_bound > value + unsure)
        above = result.fun - value
        near = problem.near * size + unsure
        # a smaller value at a point that satisfies all is Clarabel's error
        found += ["another value"] * bool(above > near or (above < -near and not problem.exact))
        found += ["stopped short"] * bool(not result.success and result.gap > unsure)
    outside = problem.region.violation(result.x)
    found += [f"outside by {outside:.1e}"] * bool(outside > 1e-9)
    off = np.abs(result.violations / _units(problem.rows)).max()
    if problem.possible and said == "optimal":
        most = problem.near * max(problem.size, float(np.abs(problem.rows.size)), 1e-9)
        found += [f"violates by {off:.1e}"] * bool(off > most)
    return found


def judged(kind: str, seed: int) -> tuple[list[str], str, float]:
    """What is wrong with the answer to the problem of a seed, how it ended, and its seconds."""
    problem = case(kind, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said, value = _truth(problem)
    began = time.perf_counter()
    result = fw.minimize(problem.objective, problem.region, subject_to=problem.rows)
    seconds = time.perf_counter() - began
    ended = f"{result.status.name} {said}"
    return _defects(problem, result, said, value), ended, seconds


def main() -> None:
    """Judge a range of seeds of each kind."""
    line = argparse.ArgumentParser(description=__doc__)
    line.add_argument("--seeds", default="0:200")
    line.add_argument("--kinds", nargs="*", default=list(KINDS))
    options = line.parse_args()
    first, last = map(int, options.seeds.split(":"))
    for kind in options.kinds:
        ends, took, wrong = Counter[str](), 0.0, 0
        for seed in range(first, last):
            defects, ended, seconds = judged(kind, seed)
            ends[ended] += 1
            took += seconds
            wrong += bool(defects)
            if defects or seconds > 10.0:
                print(f"{kind} {seed} ({ended}, {seconds:.1f} s): {', '.join(defects)}")
        print(f"{kind}: {wrong} of {last - first} wrong, {took:.1f} s, {dict(ends)}")


if __name__ == "__main__":
    main()
