"""Where the nodes of a graph may be drawn when nobody knows where they lie."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["graph_layout"]

Floats: TypeAlias = NDArray[np.float64]
PAIRS = 100_000  # of nodes and pivots, up to which each node sees many pivots
SWEEPS = 30
LEAST = 0.2  # of the median length: what is shorter is drawn as if it had this


def graph_layout(tails: Any, heads: Any, count: int, lengths: Any = None) -> Floats:
    """Places of the nodes in the plane, such that ways along the links look as long as they are.

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


def _one_part(graph: Any) -> Floats:
    """Places of nodes that all hang together."""
    count = graph.shape[0]
    pivots, far = _pivots(graph, min(count, max(30, min(120, PAIRS // count))))
    return _stretched(_scaled(far), graph, pivots, far)


def _lengths(given: Any, m: int) -> Floats:
    lengths = np.ones(m) if given is None else np.asarray(given, dtype=np.float64)
    some = lengths[lengths > 0.0]
    usual = float(np.median(some)) if some.size else 1.0
    return np.maximum(lengths, LEAST * usual) / usual


def _graph(tails: Any, heads: Any, apart: Floats, count: int) -> Any:
    """Links in both directions; of several the shortest."""
    from scipy.sparse import csr_array

    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    order = np.lexsort((apart, high, low))
    order = order[low[order] != high[order]]
    _, first = np.unique(low[order] * count + high[order], return_index=True)
    kept = order[first]
    ends = np.concatenate([low[kept], high[kept]]), np.concatenate([high[kept], low[kept]])
    return csr_array((np.tile(apart[kept], 2), ends), shape=(count, count))


def _pivots(graph: Any, most: int) -> tuple[Any, Floats]:
    """Nodes that are far from each other, and the distances of all nodes from each, a column."""
    from scipy.sparse.csgraph import dijkstra

    found, columns = [], []
    nearest = np.full(graph.shape[0], np.inf)
    for _ in range(most):
        found.append(int(np.argmax(nearest)))
        columns.append(dijkstra(graph, indices=found[-1]))
        nearest = np.minimum(nearest, columns[-1])
    return np.array(found), np.stack(columns, axis=1)


def _scaled(far: Floats) -> Floats:
    """Two coordinates from distances to pivots."""
    squares = far**2
    centred = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None])
    centred -= 0.5 * squares.mean()
    _, vectors = np.linalg.eigh(centred.T @ centred)
    axes = vectors[:, ::-1][:, :2]
    if axes.shape[1] < 2:
        axes = np.column_stack([axes, np.zeros(len(axes))])
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0.0, -1.0, 1.0)
    places = centred @ axes
    spread = np.sqrt((places**2).mean() * 2.0)
    true = np.sqrt((far**2).mean() / 2.0)
    return np.asarray(places * (true / spread if spread > 0.0 else 1.0))


def _stretched(places: Floats, graph: Any, pivots: Any, far: Floats) -> Floats:
    """Places with less stress: each node where its neighbours and the pivots want it, on average.

    One of them wants it at its own distance in the direction where it is, and counts by the
    inverse square of that distance.
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
