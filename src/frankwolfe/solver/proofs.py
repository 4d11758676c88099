"""Proofs of results, by the tangent at their point or at a better one near by."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice

from frankwolfe.base.arrays import Point
from frankwolfe.base.checks import quiet
from frankwolfe.core.problem import Problem
from frankwolfe.core.proof import Proof, prove
from frankwolfe.core.rounding import rounding_at
from frankwolfe.methods.default import best_for
from frankwolfe.solver.loop import states

__all__ = ["proved"]

MAX_GAP_FACTOR = 10.0  # times the gap of the run: a wider proof makes us look for a better tangent
NEAR_GAP_FACTOR = 3.0  # times the gap of the run: a tangent that shows this is good enough
MAX_STEPS = 60  # from x, in search of that tangent; more help only where the run itself was slow
FALLS_SHORT = "the gap of the run is {:.2g}, and no tangent that was tried proves as much."


def proved(problem: Problem, x: Point, gap: float) -> Proof:
    """Prove bounds on f(x) and min f from the data and x; `gap` is that of the run.

    The error of f is of second order in the distance from the optimum, and that of its tangent of
    first order: other points of the run may have shown far better lower bounds.
    """
    proof, enough = prove(problem, x), MAX_GAP_FACTOR * gap
    if proof.gap <= enough:
        return proof
    with quiet():
        if problem.objective.place.here:  # elsewhere more tangents cost rounds of messages
            enough = max(enough, MAX_GAP_FACTOR * rounding_at(problem, x))
            if proof.gap > enough and proof.violation <= problem.nearness:
                other = _near_by(problem, x, gap)
                proof = min(proof, other or proof, key=lambda each: each.gap)
    return proof if proof.gap <= enough else replace(proof, remark=FALLS_SHORT.format(gap))


def _near_by(problem: Problem, x: Point, gap: float) -> Proof | None:
    """The proof by the best tangent of a few steps from x; None for matrices."""
    f, region = problem.objective, problem.region
    if f.matrix or f.distant:
        return None
    value, best, found = f(x), -math.inf, None
    for state in islice(states(problem, best_for(problem), x), MAX_STEPS):
        g = f.grad(state.x)
        bound = f(state.x) - float(g @ state.x) + region.ask(g).dot(g)
        if bound > best:
            best, found = bound, state.x.copy()
        if value - best <= NEAR_GAP_FACTOR * gap:
            break
    return None if found is None else prove(problem, x, found)
