"""The proof of a result, by the tangent at its point or at one near by that shows more."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice
from typing import Any

from frankwolfe.base.checks import quiet
from frankwolfe.core.problem import Problem
from frankwolfe.core.proof import Proof, prove
from frankwolfe.core.rounding import rounding_at
from frankwolfe.methods.default import best_for
from frankwolfe.solver.loop import states

__all__ = ["proved"]

WIDE = 10.0  # times the gap of a run: so wide a proof is not as good
NEAR = 3.0  # times that gap: so near a tangent is looked for
STEPS = 60
SHORT = "the gap of the run is {:.2g}, and no tangent that was tried proves as much."


def proved(problem: Problem, x: Any, gap: float) -> Proof:
    """Bounds from the data and x, whose `gap` in the run says what there is to prove.

    The error of f is of second order in the distance from the optimum, and that of the tangent of
    first order: a run may know far more of min f from the tangents of other points.
    """
    proof, enough = prove(problem, x), WIDE * gap
    if proof.gap <= enough:
        return proof
    with quiet():
        if problem.objective.place.here:
            enough = max(enough, WIDE * rounding_at(problem, x))
            if proof.gap > enough and proof.violation <= problem.nearness:
                other = _near_by(problem, x, gap)
                proof = min(proof, other or proof, key=lambda each: each.gap)
    return proof if proof.gap <= enough else replace(proof, remark=SHORT.format(gap))


def _near_by(problem: Problem, x: Any, gap: float) -> Proof | None:
    """The proof by the best tangent of a few steps from x; none for matrices."""
    f, region = problem.objective, problem.region
    if f.matrix or f.distant:
        return None
    value, best, found = f(x), -math.inf, None
    for state in islice(states(problem, best_for(problem), x), STEPS):
        g = f.grad(state.x)
        bound = f(state.x) - float(g @ state.x) + region.ask(g).dot(g)
        if bound > best:
            best, found = bound, state.x.copy()
        if value - best <= NEAR * gap:
            break
    return None if found is None else prove(problem, x, found)
