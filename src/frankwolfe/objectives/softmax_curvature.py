"""The second derivative of the softmax loss: w (diag(p) - p p') for each observation."""

from __future__ import annotations

import numpy as np

from frankwolfe.numerics.arrays import Array, Matrix
from frankwolfe.numerics.checks import is_sparse
from frankwolfe.numerics.maps import DataMap
from frankwolfe.numerics.products import weighted_gram

__all__ = ["between", "times", "whole"]


def _means(p: Array, columns: Matrix) -> Array:
    """The mean of the columns over the classes of each observation, under p."""
    if not is_sparse(columns):
        return np.asarray(
            np.einsum("ik,ikc->ic", p, columns.reshape(*p.shape, -1), dtype=np.float64)
        )
    from scipy.sparse import csr_array

    ends = np.arange(0, p.size + 1, p.shape[1])
    mean = csr_array((p.ravel(), np.arange(p.size), ends), shape=(len(p), p.size))
    return np.asarray((mean @ columns).toarray(), dtype=np.float64)


def between(p: Array, w: Array, left: Matrix, right: Matrix) -> Array:
    """B' phi'' C: squares minus squares of means."""
    one = _means(p, left)
    two = one if left is right else _means(p, right)
    return weighted_gram(left, right, (w[:, None] * p).ravel()) - weighted_gram(one, two, w)


def times(p: Array, w: Array, columns: Array) -> Array:
    """phi'' times the columns of a dense matrix."""
    away = columns.reshape(*p.shape, -1) - _means(p, columns)[:, None, :]
    away *= (w[:, None] * p)[:, :, None]
    return np.asarray(away.reshape(columns.shape))


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
