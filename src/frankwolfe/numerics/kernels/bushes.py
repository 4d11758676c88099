"""Bushes: for each origin the acyclic links that its trips use, and their flows (Algorithm B).

A bush is a list of links, sorted so that those which enter a node stand together and after all
that lead to it, with the flow of its origin on each. All bushes lie one after the other in two
arrays; a sweep reads them there and writes them, changed, into two others.

R. B. Dial, *A path-based user-equilibrium traffic assignment algorithm that obviates path storage
and enumeration*, Transportation Research B, 2006; Y. Nie, *A class of bush-based algorithms for
the traffic assignment problem*, Transportation Research B, 2010.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from frankwolfe.numerics.kernels.link_costs import time_and_slope
from frankwolfe.numerics.kernels.loading import tree

__all__ = ["class_flows", "first_bushes", "sweep"]

EVEN = 1e-15  # of the time of a way, what two ways may differ by and count as equal
SECANTS = 40  # corrections of a Newton step that went too far


@njit(cache=True, nogil=True)
def first_bushes(
    kinds, table, fixed, tails, heads, first, order, closed,
    origins, classes, starts, ends, amounts, flows, begin, links, loads,
):  # fmt: skip  # type: ignore[no-untyped-def]
    """Shortest path trees, one after the other, each in the times that those before it leave.

    Writes the bushes and adds to `flows`; returns the first trip without a path, or -1.
    """
    nodes, m = first.size - 1, tails.size
    far, last = np.empty(nodes), np.empty(nodes, dtype=np.int64)
    heap, place = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    seen, through = np.empty(nodes, dtype=np.int64), np.zeros(nodes)
    wanted = np.zeros(nodes, dtype=np.bool_)
    time, costs = np.empty(m), np.empty(m)
    for a in range(m):
        p = table[a]
        time[a] = time_and_slope(kinds[a], p[0], p[1], p[2], p[3], flows[a])[0]
    at = 0
    for b in range(origins.size):
        own = fixed[classes[b]]
        for a in range(m):
            costs[a] = time[a] + own[a]
        done = tree(
            costs, heads, first, order, closed, origins[b], wanted, -1,
            far, last, heap, place, seen,
        )  # fmt: skip
        for i in range(starts[b], starts[b + 1]):
            if far[ends[i]] == math.inf:
                return i
            through[ends[i]] += amounts[i]
        begin[b] = at
        for j in range(1, done):
            links[at + j - 1] = last[seen[j]]
        for j in range(done - 1, 0, -1):
            v = seen[j]
            a, amount = last[v], through[v]
            loads[at + j - 1] = amount
            through[tails[a]] += amount
            through[v] = 0.0
            if amount > 0.0:
                flows[a] += amount
                p = table[a]
                time[a] = time_and_slope(kinds[a], p[0], p[1], p[2], p[3], flows[a])[0]
        through[origins[b]] = 0.0
        at += done - 1
        begin[b + 1] = at
    return -1


@njit(cache=True, nogil=True)
def class_flows(begin, links, loads, classes, out):  # type: ignore[no-untyped-def]
    """out[k] = the flows of class k: the sum of its bushes."""
    out[:] = 0.0
    for b in range(classes.size):
        mine = out[classes[b]]
        for p in range(begin[b], begin[b + 1]):
            mine[links[p]] += loads[p]


@njit(inline="always")
def _cost(time, own, a):  # type: ignore[no-untyped-def]
    """What a link costs its users: one number >= 0, so that no label falls along a link."""
    return max(time[a] + own[a], 0.0)


@njit(cache=True, nogil=True)
def _balance(bush, load, count, tails, heads, demand, through, by_low):  # type: ignore[no-untyped-def]
    """Scale the flows that enter each node to what leaves it, so that no rounding gathers.

    A node without any gets what it needs on its shortest link. Backwards over the bush.
    """
    p = count - 1
    while p >= 0:
        v, total, low = heads[bush[p]], 0.0, p
        while low >= 0 and heads[bush[low]] == v:
            total += load[low]
            low -= 1
        needed = demand[v] + through[v]
        through[v] = 0.0
        if total > 0.0:
            share = needed / total
            for q in range(low + 1, p + 1):
                load[q] *= share
        elif needed > 0.0:
            load[by_low[v]] = needed
        for q in range(low + 1, p + 1):
            through[tails[bush[q]]] += load[q]
        p = low


@njit(cache=True, nogil=True)
def _labels(
    bush, load, count, tails, heads, time, own, origin, low, high, used, by_low, by_used
):  # fmt: skip  # type: ignore[no-untyped-def]
    """The shortest and longest times to every node of a bush, and the links that end them.

    `high` is over the links that stay: with flow, or the last of a shortest way; `used` over those
    with flow. Returns the time that all its trips together would save on shortest ways.
    """
    low[origin] = high[origin] = used[origin] = 0.0
    p, excess = 0, 0.0
    while p < count:
        v, begin = heads[bush[p]], p
        least, most, best, worst = math.inf, -math.inf, -1, -1
        while p < count and heads[bush[p]] == v:
            a = bush[p]
            through = low[tails[a]] + _cost(time, own, a)
            if through < least or (through == least and load[p] > 0.0 == load[best]):
                least, best = through, p  # of equal ways one in use: an empty link may be steep
            if load[p] > 0.0:
                through = used[tails[a]] + _cost(time, own, a)
                if through > most:
                    most, worst = through, p
            p += 1
        top = -math.inf
        for q in range(begin, p):
            if load[q] > 0.0 or q == best:
                a = bush[q]
                top = max(top, high[tails[a]] + _cost(time, own, a))
                excess += load[q] * max(low[tails[a]] + _cost(time, own, a) - least, 0.0)
        low[v], high[v], by_low[v] = least, top, best
        used[v], by_used[v] = most, worst
    return excess


@njit(cache=True, nogil=True)
def _renew(
    bush, load, count, tails, heads, first, order, into, entering_first, closed,
    time, own, origin, low, high, by_low, inside, degree, queue, slack,
):  # fmt: skip  # type: ignore[no-untyped-def]
    """Drop the links without flow that end no shortest way; add those that are shortcuts.

    A link (i, j) is one where the longest and the shortest time to i, and its own, are less than
    those to j. As longest times never fall along a link that stays, and rise along one that is
    added, no cycle can close. Returns how many links there are then, sorted again.
    """
    nodes = first.size - 1
    changed = False
    for p in range(count):
        a = bush[p]
        if load[p] > 0.0 or by_low[heads[a]] == p:
            inside[a] = load[p]
            degree[heads[a]] += 1
        else:
            changed = True
    added = 0
    for v in range(nodes):
        if low[v] == math.inf or (closed[v] and v != origin):
            continue
        for i in range(first[v], first[v + 1]):
            a = order[i]
            w = heads[a]
            cost = _cost(time, own, a)
            if (
                high[v] + cost < high[w]
                and low[v] + cost < low[w]
                and inside[a] < 0.0
                and added < slack
                and low[w] < math.inf
            ):
                inside[a] = 0.0
                degree[w] += 1
                added += 1
    if not changed and added == 0:
        for p in range(count):
            inside[bush[p]] = -1.0
            degree[heads[bush[p]]] = 0
        return count, 0
    # Kahn's order; links that enter a node are written when it is reached
    queue[0], ready, at, count = origin, 1, 0, 0
    while at < ready:
        v = queue[at]
        at += 1
        for i in range(entering_first[v], entering_first[v + 1]):
            a = into[i]
            if inside[a] >= 0.0:
                bush[count], load[count] = a, inside[a]
                inside[a] = -1.0
                count += 1
        for i in range(first[v], first[v + 1]):
            a = order[i]
            if inside[a] >= 0.0:
                degree[heads[a]] -= 1
                if degree[heads[a]] == 0:
                    queue[ready] = heads[a]
                    ready += 1
    return count, added


@njit(inline="always")
def _move(p, amount, bush, load, kinds, table, flows, time, slope):  # type: ignore[no-untyped-def]
    a = bush[p]
    load[p] = max(load[p] + amount, 0.0)
    flows[a] = max(flows[a] + amount, 0.0)
    row = table[a]
    time[a], slope[a] = time_and_slope(kinds[a], row[0], row[1], row[2], row[3], flows[a])


@njit(cache=True, nogil=True)
def _even_out(
    v, bush, load, kinds, table, tails, own, flows, time, slope, position, by_low, by_used, longer, shorter,
):  # fmt: skip  # type: ignore[no-untyped-def]
    """Move flow from the longest used way to node v to the shortest, from where they part.

    Newton's step for equal times, brought back by secants where it went too far.
    """
    i, j, up, down = v, v, 0, 0
    if by_used[v] == by_low[v]:
        return
    most, bend, away, here = math.inf, 0.0, 0.0, 0.0
    while i != j or up == 0:
        if up == 0 or position[i] > position[j]:
            p = by_used[i]
            longer[up] = p
            up += 1
            most = min(most, load[p])
            if most <= 0.0:
                return
            a = bush[p]
            away += _cost(time, own, a)
            bend += slope[a]
            i = tails[a]
        else:
            p = by_low[j]
            shorter[down] = p
            down += 1
            a = bush[p]
            here += _cost(time, own, a)
            bend += slope[a]
            j = tails[a]
    difference = away - here
    if not difference > EVEN * away:
        return
    moved = min(difference / bend, most) if 0.0 < bend < math.inf else most
    step, low, high, above, below = moved, 0.0, moved, difference, 0.0
    for secant in range(SECANTS + 1):
        for q in range(up):
            _move(longer[q], -step, bush, load, kinds, table, flows, time, slope)
        for q in range(down):
            _move(shorter[q], step, bush, load, kinds, table, flows, time, slope)
        rest = 0.0
        for q in range(up):
            rest += _cost(time, own, bush[longer[q]])
        for q in range(down):
            rest -= _cost(time, own, bush[shorter[q]])
        if abs(rest) <= 0.3 * difference or secant == SECANTS:
            return
        if rest > 0.0:
            if secant == 0:
                return  # short of it: there is a next time
            low, above = moved, rest
        else:
            high, below = moved, rest
        share = min(max(above / (above - below), 0.1), 0.9)
        ahead = low + (high - low) * share
        step, moved = ahead - moved, ahead


@njit(cache=True, nogil=True)
def sweep(
    kinds, table, fixed, tails, heads, first, order, into, entering_first, closed,
    origins, classes, starts, ends, amounts,
    flows, begin, links, loads, new_begin, new_links, new_loads, gaps, least, grow, passes, slack,
):  # fmt: skip  # type: ignore[no-untyped-def]
    """Even out the ways of one bush after the other; with `grow` shortcuts are added first.

    Bushes whose last gap is below `least` are copied as they are. `gaps` gets what each would
    save on its shortest ways, before it is changed. `flows`, of all together, changes with them.
    Returns how many links were added.
    """
    nodes, m = first.size - 1, tails.size
    time, slope = np.empty(m), np.empty(m)
    for a in range(m):
        p = table[a]
        time[a], slope[a] = time_and_slope(kinds[a], p[0], p[1], p[2], p[3], flows[a])
    low, high, used = np.empty(nodes), np.empty(nodes), np.empty(nodes)
    by_low, by_used = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    bush, load = np.empty(m, dtype=np.int64), np.empty(m)
    inside, degree = np.full(m, -1.0), np.zeros(nodes, dtype=np.int64)
    queue, position = np.empty(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    through, demand = np.zeros(nodes), np.zeros(nodes)
    longer, shorter = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    at, more = 0, 0
    for b in range(origins.size):
        count = begin[b + 1] - begin[b]
        new_begin[b] = at
        if gaps[b] < least:
            for p in range(count):
                new_links[at + p], new_loads[at + p] = links[begin[b] + p], loads[begin[b] + p]
            at += count
            new_begin[b + 1] = at
            continue
        origin, own = origins[b], fixed[classes[b]]
        for p in range(count):
            bush[p], load[p] = links[begin[b] + p], loads[begin[b] + p]
        if grow:
            low[:] = math.inf
            _labels(
                bush, load, count, tails, heads, time, own, origin,
                low, high, used, by_low, by_used,
            )  # fmt: skip
            count, added = _renew(
                bush, load, count, tails, heads, first, order, into, entering_first, closed,
                time, own, origin, low, high, by_low, inside, degree, queue, slack,
            )  # fmt: skip
            more += added
        nodes_in, before = 0, -1
        for p in range(count):
            v = heads[bush[p]]
            if v != before:
                queue[nodes_in] = v
                position[v] = nodes_in + 1
                nodes_in += 1
                before = v
        position[origin] = 0
        for turn in range(passes):
            excess = _labels(
                bush, load, count, tails, heads, time, own, origin,
                low, high, used, by_low, by_used,
            )  # fmt: skip
            if turn == 0:
                gaps[b] = excess
            for i in range(nodes_in - 1, -1, -1):
                v = queue[i]
                if by_used[v] >= 0 and used[v] > low[v]:
                    _even_out(
                        v, bush, load, kinds, table, tails, own, flows, time, slope,
                        position, by_low, by_used, longer, shorter,
                    )  # fmt: skip
        for i in range(starts[b], starts[b + 1]):
            demand[ends[i]] += amounts[i]
        _balance(bush, load, count, tails, heads, demand, through, by_low)
        through[origin] = 0.0
        for i in range(starts[b], starts[b + 1]):
            demand[ends[i]] = 0.0
        for p in range(count):
            new_links[at + p], new_loads[at + p] = bush[p], load[p]
        at += count
        new_begin[b + 1] = at
    return more
