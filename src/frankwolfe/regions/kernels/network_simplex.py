"""Minimum cost flows by the network simplex method, on strongly feasible trees.

Edges 0..m-1 are the graph's, edge m + v joins node v to an artificial root. The costs of edges to
the root are counted apart (`toll`) and before all others, so that no big M spoils digits.
A nonbasic edge has state 1 at zero and -1 at its capacity; 0 is an edge of the tree.

References: Cunningham, A network simplex method, 1976; Kiraly and Kovacs, 2012 (block search).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

__all__ = ["begin", "optimize", "slack"]


@njit(cache=True, nogil=True)
def begin(tails, heads, supplies):
    """Ends of all edges, and the first basis, edges to the root: `links`, `state`, `flow`.

    Rows of `links`: parent, edge to it, 1 if that leads up, first child, next and previous sibling.
    """
    nodes, m = supplies.size, tails.size
    a, b = np.empty(m + nodes, dtype=np.int64), np.empty(m + nodes, dtype=np.int64)
    links = np.full((6, nodes + 1), -1)
    state, flow = np.ones(m + nodes, dtype=np.int8), np.zeros(m + nodes)
    a[:m], b[:m] = tails, heads
    for v in range(nodes):
        up = supplies[v] >= 0.0
        a[m + v], b[m + v] = (v, nodes) if up else (nodes, v)
        flow[m + v], state[m + v] = abs(supplies[v]), 0
        links[1, v], links[2, v] = m + v, 1 if up else 0
        _attach(links, v, nodes)
    return a, b, links, state, flow


@njit(cache=True, nogil=True)
def _attach(links, v, parent):
    """Make v the first child of `parent`."""
    child = links[3, parent]
    links[0, v], links[3, parent], links[4, v], links[5, v] = parent, v, child, -1
    if child >= 0:
        links[5, child] = v


@njit(cache=True, nogil=True)
def _detach(links, v):
    """Take v out of the list of its parent's children."""
    after, before = links[4, v], links[5, v]
    if before >= 0:
        links[4, before] = after
    else:
        links[3, links[0, v]] = after
    if after >= 0:
        links[5, after] = before


@njit(cache=True, nogil=True)
def _settle(links, costs, top, depth, price, toll, stack):
    """Depths and potentials of a node and all its descendants."""
    m = costs.size
    stack[0], count = top, 1
    while count > 0:
        count -= 1
        v = stack[count]
        parent, e = links[0, v], links[1, v]
        if parent >= 0:
            cost, extra = (costs[e], 0) if e < m else (0.0, 1)
            sign = -1 if links[2, v] == 1 else 1
            depth[v] = depth[parent] + 1
            price[v], toll[v] = price[parent] + sign * cost, toll[parent] + sign * extra
        child = links[3, v]
        while child >= 0:
            stack[count] = child
            count += 1
            child = links[4, child]


@njit(cache=True, nogil=True)
def _entering(a, b, costs, state, price, toll, at, block, tol):
    """Worst edge of the first block that has an eligible one, or -1, and where to search next."""
    m = costs.size
    best, worst, seen = -1, -tol, 0
    for i in range(m):
        e = at + i
        if e >= m:
            e -= m
        if state[e] != 0:
            extra = toll[a[e]] - toll[b[e]]
            if extra != 0:
                reduced = state[e] * extra * 1e300
            else:
                reduced = state[e] * (costs[e] + price[a[e]] - price[b[e]])
            if reduced < worst:
                best, worst = e, reduced
        seen += 1
        if seen == block:
            if best >= 0:
                return best, (e + 1) % m
            seen = 0
    return best, at


@njit(cache=True, nogil=True)
def _leaving(links, depth, flow, capacities, m, start, end, room):
    """Ratio test: the step, the node below the leaving edge, its side of the cycle, and the apex.

    `start` sends along the entering edge to `end`. Of several blocking edges the last on the
    way round from the apex leaves: trees stay strongly feasible, and the method cannot cycle.
    """
    side, out, u, v = 0, -1, start, end
    while u != v:
        first = depth[u] >= depth[v]
        w = u if first else v
        e = links[1, w]
        grows = (links[2, w] == 1) != first
        limit = flow[e]
        if grows:
            limit = capacities[e] - flow[e] if e < m else math.inf
        if first:
            if limit < room:
                side, out, room = 1, w, limit
            u = links[0, u]
        else:
            if limit <= room:
                side, out, room = 2, w, limit
            v = links[0, v]
    return room, out, side, u


