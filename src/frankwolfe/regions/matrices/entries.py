"""What sets of matrices share whose points are vectors of all entries, row after row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import all_finite

__all__ = ["as_matrix", "leading", "written"]


def as_matrix(x: Any, rows: int, columns: int) -> Array:
    """The entries as a matrix in double precision."""
    return np.asarray(x, dtype=np.float64).reshape(rows, columns)


def leading(g: Array) -> float | None:
    """What a gradient is divided by, so that no square overflows; None where it is not finite."""
    if not all_finite(g):
        return None
    largest = float(np.abs(g).max())
    return largest if largest > 0.0 and not 1e-100 < largest < 1e100 else 1.0


def written(matrix: Array | float, g: Array, out: Array | None) -> Array:
    """The entries of a matrix in `out`, or in a new vector like g."""
    out = np.empty_like(g) if out is None else out
    out[:] = matrix.ravel() if isinstance(matrix, np.ndarray) else math.nan
    return out
