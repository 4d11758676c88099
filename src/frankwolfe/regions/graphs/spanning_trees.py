"""Trees that connect all nodes of a graph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels import shortest_paths as paths
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.region_abilities import ExactBound
from frankwolfe.regions.graphs.edges import Edges
from frankwolfe.regions.graphs.over_edges import GraphEdges, SubsetHull
from frankwolfe.regions.graphs.unions import most_in_two
from frankwolfe.regions.kernels import cuts

__all__ = ["SpanningTrees"]

SORTED_PER_NODE = 2  # edges sorted first; a tree has one a node, so few of the others are left open
MAX_EXACT_DIAMETER = 100  # edges; above, the union of two trees costs too much
MAX_RESISTANCE_NODES = 3000  # above, the inverse Laplacian for the mean tree is too large
CLEARLY_OUTSIDE = 1e-6  # by bounds and sum alone: then cuts, which cost more, are not asked


class SpanningTrees(SubsetHull, ExactBound):
    r"""The hull of the spanning trees of a graph, as sets of edges.

    The oracle is Kruskal's method: the edges are sorted by cost, of any sign, and each that
    closes no cycle is taken.

    Parameters
    ----------
    edges : array of shape (m, 2), tuple of two vectors, sparse matrix or networkx graph
        The edges in the order of the variables, as rows of two whole numbers from 0 on; their
        directions do not matter. Of a sparse adjacency matrix the stored entries, row after row,
        each pair once; of a networkx graph ``graph.edges``.
    n : int, optional
        Number of nodes; by default those that the edges name.

    Notes
    -----
    Whether a point lies in the hull is found by a least cut for each node (Padberg and Wolsey).
    The diameter is exact for at most 100 edges (two trees that share as few edges as possible);
    beyond, it is the bound :math:`\sqrt{2 \min(n - 1, m - n + 1)}`, which two trees without a
    common edge attain. `middle` is the mean of all trees, by effective resistances.

    References
    ----------
    J. B. Kruskal, On the shortest spanning subtree of a graph, 1956. M. W. Padberg, L. A. Wolsey,
    Trees and cuts, Annals of Discrete Mathematics 17 (1983).

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> trees = fw.regions.SpanningTrees([(0, 1), (1, 2), (0, 2), (2, 3)])
    >>> trees.lmo(np.array([3.0, -1.0, 2.0, 5.0])).dense(4)
    array([0., 1., 1., 1.])
    """

    formula = r"x \ge 0,\ x(E) = n - 1,\ x(E(S)) \le |S| - 1"
    atom = "a spanning tree"
    cost = "m log m"

    def __init__(self, edges: GraphEdges, n: int | None = None) -> None:
        self.edges = edges if isinstance(edges, Edges) else Edges(edges, n, directed=False)
        self.dimension = self.edges.size
        parts = self.edges.nodes - self._best(np.zeros(self.edges.size)).size
        if parts > 1:
            raise InvalidInput(
                f"edges must connect all {self.edges.nodes} nodes, but they leave {parts} parts: "
                "no tree spans them."
            )

    def _best(self, g: Array) -> Indices:
        """Cheapest tree by Kruskal: the cheapest edges first, then what they leave open."""
        tails, heads, nodes = self.edges.tails, self.edges.heads, self.edges.nodes
        chosen, parent, few = (
            np.zeros(g.size, dtype=bool),
            np.arange(nodes),
            SORTED_PER_NODE * nodes,
        )
        edges = np.arange(g.size)
        if g.size > 2 * few:
            level = np.partition(g, few)[few]
            cheap = np.flatnonzero(g <= level)
            paths.forest(cheap[np.argsort(g[cheap], kind="stable")], tails, heads, parent, chosen)
            edges = paths.between_trees(np.flatnonzero(g > level), tails, heads, parent)
        paths.forest(edges[np.argsort(g[edges], kind="stable")], tails, heads, parent, chosen)
        return np.flatnonzero(chosen)

    def least(self, g: Doubled) -> Fraction:
        chosen, parent = np.zeros(self.edges.size, dtype=bool), np.arange(self.edges.nodes)
        paths.forest(g.order(), self.edges.tails, self.edges.heads, parent, chosen)
        tree = np.flatnonzero(chosen)
        return g.at(tree).total().low - tree.size * g.slack

    def diameter(self, n: int) -> float:
        return self._diameter

    @cached_property
    def _diameter(self) -> float:
        size, rank = self.edges.size, self.edges.nodes - 1
        union = (
            most_in_two(size, self._is_forest)
            if size <= MAX_EXACT_DIAMETER
            else min(2 * rank, size)
        )
        return math.sqrt(2.0 * (union - rank))

    def _is_forest(self, chosen: Sequence[int]) -> bool:
        """True if these edges contain no cycle."""
        places = np.array(chosen, dtype=np.int64)
        marks, parent = np.zeros(self.edges.size, dtype=bool), np.arange(self.edges.nodes)
        count = paths.forest(places, self.edges.tails, self.edges.heads, parent, marks)
        return bool(count == places.size)

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        nodes = self.edges.nodes
        off = max(abs(float(x.sum()) / (nodes - 1) - 1.0), -float(x.min()), float(x.max()) - 1.0)
        if not off <= CLEARLY_OUTSIDE:
            return off
        worst = cuts.worst_subset(np.maximum(x, 0.0), self.edges.tails, self.edges.heads, nodes)
        return max(off, float(worst))

    def middle(self, n: int) -> Array:
        return self._mean.copy() if self.edges.nodes <= MAX_RESISTANCE_NODES else self.start(n)

    @cached_property
    def _mean(self) -> Array:
        """The mean of all spanning trees: how often an edge is in one is its resistance."""
        tails, heads, nodes = self.edges.tails, self.edges.heads, self.edges.nodes
        laplacian = np.zeros((nodes, nodes))
        np.add.at(laplacian, (tails, heads), -1.0)
        laplacian += laplacian.T
        laplacian -= np.diag(laplacian.sum(axis=1))
        inverse = np.linalg.inv(laplacian + 1.0 / nodes)
        own = inverse.diagonal()
        x = own[tails] + own[heads] - 2.0 * inverse[tails, heads]
        return np.asarray(x * ((nodes - 1) / x.sum()))

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        """Examples: all edges between some nodes, and a cycle."""
        nodes = max(2, int((1.0 + math.sqrt(1.0 + 8.0 * n)) / 2.0))
        complete = cls(np.transpose(np.triu_indices(nodes, 1)))
        cycle = np.arange(n)
        return [complete] if n < 2 else [complete, cls((cycle, (cycle + 1) % n))]

    def _parts(self) -> list[object]:
        return [self.edges.tails, self.edges.heads, self.edges.nodes]

    def __repr__(self) -> str:
        return f"SpanningTrees({self.edges.size} edges between {self.edges.nodes} nodes)"
