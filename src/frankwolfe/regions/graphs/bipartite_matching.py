"""Matchings of rows with columns."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Flags, Indices
from frankwolfe.base.checks import at_least_one
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels import shortest_paths as paths
from frankwolfe.core.atoms import Atom, Vertex
from frankwolfe.core.feasibility import rounding, snap_to_bounds, within
from frankwolfe.core.region_abilities import Faces, Formulation
from frankwolfe.core.standard_form.form import StandardForm
from frankwolfe.core.standard_form.lifting import plain
from frankwolfe.regions.graphs.bipartite import BipartiteEdges, read_pairs
from frankwolfe.regions.graphs.min_cost import CapacitatedNetwork, farthest
from frankwolfe.regions.graphs.over_edges import GraphEdges, SubsetHull, wide

__all__ = ["BipartiteMatching"]

MAX_QUICK_FACE_SIDE = 50  # rows and columns together; below, a face costs next to nothing
MAX_FRAME_ENTRIES = 4_000_000  # of the dense equations: 32 MB


class BipartiteMatching(SubsetHull, Faces, Formulation):
    r"""The hull of matchings of rows with columns: at most one pair for each of them.

    With ``perfect=True`` the smaller side is covered: each row has a column where there are no
    more rows than columns, else each column a row. For as many rows as columns, and all pairs
    allowed, this is the `Birkhoff` polytope. The oracle is `linear_sum_assignment` of scipy, or
    `min_weight_full_bipartite_matching` where few pairs are allowed.

    Parameters
    ----------
    rows, columns : int
        How many there are of each, >= 1.
    edges : array of shape (m, 2), tuple (rows, columns) or sparse matrix, optional
        The pairs (row, column) that are allowed, in the order of the variables; of a sparse
        matrix its stored entries, row after row. By default all, row after row.
    perfect : bool
        Whether the smaller side must be covered.

    References
    ----------
    D. F. Crouse, On implementing 2D rectangular assignment algorithms, IEEE Transactions on
    Aerospace and Electronic Systems 52 (2016).

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> cost = np.array([[-4.0, -1.0, 3.0], [-5.0, 2.0, 1.0]])
    >>> fw.regions.BipartiteMatching(2, 3).lmo(cost.ravel()).dense(6).reshape(2, 3)
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """

    formula = r"X \ge 0,\ X1 \le 1,\ X^\top 1 \le 1"
    atom = "a matching of rows and columns"
    cost = "n^3, less where few pairs are allowed"

    def __init__(
        self, rows: int, columns: int, edges: GraphEdges = None, perfect: bool = False
    ) -> None:
        self.rows, self.columns = at_least_one("rows", rows), at_least_one("columns", columns)
        self.perfect = bool(perfect)
        if edges is None:
            cells = np.arange(self.rows * self.columns)
            i, j = np.divmod(cells, self.columns)
        else:
            i, j = read_pairs(edges, self.rows, self.columns)
        self.pairs = BipartiteEdges(i, j, self.rows, self.columns)
        self.dimension = i.size
        smaller = min(self.rows, self.columns)
        if self.perfect and edges is not None and (most := self.pairs.largest()) < smaller:
            raise InvalidInput(
                f"edges must allow a matching of all {smaller} on the smaller side, but at most "
                f"{most} can be matched: add edges, or use perfect=False."
            )

    @property
    def costly_faces(self) -> bool:
        """True above `MAX_QUICK_FACE_SIDE`: each face is an assignment of both sides together."""
        return self.rows + self.columns > MAX_QUICK_FACE_SIDE

    @property
    def _must(self) -> tuple[bool, bool]:
        """Two flags: all rows must be matched, all columns must be matched."""
        return (
            self.perfect and self.rows <= self.columns,
            self.perfect and self.columns <= self.rows,
        )

    def _best(self, g: Array) -> Indices:
        return self.pairs.full(g) if self.perfect else self.pairs.partial(g)

    def diameter(self, n: int) -> float:
        return self._diameter

    @cached_property
    def _diameter(self) -> float:
        """Distance of two matchings that share as few pairs as possible."""
        if not self.pairs.complete:
            return farthest(*self._as_flow())
        least, most = sorted((self.rows, self.columns))
        if most == 1:
            return 0.0 if self.perfect else 1.0
        return math.sqrt(2.0 * least)

    def _as_flow(self) -> tuple[CapacitatedNetwork, Flags]:
        """Flow network with an edge for each pair and one for the unmatched; the pairs' flags."""
        i, j, rows, columns = self.pairs.i, self.pairs.j, self.rows, self.columns
        count, source, target = i.size, rows + columns, rows + columns + 1
        smaller = float(min(rows, columns))
        tails = np.concatenate([i, np.full(rows, source), rows + np.arange(columns), [source]])
        heads = np.concatenate([rows + j, np.arange(rows), np.full(columns, target), [target]])
        supplies = np.zeros(rows + columns + 2)
        supplies[[source, target]] = smaller, -smaller
        capacities = np.ones(tails.size)
        capacities[-1] = 0.0 if self.perfect else smaller
        return CapacitatedNetwork(tails, heads, supplies, capacities), np.arange(tails.size) < count

    def _sums(self, x: Array) -> tuple[Array, Array]:
        """Sums of x over rows, and over columns."""
        i, j, rows, columns = self.pairs.i, self.pairs.j, self.rows, self.columns
        return np.bincount(i, x, rows).astype(float), np.bincount(j, x, columns).astype(float)

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        worst = max(-float(x.min()), 0.0)
        for sums, must in zip(self._sums(x), self._must, strict=True):
            off = sums - 1.0
            worst = max(worst, float((np.abs(off) if must else off).max()))
        return worst

    def reach(self, weights: Array, n: int) -> float:
        each = np.broadcast_to(weights, (n,))
        most = np.zeros(self.rows), np.zeros(self.columns)
        np.maximum.at(most[0], self.pairs.i, each)
        np.maximum.at(most[1], self.pairs.j, each)
        return min(float(side.sum()) for side in most)

    def middle(self, n: int) -> Array:
        return self._inner.copy()

    @cached_property
    def _inner(self) -> Array:
        """Point off all faces: equal shares, or the mean of matchings that show all pairs.

        Pairs that no matching so far has, or all have, are asked for together until nothing
        changes.
        """
        n = self.pairs.i.size
        if self.pairs.complete:
            shares = max(self.rows, self.columns) + (0 if self.perfect else 1)
            return np.full(n, 1.0 / shares)
        found: list[Array] = [self._vertex(np.zeros(n)) if self.perfect else np.zeros(n)]
        while True:
            mean = np.mean(found, axis=0)
            wish = np.where(mean <= 0.0, -1.0, 0.0) + np.where(mean >= 1.0, 1.0, 0.0)
            vertex = self._vertex(wish)
            if not (wish < 0.0).any() and not (wish > 0.0).any():
                return np.asarray(mean)
            if not ((wish < 0.0) & (vertex > 0.0) | (wish > 0.0) & (vertex < 1.0)).any():
                return np.asarray(mean)
            found.append(vertex)

    def standard_form(self, n: int) -> StandardForm | None:
        """Standard form by sums of rows and columns, with slacks for those that may stay free."""
        inner, (row, column) = self._inner, self._must
        free = np.flatnonzero((inner > 1e-9) & (inner < 1.0 - 1e-9))
        nodes = self.rows + self.columns
        slack = np.concatenate([np.full(self.rows, not row), np.full(self.columns, not column)])
        if not free.size or nodes * (free.size + nodes) > MAX_FRAME_ENTRIES:
            return None
        i, j = self.pairs.i[free], self.rows + self.pairs.j[free]
        sums = np.zeros((nodes, free.size))
        sums[i, np.arange(free.size)] = sums[j, np.arange(free.size)] = 1.0
        center = np.where(inner >= 1.0 - 1e-9, 1.0, 0.0)
        totals = 1.0 - np.concatenate(self._sums(center))
        used = np.zeros(nodes, dtype=bool)
        used[i] = used[j] = True
        group = paths.components(i, j, nodes)
        loose = np.zeros(nodes, dtype=bool)
        np.logical_or.at(loose, group, slack)
        keep = used & (loose[group] | (group != np.arange(nodes)))  # else one row follows
        extra = np.eye(nodes)[:, slack & used]
        sums = np.hstack([sums, extra])[keep]
        start = np.concatenate(
            [inner[free], (totals - np.concatenate(self._sums(inner - center)))[slack & used]]
        )
        high = np.full(start.size, np.inf)  # rows and columns bound them
        atoms: list[Atom] = [Vertex(int(e), 1.0) for e in free]
        layout = plain(free.size, start.size)
        low = np.zeros(start.size)
        return StandardForm(atoms, low, high, start, sums, totals[keep], (), center, layout)

    def face_atom(self, g: Array, x: Array) -> Atom:
        """Best matching of pairs where x is not zero that covers what x covers."""
        from scipy.optimize import linear_sum_assignment

        near, nodes = rounding(x), self.rows + self.columns
        cost = np.full((nodes, nodes), np.inf)
        cost[self.rows :, self.columns :] = 0.0
        used = np.flatnonzero(x > near)
        cost[self.pairs.i[used], self.pairs.j[used]] = wide(-g)[used]
        over_rows, over_columns = (sums < 1.0 - nodes * near for sums in self._sums(x))
        for at in np.flatnonzero(over_rows):
            cost[at, self.columns + at] = 0.0
        for at in np.flatnonzero(over_columns):
            cost[self.rows + at, at] = 0.0
        chosen = linear_sum_assignment(cost)[1]
        return self._ones(used[chosen[self.pairs.i[used]] == self.pairs.j[used]], g)

    def snap_to_face(self, x: Array) -> Array:
        return snap_to_bounds(x, 0.0, 1.0, 1.0)

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        step, full = within(x[where], d, 0.0, math.inf), np.zeros(x.size)
        full[where] = d
        for sums, rise, must in zip(self._sums(x), self._sums(full), self._must, strict=True):
            grow = np.flatnonzero(rise > 1e-12)
            if not must and grow.size:
                step = min(step, float(((1.0 - sums[grow]) / rise[grow]).min()))
        return step

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        if n < 4:
            return [cls(1, n), cls(1, n, perfect=True)]
        columns = n // 2
        around = np.repeat(np.arange(columns), 2)
        ring = (around, (around + np.tile([0, 1], columns)) % columns)
        return [cls(2, columns), cls(2, columns, perfect=True), cls(columns, columns, ring)]

    def _parts(self) -> list[object]:
        return [self.pairs.i, self.pairs.j, self.perfect]

    def __repr__(self) -> str:
        kind = "perfect, " if self.perfect else ""
        return (
            f"BipartiteMatching({self.rows} rows with {self.columns} columns, {kind}"
            f"{self.dimension} pairs)"
        )
