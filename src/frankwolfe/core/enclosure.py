"""Enclosures of the value and gradient of an objective in floating point, for proofs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array, Variable
from frankwolfe.base.kernels import double_double as doubled
from frankwolfe.core.double_double import Doubled, Interval, around, pair, plus
from frankwolfe.core.kernels import exact_losses

__all__ = [
    "Enclosed",
    "EnclosedGradient",
    "RegionFacts",
    "Terms",
    "enclosed_terms",
    "exact_weights",
    "together",
]


EnclosedGradient: TypeAlias = Any
"""An enclosed gradient: `Doubled`, or `DoubledCells` of a matrix, which share no protocol."""


class RegionFacts(Protocol):
    """A region, as objectives ask it: bounds over its points, and whether it ignores zero rows."""

    @property
    def drops_empty(self) -> bool:
        """True if the region holds, with each matrix, those without some rows and columns."""

    def reach(self, weights: Array, n: Variable) -> float:
        """Upper bound on Σ_j w_j |v_j| over the points v."""

    def diameter(self, n: Variable) -> float:
        """Upper bound on the distance of two points."""


class Enclosed(NamedTuple):
    """Enclosures of f(x) and its gradient; f falls at most `lost` below its tangent at x."""

    value: Interval
    gradient: EnclosedGradient
    lost: Fraction = Fraction(0)
    inner: Interval | None = None  # <gradient, x>, where the two are not vectors


def together(parts: Sequence[Enclosed]) -> Enclosed:
    """Enclosure of a sum of functions of one vector."""
    low, high = (sum(end) for end in zip(*(part.value for part in parts), strict=True))
    gradient = reduce(plus, (part.gradient for part in parts))
    lost = sum((part.lost for part in parts), Fraction(0))
    return Enclosed(Interval(Fraction(low), Fraction(high)), gradient, lost)


class Terms(NamedTuple):
    """A separable loss with unrounded parameters: thresholds and weights as pairs of doubles."""

    code: int
    turns: tuple[float, float, float, float]
    b: Array
    weights: tuple[Array, Array]


def exact_weights(
    raw: Array | None, factor: Fraction, count: int, *, mean: bool
) -> tuple[Array, Array]:
    """Weights of `count` terms as pairs of doubles; `raw` are the caller's, None for ones."""
    if raw is None:
        one = pair(factor / count if mean else factor)
        return np.array(one[:1]), np.array(one[1:])
    share = pair(factor / _sum(raw) if mean else factor)
    high, low = np.empty((2, count))
    doubled.scaled(raw, *share, high, low)
    return high, low


def _sum(raw: Array) -> Fraction:
    """Sum of weights, to about 30 digits."""
    high, low, _ = doubled.total(raw, np.zeros_like(raw))
    return Fraction(high) + Fraction(low)


def enclosed_terms(terms: Terms, z: Doubled) -> tuple[Interval, Doubled]:
    """Enclosures of a separable loss and of its derivative, at the image z."""
    high, low, error = np.empty((3, z.high.size))
    found = exact_losses.linearize(
        terms.code, terms.turns, *z, terms.b, *terms.weights, high, low, error
    )
    return around(*found), Doubled(high, low, error)
