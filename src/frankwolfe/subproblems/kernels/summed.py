"""A convex quadratic over a box with bounds on one weighted sum, by an active-set method.

The method of `kernels.box` with one more constraint: while the sum is on a bound, steps keep it,
and its multiplier, the price, is taken off the gradient. H + sigma ww' is factored, which is the
same while the sum stays: where H is flat along w, nothing large cancels then.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from frankwolfe.base.arrays import Array
from frankwolfe.base.clock import Pieces
from frankwolfe.base.kernels.cholesky import INDEPENDENT, enter, leave, solve
from frankwolfe.subproblems.kernels.box import begin, go_along, room_along, worst

__all__ = ["minimize"]

FAST = {"reassoc", "contract"}
PIECE_WORK = 100_000_000  # operations, about, after which the clock is asked
MIN_PIECE_ROWS = 64  # of the first factor in one piece, however many variables are free
FREE, BELOW, ABOVE, BOTH = 0, -1, 1, 2  # where the sum is: off its bounds, on one, on both


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _less_price(r, w, price, out):
    """out = r - price w: the gradient less the multiplier of the sum."""
    for j in range(r.size):
        out[j] = r[j] - price * w[j]


@njit(cache=True, nogil=True, error_model="numpy")
def _pair(lower, upper, x, r, w):
    """Variables with the least r/w that may rise and the largest r/w that may fall, and these."""
    rising, falling, low, high = -1, -1, np.inf, -np.inf
    for j in range(x.size):
        if x[j] < upper[j] and r[j] / w[j] < low:
            rising, low = j, r[j] / w[j]
        if x[j] > lower[j] and r[j] / w[j] > high:
            falling, high = j, r[j] / w[j]
    return rising, falling, low, high


@njit(cache=True, nogil=True, error_model="numpy")
def _direction(L, count, free, r, w, sigma, on, b, ones, d):
    """Step to the minimizer in the free variables, and the multiplier of the sum there."""
    for i in range(count):
        b[i] = -r[free[i]]
    solve(L, count, b, d)
    for i in range(count):
        b[i] = w[free[i]]
    solve(L, count, b, ones)
    over, under = 0.0, 0.0
    for i in range(count):
        over += b[i] * d[i]
        under += b[i] * ones[i]
    if on == FREE:  # H alone: sigma ww' is taken off again (Sherman and Morrison)
        left = max(1.0 - sigma * under, 1e-13)
        for i in range(count):
            d[i] += sigma * over / left * ones[i]
        return 0.0
    price = -over / under
    for i in range(count):
        d[i] += price * ones[i]
    return price


@njit(cache=True, nogil=True, error_model="numpy")
def _where(total, least, most, near):
    """Position of a sum: on a bound up to `near`, on both (an equation), or free."""
    if most - least <= near:
        return BOTH
    if total >= most - near:
        return ABOVE
    return BELOW if total <= least + near else FREE


@njit(cache=True, nogil=True, error_model="numpy")
def _exchange(K, lower, upper, x, r, w, ridge, L, free, inside):
    """Free the two variables whose exchange, at a vertex, gains most; the number of free ones."""
    rising, falling, low, high = _pair(lower, upper, x, r, w)
    count = np.int64(0)
    if rising < 0 or falling < 0 or low >= high:
        return count
    for new in (rising, falling):
        if enter(L, count, K, 0.0, ridge, free, new, 0.0):
            inside[new] = True
            count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def _step(lower, upper, least, most, x, w, total, on, free, count, d):
    """Step length <= 1, the variable that blocks it or -1, and the bound of the sum that does."""
    step, blocking = room_along(lower, upper, x, free, count, d)
    if on != FREE:
        return step, blocking, FREE
    rise = 0.0
    for i in range(count):
        rise += w[free[i]] * d[i]
    if rise == 0.0:
        return step, blocking, FREE
    left = (most - total if rise > 0.0 else least - total) / rise
    if left >= step:
        return step, blocking, FREE
    return max(left, 0.0), -1, ABOVE if rise > 0.0 else BELOW


def minimize(
    H: Array, c: Array, lower: Array, upper: Array, w: Array, least: float, most: float, x: Array,
    ridge: float, tolerance: float, pivots: int,
) -> int:  # fmt: skip
    """Move x to the minimizer of x'Hx/2 + c'x with least <= <w, x> <= most; return the pivots.

    All w are > 0, and x lies inside. `ridge` is added to the diagonal of H, about the point from
    which each step starts. Ends where the gap of the linear oracle is at most `tolerance`, or
    where the run around is due.
    """
    size, pieces = c.size, Pieces()
    L = np.zeros((size + 1, size + 1))
    free, inside = np.empty(size + 1, dtype=np.int64), np.zeros(size, dtype=np.bool_)
    sigma = 1.0 / (w.max() * w.max())
    K = H + sigma * np.outer(w, w)
    count, first = np.int64(0), 0
    while first < size:
        last = min(first + MIN_PIECE_ROWS + PIECE_WORK // (1 + int(count) ** 2), size)
        count = np.int64(begin(K, lower, upper, x, ridge, L, free, inside, first, last, count))
        first = last
        if first < size and pieces.due():
            return 0
    near = 1e-13 * max(abs(most), (w * np.abs(x)).sum())
    state = np.array([count, _where((w * x).sum(), least, most, near), -1], dtype=np.int64)
    room, done = np.empty((5, size)), 0
    room[4] = H @ x + c
    while done < pivots:
        few = min(pivots - done, 1 + PIECE_WORK // (1 + int(state[0]) ** 2 + size))
        given = (H, K, lower, upper, w, least, most, x, ridge, sigma, tolerance, few)
        done += int(_pivot(*given, L, free, inside, room, state))
        if state[0] < 0 or pieces.due():
            break
    return done


@njit(cache=True, nogil=True, error_model="numpy")
def _pivot(
    H, K, lower, upper, w, least, most, x, ridge, sigma, tolerance, pivots, L, free, inside, room,
    state,
):  # fmt: skip
    """At most `pivots` steps, from the `state` in which the last ones ended; return their number.

    In `state` are the number of free variables, or -1 at the end; the position of the sum; and
    the variable that may not enter, or -1.
    """
    b, d, ones, away, r = room[0], room[1], room[2], room[3], room[4]
    total, count, on = (w * x).sum(), state[0], state[1]
    banned = state[2]  # depends on the others, or left where it came: rounding
    for pivot in range(pivots):
        if count == 0 and on != FREE:
            low, high = _pair(lower, upper, x, r, w)[2:]
            if (on == BELOW and low < 0.0) or (on == ABOVE and high > 0.0):
                on = FREE  # the sum is better off its bound
            else:
                count = _exchange(K, lower, upper, x, r, w, ridge, L, free, inside)
                if count == 0:
                    state[0] = -1
                    return pivot
        price = _direction(L, count, free, r, w, sigma, on, b, ones, d)
        step, blocking, met = _step(lower, upper, least, most, x, w, total, on, free, count, d)
        go_along(H, lower, upper, x, r, free, count, d, step, blocking)
        total = (w * x).sum()
        if met != FREE:
            on = met
            continue
        if blocking >= 0:
            gone = free[blocking]
            inside[gone] = False
            banned = gone if step == 0.0 else np.int64(-1)
            leave(L, count, free, blocking)
            count -= 1
            continue
        if price * on > 0.0 and on != BOTH:  # the sum is better off its bound
            on = FREE
            continue
        _less_price(r, w, price, away)
        gap, here, best = worst(lower, upper, x, away, inside, banned)
        if gap <= tolerance:
            state[0] = -1
            return pivot
        if here > 0.5 * gap and here > tolerance:  # the ridge has held the free ones back
            continue
        if best < 0:
            state[0] = -1
            return pivot
        banned = best
        if enter(L, count, K, 0.0, ridge, free, best, INDEPENDENT):
            inside[best] = True
            count += 1
            banned = np.int64(-1)
    state[0], state[1], state[2] = count, on, banned
    return pivots
