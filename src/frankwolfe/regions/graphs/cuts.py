"""Sets of edges that separate two nodes."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels import shortest_paths as paths
from frankwolfe.core.atoms import Atom, Vertex
from frankwolfe.core.region_abilities import Accuracy, Formulation, InexactAtom, OracleMemory
from frankwolfe.core.standard_form.form import StandardForm
from frankwolfe.core.standard_form.lifting import plain
from frankwolfe.regions.graphs.edges import Edges
from frankwolfe.regions.graphs.min_cost import stretch
from frankwolfe.regions.graphs.over_edges import GraphEdges, SubsetHull, shown, wide
from frankwolfe.regions.kernels import cuts

__all__ = ["Cuts"]

MAX_FRAME_ENTRIES = 4_000_000  # of the dense equations: 32 MB


class Cuts(SubsetHull, Formulation):
    r"""The hull of the sets of edges without which no path leads from a source to a target.

    These are the lengths d between 0 and 1 for which every path from s to t is at least 1 long:
    :math:`d_{uv} \ge p_u - p_v` for potentials p with :math:`p_s = 1` and :math:`p_t = 0`. The
    oracle takes all edges of negative cost, and a least cut of the others, by a largest flow
    (Dinic) with real capacities; its certificate is the value of that flow.

    Parameters
    ----------
    edges : array of shape (m, 2), tuple (tails, heads), sparse matrix or networkx graph
        The edges in the order of the variables, as rows (tail, head) of whole numbers from 0 on.
        Of a sparse adjacency matrix these are its stored entries, row after row; of a networkx
        graph ``graph.edges``.
    source, target : int, or the name of a node of a networkx graph
        What is to be separated.
    directed : bool
        Whether paths must follow the edges from tail to head.

    References
    ----------
    L. R. Ford, D. R. Fulkerson, Flows in Networks, 1962. E. A. Dinic, Soviet Mathematics Doklady
    11 (1970).

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> cuts = fw.regions.Cuts([(0, 1), (0, 2), (1, 3), (2, 3), (1, 2)], source=0, target=3)
    >>> cuts.lmo(np.array([2.0, 3.0, 5.0, 1.0, 1.0])).dense(5)
    array([1., 0., 0., 1., 0.])
    """

    formula = r"0 \le d \le 1,\ d_{uv} \ge p_u - p_v,\ p_s = 1,\ p_t = 0"
    atom = "a set of edges that holds a cut"
    cost = "a largest flow"

    def __init__(
        self, edges: GraphEdges, source: Hashable, target: Hashable, directed: bool = True
    ) -> None:
        self.edges = edges if isinstance(edges, Edges) else Edges(edges, directed=directed)
        self.source = self.edges.node("source", source)
        self.target = self.edges.node("target", target)
        self.directed = bool(directed)
        if self.source == self.target:
            raise InvalidInput(f"target must not be the source, got {target!r} for both.")
        self.dimension, tails, heads = self.edges.size, self.edges.tails, self.edges.heads
        self._network = cuts.arcs_of(tails, heads, self.edges.nodes)
        self._tails = tails if directed else np.concatenate([tails, heads])
        self._heads = heads if directed else np.concatenate([heads, tails])
        self._first, self._order = paths.leaving(self._tails, self.edges.nodes)
        if not math.isfinite(self._far(np.zeros(self.dimension))):
            raise InvalidInput(
                f"edges must lead from the source {source!r} to the target {target!r}, but no "
                "path does: there is nothing to cut."
            )
        self._direct = (tails == self.source) & (heads == self.target)
        if not directed:
            self._direct |= (heads == self.source) & (tails == self.target)

    def _far(self, lengths: Array) -> float:
        """Length of a shortest path from source to target."""
        return float(self._distances(lengths)[self.target])

    def _distances(self, lengths: Array) -> Array:
        """Length of a shortest path from the source to each node."""
        each = lengths if self.directed else np.tile(lengths, 2)
        far: Array = paths.dijkstra(each, self._heads, self._first, self._order, self.source, -1)[0]
        return far

    def _cut(self, g: Array) -> tuple[Indices, float]:
        """Cheapest set of edges, and the value of the flow that proves it the cheapest."""
        left = np.empty(2 * g.size)
        left[::2] = np.maximum(g, 0.0)
        left[1::2] = 0.0 if self.directed else left[::2]
        value, side = cuts.max_flow(*self._network, left, self.source, self.target)
        across = side[self._tails] & ~side[self._heads]
        if not self.directed:
            across = across[: g.size] | across[g.size :]
        return np.flatnonzero(across | (g < 0.0)), float(value)

    def _best(self, g: Array) -> Indices:
        return self._cut(g)[0]

    def inexact_lmo(self, g: Array, memory: OracleMemory, wanted: Accuracy) -> InexactAtom:
        """Oracle with the bound of the largest flow: no cut of edges >= 0 costs less."""
        seen = shown(g)
        if seen is not None:
            return seen, seen.dot(g), 0.0
        costs = wide(g)
        chosen, flow = self._cut(costs)
        over = float(costs[chosen[costs[chosen] > 0.0]].sum()) - flow
        atom = self._ones(chosen, g)
        return atom, atom.dot(g), max(over, 0.0) * stretch(g)

    def diameter(self, n: int) -> float:
        """Distance of two sets that share only the edges straight from s to t, which all hold."""
        return math.sqrt(float(self.edges.size - self._direct.sum()))

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        off = max(-float(x.min()), float(x.max()) - 1.0, 0.0)
        return max(off, 1.0 - self._far(np.maximum(x, 0.0))) if off < 1.0 else off

    def reach(self, weights: Array, n: int) -> float:
        return float(np.broadcast_to(weights, (n,)).sum())

    def start(self, n: int) -> Array:
        return np.ones(n)

    def _hops(self) -> Array:
        """Fewest edges from the source to each node, without those straight from s to t."""
        lengths = np.where(self._direct, np.inf, 1.0)
        return self._distances(lengths)

    def middle(self, n: int) -> Array:
        fewest = min(float(self._hops()[self.target]), 2.0 * n)
        return np.where(self._direct, 1.0, 0.5 + 0.5 / max(fewest, 2.0))

    def standard_form(self, n: int) -> StandardForm | None:
        """Standard form in lengths d, potentials p, and slacks d_uv - p_u + p_v."""
        free = np.flatnonzero(~self._direct)
        if not self.directed:
            free = np.concatenate([free, n + free])
        rows, nodes = free.size, self.edges.nodes
        edges = np.flatnonzero(~self._direct)
        size = edges.size + nodes + rows
        if not rows or rows * size > MAX_FRAME_ENTRIES:
            return None
        sums = np.zeros((rows, size))
        at, place = np.arange(rows), np.tile(np.arange(edges.size), 1 if self.directed else 2)
        sums[at, place] = 1.0
        np.add.at(sums, (at, edges.size + self._tails[free]), -1.0)
        np.add.at(sums, (at, edges.size + self._heads[free]), 1.0)
        sums[at, edges.size + nodes + at] = -1.0
        keep = np.ones(size, dtype=bool)
        keep[[edges.size + self.source, edges.size + self.target]] = False
        totals = -sums[:, edges.size + self.source]
        sums = np.ascontiguousarray(sums[:, keep])
        start = np.concatenate([self.middle(n)[edges], self._potentials(), np.zeros(rows)])[keep]
        start[-rows:] = sums[:, :-rows] @ start[:-rows] - totals
        high = np.where(np.arange(start.size) < start.size - rows, 1.0, np.inf)
        atoms: list[Atom] = [Vertex(int(e), 1.0) for e in edges]
        layout, center = plain(edges.size, start.size), np.where(self._direct, 1.0, 0.0)
        low = np.zeros(start.size)
        return StandardForm(atoms, low, high, start, sums, totals, (), center, layout)

    def _potentials(self) -> Array:
        """Potentials that fall by equal steps from the source, between 0 and 1 elsewhere."""
        hops = self._hops()
        fewest = min(max(float(hops[self.target]), 2.0), 2.0 * self.edges.size)
        return np.asarray(1.0 - np.minimum(hops, fewest - 0.5) / fewest)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        """Examples: all edges forward between some nodes, and a ladder whose edges go both ways."""
        nodes = max(2, int((1.0 + math.sqrt(1.0 + 8.0 * n)) / 2.0))
        forward = cls(np.transpose(np.triu_indices(nodes, 1)), 0, nodes - 1)
        ladder = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 4)]
        return [forward] if n < 6 else [forward, cls(ladder, 0, 4, directed=False)]

    def _parts(self) -> list[object]:
        return [self.edges.tails, self.edges.heads, self.edges.nodes]

    def __repr__(self) -> str:
        kind = "directed edges" if self.directed else "edges"
        return (
            f"Cuts({self.edges.size} {kind} between {self.edges.nodes} nodes, "
            f"{self.source} from {self.target})"
        )
