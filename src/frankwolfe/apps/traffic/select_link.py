"""Select-link analysis: the trips that use chosen links, and their flows elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

import numpy as np

from frankwolfe.apps.everyday import ResultRecord
from frankwolfe.apps.traffic.kernels import bush_paths
from frankwolfe.apps.traffic.network import Network
from frankwolfe.apps.traffic.skims import kept_bushes
from frankwolfe.apps.traffic.trips import Trips
from frankwolfe.base import AnyArray, Array, Indices, InvalidInput

if TYPE_CHECKING:
    from frankwolfe.apps.traffic.result import Equilibrium

__all__ = ["LinkChoice", "SelectedLinks", "link_places", "select_link"]

LinkChoice: TypeAlias = int | tuple[object, object] | Iterable[int | tuple[object, object]]
"""Links by index or as a pair of nodes (from, to), which means all links between these; several."""


@dataclass(frozen=True, eq=False, repr=False)
class SelectedLinks(ResultRecord):
    """Trips that use chosen links: the result of :meth:`Equilibrium.select_link`.

    Attributes
    ----------
    trips : Trips
        Trips of all classes that use the links, in vehicles.
    matrix : array of shape (zones, zones)
        These trips, from the zone of a row to that of a column.
    flows : array of m numbers
        Flow of these trips on every link: the weighted sum over classes.
    share : float
        Fraction of all trips between zones.
    links : tuple of arrays of integers
        Indices of the chosen links, an array for each choice.
    zones : array of labels
        Labels of the rows and columns of `matrix`.
    class_trips : tuple of Trips
        These trips by class.
    class_flows : array of shape (classes, m)
        Flows of these trips by class, in its own vehicles.
    """

    trips: Trips
    matrix: Array
    flows: Array
    share: float
    links: tuple[Indices, ...] = field(repr=False)
    zones: AnyArray = field(repr=False)
    class_trips: tuple[Trips, ...] = field(repr=False)
    class_flows: Array = field(repr=False)


def select_link(result: Equilibrium, links: LinkChoice, use: str) -> SelectedLinks:
    """Trips that use chosen links; :meth:`Equilibrium.select_link` describes the arguments."""
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
    """Class of each trip of the demand."""
    return np.repeat(result.demand.of, np.diff(result.demand.starts))


def _trips_by_class(result: Equilibrium, parts: Array) -> tuple[Trips, ...]:
    """Trips of each class in its vehicles, where a fraction `parts` of each is selected."""
    demand, nodes = result.demand, result.network.nodes
    origins = np.repeat(demand.origins, np.diff(demand.starts))
    of, out = _class_of_trips(result), []
    for k, each in enumerate(demand.classes):
        mine = np.flatnonzero((of == k) & (parts > 0.0))
        amounts = parts[mine] * demand.amounts[mine] / each.weight
        out.append(Trips(nodes[origins[mine]], nodes[demand.ends[mine]], amounts))
    return tuple(out)


def _joined(several: tuple[Trips, ...]) -> Trips:
    """Trips of all classes in one list."""
    return Trips(
        np.concatenate([each.origins for each in several]),
        np.concatenate([each.destinations for each in several]),
        np.concatenate([each.amounts for each in several]),
    )


def link_places(network: Network, given: LinkChoice) -> tuple[Indices, ...]:
    """Indices of the links meant by indices and pairs of ends, an array for each."""
    if isinstance(given, tuple) and len(given) == 2 and not any(map(_is_pair, given)):
        given = [given]  # the two ends of one link
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


def _is_pair(each: object) -> TypeGuard[Iterable[object]]:
    """True for the two ends of a link."""
    return isinstance(each, tuple | list | np.ndarray) and len(each) == 2


def _between(network: Network, tail: object, head: object) -> Indices:
    """Indices of all links from one node to another."""
    ends = network.places("links", np.array([tail])), network.places("links", np.array([head]))
    places = np.flatnonzero((network.tails == ends[0]) & (network.heads == ends[1]))
    if not places.size:
        raise InvalidInput(f"links must be of the network, but none leads from {tail} to {head}.")
    return places


def _numbered(network: Network, each: object) -> Indices:
    """Index of a link, checked, as an array of one."""
    if (
        isinstance(each, bool)
        or not isinstance(each, int | np.integer)
        or not 0 <= each < network.size
    ):
        raise InvalidInput(
            f"links must be numbers from 0 to {network.size - 1}, or pairs (from, to) of nodes, "
            f"got {each!r}."
        )
    return np.array([each], dtype=np.int64)
