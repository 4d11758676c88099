"""Bipartite matchings of least cost, by scipy's dense or sparse method."""

from __future__ import annotations

import numpy as np

from frankwolfe.base.arrays import Array, Indices, Matrix
from frankwolfe.base.checks import is_sparse
from frankwolfe.base.errors import InvalidInput

__all__ = ["BipartiteEdges", "read_pairs"]

MIN_SPARSE_RATIO = 8  # cells of the matrix for each pair; above, the sparse method is quicker


def read_pairs(edges: Matrix, rows: int, columns: int) -> tuple[Indices, Indices]:
    """Rows and columns of allowed pairs, given as an array, a tuple (i, j), or a sparse matrix."""
    if is_sparse(edges):
        if edges.shape != (rows, columns):
            raise InvalidInput(f"edges must have shape {(rows, columns)}, got {edges.shape}.")
        table = edges.tocsr().copy()
        table.sum_duplicates()
        return np.repeat(np.arange(rows), np.diff(table.indptr)), table.indices.astype(np.int64)
    two = isinstance(edges, tuple) and len(edges) == 2
    try:
        array = np.asarray(edges).T if not two else np.asarray([edges[0], edges[1]])
    except ValueError:
        array = np.empty(0)
    if array.ndim != 2 or len(array) != 2 or not array.size or array.dtype.kind not in "iu":
        raise InvalidInput(
            "edges must be an array of pairs (row, column), a tuple (rows, columns) or a sparse "
            "matrix, with whole numbers."
        )
    i, j = array.astype(np.int64)
    if i.min() < 0 or j.min() < 0 or i.max() >= rows or j.max() >= columns:
        raise InvalidInput(f"edges must join rows below {rows} with columns below {columns}.")
    if np.unique(i * columns + j).size < i.size:
        raise InvalidInput("edges must be different pairs, but some come twice.")
    return i, j


class BipartiteEdges:
    """The pairs (i, j) that may be matched, one for each variable, and matchings of least cost."""

    def __init__(self, i: Indices, j: Indices, rows: int, columns: int) -> None:
        self.i, self.j, self.rows, self.columns = i, j, rows, columns
        self.dense = rows * columns <= MIN_SPARSE_RATIO * i.size
        self._sorted: tuple[Matrix, Indices] | None = None
        self._place = np.full((rows, columns), -1) if self.dense else None
        if self._place is not None:
            self._place[i, j] = np.arange(i.size)
        self.complete = i.size == rows * columns and bool((i * columns + j == range(i.size)).all())

    def full(self, g: Array) -> Indices:
        """Pairs of a least-cost matching among those that cover the smaller side."""
        return self._assigned(g, np.inf) if self.dense else self._sparse(g, free=False)

    def partial(self, g: Array) -> Indices:
        """Pairs of a least-cost matching of any size."""
        if not self.dense:
            return self._sparse(g, free=True)
        found = self._assigned(np.minimum(g, 0.0), 0.0)
        return found[(found >= 0) & (g[found] < 0.0)]

    def largest(self) -> int:
        """Size of a maximum matching."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_bipartite_matching

        shape = (self.rows, self.columns)
        graph = csr_array((np.ones(self.i.size), (self.i, self.j)), shape=shape)
        return int((maximum_bipartite_matching(graph) >= 0).sum())

    def _assigned(self, g: Array, other: float) -> Indices:
        """Pairs of a least-cost assignment, in order; -1 for cells that are not allowed."""
        from scipy.optimize import linear_sum_assignment

        assert self._place is not None
        if self.complete:
            cost = g.reshape(self.rows, self.columns)
        else:
            cost = np.full((self.rows, self.columns), other)
            cost[self.i, self.j] = g
        return np.sort(self._place[linear_sum_assignment(cost)])

    def _sparse(self, g: Array, *, free: bool) -> Indices:
        """Pairs of a least-cost matching, by scipy's sparse method.

        Where `free`, each row has a column of its own at which it may stay unmatched. All
        matchings that are compared have equally many pairs, so that costs may be shifted: the
        method takes zeros for pairs that are not there.
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import min_weight_full_bipartite_matching

        table, order = self._table(free)
        costs = np.concatenate([np.minimum(g, 0.0), np.zeros(self.rows)]) if free else g
        low, high = float(costs.min()), float(costs.max())
        costs = costs[order] + ((high - low or 1.0) - low)
        graph = csr_array((costs, table.indices, table.indptr), shape=table.shape)
        at, to = min_weight_full_bipartite_matching(graph)
        partner = np.full(self.rows, -1)
        partner[at] = to
        chosen = np.flatnonzero(partner[self.i] == self.j)
        return chosen[g[chosen] < 0.0] if free else chosen

    def _table(self, free: bool) -> tuple[Matrix, Indices]:
        """Sparse matrix of the pairs and the rows' own columns; the variable of each entry."""
        if self._sorted is None:
            from scipy.sparse import csr_array

            own = np.arange(self.rows) if free else np.empty(0, dtype=np.int64)
            i, j = np.concatenate([self.i, own]), np.concatenate([self.j, self.columns + own])
            shape = (self.rows, self.columns + own.size)
            table = csr_array((np.arange(i.size), (i, j)), shape=shape)
            table.sort_indices()
            self._sorted = table, table.data.copy()
        return self._sorted
