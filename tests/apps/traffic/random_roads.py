"""What tests of traffic share: every link cost, small networks, and ways listed one by one."""

from __future__ import annotations

import numpy as np
import pytest

from frankwolfe.apps import traffic

COSTS = {  # each of m links with the sizes given; a new class belongs here, and is under every law
    "BPR": traffic.BPR,
    "BPR^0": lambda t, c: traffic.BPR(t, c, 0.5, 0.0),
    "BPR^0.3": lambda t, c: traffic.BPR(t, c, 0.5, 0.3),
    "BPR^1": lambda t, c: traffic.BPR(t, c, 2.0, 1.0),
    "BPR^20": lambda t, c: traffic.BPR(t, c, 0.15, 20.0),
    "BPR, b = 0": lambda t, c: traffic.BPR(t, c, 0.0, -1.0),
    "FixedTime": lambda t, c: traffic.FixedTime(t),
    "AffineCost": lambda t, c: traffic.AffineCost(t, 3.0 / np.asarray(c)),
    "Conical": traffic.Conical,
    "Conical, flat": lambda t, c: traffic.Conical(t, c, 1.0 + 1e-6),
    "Conical, steep": lambda t, c: traffic.Conical(t, c, 50.0),
    "Davidson": traffic.Davidson,
    "Davidson, J = 0": lambda t, c: traffic.Davidson(t, c, 0.0),
    "Davidson, early": lambda t, c: traffic.Davidson(t, c, 1.0, 0.3),
    "Akcelik": traffic.Akcelik,
    "Akcelik, J = 0": lambda t, c: traffic.Akcelik(t, c, 0.0),
    "Akcelik, wait 1": lambda t, c: traffic.Akcelik(t, c, 0.25 * np.asarray(c)),
    "Akcelik, wait 2": lambda t, c: traffic.Akcelik(t, c, 0.5 * np.asarray(c)),
    "Akcelik, long": lambda t, c: traffic.Akcelik(t, c, 5.0, 100.0),
}
SMOOTH = tuple(
    name for name in COSTS if name != "Akcelik, J = 0"
)  # whose marginal time never jumps


def random_network(rng, n=6, extra=10, cost="BPR", **options):
    """A cycle with chords, and times that ties do not spoil."""
    around = np.arange(n)
    chords = rng.integers(0, n, (2, extra))
    chords = chords[:, chords[0] != chords[1]]
    tails, heads = np.hstack([[around, (around + 1) % n], chords])
    times, capacity = rng.uniform(1.0, 5.0, tails.size), rng.uniform(2.0, 6.0, tails.size)
    return traffic.Network(tails, heads, COSTS[cost](times, capacity), **options)


def random_trips(rng, n=6, pairs=5, size=4.0):
    """Trips between different nodes."""
    origins = rng.integers(0, n, pairs)
    ends = (origins + rng.integers(1, n, pairs)) % n
    return traffic.Trips(origins, ends, size * rng.uniform(0.2, 1.0, pairs))


def solved(network, trips, tol=1e-10, **options):
    """The equilibrium, once its gap is as small as asked for."""
    answer = traffic.equilibrium(network, trips, tol=tol, **options)
    assert answer.success, answer.message
    assert answer.relative_gap <= tol
    return answer


def ways(network, origin, end):
    """All ways between two places, as lists of links, that pass no closed node."""
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    graph = networkx.MultiDiGraph()
    graph.add_nodes_from(range(network.nodes.size))
    for a, (tail, head) in enumerate(zip(network.tails, network.heads, strict=True)):
        if tail == origin or not network.closed[tail]:
            graph.add_edge(int(tail), int(head), key=a)
    paths = networkx.all_simple_edge_paths(graph, int(origin), int(end))
    return [[key for *_, key in path] for path in paths]
