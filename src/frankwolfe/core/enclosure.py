"""Value and gradient of an objective with bounds that hold in floating point, for proofs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.kernels import double_double as doubled
from frankwolfe.core.double_double import Doubled, Interval, around, pair, plus
from frankwolfe.core.kernels import exact_losses

__all__ = ["Enclosed", "Terms", "enclosed_terms", "exact_weights", "together"]


class Enclosed(NamedTuple):
    """f(x) lies in `value`, the gradient in `gradient`; f may fall `lost` below its tangent."""

    value: Interval
    gradient: Any  # Doubled, or DoubledCells of a matrix
    lost: Fraction = Fraction(0)
    inner: Interval | None = None  # <gradient, x>, where the two are not vectors


def together(parts: Sequence[Enclosed]) -> Enclosed:
    """The sum of functions of one vector."""
    low, high = (sum(end) for end in zip(*(part.value for part in parts), strict=True))
    gradient = reduce(plus, (part.gradient for part in parts))
    lost = sum((part.lost for part in parts), Fraction(0))
    return Enclosed(Interval(Fraction(low), Fraction(high)), gradient, lost)


class Terms(NamedTuple):
    """A separable loss before its parameters are rounded, thresholds and weights as pairs."""

    code: int
    turns: tuple[float, float, float, float]
    b: Array
    weights: tuple[Array, Array]


def exact_weights(
    raw: Array | None, factor: Fraction, count: int, *, mean: bool
) -> tuple[Array, Array]:
    """The weights of `count` terms as pairs; `raw` are the caller's, none where all are one."""
    if raw is None:
        one = pair(factor / count if mean else factor)
        return np.array(one[:1]), np.array(one[1:])
    share = pair(factor / _sum(raw) if mean else factor)
    high, low = np.empty((2, count))
    doubled.scaled(raw, *share, high, low)
    return high, low


def _sum(raw: Array) -> Fraction:
    """The sum of weights, to about 30 digits."""
    high, low, _ = doubled.total(raw, np.zeros_like(raw))
    return Fraction(high) + Fraction(low)


def enclosed_terms(terms: Terms, z: Doubled) -> tuple[Interval, Doubled]:
    """The loss at the image z, and its derivative."""
    high, low, error = np.empty((3, z.high.size))
    found = exact_losses.linearize(
        terms.code, terms.turns, *z, terms.b, *terms.weights, high, low, error
    )
    return around(*found), Doubled(high, low, error)
