"""Bounds on the variables of a polytope that its rows imply."""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np

from frankwolfe.base.arrays import Array, Flags, Indices, Matrix
from frankwolfe.regions.programs.highs import Constraints

__all__ = ["implied", "largest", "row_sizes", "unit"]

PROPAGATION_ROUNDS = 3  # over all rows; later ones seldom find bounds where these do not
BOUND_MARGIN = 1e-12  # of the terms of a row: implied bounds move outward by their rounding


def implied(given: Constraints) -> tuple[Array, Array]:
    """Bounds of all variables: as given, else implied by one row, else infinite.

    A row bounds one of its variables where all others have bounds. Rounding moves a bound outward.
    """
    lower, upper = given.lower.copy(), given.upper.copy()
    entries = _entries(given.A)
    for _ in range(PROPAGATION_ROUNDS):
        open_low, open_high = np.isneginf(lower), np.isposinf(upper)
        if not (open_low.any() or open_high.any()):
            break
        for sign, level in ((1.0, given.high), (-1.0, -given.low)):
            _tighten(entries, sign, level, (lower, upper), (open_low, open_high))
    return lower, upper


def _entries(A: Matrix) -> tuple[Indices, Indices, Array]:
    """Row, column and value of each nonzero entry."""
    if isinstance(A, np.ndarray):
        rows, columns = np.nonzero(A)
        return rows, columns, A[rows, columns]
    cells = A.tocoo()
    there = cells.data != 0.0
    return cells.row[there], cells.col[there], cells.data[there]


def _tighten(
    entries: tuple[Indices, Indices, Array],
    sign: float,
    level: Array,
    bounds: tuple[Array, Array],
    wanted: tuple[Flags, Flags],
) -> None:
    """Bound variables by rows sign·a x <= level, less what the other terms are at least."""
    rows, columns, values = entries
    values = sign * values
    lower, upper = bounds
    with np.errstate(invalid="ignore", over="ignore"):
        least = np.where(values > 0.0, values * lower[columns], values * upper[columns])
    endless = np.isinf(least)
    finite = np.where(endless, 0.0, least)
    count, size = (
        np.bincount(rows, endless, level.size),
        np.bincount(rows, np.abs(finite), level.size),
    )
    rest = np.bincount(rows, finite, level.size)[rows] - finite
    known = (count[rows] - endless == 0) & np.isfinite(level[rows])
    with np.errstate(invalid="ignore", over="ignore"):
        slack = BOUND_MARGIN * (np.abs(level[rows]) + size[rows])
        bound = (level[rows] - rest + slack) / values
    up = known & (values > 0.0) & wanted[1][columns]
    down = known & (values < 0.0) & wanted[0][columns]
    np.minimum.at(upper, columns[up], bound[up])
    np.maximum.at(lower, columns[down], bound[down])


def row_sizes(A: Matrix, width: Array) -> Array:
    """Most that each row changes over a box of these widths."""
    return np.asarray(abs(A) @ width)


def largest(A: Matrix, axis: int) -> Array:
    """Largest |A_ij| in each row (axis 1) or column (axis 0)."""
    if not A.shape[axis]:
        return np.zeros(A.shape[1 - axis])
    sizes = abs(A).max(axis=axis)
    return np.ravel(sizes if isinstance(sizes, np.ndarray) else sizes.toarray())


def unit(n: int, j: SupportsIndex) -> Array:
    """Unit vector e_j of length n."""
    e = np.zeros(n)
    e[j] = 1.0
    return e
