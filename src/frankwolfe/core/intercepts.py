"""Bounds on an objective whose intercepts are minimized out, for proofs.

Newton's method finds the intercepts b to about 30 digits. What is left of U' phi', times how far
the intercepts of another point of the region can be from b, is all by which the objective may
fall below its tangent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.errors import Unproven
from frankwolfe.core.double_double import Doubled, Interval, pair, plus
from frankwolfe.core.enclosure import RegionFacts
from frankwolfe.core.maps import DataMap

__all__ = ["Shiftable", "free_bound", "largest_score", "scores_of"]

MAX_NEWTON_STEPS = 12  # from a start that is right to 16 digits a few reach 30
MAX_DOUBLINGS = 80  # of the bracket around an intercept; 2^80 is beyond any scale of scores
BOUND_MARGIN = Fraction(1.0 + 1e-6)  # for the rounding of bounds in double precision


class Shiftable(NamedTuple):
    """A loss of scores z + b, a row for each observation, as `free_bound` takes it."""

    terms: Callable[[Doubled], tuple[Interval, Doubled]]  # scores -> value and slopes
    curvature: Callable[[Array, Array], Array]  # scores, sums of slopes -> Newton step in b
    scores: Doubled  # at x, one row an observation
    reach: float  # upper bound on |score| over the region
    spread: Callable[[float], float]  # bound on max b - min b, by a bound on |score|
    pulled: Callable[[Doubled], Doubled]  # slopes, one row an observation -> gradient A' slope


class InterceptState(NamedTuple):
    """Value and slopes at intercepts b, the sums U' phi' of the slopes, and b itself."""

    value: Interval
    slope: Doubled
    sums: list[Interval]
    b: list[Fraction]

    @property
    def left(self) -> Fraction:
        """The 1-norm |U' phi'|_1, from above."""
        return sum((max(abs(s.low), abs(s.high)) for s in self.sums), Fraction(0))


def free_bound(loss: Shiftable, start: Array) -> tuple[Interval, Doubled, Fraction]:
    """Enclosures of value and slopes near the best b, and how far f falls below its tangent."""
    now = best = _at(loss, [Fraction(float(b)) for b in start])
    for _ in range(MAX_NEWTON_STEPS):
        sums = np.array([float(s.low + s.high) / 2.0 for s in now.sums])
        scores = loss.scores.high + np.array([float(b) for b in now.b])
        step = loss.curvature(scores, sums)
        if not step.any() or not np.isfinite(step).all():
            break
        now = _at(loss, [b - Fraction(float(d)) for b, d in zip(now.b, step, strict=True)])
        if now.left >= best.left:  # the rounding of pairs is reached
            break
        best = now
    if best.left == 0:
        return best.value, best.slope, Fraction(0)
    return best.value, best.slope, best.left * _apart(loss, best)


def _at(loss: Shiftable, b: list[Fraction]) -> InterceptState:
    """Value, slopes and their sums at the intercepts b, which are rounded to pairs first."""
    pairs = [pair(one) for one in b]
    rows = len(loss.scores.high)
    shift = Doubled(
        np.tile([high for high, _ in pairs], (rows, 1)),
        np.tile([low for _, low in pairs], (rows, 1)),
        np.zeros((rows, len(b))),
    )
    flat = plus(Doubled(*map(np.ravel, loss.scores)), Doubled(*map(np.ravel, shift)))
    value, slope = loss.terms(Doubled(*(part.reshape(rows, -1) for part in flat)))
    sums = [slope.at((slice(None), k)).contiguous().total() for k in range(len(b))]
    rounded = [Fraction(high) + Fraction(low) for high, low in pairs]
    return InterceptState(value, slope, sums, rounded)


def _apart(loss: Shiftable, found: InterceptState) -> Fraction:
    """Upper bound on |b(v) - b|_inf over the points v of the region, b(v) their best intercepts."""
    if len(found.b) > 1:  # adding one number to all of b changes nothing: only spreads count
        spread = Fraction(loss.spread(loss.reach)) * BOUND_MARGIN
        return spread + max(found.b) - min(found.b)
    # the best b moves by no more than the largest change of a score, and is near the one found
    largest = float(np.abs(loss.scores.high).max())
    change = (Fraction(loss.reach) + Fraction(largest)) * BOUND_MARGIN
    size = Fraction(2.0 ** math.frexp(1.0 + largest + abs(float(found.b[0])))[1])
    for _ in range(MAX_DOUBLINGS):
        ends = [_at(loss, [found.b[0] + side * size]).sums[0] for side in (-1, 1)]
        if ends[0].high <= 0 <= ends[1].low:
            return change + size
        size *= 2
    raise Unproven("the intercept cannot be bounded: every one is as good as another.")


def scores_of(parts: list[Doubled]) -> Doubled:
    """Columns, side by side as one matrix."""
    return Doubled(*(np.column_stack(part) for part in zip(*parts, strict=True)))


def largest_score(linear: DataMap, region: RegionFacts, classes: int) -> float:
    """Upper bound on |(Av)_i| over i and the points v of a region."""
    entry = max(float(np.abs(part).max(initial=0.0)) for part in linear.parts()[-1:])
    n = linear.shape[1] * classes
    # the margin is for the rounding of the norm itself
    return 1.000001 * entry * float(region.reach(np.ones(1), n))
