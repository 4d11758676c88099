"""Level t at which the entries of clip(p - t, low, high) have a given sum; projections by it."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

__all__ = ["cut", "cut_sizes", "level", "row_levels", "sizes"]

MAX_NEWTON_STEPS = 200  # Newton's method needs few of them, and bisection alone about sixty
MIN_SAMPLED = 10_000  # entries; from here on the level of a sample is found first, as a start
SAMPLE_STRIDE = 16  # the sample is every 16th entry: it costs a sixteenth, and is close
FIX_PERIOD = 4  # trials between removals of entries sure to be on a bound, each worth four trials


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def _sum_at(rest, count, at, low, high):
    """Sum of clip(rest - at, low, high), and the number of entries strictly between the bounds."""
    total, free = 0.0, 0
    for i in range(count):
        value = rest[i] - at
        total += min(max(value, low), high)
        free += (value > low) & (value < high)
    return total, free


@njit(cache=True, nogil=True, error_model="numpy")
def _fix(rest, count, below, above, low, high):
    """Remove entries on a bound for every level in [below, above]; their sum, the number left."""
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
def level(p, shift, low, high, total, start, rest):
    """Level t for which the entries of clip(p - shift - t, low, high) sum to `total`.

    Newton's method in a bracket, from `start`; entries that are sure to be cut off leave, so that
    all passes together cost little more than two. `rest` is room of the size of p.
    """
    largest, smallest = -math.inf, math.inf
    for i in range(p.size):
        rest[i] = p[i] - shift
        largest = max(largest, rest[i])
        smallest = min(smallest, rest[i])
    return _search(rest, smallest, largest, low, high, total, start)


@njit(cache=True, nogil=True, error_model="numpy")
def _search(rest, smallest, largest, low, high, total, start):
    """Level of entries that lie between `smallest` and `largest`; `rest` is overwritten."""
    if rest.size >= MIN_SAMPLED:
        some = rest[::SAMPLE_STRIDE].copy()
        share = total * (some.size / rest.size)
        start = _newton(some, smallest, largest, low, high, share, start)
    return _newton(rest, smallest, largest, low, high, total, start)


@njit(cache=True, nogil=True, error_model="numpy")
def _newton(rest, smallest, largest, low, high, total, start):
    """Level by safeguarded Newton steps; the sum is piecewise linear in it, so few are enough."""
    count, fixed = rest.size, 0.0
    above = largest - low
    below = smallest - high if math.isfinite(high) else largest - low - total + count * low
    below = min(below, smallest - low - (total - count * low))
    at = min(max(start, below), above)
    for trial in range(MAX_NEWTON_STEPS):
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
        if trial % FIX_PERIOD == FIX_PERIOD - 1:
            more, count = _fix(rest, count, below, above, low, high)
            fixed += more
        at = ahead
    return at


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def cut(p, smallest, largest, low, high, total, out):
    """out = projection of p onto {x : low <= x <= high, sum(x) = total}.

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
def _left(low, high, total, out):
    """Rounding error of the sum, shared among the entries strictly between the bounds."""
    found, free = _sum_at(out, out.size, 0.0, low, high)
    return (total - found) / free if free > 0 else 0.0


@njit(inline="always")
def _cut_off(value, low, high, more):
    """Entry cut off at the bounds; one between them takes its share `more` of what is left."""
    moved = value + more if low < value < high else value
    return min(max(moved, low), high)


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def sizes(p, high):
    """Sums of |p_i| and of min(|p_i|, high)."""
    total = cut_off = 0.0
    for i in range(p.size):
        size = abs(p[i])
        total += size
        cut_off += min(size, high)
    return total, cut_off


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def cut_sizes(p, largest, high, total, out):
    """out = projection of p onto {x : |x_i| <= high, sum |x_i| <= total}.

    `largest` is the largest |p_i|.
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
def row_levels(p, other, totals, levels):
    """Level t_i of each row i for which the entries max(p_ij - other_j - t_i, 0) sum to totals_i.

    `levels` holds where to start, and then the levels.
    """
    rows, columns = p.shape
    moved, rest = np.empty(columns), np.empty(columns)
    for i in range(rows):
        for j in range(columns):
            moved[j] = p[i, j] - other[j]
        levels[i] = level(moved, 0.0, 0.0, math.inf, totals[i], levels[i], rest)
