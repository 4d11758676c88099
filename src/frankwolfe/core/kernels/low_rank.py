"""Loops over the observed cells of a matrix given by its factors, X = L R'.

Four cells of a row are taken at a time: its own factors, and what is added up for it, are then
read and written once for four others. That took half of the time, and so did a second pass by
columns instead of adding to the rows of R's gradient all over the memory.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from frankwolfe.base.kernels.losses import pointwise
from frankwolfe.base.kernels.parallel_variants import variant
from frankwolfe.base.kernels.vectors import in_order

__all__ = ["loss_rows", "parallel_loss_rows", "parallel_weighted_rows", "weighted_rows"]

REASSOCIATE = {"reassoc", "contract", "nsz"}  # vector sums, but NaN and infinity still seen


@njit(inline="always")
def _four(right, columns, k):
    """Rows of R for four cells from the k-th on."""
    return (
        right[np.uint32(columns[k])],
        right[np.uint32(columns[k + 1])],
        right[np.uint32(columns[k + 2])],
        right[np.uint32(columns[k + 3])],
    )


@njit(cache=True, nogil=True, fastmath=REASSOCIATE)
def _weighted_rows(indptr, columns, slope, right, out, first, last):
    """G R for rows `first` to `last`."""
    width = right.shape[1]
    for i in range(first, last):
        mine = out[i]
        mine[:] = 0.0
        k, end = indptr[i], indptr[i + 1]
        while k + 3 < end:
            t0, t1, t2, t3 = _four(right, columns, k)
            d0, d1, d2, d3 = slope[k], slope[k + 1], slope[k + 2], slope[k + 3]
            for r in range(width):
                mine[r] += (d0 * t0[r] + d1 * t1[r]) + (d2 * t2[r] + d3 * t3[r])
            k += 4
        while k < end:
            factor, other = slope[k], right[np.uint32(columns[k])]
            for r in range(width):
                mine[r] += factor * other[r]
            k += 1


@njit(cache=True, nogil=True)
def weighted_rows(indptr, columns, slope, right, out, splits):
    """out_i = sum over the cells (i, j) of row i of slope_ij right_j."""
    for piece in prange(splits.size - 1):
        _weighted_rows(indptr, columns, slope, right, out, splits[piece], splits[piece + 1])


@njit(inline="always")
def _term(loss, k, z):
    """Weighted loss of the k-th cell, and its derivative."""
    code, delta, b, w = loss
    v, d, _ = pointwise(code, delta, z, b[k])
    weight = w[0] if w.size == 1 else w[k]
    return weight * v, weight * d


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def _loss_rows(loss, indptr, columns, tau, left, right, out, first, last):
    """Loss, <G, tau L R'> and G R for rows `first` to `last`."""
    kind, width = left.dtype.type, right.shape[1]
    zero = kind(0.0)
    total = inner = 0.0
    for i in range(first, last):
        mine, my_slope = left[i], out[i]
        my_slope[:] = zero
        k, end = indptr[i], indptr[i + 1]
        while k + 3 < end:
            t0, t1, t2, t3 = _four(right, columns, k)
            z0 = z1 = z2 = z3 = zero
            for r in range(width):
                own = mine[r]
                z0 += own * t0[r]
                z1 += own * t1[r]
                z2 += own * t2[r]
                z3 += own * t3[r]
            v0, d0 = _term(loss, k, tau * z0)
            v1, d1 = _term(loss, k + 1, tau * z1)
            v2, d2 = _term(loss, k + 2, tau * z2)
            v3, d3 = _term(loss, k + 3, tau * z3)
            total += (v0 + v1) + (v2 + v3)
            inner += tau * ((d0 * z0 + d1 * z1) + (d2 * z2 + d3 * z3))
            s0, s1, s2, s3 = kind(d0), kind(d1), kind(d2), kind(d3)
            for r in range(width):
                my_slope[r] += (s0 * t0[r] + s1 * t1[r]) + (s2 * t2[r] + s3 * t3[r])
            k += 4
        while k < end:
            other = right[np.uint32(columns[k])]
            z0 = zero
            for r in range(width):
                z0 += mine[r] * other[r]
            v0, d0 = _term(loss, k, tau * z0)
            total += v0
            inner += tau * (d0 * z0)
            s0 = kind(d0)
            for r in range(width):
                my_slope[r] += s0 * other[r]
            k += 1
    return total, inner


@njit(cache=True, nogil=True, error_model="numpy")
def loss_rows(loss, indptr, columns, tau, left, right, out, splits):
    """Loss of tau L R' over the cells, and <G, tau L R'>, with G its gradient; out = G R.

    `loss` is its code, threshold, targets and weights.
    """
    pieces = splits.size - 1
    totals = np.zeros((2, pieces))
    for p in prange(pieces):
        totals[0, p], totals[1, p] = _loss_rows(
            loss, indptr, columns, tau, left, right, out, splits[p], splits[p + 1]
        )
    return in_order(totals[0]), in_order(totals[1])


parallel_weighted_rows, parallel_loss_rows = (
    variant(loop, "parallel", parallel=True) for loop in (weighted_rows, loss_rows)
)
