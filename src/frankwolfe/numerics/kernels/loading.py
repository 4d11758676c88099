"""All-or-nothing loading: every trip on a shortest path, origin by origin.

Links that leave node v are `order[first[v]:first[v + 1]]`. Trips of block b, all from node
`origins[b]`, are those numbered `starts[b]` to `starts[b + 1]`. Nodes that are `closed` may be
a beginning or an end, and not be passed.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, prange

from frankwolfe.numerics.kernels.graphs_paths import tree

__all__ = ["PARTS", "load", "load_in_parts", "skim", "tree"]

PARTS = 16  # into which blocks are cut; sums do not depend on how many threads there are


@njit(cache=True, nogil=True)
def load(  # type: ignore[no-untyped-def]
    costs, tails, heads, first, order, closed, origins, starts, ends, amounts, low, high, flows
):
    """Add the trips of blocks `low` to `high` to `flows`, on shortest paths.

    Returns their time together, and the first trip that has no path, or -1.
    """
    nodes = first.size - 1
    far, last = np.empty(nodes), np.empty(nodes, dtype=np.int64)
    heap, place = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    seen, through = np.empty(nodes, dtype=np.int64), np.zeros(nodes)
    wanted = np.zeros(nodes, dtype=np.bool_)
    total = 0.0
    for b in range(low, high):
        left = 0
        for i in range(starts[b], starts[b + 1]):
            if amounts[i] > 0.0 and not wanted[ends[i]]:
                wanted[ends[i]] = True
                left += 1
        if left == 0:
            continue
        done = tree(
            costs, heads, first, order, closed, origins[b], wanted, left,
            far, last, heap, place, seen,
        )  # fmt: skip
        for i in range(starts[b], starts[b + 1]):
            if amounts[i] > 0.0:
                if place[ends[i]] != -2:
                    return math.inf, i
                wanted[ends[i]] = False
                through[ends[i]] += amounts[i]
                total += amounts[i] * far[ends[i]]
        for j in range(done - 1, 0, -1):
            v = seen[j]
            if through[v] > 0.0:
                flows[last[v]] += through[v]
                through[tails[last[v]]] += through[v]
                through[v] = 0.0
        through[origins[b]] = 0.0
    return total, -1


@njit(cache=True, nogil=True, parallel=True)
def load_in_parts(costs, tails, heads, first, order, closed, origins, starts, ends, amounts, flows):  # type: ignore[no-untyped-def]
    """The same for all blocks, on all threads; the sum is that of PARTS parts, in order."""
    count = origins.size
    each = np.zeros((PARTS, tails.size))
    totals, lost = np.zeros(PARTS), np.full(PARTS, -1)
    for part in prange(PARTS):
        low, high = part * count // PARTS, (part + 1) * count // PARTS
        totals[part], lost[part] = load(
            costs, tails, heads, first, order, closed, origins, starts, ends, amounts,
            low, high, each[part],
        )  # fmt: skip
    total, found = 0.0, -1
    for part in range(PARTS):
        total += totals[part]
        if lost[part] >= 0 and found < 0:
            found = lost[part]
        for a in range(tails.size):
            flows[a] += each[part, a]
    return total, found


@njit(cache=True, nogil=True)
def skim(costs, quantities, tails, heads, first, order, closed, origin, out):  # type: ignore[no-untyped-def]
    """Sums of quantities along the shortest paths from an origin, for every node.

    `quantities` has a row for each; a node that is not reached gets infinity.
    """
    nodes = first.size - 1
    far, last = np.empty(nodes), np.empty(nodes, dtype=np.int64)
    heap, place = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    seen, wanted = np.empty(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.bool_)
    done = tree(
        costs, heads, first, order, closed, origin, wanted, -1, far, last, heap, place, seen
    )
    out[:] = math.inf
    out[:, origin] = 0.0
    for j in range(1, done):
        v = seen[j]
        for q in range(quantities.shape[0]):
            out[q, v] = out[q, tails[last[v]]] + quantities[q, last[v]]
