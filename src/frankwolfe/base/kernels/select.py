"""Selection: smallest entries, the group of largest norm, the difference of sparse vectors."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

__all__ = [
    "any_nan",
    "difference",
    "largest_group",
    "largest_product",
    "least_of_parts",
    "smallest",
    "up_to",
]


@njit(cache=True, nogil=True, error_model="numpy")
def _sink(heap, places, count):
    """Let the top entry of a max-heap sink to its place."""
    i, value, place = 0, heap[0], places[0]
    while True:
        child = 2 * i + 1
        if child >= count:
            break
        if child + 1 < count and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[i], places[i] = heap[child], places[child]
        i = child
    heap[i], places[i] = value, place


@njit(cache=True, nogil=True, error_model="numpy")
def _rise(heap, places, i):
    """Let entry i, the last of a max-heap, rise to its place."""
    value, place = heap[i], places[i]
    while i > 0 and heap[(i - 1) // 2] < value:
        heap[i], places[i] = heap[(i - 1) // 2], places[(i - 1) // 2]
        i = (i - 1) // 2
    heap[i], places[i] = value, place


@njit(cache=True, nogil=True, error_model="numpy")
def smallest(values, places):
    """Write the places of the places.size smallest entries, in any order; NaN counts as smallest.

    The smallest so far lie in a max-heap: one pass over the entries is enough, and few enter it.
    """
    count = places.size
    heap = np.empty(count)
    for i in range(count):
        value = values[i]
        heap[i] = -math.inf if math.isnan(value) else value
        places[i] = i
        _rise(heap, places, i)
    for i in range(count, values.size):
        value = values[i]
        if not value >= heap[0]:
            heap[0] = -math.inf if math.isnan(value) else value
            places[0] = i
            _sink(heap, places, count)


@njit(cache=True, nogil=True)
def any_nan(values):
    """True if an entry is NaN."""
    count = 0
    for i in range(values.size):  # counted, not left early: so the loop becomes vector code
        count += values[i] != values[i]
    return count > 0


@njit(inline="always")
def _entry(values, i, by_size):
    """Entry i, or -|entry i| where `by_size`."""
    return -abs(values[i]) if by_size else values[i]


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"}, error_model="numpy")
def least_of_parts(values, by_size, least):
    """least_p = smallest entry of part p of `values`, or of -|values| where `by_size`; no NaN.

    Parts have one length, values.size // least.size; entries after the last belong to none.
    """
    width = values.size // least.size
    for part in range(least.size):
        first, last = part * width, (part + 1) * width
        a = b = c = d = math.inf  # four at a time: one waits for the one before
        for i in range(first, last - 3, 4):
            a = min(a, _entry(values, i, by_size))
            b = min(b, _entry(values, i + 1, by_size))
            c = min(c, _entry(values, i + 2, by_size))
            d = min(d, _entry(values, i + 3, by_size))
        for i in range(last - (last - first) % 4, last):
            a = min(a, _entry(values, i, by_size))
        least[part] = min(a, b, c, d)


@njit(cache=True, nogil=True, error_model="numpy")
def up_to(values, by_size, least, bound):
    """Places of the entries <= bound, in order; `least`, by `least_of_parts`, rules parts out."""
    width, count = values.size // least.size, 0
    for i in range(values.size):
        count += _entry(values, i, by_size) <= bound
    places, at = np.empty(count, np.int64), 0
    for part in range(least.size + 1):
        first = part * width
        last = first + width if part < least.size else values.size
        if part == least.size or least[part] <= bound:
            for i in range(first, last):
                if _entry(values, i, by_size) <= bound:
                    places[at] = i
                    at += 1
    return places


@njit(cache=True, nogil=True, error_model="numpy")
def difference(at, plus, off, minus, where, d):
    """Write places and values of the difference of two sparse vectors; return their number.

    The vectors are (at, plus) and (off, minus), both with increasing indices.
    """
    i = j = count = 0
    while i < at.size or j < off.size:
        if j >= off.size or (i < at.size and at[i] < off[j]):
            place, value = at[i], plus[i]
            i += 1
        elif i >= at.size or off[j] < at[i]:
            place, value = off[j], -minus[j]
            j += 1
        else:
            place, value = at[i], plus[i] - minus[j]
            i += 1
            j += 1
        if value != 0.0:
            where[count], d[count] = place, value
            count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def largest_group(g, order, starts, sizes):
    """Group k with the largest sizes_k |g_k|_2, its norm in units of max |g|, and that unit.

    Group k holds the entries `order[starts[k] : starts[k + 1]]`; a group with NaN wins.
    """
    unit = 0.0
    for i in range(g.size):
        unit = max(unit, abs(g[i]))
    best, most, norm = 0, 0.0, 0.0
    for k in range(starts.size - 1):
        total = 0.0
        for i in range(starts[k], starts[k + 1]):
            part = g[order[i]] / unit if unit > 0.0 else g[order[i]]
            total += part * part
        if math.isnan(total):
            return k, total, unit
        total = math.sqrt(total)
        if total * sizes[k] > most:
            best, most, norm = k, total * sizes[k], total
    return best, norm, unit


@njit(cache=True, nogil=True, error_model="numpy")
def largest_product(g, sizes):
    """Index of the largest |g_i| sizes_i, sizes > 0; the first of several, and NaN before all."""
    best, most = 0, -1.0
    for i in range(g.size):
        product = abs(g[i]) * sizes[i]
        if not product <= most:
            if math.isnan(product):
                return i
            best, most = i, product
    return best
