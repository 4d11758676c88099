"""Layout of a graph whose nodes have no coordinates."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Floats, Indices

__all__ = ["graph_layout"]

SparseGraph: TypeAlias = Any
"""Symmetric scipy sparse array with the length of each link: SciPy ships no types."""

MAX_PIVOT_PAIRS = 100_000  # nodes times pivots; large graphs get fewer pivots, 30 at least
SWEEPS = 30  # of stress majorization; a picture hardly changes after them
MIN_LENGTH_RATIO = 0.2  # of the median length: shorter links would be drawn as one point


def graph_layout(
    tails: ArrayLike, heads: ArrayLike, count: int, lengths: ArrayLike | None = None
) -> Floats:
    """Coordinates of the nodes in the plane whose distances approximate those along the links.

    A few nodes far apart are pivots; the distances of all nodes from them, along the links in
    either direction, are put into two dimensions by classical scaling, and links are then drawn to
    their lengths. Nothing is random: a graph looks the same every time.

    Parameters
    ----------
    tails, heads : arrays of m integers
        Ends of the links, below `count`.
    count : int
        How many nodes there are.
    lengths : array of m numbers, optional
        Lengths of the links; all 1 by default.

    References
    ----------
    U. Brandes and C. Pich, *Eigensolver methods for progressive multidimensional scaling of large
    data*, Graph Drawing, 2006; J. Zheng, S. Pawar and D. Goodman, *Graph drawing by stochastic
    gradient descent*, IEEE TVCG, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.visual.layout import graph_layout
    >>> places = graph_layout([0, 1, 2], [1, 2, 3], 4)
    >>> np.linalg.norm(np.diff(places, axis=0), axis=1).round(6)      # a path becomes a line
    array([1., 1., 1.])
    """
    tails, heads = np.asarray(tails, dtype=np.int64), np.asarray(heads, dtype=np.int64)
    graph = _graph(tails, heads, _lengths(lengths, tails.size), count)
    from scipy.sparse.csgraph import connected_components

    part = connected_components(graph, directed=False)[1]
    sizes = np.bincount(part)
    places, right = np.zeros((count, 2)), 0.0
    for which in np.argsort(-sizes, kind="stable").tolist():
        if sizes[which] == 1:  # and all that follow: nodes without links
            break
        nodes = np.flatnonzero(part == which)
        own = _one_part(graph[nodes][:, nodes])
        own -= own.min(axis=0)
        places[nodes] = own + np.array([right, 0.0])
        right += float(own[:, 0].max()) + 2.0  # links are about 1 long
    return places


def _one_part(graph: SparseGraph) -> Floats:
    """Coordinates of the nodes of a connected graph."""
    count = graph.shape[0]
    pivots, far = _pivots(graph, min(count, max(30, min(120, MAX_PIVOT_PAIRS // count))))
    return _stretched(_scaled(far), graph, pivots, far)


def _lengths(given: ArrayLike | None, m: int) -> Floats:
    """Lengths of links in units of their median, at least MIN_LENGTH_RATIO."""
    lengths = np.ones(m) if given is None else np.asarray(given, dtype=np.float64)
    some = lengths[lengths > 0.0]
    usual = float(np.median(some)) if some.size else 1.0
    return np.maximum(lengths, MIN_LENGTH_RATIO * usual) / usual


def _graph(tails: Indices, heads: Indices, apart: Floats, count: int) -> SparseGraph:
    """Undirected graph of the links; of parallel ones the shortest, without loops."""
    from scipy.sparse import csr_array

    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    order = np.lexsort((apart, high, low))
    order = order[low[order] != high[order]]
    _, first = np.unique(low[order] * count + high[order], return_index=True)
    kept = order[first]
    ends = np.concatenate([low[kept], high[kept]]), np.concatenate([high[kept], low[kept]])
    return csr_array((np.tile(apart[kept], 2), ends), shape=(count, count))


def _pivots(graph: SparseGraph, most: int) -> tuple[Indices, Floats]:
    """Pivots far from each other, and the distances of all nodes from each, one column a pivot."""
    from scipy.sparse.csgraph import dijkstra

    found, columns = [], []
    nearest = np.full(graph.shape[0], np.inf)
    for _ in range(most):  # the node farthest from all pivots so far is the next
        found.append(int(np.argmax(nearest)))
        columns.append(dijkstra(graph, indices=found[-1]))
        nearest = np.minimum(nearest, columns[-1])
    return np.array(found), np.stack(columns, axis=1)


def _scaled(far: Floats) -> Floats:
    """Coordinates in two dimensions by classical scaling of the distances to pivots."""
    squares = far**2
    centred = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None])
    centred -= 0.5 * squares.mean()
    _, vectors = np.linalg.eigh(centred.T @ centred)
    axes = vectors[:, ::-1][:, :2]
    if axes.shape[1] < 2:
        axes = np.column_stack([axes, np.zeros(len(axes))])
    # eigenvectors have no sign: the largest entry of each is made positive
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0.0, -1.0, 1.0)
    places = centred @ axes
    spread = np.sqrt((places**2).mean() * 2.0)
    true = np.sqrt((far**2).mean() / 2.0)
    return np.asarray(places * (true / spread if spread > 0.0 else 1.0))


def _stretched(places: Floats, graph: SparseGraph, pivots: Indices, far: Floats) -> Floats:
    """Coordinates with less stress Σ (|p_i - p_j| - d_ij)² / d_ij², by sweeps of majorization.

    j runs over neighbours and pivots of i. A sweep moves p_i to the mean, weighted by 1 / d_ij², of
    the points at distance d_ij from p_j in the direction of p_i.
    """
    links = graph.tocoo()
    ends, others, apart = links.row, links.col, links.data
    weights = np.where(far > 0.0, 1.0 / np.where(far > 0.0, far, 1.0) ** 2, 0.0)
    near = 1.0 / apart**2
    whole = (weights.sum(axis=1) + np.bincount(ends, near, len(places)))[:, None]
    for _ in range(SWEEPS):
        wanted = np.empty_like(places)
        dx, dy = (places[:, k, None] - places[pivots, k] for k in (0, 1))
        pull = weights * far / np.maximum(np.hypot(dx, dy), 1e-9)
        step = places[ends] - places[others]
        reach = near * apart / np.maximum(np.hypot(*step.T), 1e-9)
        for k, d in enumerate((dx, dy)):
            wanted[:, k] = weights @ places[pivots, k] + np.einsum("ij,ij->i", pull, d)
            wanted[:, k] += np.bincount(ends, near * places[others, k], len(places))
            wanted[:, k] += np.bincount(ends, reach * step[:, k], len(places))
        places = wanted / whole
    return places
