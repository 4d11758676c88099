"""Products with the Hessian w (diag(p) - p p') of the softmax loss of each observation."""

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
    """Means Σ_k p_ik B_ik of the columns over the classes of each observation i."""
    if not is_sparse(columns):
        each = columns.reshape(*p.shape, -1)
        return cast(Array, np.einsum("ik,ikc->ic", p, each, dtype=np.float64))
    from scipy.sparse import csr_array

    ends = np.arange(0, p.size + 1, p.shape[1])
    mean = csr_array((p.ravel(), np.arange(p.size), ends), shape=(len(p), p.size))
    return np.asarray((mean @ columns).toarray(), dtype=np.float64)


def _around(columns: Array, means: Array) -> Array:
    """The columns minus the mean of each observation."""
    away = columns.reshape(len(means), -1, means.shape[1]) - means[:, None, :]
    return cast(Array, away.reshape(columns.shape))


def between(p: Array, w: Array, left: Matrix, right: Matrix, place: Place) -> Array:
    """B' phi'' C, as a covariance of columns B and C under p.

    Of dense columns the means are subtracted first: where one class has nearly all probability,
    mean squares minus squared means would be rounding. Sparse columns stay sparse the other way.
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
    """The product phi'' V with a dense matrix V."""
    away = _around(columns, _means(p, columns))
    away *= (w[:, None] * p).reshape(-1, 1)
    return away


def whole(p: Array, w: Array, linear: DataMap) -> Array:
    """The Hessian A' phi'' A in the coefficients of all classes."""
    variables, count = linear.shape[1], p.shape[1]
    H = np.empty((variables, count, variables, count))  # (A' diag(.) A) for each pair of classes
    for k in range(count):
        others = np.delete(p, k, axis=1).sum(axis=1)  # 1 - p, with its digits
        H[:, k, :, k] = linear.weighted_gram(w * p[:, k] * others)
        for j in range(k):
            H[:, k, :, j] = -linear.weighted_gram(w * p[:, k] * p[:, j])
            H[:, j, :, k] = H[:, k, :, j]
    return H.reshape(variables * count, -1)
