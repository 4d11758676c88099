"""Networks with known equilibria (Braess, parallel links, Sioux Falls), and random grids."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.traffic.costs import BPR, AffineCost
from frankwolfe.apps.traffic.network import Network
from frankwolfe.apps.traffic.sioux_falls import sioux_falls
from frankwolfe.apps.traffic.trips import Trips
from frankwolfe.base import Array, Indices, InvalidInput, at_least_one, number

__all__ = ["braess", "grid", "parallel_links", "sioux_falls"]

STREET, AVENUE, MOTORWAY = 0, 1, 2
SPEED = np.array([0.6, 0.8, 1.2])  # blocks a minute
CAPACITY = np.array([800.0, 1800.0, 4000.0])  # vehicles an hour
ROAD_SPACING = {AVENUE: 4, MOTORWAY: 16}  # one row or column in so many is of that kind
MAX_ZONE_LOAD = 1.6  # most trips that begin or end at a zone, over the capacity of its links


def braess(*, shortcut: bool = True) -> tuple[Network, Trips]:
    """Braess' network: six trips from 1 to 4, with a road between 3 and 2, or without.

    With it each trip takes 92, without it 83.

    References
    ----------
    D. Braess, *Über ein Paradoxon aus der Verkehrsplanung*, Unternehmensforschung, 1968.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> traffic.braess()
    (Network(4 nodes, 5 links, 4 zones), Trips(6 from 1 origins, 1 pairs))
    """
    links = np.array(
        [  # from, to, time when empty, and what a vehicle adds to it
            (1, 3, 0.0, 10.0),
            (1, 2, 50.0, 1.0),
            (3, 2, 10.0, 1.0),
            (3, 4, 50.0, 1.0),
            (2, 4, 0.0, 10.0),
        ]
    )
    tails, heads, times, slopes = links.T if shortcut else np.delete(links, 2, axis=0).T
    places = [[0.0, 1.0], [1.0, 0.0], [1.0, 2.0], [2.0, 1.0]]
    network = Network(tails, heads, AffineCost(times, slopes), coordinates=places)
    return network, Trips([1], [4], [6.0])


def parallel_links(
    free_flow_time: ArrayLike = (1.0, 2.0), slope: ArrayLike = 0.1, trips: float = 20.0
) -> tuple[Network, Trips]:
    r"""Parallel links from 1 to 2, with affine times :math:`t_a + s_a x`.

    The links that are used take the same time t, and :math:`\sum_a \max(t - t_a, 0) / s_a` is
    the number of trips.

    Parameters
    ----------
    free_flow_time, slope : float or array
        Parameters of :class:`AffineCost`.
    trips : float
        Number of trips from 1 to 2.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> network, trips = traffic.parallel_links([1.0, 2.0, 9.0], 0.1, trips=20.0)
    >>> r = traffic.equilibrium(network, trips, tol=1e-12)
    >>> r.flows.round(6), r.costs.round(6)
    (array([15.,  5.,  0.]), array([2.5, 2.5, 9. ]))
    """
    cost = AffineCost(free_flow_time, slope)
    ends = np.ones(cost.size, dtype=np.int64)
    return Network(ends, 2 * ends, cost), Trips([1], [2], [number("trips", trips, low=0.0)])


def grid(
    rows: int, columns: int, zones: int | None = None, seed: int = 0, *, congestion: float = 0.8
) -> tuple[Network, Trips]:
    """A city of two-way streets, avenues and motorways in rows and columns, with its trips.

    Nodes are numbered from 1, zones first. Trips between zones fall off with their distance, and
    are so many that links are used to their capacity as `congestion` says, on average; fewer
    where the links at a zone could not carry what begins or ends there.

    Parameters
    ----------
    rows, columns : int
        Rows and columns of nodes: there are ``4 rows columns - 2 rows - 2 columns`` links.
    zones : int, optional
        Number of nodes that are zones, spread evenly; a tenth by default, and 2 at least.
    seed : int
        Seed of the random numbers.
    congestion : float
        Flow over capacity on average, by length.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> network, trips = traffic.grid(10, 10, zones=12)
    >>> network
    Network(100 nodes, 360 links, 12 zones)
    >>> traffic.equilibrium(network, trips, tol=1e-6).success
    True
    """
    shape = (at_least_one("rows", rows), at_least_one("columns", columns))
    n = shape[0] * shape[1]
    count = min(max(2, n // 10), n) if zones is None else at_least_one("zones", zones)
    if n < 2 or not 2 <= count <= n:
        raise InvalidInput(
            f"a grid must have 2 nodes at least, and 2 to {n} of them as zones, got {shape[0]} x "
            f"{shape[1]} and {count} zones."
        )
    rng = np.random.default_rng(seed)
    at = _zones(shape, count, rng)
    names = np.empty(n, dtype=np.int64)
    order = np.concatenate([at, np.setdiff1d(np.arange(n), at)])
    names[order] = np.arange(1, n + 1)
    y, x = np.divmod(np.arange(n), shape[1])
    places = np.stack([x, y], axis=1) + rng.uniform(-0.2, 0.2, (n, 2))
    tails, heads, kinds = _streets(shape)
    length = np.linalg.norm(places[heads] - places[tails], axis=1)
    capacity = CAPACITY[kinds] * rng.uniform(0.8, 1.2, kinds.size)
    network = Network(
        names[tails],
        names[heads],
        BPR(length / SPEED[kinds], capacity),
        zones=np.arange(1, count + 1),
        length=length,
        coordinates=places[order],
    )
    return network, _trips(network, number("congestion", congestion, low=0.0), rng)


def _zones(shape: tuple[int, int], count: int, rng: np.random.Generator) -> Indices:
    """Nodes that are zones: one, drawn at random, in each of `count` patches of the grid."""
    rows, columns = shape
    high = min(rows, max(1, math.ceil(math.sqrt(count * rows / columns))))
    wide = min(columns, math.ceil(count / high))
    high = math.ceil(count / wide)
    row, column = np.divmod(rng.permutation(high * wide)[:count], wide)
    y = rng.integers(row * rows // high, (row + 1) * rows // high)
    x = rng.integers(column * columns // wide, (column + 1) * columns // wide)
    return np.asarray(y * columns + x)


def _streets(shape: tuple[int, int]) -> tuple[Indices, Indices, Indices]:
    """Tails, heads and kinds of all streets between neighbours, in both directions."""
    node = np.arange(shape[0] * shape[1]).reshape(shape)
    across = np.stack([node[:, :-1].ravel(), node[:, 1:].ravel(), _kinds(shape, 0)])
    along = np.stack([node[:-1].ravel(), node[1:].ravel(), _kinds(shape, 1)])
    one = np.concatenate([across, along], axis=1)  # direction; the other has tail and head swapped
    tails, heads, kinds = np.concatenate([one, one[[1, 0, 2]]], axis=1)
    return tails, heads, kinds


def _kinds(shape: tuple[int, int], axis: int) -> Indices:
    """Kind of each street along a row (axis 0) or along a column (axis 1)."""
    kinds = np.full(shape[axis], STREET)
    for kind, every in ROAD_SPACING.items():
        kinds[every // 2 :: every] = kind
    if axis == 0:
        return np.repeat(kinds, shape[1] - 1)
    return np.tile(kinds, shape[0] - 1)


def _trips(network: Network, congestion: float, rng: np.random.Generator) -> Trips:
    """Trips by a gravity law, scaled to a mean flow of `congestion` times the capacity."""
    zones, places = network.zones, network.coordinates
    assert places is not None
    capacity, nodes = network.cost.capacity, network.nodes.size
    ends = (network.tails, network.heads)
    room = np.stack([np.bincount(end, capacity, nodes)[zones] for end in ends])
    busy = room * rng.uniform(0.5, 1.5, room.shape)
    away: Array = np.abs(places[zones, None] - places[None, zones]).sum(axis=2)  # along streets
    some = np.outer(busy[0], busy[1]) * np.exp(-away / away.mean())
    np.fill_diagonal(some, 0.0)
    # Σ capacity·length is the vehicle distance that full links carry; trips cover Σ some·away.
    scale = congestion * capacity.dot(network.length) / np.vdot(some, away)
    most = max((some.sum(axis=1) / room[0]).max(), (some.sum(axis=0) / room[1]).max())
    return Trips.of_matrix(min(scale, MAX_ZONE_LOAD / most) * some, zones=network.nodes[zones])
