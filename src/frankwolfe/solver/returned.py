"""The point that a run returns: inside the region and the domain of f, with f computed there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array, Point
from frankwolfe.base.checks import all_finite
from frankwolfe.base.errors import InvalidInput, Unproven
from frankwolfe.core.certificate import EPS
from frankwolfe.core.proof import between
from frankwolfe.core.region import OUTSIDE_TOL, Region
from frankwolfe.core.state import State
from frankwolfe.solver.result import Status
from frankwolfe.solver.run import Incumbent, Run
from frankwolfe.subproblems.membership import nearest_inside

__all__ = ["POLICY", "EndingPolicy", "drifting", "point_of", "value_again"]


@dataclass(frozen=True)
class EndingPolicy:
    """Thresholds at the end of a run: what is checked again there, and at which cost.

    Most say up to which size an error is looked for, since beyond that the search costs more than
    it is worth; the last two are allowances for rounding. `cheap_entries` and `drift` depend on
    each other: small data get a new image whatever the noise, large data only where the noise is
    above `drift`. No study has set them.

    Attributes
    ----------
    cheap_entries : int
        Entries of A up to which a new image, or a proof, costs about a millisecond.
    drift : float
        Noise over abs(f) below which the image carried along is as good as a new one: five digits
        above double precision, and five below the default tolerance.
    cancelled : float
        Noise over abs(f) above which f is computed in pairs of doubles: fewer than nine digits of
        f are then known.
    paired_entries : int
        Entries of A up to which it is: a pass in pairs costs about ten plain ones.
    checked_variables : int
        Variables up to which it is tested whether x is in the region; above, that costs more than
        a step.
    nearest_variables : int
        Variables up to which the nearest point of a polytope is found by calls of its oracle.
    halvings : int
        Halvings of the way back to where f is finite: 2^-200 is below any entry that rounding
        makes.
    value_rounding : float
        Bound on the rounding of a value, over what is estimated for it.
    paired_rounding : float
        Units of rounding by which a value, or a bound, in doubles may be off once it is known in
        pairs.
    """

    cheap_entries: int = 200_000
    drift: float = 1e-11
    cancelled: float = 1e-9
    paired_entries: int = 2_000_000
    checked_variables: int = 10_000
    nearest_variables: int = 64
    halvings: int = 200
    value_rounding: float = 8.0
    paired_rounding: float = 4.0


POLICY = EndingPolicy()


def point_of(run: Run, best: Incumbent, status: Status) -> tuple[Point, float, float]:
    """The point in the region, f there, and a bound on the rounding of that value."""
    state, value = run.state, best.value
    x = best.point(state)
    if status is Status.LOST:  # f cannot be computed again
        return x, value, _rounding(state, value)
    current = best.x is None
    if isinstance(x, np.ndarray):
        if status is Status.NOT_FINITE and not all_finite(x):
            # x is an atom of an infinite gradient, at the very first step
            x, current = state.problem.start(), False
            value = state.problem.objective(x)
        # many small steps may drift out of a region that none of them leaves
        if x.size <= POLICY.checked_variables and not _combined(state, current=current):
            inside = _back_inside(state.problem.region, state.problem.region.inside(x))
            if inside is not x and not np.array_equal(inside, x):
                x, value, current = inside, state.problem.objective(inside), False
    if run.first is not None and not state.problem.in_domain(x):
        x = _toward_start(run, x)
        value, current = state.problem.value(x), False
    if not (current and state.iterate.fresh):
        known = current and not math.isnan(run.again)
        value = run.again if known else value_again(state, x, value)
    if state.certified and state.errors.eps * state.cancelling > POLICY.cancelled * abs(value):
        return x, *_value_in_pairs(state, x, value)
    return x, value, _rounding(state, value)


def _toward_start(run: Run, x: Point) -> Point:
    """The best of some points between x, where f is not finite, and the start, where it is.

    Rounding leads to such an x: the image that was carried along is inside of the domain, while
    that of x, whose entries are nearly zero, is not.
    """
    best, least = run.first, run.state.problem.value(run.first)
    if not isinstance(x, np.ndarray):
        return best
    for halvings in range(1, POLICY.halvings):
        there = run.state.problem.region.snap(x + 0.5**halvings * (run.first - x))
        value = run.state.problem.value(there)
        if not value <= least:  # f is convex along the way
            break
        best, least = there, value
    return best


def _rounding(state: State, value: float) -> float:
    """Bound on the rounding of a computed value; for a plain function, an estimate."""
    noise = state.errors.eps * state.cancelling + EPS * abs(value)
    return POLICY.value_rounding * (noise if state.gain else noise + EPS * state.seen)


def _back_inside(region: Region, x: Point) -> Point:
    """Return x, or the nearest point of a small polytope if rounding has led x out of it.

    A short step moves small entries and is lost in large ones, so that many steps drift apart.
    """
    known = not region.polytope or region.projection is not None
    if known or x.size > POLICY.nearest_variables:
        return x
    if region.violation(x) <= max(OUTSIDE_TOL[x.itemsize], region.exactness):
        return x
    n = x.size

    def vertex(g: Array) -> Array:
        return np.asarray(region.ask(g).dense(n), dtype=np.float64)

    try:
        found = nearest_inside(vertex, x.astype(np.float64), vertex(np.zeros(n)))[0]
    except InvalidInput:  # an oracle of the caller's that takes some gradients only
        return x
    found = region.snap(found.astype(x.dtype))
    return found if region.violation(found) < region.violation(x) else x


def _combined(state: State, *, current: bool) -> bool:
    """True if x is a combination of vertices by construction, and so in the region."""
    return current and state.active_set is not None and state.problem.region.polytope


def _value_in_pairs(state: State, x: Point, value: float) -> tuple[float, float]:
    """The value f(x) in pairs of doubles, for small data, and a bound on its rounding.

    For a value that is far smaller than its terms, which cancel.
    """
    problem = state.problem
    if problem.objective.m * problem.objective.n > POLICY.paired_entries:
        return value, _rounding(state, value)
    try:
        low, high = between(problem, x)
    except Unproven:
        return value, _rounding(state, value)
    value = min(max(value, low), high)
    return value, high - low + POLICY.paired_rounding * EPS * abs(value)


def drifting(state: State) -> bool:
    """True if the image that x carries along may differ notably from Ax.

    For small data always, where a new image costs nothing.
    """
    objective = state.problem.objective
    if objective.carries_x:
        return False
    noise = state.errors.eps * state.cancelling
    return objective.m * objective.n <= POLICY.cheap_entries or noise > POLICY.drift * abs(
        state.value
    )


def value_again(state: State, x: Point, value: float) -> float:
    """The value f(x), from a new image Ax if the one carried along may have drifted.

    A new image costs a pass over the data, and is spared where `drifting` says that it may be.
    """
    objective = state.problem.objective
    if objective.carries_x or (math.isfinite(value) and not drifting(state)):
        return value
    z = objective.new_image()
    objective.image(x, z)
    return objective.value(z) if objective.everywhere or objective.in_domain(z) else math.inf
