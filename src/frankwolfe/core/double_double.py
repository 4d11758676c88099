"""Vectors as sums of two doubles with error bounds, and numbers as fractions: for proofs.

Sums of products take the kernels of `kernels.doubled`; a single number is a `Fraction`, which
rounds nothing.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.kernels import double_double as loops

__all__ = [
    "Doubled",
    "DoubledCells",
    "Interval",
    "above",
    "around",
    "below",
    "exact",
    "image",
    "pair",
    "plus",
    "root_above",
    "transposed",
]

UNIT = 2.0**-53
BLOCK = 64  # rows of a block that is turned round


class Interval(NamedTuple):
    """Two fractions with a number between them."""

    low: Fraction
    high: Fraction


class Doubled(NamedTuple):
    """A vector: each entry lies within `error` of high + low, which do not overlap."""

    high: Array
    low: Array
    error: Array

    @property
    def known(self) -> bool:
        """Whether all entries and errors are finite."""
        return bool(np.isfinite(self.high).all() and np.isfinite(self.error).all())

    @property
    def slack(self) -> Fraction:
        """The largest error."""
        return Fraction(float(self.error.max(initial=0.0)))

    def at(self, places: Any) -> Doubled:
        """Some of the entries."""
        return Doubled(self.high[places], self.low[places], self.error[places])

    def times(self, signs: Array) -> Doubled:
        """Each entry times a power of two, or a sign."""
        return Doubled(self.high * signs, self.low * signs, self.error * np.abs(signs))

    def contiguous(self) -> Doubled:
        """The same, each part in one piece."""
        return Doubled(*map(np.ascontiguousarray, self))

    def entry(self, index: int) -> Fraction:
        """high + low at one place."""
        return Fraction(float(self.high[index])) + Fraction(float(self.low[index]))

    def order(self) -> Indices:
        """The places of the entries high + low, the smallest first."""
        return np.lexsort((self.low, self.high))

    def sizes(self) -> Doubled:
        """The absolute values."""
        return self.times(np.where(self.high < 0.0, -1.0, 1.0))

    def least(self) -> Fraction:
        """A number that no entry is below."""
        smallest = self.high.min()
        tied = np.flatnonzero(self.high == smallest)
        return self.entry(int(tied[self.low[tied].argmin()])) - self.slack

    def most(self) -> Fraction:
        """A number that no entry is above."""
        return -Doubled(-self.high, -self.low, self.error).least()

    def total(self) -> Interval:
        """The sum of the entries."""
        high, low, error = loops.total(self.high, self.low)
        return around(high, low, error + sum_above(self.error))

    def dot(self, x: Array) -> Interval:
        """The inner product with a vector of doubles."""
        x = np.ascontiguousarray(x, dtype=np.float64)
        high, low, error = loops.dot(self.high, self.low, x, np.zeros_like(x))
        return around(high, low, error + sum_above(self.error * np.abs(x)))


class DoubledCells(NamedTuple):
    """A matrix that is zero but for some cells, whose values are pairs; a cell may come twice."""

    cells: Any
    values: Doubled

    @property
    def known(self) -> bool:
        """Whether all values and errors are finite."""
        return self.values.known

    def rounded(self) -> tuple[Any, float]:
        """The matrix in doubles, and how far that may be off in the Frobenius norm."""
        from scipy.sparse import csr_array

        high = self.values.high
        parts = (high, self.cells.columns, self.cells.indptr)
        matrix = csr_array(parts, shape=self.cells.shape)
        matrix.sum_duplicates()
        size = float(np.linalg.norm(high)) * (self.cells.multiplicity + 2) * 2.0 * UNIT
        return matrix, 1.000001 * (size + float(np.linalg.norm(self.values.error)))


def exact(x: Any) -> Doubled:
    """A vector of doubles (or less) as it is."""
    high = np.array(x, dtype=np.float64)
    return Doubled(high, np.zeros_like(high), np.zeros_like(high))


def pair(value: Fraction) -> tuple[float, float]:
    """The two doubles nearest to a number: it lies within 2^-106 of their sum, relatively."""
    high = float(value)
    return high, float(value - Fraction(high))


def around(high: float, low: float, error: float) -> Interval:
    """All within `error` of high + low."""
    if not (math.isfinite(high) and math.isfinite(low) and math.isfinite(error)):
        raise OverflowError
    middle, width = Fraction(high) + Fraction(low), Fraction(error) * Fraction(1.0 + 2.0**-40)
    return Interval(middle - width, middle + width)


def plus(a: Doubled, b: Doubled) -> Doubled:
    """The sum of two vectors."""
    high, low = np.empty((2, a.high.size))
    loops.sums(a.high, a.low, b.high, b.low, high, low)
    return Doubled(high, low, a.error + b.error + loops.STEP * np.abs(high))


def sum_above(errors: Array) -> float:
    """A bound on the sum of numbers >= 0."""
    return float(errors.sum()) * (1.0 + 4.0 * UNIT * (errors.size + 2))


def above(value: Fraction) -> float:
    """The smallest double that is not below."""
    if value > Fraction(np.finfo(np.float64).max.item()):
        return math.inf
    try:
        near = float(value)
    except OverflowError:
        return -np.finfo(np.float64).max.item()
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def below(value: Fraction) -> float:
    """The largest double that is not above."""
    return -above(-value)


def root_above(value: Fraction) -> Fraction:
    """A number not below the root, to 200 bits."""
    if value <= 0:
        return Fraction(0)
    shift = max(0, 200 - (value.numerator.bit_length() - value.denominator.bit_length()) // 2)
    scaled = math.isqrt(-(-(value.numerator << 2 * shift) // value.denominator)) + 1
    return Fraction(scaled, 1 << shift)


def image(linear: Any, x: Doubled) -> Doubled:
    """A x, for a map with its entries in `parts`."""
    rows, columns = linear.shape
    high, low, sizes = np.zeros((3, rows))
    parts = linear.parts()
    if isinstance(parts[0], str):  # the identity
        return x
    if len(parts) == 3:
        loop = loops.row_sums if linear.by_rows else loops.add_sparse
        loop(*parts, x.high, x.low, high, low, sizes)
    else:
        _dense(parts[0], x, high, low, sizes)
    return _finished(linear, x, high, low, sizes, columns)


def transposed(linear: Any, y: Doubled) -> Doubled:
    """A' y."""
    rows, columns = linear.shape
    high, low, sizes = np.zeros((3, columns))
    parts = linear.parts()
    if isinstance(parts[0], str):
        return y
    if len(parts) == 3:
        loop = loops.add_sparse if linear.by_rows else loops.row_sums
        loop(*parts, y.high, y.low, high, low, sizes)
    else:
        _dense(parts[0].T, y, high, low, sizes)
    return _finished(linear, y, high, low, sizes, rows, adjoint=True)


