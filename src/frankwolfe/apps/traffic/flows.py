"""Set of link flows that carry all trips, with all-or-nothing assignment as its oracle."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Self

import numpy as np

from frankwolfe.apps.traffic.kernels import loading
from frankwolfe.apps.traffic.network import Network
from frankwolfe.apps.traffic.trips import Demand, TripsLike
from frankwolfe.base import (
    Array,
    Dtype,
    InvalidInput,
    Memory,
    Shape,
    Variable,
    all_finite,
    fingerprint,
)
from frankwolfe.base.kernels import may_thread
from frankwolfe.core import Accuracy, Atom, Dense, Region, clip_rounding, spacing

__all__ = ["Flows"]

MIN_THREADED_WORK = 2_000_000  # links times origins; below, threads cost more than they save


class Flows(Region):
    r"""Link flows that carry all trips: for each origin a flow to its destinations, summed.

    Its oracle is the all-or-nothing assignment: all trips on the shortest paths for costs g, by
    Dijkstra's method from each origin, with threads over the origins where that pays. Costs must
    be >= 0, as those of :class:`Beckmann` are.

    Parameters
    ----------
    network : Network
        The links.
    trips : Trips, UserClass, or several of these
        The trips to carry; x holds the weighted flows of one class after the other.

    Notes
    -----
    The sum over origins hides which flow is whose: :meth:`violation` measures the balance of
    each class at each node, which every point of the set has, and a few others.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe import traffic
    >>> cost = traffic.FixedTime([1.0, 1.0, 3.0])
    >>> network = traffic.Network(["a", "b", "a"], ["b", "c", "c"], cost)
    >>> flows = traffic.Flows(network, traffic.Trips(["a"], ["c"], [5.0]))
    >>> flows.lmo(np.array([1.0, 1.0, 3.0])).array, flows.lmo(np.array([1.0, 3.0, 3.0])).array
    (array([5., 5., 0.]), array([0., 0., 5.]))
    """

    polytope = True
    many_vertices = True
    costly_oracle = True
    loose_diameter = True
    family = "traffic"
    formula = r"\{\sum_o x^o : x^o \ge 0,\ N x^o = d^o\}"
    atom = "all trips on shortest paths"
    cost = "a search from each origin"

    def __init__(self, network: Network, trips: TripsLike | Demand) -> None:
        if not isinstance(network, Network):
            raise InvalidInput(f"network must be a Network, got {type(network).__name__}.")
        self.network = network
        self.demand = trips if isinstance(trips, Demand) else Demand.on(network, trips)
        self.dimension = len(self.demand.classes) * network.size
        empty = network.cost.free_flow_time + self.demand.fixed
        self._start: Array = self._loaded(np.maximum(empty, 0.0).ravel())[0]
        self.total = float(self.demand.amounts.sum())

    @property
    def shape(self) -> tuple[int, int]:
        """Number of classes, and of links."""
        return len(self.demand.classes), self.network.size

    def _loaded(self, costs: Array) -> tuple[Array, float]:
        """All-or-nothing assignment at these costs: its link flows, and their total cost."""
        flows = np.zeros(self.shape)
        roads, demand, total = self.network.roads, self.demand, 0.0
        threads = may_thread() and self.network.size * demand.origins.size > MIN_THREADED_WORK
        for k, own in enumerate(costs.reshape(self.shape)):
            low, high = np.searchsorted(demand.of, [k, k + 1])
            loop = loading.load_in_parts if threads else loading.load
            cost, lost = loop(own, roads, demand.blocks, low, high, flows[k])
            if lost >= 0:
                raise InvalidInput(self._no_way(int(lost)))
            total += cost
        return flows.ravel(), total

    def _no_way(self, trip: int) -> str:
        """Error message for a trip whose destination cannot be reached."""
        block = int(np.searchsorted(self.demand.starts, trip, side="right")) - 1
        nodes = self.network.nodes
        origin, end = nodes[self.demand.origins[block]], nodes[self.demand.ends[trip]]
        return (
            f"{self.demand.amounts[trip]:g} trips must have a way from {origin} to {end}, but no "
            "links lead there: add one, or drop these trips (nodes that are closed are not passed)."
        )

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        return Dense(self._cheapest(g)[0])

    def _cheapest(self, g: Array) -> tuple[Array, float]:
        """All-or-nothing flows for costs g and their cost; NaN where g is not finite."""
        if not all_finite(g):
            return self._start * np.nan, math.nan
        if g.size and g.min() < 0.0:
            raise InvalidInput(
                f"links must cost >= 0, as those of Beckmann do, but one costs {g.min():g}: "
                "a shortest path would go around in circles. Use a method that asks for gradients "
                "alone, such as bushes() or blended_pairwise()."
            )
        return self._loaded(np.ascontiguousarray(g, dtype=np.float64))

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> Memory:
        return Memory()

    def inexact_lmo(self, g: Array, memory: Memory, wanted: Accuracy) -> tuple[Atom, float, float]:
        flows, cost = self._cheapest(g)
        return Dense(flows), cost, 0.0

    def start(self, n: Variable) -> Array:
        return self._start.copy()

    def diameter(self, n: Variable) -> float:
        """Upper bound, total * sqrt(2 min(nodes, links)), on the 2-norm distance of two flows.

        No link carries more than all trips, and no trip passes a node twice.
        """
        return self.total * math.sqrt(2.0 * min(self.network.nodes.size, self.network.size))

    def reach(self, weights: Array, n: int) -> float:
        return self.total * self.network.nodes.size * float(np.max(weights))

    def resolution(self, n: Variable, dtype: Dtype) -> float:
        return spacing(dtype, self.total, self.total) if self.total else 0.0

    def snap(self, x: Array) -> Array:
        return clip_rounding(x, 0.0, None, self.total or 1.0)

    @cached_property
    def _surplus(self) -> Array:
        """Trips that begin less trips that end at each node, a row for each class."""
        out = np.zeros((self.shape[0], self.network.nodes.size))
        demand = self.demand
        blocks = np.repeat(np.arange(demand.origins.size), np.diff(demand.starts))
        np.add.at(out, (demand.of[blocks], demand.origins[blocks]), demand.amounts)
        np.subtract.at(out, (demand.of[blocks], demand.ends), demand.amounts)
        return out

    def violation(self, x: Array) -> float:
        flows = np.asarray(x, dtype=np.float64).reshape(self.shape)
        worst = max(-float(flows.min()), 0.0)
        for own, surplus in zip(flows, self._surplus, strict=True):
            nodes = self.network.nodes.size
            out = np.bincount(self.network.tails, own, nodes)
            into = np.bincount(self.network.heads, own, nodes)
            worst = max(worst, float(np.abs(out - into - surplus).max()))
        return worst / self.total if self.total else worst

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        from frankwolfe.apps.traffic.costs import FixedTime
        from frankwolfe.apps.traffic.trips import Trips

        # n links: two between each pair of neighbours on a path; for odd n one past all of them
        path = np.arange(n // 2 + 1)
        tails, heads = np.append(path[:-1], path[:-1])[:n], np.append(path[1:], path[1:])[:n]
        if n % 2:
            tails, heads = np.append(tails, 0), np.append(heads, path[-1])
        network = Network(tails, heads, FixedTime(np.ones(n)))
        ends = path[1:]
        return [cls(network, Trips(np.zeros_like(ends), ends, rng.uniform(1.0, 2.0, ends.size)))]

    def fingerprint(self) -> str:
        demand, network = self.demand, self.network
        parts = [network.tails, network.heads, network.closed, demand.of, demand.origins]
        return fingerprint(repr(self), [*parts, demand.starts, demand.ends, demand.amounts])

    def __repr__(self) -> str:
        several = f", {self.shape[0]} classes" if self.shape[0] > 1 else ""
        return f"Flows({self.network!r}, {self.total:,.6g} trips{several})"
