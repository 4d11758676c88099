"""Places of the smallest and of the largest entries of a vector."""

from __future__ import annotations

import numpy as np

from frankwolfe.base.arrays import Array, FloatType, Indices
from frankwolfe.base.kernels import select

__all__ = ["largest", "smallest", "sum_of_largest", "up_to"]

MAX_HEAP_LENGTH = 20_000  # up to here a heap is quicker, even where each entry enters it
PARTS_PER_ENTRY = 4  # parts for each entry wanted: their minima bound the k-th smallest of all
MIN_PART_LENGTH = 8  # shorter parts are not worth a pass of their own


def smallest(values: Array, k: int) -> Indices:
    """Places of the k smallest entries, k <= n, in increasing order; NaN counts as smallest.

    A short vector is gone through with a heap. In a long one, where k is small, entries above a
    bound on the k-th smallest are put aside first, in two quick passes; a partition of all of
    them costs ten times as much.
    """
    if k >= values.size:
        return np.arange(values.size)
    if values.size <= MAX_HEAP_LENGTH:
        places = np.empty(k, dtype=np.int64)
        select.smallest(values, places)
        places.sort()
        return places
    near = _near(values, k, by_size=False)
    if near is not None:
        return np.sort(near[np.argpartition(values[near], k - 1)[:k]])
    if select.any_nan(values):
        values = np.where(np.isnan(values), -np.inf, values)
    return up_to(values, np.partition(values, k - 1)[k - 1], k)


def largest(values: Array, k: int) -> Indices:
    """Places of the k entries of largest size, k <= n, in increasing order; NaN counts as largest.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.regions.select import largest
    >>> largest(np.array([1.0, -3.0, 0.0, 2.0]), 2)
    array([1, 3])
    """
    near = _near(values, k, by_size=True) if k < values.size else None
    if near is None:
        return smallest(-np.abs(values), k)
    return np.sort(near[np.argpartition(-np.abs(values[near]), k - 1)[:k]])


def _near(values: Array, k: int, *, by_size: bool) -> Indices | None:
    """Places of few entries among which are the k smallest, found without a temporary.

    None for a short vector, where k is not small, or where not all are numbers.
    """
    if values.size <= MAX_HEAP_LENGTH or values.size // (PARTS_PER_ENTRY * k) < MIN_PART_LENGTH:
        return None
    if select.any_nan(values):
        return None
    least = np.empty(PARTS_PER_ENTRY * k, dtype=values.dtype)
    select.least_of_parts(values, by_size, least)
    places: Indices = select.up_to(values, by_size, least, np.partition(least, k - 1)[k - 1])
    return places


def up_to(values: Array, bound: float | FloatType, k: int) -> Indices:
    """Places of the k smallest entries in increasing order; `bound` is the k-th smallest."""
    places = np.flatnonzero(values <= bound)
    if places.size > k:  # of those that are equal, the first
        tied = np.flatnonzero(values[places] == bound)
        places = np.delete(places, tied[tied.size - (places.size - k) :])
    return places


def sum_of_largest(weights: Array, k: int) -> float:
    """Sum of the k largest weights, k <= n; k times the weight where there is one for all."""
    if weights.size == 1:
        return k * float(weights[0])
    return float(np.partition(weights, weights.size - k)[-k:].sum())
