"""Which observations are held out together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.extmath import safe_sparse_dot

from frankwolfe.base.arrays import Matrix

__all__ = ["part_numbers"]

PARTS = 5
SAME = 1e-9  # of the spread, below which two rows count as one
FEW = 10  # rows below which none is held out
SOME = 500  # rows up to which each is held out once


def part_numbers(X: Matrix, strata: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """A number for each row, and how many of these are parts to hold out, one after the other.

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
    direction = np.random.default_rng(0).uniform(0.5, 1.5, X.shape[1]).astype(X.dtype)
    place = np.asarray(safe_sparse_dot(X, direction), dtype=np.float64)
    order = np.lexsort((place, strata))
    apart = np.diff(place[order]) > SAME * np.ptp(place)
    new = np.concatenate([[True], apart | (np.diff(strata[order]) != 0)])
    row = np.empty(order.size, dtype=np.int64)
    row[order] = np.cumsum(new) - 1
    count = int(new.sum())
    if count < FEW:
        return np.full(order.size, -1), 0
    alone = np.bincount(strata[order][new])[strata] == 1
    return np.where(alone, -1, row % PARTS), PARTS if count <= SOME else 2
