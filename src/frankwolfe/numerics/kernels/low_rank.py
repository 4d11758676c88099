"""Loops over the observed cells for matrices given by their factors, X = L R'."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from frankwolfe.numerics.kernels.losses import pointwise
from frankwolfe.numerics.kernels.vectors import in_order

__all__ = [
    "loss_gradient",
    "parallel_loss_gradient",
    "parallel_weighted_rows",
    "weighted_rows",
]

REASSOCIATE = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True, fastmath=REASSOCIATE)
def weighted_rows(indptr, columns, slope, right, out, first, last):  # type: ignore[no-untyped-def]
    """out_i = sum over the cells (i, j) of row i of slope_ij right_j."""
    width = right.shape[1]
    for i in range(first, last):
        mine = out[i]
        mine[:] = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            factor = slope[k]
            other = right[np.uint32(columns[k])]
            for r in range(width):
                mine[r] += factor * other[r]


@njit(cache=True, nogil=True, parallel=True)
def parallel_weighted_rows(indptr, columns, slope, right, out, splits):  # type: ignore[no-untyped-def]
    """The same on all threads."""
    for piece in prange(splits.size - 1):
        weighted_rows(indptr, columns, slope, right, out, splits[piece], splits[piece + 1])


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def loss_gradient(loss, where, tau, left, right, out, other, first, last):  # type: ignore[no-untyped-def]
    """Loss of tau L R' over the cells of these rows, and <G, tau L R'>, G its gradient.

    `out` becomes G R for these rows and G' L of these rows is added to `other`, each cell in
    one visit: its factors are read once. `loss` is its code, threshold, targets and weights,
    `where` the cells' row pointers and columns.
    """
    code, delta, b, w = loss
    indptr, columns = where
    width = right.shape[1]
    same = w.size == 1
    total = inner = 0.0
    zero = left.dtype.type(0.0)
    for i in range(first, last):
        mine, my_slope = left[i], out[i]
        my_slope[:] = zero
        for k in range(indptr[i], indptr[i + 1]):
            j = np.uint32(columns[k])
            theirs, their_slope = right[j], other[j]
            dot = zero
            for r in range(width):
                dot += mine[r] * theirs[r]
            z = tau * dot
            v, d, _ = pointwise(code, delta, z, b[k])
            weight = w[0] if same else w[k]
            d *= weight
            total += weight * v
            inner += d * z
            factor = left.dtype.type(d)
            for r in range(width):
                my_slope[r] += factor * theirs[r]
                their_slope[r] += factor * mine[r]
    return total, inner


@njit(cache=True, nogil=True, parallel=True)
def parallel_loss_gradient(loss, where, tau, left, right, out, parts, splits):  # type: ignore[no-untyped-def]
    """The same on all threads; G' L is the sum of `parts`, left in the first of them."""
    pieces = splits.size - 1
    totals = np.zeros((pieces, 2))
    for p in prange(pieces):
        part = parts[p]
        part[:] = 0.0
        totals[p, 0], totals[p, 1] = loss_gradient(
            loss, where, tau, left, right, out, part, splits[p], splits[p + 1]
        )
    for j in prange(right.shape[0]):
        for p in range(1, pieces):
            for r in range(right.shape[1]):
                parts[0, j, r] += parts[p, j, r]
    return in_order(totals[:, 0]), in_order(totals[:, 1])
