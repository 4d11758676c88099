"""Graphs: networkx, and all vertices of small instances; flows and cuts by linear programs."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from graph_programs import pairs_of
from programs import program

import frankwolfe as fw
from minima import least


@least.register
def by_networkx(region: fw.regions.Matching, g: np.ndarray) -> float:
    if not region.perfect or not np.array_equal(g, np.round(g)):
        return min(float(x @ g) for x in program(region, g.size).lift.T)
    nx = pytest.importorskip("networkx")
    graph = nx.Graph()
    for (u, v), cost in zip(pairs_of(region), g, strict=True):
        cheaper = max(-int(cost), graph.get_edge_data(u, v, {"weight": -int(cost)})["weight"])
        graph.add_edge(u, v, weight=cheaper)  # of parallel edges the best
    found = nx.max_weight_matching(graph, maxcardinality=True)
    return -float(sum(graph.edges[pair]["weight"] for pair in found))


@least.register
def by_all_orders(region: fw.regions.SubmodularBase, g: np.ndarray) -> float:
    known = region.fingerprint()
    if known not in ORDERS:
        ORDERS[known] = np.array([_gains(region, order) for order in permutations(range(g.size))])
    return float((ORDERS[known] @ g).min())


ORDERS: dict[str, np.ndarray] = {}


def _gains(region: fw.regions.SubmodularBase, order: tuple[int, ...]) -> np.ndarray:
    """What each element adds to those before it."""
    x = np.zeros(len(order))
    for k, e in enumerate(order):
        x[e] = region.value(order[: k + 1]) - region.value(order[:k])
    return x


@least.register(fw.regions.SpanningTrees)
@least.register(fw.regions.Matroid)
def listed(region, g: np.ndarray) -> float:
    return min(float(x @ g) for x in program(region, g.size).lift.T)
