"""Minimizing a convex function of one variable on [0, upper], by its slope."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["newton", "secant"]

Along = Callable[[float], tuple[float, float, float | None]]
MOST = 60  # trials; bisection alone reaches the last bit in 53


def newton(along: Along, upper: float, *, exact: bool = False) -> float:
    """Safeguarded Newton: a step that leaves the bracket becomes a bisection.

    Parameters
    ----------
    along : callable
        t -> (value, slope, curvature); where the curvature is None a secant method is used.
    upper : float
        Right end of the interval.
    exact : bool
        Whether the function is quadratic: then one step suffices.
    """
    _, slope, curvature = along(0.0)
    if slope >= 0.0:
        return 0.0
    if curvature is None:
        return secant(lambda t: along(t)[1], upper, 1e-8, at_zero=slope)
    low, high = 0.0, upper
    t = upper if curvature * upper <= -slope else -slope / curvature
    if exact:
        return t
    for _ in range(MOST):
        _, slope, curvature = along(t)
        if not math.isfinite(slope):  # beyond the function's domain
            high, t = t, 0.5 * (low + t)
            continue
        if slope <= 0.0 and t == upper:
            return upper
        if slope < 0.0:
            low = t
        else:
            high = t
        ahead = t - slope / curvature if curvature else low
        if not low < ahead < high:
            ahead = 0.5 * (low + high)
        if abs(ahead - t) <= 1e-10 * t or slope == 0.0:
            return ahead if slope else t
        t = ahead
    return t


def secant(
    slope: Callable[[float], float],
    upper: float,
    tolerance: float,
    *,
    at_zero: float | None = None,
) -> float:
    """Safeguarded secant (Illinois): stops when the slope has shrunk by `tolerance`."""
    left = slope(0.0) if at_zero is None else at_zero
    if left >= 0.0:
        return 0.0
    right = slope(upper)
    while not math.isfinite(right) and upper > 1e-30:  # beyond the function's domain
        upper *= 0.5
        right = slope(upper)
    if right <= 0.0:
        return upper
    enough = tolerance * -left
    low, high, t = 0.0, upper, upper
    for _ in range(MOST):
        t = low - left * (high - low) / (right - left)
        if not low < t < high:
            t = 0.5 * (low + high)
        now = slope(t)
        if abs(now) <= enough or high - low <= 1e-15 * upper:
            break
        if now < 0.0:
            low, left, right = t, now, 0.5 * right  # Illinois: halve the end that stays
        else:
            high, right, left = t, now, 0.5 * left
    return t
