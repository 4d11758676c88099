"""Path analysis within bushes: averages along paths, users of selected links, dominant paths.

A bush is as in `apps.traffic.kernels.bushes`: links that enter a node stand together, and after all
that lead to it, with the flow of its origin on each. Trips that come to a node, wherever they go
on to, have used the links that enter it in proportion to these flows; that is one of the ways to
tell them apart, as the flows of an equilibrium do not. Each pass is linear in the bush.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from frankwolfe.apps.traffic.kernels.loading import PARTS, skim

__all__ = ["select", "skims", "skims_in_parts", "use_shares", "way_shares"]


@njit(cache=True, nogil=True)
def use_shares(bush, load, heads, into, shares):
    """shares[p] = share of the flow into its head node that comes by link p of the bush.

    Zero where no flow enters. `into` is room for one number a node, 0 before and after.
    """
    for p in range(bush.size):
        into[heads[bush[p]]] += load[p]
    for p in range(bush.size):
        total = into[heads[bush[p]]]
        shares[p] = load[p] / total if total > 0.0 else 0.0
    for p in range(bush.size):
        into[heads[bush[p]]] = 0.0


@njit(cache=True, nogil=True)
def _averages(bush, shares, tails, heads, quantities, out):
    """Flow-weighted mean of each quantity along the bush's paths from the origin to every node.

    Nodes without flow keep their value in `out`, and nodes beyond them go on from it.
    """
    before = -1
    for p in range(bush.size):
        if shares[p] > 0.0:
            a = bush[p]
            v = heads[a]
            if v != before:
                out[:, v] = 0.0
                before = v
            for q in range(quantities.shape[0]):
                out[q, v] += shares[p] * (out[q, tails[a]] + quantities[q, a])


@njit(cache=True, nogil=True)
def skims(costs, quantities, roads, zones, block, kept, low, high, out):
    """out[q, i, j] = quantity q from zone i to zone j, for origins i from `low` to `high`.

    Along shortest paths; where zone i has a bush, `block[i]` >= 0, averaged over its used paths.
    """
    nodes = roads.first.size - 1
    found, into = np.empty((quantities.shape[0], nodes)), np.zeros(nodes)
    for i in range(low, high):
        skim(costs, quantities, roads, zones[i], found)
        b = block[i]
        if b >= 0:
            begin, end = kept.begin[b], kept.begin[b + 1]
            bush, load = kept.links[begin:end], kept.loads[begin:end]
            shares = np.empty(bush.size)
            use_shares(bush, load, roads.heads, into, shares)
            _averages(bush, shares, roads.tails, roads.heads, quantities, found)
        for q in range(quantities.shape[0]):
            for j in range(zones.size):
                out[q, i, j] = found[q, zones[j]]


@njit(cache=True, nogil=True, parallel=True)
def skims_in_parts(costs, quantities, roads, zones, block, kept, out):
    """`skims` of all origins, on all threads."""
    count = zones.size
    for part in prange(PARTS):
        low, high = part * count // PARTS, (part + 1) * count // PARTS
        skims(costs, quantities, roads, zones, block, kept, low, high, out)


@njit(cache=True, nogil=True)
def _stages(bush, shares, group, stage):
    """Number the groups in the order in which paths of the bush meet them; return their count.

    By the first used link of each: no path meets them in another order, for the bush is sorted.
    """
    stage[:] = 0
    count = 0
    for p in range(bush.size):
        g = group[bush[p]]
        if g > 0 and shares[p] > 0.0 and stage[g] == 0:
            count += 1
            stage[g] = count
    return count


@njit(cache=True, nogil=True)
def _reached(bush, shares, tails, heads, group, stage, reach):
    """reach[k, v] = share of the flow into v that has used a link of each of stages 1 to k."""
    reach[0] = 1.0
    reach[1:] = 0.0
    for p in range(bush.size):
        if shares[p] > 0.0:
            a = bush[p]
            mine = stage[group[a]]
            for k in range(1, reach.shape[0]):
                reach[k, heads[a]] += shares[p] * reach[k - 1 if k == mine else k, tails[a]]


@njit(cache=True, nogil=True)
def _traced(bush, shares, tails, heads, group, stage, reach, wanting, flows):
    """Trace trips back over the bush, and add the flows of those that use all stages to `flows`.

    wanting[k, v] is the flow through v, on its way back, that has stages 1 to k still to use; it
    is 0 again at the end.
    """
    last = reach.shape[0]
    for p in range(bush.size - 1, -1, -1):
        a = bush[p]
        v, u, mine = heads[a], tails[a], stage[group[a]]
        if shares[p] > 0.0:
            for k in range(last):
                amount = shares[p] * wanting[k, v]
                if amount > 0.0:
                    to = k - 1 if k == mine and k > 0 else k
                    wanting[to, u] += amount
                    flows[a] += amount * reach[to, u]
        if p == 0 or heads[bush[p - 1]] != v:
            wanting[:, v] = 0.0


@njit(cache=True, nogil=True)
def select(roads, blocks, kept, group, groups, parts, flows):
    """Share of each trip that uses a link of every group, and the flows of these trips.

    `group` has the number of each link's group, from 1 on, or 0. Writes parts[i] of trip i, and
    adds to the row of its class in `flows`.
    """
    nodes, starts, ends = roads.first.size - 1, blocks.starts, blocks.ends
    tails, heads = roads.tails, roads.heads
    into, stage = np.zeros(nodes), np.zeros(groups + 1, dtype=np.int64)
    reach, wanting = np.empty((groups + 1, nodes)), np.zeros((groups + 1, nodes))
    for b in range(blocks.origins.size):
        begin, end = kept.begin[b], kept.begin[b + 1]
        bush, load = kept.links[begin:end], kept.loads[begin:end]
        shares = np.empty(bush.size)
        use_shares(bush, load, heads, into, shares)
        parts[starts[b] : starts[b + 1]] = 0.0
        if _stages(bush, shares, group, stage) < groups:
            continue
        _reached(bush, shares, tails, heads, group, stage, reach)
        for i in range(starts[b], starts[b + 1]):
            parts[i] = reach[groups, ends[i]]
            wanting[groups, ends[i]] += blocks.amounts[i]
        mine = flows[blocks.classes[b]]
        _traced(bush, shares, tails, heads, group, stage, reach, wanting, mine)
        wanting[:, blocks.origins[b]] = 0.0


@njit(cache=True, nogil=True)
def way_shares(bush, shares, tails, heads, origin, most):
    """most[v] = largest share of the flow into v that comes by one single path."""
    most[:] = 0.0
    most[origin] = 1.0
    for p in range(bush.size):
        a = bush[p]
        most[heads[a]] = max(most[heads[a]], shares[p] * most[tails[a]])
