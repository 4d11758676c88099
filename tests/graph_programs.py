"""Sets of graphs as linear programs, or by all their vertices where there are few."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import numpy as np
from programs import Program, program
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import frankwolfe as fw
from frankwolfe.regions.graphs.flows import NetworkFlows


def _hull(vertices: list[np.ndarray]) -> Program:
    count = len(vertices)
    rows = np.vstack([np.ones(count), -np.ones(count)])
    return Program(np.transpose(vertices), np.full(count, np.inf), rows, np.array([1.0, -1.0]))


def _subsets(n: int, fits) -> list[np.ndarray]:
    """All 0/1 vectors that fit."""
    return [x for bits in product((0.0, 1.0), repeat=n) if fits(x := np.array(bits))]


@program.register
def balance(region: NetworkFlows, n: int) -> Program:
    edges = region.edges
    rows = np.zeros((edges.nodes, n))
    for e, (u, v) in enumerate(zip(edges.tails, edges.heads, strict=True)):
        rows[u, e] += 1.0
        rows[v, e] -= 1.0
    most = np.concatenate([region.supplies, -region.supplies])
    return Program(np.eye(n), region.capacities, np.vstack([rows, -rows]), most)


@program.register
def trees(region: fw.regions.SpanningTrees, n: int) -> Program:
    return _hull(list(_trees(tuple(pairs_of(region)), region.edges.nodes)))


@cache
def _trees(pairs: tuple[tuple[int, int], ...], nodes: int) -> list[np.ndarray]:
    """By scipy: which sets of n - 1 edges connect all nodes."""
    found = []
    for chosen in combinations(range(len(pairs)), nodes - 1):
        ends = np.array([pairs[e] for e in chosen], dtype=int).reshape(-1, 2).T
        graph = coo_array((np.ones(ends.shape[1]), ends), shape=(nodes, nodes))
        if connected_components(graph, directed=False)[0] == 1:
            found.append(np.isin(np.arange(len(pairs)), chosen).astype(float))
    return found


def pairs_of(region) -> list[tuple[int, int]]:
    return [(int(u), int(v)) for u, v in zip(region.edges.tails, region.edges.heads, strict=True)]


@program.register
def rows_and_columns(region: fw.regions.BipartiteMatching, n: int) -> Program:
    i, j = region.pairs.i, region.pairs.j
    rows = np.vstack(
        [np.arange(region.rows)[:, None] == i, np.arange(region.columns)[:, None] == j]
    )
    rows, most = rows.astype(float), np.ones(region.rows + region.columns)
    if region.perfect:  # as many pairs as the smaller side has
        total = min(region.rows, region.columns)
        rows, most = np.vstack([rows, -np.ones(n)]), np.append(most, -total)
    return Program(np.eye(n), np.full(n, np.inf), rows, most)


@program.register
def matchings(region: fw.regions.Matching, n: int) -> Program:
    pairs, nodes = pairs_of(region), region.edges.nodes

    def fits(x):
        covered = [v for e in np.flatnonzero(x) for v in pairs[e]]
        apart = len(covered) == len(set(covered))
        return apart and (len(covered) == nodes or not region.perfect)

    return _hull(_subsets(n, fits))


@program.register
def potentials(region: fw.regions.Cuts, n: int) -> Program:
    """Edges, then potentials."""
    edges, nodes = region.edges, region.edges.nodes
    ways = [(e, u, v) for e, (u, v) in enumerate(pairs_of(region))]
    if not region.directed:
        ways += [(e, v, u) for e, u, v in ways]
    rows, most = [], []
    for e, u, v in ways:
        row = np.zeros(n + nodes)
        row[e], row[n + u], row[n + v] = -1.0, 1.0, -1.0
        rows.append(row)
        most.append(0.0)
    ends = np.zeros((2, n + nodes))
    ends[0, n + region.source], ends[1, n + region.target] = -1.0, 1.0
    lift = np.eye(n, n + nodes)
    assert edges.size == n
    return Program(lift, np.ones(n + nodes), np.vstack([rows, ends]), np.array([*most, -1.0, 0.0]))


@program.register
def sets(region: fw.regions.Matroid, n: int) -> Program:
    def fits(x):
        chosen = np.flatnonzero(x)
        right = chosen.size == region.rank or not region.bases
        return right and region._independent(chosen)

    return _hull(_subsets(n, fits))


@program.register
def orders(region: fw.regions.SubmodularBase, n: int) -> Program:
    """x(S) <= F(S) for all S, in x + 10: the sums and not the greedy vertices."""
    members = _subsets(n, lambda x: True)
    rows = np.array([*members, -np.ones(n)])
    values = [region.value(np.flatnonzero(x)) for x in members]
    most = np.array([*values, -region.value(np.arange(n))])
    low = 10.0
    lift = np.column_stack([np.eye(n), np.full(n, -low)])
    one = np.append(np.zeros(n), 1.0)
    rows = np.column_stack([rows, -low * rows.sum(axis=1)])
    rows = np.vstack([rows, one, -one])
    return Program(lift, np.append(np.full(n, np.inf), 1.0), rows, np.append(most, [1.0, -1.0]))
