"""Bushes: for each origin the acyclic links that its trips use, and their flows (Algorithm B).

All bushes lie one after the other in two arrays, of links and of loads; bush b from `begin[b]` on.
`bush_steps` changes one of them, `bush_growth` lets them grow.

R. B. Dial, *A path-based user-equilibrium traffic assignment algorithm that obviates path storage
and enumeration*, Transportation Research B, 2006; Y. Nie, *A class of bush-based algorithms for
the traffic assignment problem*, Transportation Research B, 2010.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from frankwolfe.apps.traffic.kernels.bush_steps import balance, even_out, label, new_labels
from frankwolfe.apps.traffic.kernels.link_costs import time_and_slope
from frankwolfe.apps.traffic.kernels.loading import paths_from
from frankwolfe.base.kernels.shortest_paths import new_search

__all__ = ["add_loads", "class_flows", "even", "first_bushes", "price", "reaches"]


@njit(cache=True, nogil=True)
def price(times, flows, costs, slopes):
    """Travel time of every link at the given flows, and its derivative."""
    for a in range(flows.size):
        t, k, c, s = times.table[a]
        costs[a], slopes[a] = time_and_slope(times.kinds[a], t, k, c, s, flows[a])


@njit(cache=True, nogil=True)
def first_bushes(times, roads, blocks, flows, begin, links, loads):
    """First bushes: shortest path trees, each in the times that the loads of those before leave.

    Writes the bushes and adds to `flows`. Every trip must have a path.
    """
    nodes, m = roads.first.size - 1, roads.tails.size
    search, through = new_search(nodes), np.zeros(nodes)
    last, seen = search.last, search.seen
    nobody = np.zeros(nodes, dtype=np.bool_)
    costs, slopes = np.empty(m), np.empty(m)
    price(times, flows, costs, slopes)
    at = 0
    for b in range(blocks.origins.size):
        origin, whole = blocks.origins[b], costs + times.fixed[blocks.classes[b]]
        done = paths_from(whole, roads, origin, nobody, -1, search)
        for i in range(blocks.starts[b], blocks.starts[b + 1]):
            through[blocks.ends[i]] += blocks.amounts[i]
        for j in range(done - 1, 0, -1):
            v = seen[j]
            a, amount = last[v], through[v]
            links[at + j - 1], loads[at + j - 1] = a, amount
            through[roads.tails[a]] += amount
            through[v] = 0.0
            if amount > 0.0:
                flows[a] += amount
                t, k, c, s = times.table[a]
                costs[a], _ = time_and_slope(times.kinds[a], t, k, c, s, flows[a])
        through[origin] = 0.0
        begin[b] = at
        at += done - 1
    begin[blocks.origins.size] = at


@njit(cache=True, nogil=True)
def class_flows(begin, links, loads, classes, out):
    """out[k] = link flows of class k, summed over its bushes."""
    out[:] = 0.0
    for b in range(classes.size):
        mine = out[classes[b]]
        for p in range(begin[b], begin[b + 1]):
            mine[links[p]] += loads[p]


@njit(cache=True, nogil=True)
def reaches(begin, loads, moved):
    """Largest t for each bush with loads + t moved >= 0."""
    out = np.full(begin.size - 1, math.inf)
    for b in range(out.size):
        for p in range(begin[b], begin[b + 1]):
            if loads[p] < -out[b] * moved[p]:
                out[b] = loads[p] / -moved[p]
    return out


@njit(cache=True, nogil=True)
def add_loads(roads, blocks, begin, links, loads, moved, step):
    """loads += step times moved, cut off at zero, and then balanced at each node."""
    nodes = roads.first.size - 1
    through, demand = np.zeros(nodes), np.zeros(nodes)
    by_any = np.empty(nodes, dtype=np.int64)
    for b in range(blocks.origins.size):
        bush, load = links[begin[b] : begin[b + 1]], loads[begin[b] : begin[b + 1]]
        more = moved[begin[b] : begin[b + 1]]
        for p in range(load.size):
            load[p] = max(load[p] + step * more[p], 0.0)
            by_any[roads.heads[bush[p]]] = p
        _settle(bush, load, load.size, roads, blocks, b, demand, through, by_any)


@njit(cache=True, nogil=True)
def _settle(bush, load, count, roads, blocks, b, demand, through, by_low):
    """Balance a bush with the trips of block b; `demand` and `through` are room of zeros."""
    trips = range(blocks.starts[b], blocks.starts[b + 1])
    for i in trips:
        demand[blocks.ends[i]] += blocks.amounts[i]
    balance(bush, load, count, roads, demand, through, by_low)
    through[blocks.origins[b]] = 0.0
    for i in trips:
        demand[blocks.ends[i]] = 0.0


@njit(cache=True, nogil=True)
def _positions(bush, count, heads, origin, order, position):
    """Nodes in the order in which a bush reaches them; returns their number without the origin."""
    reached, before = 0, -1
    for p in range(count):
        v = heads[bush[p]]
        if v != before:
            order[reached] = v
            reached += 1
            position[v] = reached
            before = v
    position[origin] = 0
    return reached


@njit(cache=True, nogil=True)
def even(times, roads, blocks, flows, begin, links, loads, gaps):
    """Even out the path times of one bush after the other (an iteration of Algorithm B).

    `flows`, summed over all bushes, changes with their loads. `gaps` gets the time that the trips
    of each bush would save on its shortest paths, before it is evened out.
    """
    nodes, m = roads.first.size - 1, roads.tails.size
    costs, slopes = np.empty(m), np.empty(m)
    price(times, flows, costs, slopes)
    labels = new_labels(nodes)
    order, position = np.empty(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    longer, shorter = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    through, demand = np.zeros(nodes), np.zeros(nodes)
    for b in range(blocks.origins.size):
        origin, own = blocks.origins[b], times.fixed[blocks.classes[b]]
        bush, load = links[begin[b] : begin[b + 1]], loads[begin[b] : begin[b + 1]]
        gaps[b] = label(bush, load, bush.size, roads, costs, own, origin, labels)
        reached = _positions(bush, bush.size, roads.heads, origin, order, position)
        for i in range(reached - 1, -1, -1):
            v = order[i]
            if labels.by_used[v] >= 0 and labels.by_used[v] != labels.by_low[v]:
                even_out(
                    v, bush, load, times, roads, own, flows, costs, slopes,
                    position, labels, longer, shorter,
                )  # fmt: skip
        _settle(bush, load, bush.size, roads, blocks, b, demand, through, labels.by_low)
