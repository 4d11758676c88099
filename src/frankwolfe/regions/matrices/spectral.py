"""Base class of regions of matrices: an oracle by Lanczos, warm from call to call."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, Self, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Matrix, Shape, Variable
from frankwolfe.base.checks import at_least_one, number
from frankwolfe.base.errors import InvalidInput, Unproven
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import Atom
from frankwolfe.core.double_double import DoubledCells
from frankwolfe.core.gradients import MatrixGradient
from frankwolfe.core.low_rank import FactoredMatrix, as_rows
from frankwolfe.core.place import Place
from frankwolfe.core.proof import unknown_minimum
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Accuracy, DoubledGradient, ExactBound, Gradient
from frankwolfe.core.tall import thin_qr
from frankwolfe.regions.matrices.lanczos import (
    DELTA,
    RitzPair,
    RitzSpan,
    beside,
    random_start,
    top_pair,
)

__all__ = ["MAX_DENSE_ENTRIES", "MatrixRegion", "Products", "Warm"]

GAP_RESOLUTION = 1e-9  # of |<g, s>|; smaller gaps are not resolved further
WARM_STEPS = 4  # of Lanczos from the last atom: the next call goes on from there
MIN_WARM_ACCURACY = 0.01  # share of the gap; where less is asked for, WARM_STEPS do not suffice
DIMENSIONS_PER_KNOWN = 2  # at least; else Lanczos beside the known vectors has no room
SPAN_ROUNDING = 1e-13  # relative, of a bound beside a span
MAX_DENSE_ENTRIES = 2500  # of a gradient; below, a full decomposition beats Lanczos
MAX_PROVABLE_SIDE = 3000  # rows or columns up to which a dense factorization proves a bound

TIGHT = Accuracy(math.inf, math.inf, 0.0, 0, 0.0)  # of a single call outside a run

Support: TypeAlias = Callable[[float], float]
"""-<g, s> of the atom s of an eigenvector, from its eigenvalue."""

Enough: TypeAlias = Callable[[float, float, float], bool]
"""Test of Lanczos: may it stop at this Ritz value, upper bound and residual?"""


class Products(NamedTuple):
    """Products of a symmetric matrix with a vector, and with several side by side."""

    one: Callable[[Array, Array], None]
    block: Callable[[Array, Array], None]


@dataclass(slots=True)
class Warm(Memory):
    """Memory of the Lanczos oracle: top vector, counts of calls, probability of a failure.

    `near` holds vectors near the leading ones, orthonormal and as rows, where a method knows such;
    then the top vector is the one beside these.
    """

    vector: Array = field(default_factory=lambda: np.zeros(0))
    near: Array = field(default_factory=lambda: np.zeros((0, 0)), metadata={"stored": False})
    calls: int = 0
    since: int = 0  # calls since the last tight bound
    failure_probability: float = 0.0

    def bound_due(self, between: int) -> bool:
        """True if a tight bound is due, after `between` calls without one."""
        return self.calls == 0 or self.since >= between


class MatrixRegion(Region, ExactBound):
    """Base class of regions of matrices: their shapes, and the accuracy of the oracle.

    Attributes
    ----------
    shape : tuple of int or None
        Rows and columns, where the region fixes them.
    """

    matrix = True
    shape: tuple[int, int] | None = None
    accuracy: float
    seed: int
    most_steps: int
    exact_below: int

    def _options(self, accuracy: float, seed: int, most_steps: int) -> None:
        """Validate and keep the options of the oracle."""
        self.accuracy = number("accuracy", accuracy, above=0.0, high=1.0)
        self.seed = int(number("seed", seed, low=0.0))
        self.most_steps = at_least_one("most_steps", most_steps)

    def check_dimension(self, n: Variable) -> None:
        if not isinstance(n, tuple):
            raise InvalidInput(
                f"the region {self!r} holds matrices: use it with Completion, not with an "
                f"objective of {n} variables."
            )

    def start(self, n: Variable) -> FactoredMatrix:
        return FactoredMatrix.zero(n)

    def lmo(self, g: Gradient, out: Array | None = None) -> Atom:
        return self.inexact_lmo(g, Warm(), TIGHT)[0]

    def searching(self, most_steps: int, exact_below: int = 0) -> Self:
        """Copy of the region with other limits on the work of its oracle."""
        other = copy(self)
        other.most_steps, other.exact_below = most_steps, exact_below
        return other

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> Warm:
        return Warm()

    def failure_probability(self, memory: Warm) -> float:
        """Bound on the probability that a certificate so far does not hold."""
        return memory.failure_probability

    def least(self, g: DoubledGradient) -> Fraction:
        if not isinstance(g, DoubledCells):
            raise unknown_minimum(self)
        matrix, off = g.rounded()
        if min(matrix.shape) > MAX_PROVABLE_SIDE:
            raise Unproven(
                f"a gradient with {min(matrix.shape)} rows and columns has no proof of its largest "
                f"singular value (up to {MAX_PROVABLE_SIDE}): result.gap holds but with the "
                "probability result.failure_probability."
            )
        return -Fraction(self._support_above(matrix, off))

    @abstractmethod
    def _support_above(self, matrix: Matrix, off: float) -> float:
        """Upper bound on -<G, s> over the region, for any G within `off` of a sparse matrix."""

    def _accuracy(
        self, wanted: Accuracy, support: Support, due: bool, span: RitzSpan | None
    ) -> Enough:
        """Test of when the oracle may stop; `support` gives -<g, s> from an eigenvalue.

        The direction must be good, its error at most `accuracy` times the gap; the bound
        from above is made tight (half the gap) only where it is due and the bound found
        before is twice the gap, for a lower bound on min f stays one. Beside a span it cannot be
        better than the span is.
        """
        known = -math.inf if span is None else span.top
        whole: Callable[[float], float] = float if span is None else span.above

        def enough(value: float, above: float, residual: float) -> bool:
            best = support(max(value, known))
            gap = max(wanted.above + best, GAP_RESOLUTION * abs(best))
            allowed = wanted.share * self.accuracy * gap
            if value > known and support(value + residual) - best > allowed:
                return False
            if not due or wanted.slack <= 2.0 * gap:
                return True
            return bool(support(whole(above)) - support(whole(value)) <= 0.5 * gap)

        return enough

    def _top(
        self, products: Products, g: MatrixGradient, ceiling: float, memory: Warm,
        wanted: Accuracy, support: Support,
    ) -> RitzPair:  # fmt: skip
        """Top eigenpair, from the last one; `support` gives -<g, s> from an eigenvalue."""
        n, place = min(g.shape), g.place
        due = memory.bound_due(wanted.between)
        warm = memory.vector if memory.vector.size == n else None
        # the random part makes the bound hold, and costs steps: large only where it is due
        share = 0.3 if due else 0.02
        start, least = random_start(warm, n, (self.seed, memory.calls), share, place)
        span = _span(products, memory, n, place) if place.here or g.dtype == np.float64 else None
        if wanted.error is None:
            enough = self._accuracy(wanted, support, due, span)
        else:
            enough = _within(wanted.error, support)
        # from a warm start a few steps will do for a tangent: the next call goes on from there
        quick = not due and warm is not None and wanted.share * self.accuracy >= MIN_WARM_ACCURACY
        most = min(WARM_STEPS, self.most_steps) if quick else self.most_steps
        product = products.one
        if span is not None:
            product, start, least = beside(span, product, start, least, place)
        pair = top_pair(
            product, start, least, ceiling=ceiling, enough=enough, most=most, place=place
        )
        memory.vector = pair.vector / place.norm(pair.vector)
        memory.calls += 1
        memory.since = 0 if due else memory.since + 1
        memory.failure_probability += DELTA
        pair = RitzPair(pair.value, memory.vector, pair.above, pair.residual, pair.steps)
        return pair if span is None else _together(span, pair)


def _span(products: Products, memory: Warm, n: int, place: Place) -> RitzSpan | None:
    """Span of the known leading vectors; None where there are none, or nearly all."""
    count = len(memory.near)
    if not count or memory.near.shape[1] != n or DIMENSIONS_PER_KNOWN * count > n:
        return None
    near: Array = place.put(memory.near.T.astype(np.float64, order="C"))
    vectors = thin_qr(near)[0]  # in double precision
    images = place.empty(vectors.shape, np.float64)
    products.block(as_rows(vectors, np.float64), images)
    return RitzSpan.of(vectors, images, place)


def _together(span: RitzSpan, pair: RitzPair) -> RitzPair:
    """Better of the pairs in the span and beside it, with a bound for both."""
    above = span.above(pair.above)
    above += SPAN_ROUNDING * abs(above)  # of sums as long as a vector
    if pair.value > span.top:
        return RitzPair(pair.value, pair.vector, max(above, pair.value), pair.residual, pair.steps)
    return RitzPair(span.top, span.vector, max(above, span.top), span.off, pair.steps)


def _within(error: float, support: Support) -> Enough:
    """Test of when the bound is within `error`, or as near as rounding allows."""

    def enough(value: float, above: float, residual: float) -> bool:
        near = support(above) - support(value) <= error
        return bool(near or above - value <= 1e-13 * abs(value))

    return enough
