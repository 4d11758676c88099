"""Water filling: entries rise to their bounds until a sum is reached, cheapest first or level."""

from __future__ import annotations

import math

from numba import njit

__all__ = ["pour", "threshold"]

MAX_NEWTON_STEPS = 200  # Newton's method needs few of them, and bisection alone about sixty


@njit(cache=True, nogil=True, error_model="numpy")
def threshold(values, bounds, total):
    """Smallest value v such that the bounds of all entries with values <= v sum to `total`.

    The largest value where all bounds together sum to less. Quickselect: both vectors are
    reordered, and the search goes on in the part where the sum is reached. Partial sums in
    another order differ by rounding, so the largest value of a part takes what is left there,
    whatever its bound is.
    """
    first, last, left = 0, values.size, total
    while True:
        a, b, c = values[first], values[(first + last) // 2], values[last - 1]
        pivot = max(min(a, b), min(max(a, b), c))  # median of three, so that sorted input is quick
        below, equal, above = first, first, last
        under = same = 0.0
        while equal < above:  # smaller ones go to the front, larger ones to the back
            value, bound = values[equal], bounds[equal]
            if value < pivot:
                values[equal], bounds[equal] = values[below], bounds[below]
                values[below], bounds[below] = value, bound
                under += bound
                below += 1
                equal += 1
            elif value > pivot:
                above -= 1
                values[equal], bounds[equal] = values[above], bounds[above]
                values[above], bounds[above] = value, bound
            else:
                same += bound
                equal += 1
        if under >= left and below > first:
            last = below
        elif under + same >= left or above == last:
            return pivot
        else:
            left -= under + same
            first = above


@njit(cache=True, nogil=True, error_model="numpy")
def _poured(base, weights, high, at):
    """Sum of w_i x_i for x = clip(base - at w, 0, high), and minus its derivative in `at`."""
    total = rate = 0.0
    for i in range(base.size):
        value, weight = base[i] - at * weights[i], weights[i]
        if value >= high[i]:
            total += weight * high[i]
        elif value > 0.0:
            total += weight * value
            rate += weight * weight
    return total, rate


@njit(cache=True, nogil=True, error_model="numpy")
def _bracket(base, weights, high, total):
    """Levels at which the weighted sum is at least, and at most, the total."""
    below, above = math.inf, -math.inf
    for i in range(base.size):
        most = min(high[i], total / weights[i])
        below = min(below, (base[i] - most) / weights[i])
        above = max(above, base[i] / weights[i])
    return below, above


@njit(cache=True, nogil=True, error_model="numpy")
def pour(base, weights, high, total, out):
    """out = projection of `base` onto {x : 0 <= x <= high, <weights, x> = total}.

    The weights are > 0, and the bounds allow the sum up to rounding: where they allow no more, x
    is on all of them. Newton's method on the level, safeguarded by a bracket.
    """
    if (weights * high).sum() <= total:
        out[:] = high
        return
    below, above = _bracket(base, weights, high, total)
    step = 1e-16 * max(abs(below), above - below)
    while _poured(base, weights, high, below)[0] < total and step < math.inf:  # rounding
        below, step = below - step, 2.0 * step
    at = below
    for _ in range(MAX_NEWTON_STEPS):
        found, rate = _poured(base, weights, high, at)
        if found == total:
            below = at
            break
        if found > total:
            below = at
        else:
            above = at
        ahead = at + (found - total) / rate if rate > 0.0 else 0.5 * (below + above)
        if not below < ahead < above:
            ahead = 0.5 * (below + above)
        if not below < ahead < above:
            break
        at = ahead
    found, rate = _poured(base, weights, high, below)
    more = (total - found) / rate if rate > 0.0 else 0.0  # what rounding has left of the sum
    found = 0.0
    for i in range(base.size):
        value = base[i] - below * weights[i]
        if 0.0 < value < high[i]:
            value += more * weights[i]
        out[i] = min(max(value, 0.0), high[i])
        found += weights[i] * out[i]
    if found > total:  # entries that cannot be told apart at this level
        for i in range(base.size):
            out[i] *= total / found
