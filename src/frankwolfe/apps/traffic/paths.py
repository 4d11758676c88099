"""Used ways between two zones, and how a bush's flow divides among them."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from frankwolfe.apps.traffic.kernels import bush_paths
from frankwolfe.apps.traffic.network import Network
from frankwolfe.apps.traffic.skims import class_place, kept_bushes
from frankwolfe.base import AnyArray, Array, Indices, at_least_one

if TYPE_CHECKING:
    from frankwolfe.apps.traffic.result import Equilibrium

__all__ = ["Path", "paths"]

LOG_SHARE_TIE_TOL = 1e-9
"""Logarithms of shares closer than this are ties; else rounding would decide their order."""

_Chain: TypeAlias = "tuple[int, _Chain] | None"
"""Links of a way: the first, and the chain of those after it, which several ways share."""


class Path(NamedTuple):
    """A way from an origin to a destination.

    Attributes
    ----------
    flow : float
        Vehicles that take it, of the trips between its ends.
    cost : float
        Sum of the links' costs: times, tolls and lengths.
    nodes : array of labels
        Nodes along it, from origin to destination.
    links : array of integers
        Indices of its links in the network.
    """

    flow: float
    cost: float
    nodes: AnyArray
    links: Indices


def paths(
    result: Equilibrium, origin: object, destination: object, most: int, user_class: int | str
) -> list[Path]:
    """Used ways between two zones; :meth:`Equilibrium.paths` describes the arguments."""
    k, most = class_place(result, user_class), at_least_one("most", most)
    bushes, network, demand = kept_bushes(result, "paths"), result.network, result.demand
    begins, ends = (
        int(network.places(name, np.array([label]))[0])
        for name, label in (("origin", origin), ("destination", destination))
    )
    blocks = np.flatnonzero((demand.of == k) & (demand.origins == begins))
    if not blocks.size:
        return []
    b = int(blocks[0])
    span = slice(demand.starts[b], demand.starts[b + 1])
    amount = float(demand.amounts[span][demand.ends[span] == ends].sum())
    if not amount > 0.0:
        return []
    inside = slice(bushes.begin[b], bushes.begin[b + 1])
    ways = _Ways.of(network, bushes.links[inside], bushes.loads[inside], begins)
    costs = network.cost.time(result.flows) + demand.fixed[k]
    vehicles = amount / demand.classes[k].weight
    found = []
    for share, links in ways.most_used(ends):
        nodes = network.nodes[np.append(network.tails[links], ends)]
        found.append(Path(vehicles * share, float(costs[links].sum()), nodes, links))
        if len(found) == most:
            break
    return sorted(found, key=lambda path: -path.flow)


@dataclass(frozen=True, slots=True)
class _Ways:
    """Ways in one bush, to be listed from the most used on."""

    origin: int
    tails: Indices  # of the links of the bush, in its order
    links: Indices
    shares: Array
    entering: dict[int, list[int]]  # by node, places in the bush of the used links that enter it
    best: Array  # share of the most used way to each node

    @classmethod
    def of(cls, network: Network, bush: Indices, load: Array, origin: int) -> _Ways:
        """Ways of a bush; at a node flow divides in proportion to the loads that enter it."""
        shares, best = np.empty(bush.size), np.empty(network.nodes.size)
        bush_paths.use_shares(bush, load, network.heads, np.zeros(network.nodes.size), shares)
        bush_paths.way_shares(bush, shares, network.tails, network.heads, origin, best)
        entering: dict[int, list[int]] = {}
        for p in np.flatnonzero(shares > 0.0).tolist():
            entering.setdefault(int(network.heads[bush[p]]), []).append(p)
        return cls(origin, network.tails[bush], bush, shares, entering, best)

    def most_used(self, end: int) -> Iterator[tuple[float, Indices]]:
        """Shares and links of the ways to a node, in order of falling share.

        An A* search backwards from the node: the share of the best completion of each partial way
        is known exactly (`best`), so that no way is begun in vain.
        """
        # rank (minus log share), minus length, a counter that ends ties, node, share, links
        heap: list[tuple[float, int, int, int, float, _Chain]] = [(0.0, 0, 0, end, 1.0, None)]
        count = 0
        while heap:
            _, depth, _, v, share, tail_of_way = heapq.heappop(heap)
            if v == self.origin:
                yield share, np.array(_unrolled(tail_of_way), dtype=np.int64)
                continue
            for p in self.entering.get(v, ()):
                u = int(self.tails[p])
                part = share * float(self.shares[p])
                if part * self.best[u] > 0.0:
                    count += 1
                    rank = -round(math.log(part * self.best[u]) / LOG_SHARE_TIE_TOL)
                    way = (int(self.links[p]), tail_of_way)
                    heapq.heappush(heap, (rank, depth - 1, count, u, part, way))


def _unrolled(way: _Chain) -> list[int]:
    """Links of a way in its order."""
    links = []
    while way is not None:
        links.append(way[0])
        way = way[1]
    return links
