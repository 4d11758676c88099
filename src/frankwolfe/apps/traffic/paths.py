"""The ways from one zone to another that are used."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from frankwolfe.apps.traffic.kernels import bush_paths
from frankwolfe.apps.traffic.network import Network
from frankwolfe.apps.traffic.skims import class_place, kept_bushes
from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import at_least_one

if TYPE_CHECKING:
    from frankwolfe.apps.traffic.result import Equilibrium

__all__ = ["Path", "paths"]

TIES = 1e-9  # logarithms of shares that differ by less are ties, whose order rounding would make


class Path(NamedTuple):
    """A way from an origin to a destination.

    Attributes
    ----------
    flow : float
        How many of the trips between its ends take it, in vehicles.
    cost : float
        What it costs them: times, and their tolls and lengths.
    nodes : array of labels
        The nodes it leads by.
    links : array of integers
        The places of its links in the network.
    """

    flow: float
    cost: float
    nodes: Any
    links: Indices


def paths(
    result: Equilibrium, origin: Any, destination: Any, most: int, user_class: int | str
) -> list[Path]:
    """See :meth:`Equilibrium.paths`."""
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
    """The ways of a bush, the most used first."""

    origin: int
    tails: Indices  # of the links of the bush, in its order
    links: Indices
    shares: Array
    entering: dict[int, list[int]]  # the places of the used links that enter a node
    best: Array  # the share of the most used way to each node

    @classmethod
    def of(cls, network: Network, bush: Indices, load: Array, origin: int) -> _Ways:
        shares, best = np.empty(bush.size), np.empty(network.nodes.size)
        bush_paths.use_shares(bush, load, network.heads, np.zeros(network.nodes.size), shares)
        bush_paths.way_shares(bush, shares, network.tails, network.heads, origin, best)
        entering: dict[int, list[int]] = {}
        for p in np.flatnonzero(shares > 0.0).tolist():
            entering.setdefault(int(network.heads[bush[p]]), []).append(p)
        return cls(origin, network.tails[bush], bush, shares, entering, best)

    def most_used(self, end: int) -> Iterator[tuple[float, Indices]]:
        """Shares and links of the ways to a node, one after the other.

        A search backwards that always goes on from the way whose best completion is used most;
        as that is known, no way is begun in vain.
        """
        heap: list[tuple[float, int, int, int, float, Any]] = [(0.0, 0, 0, end, 1.0, None)]
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
                    rank = -round(math.log(part * self.best[u]) / TIES)
                    way = (int(self.links[p]), tail_of_way)
                    heapq.heappush(heap, (rank, depth - 1, count, u, part, way))


def _unrolled(way: Any) -> list[int]:
    links = []
    while way is not None:
        links.append(way[0])
        way = way[1]
    return links
