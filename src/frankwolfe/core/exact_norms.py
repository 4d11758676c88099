"""Upper bounds on dual norms, for proofs."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from frankwolfe.base.kernels import double_double as doubled
from frankwolfe.core.double_double import Doubled, around, pair, root_above, sum_above
from frankwolfe.core.kernels import exact_losses

__all__ = ["norm_above"]


def norm_above(g: Doubled, p: float) -> Fraction:
    """Upper bound on the dual of the p-norm, that is the q-norm with 1/p + 1/q = 1, of g.

    Examples
    --------
    >>> from frankwolfe.core.double_double import exact
    >>> from frankwolfe.core.exact_norms import norm_above
    >>> float(norm_above(exact([3.0, -4.0]), 2.0)), float(norm_above(exact([3.0, -4.0]), 1.0))
    (5.0, 4.0)
    """
    if p == 1.0:
        return max(g.sizes().most(), Fraction(0))
    if p == math.inf:
        return g.sizes().total().high
    largest = float(np.abs(g.high).max())
    if largest == 0.0:
        return Fraction(sum_above(g.error))
    exponent = math.frexp(largest)[1]
    share = Doubled(*(np.ldexp(part, -exponent) for part in (g.high, g.low, g.error))).sizes()
    found = _two(share) if p == 2.0 else _any(share, p)
    return (found + Fraction(sum_above(share.error))) * Fraction(2) ** exponent


def _two(share: Doubled) -> Fraction:
    """Upper bound on the 2-norm of numbers in [0, 1]; each that underflows is below 2^-500."""
    squares = doubled.dot(share.high, share.low, share.high, share.low)
    return root_above(around(*squares).high) + share.high.size * Fraction(1, 2**500)


def _any(share: Doubled, p: float) -> Fraction:
    """Upper bound on the q-norm with 1/p + 1/q = 1.

    Entries are divided by the largest, so that the sum of their powers is one or more: those that
    underflow, below 2^-1000 each, are nothing beside it, however large q is.
    """
    q, top = Fraction(p) / (Fraction(p) - 1), int(share.high.argmax())
    largest = float(share.high[top]), float(share.low[top])
    high, low = np.empty((2, share.high.size))
    relative = exact_losses.powers(share.high, share.low, *largest, *pair(q), high, low)
    total = around(*doubled.total(high, low)).high * (1 + Fraction(relative))
    total += share.high.size * Fraction(1, 2**1000)
    root, rest = np.empty((2, 1))
    sums = (np.array([part]) for part in pair(total))
    relative = exact_losses.powers(*sums, 1.0, 0.0, *pair(1 / q), root, rest)
    found = (Fraction(float(root[0])) + Fraction(float(rest[0]))) * share.entry(top)
    return found * (1 + Fraction(relative) + Fraction(1, 2**90))
