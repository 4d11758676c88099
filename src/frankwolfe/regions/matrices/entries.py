"""Helpers of sets of matrices whose points are vectors of all entries, row after row."""

from __future__ import annotations

import math

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import all_finite

__all__ = ["as_matrix", "leading", "written"]


def as_matrix(x: Array, rows: int, columns: int) -> Array:
    """Matrix of the entries, in double precision."""
    return np.asarray(x, dtype=np.float64).reshape(rows, columns)


def leading(g: Array) -> float | None:
    """Divisor of a gradient that keeps squares in range; None where it is not finite."""
    if not all_finite(g):
        return None
    largest = float(np.abs(g).max())
    return largest if largest > 0.0 and not 1e-100 < largest < 1e100 else 1.0


def written(matrix: Array | float, g: Array, out: Array | None) -> Array:
    """Write the entries of a matrix into `out`, or into a new vector like g."""
    out = np.empty_like(g) if out is None else out
    out[:] = matrix.ravel() if isinstance(matrix, np.ndarray) else math.nan
    return out
