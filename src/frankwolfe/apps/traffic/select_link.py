"""Who uses a link: the trips, and where else they go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from frankwolfe.apps.everyday.answer import ResultRecord
from frankwolfe.apps.traffic.kernels import bush_paths
from frankwolfe.apps.traffic.network import Network
from frankwolfe.apps.traffic.skims import kept_bushes
from frankwolfe.apps.traffic.trips import Trips
from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.errors import InvalidInput

if TYPE_CHECKING:
    from frankwolfe.apps.traffic.result import Equilibrium

__all__ = ["SelectedLinks", "link_places", "select_link"]


@dataclass(frozen=True, eq=False, repr=False)
class SelectedLinks(ResultRecord):
    """The trips that use chosen links; see :meth:`Equilibrium.select_link`.

    Attributes
    ----------
    trips : Trips
        Those of all classes that use the links, in vehicles.
    matrix : array of shape (zones, zones)
        The same, from the zone of a row to that of a column.
    flows : array of m numbers
        The flow of these trips on every link, all classes together, weighted.
    share : float
        Which part of all trips between zones they are.
    links : tuple of arrays of integers
        The places of the chosen links, an array for each that was asked for.
    zones : array of labels
        Of the rows and columns of `matrix`.
    class_trips : tuple of Trips
        The trips by class.
    class_flows : array of shape (classes, m)
        The flows of each class, in its own vehicles.
    """

    trips: Trips
    matrix: Array
    flows: Array
    share: float
    links: tuple[Indices, ...] = field(repr=False)
    zones: Any = field(repr=False)
    class_trips: tuple[Trips, ...] = field(repr=False)
    class_flows: Array = field(repr=False)


def select_link(result: Equilibrium, links: Any, use: str) -> SelectedLinks:
    """See :meth:`Equilibrium.select_link`."""
    network, demand = result.network, result.demand
    if use not in ("any", "all"):
        raise InvalidInput(f"use must be 'any' or 'all', got {use!r}.")
    chosen = link_places(network, links)
    bushes = kept_bushes(result, "select_link")
    group = np.zeros(network.size, dtype=np.int64)
    for number, places in enumerate(chosen, start=1):
        group[places] = number if use == "all" else 1
    groups = int(group.max())
    parts, flows = np.zeros(demand.ends.size), np.zeros((len(demand.classes), network.size))
    bush_paths.select(network.roads, demand.blocks, bushes.kept, group, groups, parts, flows)
    weights = np.array([each.weight for each in demand.classes])
    trips = _trips_by_class(result, parts)
    whole = _joined(trips)
    everyone = float((demand.amounts / weights[_class_of_trips(result)]).sum())
    labels = network.nodes[network.zones]
    return SelectedLinks(
        trips=whole,
        matrix=whole.matrix(labels),
        flows=flows.sum(axis=0),
        share=whole.total / everyone if everyone else 0.0,
        links=chosen,
        zones=labels,
        class_trips=trips,
        class_flows=flows / weights[:, None],
    )


def _class_of_trips(result: Equilibrium) -> Indices:
    return np.repeat(result.demand.of, np.diff(result.demand.starts))


def _trips_by_class(result: Equilibrium, parts: Array) -> tuple[Trips, ...]:
    demand, nodes = result.demand, result.network.nodes
    origins = np.repeat(demand.origins, np.diff(demand.starts))
    of, out = _class_of_trips(result), []
    for k, each in enumerate(demand.classes):
        mine = np.flatnonzero((of == k) & (parts > 0.0))
        amounts = parts[mine] * demand.amounts[mine] / each.weight
        out.append(Trips(nodes[origins[mine]], nodes[demand.ends[mine]], amounts))
    return tuple(out)


def _joined(several: tuple[Trips, ...]) -> Trips:
    return Trips(
        np.concatenate([each.origins for each in several]),
        np.concatenate([each.destinations for each in several]),
        np.concatenate([each.amounts for each in several]),
    )


def link_places(network: Network, given: Any) -> tuple[Indices, ...]:
    """The links meant by numbers and pairs of ends, an array for each."""
    if isinstance(given, tuple) and len(given) == 2 and not any(map(_is_pair, given)):
        given = [given]  # the two ends of one
    elif isinstance(given, np.ndarray) and given.ndim == 2:
        given = [tuple(row) for row in given.tolist()]
    elif not isinstance(given, Iterable) or isinstance(given, str):
        given = [given]
    found: dict[bytes, Indices] = {}
    for each in given:
        places = _between(network, *each) if _is_pair(each) else _numbered(network, each)
        found[places.tobytes()] = places
    if not found:
        raise InvalidInput("links must name at least one link.")
    return tuple(found.values())


def _is_pair(each: Any) -> bool:
    return isinstance(each, tuple | list | np.ndarray) and len(each) == 2


def _between(network: Network, tail: Any, head: Any) -> Indices:
    """All links from one node to another."""
    ends = network.places("links", np.array([tail])), network.places("links", np.array([head]))
    places = np.flatnonzero((network.tails == ends[0]) & (network.heads == ends[1]))
    if not places.size:
        raise InvalidInput(f"links must be of the network, but none leads from {tail} to {head}.")
    return places


def _numbered(network: Network, each: Any) -> Indices:
    whole = isinstance(each, int | np.integer) and not isinstance(each, bool)
    if not whole or not 0 <= each < network.size:
        raise InvalidInput(
            f"links must be numbers from 0 to {network.size - 1}, or pairs (from, to) of nodes, "
            f"got {each!r}."
        )
    return np.array([each], dtype=np.int64)
