"""Road network: links with their ends, times, lengths and tolls; zones; nodes not to be passed."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.traffic.link_cost import InvalidLink, LinkCost
from frankwolfe.apps.traffic.roads import RoadGraph
from frankwolfe.base import AnyArray, Array, Flags, Indices, InvalidInput, as_float_array, number
from frankwolfe.base.kernels import shortest_paths as graphs_paths

__all__ = ["Network"]

MAX_EXACT_INTEGER = 2.0**53  # from here on doubles skip whole numbers, and two labels may be one


class Network:
    r"""Directed network of links with times, lengths and tolls.

    Parameters
    ----------
    tails, heads : arrays of m labels
        Node where each link begins, and where it ends; labels are whole numbers or texts.
    cost : LinkCost
        The times of the links, such as ``BPR(free_flow_time, capacity, b, power)``.
    zones : array of labels, optional
        Nodes where trips begin and end; all nodes by default.
    closed : array of labels, optional
        Nodes that may begin or end a trip and not be passed: in TNTP those below the first
        through node. None by default.
    length, toll : float or array of m numbers
        Length and toll of each link, in any units; the factors turn them into time.
    toll_factor, distance_factor : float
        What a unit of toll, and of length, costs in units of time: a link's cost is
        :math:`t(x) + \text{toll factor} \cdot \text{toll} + \text{distance factor} \cdot
        \text{length}`.
    nodes : array of labels, optional
        All nodes, where some have no link.
    coordinates : array of shape (nodes, 2), optional
        Where the nodes lie, in the order of ``nodes``; for pictures.

    Attributes
    ----------
    nodes : array
        Labels of the nodes, sorted.
    tails : array of m integers
        Where links begin: places in `nodes`; :attr:`links` has the labels.
    heads : array of m integers
        Where they end.
    zones : array of integers
        Places of the zones in `nodes`.
    closed : array of booleans
        By node.
    fixed : array of m numbers
        The part of a link's cost that no flow changes: tolls and lengths times their factors.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> cost = traffic.BPR([10.0, 15.0, 5.0], [2.0, 4.0, 4.0])
    >>> network = traffic.Network([1, 1, 2], [2, 3, 3], cost)
    >>> network
    Network(3 nodes, 3 links, 3 zones)
    >>> network.links[2]
    array([2, 3])
    """

    def __init__(
        self,
        tails: ArrayLike,
        heads: ArrayLike,
        cost: LinkCost,
        *,
        zones: ArrayLike | None = None,
        closed: ArrayLike | None = None,
        length: ArrayLike = 0.0,
        toll: ArrayLike = 0.0,
        toll_factor: float = 0.0,
        distance_factor: float = 0.0,
        nodes: ArrayLike | None = None,
        coordinates: ArrayLike | None = None,
    ) -> None:
        ends = [_labels("tails", tails), _labels("heads", heads, like=tails)]
        m = ends[0].size
        if not m or ends[1].size != m:
            raise InvalidInput(
                "tails and heads must name the two ends of each link, got "
                f"{m} tails and {ends[1].size} heads."
            )
        if not isinstance(cost, LinkCost):
            raise InvalidInput(
                f"cost must be times of links such as BPR(...), got {type(cost).__name__}."
            )
        if cost.size != m:
            raise InvalidInput(f"cost must have {m} links, as tails has, got {cost.size}.")
        self.cost = cost
        named = [] if nodes is None else [_labels("nodes", nodes, like=ends[0])]
        self.nodes = np.unique(np.concatenate([*ends, *named]))
        self.tails, self.heads = (np.searchsorted(self.nodes, labels) for labels in ends)
        self.zones = (
            np.arange(self.nodes.size) if zones is None else np.unique(self.places("zones", zones))
        )
        self.closed: Flags = np.zeros(self.nodes.size, dtype=np.bool_)
        if closed is not None and np.size(closed):
            self.closed[self.places("closed", closed)] = True
        self.length, self.toll = (_each("length", length, m), _each("toll", toll, m))
        self.toll_factor = number("toll_factor", toll_factor)
        self.distance_factor = number("distance_factor", distance_factor)
        self.fixed = self.fixed_cost(self.toll_factor, self.distance_factor)
        self.coordinates = None if coordinates is None else self._coordinates(coordinates)

    @property
    def size(self) -> int:
        """Number of links."""
        return int(self.tails.size)

    @property
    def links(self) -> AnyArray:
        """Labels of both ends of each link, one row a link."""
        return np.stack([self.nodes[self.tails], self.nodes[self.heads]], axis=1)

    def fixed_cost(self, toll_factor: float, distance_factor: float) -> Array:
        """Flow-independent part of each link's cost, toll and length times these factors."""
        with np.errstate(all="ignore"):  # an overflow is refused below, with the link
            fixed = toll_factor * self.toll + distance_factor * self.length
            empty = fixed + self.cost.free_flow_time
        wrong = np.flatnonzero(~((empty >= 0.0) & np.isfinite(empty)))
        if wrong.size:
            raise InvalidLink(
                int(wrong[0]),
                "its time, toll and length with their factors must make a finite cost >= 0, got "
                f"{empty[wrong[0]]:g}",
            )
        return fixed

    def cost_of(self, flows: ArrayLike) -> Array:
        """Cost of each link at these flows: its time plus `fixed`."""
        return self.cost.time(flows) + self.fixed

    def congestion(self, flows: ArrayLike) -> Array:
        """Time over free-flow time of each link; infinite where the latter alone is 0.

        Examples
        --------
        >>> from frankwolfe import traffic
        >>> traffic.Network([1], [2], traffic.BPR(10.0, 100.0)).congestion([100.0])
        array([1.15])
        """
        time, empty = self.cost.time(flows), self.cost.free_flow_time
        slower = np.divide(time, empty, out=np.full(self.size, np.inf), where=empty > 0.0)
        return np.where(time > empty, slower, 1.0)

    def saturation(self, flows: ArrayLike) -> Array:
        """Flow over capacity of each link; NaN where the time is constant: it has no capacity.

        Examples
        --------
        >>> from frankwolfe import traffic
        >>> cost = traffic.BPR([10.0, 5.0], [100.0, 50.0], [0.15, 0.0])
        >>> traffic.Network([1, 2], [2, 1], cost).saturation([80.0, 80.0])
        array([0.8, nan])
        """
        used, capacity = as_float_array("flows", flows), self.cost.capacity
        changes = self.cost.time(2.0 * capacity) > self.cost.free_flow_time
        return np.where(changes, used / capacity, np.nan)

    def places(self, name: str, labels: ArrayLike) -> Indices:
        """Indices of labels in `nodes`; `name` is the argument that errors speak of."""
        labels = _labels(name, labels, like=self.nodes)
        found: Indices = np.searchsorted(self.nodes, labels)
        found[found == self.nodes.size] = 0
        strange = labels[self.nodes[found] != labels]
        if strange.size:
            raise InvalidInput(f"{name} must be nodes of the network, but {strange[0]} is none.")
        return found

    @cached_property
    def roads(self) -> RoadGraph:
        """Links in the form that compiled loops take, sorted by tail and by head."""
        n = self.nodes.size
        first, order = graphs_paths.leaving(self.tails, n)
        entering_first, entering = graphs_paths.leaving(self.heads, n)
        ends = self.tails, self.heads
        return RoadGraph(*ends, first, order, entering_first, entering, self.closed)

    def _coordinates(self, given: ArrayLike) -> Array:
        """Coordinates of the nodes, checked."""
        found = as_float_array("coordinates", given)
        if found.shape != (self.nodes.size, 2) or not np.isfinite(found).all():
            raise InvalidInput(
                f"coordinates must be finite, of shape ({self.nodes.size}, 2), got shape "
                f"{found.shape}."
            )
        return found

    def __repr__(self) -> str:
        shut = f", {self.closed.sum()} of them not to be passed" if self.closed.any() else ""
        return (
            f"Network({self.nodes.size:,} nodes, {self.size:,} links, {self.zones.size:,} zones"
            f"{shut})"
        )


