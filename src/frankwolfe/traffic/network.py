"""A network of links: where they lead, what they take, and which nodes may not be passed."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from frankwolfe.numerics.arrays import Array, Indices
from frankwolfe.numerics.checks import as_float_array, number
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.kernels import graphs_paths
from frankwolfe.numerics.roads import Roads
from frankwolfe.traffic.costs import InvalidLink, LinkCost

__all__ = ["Network"]


class Network:
    r"""Links with their times, lengths and tolls.

    Parameters
    ----------
    tails, heads : arrays of m labels
        From which node to which each link leads; labels are whole numbers or texts.
    cost : LinkCost
        The times of the links, such as ``BPR(free_flow_time, capacity, b, power)``.
    zones : array of labels, optional
        Nodes where trips begin and end; all nodes by default.
    closed : array of labels, optional
        Nodes that may begin or end a trip and not be passed: in TNTP those below the first
        through node. None by default.
    length, toll : float or array of m numbers
        In the units of the data; they count as far as the factors say.
    toll_factor, distance_factor : float
        What a unit of toll, and of length, costs in units of time: a link's cost is
        :math:`t(x) + \text{toll factor} \cdot \text{toll} + \text{distance factor} \cdot
        \text{length}`.
    nodes : array of labels, optional
        All nodes, where some have no link.
    coordinates : array of shape (nodes, 2), optional
        Where the nodes lie, in the order of :attr:`nodes`; for pictures.

    Attributes
    ----------
    nodes : array
        Labels of the nodes, sorted.
    tails, heads : arrays of m integers
        Places in `nodes`; :attr:`links` has the labels.
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
        tails: Any,
        heads: Any,
        cost: LinkCost,
        *,
        zones: Any = None,
        closed: Any = None,
        length: Any = 0.0,
        toll: Any = 0.0,
        toll_factor: float = 0.0,
        distance_factor: float = 0.0,
        nodes: Any = None,
        coordinates: Any = None,
    ) -> None:
        ends = [_labels("tails", tails), _labels("heads", heads)]
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
        named = [] if nodes is None else [_labels("nodes", nodes)]
        self.nodes = np.unique(np.concatenate([*ends, *named]))
        self.tails, self.heads = (np.searchsorted(self.nodes, labels) for labels in ends)
        self.zones = (
            np.arange(self.nodes.size) if zones is None else np.unique(self.places("zones", zones))
        )
        self.closed = np.zeros(self.nodes.size, dtype=np.bool_)
        if closed is not None and np.size(closed):
            self.closed[self.places("closed", closed)] = True
        self.length, self.toll = (_each("length", length, m), _each("toll", toll, m))
        self.toll_factor = number("toll_factor", toll_factor)
        self.distance_factor = number("distance_factor", distance_factor)
        self.fixed = self.fixed_cost(self.toll_factor, self.distance_factor)
        self.coordinates = None if coordinates is None else self._coordinates(coordinates)

    @property
    def size(self) -> int:
        """How many links there are."""
        return int(self.tails.size)

    @property
    def links(self) -> Any:
        """The labels of both ends of each link, one row a link."""
        return np.stack([self.nodes[self.tails], self.nodes[self.heads]], axis=1)

    def fixed_cost(self, toll_factor: float, distance_factor: float) -> Array:
        """The part of the links' costs that no flow changes, with these factors; >= 0."""
        fixed = toll_factor * self.toll + distance_factor * self.length
        wrong = np.flatnonzero(~(fixed + self.cost.free_flow_time >= 0.0))
        if wrong.size:
            raise InvalidLink(
                int(wrong[0]),
                "its time, toll and length with their factors must make a cost >= 0, got "
                f"{(fixed + self.cost.free_flow_time)[wrong[0]]:g}",
            )
        return fixed

    def cost_of(self, flows: Any) -> Array:
        """What each link costs with these flows: its time, and its fixed part."""
        return self.cost.time(flows) + self.fixed

    def places(self, name: str, labels: Any) -> Indices:
        """The places of labels in `nodes`."""
        labels = _labels(name, labels)
        found: Indices = np.searchsorted(self.nodes, labels)
        found[found == self.nodes.size] = 0
        strange = labels[self.nodes[found] != labels]
        if strange.size:
            raise InvalidInput(f"{name} must be nodes of the network, but {strange[0]} is none.")
        return found

    @cached_property
    def roads(self) -> Roads:
        """The links as compiled loops take them."""
        n = self.nodes.size
        first, order = graphs_paths.leaving(self.tails, n)
        entering_first, entering = graphs_paths.leaving(self.heads, n)
        ends = self.tails, self.heads
        return Roads(*ends, first, order, entering_first, entering, self.closed)

    def _coordinates(self, given: Any) -> Array:
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


def _labels(name: str, given: Any) -> Any:
    labels = np.atleast_1d(np.asarray(given))
    if labels.dtype.kind == "f" and labels.size and np.array_equal(labels, np.rint(labels)):
        labels = labels.astype(np.int64)
    if labels.ndim != 1 or (labels.dtype.kind not in "iuUS" and labels.size):
        raise InvalidInput(
            f"{name} must be a vector of labels, whole numbers or texts, got an array of "
            f"{labels.dtype} and shape {labels.shape}."
        )
    return labels


def _each(name: str, given: Any, m: int) -> Array:
    values = as_float_array(name, given).astype(np.float64)
    if values.shape not in ((), (m,)):
        raise InvalidInput(f"{name} must be one number, or {m}, got shape {values.shape}.")
    wrong = np.flatnonzero(~np.isfinite(np.broadcast_to(values, (m,))))
    if wrong.size:
        raise InvalidLink(int(wrong[0]), f"{name} must be finite")
    return np.broadcast_to(values, (m,)).copy()
