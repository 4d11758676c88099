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
from frankwolfe.base.kernels.cholesky import ALONE, enter, leave, solve

__all__ = ["minimize"]

FAST = {"reassoc", "contract"}
BESIDE = 1e-6  # how much of a variable must not depend on those that enter with it
DENSE = 6  # of as many variables one is free, or more: then all of them are read
PIECE, LEAST = 100_000_000, 64  # operations, about, and rows, after which the clock is asked
MANY = 0.5  # variables enter together whose multipliers are this share of the lowest, or more


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _factor(L, H, weights, shift, ridge, free, inside, first, last, count):  # type: ignore[no-untyped-def]
    """Factor H on the weights' support from `first` to `last`; how many are free by then.

    Atoms that depend on others lose their weight.
    """
    for i in range(first, last):
        if weights[i] <= 0.0:
            continue
        if enter(L, count, H, shift, ridge, free, i, ALONE):
            inside[i] = True
            count += 1
        else:
            weights[i] = 0.0
    return count


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _aim(L, count, slopes, weights, shift, free, way, u, v):  # type: ignore[no-untyped-def]
    """The way to the minimizer on the free set under the sum alone; the slope that is then left."""
    mean, left = 0.0, 1.0
    for i in range(count):
        way[i] = 1.0
        mean += slopes[free[i]] / count
        left -= weights[free[i]]
    solve(L, count, way, u)
    for i in range(count):  # what all have in common changes nothing, and hides the rest
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
def _move(weights, slopes, free, count, way, level):  # type: ignore[no-untyped-def]
    """Go all the way, or until a weight is zero; return the step and that one's place or -1.

    All free slopes are `level` at the end of the way.
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
def _differentiate(H, r, ridge, weights, start, slopes, moved, places):  # type: ignore[no-untyped-def]
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
        if DENSE * count >= weights.size:  # the others are zero, and reading in order is faster
            for j in range(weights.size):
                total += row[j] * moved[j]
        else:
            for j in range(count):
                total += row[places[j]] * moved[places[j]]
        slopes[i] = total
        mean += weights[i] * total
    return mean


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _steepest(slopes, mean, inside, banned, below, share):  # type: ignore[no-untyped-def]
    """How far each variable outside the free set lies below the mean multiplier, in `below`.

    Returns the distance from which on a variable is to enter, `share` times the largest, and
    the variable that has the largest.
    """
    largest, lowest = -math.inf, 0
    for i in range(slopes.size):
        below[i] = -math.inf if inside[i] or i == banned else mean - slopes[i]
        if below[i] > largest:
            largest, lowest = below[i], i
    return share * largest, lowest


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
    if most * size**2 <= PIECE:
        room = L, free, inside, vectors, start
        return int(_at_once(H, r, weights, shift, ridge, tolerance, most, *room))
    pieces, count, first = Pieces(), np.int64(0), 0
    while first < size:
        last = min(first + LEAST + PIECE // (1 + int(count) ** 2), size)
        count = np.int64(_factor(L, H, weights, shift, ridge, free[0], inside, first, last, count))
        first = last
        if first < size and pieces.due():
            weights[:] = start
            return 0
    lost = float(start[weights <= 0.0].sum())
    if lost > 0.0:
        weights /= 1.0 - lost
    book, share, done = np.array([count, -1, 0]), np.array([MANY]), 0
    while done < most:
        few = min(most - done, 1 + PIECE // (1 + int(book[0]) ** 2 + size))
        given = (H, r, weights, shift, ridge, tolerance, few, done == 0)
        done += int(_pivot(*given, L, free, inside, vectors, start, book, share))
        if book[0] < 0 or pieces.due():
            break
    return done


@njit(cache=True, nogil=True, error_model="numpy")
def _pivot(  # type: ignore[no-untyped-def]
    H, r, weights, shift, ridge, tolerance, most, fresh, L, places, inside, room, start, book, known
):
    """So many rounds, from where `book` says that the last ones ended; how many there were.

    In `book` are the number of free variables, -1 at the end; the one that may not enter, -1 for
    none; and whether several came together. `known` has what `_steepest` calls its share.
    """
    way, u, v, below, slopes, moved = room[0], room[1], room[2], room[3], room[4], room[5]
    free, others = places[0], places[1]
    count, share, together = book[0], known[0], book[2] != 0
    banned = book[1]  # came in alone and left at once, or depends on the others: rounding
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
            book[0] = -1
            return pivot
        before, together = count, share < 1.0
        count = _take_in(L, count, H, shift, ridge, free, inside, below, enough, lowest)
        if count == before:
            banned = np.int64(lowest)
        else:
            banned, share = np.int64(-1), MANY
    book[0], book[1], book[2], known[0] = count, banned, together, share
    return most


@njit(cache=True, nogil=True, error_model="numpy")
def _at_once(H, r, weights, shift, ridge, tolerance, most, L, places, inside, room, start):  # type: ignore[no-untyped-def]
    """All of it in one piece."""
    count = _factor(L, H, weights, shift, ridge, places[0], inside, 0, r.size, np.int64(0))
    lost = 0.0
    for i in range(r.size):
        if weights[i] <= 0.0:
            lost += start[i]
    if lost > 0.0:
        for i in range(r.size):
            weights[i] /= 1.0 - lost
    book, share = np.array([count, -1, 0]), np.array([MANY])
    given = (H, r, weights, shift, ridge, tolerance, most, True)
    return _pivot(*given, L, places, inside, room, start, book, share)
