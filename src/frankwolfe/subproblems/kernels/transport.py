"""Loops over transport plans: marginals, dual potentials, and plans from their support."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["both_sums", "cheapest", "cut_off", "deepest", "reduced", "slope_ahead", "spread"]

FAST = {"reassoc", "contract"}


@njit(cache=True, nogil=True, error_model="numpy")
def cut_off(p, a, b, out):
    """out_ij = max(p_ij - a_i - b_j, 0)."""
    n, m = p.shape
    for i in range(n):
        for j in range(m):
            out[i, j] = max((p[i, j] - a[i]) - b[j], 0.0)


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def both_sums(p, a, b, columns):
    """Row sums of max(p_ij - a_i - b_j, 0), and its column sums into `columns`."""
    n, m = p.shape
    rows = np.empty(n)
    columns[:] = 0.0
    for i in range(n):
        total = 0.0
        for j in range(m):
            value = max(p[i, j] - a[i] - b[j], 0.0)
            total += value
            columns[j] += value
        rows[i] = total
    return rows


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def slope_ahead(p, a, b, da, db, t):
    """Sum of max(p_ij - a_i - b_j, 0) (da_i + db_j) at the levels a + t da and b + t db."""
    n, m = p.shape
    total = 0.0
    there = b + t * db
    for i in range(n):
        here, row, mixed = a[i] + t * da[i], 0.0, 0.0
        for j in range(m):
            value = max(p[i, j] - here - there[j], 0.0)
            row += value
            mixed += value * db[j]
        total += row * da[i] + mixed
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def deepest(p):
    """Least entry of p after the row maxima, and then the column maxima, are subtracted."""
    n, m = p.shape
    tops, least = np.empty(n), 0.0
    columns = np.full(m, -np.inf)
    for i in range(n):
        tops[i] = p[i].max()
        for j in range(m):
            columns[j] = max(columns[j], p[i, j] - tops[i])
    for i in range(n):
        for j in range(m):
            least = min(least, (p[i, j] - tops[i]) - columns[j])
    return least


@njit(cache=True, nogil=True, error_model="numpy")
def reduced(cost, u, v, out):
    """out_ij = cost_ij - u_i - v_j >= 0, u row minima, then v column minima; its largest entry."""
    n, m = cost.shape
    v[:] = np.inf
    for i in range(n):
        least = cost[i, 0]
        for j in range(m):
            least = min(least, cost[i, j])
        u[i] = least
        for j in range(m):
            v[j] = min(v[j], cost[i, j] - least)
    largest = 0.0
    for i in range(n):
        for j in range(m):
            value = cost[i, j] - u[i] - v[j]
            out[i, j] = value
            largest = max(largest, value)
    return largest


@njit(cache=True, nogil=True, error_model="numpy")
def cheapest(cost, u, v):
    """v_j = min_i cost_ij - u_i: with it any u is feasible for the dual."""
    n, m = cost.shape
    v[:] = np.inf
    for i in range(n):
        for j in range(m):
            v[j] = min(v[j], cost[i, j] - u[i])


@njit(cache=True, nogil=True)
def spread(rows, columns, a, b, tiny, values):
    """Values of the plan with marginals a and b on the cells (rows, columns) of a forest.

    What is left over stays in a and b. A row or column with one cell left has all its mass there,
    up to `tiny`, so that each sum is off by the rounding of one subtraction a cell. Cells on a
    cycle come last and get what both their ends have left.
    """
    n, count = a.size, rows.size
    left = np.concatenate((a, b))
    degree, mixed = np.zeros(left.size, np.int64), np.zeros(left.size, np.int64)
    for e in range(count):
        for node in (rows[e], n + columns[e]):
            degree[node] += 1
            mixed[node] ^= e
    done = np.zeros(count, np.bool_)
    leaves = np.empty(left.size + count, np.int64)
    for e in range(count + 1):  # first all leaves, then a cell of each cycle that is left
        first, last = 0, 0
        if e == 0:
            for node in range(left.size):
                if degree[node] == 1:
                    leaves[last] = node
                    last += 1
        elif not done[e - 1]:
            last = _fill(
                e - 1,
                rows[e - 1],
                n + columns[e - 1],
                tiny,
                left,
                degree,
                mixed,
                done,
                values,
                leaves,
                last,
            )
        while first < last:
            node = leaves[first]
            first += 1
            if degree[node] != 1:
                continue
            edge = mixed[node]
            other = n + columns[edge] if node < n else rows[edge]
            last = _fill(edge, node, other, tiny, left, degree, mixed, done, values, leaves, last)
    a[:] = left[:n]
    b[:] = left[n:]


@njit(cache=True, nogil=True)
def _fill(edge, node, other, tiny, left, degree, mixed, done, values, leaves, last):
    """Fill a cell with what its node has, or what the other end can take; list new leaves."""
    value = left[node] if left[node] - left[other] <= tiny else left[other]
    values[edge] = value
    left[node] -= value
    left[other] = max(left[other] - value, 0.0)
    done[edge] = True
    for end in (node, other):
        degree[end] -= 1
        mixed[end] ^= edge
        if degree[end] == 1:
            leaves[last] = end
            last += 1
    return last
