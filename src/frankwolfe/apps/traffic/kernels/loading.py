"""All-or-nothing loading: every trip on a shortest path, origin by origin."""

from __future__ import annotations

import math

import numpy as np
from numba import njit, prange

from frankwolfe.base.kernels.shortest_paths import new_search, tree

__all__ = ["PARTS", "load", "load_in_parts", "paths_from", "skim"]

PARTS = 16  # into which the blocks are cut, whatever the threads: sums have the same bits


@njit(cache=True, nogil=True)
def paths_from(costs, roads, origin, wanted, left, search):
    """Shortest path tree on a road network (`graphs_paths.tree`); the number of nodes reached."""
    closed = roads.closed
    return tree(costs, roads.heads, roads.first, roads.order, closed, origin, wanted, left, search)


@njit(cache=True, nogil=True)
def load(costs, roads, blocks, low, high, flows):
    """Add the trips of blocks `low` to `high` to `flows`, on shortest paths.

    Returns the sum of their times, and the first trip that has no path, or -1.
    """
    nodes = roads.first.size - 1
    search, through = new_search(nodes), np.zeros(nodes)
    far, last, seen, _, place = search
    wanted = np.zeros(nodes, dtype=np.bool_)
    starts, ends, amounts = blocks.starts, blocks.ends, blocks.amounts
    total = 0.0
    for b in range(low, high):
        left = 0
        for i in range(starts[b], starts[b + 1]):
            if amounts[i] > 0.0 and not wanted[ends[i]]:
                wanted[ends[i]] = True
                left += 1
        if left == 0:
            continue
        done = paths_from(costs, roads, blocks.origins[b], wanted, left, search)
        for i in range(starts[b], starts[b + 1]):
            if amounts[i] > 0.0:
                if place[ends[i]] != -2:
                    return math.inf, i
                wanted[ends[i]] = False
                through[ends[i]] += amounts[i]
                total += amounts[i] * far[ends[i]]
        for j in range(done - 1, 0, -1):  # farthest first: each node passes on what came to it
            v = seen[j]
            if through[v] > 0.0:
                flows[last[v]] += through[v]
                through[roads.tails[last[v]]] += through[v]
                through[v] = 0.0
        through[blocks.origins[b]] = 0.0
    return total, -1


@njit(cache=True, nogil=True, parallel=True)
def load_in_parts(costs, roads, blocks, low, high, flows):
    """Load the trips of blocks `low` to `high` on all threads; sums over PARTS parts, in order."""
    count = high - low
    each = np.zeros((PARTS, flows.size))
    totals, lost = np.zeros(PARTS), np.full(PARTS, -1)
    for part in prange(PARTS):
        first, last = low + part * count // PARTS, low + (part + 1) * count // PARTS
        totals[part], lost[part] = load(costs, roads, blocks, first, last, each[part])
    total, found = 0.0, -1
    for part in range(PARTS):
        total += totals[part]
        if lost[part] >= 0 and found < 0:
            found = lost[part]
        for a in range(flows.size):
            flows[a] += each[part, a]
    return total, found


@njit(cache=True, nogil=True)
def skim(costs, quantities, roads, origin, out):
    """Sums of quantities along the shortest paths from an origin to every node.

    `quantities` has a row for each; nodes that are not reached get infinity.
    """
    nodes = roads.first.size - 1
    search = new_search(nodes)
    done = paths_from(costs, roads, origin, np.zeros(nodes, dtype=np.bool_), -1, search)
    out[:] = math.inf
    out[:, origin] = 0.0
    for j in range(1, done):
        v = search.seen[j]
        a = search.last[v]
        for q in range(quantities.shape[0]):
            out[q, v] = out[q, roads.tails[a]] + quantities[q, a]
