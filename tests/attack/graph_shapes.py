"""Random graphs, degenerate ones among them, and the sets that are made from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import frankwolfe as fw

__all__ = ["GRAPHS"]

Rng = np.random.Generator


def _connected(rng: Rng, n: int) -> tuple[list[tuple[int, int]], int]:
    """About n edges that connect all nodes: a tree from node 0, more edges, some of them twice."""
    nodes = int(rng.integers(2, max(3, min(n, 8) + 1)))
    edges = [(int(rng.integers(0, v)), v) for v in range(1, nodes)]
    if rng.random() < 0.2:  # one path only
        edges = [(v - 1, v) for v in range(1, nodes)]
    while len(edges) < n and rng.random() < 0.9:
        u, v = sorted(rng.choice(nodes, 2, replace=False).tolist())
        edges.append((u, v))
    edges += [edges[0]] if rng.random() < 0.3 else []
    return [edges[i] for i in rng.permutation(len(edges))], nodes


def _both_ways(rng: Rng, edges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Some edges back, so that there are cycles."""
    back = [(v, u) for u, v in edges if rng.random() < 0.3]
    return edges + back if rng.random() < 0.5 else edges


def _paths(rng: Rng, n: int, radius: float) -> fw.Region:
    edges, nodes = _connected(rng, n)
    return fw.regions.UnitFlow(_both_ways(rng, edges), 0, nodes - 1)


def _flows(rng: Rng, n: int, radius: float) -> fw.Region:
    """What some flow carries is what nodes give and take, so that there is one."""
    edges, nodes = _connected(rng, n)
    edges = _both_ways(rng, edges)
    flow = rng.uniform(0.0, radius, len(edges)) * (rng.random(len(edges)) < 0.7)
    supplies = np.zeros(nodes)
    for (u, v), amount in zip(edges, flow, strict=True):
        supplies[u] += amount
        supplies[v] -= amount
    room = rng.choice([0.0, 1e-9, 1.0], len(edges), p=[0.2, 0.1, 0.7]) * radius
    return fw.regions.MinCostFlow(edges, supplies, flow + room)


def _trees(rng: Rng, n: int, radius: float) -> fw.Region:
    edges, nodes = _connected(rng, n)
    return fw.regions.SpanningTrees(edges, nodes)


def _pairs(rng: Rng, n: int, radius: float) -> fw.Region:
    rows = int(rng.integers(1, max(2, round(n**0.5) + 1)))
    columns, perfect = max(1, n // rows), bool(rng.random() < 0.5)
    if rng.random() < 0.5:
        return fw.regions.BipartiteMatching(rows, columns, perfect=perfect)
    edges = [(i, j) for i in range(rows) for j in range(columns) if rng.random() < 0.5]
    edges += [(i, i) for i in range(min(rows, columns)) if (i, i) not in edges]
    return fw.regions.BipartiteMatching(rows, columns, edges, perfect)


def _matching(rng: Rng, n: int, radius: float) -> fw.Region:
    edges, nodes = _connected(rng, min(n, 14))
    if rng.random() < 0.3:
        edges += [(v, v + 1) for v in range(0, nodes + nodes % 2, 2)]
        return fw.regions.Matching(edges, nodes + nodes % 2, perfect=True)
    return fw.regions.Matching(edges, nodes)


def _cuts(rng: Rng, n: int, radius: float) -> fw.Region:
    edges, nodes = _connected(rng, n)
    directed = bool(rng.random() < 0.7)
    return fw.regions.Cuts(_both_ways(rng, edges), 0, nodes - 1, directed=directed)


def _matroid(rng: Rng, n: int, radius: float) -> fw.Region:
    n, bases = min(n, 12), bool(rng.random() < 0.6)
    draw = rng.random()
    if draw < 0.4:
        return fw.regions.Matroid.uniform(n, int(rng.integers(1, n + 1)), bases=bases)
    columns = rng.integers(-1, 2, (int(rng.integers(1, n + 1)), n)).astype(float)
    columns[0, 0] = 1.0

    def independent(chosen: Any) -> bool:
        few = columns[:, np.asarray(chosen, dtype=int)]
        return bool(np.linalg.matrix_rank(few) == few.shape[1]) if few.shape[1] else True

    return fw.regions.Matroid(n, independent, bases=bases)


def _submodular(rng: Rng, n: int, radius: float) -> fw.Region:
    """A concave function of a sum, a cut, or how much is covered; and a part that adds up."""
    n = min(n, 10)
    weights, each = rng.uniform(0.1, 2.0, n), rng.standard_normal(n)
    edges, _ = _connected(rng, 2 * n)
    cover = rng.random((n, 6)) < 0.4
    kind = int(rng.integers(4))

    def value(chosen: Any) -> float:
        chosen = np.asarray(chosen, dtype=int)
        inside = np.zeros(max(n, 8), dtype=bool)
        inside[chosen] = True
        if kind == 0:
            first = float(np.sqrt(weights[chosen].sum()))
        elif kind == 1:
            first = float(sum(inside[u] != inside[v] for u, v in edges if max(u, v) < n))
        elif kind == 2:
            first = float(cover[chosen].any(axis=0).sum())
        else:
            first = 0.0
        return radius * (first + float(each[chosen].sum()))

    return fw.regions.SubmodularBase(value, n)


GRAPHS: dict[str, Callable[[Rng, int, float], fw.Region]] = {
    "UnitFlow": _paths,
    "MinCostFlow": _flows,
    "SpanningTrees": _trees,
    "BipartiteMatching": _pairs,
    "Matching": _matching,
    "Cuts": _cuts,
    "Matroid": _matroid,
    "SubmodularBase": _submodular,
}
"""Sets of graphs and of systems of subsets."""
