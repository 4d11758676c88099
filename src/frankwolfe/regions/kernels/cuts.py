"""Largest flows and least cuts with real capacities (Dinic), and cuts that separate trees.

Arc 2i goes from tails[i] to heads[i], arc 2i + 1 back; an augmentation takes exactly what the
narrowest arc has left, so that no tolerance is needed.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

__all__ = ["arcs_of", "max_flow", "worst_subset"]


@njit(cache=True, nogil=True)
def arcs_of(tails, heads, nodes):  # type: ignore[no-untyped-def]
    """`first`, `order` and the ends of arcs: those that leave each node, there and back."""
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
def _levels(first, order, ends, left, source, target, level, queue):  # type: ignore[no-untyped-def]
    """How many arcs with something left lead from the source to each node; -1 where none do."""
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
def max_flow(first, order, ends, left, source, target):  # type: ignore[no-untyped-def]
    """The value of the largest flow; changes `left`, the capacities that remain.

    Also the nodes on the source's side of a least cut.
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
def worst_subset(x, tails, heads, nodes):  # type: ignore[no-untyped-def]
    """The largest x(E(S)) - |S| + 1 over sets S of nodes, for x >= 0 (Padberg and Wolsey).

    E(S) are the edges within S. A least cut for each node that S must hold: outside S a node
    pays its half of the edges at it beyond one, inside S what it lacks.
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
