"""Checked edge lists of graphs, from arrays, sparse matrices and networkx graphs."""

from __future__ import annotations

import sys
from typing import Any, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Indices, Matrix
from frankwolfe.base.checks import at_least_one, is_sparse
from frankwolfe.base.errors import InvalidInput

__all__ = ["Edges"]

MAX_NODES_PER_EDGE = 100  # more, and the numbers given are no numbers of nodes from 0 on
FORMS = (
    "an array of shape (m, 2), a tuple (tails, heads), a scipy sparse adjacency matrix or a "
    "networkx graph"
)


GivenEdges: TypeAlias = Any
"""Edges in any of the forms of `Edges`; networkx and SciPy have no types."""

Node: TypeAlias = Any
"""The name that a caller gives to a node: an integer, or any key of a networkx graph."""


class Edges:
    """Edges between nodes 0, ..., nodes - 1: variable i belongs to edge i.

    Parameters
    ----------
    given : array of shape (m, 2), tuple of two vectors, sparse matrix or networkx graph
        Rows (tail, head), or the tuple (tails, heads), in the order of the variables. Of a sparse
        matrix the stored entries, row after row and by columns in a row; where `directed` is
        False those on one side of the diagonal are enough, and an entry below it whose mirror
        image is stored too is left out. Of a networkx graph ``graph.edges``, and its nodes are
        called by their names.
    n : int, optional
        Number of nodes; by default as many as the edges name.
    directed : bool
        False if an edge may be used in both directions.

    Examples
    --------
    >>> from frankwolfe.regions.graphs.edges import Edges
    >>> edges = Edges([(0, 1), (1, 2), (0, 2)])
    >>> edges.nodes, edges.size, edges.tails, edges.heads
    (3, 3, array([0, 1, 0]), array([1, 2, 2]))
    """

    def __init__(self, given: GivenEdges, n: int | None = None, *, directed: bool = True) -> None:
        self._names: dict[Node, int] | None = None
        tails, heads, nodes = self._read(given, directed)
        if n is not None and at_least_one("n", n) < nodes:
            raise InvalidInput(f"n must be at least {nodes}, the nodes that edges name, got {n}.")
        self.tails, self.heads = tails, heads
        self.nodes = nodes if n is None else int(n)
        loops = np.flatnonzero(tails == heads)
        if loops.size:
            e = int(loops[0])
            raise InvalidInput(f"edge {e} must not lead from node {tails[e]} to itself: drop it.")

    @property
    def size(self) -> int:
        """Number of edges."""
        return self.tails.size

    def node(self, name: str, value: Node) -> int:
        """Number of a node that the caller has named; `name` is the argument's, for errors."""
        if self._names is not None:
            try:
                return self._names[value]
            except (KeyError, TypeError):
                raise InvalidInput(f"{name} must be a node of the graph, got {value!r}.") from None
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or not 0 <= value < self.nodes:
            raise InvalidInput(f"{name} must be a node from 0 to {self.nodes - 1}, got {value!r}.")
        return int(value)

    def _read(self, given: GivenEdges, directed: bool) -> tuple[Indices, Indices, int]:
        """Tails, heads and the number of nodes of edges in any form."""
        networkx = sys.modules.get("networkx")  # loaded, if the caller has a graph of it
        if networkx is not None and isinstance(given, networkx.Graph):
            return self._from_networkx(given, directed)
        if is_sparse(given):
            return _from_sparse(given, directed)
        pairs = given if isinstance(given, tuple) and len(given) == 2 else None
        rows = np.asarray(_whole(given) if pairs is None else _whole(_alike(*pairs)).T)
        if rows.ndim != 2 or rows.shape[1] != 2 or not rows.size:
            raise InvalidInput(f"edges must be {FORMS}, got an array of shape {rows.shape}.")
        if rows.min() < 0:
            raise InvalidInput(f"edges must name nodes from 0 on, got {rows.min()}.")
        nodes = int(rows.max()) + 1
        if nodes > MAX_NODES_PER_EDGE * len(rows) + 1_000_000:
            raise InvalidInput(
                f"edges must name nodes without large gaps, but {len(rows)} edges name node "
                f"{nodes - 1}: number the nodes from 0 on (numpy.unique, return_inverse=True)."
            )
        tails, heads = np.ascontiguousarray(rows.T)
        return tails, heads, nodes

    def _from_networkx(self, graph: GivenEdges, directed: bool) -> tuple[Indices, Indices, int]:
        """Tails, heads and the number of nodes of a networkx graph, whose names are kept."""
        if directed and not graph.is_directed():
            raise InvalidInput(
                "edges must have directions, but the networkx graph has none: "
                "pass graph.to_directed()."
            )
        if not graph.number_of_edges():
            raise InvalidInput("edges must not be empty, but the networkx graph has none.")
        self._names = {name: v for v, name in enumerate(graph.nodes)}
        ends = [(self._names[u], self._names[v]) for u, v in graph.edges()]
        tails, heads = np.ascontiguousarray(np.array(ends, dtype=np.int64).T)
        return tails, heads, len(self._names)


def _alike(tails: GivenEdges, heads: GivenEdges) -> list[GivenEdges]:
    """List of tails and heads, checked to be two vectors of one length."""
    if np.ndim(tails) != 1 or np.ndim(heads) != 1 or len(tails) != len(heads):
        raise InvalidInput(
            "edges given as a tuple must be two vectors (tails, heads) of one length, got shapes "
            f"{np.shape(tails)} and {np.shape(heads)}."
        )
    return [tails, heads]


def _whole(given: GivenEdges) -> Indices:
    """Array of integers, or an error that names the accepted forms."""
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "iu" and not (array.dtype.kind == "f" and array.size == 0):
            raise TypeError
    except (TypeError, ValueError):
        raise InvalidInput(
            f"edges must be {FORMS} with whole numbers for nodes, got {type(given).__name__}."
        ) from None
    return array.astype(np.int64)


def _from_sparse(matrix: Matrix, directed: bool) -> tuple[Indices, Indices, int]:
    """Tails, heads and the number of nodes of a sparse adjacency matrix."""
    rows, columns = matrix.shape
    if rows != columns or not matrix.nnz:
        raise InvalidInput(
            "edges given as a sparse matrix must be a square one with entries, got shape "
            f"{matrix.shape} with {matrix.nnz}."
        )
    table = matrix.tocsr().copy()
    table.sum_duplicates()  # sorts the columns of each row as well
    tails = np.repeat(np.arange(rows), np.diff(table.indptr))
    heads = table.indices.astype(np.int64)
    if not directed:
        there = set((tails[tails < heads] * rows + heads[tails < heads]).tolist())
        keep = np.array(
            [u <= v or v * rows + u not in there for u, v in zip(tails, heads, strict=True)]
        )
        tails, heads = tails[keep], heads[keep]
    return tails.astype(np.int64), heads, rows
