"""Equilibrium with elastic demand: the number of trips falls with their cost."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from frankwolfe.apps.traffic.bush_memory import Bushes
from frankwolfe.apps.traffic.elastic_demand import ElasticDemand
from frankwolfe.apps.traffic.equilibrium import equilibrium
from frankwolfe.apps.traffic.link_cost import LinkCost
from frankwolfe.apps.traffic.network import Network
from frankwolfe.apps.traffic.result import Equilibrium
from frankwolfe.apps.traffic.skims import zone_sums
from frankwolfe.apps.traffic.trips import Demand, Trips, UserClass
from frankwolfe.base import Array, Indices, InvalidInput
from frankwolfe.methods import Method
from frankwolfe.solver import StoppingRule

if TYPE_CHECKING:
    import os

    from frankwolfe.solver import Callbacks


__all__ = ["ElasticEquilibrium", "elastic_equilibrium"]

MAX_TRIPS_RATIO = 1e9
"""Most trips on empty roads for one given; more, and sums of doubles lose flows of other pairs."""


@dataclass(frozen=True, eq=False, repr=False)
class ElasticEquilibrium(Equilibrium):
    """The outcome of :func:`frankwolfe.apps.traffic.elastic_equilibrium`.

    It has what :class:`Equilibrium` has, for the trips that are made. `fun` is Beckmann's
    function of the network with a link for those who stay at home, `gap` how far it may be above
    the minimum, and `relative_gap` counts staying as a choice of way: what all who would go on
    empty roads could save, as a share of what they spend or forgo.

    Attributes
    ----------
    trips : Trips
        The trips that are made.
    consumer_surplus : float
        Area between the demand function and the cost, over the trips made: what travellers would
        have paid on top of what they do.
    """

    trips: Trips
    consumer_surplus: float


def elastic_equilibrium(
    network: Network,
    trips: Trips,
    demand: ElasticDemand,
    *,
    tol: float = 1e-6,
    system_optimum: bool = False,
    method: Method | str | None = None,
    max_iter: int = 1000,
    stop: StoppingRule | None = None,
    callback: Callbacks = None,
    resume: str | os.PathLike[str] | None = None,
) -> ElasticEquilibrium:
    r"""The user equilibrium when fewer trips are made the more they cost.

    Those who stay at home are a flow, too: each pair of zones gets a link of its own whose cost
    is that at which so many stay, and an equilibrium of this larger network is one of both
    choices.

    Parameters
    ----------
    network : Network
        The links.
    trips : Trips
        The trips at the reference cost of the demand; each pair once. Where no way leads, nobody
        goes.
    demand : ElasticDemand
        How many go at other costs: :class:`LinearDemand` or :class:`ExponentialDemand`.
    tol, system_optimum, method, max_iter, stop, callback, resume
        See :func:`equilibrium`. The system optimum maximizes what trips are worth to those who
        make them, less their times.

    Returns
    -------
    ElasticEquilibrium
        The attributes of :class:`Equilibrium`, with the ``trips`` that are made and the
        ``consumer_surplus``.

    References
    ----------
    N. H. Gartner, *Optimal traffic assignment with elastic demands: a review*, Transportation
    Science, 1980.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> network, trips = traffic.braess()
    >>> demand = traffic.LinearDemand(highest=184.0, reference=92.0)
    >>> today = traffic.elastic_equilibrium(network, trips, demand, tol=1e-12)
    >>> round(today.trips.total, 6)                           # at 92 they are as given
    6.0
    >>> network, trips = traffic.braess(shortcut=False)
    >>> better = traffic.elastic_equilibrium(network, trips, demand, tol=1e-12)
    >>> round(better.trips.total, 3), round(float(better.skims().matrix()[0, 3]), 3)
    (6.432, 85.376)
    """
    larger = _larger(network, trips, demand, system_optimum)
    result = equilibrium(
        larger.network, larger.trips, tol=tol, method=method, max_iter=max_iter, stop=stop,
        callback=callback, resume=resume,
    )  # fmt: skip
    return _answer(network, larger, result, system_optimum)


class _Larger(NamedTuple):
    """Network with its own links, those to new nodes, and those of the trips not made, in order."""

    network: Network
    trips: Trips  # as many as would go on empty roads, sorted by their ends
    node: Indices  # the original node of each node
    given: Array  # the trips at the reference cost
    demand: ElasticDemand


def _larger(network: Network, trips: Trips, demand: ElasticDemand, system_optimum: bool) -> _Larger:
    """The network whose fixed-demand equilibrium is the elastic one (Gartner, 1980)."""
    origins, ends, given, empty, own = _pairs(network, trips, demand)
    # A zone that may be passed gets a node of its own where trips begin, and one where they end:
    # no other trip reaches the one, or leaves the other, and takes the links of those who stay.
    begins, begin_zones = _apart(network, origins, network.nodes.size)
    finish, end_zones = _apart(network, ends, network.nodes.size + begin_zones.size)
    order = np.lexsort((finish[ends], begins[origins]))
    origins, ends, given, empty = origins[order], ends[order], given[order], empty[order]
    own = own.at(order)
    tails = network.tails, begins[begin_zones], end_zones, begins[origins]
    heads = network.heads, begin_zones, finish[end_zones], finish[ends]
    free = np.tile([0.0, 0.0, 1.0, 1.0], (begin_zones.size + end_zones.size, 1))
    cost = network.cost.marginal() if system_optimum else network.cost
    stay = own.staying(given, empty)
    both = LinkCost()
    both.table = np.concatenate([cost.table, free, stay.table])
    both.kinds = np.concatenate([cost.kinds, np.zeros(len(free), dtype=np.int64), stay.kinds])
    node = np.concatenate([np.arange(network.nodes.size), begin_zones, end_zones])
    extra = np.zeros(both.size - network.size)
    larger = Network(
        np.concatenate(tails), np.concatenate(heads), both, nodes=np.arange(node.size),
        closed=np.flatnonzero(network.closed), toll=np.append(network.fixed, extra),
        toll_factor=1.0,
    )  # fmt: skip
    most = Trips(begins[origins], finish[ends], own.trips_at(given, empty))
    return _Larger(larger, most, node, given, own)


def _apart(network: Network, zones: Indices, count: int) -> tuple[Indices, Indices]:
    """Nodes where trips of each zone begin (or end), and the zones for which that node is new."""
    passed = np.unique(zones[~network.closed[zones]])
    node = np.arange(network.nodes.size)
    node[passed] = count + np.arange(passed.size)
    return node, passed


def _pairs(
    network: Network, trips: Trips, demand: ElasticDemand
) -> tuple[Indices, Indices, Array, Array, ElasticDemand]:
    """Pairs with trips on empty roads: origins, ends, trips given, costs when empty, demand."""
    if not isinstance(trips, Trips) or not isinstance(demand, ElasticDemand):
        raise InvalidInput(
            "trips must be Trips and demand LinearDemand(...) or ExponentialDemand(...), got "
            f"{type(trips).__name__} and {type(demand).__name__}."
        )
    Demand.on(network, trips)  # raises where zones are wrong
    origins = network.places("origins", trips.origins)
    ends = network.places("destinations", trips.destinations)
    some = np.flatnonzero((trips.amounts > 0.0) & (origins != ends))
    origins, ends, given = origins[some], ends[some], trips.amounts[some]
    if np.unique(origins * network.nodes.size + ends).size < some.size:
        raise InvalidInput("trips must have each pair of zones once where demand is elastic.")
    costs = network.cost_of(np.zeros(network.size))
    own, empty = demand.on(trips, some), _shortest(network, costs, origins, ends)
    with np.errstate(over="ignore"):
        most = own.trips_at(given, empty)
    wrong = np.flatnonzero(~(most <= MAX_TRIPS_RATIO * given))
    if wrong.size:
        i = wrong[0]
        raise InvalidInput(
            f"on empty roads there must be at most {MAX_TRIPS_RATIO:g} times the trips given, but "
            f"there would be {most[i] / given[i]:.2g} times from {trips.origins[some[i]]} to "
            f"{trips.destinations[some[i]]}: the reference is too far above the cost there."
        )
    go = np.flatnonzero(most > 0.0)
    return origins[go], ends[go], given[go], empty[go], own.at(go)


def _spent_and_shortest(
    network: Network, costs: Array, flows: Array, trips: tuple[Indices, Indices, Array]
) -> tuple[float, float]:
    """TSTT of these flows and costs, and SPTT of their trips."""
    origins, ends, made = trips
    spent = float(flows @ costs)
    return spent, min(float(made @ _shortest(network, costs, origins, ends)), spent)


def _shortest(network: Network, costs: Array, origins: Indices, ends: Indices) -> Array:
    """Cost of the shortest way of each pair; infinity where there is none."""
    zones = network.zones
    sums = zone_sums(network, costs, costs[None], np.full(zones.size, -1), None)
    place = np.zeros(network.nodes.size, dtype=np.int64)
    place[zones] = np.arange(zones.size)
    found: Array = sums[0, place[origins], place[ends]]
    return found


def _answer(
    network: Network, larger: _Larger, result: Equilibrium, system_optimum: bool
) -> ElasticEquilibrium:
    """The result on the given network, of that on the larger one."""
    flows = result.flows[: network.size].copy()
    stay = result.flows[result.flows.size - larger.given.size :]
    made = np.maximum(larger.trips.amounts - stay, 0.0)
    blocks, nodes = result.demand, network.nodes
    origins, ends = larger.node[larger.trips.origins], larger.node[larger.trips.destinations]
    trips = Trips(nodes[origins], nodes[ends], made)
    fixed = network.fixed[None].copy()
    demand = Demand(
        (UserClass(trips),), fixed, larger.node[blocks.origins], blocks.of, blocks.starts,
        ends, made,
    )  # fmt: skip
    costs = network.cost_of(flows)
    spent, shortest = _spent_and_shortest(network, costs, flows, (origins, ends, made))
    margin = spent, shortest
    if system_optimum:
        marginal = network.cost.marginal().time(flows) + network.fixed
        margin = _spent_and_shortest(network, marginal, flows, (origins, ends, made))
    kept = {each.name: getattr(result, each.name) for each in fields(result)}
    kept |= {
        "flows": flows,
        "costs": costs,
        "average_excess_cost": (margin[0] - margin[1]) / trips.total if trips.total else 0.0,
        "total_cost": spent,
        "shortest_cost": shortest,
        "class_flows": flows[None].copy(),
        "system_optimum": system_optimum,
        "network": network,
        "demand": demand,
        "bushes": None if result.bushes is None else _inside(result.bushes, network.size),
    }
    surplus = float(larger.demand.surplus(larger.given, made).sum())
    return ElasticEquilibrium(**kept, trips=trips, consumer_surplus=surplus)


def _inside(bushes: Bushes, m: int) -> Bushes:
    """Bushes with their links among the first m alone."""
    keep = bushes.links < m
    begin = np.append(0, np.cumsum(keep))[bushes.begin]
    return replace(bushes, begin=begin, links=bushes.links[keep], loads=bushes.loads[keep])