def _dense(matrix: Array, x: Doubled, high: Array, low: Array, sizes: Array) -> None:
    """high + low = M x; M is read along its rows, or a block of them is turned round."""
    if matrix.flags.f_contiguous:
        loops.add_rows(matrix.T, x.high, x.low, high, low, sizes)
        return
    for begin in range(0, len(matrix), BLOCK):
        part = slice(begin, begin + BLOCK)
        columns = np.ascontiguousarray(matrix[part].T)
        loops.add_rows(columns, x.high, x.low, high[part], low[part], sizes[part])


def _finished(
    linear: Any,
    x: Doubled,
    high: Array,
    low: Array,
    sizes: Array,
    count: int,
    *,
    adjoint: bool = False,
) -> Doubled:
    """The pairs in order, with what the sums and the errors of x may add."""
    loops.normalize(high, low)
    error = 4.0 * (count + 3.0) ** 2 * UNIT**2 * sizes * (1.0 + 1e-9) + count * loops.TINY
    if x.error.any():
        error += _carried(linear, x.error, adjoint=adjoint)
    return Doubled(high, low, error)


def _carried(linear: Any, errors: Array, *, adjoint: bool) -> Array:
    """|A| times errors >= 0, or |A|' times them, from above."""
    rows, columns = linear.shape
    parts = linear.parts()
    sizes = np.zeros(columns if adjoint else rows)
    high, low = np.zeros((2, sizes.size))
    nothing = np.zeros_like(errors)
    if len(parts) == 3:
        loop = loops.add_sparse if linear.by_rows == adjoint else loops.row_sums
        loop(*parts, errors, nothing, high, low, sizes)
    else:
        matrix = parts[0].T if adjoint else parts[0]
        _dense(matrix, Doubled(errors, nothing, nothing), high, low, sizes)
    return np.asarray(sizes * (1.0 + 4.0 * UNIT * (errors.size + 2)))
