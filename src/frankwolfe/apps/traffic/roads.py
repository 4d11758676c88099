"""Road networks, travel times and trips as tuples of plain arrays, for compiled loops."""

from __future__ import annotations

from typing import NamedTuple

from frankwolfe.base import Array, Flags, Indices

__all__ = [
    "AKCELIK",
    "BPR",
    "CONICAL",
    "DAVIDSON",
    "LOGARITHM",
    "MARGINAL",
    "BushLabels",
    "RoadGraph",
    "StoredBushes",
    "Times",
    "TripBlocks",
]

# Kinds of link cost functions: `apps.traffic.kernels.link_costs` has their formulas.
BPR, CONICAL, DAVIDSON, AKCELIK, LOGARITHM = 0, 1, 2, 3, 4
MARGINAL = 8  # a bit of its own: kind & 7 is the kind


class RoadGraph(NamedTuple):
    """A directed graph of links from `tails` to `heads`, with lists of links by node.

    The links that leave node v are `order[first[v]:first[v + 1]]`; those that enter it are listed
    likewise. A path may begin or end at a `closed` node, but not pass it.
    """

    tails: Indices
    heads: Indices
    first: Indices
    order: Indices
    entering_first: Indices
    entering: Indices
    closed: Flags


class Times(NamedTuple):
    """Parameters of the travel times of links: see `apps.traffic.kernels.link_costs`.

    `fixed` has the costs that do not depend on flows, with a row for each class of travellers.
    """

    kinds: Indices
    table: Array
    fixed: Array


class TripBlocks(NamedTuple):
    """Trips in blocks of one origin and one class of travellers each.

    Block b has the trips `starts[b]` to `starts[b + 1]`, each with its end and its amount.
    """

    origins: Indices
    classes: Indices
    starts: Indices
    ends: Indices
    amounts: Array


class BushLabels(NamedTuple):
    """Labels of the nodes in the bush of one origin: see `kernels.bush_steps.label`."""

    low: Array  # shortest time to the node
    high: Array  # longest time, over the links that stay in the bush
    main: Array  # longest time, over links that bring a good part of the node's flow
    by_low: Indices  # place in the bush of the last link of the shortest path
    by_used: Indices  # of the last link, among those with flow, of the longest path
    by_main: Indices  # of the last link of the path of `main`


class StoredBushes(NamedTuple):
    """Bushes one after another: bush b has its links and their loads from `begin[b]` on."""

    begin: Indices
    links: Indices
    loads: Array
