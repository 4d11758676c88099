"""Flows that carry supplies through capacities."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Indices, Shape
from frankwolfe.base.checks import as_float_array, finite_vector
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels import shortest_paths as paths
from frankwolfe.core.atoms import Atom
from frankwolfe.core.region_abilities import Accuracy, InexactAtom
from frankwolfe.regions.graphs.edges import Edges
from frankwolfe.regions.graphs.flows import NetworkFlows
from frankwolfe.regions.graphs.min_cost import Tree
from frankwolfe.regions.graphs.over_edges import GraphEdges, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["MinCostFlow"]

BALANCE_TOL = 1e-12  # of the largest supply, for each node: a sum of supplies this small is zero
MISSING_TOL = 1e-9  # of the largest supply: what may find no way by rounding


class MinCostFlow(NetworkFlows):
    r"""Flows that carry supplies to demands within the capacities of edges.

    The oracle finds a flow of least cost by the network simplex method; in a run it goes on from
    the tree of the call before. The certificate counts what the prices of the nodes leave open,
    so that it holds even where the method was stopped early.

    Parameters
    ----------
    edges : array of shape (m, 2), tuple (tails, heads), sparse matrix or networkx graph
        The directed edges in the order of the variables, as rows (tail, head) of whole numbers
        from 0 on. Of a sparse adjacency matrix these are its stored entries, row after row; of a
        networkx graph ``graph.edges``.
    supplies : array, or dict from nodes to numbers
        What leaves each node beyond what enters it: positive for sources, negative for demands.
        They sum to zero; a node that a dict leaves out has none.
    capacities : float or array
        Most flow on each edge, >= 0. It may be infinite on edges that make no cycle.

    Notes
    -----
    The diameter is exact where each flow is 0 or one common capacity in every edge, as where all
    capacities are 1 and the supplies whole. Elsewhere it is an upper bound: the largest distance
    is the maximum of a convex function over flows, which is hard to find.

    References
    ----------
    W. H. Cunningham, A network simplex method, Mathematical Programming 11 (1976).

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> pipes = fw.regions.MinCostFlow([(0, 1), (0, 2), (1, 2)], [3.0, 0.0, -3.0], [3.0, 2.0, 3.0])
    >>> pipes.lmo(np.array([1.0, 1.0, 1.0])).dense(3)
    array([1., 2., 1.])
    """

    formula = r"0 \le x \le u,\ x(\delta^+_v) - x(\delta^-_v) = b_v"
    atom = "a flow along a tree, edges beside it empty or full"
    cost = "pivots of m + n, few after the first call"

    def __init__(
        self,
        edges: GraphEdges,
        supplies: ArrayLike | Mapping[Any, float],
        capacities: ArrayLike = math.inf,
    ) -> None:
        graph = edges if isinstance(edges, Edges) else Edges(edges)
        supply = _balanced(graph, supplies)
        limits = _bounded(graph, _capacities(graph, capacities), supply)
        size = float(np.abs(supply).max()) or float(limits.max())
        self._set(graph, supply, limits, size or 1.0)
        if self._network.missing > MISSING_TOL * self.size:
            total = float(supply[supply > 0.0].sum())
            raise InvalidInput(
                f"supplies must find a way through the capacities, but of {total:g} that "
                f"{self._network.missing:g} cannot: raise capacities or add edges."
            )

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        seen = shown(g)
        if seen is not None:
            return seen
        return self._atom(self._network.cheapest(g.astype(np.float64, copy=False))[0], g.dtype)

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> Tree:
        return self._network.tree()

    def inexact_lmo(self, g: Array, memory: Tree, wanted: Accuracy) -> InexactAtom:
        """Oracle from the tree of the last call; its prices bound the minimum."""
        seen = shown(g)
        if seen is not None:
            return seen, seen.dot(g), 0.0
        flow, _, over = self._network.cheapest(g.astype(np.float64, copy=False), memory)
        atom = self._atom(flow, g.dtype)
        return atom, atom.dot(g), over

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        """Examples: two units between any two of some nodes, and stages of edges side by side."""
        if n < 6:
            return [cls([(0, 1)] * min(n, 2), [1.0, -1.0], 1.0)]
        nodes = int((1.0 + math.sqrt(1.0 + 8.0 * n)) / 2.0)
        supplies = np.zeros(nodes)
        supplies[[0, -1]] = 2.0, -2.0
        forward = np.transpose(np.triu_indices(nodes, 1))
        stages = [(0, 1)] * 3 + [(1, 2)] * 3
        return [
            cls(forward, supplies, 2.0),
            cls(stages, [3.0, 0.0, -3.0], [3.0, 1.0, 2.0, 1.5, 1.5, 3.0]),
        ]

    def __repr__(self) -> str:
        total = float(self.supplies[self.supplies > 0.0].sum())
        return (
            f"MinCostFlow({self.edges.size} edges between {self.edges.nodes} nodes, "
            f"{total:g} to carry, capacities up to {self.capacities.max():g})"
        )


def _balanced(graph: Edges, supplies: ArrayLike | Mapping[Any, float]) -> Array:
    """Supply of each node, checked to sum to zero."""
    if isinstance(supplies, Mapping):
        vector = np.zeros(graph.nodes)
        for name, value in supplies.items():
            vector[graph.node("a node of supplies", name)] = value
        supplies = vector
    vector = finite_vector("supplies", supplies, graph.nodes).astype(np.float64)
    total = float(vector.sum())
    if abs(total) > BALANCE_TOL * vector.size * float(np.abs(vector).max()):
        raise InvalidInput(f"supplies must sum to zero, but they sum to {total:g}.")
    return vector


def _capacities(graph: Edges, capacities: ArrayLike) -> Array:
    """Capacity of each edge, checked to be >= 0."""
    given = as_float_array("capacities", capacities).astype(np.float64)
    if given.ndim and given.shape != (graph.size,):
        raise InvalidInput(
            f"capacities must be a number or have {graph.size} entries, one an edge, got an array "
            f"of shape {given.shape}."
        )
    each = np.array(np.broadcast_to(given, (graph.size,)))
    if not (each >= 0.0).all():
        raise InvalidInput("capacities must be >= 0, but some are negative or NaN.")
    return each


def _bounded(graph: Edges, capacities: Array, supplies: Array) -> Array:
    """Finite capacities that allow the same flows: no larger than what can flow at most.

    A flow is made of paths, which carry no more than all supplies, and of cycles, each of which
    has an edge of finite capacity.
    """
    total = float(supplies[supplies > 0.0].sum())
    if _acyclic(graph, np.arange(graph.size)):
        return np.minimum(capacities, total)
    endless = np.flatnonzero(np.isinf(capacities))
    if not _acyclic(graph, endless):
        raise InvalidInput(
            "capacities must be finite on some edge of each cycle, but a cycle of edges has none: "
            "the flows are unbounded, and a cycle of negative cost has no least flow."
        )
    most = total + float(capacities[np.isfinite(capacities)].sum())
    return np.minimum(capacities, most)


def _acyclic(graph: Edges, edges: Indices) -> bool:
    """True if these edges contain no directed cycle."""
    tails, heads = graph.tails[edges], graph.heads[edges]
    in_order = paths.topological(heads, *paths.leaving(tails, graph.nodes))
    return bool(in_order.size == edges.size)
