"""Networks of the public collection, with the optima that it publishes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from frankwolfe.apps import traffic

SOURCE = "https://github.com/bstabler/TransportationNetworks"


@dataclass(frozen=True)
class Published:
    """What is known of a network: the least value of Beckmann's function, as it is printed."""

    optimum: str
    toll_factor: float = 0.0
    distance_factor: float = 0.0

    @property
    def value(self) -> float:
        """The number."""
        return float(self.optimum)

    @property
    def unsure(self) -> float:
        """Half a unit of its last digit."""
        return 0.5 * 10.0 ** -len(self.optimum.partition(".")[2])


NETWORKS = {
    "SiouxFalls": Published("4231335.287"),
    "Anaheim": Published("1286032.171"),
    "Barcelona": Published("1265654.922"),
    "Winnipeg": Published("827911.495"),
    "Chicago-Sketch": Published("17313018.74", toll_factor=0.02, distance_factor=0.04),
}


@dataclass
class Problem:
    """A network with its trips."""

    name: str
    network: Any
    trips: Any
    published: Published | None = None
    flows: Any = None  # those that are published with it

    @cached_property
    def region(self) -> Any:
        """The flows that carry its trips."""
        return traffic.Flows(self.network, self.trips)

    def relative_gap(self, flows: Any) -> float:
        """(TSTT - SPTT) / TSTT with the costs of these very flows."""
        costs = self.network.cost_of(flows)
        spent = float(costs.dot(flows))
        return 1.0 - float(self.region.lmo(costs).dot(costs)) / spent

    @property
    def sure(self) -> Any:
        """Links whose flow is the same in every equilibrium: their time rises with it."""
        return self.network.cost.slope(np.ones(self.network.size)) > 0.0


def file_of(folder: Path, kind: str) -> Path | None:
    """The net, trips or flow file in a folder, however it is spelled."""
    found = [path for path in sorted(folder.glob("*.tntp")) if f"_{kind}" in path.stem.lower()]
    return found[0] if found else None


def missing(name: str, data: Path) -> str | None:
    """Which file a network lacks, or None."""
    for kind in ("net", "trips"):
        if file_of(data / name, kind) is None:
            return f"{data / name} has no *_{kind}.tntp: get it from {SOURCE}"
    return None


def load(name: str, data: Path, demand: float = 1.0) -> Problem:
    """A network by the name of its folder, with so many times its trips."""
    known = NETWORKS.get(name)
    factors = (known.toll_factor, known.distance_factor) if known else (0.0, 0.0)
    folder = data / name
    network, trips = traffic.read_tntp(
        file_of(folder, "net"),
        file_of(folder, "trips"),
        toll_factor=factors[0],
        distance_factor=factors[1],
    )
    if demand != 1.0:
        return Problem(f"{name} x {demand:g}", network, trips.times(demand))
    flow = file_of(folder, "flow")
    flows = traffic.read_flow(flow, network)[0] if flow else None
    return Problem(name, network, trips, known, flows)


def loaded(names: list[str], data: Path, demand: float) -> Iterator[Problem]:
    """Those that are there; of the others it says what they lack."""
    for name in names:
        why = missing(name, data)
        if why:
            print(f"{name} is left out: {why}.", flush=True)
        else:
            yield load(name, data, demand)
