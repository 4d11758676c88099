"""Matchings of the nodes of any graph."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.errors import InvalidInput, MissingExtra
from frankwolfe.core.region_abilities import Accuracy, InexactAtom, OracleMemory
from frankwolfe.regions.graphs.edges import Edges
from frankwolfe.regions.graphs.over_edges import GraphEdges, SubsetHull, shown
from frankwolfe.subproblems.membership import spanning

__all__ = ["Matching"]

COST_BITS = 60  # of the largest cost: rustworkx takes whole numbers
MAX_EXACT_DIAMETER = 20  # edges; above, there are too many matchings to list
MAX_SPANNED = 300  # edges; above, vertices that span the hull cost too many oracle calls


class Matching(SubsetHull):
    r"""The hull of the matchings of a graph: sets of edges of which no two share a node.

    With ``perfect=True`` every node is covered. The oracle is Edmonds' blossom method in
    rustworkx (extra ``graph``). That takes whole numbers, so costs are rounded to 60 bits of the
    largest; what this may cost is part of the certificate. That no matching of the rounded costs
    is better is rustworkx's word, whose multipliers are not to be had.

    Parameters
    ----------
    edges : array of shape (m, 2), tuple of two vectors, sparse matrix or networkx graph
        The edges in the order of the variables, as rows of two whole numbers from 0 on; their
        directions do not matter. Of a sparse adjacency matrix the stored entries, row after row,
        each pair once; of a networkx graph ``graph.edges``.
    n : int, optional
        Number of nodes; by default those that the edges name.
    perfect : bool
        Whether every node must be covered.

    Notes
    -----
    Whether a point lies in the hull is found by Wolfe's algorithm with the oracle. The diameter
    is exact for at most 20 edges; beyond that it is a bound, as two matchings with most edges in
    one of them are hard to find.

    References
    ----------
    J. Edmonds, Maximum matching and a polyhedron with 0,1-vertices, 1965. Z. Galil, Efficient
    algorithms for finding maximum matching in graphs, ACM Computing Surveys 18 (1986).

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> triangle = fw.regions.Matching([(0, 1), (1, 2), (0, 2)])
    >>> triangle.lmo(np.array([-1.0, -3.0, -2.0])).dense(3)
    array([0., 1., 0.])
    >>> triangle.contains([0.5, 0.5, 0.5])       # at most one of the three
    False
    """

    formula = r"x \ge 0,\ x(\delta_v) \le 1,\ x(E(S)) \le (|S| - 1)/2 \text{ for odd } |S|"
    atom = "a matching"
    cost = "at most n^3"
    package = "rustworkx"
    extra = "graph"

    def __init__(self, edges: GraphEdges, n: int | None = None, perfect: bool = False) -> None:
        try:
            import rustworkx
        except ImportError:
            raise MissingExtra("Matching", "rustworkx", "graph") from None
        self.edges = edges if isinstance(edges, Edges) else Edges(edges, n, directed=False)
        self.perfect, self.dimension = bool(perfect), self.edges.size
        ends = np.sort([self.edges.tails, self.edges.heads], axis=0)
        self._pair, first, self._group = np.unique(
            ends[0] * self.edges.nodes + ends[1], return_index=True, return_inverse=True
        )
        self._graph = rustworkx.PyGraph(multigraph=False)
        self._graph.add_nodes_from(range(self.edges.nodes))
        pairs = zip(
            ends[0][first].tolist(), ends[1][first].tolist(), range(first.size), strict=True
        )
        self._graph.add_edges_from(list(pairs))
        if (
            self.perfect
            and 2 * (most := self._best(np.zeros(self.edges.size)).size) < self.edges.nodes
        ):
            raise InvalidInput(
                f"edges must have a perfect matching of the {self.edges.nodes} nodes, but at most "
                f"{2 * most} can be covered: add edges, or use perfect=False."
            )

    def _best(self, g: Array) -> Indices:
        import rustworkx

        cheapest = self._cheapest(g)
        places = COST_BITS - math.frexp(float(np.abs(g).max()))[1]  # by a power of two, exactly
        weights = np.rint(np.ldexp(-g[cheapest], places)).astype(np.int64).tolist()
        found = rustworkx.max_weight_matching(
            self._graph, max_cardinality=self.perfect, weight_fn=weights.__getitem__
        )
        ends = np.sort(np.array(list(found), dtype=np.int64).reshape(-1, 2), axis=1)
        pairs = np.searchsorted(self._pair, ends[:, 0] * self.edges.nodes + ends[:, 1])
        chosen = cheapest[pairs]
        return np.sort(chosen if self.perfect else chosen[g[chosen] < 0.0])

    def _cheapest(self, g: Array) -> Indices:
        """Cheapest of the parallel edges between each pair of nodes, pair after pair."""
        order = np.argsort(self._group, kind="stable")
        if self._pair.size < g.size:
            order = np.lexsort((g, self._group))
        return order[np.searchsorted(self._group[order], np.arange(self._pair.size))]

    def inexact_lmo(self, g: Array, memory: OracleMemory, wanted: Accuracy) -> InexactAtom:
        """Oracle whose error bounds the rounding of n/2 costs in each of two matchings."""
        atom = self.ask(g)
        rounded = self.edges.nodes * float(np.abs(g).max()) * 2.0**-COST_BITS
        return atom, atom.dot(g), 0.0 if shown(g) is not None else rounded

    def diameter(self, n: int) -> float:
        return self._diameter

    @cached_property
    def _diameter(self) -> float:
        if self.edges.size > MAX_EXACT_DIAMETER:
            # two matchings have at most two edges at a node, and so at most half as many in all
            degrees = np.bincount(np.r_[self.edges.tails, self.edges.heads])
            return math.sqrt(float(np.minimum(degrees, 2).sum() // 2))
        sets = self._all(self.edges.size - 1)
        if self.perfect:
            sets = [s for s in sets if 2 * s.bit_count() == self.edges.nodes]
        return math.sqrt(max((a ^ b).bit_count() for a in sets for b in sets))

    def _all(self, last: int) -> list[int]:
        """All matchings of the edges up to `last`, as integers whose bits are edges."""
        if last < 0:
            return [0]
        ends = {int(self.edges.tails[last]), int(self.edges.heads[last])}
        fewer = self._all(last - 1)
        apart = sum(
            1 << e
            for e in range(last)
            if ends.isdisjoint((int(self.edges.tails[e]), int(self.edges.heads[e])))
        )
        return fewer + [s | 1 << last for s in fewer if s & ~apart == 0]

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        tails, heads, nodes = self.edges.tails, self.edges.heads, self.edges.nodes
        full = np.bincount(tails, x, nodes) + np.bincount(heads, x, nodes) - 1.0
        off = max(-float(x.min()), float((np.abs(full) if self.perfect else full).max()), 0.0)
        return off if off > 1e-6 else max(off, self._outside(x))

    def middle(self, n: int) -> Array:
        return self._inner.copy() if self.edges.size <= MAX_SPANNED else self.start(n)

    @cached_property
    def _inner(self) -> Array:
        """Point off all faces: the mean of matchings that span the hull."""
        return np.asarray(spanning(self._vertex, self.edges.size, 1.0).mean(axis=0))

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        """Examples: all edges between some nodes, an odd cycle with a chord, perfect matchings."""
        if n < 6:
            return [cls([(0, 1)]), cls([(0, 1)], perfect=True)]
        nodes = int((1.0 + math.sqrt(1.0 + 8.0 * n)) / 2.0)
        complete = np.transpose(np.triu_indices(nodes, 1))
        odd = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (1, 3)]
        return [cls(complete), cls(odd), cls(complete, perfect=True)][: 3 - nodes % 2]

    def _parts(self) -> list[object]:
        return [self.edges.tails, self.edges.heads, self.edges.nodes, self.perfect]

    def __repr__(self) -> str:
        kind = "perfect, " if self.perfect else ""
        return f"Matching({kind}{self.edges.size} edges between {self.edges.nodes} nodes)"
