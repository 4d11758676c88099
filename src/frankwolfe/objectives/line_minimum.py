"""Where a convex function of one number is lowest."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["lowest"]

TRIALS = 80  # along one direction
TRUST = 16.0  # Newton steps up to so many times the shortest possible one are taken at first


def lowest(
    along: Callable[[float], tuple[float, float, float | None]],
    t: float,
    enough: float,
    bound: float,
    low: float = -math.inf,
    rounding: float = 0.0,
) -> float:
    """A t at which the slope is at most `enough` in size, or as small as rounding allows.

    `along` gives value, slope and curvature at t, and `bound` is never below the curvature. A
    slope below `rounding` that no longer falls is taken for what rounding allows.
    Newton's method: as long as the minimizer is known on one side only (or to be above
    `low`), with steps that may grow fourfold each time; then inside a bracket, which is halved
    where Newton's step leaves it or is not half as long as the one before it. So it comes to an
    end also where the curvature vanishes.

    Examples
    --------
    >>> from frankwolfe.objectives.line_minimum import lowest
    >>> lowest(lambda t: (0.5 * (t - 3.0) ** 2, t - 3.0, 1.0), 0.0, 1e-12, 1.0)
    3.0
    """
    high, trust, last = math.inf, TRUST, math.inf
    best, least, idle = t, math.inf, 0
    for _ in range(TRIALS):
        _, slope, curvature = along(t)
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
            if not low < t + step < high:
                step = 0.5 * ((low if step < 0.0 else high) - t)
        elif not low < t + step < high or abs(step) > 0.5 * last:
            step = 0.5 * (low + high) - t
        if t + step in (low, t, high):
            break
        t, last = t + step, abs(step)
    return best
