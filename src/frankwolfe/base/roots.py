"""Minimizing a convex function of one variable on [0, upper], by slopes or by values."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = [
    "MAX_TRIALS",
    "bisected",
    "first_trial",
    "flat_enough",
    "full_or_newton",
    "golden",
    "newton",
    "next_trial",
    "secant",
    "stopped_short",
]

Along = Callable[[float], tuple[float, float, float | None]]
"""A function of one variable: t -> (value, slope, curvature or None)."""

MAX_TRIALS = 60  # bisection alone reaches the last bit in 53
EPS = 2.0**-52  # of the slope at the end of the interval: a smaller one is rounding
COARSE = 1e-3  # of the first slope: one that has shrunk to this, and then no more, is rounding
RATIO = 0.5 * (math.sqrt(5.0) - 1.0)  # golden ratio
WOLFE_SLOPE = 0.2  # of the first slope: second constant of the strong Wolfe conditions
ARMIJO_DECREASE = 1e-4  # of the first slope: first constant of the Wolfe conditions
MAX_HALVINGS = 100  # from a step of 1 down to 1e-30
DOMAIN_SHARE = 0.99  # of the way to the end of the domain, for steps that would reach it


def newton(along: Along, upper: float, *, exact: bool = False) -> float:
    """Minimize by safeguarded Newton steps: one that leaves the bracket becomes a bisection.

    Parameters
    ----------
    along : callable
        t -> (value, slope, curvature); where the curvature at 0 is None a secant method is used.
    upper : float
        Right end of the interval.
    exact : bool
        True if the function is quadratic: then one step suffices.
    """
    _, slope, curvature = along(0.0)
    if slope >= 0.0:
        return 0.0
    if curvature is None:
        return secant(lambda t: along(t)[1], upper, 1e-8, at_zero=slope)
    t, low, high, done = first_trial(slope, curvature, upper), 0.0, upper, exact
    for _ in range(MAX_TRIALS):
        if done:
            break
        _, slope, curvature = along(t)
        second = math.nan if curvature is None else curvature  # NaN: `next_trial` bisects
        t, low, high, done = next_trial(t, slope, second, low, high, upper)
    return t


def first_trial(slope: float, curvature: float, upper: float) -> float:
    """Newton's step from 0, where f falls, or the whole interval if that is shorter."""
    return upper if curvature * upper <= -slope else -slope / curvature


def next_trial(
    t: float, slope: float, curvature: float, low: float, high: float, upper: float
) -> tuple[float, float, float, bool]:
    """Next trial after t, with the new bracket (low, high), and true if the search is done.

    A plain function of numbers: `newton` calls it, and the fast path compiles the same one.
    """
    if not math.isfinite(slope):  # beyond the function's domain
        return 0.5 * (low + t), low, t, False
    if slope == 0.0 or (slope < 0.0 and t == upper):
        return t, low, high, True
    if slope < 0.0:
        low = t
    else:
        high = t
    ahead = t - slope / curvature if curvature != 0.0 else low
    if abs(ahead - t) <= 1e-10 * t:  # before rounding sends it to the middle
        return min(max(ahead, low), high), low, high, True
    if not low < ahead < high:
        ahead = 0.5 * (low + high)
    return ahead, low, high, False


def full_or_newton(along: Along, upper: float) -> float:
    """Full step if it brings a quarter of what its slope promises, else a Newton search.

    It is for directions of Newton's method: near the optimum values and slopes are rounding, and
    the full step is the best there is.
    """
    value, slope, _ = along(0.0)
    if along(upper)[0] <= value + 0.25 * upper * slope + 1e-15 * abs(value):
        return upper
    return newton(along, upper)


def flat_enough(along: Along, upper: float) -> float:
    """Step that satisfies the strong Wolfe conditions, or `upper` if f still falls there.

    It is for quasi-Newton methods, takes few trials and needs no curvature. Where values are
    rounding the full step is the best there is. It is 0 if f does not fall.
    """
    value, left, _ = along(0.0)
    rounding, flat = 1e-15 * abs(value), -WOLFE_SLOPE * left
    t, low, high, behind, ahead = upper, 0.0, upper, left, math.nan
    for _ in range(MAX_TRIALS):
        now, slope, _ = along(t)
        if t == upper and now <= value + rounding and abs(t * slope) <= rounding:
            return t
        if left >= 0.0:
            return 0.0
        enough = now <= value + ARMIJO_DECREASE * t * left + rounding
        if enough and slope <= flat and (slope >= -flat or t == upper):
            return t
        if enough and slope < 0.0:
            low, behind = t, slope
        else:
            high, ahead = t, slope
        share = behind / (behind - ahead) if ahead > 0.0 else 0.5  # of the way, by secants
        t = low + (high - low) * min(max(share, 0.05), 0.8 if enough else 0.2)
    return low


