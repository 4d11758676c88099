"""Shortest paths, orders of nodes, and forests, over edges given by their two ends.

Edges that leave a node v are `order[first[v]:first[v + 1]]`; -1 stands for no edge.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from frankwolfe.base.arrays import Array, Indices

__all__ = [
    "Search",
    "bellman_ford",
    "between_trees",
    "components",
    "dijkstra",
    "forest",
    "leaving",
    "new_search",
    "path_in_order",
    "topological",
    "tree",
    "walk_back",
]


class Search(NamedTuple):
    """What a search for shortest paths writes for each node: see `tree`."""

    far: Array  # the distance
    last: Indices  # the last link of a shortest path
    seen: Indices  # the nodes in the order of their distances
    heap: Indices  # room
    place: Indices  # where a node is in the heap; -2 where it was reached


@njit(cache=True, nogil=True)
def leaving(tails, nodes):
    """Adjacency `first` and `order`: the edges sorted by the node that they leave."""
    first = np.zeros(nodes + 1, dtype=np.int64)
    for tail in tails:
        first[tail + 1] += 1
    for v in range(nodes):
        first[v + 1] += first[v]
    order, at = np.empty(tails.size, dtype=np.int64), first[:nodes].copy()
    for e in range(tails.size):
        order[at[tails[e]]] = e
        at[tails[e]] += 1
    return first, order


@njit(cache=True, nogil=True)
def topological(heads, first, order):
    """Edges in topological order: each comes after all that enter its tail (Kahn's algorithm).

    Where the graph has a cycle, not all edges are returned.
    """
    nodes = first.size - 1
    entering = np.zeros(nodes, dtype=np.int64)
    for head in heads:
        entering[head] += 1
    ready = np.empty(nodes, dtype=np.int64)
    count = 0
    for v in range(nodes):
        if entering[v] == 0:
            ready[count] = v
            count += 1
    sorted_edges, done, at = np.empty(heads.size, dtype=np.int64), 0, 0
    while at < count:
        v = ready[at]
        at += 1
        for i in range(first[v], first[v + 1]):
            e = order[i]
            sorted_edges[done] = e
            done += 1
            entering[heads[e]] -= 1
            if entering[heads[e]] == 0:
                ready[count] = heads[e]
                count += 1
    return sorted_edges[:done]


@njit(cache=True, nogil=True)
def path_in_order(costs, tails, heads, edges, source, nodes):
    """Distances from the source and last edges of shortest paths in an acyclic graph, any signs.

    The edges, and their costs, are in topological order.
    """
    far, last = np.full(nodes, math.inf), np.full(nodes, -1)
    far[source] = 0.0
    for i in range(edges.size):
        through = far[tails[i]] + costs[edges[i]]
        if through < far[heads[i]]:
            far[heads[i]], last[heads[i]] = through, edges[i]
    return far, last


@njit(cache=True, nogil=True)
def _up(heap, place, far, i):
    """Let the node at position i of the heap rise; four children each, for fewer cache misses."""
    v = heap[i]
    while i > 0:
        above = (i - 1) >> 2
        if far[heap[above]] <= far[v]:
            break
        heap[i] = heap[above]
        place[heap[i]] = i
        i = above
    heap[i] = v
    place[v] = i


@njit(cache=True, nogil=True)
def _down(heap, place, far, count):
    """Let the node on top of the heap sink."""
    i, v = 0, heap[0]
    while True:
        best, low = 4 * i + 1, far[v]
        end, child = min(best + 4, count), -1
        for c in range(best, end):
            if far[heap[c]] < low:
                child, low = c, far[heap[c]]
        if child < 0:
            break
        heap[i] = heap[child]
        place[heap[i]] = i
        i = child
    heap[i] = v
    place[v] = i


@njit(cache=True, nogil=True)
def new_search(nodes):
    """Arrays for a search over `nodes` nodes."""
    last, seen = np.full(nodes, -1), np.empty(nodes, dtype=np.int64)
    heap, place = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    return Search(np.empty(nodes), last, seen, heap, place)


@njit(cache=True, nogil=True)
def tree(costs, heads, first, order, closed, origin, wanted, left, search):
    """Dijkstra's shortest path tree from an origin, until `left` nodes in `wanted` are reached.

    Writes into `search`, and returns the number of nodes reached. With `left` < 0 it goes on to
    all nodes. Paths may begin or end at nodes that are `closed`, and not pass through them.
    """
    far, last, seen, heap, place = search
    far[:] = math.inf
    place[:] = -1
    last[origin] = -1
    far[origin], heap[0], place[origin], count, done = 0.0, origin, 0, 1, 0
    while count > 0:
        v = heap[0]
        count -= 1
        if count > 0:
            heap[0] = heap[count]
            _down(heap, place, far, count)
        place[v] = -2  # its distance is final
        seen[done] = v
        done += 1
        if wanted[v]:
            left -= 1
            if left == 0:
                break
        if closed[v] and v != origin:
            continue
        here = far[v]
        for i in range(first[v], first[v + 1]):
            e = order[i]
            w, through = heads[e], here + costs[e]
            if through < far[w] and place[w] != -2:
                far[w], last[w] = through, e
                if place[w] < 0:
                    heap[count], place[w] = w, count
                    count += 1
                _up(heap, place, far, place[w])
    return done


@njit(cache=True, nogil=True)
def dijkstra(costs, heads, first, order, source, target):
    """Distances and last edges for costs >= 0, as far as the target (-1: to all nodes)."""
    nodes = first.size - 1
    search = new_search(nodes)
    closed, wanted = np.zeros(nodes, dtype=np.bool_), np.zeros(nodes, dtype=np.bool_)
    left = -1
    if target >= 0:
        wanted[target], left = True, 1
    tree(costs, heads, first, order, closed, source, wanted, left, search)
    return search.far, search.last


@njit(cache=True, nogil=True)
def bellman_ford(costs, tails, heads, nodes):
    """Potentials y <= 0 with c + y_tail - y_head >= 0; False if a negative cycle forbids them."""
    price = np.zeros(nodes)
    for _ in range(nodes):
        changed = False
        for e in range(tails.size):
            through = price[tails[e]] + costs[e]
            if through < price[heads[e]]:
                price[heads[e]] = through
                changed = True
        if not changed:
            return price, True
    return price, False


@njit(cache=True, nogil=True)
def walk_back(last, tails, source, target):
    """Edges of the path from source to target, in increasing order of their numbers."""
    path, count, v = np.empty(last.size, dtype=np.int64), 0, target
    while v != source:
        path[count] = last[v]
        count += 1
        v = tails[last[v]]
    return np.sort(path[:count])


@njit(cache=True, nogil=True)
def _root(parent, v):
    """Root of the tree of v in a union-find forest, with path halving."""
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v


@njit(cache=True, nogil=True)
def forest(order, tails, heads, parent, chosen):
    """Mark the edges that close no cycle, in the given order (Kruskal); return their number.

    `parent` is a union-find forest of the trees so far.
    """
    count = 0
    for e in order:
        u, v = _root(parent, tails[e]), _root(parent, heads[e])
        if u != v:
            parent[u] = v
            chosen[e] = True
            count += 1
    return count


@njit(cache=True, nogil=True)
def between_trees(edges, tails, heads, parent):
    """Subset of the edges that join different trees."""
    left, count = np.empty(edges.size, dtype=np.int64), 0
    for e in edges:
        if _root(parent, tails[e]) != _root(parent, heads[e]):
            left[count] = e
            count += 1
    return left[:count]


@njit(cache=True, nogil=True)
def components(tails, heads, nodes):
    """Representative node of the connected component of each node."""
    parent = np.arange(nodes)
    for e in range(tails.size):
        parent[_root(parent, tails[e])] = _root(parent, heads[e])
    for v in range(nodes):
        parent[v] = _root(parent, v)
    return parent
