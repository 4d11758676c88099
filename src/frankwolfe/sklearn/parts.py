"""Assignment of observations to parts that are held out together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.extmath import safe_sparse_dot

from frankwolfe.base.arrays import Matrix

__all__ = ["part_numbers"]

PARTS = 5  # of equal size, each a fifth of the rows
EQUAL_ROWS_TOL = 1e-9  # of the spread of the rows' projections; nearer rows count as one
MIN_ROWS = 10  # different rows; of fewer none is held out, for too few would be left
MAX_ROWS_ALL_PARTS = 500  # rows up to which all five parts are judged; beyond, two tell enough


def part_numbers(X: Matrix, strata: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Part number of each row, and how many of the parts are to be held out, one after the other.

    Rows of one stratum come in equal shares. Equal rows come together, so that weights are as good
    as repeated rows, and neither order nor units change anything: rows are counted along one
    direction. Of a stratum with one row none is held out (-1).

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.sklearn.parts import part_numbers
    >>> X = np.repeat(np.arange(10.0), 2)[:, None]
    >>> part_numbers(X, np.zeros(20, dtype=np.int64))
    (array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4]), 5)
    """
    # a positive random direction: different rows have different projections, almost surely, and a
    # change of order or unit keeps equal rows together
    direction = np.random.default_rng(0).uniform(0.5, 1.5, X.shape[1]).astype(X.dtype)
    place = np.asarray(safe_sparse_dot(X, direction), dtype=np.float64)
    order = np.lexsort((place, strata))
    apart = np.diff(place[order]) > EQUAL_ROWS_TOL * np.ptp(place)
    new = np.concatenate([[True], apart | (np.diff(strata[order]) != 0)])
    row = np.empty(order.size, dtype=np.int64)
    row[order] = np.cumsum(new) - 1
    count = int(new.sum())
    if count < MIN_ROWS:
        return np.full(order.size, -1), 0
    alone = np.bincount(strata[order][new])[strata] == 1
    return np.where(alone, -1, row % PARTS), PARTS if count <= MAX_ROWS_ALL_PARTS else 2
