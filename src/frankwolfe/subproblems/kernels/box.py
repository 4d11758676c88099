"""A convex quadratic over a box, by an active-set method.

One bound changes at a time, and the Cholesky factor of H on the free set with it. Where H is
flat the small ridge makes the step so long that a bound ends it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from frankwolfe.base.kernels.cholesky import INDEPENDENT, enter, leave, solve

__all__ = ["begin", "go_along", "minimize", "room_along", "worst"]

FAST = {"reassoc", "contract"}  # without nnan and ninf: NaN and infinity must still be seen


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def room_along(lower, upper, x, free, count, d):
    """Largest step <= 1 along d within the box, and the place in `free` of what blocks it or -1."""
    step, blocking = 1.0, -1
    for i in range(count):
        j = free[i]
        room = upper[j] - x[j] if d[i] > 0.0 else x[j] - lower[j]
        if room < step * abs(d[i]):
            step, blocking = max(room, 0.0) / abs(d[i]), i
    return step, blocking


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def go_along(H, lower, upper, x, r, free, count, d, step, blocking):
    """Move x by the step along d and the gradient r = Hx + c with it.

    The blocking variable is set to its bound exactly: x + step d would miss it by rounding.
    """
    for i in range(count):
        j = free[i]
        now = x[j]
        x[j] = min(max(now + step * d[i], lower[j]), upper[j])
        if i == blocking:
            x[j] = upper[j] if d[i] > 0.0 else lower[j]
        change, row = x[j] - now, H[j]
        for k in range(x.size):
            r[k] += change * row[k]


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def worst(lower, upper, x, r, inside, banned):
    """Gap <r, x> - min <r, y> over the box, the free variables' part of it, and the worst other.

    The last is the variable outside `inside` with the largest part of the gap, or -1.
    """
    total, free, best, most = 0.0, 0.0, -1, 0.0
    for j in range(x.size):
        part = r[j] * (x[j] - lower[j] if r[j] > 0.0 else x[j] - upper[j])
        total += part
        if inside[j]:
            free += part
        elif j != banned and part > most:
            best, most = j, part
    return total, free, best


@njit(cache=True, nogil=True, error_model="numpy")
def begin(H, lower, upper, x, ridge, L, free, inside, first, last, count):
    """Factor H on the entries from `first` to `last` that lie strictly between their bounds.

    Returns the number of free variables by then.
    """
    for j in range(first, last):
        if lower[j] < x[j] < upper[j] and enter(L, count, H, 0.0, ridge, free, j, INDEPENDENT):
            inside[j] = True
            count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def minimize(H, c, lower, upper, x, ridge, tolerance, most):
    """Move x to the minimizer of x'Hx/2 + c'x over the box; return the number of steps.

    `ridge` is added to the diagonal of H, about the point from which each step starts. Ends
    where the gap of the linear oracle is at most `tolerance`.
    """
    size = c.size
    L = np.zeros((size + 1, size + 1))
    free = np.empty(size + 1, dtype=np.int64)
    inside = np.zeros(size, dtype=np.bool_)
    b, d = np.empty(size), np.empty(size)
    r = H @ x + c
    count = begin(H, lower, upper, x, ridge, L, free, inside, 0, size, np.int64(0))
    # a variable that depends on the free ones, or that left in a step of zero, may not enter at
    # once: by rounding alone it would come and go for ever
    banned = np.int64(-1)
    for pivot in range(most):
        for i in range(count):
            b[i] = -r[free[i]]
        solve(L, count, b, d)
        step, blocking = room_along(lower, upper, x, free, count, d)
        go_along(H, lower, upper, x, r, free, count, d, step, blocking)
        if blocking >= 0:
            gone = free[blocking]
            inside[gone] = False
            banned = gone if step == 0.0 else np.int64(-1)
            leave(L, count, free, blocking)
            count -= 1
            continue
        total, here, best = worst(lower, upper, x, r, inside, banned)
        if total <= tolerance:
            return pivot
        if here > 0.5 * total and here > tolerance:  # the ridge has held the free ones back
            continue
        if best < 0:
            return pivot
        banned = best
        if enter(L, count, H, 0.0, ridge, free, best, INDEPENDENT):
            inside[best] = True
            count += 1
            banned = np.int64(-1)
    return most
