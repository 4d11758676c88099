"""One unit of flow between two nodes: paths."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Indices, Shape
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels import shortest_paths as paths
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import Atom, Sparse
from frankwolfe.core.region_abilities import Accuracy, InexactAtom, OracleMemory
from frankwolfe.regions.graphs.edges import Edges
from frankwolfe.regions.graphs.flows import NetworkFlows
from frankwolfe.regions.graphs.over_edges import GraphEdges, shown, wide

__all__ = ["UnitFlow"]


class UnitFlow(NetworkFlows):
    r"""Flows of one unit from a source to a target, at most one on each edge.

    On a graph without cycles this is the hull of the paths between the two. On another its
    vertices are a path, with cycles beside it where these have a negative cost: at most one on
    each edge, so that the set is bounded. For a gradient >= 0 the oracle's point is a shortest
    path, on any graph.

    Without cycles the oracle takes one pass over the edges in topological order, for costs of
    any signs. On other graphs it is Dijkstra's method; where some costs are negative, after
    prices by Bellman and Ford; and where a cycle has a negative cost, the network simplex method.

    Parameters
    ----------
    edges : array of shape (m, 2), tuple (tails, heads), sparse matrix or networkx graph
        The directed edges in the order of the variables, as rows (tail, head) of whole numbers
        from 0 on. Of a sparse adjacency matrix these are its stored entries, row after row; of a
        networkx graph ``graph.edges``.
    source, target : int, or the name of a node of a networkx graph
        Where the unit starts and ends.

    Notes
    -----
    The diameter is exact: a flow of least cost over doubled edges gives two flows that share as
    little as possible.

    References
    ----------
    R. K. Ahuja, T. L. Magnanti, J. B. Orlin, Network Flows, 1993.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> roads = fw.regions.UnitFlow([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], source=0, target=3)
    >>> roads.lmo(np.array([1.0, 4.0, 1.0, 5.0, 1.0])).dense(5)
    array([1., 0., 1., 0., 1.])
    """

    formula = r"0 \le x \le 1,\ x(\delta^+_v) - x(\delta^-_v) = [v = s] - [v = t]"
    atom = "a path"
    cost = "m without cycles, else m log n"

    def __init__(self, edges: GraphEdges, source: Hashable, target: Hashable) -> None:
        graph = edges if isinstance(edges, Edges) else Edges(edges)
        self.source, self.target = graph.node("source", source), graph.node("target", target)
        if self.source == self.target:
            raise InvalidInput(f"target must not be the source, got {target!r} for both.")
        self._first, self._order = paths.leaving(graph.tails, graph.nodes)
        far, _ = paths.dijkstra(
            np.zeros(graph.size), graph.heads, self._first, self._order, self.source, -1
        )
        if not math.isfinite(far[self.target]):
            raise InvalidInput(
                f"edges must lead from the source {source!r} to the target {target!r}, but no "
                "path does."
            )
        supplies = np.zeros(graph.nodes)
        supplies[self.source], supplies[self.target] = 1.0, -1.0
        self._set(graph, supplies, np.ones(graph.size), 1.0)
        self._sorted = paths.topological(graph.heads, self._first, self._order)
        self.acyclic = self._sorted.size == graph.size
        self._tails, self._heads = graph.tails[self._sorted], graph.heads[self._sorted]

    @property
    def costly_faces(self) -> bool:
        """True on large graphs with cycles: a path is cheap, a flow is not."""
        return not self.acyclic and super().costly_faces

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        return shown(g) or self._cheapest(wide(g), g.dtype)

    def _cheapest(self, costs: Array, dtype: Dtype) -> Atom:
        """Cheapest path, or cheapest flow where a cycle has a negative cost."""
        if self.acyclic:
            return self._path(self._in_order(costs), dtype)
        graph, nodes = self.edges, self.edges.nodes
        if costs.min() < 0.0:
            prices, fine = paths.bellman_ford(costs, graph.tails, graph.heads, nodes)
            if not fine:
                return self._atom(self._network.cheapest(costs)[0], dtype)
            # Johnson: c + p_tail - p_head >= 0 has the shortest paths of c
            costs = np.maximum(costs + prices[graph.tails] - prices[graph.heads], 0.0)
        last = paths.dijkstra(
            costs, graph.heads, self._first, self._order, self.source, self.target
        )[1]
        return self._path(last, dtype)

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> Memory:
        if self.acyclic:
            return super().oracle_memory(shape, dtype)
        return self._network.tree()

    def inexact_lmo(self, g: Array, memory: OracleMemory, wanted: Accuracy) -> InexactAtom:
        """Inexact oracle; with cycles and negative costs from the tree of the last call."""
        if self.acyclic or not g.min() < 0.0 or shown(g) is not None:
            atom = self.ask(g)
            return atom, atom.dot(g), 0.0
        flow, _, over = self._network.cheapest(g.astype(np.float64, copy=False), memory)
        atom = self._atom(flow, g.dtype)
        return atom, atom.dot(g), over

    def _in_order(self, costs: Array) -> Indices:
        """Last edge of a shortest path to each node, on a graph without cycles."""
        nodes = self.edges.nodes
        last: Indices = paths.path_in_order(
            costs, self._tails, self._heads, self._sorted, self.source, nodes
        )[1]
        return last

    def _path(self, last: Indices, dtype: Dtype) -> Atom:
        """Path to the target, as an atom, from the last edge of a path to each node."""
        edges = paths.walk_back(last, self.edges.tails, self.source, self.target)
        return Sparse(edges, np.ones(edges.size, dtype=dtype))

    def face_atom(self, g: Array, x: Array) -> Atom:
        if not self.acyclic:
            return super().face_atom(g, x)
        last = self._in_order(np.where(self._bounds_at(x)[0], math.inf, -wide(g)))
        return self._path(last, g.dtype) if last[self.target] >= 0 else self.ask(-g)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        """Examples: all edges that lead forward between some nodes; and a graph with a cycle."""
        nodes = max(2, int((1.0 + math.sqrt(1.0 + 8.0 * n)) / 2.0))
        forward = cls(np.transpose(np.triu_indices(nodes, 1)), 0, nodes - 1)
        cycle = [(0, 1), (1, 2), (2, 1), (2, 3), (1, 3), (0, 2)]
        return [forward] if n < 6 else [forward, cls(cycle, 0, 3)]

    def __repr__(self) -> str:
        kind = "without cycles" if self.acyclic else "with cycles"
        return (
            f"UnitFlow({self.edges.size} edges between {self.edges.nodes} nodes {kind}, "
            f"from {self.source} to {self.target})"
        )
