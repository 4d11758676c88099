"""The point that a run returns: in the region, where f is finite, with f computed there."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from frankwolfe.base.checks import all_finite
from frankwolfe.base.errors import InvalidInput, Unproven
from frankwolfe.core.certificate import EPS
from frankwolfe.core.proof import between
from frankwolfe.core.region import OUTSIDE_TOL, Region
from frankwolfe.core.state import State
from frankwolfe.solver.result import Status
from frankwolfe.solver.run import Incumbent, Run
from frankwolfe.subproblems.membership import nearest_inside

__all__ = ["SMALL", "drifting", "point_of", "value_again"]

SHORT = 10_000  # variables up to which it costs nothing to look whether x is in the region
DRIFTING = 64  # and up to which it costs little to find the nearest point by the oracle
DRIFT = 1e-11  # share of f, of noise below which a carried image need not be made again
SMALL = 200_000  # entries of A up to which that costs little
VAGUE = 1e-9  # share of f that rounding may take before it is computed in pairs of doubles
HALVINGS = 200  # of the way back to where f is finite


def point_of(run: Run, best: Incumbent, status: Status) -> tuple[Any, float, float]:
    """The point in the region, f there, and how far rounding may have led that from f."""
    state, value = run.state, best.value
    x = best.point(state)
    if status is Status.LOST:  # f cannot be computed again
        return x, value, _rounding(state, value)
    current = best.x is None
    if isinstance(x, np.ndarray):
        if status is Status.NOT_FINITE and not all_finite(x):
            x, current = state.problem.start(), False  # an atom of the first, infinite gradient
            value = state.problem.objective(x)
        if x.size <= SHORT and not _combined(state, current=current):
            inside = _back(state.problem.region, state.problem.region.inside(x))
            if inside is not x and not np.array_equal(inside, x):
                x, value, current = inside, state.problem.objective(inside), False
    if run.first is not None and not state.problem.in_domain(x):
        x = _brought_back(run, x)
        value, current = state.problem.value(x), False
    if not (current and state.iterate.fresh):
        known = current and not math.isnan(run.again)
        value = run.again if known else value_again(state, x, value)
    if state.certified and state.errors.eps * state.cancelling > VAGUE * abs(value):
        return x, *_value_in_pairs(state, x, value)
    return x, value, _rounding(state, value)


def _brought_back(run: Run, x: Any) -> Any:
    """The best of some points between x, where f is not finite, and the start, where it is.

    Rounding of x leads there from an image that was moved along, where x is all but zero.
    """
    best, least = run.first, run.state.problem.value(run.first)
    if not isinstance(x, np.ndarray):
        return best
    for halvings in range(1, HALVINGS):
        there = run.state.problem.region.snap(x + 0.5**halvings * (run.first - x))
        value = run.state.problem.value(there)
        if not value <= least:  # f is convex along the way
            break
        best, least = there, value
    return best


def _rounding(state: State, value: float) -> float:
    """How far f may be from a computed value; of a plain function, as far as it is known."""
    noise = state.errors.eps * state.cancelling + EPS * abs(value)
    return 8.0 * (noise if state.gain else noise + EPS * state.seen)


def _back(region: Region, x: Any) -> Any:
    """x, or the nearest point where the rounding of many steps has led out of a small polytope.

    A short step moves small entries and is lost in large ones.
    """
    if not region.polytope or region.offers(Region.project) or x.size > DRIFTING:
        return x
    if region.violation(x) <= max(OUTSIDE_TOL[x.itemsize], region.exactness):
        return x
    n = x.size

    def vertex(g: Any) -> Any:
        return np.asarray(region.ask(g).dense(n), dtype=np.float64)

    try:
        found = nearest_inside(vertex, x.astype(np.float64), vertex(np.zeros(n)))[0]
    except InvalidInput:  # an oracle for some gradients alone
        return x
    found = region.snap(found.astype(x.dtype))
    return found if region.violation(found) < region.violation(x) else x


def _combined(state: State, *, current: bool) -> bool:
    """Whether x is a combination of vertices by construction, and so in the region."""
    return current and state.active_set is not None and state.problem.region.polytope


def _value_in_pairs(state: State, x: Any, value: float) -> tuple[float, float]:
    """f at x in pairs of doubles, where little is left of its terms, and its rounding.

    Of small data alone.
    """
    problem = state.problem
    if problem.objective.m * problem.objective.n > 10 * SMALL:
        return value, _rounding(state, value)
    try:
        low, high = between(problem, x)
    except Unproven:
        return value, _rounding(state, value)
    value = min(max(value, low), high)
    return value, high - low + 4.0 * EPS * abs(value)


def drifting(state: State) -> bool:
    """Whether the image that x carries along may differ from Ax by more than a little."""
    objective = state.problem.objective
    if objective.carries_x:
        return False
    noise = state.errors.eps * state.cancelling
    return objective.m * objective.n <= SMALL or noise > DRIFT * abs(state.value)


def value_again(state: State, x: Any, value: float) -> float:
    """f at x, from A x itself where the image that was carried along may differ from it.

    That costs a pass over the data, and is left where the two are the same to `DRIFT`.
    """
    objective = state.problem.objective
    if objective.carries_x or (math.isfinite(value) and not drifting(state)):
        return value
    z = objective.new_image()
    objective.image(x, z)
    return objective.value(z) if objective.everywhere or objective.in_domain(z) else math.inf
