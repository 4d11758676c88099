"""Norms of rational vectors: exact, or from above to forty digits."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from .rational import DIGITS, decimal, root_above

__all__ = ["group_norm", "lp_norm", "sparse_norm"]

Values = list[Fraction]


def lp_norm(d: Values, p: float) -> Fraction:
    """A bound on the norm from above, exact or to forty digits."""
    sizes = [abs(v) for v in d if v]
    if not sizes:
        return Fraction(0)
    if p == 1.0:
        return sum(sizes, Fraction(0))
    if p == math.inf:
        return max(sizes)
    if p == 2.0:
        return root_above(sum((v * v for v in sizes), Fraction(0)))
    top = max(sizes)
    with localcontext(DIGITS):
        order = decimal(p)
        total = sum((decimal(v / top) ** order for v in sizes), Decimal(0))
        norm = total ** (1 / order) * (1 + Decimal("1e-40"))
    return Fraction(norm) * top


def group_norm(groups: Any) -> Callable[[Values], Fraction]:
    def norm(d: Values) -> Fraction:
        squares: dict[Any, Fraction] = {}
        for label, v in zip(groups, d, strict=True):
            squares[label] = squares.get(label, Fraction(0)) + v * v
        return sum((root_above(s) for s in squares.values()), Fraction(0))

    return norm


def sparse_norm(k: int) -> Callable[[Values], Fraction]:
    """The norm whose unit ball is the cube cut by the l1 ball of radius k."""

    def norm(d: Values) -> Fraction:
        return max(lp_norm(d, math.inf), lp_norm(d, 1.0) / k)

    return norm
