"""Small networks with known answers, and grids of any size."""

from __future__ import annotations

from frankwolfe.traffic.costs import BPR
from frankwolfe.traffic.network import Network
from frankwolfe.traffic.trips import Trips

__all__ = ["braess"]


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
    tails, heads = [1, 1, 3, 3, 2], [3, 2, 2, 4, 4]
    empty, rise = [1e-9, 50.0, 10.0, 50.0, 1e-9], [10.0, 1.0, 1.0, 1.0, 10.0]
    keep = [i for i in range(5) if shortcut or i != 2]
    times = [empty[i] for i in keep]
    cost = BPR(times, 1.0, [rise[i] / empty[i] for i in keep], 1.0)
    network = Network([tails[i] for i in keep], [heads[i] for i in keep], cost)
    return network, Trips([1], [4], [6.0])
