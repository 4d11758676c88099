"""A small city for tests: streets both ways on a grid, and zones that may not be passed."""

from __future__ import annotations

import numpy as np

from frankwolfe.apps import traffic


def small_city(seed: int = 0, side: int = 4, zones: int = 5, busy: float = 1.0):
    """A network with tolls and lengths, and trips between all its zones.

    Zones are nodes of their own, labelled from 1 on, with links to and from a crossing each.
    """
    rng = np.random.default_rng(seed)
    crossing = np.arange(side * side).reshape(side, side) + zones + 1
    pairs = [*zip(crossing[:, :-1].ravel(), crossing[:, 1:].ravel(), strict=True)]
    pairs += [*zip(crossing[:-1].ravel(), crossing[1:].ravel(), strict=True)]
    homes = rng.choice(crossing.ravel(), zones, replace=False)
    pairs += [*zip(np.arange(1, zones + 1), homes, strict=True)]
    tails, heads = np.array(pairs + [(v, u) for u, v in pairs]).T
    m = tails.size
    cost = traffic.BPR(rng.uniform(1.0, 3.0, m), rng.uniform(20.0, 40.0, m), 0.5)
    network = traffic.Network(
        tails, heads, cost, zones=range(1, zones + 1), closed=range(1, zones + 1),
        length=rng.uniform(1.0, 2.0, m), toll=rng.integers(0, 3, m), toll_factor=0.2,
        distance_factor=0.3,
    )  # fmt: skip
    matrix = busy * rng.uniform(5.0, 20.0, (zones, zones))
    np.fill_diagonal(matrix, 0.0)
    return network, traffic.Trips.of_matrix(matrix)


def every_path(network: traffic.Network, origin: int, end: int, used) -> list[list[int]]:
    """All paths over the links that `used` allows, by a search of all."""
    found, open_ways = [], [(origin, [])]
    while open_ways:
        v, way = open_ways.pop()
        if v == end:
            found.append(way)
            continue
        for a in np.flatnonzero((network.tails == v) & used).tolist():
            open_ways.append((int(network.heads[a]), [*way, a]))
    return found