def _labels(name: str, given: ArrayLike, like: ArrayLike | None = None) -> AnyArray:
    """Labels as a vector of whole numbers or texts, of the kind of `like` where that is given."""
    try:
        labels = np.atleast_1d(np.asarray(given))
    except ValueError:  # a ragged list: refused below
        labels = np.empty((0, 0), dtype=object)
    if (
        labels.dtype.kind == "f"
        and (np.abs(labels) < MAX_EXACT_INTEGER).all()
        and (labels % 1 == 0.0).all()
    ):
        labels = labels.astype(np.int64)
    if labels.ndim != 1 or (labels.dtype.kind not in "iuUS" and labels.size):
        raise InvalidInput(
            f"{name} must be a vector of labels, whole numbers or texts, got an array of "
            f"{labels.dtype} and shape {labels.shape}."
        )
    texts = None if like is None else np.asarray(like).dtype.kind in "US"
    if labels.size and texts is not None and (labels.dtype.kind in "US") != texts:
        raise InvalidInput(
            f"{name} must be {'texts' if texts else 'whole numbers'}, as the network's other "
            f"labels are, got {labels[0]!r}."
        )
    return labels


def _each(name: str, given: ArrayLike, m: int) -> Array:
    """A finite number for each of m links; one number is for all."""
    values = as_float_array(name, given).astype(np.float64)
    if values.shape not in ((), (m,)):
        raise InvalidInput(f"{name} must be one number, or {m}, got shape {values.shape}.")
    wrong = np.flatnonzero(~np.isfinite(np.broadcast_to(values, (m,))))
    if wrong.size:
        raise InvalidLink(int(wrong[0]), f"{name} must be finite")
    return np.broadcast_to(values, (m,)).copy()
