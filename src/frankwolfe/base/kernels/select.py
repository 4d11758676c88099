"""Places of entries: the smallest, the group with the largest norm, where two vectors differ."""

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
def _sink(heap, places, count):  # type: ignore[no-untyped-def]
    """Put the top of a heap, largest first, where it belongs."""
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
def _rise(heap, places, i):  # type: ignore[no-untyped-def]
    """Put the entry at the end of a heap where it belongs."""
    value, place = heap[i], places[i]
    while i > 0 and heap[(i - 1) // 2] < value:
        heap[i], places[i] = heap[(i - 1) // 2], places[(i - 1) // 2]
        i = (i - 1) // 2
    heap[i], places[i] = value, place


@njit(cache=True, nogil=True, error_model="numpy")
def smallest(values, places):  # type: ignore[no-untyped-def]
    """Write the places of the smallest entries, in any order; NaN counts as smallest.

    As many as there is room, of which there is at most one for each entry. Those so far lie
    in a heap; one pass over the entries is enough, and few of them enter it.
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
def any_nan(values):  # type: ignore[no-untyped-def]
    """Whether an entry is no number."""
    count = 0
    for i in range(values.size):
        count += values[i] != values[i]
    return count > 0


@njit(inline="always")
def _entry(values, i, by_size):  # type: ignore[no-untyped-def]
    return -abs(values[i]) if by_size else values[i]


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"}, error_model="numpy")
def least_of_parts(values, by_size, least):  # type: ignore[no-untyped-def]
    """The smallest entry of each part, of -|values| where `by_size`; all are numbers.

    Parts are of one length, as many as there is room.
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
def up_to(values, by_size, least, bound):  # type: ignore[no-untyped-def]
    """Places of the entries up to a bound, in order; `least` is what `least_of_parts` found."""
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
def difference(at, plus, off, minus, where, d):  # type: ignore[no-untyped-def]
    """Where two sparse vectors with increasing indices differ, and by how much; the count."""
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
def largest_group(g, order, starts, sizes):  # type: ignore[no-untyped-def]
    """The group with the largest 2-norm times its size, that norm over `unit`, `unit` = max |g|.

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
def largest_product(g, sizes):  # type: ignore[no-untyped-def]
    """Where |g| times sizes > 0 is largest; the first of several, and NaN before all."""
    best, most = 0, -1.0
    for i in range(g.size):
        product = abs(g[i]) * sizes[i]
        if not product <= most:
            if math.isnan(product):
                return i
            best, most = i, product
    return best
