"""The level at which entries, cut off at two bounds, have a given sum."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

__all__ = ["cut", "cut_sizes", "level", "row_levels", "sizes"]

MOST = 200
MANY, STRIDE = 10_000, 16  # from so many entries on every 16th gives the level a good start
FIX = 4  # trials after which entries sure to be on a bound leave, at the cost of four trials


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def _sum_at(rest, count, at, low, high):  # type: ignore[no-untyped-def]
    """The sum at a level, of entries between the bounds and not; how many are between."""
    total, free = 0.0, 0
    for i in range(count):
        value = rest[i] - at
        total += min(max(value, low), high)
        free += (value > low) & (value < high)
    return total, free


@njit(cache=True, nogil=True, error_model="numpy")
def _fix(rest, count, below, above, low, high):  # type: ignore[no-untyped-def]
    """Put aside entries that are on a bound wherever the level is; their sum, and the others."""
    fixed, kept = 0.0, 0
    for i in range(count):
        value = rest[i]
        if value - below <= low:
            fixed += low
        elif value - above >= high:
            fixed += high
        else:
            rest[kept] = value
            kept += 1
    return fixed, kept


@njit(cache=True, nogil=True, error_model="numpy")
def level(p, shift, low, high, total, start, rest):  # type: ignore[no-untyped-def]
    """The t for which the sum of p - shift - t, cut off at `low` and `high`, is `total`.

    Newton's method between two bounds of t, from `start`; entries that are sure to be cut off
    leave, so that all passes together cost little more than two. `rest` is room of the size
    of p.
    """
    largest, smallest = -math.inf, math.inf
    for i in range(p.size):
        rest[i] = p[i] - shift
        largest = max(largest, rest[i])
        smallest = min(smallest, rest[i])
    return _search(rest, smallest, largest, low, high, total, start)


@njit(cache=True, nogil=True, error_model="numpy")
def _search(rest, smallest, largest, low, high, total, start):  # type: ignore[no-untyped-def]
    """The level of entries that lie between two numbers; they are lost."""
    if rest.size >= MANY:
        some = rest[::STRIDE].copy()
        share = total * (some.size / rest.size)
        start = _newton(some, smallest, largest, low, high, share, start)
    return _newton(rest, smallest, largest, low, high, total, start)


@njit(cache=True, nogil=True, error_model="numpy")
def _newton(rest, smallest, largest, low, high, total, start):  # type: ignore[no-untyped-def]
    count, fixed = rest.size, 0.0
    above = largest - low
    below = smallest - high if math.isfinite(high) else largest - low - total + count * low
    below = min(below, smallest - low - (total - count * low))
    at = min(max(start, below), above)
    for trial in range(MOST):
        found, free = _sum_at(rest, count, at, low, high)
        off = fixed + found - total
        if off > 0.0:
            below = at
        elif off < 0.0:
            above = at
        else:
            return at
        ahead = at + off / free if free > 0 else 0.5 * (below + above)
        if ahead == at:  # what is off is rounding
            return at
        if not below < ahead < above:
            ahead = 0.5 * (below + above)
        if ahead == at or not below < ahead < above:
            return ahead
        if trial % FIX == FIX - 1:
            more, count = _fix(rest, count, below, above, low, high)
            fixed += more
        at = ahead
    return at


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def cut(p, smallest, largest, low, high, total, out):  # type: ignore[no-untyped-def]
    """out = the point nearest to p with entries between the bounds and that sum.

    `smallest` and `largest` are the least and the largest entry of p.
    """
    # next to a huge entry `total` would be lost: count from the largest
    shift, whole = largest if math.isinf(high) else 0.0, 0.0
    for i in range(p.size):  # not in the loop that writes: `losses`
        whole += p[i]
    for i in range(p.size):
        out[i] = p[i] - shift
    start = (whole - total) / p.size - shift
    at = _search(out, smallest - shift, largest - shift, low, high, total, start)
    for i in range(p.size):
        out[i] = (p[i] - shift) - at
    more = _left(low, high, total, out)
    for i in range(p.size):
        out[i] = _cut_off(out[i], low, high, more)


@njit(cache=True, nogil=True, error_model="numpy")
def _left(low, high, total, out):  # type: ignore[no-untyped-def]
    """What rounding has left of the sum of entries cut off, for each between the bounds."""
    found, free = _sum_at(out, out.size, 0.0, low, high)
    return (total - found) / free if free > 0 else 0.0


@njit(inline="always")
def _cut_off(value, low, high, more):  # type: ignore[no-untyped-def]
    """An entry cut off at the bounds; one between them takes its share of what is left."""
    moved = value + more if low < value < high else value
    return min(max(moved, low), high)


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def sizes(p, high):  # type: ignore[no-untyped-def]
    """The sum of sizes, and that of sizes cut off at `high`."""
    total = cut_off = 0.0
    for i in range(p.size):
        size = abs(p[i])
        total += size
        cut_off += min(size, high)
    return total, cut_off


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def cut_sizes(p, largest, high, total, out):  # type: ignore[no-untyped-def]
    """out = the point nearest to p with sizes of entries up to `high` and sum up to `total`.

    `largest` is the largest size in p.
    """
    whole, cut_off = sizes(p, high)
    if cut_off <= total:
        for i in range(p.size):
            out[i] = math.copysign(min(abs(p[i]), high), p[i])
        return
    shift = largest if math.isinf(high) else 0.0  # as in `cut`
    for i in range(p.size):
        out[i] = abs(p[i]) - shift
    start = (whole - total) / p.size - shift
    at = _search(out, -shift, largest - shift, 0.0, high, total, start)
    for i in range(p.size):
        out[i] = (abs(p[i]) - shift) - at
    more = _left(0.0, high, total, out)
    for i in range(p.size):
        out[i] = math.copysign(_cut_off(out[i], 0.0, high, more), p[i])


@njit(cache=True, nogil=True, error_model="numpy")
def row_levels(p, other, totals, levels):  # type: ignore[no-untyped-def]
    """For each row of p - other, cut off at zero, the level at which it has its sum.

    `levels` holds where to start, and then the levels.
    """
    rows, columns = p.shape
    moved, rest = np.empty(columns), np.empty(columns)
    for i in range(rows):
        for j in range(columns):
            moved[j] = p[i, j] - other[j]
        levels[i] = level(moved, 0.0, 0.0, math.inf, totals[i], levels[i], rest)
