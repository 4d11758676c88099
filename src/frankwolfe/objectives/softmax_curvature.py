"""The second derivative of the softmax loss: w (diag(p) - p p') for each observation."""

from __future__ import annotations

from typing import cast

import numpy as np

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.base.checks import is_sparse
from frankwolfe.core.maps import DataMap
from frankwolfe.core.place import Place
from frankwolfe.core.products import weighted_gram

__all__ = ["between", "times", "whole"]


def _means(p: Array, columns: Matrix) -> Array:
    """The mean of the columns over the classes of each observation, under p."""
    if not is_sparse(columns):
        each = columns.reshape(*p.shape, -1)
        return cast(Array, np.einsum("ik,ikc->ic", p, each, dtype=np.float64))
    from scipy.sparse import csr_array

    ends = np.arange(0, p.size + 1, p.shape[1])
    mean = csr_array((p.ravel(), np.arange(p.size), ends), shape=(len(p), p.size))
    return np.asarray((mean @ columns).toarray(), dtype=np.float64)


def _around(columns: Array, means: Array) -> Array:
    """The columns less the mean of each observation, over its classes."""
    away = columns.reshape(len(means), -1, means.shape[1]) - means[:, None, :]
    return cast(Array, away.reshape(columns.shape))


def between(p: Array, w: Array, left: Matrix, right: Matrix, place: Place) -> Array:
    """B' phi'' C: squares minus squares of means, or squares of what is around them.

    From the means on nothing cancels: where one class has all, the difference is rounding.
    """
    one = _means(p, left)
    two = one if left is right else _means(p, right)
    weights = (w[:, None] * p).ravel()
    if is_sparse(left) or is_sparse(right):
        return weighted_gram(left, right, weights) - weighted_gram(one, two, w)
    first = second = _around(left, one)
    if left is not right:
        second = _around(right, two)
    return place.gram(first, second, weights)


def times(p: Array, w: Array, columns: Array) -> Array:
    """phi'' times the columns of a dense matrix."""
    away = _around(columns, _means(p, columns))
    away *= (w[:, None] * p).reshape(-1, 1)
    return away


def whole(p: Array, w: Array, linear: DataMap) -> Array:
    """A' phi'' A for the coefficients of all classes."""
    variables, count = linear.shape[1], p.shape[1]
    H = np.empty((variables, count, variables, count))
    for k in range(count):
        others = np.delete(p, k, axis=1).sum(axis=1)  # 1 - p, with its digits
        H[:, k, :, k] = linear.weighted_gram(w * p[:, k] * others)
        for j in range(k):
            H[:, k, :, j] = -linear.weighted_gram(w * p[:, k] * p[:, j])
            H[:, j, :, k] = H[:, k, :, j]
    return H.reshape(variables * count, -1)
