"""Double-double vectors with error bounds, and numbers as fractions: arithmetic of proofs.

Sums of products take the kernels of `kernels.doubled`; a single number is a `Fraction`, which
rounds nothing.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array, Flags, Indices, Matrix
from frankwolfe.base.kernels import double_double as loops

if TYPE_CHECKING:
    from frankwolfe.core.entries import Cells

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

ProofMap: TypeAlias = Any
"""A `DataMap` of this process's memory; a sparse one says by `by_rows` how it is compressed."""

UNIT = 2.0**-53  # unit roundoff of double precision
BLOCK = 64  # rows that are transposed at a time: a block fits into the cache


class Interval(NamedTuple):
    """An interval [low, high] of fractions that holds a number."""

    low: Fraction
    high: Fraction


class Doubled(NamedTuple):
    """A vector: each entry lies within `error` of high + low, which do not overlap."""

    high: Array
    low: Array
    error: Array

    @property
    def known(self) -> bool:
        """True if all entries and errors are finite."""
        return bool(np.isfinite(self.high).all() and np.isfinite(self.error).all())

    @property
    def slack(self) -> Fraction:
        """Largest error bound of an entry."""
        return Fraction(float(self.error.max(initial=0.0)))

    def at(self, places: Indices | Flags | slice | tuple[slice, int]) -> Doubled:
        """Vector of the entries at `places`."""
        return Doubled(self.high[places], self.low[places], self.error[places])

    def times(self, signs: Array) -> Doubled:
        """Entries times powers of two with signs: these products are exact."""
        return Doubled(self.high * signs, self.low * signs, self.error * np.abs(signs))

    def contiguous(self) -> Doubled:
        """The vector with each part contiguous in memory, as the loops need it."""
        return Doubled(*map(np.ascontiguousarray, self))

    def entry(self, index: int) -> Fraction:
        """Exact value of high + low at one place."""
        return Fraction(float(self.high[index])) + Fraction(float(self.low[index]))

    def order(self) -> Indices:
        """Indices that sort the entries high + low in ascending order."""
        return np.lexsort((self.low, self.high))

    def sizes(self) -> Doubled:
        """Vector of the absolute values of the entries."""
        return self.times(np.where(self.high < 0.0, -1.0, 1.0))

    def least(self) -> Fraction:
        """Exact lower bound on all entries."""
        smallest = self.high.min()
        tied = np.flatnonzero(self.high == smallest)
        return self.entry(int(tied[self.low[tied].argmin()])) - self.slack

    def most(self) -> Fraction:
        """Exact upper bound on all entries."""
        return -Doubled(-self.high, -self.low, self.error).least()

    def total(self) -> Interval:
        """Interval that holds the sum of the entries."""
        high, low, error = loops.total(self.high, self.low)
        return around(high, low, error + sum_above(self.error))

    def dot(self, x: Array) -> Interval:
        """Interval that holds the inner product with a vector of doubles."""
        x = np.ascontiguousarray(x, dtype=np.float64)
        high, low, error = loops.dot(self.high, self.low, x, np.zeros_like(x))
        return around(high, low, error + sum_above(self.error * np.abs(x)))


class DoubledCells(NamedTuple):
    """A sparse matrix with double-double values on its cells; a cell may come twice."""

    cells: Cells
    values: Doubled

    @property
    def known(self) -> bool:
        """True if all values and errors are finite."""
        return self.values.known

    def rounded(self) -> tuple[Matrix, float]:
        """The matrix in doubles, and a bound on its error in the Frobenius norm."""
        from scipy.sparse import csr_array

        high = self.values.high
        parts = (high, self.cells.columns, self.cells.indptr)
        matrix = csr_array(parts, shape=self.cells.shape)
        matrix.sum_duplicates()
        size = float(np.linalg.norm(high)) * (self.cells.multiplicity + 2) * 2.0 * UNIT
        return matrix, 1.000001 * (size + float(np.linalg.norm(self.values.error)))


def exact(x: ArrayLike) -> Doubled:
    """Vector of doubles (or less) as a `Doubled` without error."""
    high = np.array(x, dtype=np.float64)
    return Doubled(high, np.zeros_like(high), np.zeros_like(high))


def pair(value: Fraction) -> tuple[float, float]:
    """Split a number into high + low, two doubles with a relative error of at most 2^-106."""
    high = float(value)
    return high, float(value - Fraction(high))


def around(high: float, low: float, error: float) -> Interval:
    """Interval of all numbers within `error` of high + low; an error where one is not finite."""
    if not (math.isfinite(high) and math.isfinite(low) and math.isfinite(error)):
        raise OverflowError
    # the error itself was summed in doubles: widened a little
    middle, width = Fraction(high) + Fraction(low), Fraction(error) * Fraction(1.0 + 2.0**-40)
    return Interval(middle - width, middle + width)


def plus(a: Doubled, b: Doubled) -> Doubled:
    """Sum of two vectors, with the errors of both and of the sum."""
    high, low = np.empty((2, a.high.size))
    loops.sums(a.high, a.low, b.high, b.low, high, low)
    return Doubled(high, low, a.error + b.error + loops.STEP * np.abs(high))


def sum_above(errors: Array) -> float:
    """Upper bound on the exact sum of numbers >= 0."""
    return float(errors.sum()) * (1.0 + 4.0 * UNIT * (errors.size + 2))


def above(value: Fraction) -> float:
    """Smallest double that is not below `value`."""
    if value > Fraction(np.finfo(np.float64).max.item()):
        return math.inf
    try:
        near = float(value)
    except OverflowError:
        return -np.finfo(np.float64).max.item()
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def below(value: Fraction) -> float:
    """Largest double that is not above `value`."""
    return -above(-value)


def root_above(value: Fraction) -> Fraction:
    """Upper bound on the square root, with about 200 correct bits."""
    if value <= 0:
        return Fraction(0)
    shift = max(0, 200 - (value.numerator.bit_length() - value.denominator.bit_length()) // 2)
    scaled = math.isqrt(-(-(value.numerator << 2 * shift) // value.denominator)) + 1
    return Fraction(scaled, 1 << shift)


def image(linear: ProofMap, x: Doubled) -> Doubled:
    """A x with error bounds, for a map with its entries in `parts`."""
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


def transposed(linear: ProofMap, y: Doubled) -> Doubled:
    """A' y with error bounds, for a map with its entries in `parts`."""
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
    """high + low = M x and sizes = |M||x|, by columns of M, or transposed blocks of its rows."""
    if matrix.flags.f_contiguous:
        loops.add_rows(matrix.T, x.high, x.low, high, low, sizes)
        return
    for begin in range(0, len(matrix), BLOCK):
        part = slice(begin, begin + BLOCK)
        columns = np.ascontiguousarray(matrix[part].T)
        loops.add_rows(columns, x.high, x.low, high[part], low[part], sizes[part])


def _finished(
    linear: ProofMap,
    x: Doubled,
    high: Array,
    low: Array,
    sizes: Array,
    count: int,
    *,
    adjoint: bool = False,
) -> Doubled:
    """Normalized sums, with bounds of their rounding and of what the errors of x carry over."""
    loops.normalize(high, low)
    error = 4.0 * (count + 3.0) ** 2 * UNIT**2 * sizes * (1.0 + 1e-9) + count * loops.UNDERFLOW
    if x.error.any():
        error += _carried(linear, x.error, adjoint=adjoint)
    return Doubled(high, low, error)


def _carried(linear: ProofMap, errors: Array, *, adjoint: bool) -> Array:
    """Upper bounds on |A| errors, or |A|' errors, for errors >= 0."""
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
