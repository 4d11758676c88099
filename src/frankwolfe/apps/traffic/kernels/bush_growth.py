"""Growth of bushes: links without flow are dropped, and shortcuts join.

Loads stay as they are, so that each bush grows on its own: on all threads, with one outcome.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, prange

from frankwolfe.apps.traffic.kernels.bush_steps import label, new_labels, renew
from frankwolfe.apps.traffic.kernels.bushes import price
from frankwolfe.apps.traffic.kernels.loading import PARTS

__all__ = ["grow", "grow_in_parts"]


@njit(cache=True, nogil=True)
def _grow(times, roads, blocks, costs, begin, links, loads, low, high, most, sizes, out, out_loads):
    """Write the grown bushes of blocks `low` to `high`, one after the other."""
    nodes, m = roads.first.size - 1, roads.tails.size
    labels = new_labels(nodes)
    bush, load = np.empty(m, dtype=np.int32), np.empty(m)
    inside, degree = np.full(m, -1.0), np.zeros(nodes, dtype=np.int64)
    queue = np.empty(nodes, dtype=np.int64)
    at = 0
    for b in range(low, high):
        origin, own = blocks.origins[b], times.fixed[blocks.classes[b]]
        count = begin[b + 1] - begin[b]
        bush[:count], load[:count] = links[begin[b] : begin[b + 1]], loads[begin[b] : begin[b + 1]]
        labels.low[:] = math.inf  # nodes that this origin does not reach
        label(bush, load, count, roads, costs, own, origin, labels)
        count = renew(
            bush, load, count, roads, costs, own, origin, labels, inside, degree, queue, most
        )
        out[at : at + count], out_loads[at : at + count] = bush[:count], load[:count]
        sizes[b] = count
        at += count


@njit(cache=True, nogil=True)
def grow(times, roads, blocks, flows, begin, links, loads, most, sizes, out, out_loads):
    """Drop links without flow and add at most `most` shortcuts to each bush.

    Writes the number of links of each to `sizes`, and the bushes one after the other to `out`.
    """
    costs, slopes = np.empty(flows.size), np.empty(flows.size)
    price(times, flows, costs, slopes)
    count = blocks.origins.size
    _grow(times, roads, blocks, costs, begin, links, loads, 0, count, most, sizes, out, out_loads)


@njit(cache=True, nogil=True, parallel=True)
def grow_in_parts(times, roads, blocks, flows, begin, links, loads, most, sizes, out, out_loads):
    """Grow all bushes on all threads, in PARTS parts.

    Each part writes where it would begin if all before it grew by `most`; then they are moved
    together.
    """
    costs, slopes = np.empty(flows.size), np.empty(flows.size)
    price(times, flows, costs, slopes)
    count = blocks.origins.size
    for part in prange(PARTS):
        low, high = part * count // PARTS, (part + 1) * count // PARTS
        first, last = begin[low] + low * most, begin[high] + high * most
        _grow(
            times, roads, blocks, costs, begin, links, loads, low, high, most, sizes,
            out[first:last], out_loads[first:last],
        )  # fmt: skip
    at = 0
    for part in range(PARTS):
        low, high = part * count // PARTS, (part + 1) * count // PARTS
        first, size = begin[low] + low * most, sizes[low:high].sum()
        for p in range(size):
            out[at + p], out_loads[at + p] = out[first + p], out_loads[first + p]
        at += size