def secant(
    slope: Callable[[float], float],
    upper: float,
    tolerance: float,
    *,
    at_zero: float | None = None,
) -> float:
    """Minimize by a safeguarded secant method (Anderson and Bjorck 1973) on the slope.

    It ends when the slope has shrunk by the factor `tolerance`.
    Three trials that do not halve the bracket are followed by a bisection. Where rounding
    keeps the slope from shrinking on, the search ends with the smallest one.
    """
    left = slope(0.0) if at_zero is None else at_zero
    if left >= 0.0:
        return 0.0
    right = slope(upper)
    while not math.isfinite(right) and upper > 1e-30:  # beyond the function's domain
        upper *= 0.5
        right = slope(upper)
    if not right > 0.0:
        return upper if right <= 0.0 else 0.0
    enough, coarse = max(tolerance * -left, EPS * right), COARSE * -left
    low, high, slow, width = 0.0, upper, 0, upper
    least, best, stale, side = right, upper, 0, 0.0
    for _ in range(2 * MAX_TRIALS):
        t = low - left * (high - low) / (right - left)
        if not low < t < high or slow == 3:
            t, slow = 0.5 * (low + high), 0
        if not low < t < high:  # no number is left between them
            break
        now = slope(t)
        if not math.isfinite(now):
            high, slow = t, 3
            continue
        stale = 0 if abs(now) <= 0.5 * least else stale + 1
        if abs(now) < least:
            least, best = abs(now), t
        if least <= enough or (least <= coarse and stale == 3):  # small, or as rounding allows
            return best
        share = _share(now, side)
        if now < 0.0:
            low, left, right = t, now, share * right
        else:
            high, right, left = t, now, share * left
        side = now
        slow = slow + 1 if high - low > 0.5 * width else 0
        width = high - low if slow == 0 else width
    return low or best  # f still falls at the lower end


def _share(now: float, before: float) -> float:
    """Anderson and Bjorck's factor for the slope of an end that stays; below 1 at a second time."""
    if now * before <= 0.0:
        return 1.0
    share = 1.0 - now / before
    return share if share > 0.0 else 0.5


def golden(value: Callable[[float], float], upper: float, tolerance: float) -> tuple[float, float]:
    """Minimize by golden-section search on values; return the best point tried and its value.

    The bracket shrinks until it is narrow relative to its upper end, so that a minimizer near 0
    gets as many digits. `upper` itself is tried too: a full step is then exact.
    """
    best = (_finite(value(upper)), upper)
    low, high = 0.0, upper
    inner, outer = upper - RATIO * upper, RATIO * upper
    at_inner, at_outer = _finite(value(inner)), _finite(value(outer))
    for _ in range(2 * MAX_TRIALS):
        best = min(best, (at_inner, inner), (at_outer, outer), key=_first)
        if high - low <= tolerance * high or high < 1e-30:
            break
        if at_inner <= at_outer:
            high, outer, at_outer = outer, inner, at_inner
            inner = high - RATIO * (high - low)
            at_inner = _finite(value(inner))
        else:
            low, inner, at_inner = inner, outer, at_outer
            outer = low + RATIO * (high - low)
            at_outer = _finite(value(outer))
    return best[1], best[0]


def _first(pair: tuple[float, float]) -> float:
    return pair[0]


def _finite(value: float) -> float:
    """The value, or infinity in place of NaN: outside of the domain."""
    return math.inf if math.isnan(value) else value


def stopped_short(end: float, t: float, eps: float) -> float:
    """Step t, or 0.99 of `end`, where the function's domain ends, if t is not clearly before it."""
    return t if t <= (1.0 - math.sqrt(eps)) * end else DOMAIN_SHARE * end


def bisected(in_domain: Callable[[float], bool], t: float) -> float:
    """Step t if it is in the domain, else one that is, at least 0.98 of the way to its end.

    The steps in the domain must be an interval from 0; the result is 0 if none is found.
    """
    if in_domain(t):
        return t
    low, high = 0.0, t
    for _ in range(MAX_HALVINGS):
        middle = 0.5 * (low + high)
        if in_domain(middle):
            low = middle
        else:
            high = middle
        if low >= 0.98 * high:
            break
    return low
