"""Other feasible points: from other methods, from other solvers, and corners of the region."""

from __future__ import annotations

from typing import Any

import numpy as np

import frankwolfe as fw
from frankwolfe.methods import METHODS

from .cases import Case
from .peers import peer_points
from .runs import Run

__all__ = ["candidates", "others"]

STRONG = ("second_order", "fully_corrective", "working_set", "pairwise", "relay", "hybrid")


def others(case: Case, problem: fw.Problem, main: Run, *, extra: bool) -> list[str | None]:
    """Methods to run beside the main one: the strong ones, and one at random."""
    used = {case.method, main.result.method}
    rng = np.random.default_rng(case.seed + 1)
    any_of = str(rng.permutation(sorted(METHODS))[0])
    accepted = [
        name
        for name in dict.fromkeys((*STRONG, any_of))
        if name not in used and METHODS[name]().accepts(problem) is None
    ]
    names: list[str | None] = [name for name in accepted if name in STRONG][: 2 if extra else 1]
    if extra and any_of in accepted and any_of not in names:
        names.append(any_of)
    return [None, *names] if case.method is not None else names


def candidates(case: Case, problem: fw.Problem, runs: list[Run]) -> list[Any]:
    """Corners where f falls, for a quadratic that may not be convex; what other solvers find."""
    found: list[Any] = []
    if case.objective.name == "Quadratic":
        values, vectors = np.linalg.eigh(np.asarray(case.objective.options["Q"], dtype=float))
        if values[0] < 0.0:
            for sign in (1.0, -1.0):
                found.append(problem.region.lmo(sign * vectors[:, 0]).dense(problem.n))
    # the others are slow: a sample, and where no bound shows how good the points are
    if case.seed % 8 == 0 or not any(r.result.certified and r.result.success for r in runs):
        found += peer_points(case, problem.objective)
    return [np.asarray(x, dtype=np.float64) for x in found]
