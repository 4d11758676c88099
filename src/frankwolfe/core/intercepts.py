"""Bounds on an objective whose intercepts are minimized out, for proofs.

Newton's method finds the intercepts b to about 30 digits. What is left of U' phi', times how far
the intercepts of another point of the region can be from b, is all by which the objective may
fall below its tangent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.errors import Unproven
from frankwolfe.core.double_double import Doubled, Interval, pair, plus

__all__ = ["Shiftable", "free_bound", "largest_score", "scores_of"]

STEPS = 12  # of Newton's method
DOUBLINGS = 80
MARGIN = Fraction(1.0 + 1e-6)  # for the rounding of bounds in double precision


class Shiftable(NamedTuple):
    """A loss of scores z + b, one row an observation, as `free_bound` takes it."""

    terms: Callable[[Doubled], tuple[Interval, Doubled]]  # value and slopes
    curvature: Callable[[Array, Array], Array]  # for slopes' Newton step: scores, sums -> step
    scores: Doubled  # at x, one row an observation
    reach: float  # no score of a point of the region is larger
    spread: Callable[[float], float]  # how far intercepts may be apart where scores are so large


class Found(NamedTuple):
    """Value and slopes at intercepts b, what is left of their sums, and b itself."""

    value: Interval
    slope: Doubled
    sums: list[Interval]
    b: list[Fraction]

    @property
    def left(self) -> Fraction:
        """The sizes of the sums, added up."""
        return sum((max(abs(s.low), abs(s.high)) for s in self.sums), Fraction(0))


def free_bound(loss: Shiftable, start: Array) -> tuple[Interval, Doubled, Fraction]:
    """Value and slopes near the best intercepts, and how far f may fall below its tangent."""
    now = best = _at(loss, [Fraction(float(b)) for b in start])
    for _ in range(STEPS):
        sums = np.array([float(s.low + s.high) / 2.0 for s in now.sums])
        scores = loss.scores.high + np.array([float(b) for b in now.b])
        step = loss.curvature(scores, sums)
        if not step.any() or not np.isfinite(step).all():
            break
        now = _at(loss, [b - Fraction(float(d)) for b, d in zip(now.b, step, strict=True)])
        if now.left >= best.left:
            break
        best = now
    if best.left == 0:
        return best.value, best.slope, Fraction(0)
    return best.value, best.slope, best.left * _apart(loss, best)


def _at(loss: Shiftable, b: list[Fraction]) -> Found:
    """Everything at given intercepts, rounded to pairs first."""
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
    return Found(value, slope, sums, [Fraction(high) + Fraction(low) for high, low in pairs])


def _apart(loss: Shiftable, found: Found) -> Fraction:
    """How far the intercepts of another point may be from those found."""
    if len(found.b) > 1:  # one of all rows changes nothing: their spreads count
        spread = Fraction(loss.spread(loss.reach)) * MARGIN
        return spread + max(found.b) - min(found.b)
    # the best b moves by no more than the largest change of a score, and is near the one found
    largest = float(np.abs(loss.scores.high).max())
    change = (Fraction(loss.reach) + Fraction(largest)) * MARGIN
    size = Fraction(2.0 ** math.frexp(1.0 + largest + abs(float(found.b[0])))[1])
    for _ in range(DOUBLINGS):
        ends = [_at(loss, [found.b[0] + side * size]).sums[0] for side in (-1, 1)]
        if ends[0].high <= 0 <= ends[1].low:
            return change + size
        size *= 2
    raise Unproven("the intercept cannot be bounded: every one is as good as another.")


def scores_of(parts: list[Doubled]) -> Doubled:
    """Columns side by side."""
    return Doubled(*(np.column_stack(part) for part in zip(*parts, strict=True)))


def largest_score(linear: Any, region: Any, classes: int) -> float:
    """A bound on |(Av)_i| over the points v of a region."""
    entry = max(float(np.abs(part).max(initial=0.0)) for part in linear.parts()[-1:])
    n = linear.shape[1] * classes
    return 1.000001 * entry * float(region.reach(np.ones(1), n))
