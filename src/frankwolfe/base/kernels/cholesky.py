"""A Cholesky factor L of H on a set of variables, as they come and go."""

from __future__ import annotations

import math

from numba import njit

__all__ = ["ALONE", "enter", "leave", "solve"]

FAST = {"reassoc", "contract"}
ALONE = 1e-14  # a variable of which less does not depend on the others is no help


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def enter(L, count, H, shift, ridge, free, new, least):  # type: ignore[no-untyped-def]
    """Append a variable to the factor; False where all but `least` depends on the others."""
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
    if not left > least * square:
        return False
    row[count] = math.sqrt(left)
    free[count] = new
    return True


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def leave(L, count, free, place):  # type: ignore[no-untyped-def]
    """Take a variable out of the factor, by rotations."""
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
def solve(L, count, b, out):  # type: ignore[no-untyped-def]
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
