"""Maximum flows and minimum cuts with real capacities (Dinic), and separation for forests.

Arc 2i goes from tails[i] to heads[i], arc 2i + 1 back; an augmentation takes exactly what the
narrowest arc has left, so that no tolerance is needed.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

__all__ = ["arcs_of", "max_flow", "worst_subset"]


@njit(cache=True, nogil=True)
def arcs_of(tails, heads, nodes):
    """Adjacency of arcs: those that leave v are `order[first[v]:first[v + 1]]`; and their ends."""
    ends = np.empty(2 * tails.size, dtype=np.int64)
    first = np.zeros(nodes + 1, dtype=np.int64)
    for i in range(tails.size):
        ends[2 * i], ends[2 * i + 1] = heads[i], tails[i]
        first[tails[i] + 1] += 1
        first[heads[i] + 1] += 1
    for v in range(nodes):
        first[v + 1] += first[v]
    order, at = np.empty(ends.size, dtype=np.int64), first[:nodes].copy()
    for i in range(tails.size):
        order[at[tails[i]]] = 2 * i
        at[tails[i]] += 1
        order[at[heads[i]]] = 2 * i + 1
        at[heads[i]] += 1
    return first, order, ends


@njit(cache=True, nogil=True)
def _levels(first, order, ends, left, source, target, level, queue):
    """Breadth-first levels of the residual graph, -1 where unreached; True if the target is."""
    level[:] = -1
    level[source], queue[0], at, count = 0, source, 0, 1
    while at < count:
        v = queue[at]
        at += 1
        for i in range(first[v], first[v + 1]):
            a = order[i]
            if left[a] > 0.0 and level[ends[a]] < 0:
                level[ends[a]] = level[v] + 1
                queue[count] = ends[a]
                count += 1
                if ends[a] == target:
                    return True
    return False


@njit(cache=True, nogil=True)
def max_flow(first, order, ends, left, source, target):
    """Value of a maximum flow, and the nodes on the source's side of a minimum cut.

    `left` holds the capacities, and the residual ones at the end.
    """
    nodes = first.size - 1
    level, queue = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    path, at = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    value = 0.0
    while _levels(first, order, ends, left, source, target, level, queue):
        at[:] = first[:nodes]
        v, depth = source, 0
        while True:
            if v == target:
                room, back = math.inf, 0
                for i in range(depth):
                    if left[path[i]] < room:
                        room, back = left[path[i]], i
                for i in range(depth):
                    left[path[i]] -= room
                    left[path[i] ^ 1] += room
                value += room
                depth = back
                v = ends[path[back] ^ 1]
            found = False
            while at[v] < first[v + 1]:
                a = order[at[v]]
                if left[a] > 0.0 and level[ends[a]] == level[v] + 1:
                    found = True
                    break
                at[v] += 1
            if found:
                path[depth] = order[at[v]]
                v = ends[path[depth]]
                depth += 1
            elif depth == 0:
                break
            else:
                depth -= 1
                v = ends[path[depth] ^ 1]
                at[v] += 1
    return value, level >= 0


@njit(cache=True, nogil=True)
def worst_subset(x, tails, heads, nodes):
    """Largest x(E(S)) - |S| + 1 over nonempty sets S of nodes, for x >= 0 (Padberg and Wolsey).

    E(S) are the edges within S. One minimum cut for each node that S must contain: outside S a
    node pays the excess over one of half its edges' weight, inside S the deficit.
    """
    m = x.size
    source, target = nodes, nodes + 1
    a, b = np.empty(m + 2 * nodes, dtype=np.int64), np.empty(m + 2 * nodes, dtype=np.int64)
    a[:m], b[:m] = tails, heads
    a[m : m + nodes], b[m : m + nodes] = source, np.arange(nodes)
    a[m + nodes :], b[m + nodes :] = np.arange(nodes), target
    first, order, ends = arcs_of(a, b, nodes + 2)
    half = np.zeros(nodes)
    for e in range(m):
        half[tails[e]] += 0.5 * x[e]
        half[heads[e]] += 0.5 * x[e]
    worst = 0.0
    left = np.empty(2 * a.size)
    for root in range(nodes):
        left[:] = 0.0
        for e in range(m):
            left[2 * e] = left[2 * e + 1] = 0.5 * x[e]
        for v in range(nodes):
            left[2 * (m + v)] = max(half[v] - 1.0, 0.0)
            left[2 * (m + nodes + v)] = max(1.0 - half[v], 0.0)
        left[2 * (m + root)] = m + nodes
        _, side = max_flow(first, order, ends, left, source, target)
        inside, size = 0.0, 0  # of the set itself: no rounding of the flow enters
        for e in range(m):
            if side[tails[e]] and side[heads[e]]:
                inside += x[e]
        for v in range(nodes):
            size += side[v]
        worst = max(worst, inside - (size - 1.0))
    return worst
