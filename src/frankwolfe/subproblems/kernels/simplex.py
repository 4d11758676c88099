"""A convex quadratic over the probability simplex, by an active-set method.

Minimize r'd + d'Hd/2 for l = w + d, where w is the start and r the gradient there, over l >= 0
with sum(l) = 1. On the free set F the minimizer under the sum alone is found from a Cholesky
factor of H on F, which is updated in O(|F|^2) when a variable enters or leaves. Since the sum of d
is zero, adding a constant to every entry of H changes nothing there and makes H positive definite
for affinely independent atoms, as in P. Wolfe, *Finding the nearest point in a polytope*, 1976.

Gradients are r + Hd, never Hl + c: where atoms differ in size by many powers of ten, the terms of
Hl cancel to less than their rounding, and those of Hd are as small as d.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from frankwolfe.base.arrays import Array
from frankwolfe.base.clock import Pieces
from frankwolfe.base.kernels.cholesky import INDEPENDENT, enter, leave, solve

__all__ = ["minimize"]

FAST = {"reassoc", "contract"}
INDEPENDENT_TOGETHER = 1e-6  # INDEPENDENT for variables that enter together, and may be alike
DENSE_SHARE = 6  # where one of 6 weights has moved, or more, whole rows are read: in order
PIECE_WORK = 100_000_000  # operations, about, after which the clock is asked
MIN_PIECE_ROWS = 64  # of the first factor in one piece, however many variables are free
ENTERING_SHARE = 0.5  # of the lowest multiplier: variables with as much enter together


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _factor(L, H, weights, shift, ridge, free, inside, first, last, count):
    """Factor H on the weights' support from `first` to `last`; the number of free ones by then.

    Atoms that depend on others lose their weight.
    """
    for i in range(first, last):
        if weights[i] <= 0.0:
            continue
        if enter(L, count, H, shift, ridge, free, i, INDEPENDENT):
            inside[i] = True
            count += 1
        else:
            weights[i] = 0.0
    return count


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _aim(L, count, slopes, weights, shift, free, way, u, v):
    """Step `way` to the minimizer on the free set under the sum alone, and its multiplier."""
    mean, left = 0.0, 1.0
    for i in range(count):
        way[i] = 1.0
        mean += slopes[free[i]] / count
        left -= weights[free[i]]
    solve(L, count, way, u)
    for i in range(count):  # a part common to all changes nothing, and would hide the rest
        way[i] = slopes[free[i]] - mean
    solve(L, count, way, v)
    above, below = left, 0.0
    for i in range(count):
        above += v[i]
        below += u[i]
    level = above / below
    for i in range(count):
        way[i] = level * u[i] - v[i]
    return mean + level - shift * left


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _move(weights, slopes, free, count, way, level):
    """Take the whole step, or up to the first zero weight; the step length and its place, or -1.

    At the end of a whole step all free slopes are `level`.
    """
    step, blocking = 1.0, -1
    for i in range(count):
        now = weights[free[i]]
        if now + way[i] < 0.0 and now < -step * way[i]:
            step, blocking = now / -way[i], i
    for i in range(count):
        place = free[i]
        weights[place] = max(weights[place] + step * way[i], 0.0)
        slopes[place] += step * (level - slopes[place])
    if blocking >= 0:
        weights[free[blocking]] = 0.0
    return step, blocking


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _differentiate(H, r, ridge, weights, start, slopes, moved, places):
    """slopes = r + (H + ridge) d, and their mean by weight; `moved` and `places` are room for d."""
    count, mean = 0, 0.0
    for j in range(weights.size):
        moved[j] = weights[j] - start[j]
        if moved[j] != 0.0:
            places[count] = j
            count += 1
    for i in range(weights.size):
        total = r[i] + ridge * moved[i]
        row = H[i]
        if (
            DENSE_SHARE * count >= weights.size
        ):  # the others are zero, and reading in order is faster
            for j in range(weights.size):
                total += row[j] * moved[j]
        else:
            for j in range(count):
                total += row[places[j]] * moved[places[j]]
        slopes[i] = total
        mean += weights[i] * total
    return mean


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _steepest(slopes, mean, inside, banned, below, share):
    """below_i = mean multiplier minus that of variable i, for i outside the free set.

    Returns `share` times the largest, from which on variables enter, and the variable that has
    the largest.
    """
    largest, lowest = -math.inf, 0
    for i in range(slopes.size):
        below[i] = -math.inf if inside[i] or i == banned else mean - slopes[i]
        if below[i] > largest:
            largest, lowest = below[i], i
    return share * largest, lowest


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _take_in(L, count, H, shift, ridge, free, inside, below, enough, lowest):
    """Let variables enter whose distance below the mean is >= `enough`; the number of free ones.

    The lowest comes first: those that enter with it are tested against it.
    """
    if enter(L, count, H, shift, ridge, free, lowest, INDEPENDENT):
        inside[lowest] = True
        count += 1
    for i in range(below.size):
        if i == lowest or not below[i] >= enough:
            continue
        if enter(L, count, H, shift, ridge, free, i, INDEPENDENT_TOGETHER):
            inside[i] = True
            count += 1
    return count


def minimize(
    H: Array, r: Array, weights: Array, shift: float, ridge: float, tolerance: float, most: int
) -> int:
    """Move `weights` to the minimizer; return the number of rounds in which variables changed.

    `r` is the gradient at the given weights. `ridge` is added to the diagonal of H: it holds back
    directions in which H is flat. Ends where no multiplier is below the free ones by more than
    `tolerance`, or where the run around is due. Several variables enter at once, those with the
    lowest multipliers; after a step of zero one alone, which always leads on.
    """
    size = r.size
    L, free = np.zeros((size + 1, size + 1)), np.empty((2, size + 1), dtype=np.int64)
    inside, vectors, start = np.zeros(size, bool), np.empty((6, size)), weights.copy()
    if most * size**2 <= PIECE_WORK:
        room = L, free, inside, vectors, start
        return int(_at_once(H, r, weights, shift, ridge, tolerance, most, *room))
    pieces, count, first = Pieces(), np.int64(0), 0
    while first < size:
        last = min(first + MIN_PIECE_ROWS + PIECE_WORK // (1 + int(count) ** 2), size)
        count = np.int64(_factor(L, H, weights, shift, ridge, free[0], inside, first, last, count))
        first = last
        if first < size and pieces.due():
            weights[:] = start
            return 0
    lost = float(start[weights <= 0.0].sum())
    if lost > 0.0:
        weights /= 1.0 - lost
    state, share, done = np.array([count, -1, 0]), np.array([ENTERING_SHARE]), 0
    while done < most:
        few = min(most - done, 1 + PIECE_WORK // (1 + int(state[0]) ** 2 + size))
        given = (H, r, weights, shift, ridge, tolerance, few, done == 0)
        done += int(_pivot(*given, L, free, inside, vectors, start, state, share))
        if state[0] < 0 or pieces.due():
            break
    return done


@njit(cache=True, nogil=True, error_model="numpy")
def _pivot(
    H,
    r,
    weights,
    shift,
    ridge,
    tolerance,
    most,
    fresh,
    L,
    places,
    inside,
    room,
    start,
    state,
    known,
):
    """At most `most` rounds, from the `state` in which the last ones ended; return their number.

    In `state` are the number of free variables, or -1 at the end; the variable that may not
    enter, or -1; and whether several entered together. `known` has the share of `_steepest`.
    """
    way, u, v, below, slopes, moved = room[0], room[1], room[2], room[3], room[4], room[5]
    free, others = places[0], places[1]
    count, share, together = state[0], known[0], state[2] != 0
    banned = state[1]  # came in alone and left at once, or depends on the others: rounding
    if fresh:
        _differentiate(H, r, ridge, weights, start, slopes, moved, others)
    for pivot in range(most):
        level = _aim(L, count, slopes, weights, shift, free, way, u, v)
        step, blocking = _move(weights, slopes, free, count, way, level)
        if blocking >= 0:
            gone = free[blocking]
            inside[gone] = False
            if step == 0.0:
                banned, share = banned if together else gone, 1.0
            leave(L, count, free, blocking)
            count -= 1
            continue
        mean = _differentiate(H, r, ridge, weights, start, slopes, moved, others)
        enough, lowest = _steepest(slopes, mean, inside, banned, below, share)
        if not enough > share * tolerance:
            state[0] = -1
            return pivot
        before, together = count, share < 1.0
        count = _take_in(L, count, H, shift, ridge, free, inside, below, enough, lowest)
        if count == before:
            banned = np.int64(lowest)
        else:
            banned, share = np.int64(-1), ENTERING_SHARE
    state[0], state[1], state[2], known[0] = count, banned, together, share
    return most


@njit(cache=True, nogil=True, error_model="numpy")
def _at_once(H, r, weights, shift, ridge, tolerance, most, L, places, inside, room, start):
    """Factor and pivot in one call, for problems too small to ask the clock."""
    count = _factor(L, H, weights, shift, ridge, places[0], inside, 0, r.size, np.int64(0))
    lost = 0.0
    for i in range(r.size):
        if weights[i] <= 0.0:
            lost += start[i]
    if lost > 0.0:
        for i in range(r.size):
            weights[i] /= 1.0 - lost
    state, share = np.array([count, -1, 0]), np.array([ENTERING_SHARE])
    given = (H, r, weights, shift, ridge, tolerance, most, True)
    return _pivot(*given, L, places, inside, room, start, state, share)
