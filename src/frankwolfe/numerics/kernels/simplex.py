"""A convex quadratic over the probability simplex, by an active-set method.

Minimize l'Hl/2 + c'l over l >= 0 with sum(l) = 1. On the free set F the minimizer under the
sum alone is found from a Cholesky factor of H on F, which is updated in O(|F|^2) when a
variable enters or leaves. Since (1'l)^2 = 1 on the simplex, adding a constant to every entry
of H changes nothing there and makes H positive definite for affinely independent atoms, as in
P. Wolfe, *Finding the nearest point in a polytope*, 1976.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.kernels.cholesky import ALONE, enter, leave, solve

__all__ = ["minimize"]

FAST = {"reassoc", "contract"}
BESIDE = 1e-6  # how much of a variable must not depend on those that enter with it
DENSE = 6  # of as many variables one is free, or more: then all of them are read
MANY = 0.5  # variables enter together whose multipliers are this share of the lowest, or more


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _start(L, H, weights, shift, ridge, free, inside):  # type: ignore[no-untyped-def]
    """Factor H on the weights' support; atoms that depend on others give their weight away."""
    count = np.int64(0)  # a plain 0 would have its own copy of `enter` compiled
    lost = 0.0
    for i in range(weights.size):
        if weights[i] <= 0.0:
            continue
        if enter(L, count, H, shift, ridge, free, i, ALONE):
            inside[i] = True
            count += 1
        else:
            lost += weights[i]
            weights[i] = 0.0
    if lost > 0.0:
        for i in range(weights.size):
            weights[i] /= 1.0 - lost
    return count


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _goal(L, count, linear, free, goal, u, v):  # type: ignore[no-untyped-def]
    """The minimizer on the free set under the sum alone."""
    mean = 0.0
    for i in range(count):
        goal[i] = 1.0
        mean += linear[free[i]] / count
    solve(L, count, goal, u)
    for i in range(count):  # what all have in common changes nothing, and hides the rest
        goal[i] = linear[free[i]] - mean
    solve(L, count, goal, v)
    above, below = 1.0, 0.0
    for i in range(count):
        above += v[i]
        below += u[i]
    level = above / below
    for i in range(count):
        goal[i] = level * u[i] - v[i]


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _move(weights, free, count, goal):  # type: ignore[no-untyped-def]
    """Go to the goal, or until a weight is zero; return the step and that one's place or -1."""
    step, blocking = 1.0, -1
    for i in range(count):
        now = weights[free[i]]
        if goal[i] < 0.0 and now < step * (now - goal[i]):
            step, blocking = now / (now - goal[i]), i
    for i in range(count):
        now = weights[free[i]]
        weights[free[i]] = max(now + step * (goal[i] - now), 0.0)
    if blocking >= 0:
        weights[free[blocking]] = 0.0
    return step, blocking


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _steepest(H, linear, ridge, weights, free, count, inside, banned, below, share):  # type: ignore[no-untyped-def]
    """How far each variable outside the free set lies below the mean multiplier, in `below`.

    Returns the distance from which on a variable is to enter, `share` times the largest, and
    the variable that has the largest.
    """
    mean, largest, lowest = 0.0, -math.inf, 0
    for i in range(weights.size):
        total = linear[i] + ridge * weights[i]
        row = H[i]
        if DENSE * count >= weights.size:  # the others are zero, and reading in order is faster
            for j in range(weights.size):
                total += row[j] * weights[j]
        else:
            for j in range(count):
                total += row[free[j]] * weights[free[j]]
        mean += weights[i] * total
        below[i] = -math.inf if inside[i] or i == banned else -total
        if below[i] > largest:
            largest, lowest = below[i], i
    for i in range(weights.size):
        below[i] += mean
    return share * (mean + largest), lowest


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _take_in(L, count, H, shift, ridge, free, inside, below, enough, lowest):  # type: ignore[no-untyped-def]
    """Let those at least so far below the mean enter; return the number of free variables.

    The lowest of all comes first: as far from the free ones as it is below them.
    """
    if enter(L, count, H, shift, ridge, free, lowest, ALONE):
        inside[lowest] = True
        count += 1
    for i in range(below.size):
        if i == lowest or not below[i] >= enough:
            continue
        if enter(L, count, H, shift, ridge, free, i, BESIDE):  # it may depend on the new ones
            inside[i] = True
            count += 1
    return count


def minimize(
    H: Array, c: Array, weights: Array, shift: float, ridge: float, tolerance: float, most: int
) -> int:
    """Move `weights` to the minimizer; return the number of rounds in which variables changed.

    `ridge` is added to the diagonal of H, about the start: it holds back directions in which
    H is flat. Ends where no multiplier is below the free ones by more than `tolerance`.
    Several variables enter at once, those with the lowest multipliers; after a step of zero
    one alone, which always leads on.
    """
    size = c.size
    room = np.zeros((size + 1, size + 1)), np.empty(size + 1, dtype=np.int64), np.zeros(size, bool)
    vectors = np.empty((4, size))
    linear = c - ridge * weights
    return int(_minimize(H, linear, weights, shift, ridge, tolerance, most, *room, vectors))


@njit(cache=True, nogil=True, error_model="numpy")
def _minimize(H, linear, weights, shift, ridge, tolerance, most, L, free, inside, room):  # type: ignore[no-untyped-def]
    """The same, in given room."""
    goal, u, v, below = room[0], room[1], room[2], room[3]
    count = _start(L, H, weights, shift, ridge, free, inside)
    banned = np.int64(-1)  # came in alone and left at once, or depends on the others: rounding
    share, together = MANY, False
    for pivot in range(most):
        _goal(L, count, linear, free, goal, u, v)
        step, blocking = _move(weights, free, count, goal)
        if blocking >= 0:
            gone = free[blocking]
            inside[gone] = False
            if step == 0.0:
                banned, share = banned if together else gone, 1.0
            leave(L, count, free, blocking)
            count -= 1
            continue
        enough, lowest = _steepest(
            H, linear, ridge, weights, free, count, inside, banned, below, share
        )
        if not enough > share * tolerance:
            return pivot
        before, together = count, share < 1.0
        count = _take_in(L, count, H, shift, ridge, free, inside, below, enough, lowest)
        if count == before:
            banned = np.int64(lowest)
        else:
            banned, share = np.int64(-1), MANY
    return most
