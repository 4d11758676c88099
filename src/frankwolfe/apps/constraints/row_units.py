"""The units of constraint rows: scaling to the norm one, and back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frankwolfe.base import Array, Indices, Matrix, is_sparse

__all__ = ["RowUnits", "norms_of_rows", "rows_times"]


class RowUnits(NamedTuple):
    """Scaling of constraint rows: row i was multiplied by factors_i * 2^powers_i.

    The factors are near one. The powers are kept apart: a product with them rounds nothing, and
    2^1000 times 2^100 would overflow.
    """

    factors: Array
    powers: Indices

    def multipliers(self, y: Array) -> Array:
        """Lagrange multipliers of the rows as given, from those of the scaled rows."""
        found: Array = np.ldexp(self.factors * y, self.powers)
        return found

    def given(self, off: Array) -> Array:
        """Values of the rows as given (Ax, or distances from bounds), from scaled ones."""
        found: Array = np.ldexp(off / self.factors, -self.powers)
        return found


def norms_of_rows(matrix: Matrix) -> Array:
    """2-norms of the rows, by their squares."""
    squares = matrix.multiply(matrix) if is_sparse(matrix) else np.square(matrix)
    return np.sqrt(np.asarray(squares.sum(axis=1), dtype=np.float64).ravel())


def rows_times(matrix: Matrix, factors: Array) -> Matrix:
    """The matrix with row i multiplied by factors_i."""
    column = factors[:, None]
    return matrix.multiply(column).tocsr() if is_sparse(matrix) else column * matrix