@njit(cache=True, nogil=True)
def _push(links, flow, start, top, room, sign):
    """Send `room` along the tree path between a node and the apex; sign 1: upward."""
    v = start
    while v != top:
        e = links[1, v]
        flow[e] += room * (sign if links[2, v] == 1 else -sign)
        v = links[0, v]


@njit(cache=True, nogil=True)
def _regraft(links, a, low, high, edge, out):
    """Move the subtree below `out` to `high`, by the entering edge between `low` and `high`."""
    v, parent, e, up = low, high, edge, 1 if a[edge] == low else 0
    while True:
        above, old, was = links[0, v], links[1, v], links[2, v]
        _detach(links, v)
        links[1, v], links[2, v] = e, up
        _attach(links, v, parent)
        if v == out:
            return
        parent, v, e, up = v, above, old, 1 - was


@njit(cache=True, nogil=True)
def _raised(a, b, costs, state, price, toll):
    """Potentials of the graph's nodes, with as much of the toll as dual feasibility asks for.

    Where edges to the root stay in the tree, no more flow can go between its parts, and their
    potentials are known up to a multiple of the toll.
    """
    most = 0.0
    for e in range(costs.size):
        extra = state[e] * (toll[a[e]] - toll[b[e]])
        if extra > 0:
            most = max(most, -state[e] * (costs[e] + price[a[e]] - price[b[e]]) / extra)
    return price[:-1] + most * toll[:-1]


@njit(cache=True, nogil=True)
def optimize(a, b, costs, capacities, links, state, flow, budget):
    """Pivot until no edge is eligible or the budget is spent; return potentials and pivots taken.

    Changes `links`, `state` and `flow`, from which a later call goes on with other costs.
    """
    m, nodes = costs.size, links.shape[1] - 1
    depth, toll = np.zeros(nodes + 1, dtype=np.int64), np.zeros(nodes + 1, dtype=np.int64)
    price, stack = np.zeros(nodes + 1), np.empty(nodes + 1, dtype=np.int64)
    _settle(links, costs, nodes, depth, price, toll, stack)
    largest = 0.0
    for cost in costs:
        largest = max(largest, abs(cost))
    block, at, tol = max(int(math.sqrt(m)), 10), 0, 1e-13 * largest
    for pivots in range(budget):
        e, at = _entering(a, b, costs, state, price, toll, at, block, tol)
        if e < 0:
            return _raised(a, b, costs, state, price, toll), pivots
        forward = state[e] == 1
        start, end = (a[e], b[e]) if forward else (b[e], a[e])
        room, out, side, top = _leaving(
            links, depth, flow, capacities, m, start, end, capacities[e]
        )
        if room > 0.0:
            _push(links, flow, start, top, room, -1)
            _push(links, flow, end, top, room, 1)
        if side == 0:
            flow[e] = capacities[e] if forward else 0.0
            state[e] = -state[e]
            continue
        flow[e] = room if forward else capacities[e] - room
        gone = links[1, out]
        emptied = (links[2, out] == 1) == (side == 1)
        if gone < m:
            flow[gone] = 0.0 if emptied else capacities[gone]
        elif emptied:
            flow[gone] = 0.0
        state[gone], state[e] = 1 if emptied else -1, 0
        low, high = (start, end) if side == 1 else (end, start)
        _regraft(links, a, low, high, e, out)
        _settle(links, costs, low, depth, price, toll, stack)
    return _raised(a, b, costs, state, price, toll), budget


@njit(cache=True, nogil=True)
def slack(tails, heads, costs, capacities, flow, price):
    """Duality gap: bound on the excess of the flow's cost over the minimum, by the potentials.

    For any potentials y, with reduced costs r = c + y_tail - y_head, the excess c'x - min is at
    most the sum of r x over edges with r > 0 and of -r (capacity - x) over those with r < 0.
    """
    total = 0.0
    for e in range(costs.size):
        reduced = costs[e] + price[tails[e]] - price[heads[e]]
        total += reduced * flow[e] if reduced > 0.0 else -reduced * (capacities[e] - flow[e])
    return total
