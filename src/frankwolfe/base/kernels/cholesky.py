"""Updates of a Cholesky factor L of H on a set of variables, as they enter and leave."""

from __future__ import annotations

import math

from numba import njit

__all__ = ["INDEPENDENT", "enter", "leave", "solve"]

FAST = {"reassoc", "contract"}
INDEPENDENT = 1e-14  # of a variable's diagonal: a pivot below it is rounding of the others


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def enter(L, count, H, shift, ridge, free, new, least):
    """Append a variable to the factor; False if its pivot is below `least` of its diagonal."""
    row = L[count]
    square = H[new, new] + shift + ridge
    for i in range(count):
        total = H[new, free[i]] + shift
        mine = L[i]
        for j in range(i):
            total -= mine[j] * row[j]
        row[i] = total / mine[i]
    left = square
    for i in range(count):
        left -= row[i] * row[i]
    if not left > least * square:  # NaN does not enter either
        return False
    row[count] = math.sqrt(left)
    free[count] = new
    return True


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def leave(L, count, free, place):
    """Remove the variable at `place` from the factor, by Givens rotations."""
    for i in range(place, count - 1):
        free[i] = free[i + 1]
        for j in range(i + 2):
            L[i, j] = L[i + 1, j]
    for i in range(place, count - 1):  # rows have one entry too many: rotate it away
        a, b = L[i, i], L[i, i + 1]
        size = math.hypot(a, b)
        cosine, sine = a / size, b / size
        L[i, i], L[i, i + 1] = size, 0.0
        for k in range(i + 1, count - 1):
            p, q = L[k, i], L[k, i + 1]
            L[k, i] = cosine * p + sine * q
            L[k, i + 1] = cosine * q - sine * p


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def solve(L, count, b, out):
    """out = (L L')^-1 b."""
    for i in range(count):
        total = b[i]
        row = L[i]
        for j in range(i):
            total -= row[j] * out[j]
        out[i] = total / row[i]
    for i in range(count - 1, -1, -1):
        out[i] /= L[i, i]
        value = out[i]
        row = L[i]
        for j in range(i):
            out[j] -= value * row[j]
