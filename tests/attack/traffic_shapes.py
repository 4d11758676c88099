"""Random networks and trips: a seed makes a problem, whatever the machine."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frankwolfe.apps import traffic

__all__ = ["SHAPES", "Jam", "jam"]

Rng = np.random.Generator
POWERS = (0.0, 0.3, 0.5, 1.0, 1.0, 1.5, 2.0, 4.0, 4.0, 4.0, 8.0, 20.0)


class Jam(NamedTuple):
    """Trips on a network, and how their equilibrium is asked for."""

    seed: int
    network: traffic.Network
    classes: list[traffic.UserClass]
    tol: float
    system_optimum: bool
    labels: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.seed}: {self.network!r}, {self.classes!r}, {self.labels}"


def _ring(rng: Rng) -> Any:
    """A cycle with chords: every node reaches every other."""
    n = int(rng.integers(2, 16))
    more = int(rng.integers(0, 3 * n))
    around = np.arange(n)
    chords = rng.integers(0, n, (2, more))
    return np.hstack([[around, (around + 1) % n], chords])


def _grid(rng: Rng) -> Any:
    rows, columns = rng.integers(2, 7, 2)
    at = np.arange(rows * columns).reshape(rows, columns)
    there = np.hstack([[at[:, :-1].ravel(), at[:, 1:].ravel()], [at[:-1].ravel(), at[1:].ravel()]])
    return np.hstack([there, there[::-1]])


def _parallel(rng: Rng) -> Any:
    """Many links between few nodes, and back."""
    n, many = int(rng.integers(2, 5)), int(rng.integers(1, 8))
    there = np.array([[i, i + 1] for i in range(n - 1) for _ in range(many)]).T
    return np.hstack([there, there[::-1, :: int(rng.integers(1, many + 1))]])


def _layers(rng: Rng) -> Any:
    """Layer after layer without a way back, but for one link."""
    wide, deep = (int(each) for each in rng.integers([1, 2], [5, 6]))
    links = [
        (d * wide + i, (d + 1) * wide + j)
        for d in range(deep - 1)
        for i in range(wide)
        for j in range(wide)
    ]
    return np.array([*links, ((deep - 1) * wide, 0)]).T


def _star(rng: Rng) -> Any:
    """A grid with zones hung onto it by links to and fro."""
    inner = _grid(rng)
    n = int(inner.max()) + 1
    zones = n + np.arange(int(rng.integers(2, 7)))
    gates = rng.integers(0, n, (2, zones.size))
    there = [np.stack([zones, gate]) for gate in gates]
    return np.hstack([inner, *there, *(pairs[::-1] for pairs in there)])


SHAPES = {"ring": _ring, "grid": _grid, "parallel": _parallel, "layers": _layers, "star": _star}


def _spread(rng: Rng, size: int, most: float) -> Any:
    """Numbers around 1 over some powers of ten, at most so many to either side."""
    return 10.0 ** (rng.uniform(-1.0, 1.0, size) * rng.choice([0.0, 0.3, most]))


def _cost(rng: Rng, m: int, flow: float) -> tuple[traffic.LinkCost, dict[str, Any]]:
    """Times of links that are about as full as a random number says."""
    full = 10.0 ** float(rng.choice([rng.uniform(-0.5, 0.7), rng.uniform(-6, 3)], p=[0.7, 0.3]))
    capacity = np.maximum(flow / full * _spread(rng, m, 2.0), 1e-300)
    times = 10.0 ** rng.uniform(-3, 3) * _spread(rng, m, 3.0)
    if rng.random() < 0.3:
        times = np.rint(3.0 * times / times.max())  # ties, and links that take no time
    times[rng.random(m) < rng.choice([0.0, 0.2, 0.6])] = 0.0
    power = rng.choice(POWERS, m) if rng.random() < 0.4 else np.full(m, rng.choice(POWERS))
    b = np.where(rng.random(m) < rng.choice([0.0, 0.3]), 0.0, rng.choice([0.15, 1.0, 10.0]))
    cost: traffic.LinkCost = traffic.BPR(times, capacity, b, power)
    kinds = str(rng.choice(["BPR", "mixed"], p=[0.6, 0.4]))
    if kinds == "mixed":
        others = (
            traffic.FixedTime(times),
            traffic.Conical(times, capacity, 1.0 + 10.0 ** rng.uniform(-3, 1)),
            traffic.Davidson(times, capacity, rng.choice([0.0, 0.1, 1.0]), rng.choice([0.5, 0.99])),
            traffic.Akcelik(
                times, capacity, rng.choice([1e-3, 0.1, 1.0]), 10 ** rng.uniform(-1, 2)
            ),
        )
        whose = rng.integers(0, len(others) + 1, m)
        for k, other in enumerate(others):
            mine = np.flatnonzero(whose == k)
            if mine.size:
                cost = cost.replaced(mine, other.at(mine))
    return cost, {"full": round(full, 6), "kinds": kinds, "powers": sorted({*power.tolist()})}


def _classes(rng: Rng, zones: Any, total: float) -> list[traffic.UserClass]:
    classes = []
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        pairs = int(rng.choice([1, 3, zones.size**2]))
        ends = rng.choice(zones, (2, pairs))
        amounts = total / pairs * _spread(rng, pairs, 6.0)
        own = {"toll_factor": rng.uniform(0, 2), "weight": rng.choice([1.0, 2.5])}
        classes.append(
            traffic.UserClass(traffic.Trips(*ends, amounts), **(own if rng.random() < 0.5 else {}))
        )
    return classes


def jam(seed: int) -> Jam:
    """The problem of a seed."""
    rng = np.random.default_rng([seed, 17])
    shape = str(rng.choice(list(SHAPES)))
    tails, heads = SHAPES[shape](rng)
    if rng.random() < 0.3:  # some links twice, and links that lead nowhere
        again = rng.integers(0, tails.size, int(rng.integers(1, 5)))
        tails, heads = np.append(tails, tails[again]), np.append(heads, heads[again])
        tails, heads = np.append(tails, tails[0]), np.append(heads, tails[0])
    n, m = int(max(tails.max(), heads.max())) + 1, tails.size
    total = 10.0 ** float(rng.choice([rng.uniform(0, 4), rng.uniform(-9, 9)]))
    cost, labels = _cost(rng, m, total / max(np.sqrt(n), 1.0))
    zones = np.arange(n)[-6:] if shape == "star" else rng.permutation(n)[: int(rng.integers(2, 9))]
    size = float(np.median(cost.free_flow_time)) or 1.0
    toll = np.where(rng.random(m) < 0.3, rng.uniform(0, size, m), 0.0) * rng.integers(0, 2)
    if rng.random() < 0.1:  # what an empty link takes is paid back, in part or all of it
        toll = -cost.free_flow_time * rng.choice([0.5, 0.99, 1.0])
    network = traffic.Network(
        tails, heads, cost,
        zones=zones, nodes=np.arange(n), toll=toll, toll_factor=1.0,
        closed=zones if rng.random() < 0.3 else None,
    )  # fmt: skip
    classes = _classes(rng, zones, total)
    if toll.min() < 0.0:  # others would see costs below zero
        classes = [traffic.UserClass(each.trips, weight=each.weight) for each in classes]
    labels |= {"shape": shape, "total": f"{total:.1e}", "closed": bool(network.closed.any())}
    tol = float(rng.choice([1e-4, 1e-6, 1e-8, 1e-10]))
    return Jam(seed, network, classes, tol, bool(rng.random() < 0.25), labels)
