"""Small systems of a limited-memory model: linear equations, and the multiplier of a ball."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from frankwolfe.subproblems.secular import next_multiplier

__all__ = ["on_ball", "solve"]

MAX_TRIALS = 40  # of the multiplier; Newton's method takes a few
LENGTH_TOL = 1e-6  # of the radius: the caller puts the point on the sphere, and it is but a model's

_next_multiplier = njit(cache=True, nogil=True, error_model="numpy")(next_multiplier)


@njit(cache=True, nogil=True, error_model="numpy")
def _factor(a, order):
    """Overwrite a with its LU factors, rows exchanged as `order` says; zero pivots stay."""
    size = order.size
    for k in range(size):
        best = k
        for i in range(k + 1, size):
            best = i if abs(a[i, k]) > abs(a[best, k]) else best
        order[k] = best
        if best != k:
            for j in range(size):
                a[k, j], a[best, j] = a[best, j], a[k, j]
        if a[k, k] == 0.0:
            continue
        for i in range(k + 1, size):
            a[i, k] /= a[k, k]
            share, row, above = a[i, k], a[i], a[k]
            for j in range(k + 1, size):
                row[j] -= share * above[j]


@njit(cache=True, nogil=True, error_model="numpy")
def _solved(a, order, r):
    """Solution x of A x = r from the LU factors of A; zero where a pivot is."""
    size, x = order.size, r.copy()
    for k in range(size):
        x[k], x[order[k]] = x[order[k]], x[k]
    for k in range(size):
        for j in range(k):
            x[k] -= a[k, j] * x[j]
    for k in range(size - 1, -1, -1):
        for j in range(k + 1, size):
            x[k] -= a[k, j] * x[j]
        x[k] = x[k] / a[k, k] if a[k, k] != 0.0 else 0.0
    return x


@njit(cache=True, nogil=True, error_model="numpy")
def solve(a, r):
    """Solution x of A x = r, by Gaussian elimination with partial pivoting."""
    factors, order = a.copy(), np.empty(r.size, np.int64)
    _factor(factors, order)
    return _solved(factors, order, r)


@njit(cache=True, nogil=True, error_model="numpy")
def _product(a, x):
    """Product A x."""
    out = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        for j in range(x.size):
            out[i] += a[i, j] * x[j]
    return out


@njit(cache=True, nogil=True, error_model="numpy")
def _dot(a, b):
    """Inner product <a, b>."""
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def on_ball(middle, gram, on_rows, square, scale, radius):
    """q and e for which (c + W' q) / e is the minimizer y of `LimitedModel.over_ball`.

    `gram` is W W', `on_rows` W c and `square` the squared length of c. Returns also whether y
    lies inside the ball and is the model's free minimizer.
    """
    size = on_rows.size
    order = np.empty(size, np.int64)
    level, low, high = 0.0, 0.0, math.sqrt(square) / radius  # |y| <= |c| / level
    whole, q = scale, np.zeros(size)
    for _ in range(MAX_TRIALS):
        whole = scale + level
        system = middle - gram / whole
        _factor(system, order)
        q = _solved(system, order, on_rows) / whole
        mine = (on_rows + _product(gram, q)) / whole  # of y on the rows
        length = math.sqrt(max(square + _dot(q, on_rows + whole * mine), 0.0)) / whole
        if level == 0.0 and length <= radius:
            return q, whole, True
        if abs(length - radius) <= LENGTH_TOL * radius:
            break
        ahead = _solved(system, order, mine) / whole
        rate = (length * length + _dot(mine, ahead)) / whole
        level, low, high = _next_multiplier(level, low, high, length, radius, rate)
    return q, whole, False
