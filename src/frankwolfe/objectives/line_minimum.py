"""Minimization of a convex function of one number."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["lowest"]

MAX_TRIALS = 80  # evaluations along one direction: bisection takes about 60 for all digits
FIRST_TRUST = 16.0  # longest first Newton step, over the shortest possible |slope| / bound


def lowest(
    along: Callable[[float], tuple[float, float, float | None]],
    t: float,
    enough: float,
    bound: float,
    low: float = -math.inf,
    rounding: float = 0.0,
) -> float:
    """Find a t where |slope| <= `enough`, or as small as rounding allows, by Newton's method.

    `along` gives value, slope and curvature at t, and `bound` is an upper bound on the curvature. A
    slope below `rounding` that no longer falls counts as rounding.
    Until the minimizer is bracketed, steps may grow
    fourfold each time; then the bracket is halved where Newton's step leaves it or is not half as
    long as the one before it. So the search also ends where the curvature vanishes.

    Examples
    --------
    >>> from frankwolfe.objectives.line_minimum import lowest
    >>> lowest(lambda t: (0.5 * (t - 3.0) ** 2, t - 3.0, 1.0), 0.0, 1e-12, 1.0)
    3.0
    """
    high, trust, last = math.inf, FIRST_TRUST, math.inf
    best, least, idle = t, math.inf, 0
    for _ in range(MAX_TRIALS):
        _, slope, curvature = along(t)
        # Newton halves the slope at least, unless rounding or a bracket is in the way
        idle = 0 if abs(slope) < 0.5 * least else idle + 1
        if abs(slope) < least:
            best, least = t, abs(slope)
        if not abs(slope) > enough or not math.isfinite(slope):
            break
        if idle > 2 and least <= rounding:
            break
        low, high = (t, high) if slope < 0.0 else (low, t)
        step = -slope / curvature if curvature else -math.copysign(math.inf, slope)
        if math.isinf(high - low):
            limit = trust * abs(slope) / bound
            step, trust = min(max(step, -limit), limit), 4.0 * trust
            if not low < t + step < high:  # one end is known: go half of the way to it
                step = 0.5 * ((low if step < 0.0 else high) - t)
        elif not low < t + step < high or abs(step) > 0.5 * last:
            step = 0.5 * (low + high) - t
        if t + step in (low, t, high):  # no double lies between
            break
        t, last = t + step, abs(step)
    return best
