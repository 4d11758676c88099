"""Exact arithmetic: vectors of integers over one fraction, and logarithms to fifty digits."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import isqrt, lcm
from typing import Any

import numpy as np

__all__ = ["DIGITS", "Exact", "decimal", "exact", "fraction", "from_fractions", "log", "root_above"]

DIGITS = Context(prec=50, Emin=-(10**9), Emax=10**9, traps=[])  # what overflows is infinite


@dataclass(frozen=True)
class Exact:
    """An array of rational numbers: whole numbers times one fraction."""

    whole: Any  # an array of Python integers
    unit: Fraction

    def __matmul__(self, other: Exact) -> Exact:
        return Exact(np.dot(self.whole, other.whole), self.unit * other.unit)

    def __sub__(self, other: Exact) -> Exact:
        unit = Fraction(1, lcm(self.unit.denominator, other.unit.denominator))
        mine, theirs = self.unit / unit, other.unit / unit
        return Exact(self.whole * int(mine) - other.whole * int(theirs), unit)

    def fractions(self) -> list[Fraction]:
        """The entries, row after row."""
        return [Fraction(int(v)) * self.unit for v in np.ravel(self.whole)]

    def floats(self) -> Any:
        """The entries, each rounded to the nearest double."""
        flat = [float(v) for v in self.fractions()]
        return np.array(flat).reshape(np.shape(self.whole))


def exact(array: Any) -> Exact:
    """The rational numbers that floats are."""
    array = np.asarray(array, dtype=np.float64)
    mantissas, exponents = np.frexp(array)
    mantissas = np.ldexp(mantissas, 53).astype(np.int64)
    used = exponents[mantissas != 0]
    least = int(used.min()) if used.size else 0
    shifts = np.where(mantissas != 0, exponents - least, 0)
    whole = mantissas.astype(object) << shifts.astype(object)
    power = least - 53
    unit = Fraction(2**power) if power >= 0 else Fraction(1, 2**-power)
    return Exact(np.asarray(whole, dtype=object), unit)


def from_fractions(values: list[Fraction]) -> Exact:
    """A vector of fractions, which share most of their denominators."""
    below = lcm(*(v.denominator for v in values))
    whole = np.array([v.numerator * (below // v.denominator) for v in values], dtype=object)
    return Exact(whole, Fraction(1, below))


def decimal(value: Fraction | Decimal | float) -> Decimal:
    """A number to fifty digits."""
    if isinstance(value, Decimal):
        return value
    value = Fraction(value)
    return DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))


def fraction(value: Fraction | Decimal) -> Fraction:
    """A number as a fraction; of a decimal one, 120 places: 1e-999999 would take a megabyte."""
    if isinstance(value, Fraction):
        return value
    with localcontext(DIGITS) as context:
        context.prec = 500
        return Fraction(int(value.scaleb(120).to_integral_value()), 10**120)


def log(value: Fraction) -> Decimal:
    """The natural logarithm to about fifty digits."""
    with localcontext(DIGITS):
        return decimal(value).ln()


def root_above(value: Fraction) -> Fraction:
    """A number not below the square root, and nearer to it than 1e-40 of its size."""
    if value == 0:
        return Fraction(0)
    shift = max(0, 300 - value.numerator.bit_length() + value.denominator.bit_length())
    shift += shift % 2
    scaled = (value.numerator << shift) // value.denominator + 1
    return Fraction(isqrt(scaled) + 1, 1 << (shift // 2))
