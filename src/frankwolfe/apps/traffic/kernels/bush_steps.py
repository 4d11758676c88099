"""One bush: its longest and shortest paths, its shortcuts, and flow moved between its paths.

`bush` lists links and `load` the flow of one origin on each; links that enter a node stand
together, and after all that lead to it.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from frankwolfe.apps.traffic.kernels.link_costs import time_and_slope
from frankwolfe.apps.traffic.roads import BushLabels

__all__ = ["balance", "even_out", "label", "new_labels", "renew"]

EQUAL_TOL = 1e-15  # of a path's time: two paths that differ by less are equal, up to rounding
MIN_MAIN_SHARE = 1e-3  # of the flow into a node: a link with less is on no longest path through it
STEP_TOL = 0.3  # of the difference of two paths' times, which a step may leave or overshoot
MAX_SECANTS = 40  # corrections of a step that went too far; one or two, as a rule
BRACKET_MARGIN = 0.1  # of a bracket, from its ends: capacities, and so slopes, may differ widely


@njit(inline="always")
def _cost(costs, own, a):
    """Cost of link a to its users, a single number >= 0, or labels would fall along a link."""
    return max(costs[a] + own[a], 0.0)


@njit(cache=True, nogil=True)
def new_labels(nodes):
    """Arrays for the labels of a bush; nodes that it does not reach are infinitely far."""
    low, high, main = np.full(nodes, math.inf), np.empty(nodes), np.empty(nodes)
    by_low, by_used = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    return BushLabels(low, high, main, by_low, by_used, np.empty(nodes, dtype=np.int64))


@njit(cache=True, nogil=True)
def label(bush, load, count, roads, costs, own, origin, labels):
    """Shortest and longest times to every node of a bush, and the last links of these paths.

    `high` is over the links that stay: with flow, or the last of a shortest path; `main` over
    those with MIN_MAIN_SHARE of a node's flow, or a path with next to no flow would keep all
    others from being evened out. Returns the time that all trips would save on shortest paths.
    """
    low, high, main = labels.low, labels.high, labels.main
    tails, heads = roads.tails, roads.heads
    low[origin] = high[origin] = main[origin] = 0.0
    p, excess = 0, 0.0
    while p < count:
        v, begin = heads[bush[p]], p
        least, most, best, worst, total = math.inf, -math.inf, -1, -1, 0.0
        while p < count and heads[bush[p]] == v:
            a = bush[p]
            cost = _cost(costs, own, a)
            through = low[tails[a]] + cost
            if through < least or (through == least and load[p] > 0.0 == load[best]):
                least, best = through, p  # of equal paths one in use: an empty link may be steep
            through = main[tails[a]] + cost
            if load[p] > 0.0 and through > most:
                most, worst = through, p
            total += load[p]
            p += 1
        top, main[v], labels.by_main[v] = -math.inf, -math.inf, -1
        for q in range(begin, p):
            tail, cost = tails[bush[q]], _cost(costs, own, bush[q])
            if load[q] > MIN_MAIN_SHARE * total and main[tail] + cost > main[v]:
                main[v], labels.by_main[v] = main[tail] + cost, q
            if load[q] > 0.0 or q == best:
                top = max(top, high[tail] + cost)
                excess += load[q] * max(low[tail] + cost - least, 0.0)
        low[v], high[v] = least, top
        labels.by_low[v], labels.by_used[v] = best, worst
    return excess


@njit(cache=True, nogil=True)
def _stay(bush, load, count, heads, by_low, inside, degree):
    """Mark links with flow and last links of shortest paths; True if there are others."""
    others = False
    for p in range(count):
        a = bush[p]
        if load[p] > 0.0 or by_low[heads[a]] == p:
            inside[a] = load[p]
            degree[heads[a]] += 1
        else:
            others = True
    return others


@njit(cache=True, nogil=True)
def _join(roads, costs, own, origin, labels, inside, degree, most):
    """Mark at most `most` shortcuts to join the bush; return their number.

    A link (i, j) is one where the longest time to i and its own are less than the longest to j,
    and so the shortest. Longest times do not fall along a link that stays, and rise along one that
    joins: no cycle can close.
    """
    low, high, joined = labels.low, labels.high, 0
    for v in range(low.size):
        if not low[v] < math.inf or (roads.closed[v] and v != origin):
            continue
        for i in range(roads.first[v], roads.first[v + 1]):
            a = roads.order[i]
            w, cost = roads.heads[a], _cost(costs, own, a)
            shorter = low[v] + cost < low[w] < math.inf and high[v] + cost < high[w]
            if shorter and inside[a] < 0.0 and joined < most:
                inside[a] = 0.0
                degree[w] += 1
                joined += 1
    return joined


@njit(cache=True, nogil=True)
def _sorted(bush, load, roads, origin, inside, degree, queue):
    """Write the marked links in topological order (Kahn's algorithm) and clear the marks."""
    queue[0], ready, at, count = origin, 1, 0, 0
    while at < ready:
        v = queue[at]
        at += 1
        for i in range(roads.entering_first[v], roads.entering_first[v + 1]):
            a = roads.entering[i]
            if inside[a] >= 0.0:
                bush[count], load[count] = a, inside[a]
                inside[a] = -1.0
                count += 1
        for i in range(roads.first[v], roads.first[v + 1]):
            a = roads.order[i]
            if inside[a] >= 0.0:
                degree[roads.heads[a]] -= 1
                if degree[roads.heads[a]] == 0:
                    queue[ready] = roads.heads[a]
                    ready += 1
    return count


@njit(cache=True, nogil=True)
def renew(bush, load, count, roads, costs, own, origin, labels, inside, degree, queue, most):
    """Drop links without flow that end no shortest path, and add at most `most` shortcuts.

    Returns the new number of links. `inside` and `degree` are room, unchanged at the end.
    """
    others = _stay(bush, load, count, roads.heads, labels.by_low, inside, degree)
    joined = _join(roads, costs, own, origin, labels, inside, degree, most)
    if others or joined:
        return _sorted(bush, load, roads, origin, inside, degree, queue)
    for p in range(count):
        inside[bush[p]] = -1.0
        degree[roads.heads[bush[p]]] = 0
    return count


@njit(cache=True, nogil=True)
def _ways(v, bush, load, tails, position, labels, longer, shorter):
    """Longest used and shortest path to node v, from the node where they part.

    Returns the number of links of each, and the least flow on the longer one.
    """
    i, j, up, down, most = v, v, 0, 0, math.inf
    while (i != j or up == 0) and most > 0.0:
        if up == 0 or position[i] > position[j]:
            p = labels.by_used[i] if up == 0 else labels.by_main[i]
            longer[up] = p
            up += 1
            most = min(most, load[p])
            i = tails[bush[p]]
        else:
            p = labels.by_low[j]
            shorter[down] = p
            down += 1
            j = tails[bush[p]]
    return up, down, most


@njit(cache=True, nogil=True)
def _compare(longer, up, shorter, down, bush, costs, own, slopes):
    """Difference of two paths' times, the longer one's time, and the sum of all links' slopes."""
    away, here, slope = 0.0, 0.0, 0.0
    for q in range(up):
        a = bush[longer[q]]
        away += _cost(costs, own, a)
        slope += slopes[a]
    for q in range(down):
        a = bush[shorter[q]]
        here += _cost(costs, own, a)
        slope += slopes[a]
    return away - here, away, slope


@njit(cache=True, nogil=True)
def _move(way, length, amount, bush, load, times, flows, costs, slopes):
    """Add `amount` to the flow along a path, and price its links anew."""
    for q in range(length):
        p = way[q]
        a = bush[p]
        load[p] = max(load[p] + amount, 0.0)
        flows[a] = max(flows[a] + amount, 0.0)
        t, k, c, s = times.table[a]
        costs[a], slopes[a] = time_and_slope(times.kinds[a], t, k, c, s, flows[a])


@njit(cache=True, nogil=True)
def even_out(
    v, bush, load, times, roads, own, flows, costs, slopes, position, labels, longer, shorter
):
    """Move flow from the longest used path to node v to the shortest, from where they part.

    Newton's step for equal times, brought back by secants where it went too far.
    """
    up, down, most = _ways(v, bush, load, roads.tails, position, labels, longer, shorter)
    difference, away, slope = _compare(longer, up, shorter, down, bush, costs, own, slopes)
    if not most > 0.0 or not difference > EQUAL_TOL * away:
        return
    moved = min(difference / slope, most) if 0.0 < slope < math.inf else most
    step, low, high, above, below = moved, 0.0, moved, difference, 0.0
    for secant in range(MAX_SECANTS + 1):
        _move(longer, up, -step, bush, load, times, flows, costs, slopes)
        _move(shorter, down, step, bush, load, times, flows, costs, slopes)
        rest, _, _ = _compare(longer, up, shorter, down, bush, costs, own, slopes)
        if abs(rest) <= STEP_TOL * difference or (rest > 0.0 and secant == 0):
            return  # close, or short of it: the next round goes on from here
        if rest > 0.0:
            low, above = moved, rest
        else:
            high, below = moved, rest
        ahead = low + (high - low) * min(
            max(above / (above - below), BRACKET_MARGIN), 1.0 - BRACKET_MARGIN
        )
        step, moved = ahead - moved, ahead


@njit(cache=True, nogil=True)
def balance(bush, load, count, roads, demand, through, by_low):
    """Scale the flows into each node to what leaves it, so that rounding does not accumulate.

    A node without inflow gets what it needs by its shortest path. Backwards over the bush;
    `through` is room of zeros, before and after.
    """
    p = count - 1
    while p >= 0:
        v, total, before = roads.heads[bush[p]], 0.0, p
        while before >= 0 and roads.heads[bush[before]] == v:
            total += load[before]
            before -= 1
        needed = demand[v] + through[v]
        through[v] = 0.0
        if total > 0.0:
            for q in range(before + 1, p + 1):
                load[q] *= needed / total
        elif needed > 0.0:
            load[by_low[v]] = needed
        for q in range(before + 1, p + 1):
            through[roads.tails[bush[q]]] += load[q]
        p = before
