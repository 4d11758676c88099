"""Bushes of all origins as a run keeps them, and the arguments of the compiled loops."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from frankwolfe.apps.traffic.beckmann import Beckmann
from frankwolfe.apps.traffic.flows import Flows
from frankwolfe.apps.traffic.kernels import bushes as loops
from frankwolfe.apps.traffic.roads import RoadGraph, StoredBushes, Times, TripBlocks
from frankwolfe.base import Array, Indices, Memory
from frankwolfe.core import Problem, State

__all__ = ["Bushes", "loop_arguments"]

PATIENCE = 200  # steps without a gap 10 percent lower; then rounding is what is left, not progress


@dataclass(slots=True)
class Bushes(Memory):
    """Bushes of all origins, stored one after the other; see `apps.traffic.kernels.bushes`."""

    begin: Indices  # bush b has the links begin[b] to begin[b + 1]
    links: Indices
    loads: Array  # the flow of its origin on each of its links
    gaps: Array  # by origin: what its trips would save on shortest ways, when last seen
    size: int  # number of links of the network
    best: float = math.inf  # the least gap so far
    since: int = 0  # steps since it fell by a tenth

    @property
    def kept(self) -> StoredBushes:
        """Bushes in the form that compiled loops take."""
        return StoredBushes(self.begin, self.links, self.loads)

    def flows(self, classes: Indices, shape: tuple[int, int], loads: Array | None = None) -> Array:
        """Link flows x of all classes, one after the other; of `loads` where they are given."""
        out = np.empty(shape)
        loads = self.loads if loads is None else loads
        loops.class_flows(self.begin, self.links, loads, classes, out)
        return out.ravel()

    def watch(self, state: State[Bushes]) -> None:
        """Mark the run as spent once the gap has not fallen by a tenth for PATIENCE steps."""
        self.since += 1
        if state.model_gap < 0.9 * self.best:
            self.best, self.since = state.model_gap, 0
        state.spent = self.since >= PATIENCE

    def take_form(self, arrays: Mapping[str, Array]) -> None:
        """Resize the arrays to those of a checkpoint, once these are checked.

        Compiled loops index without bounds checks: bushes must lie one after the other, and their
        links must exist.
        """
        begin, links = arrays["begin"], arrays["links"]
        fits = begin[0] == 0 and begin[-1] == links.size == arrays["loads"].size
        inside = links.size == 0 or 0 <= links.min() <= links.max() < self.size
        if not (fits and inside and (np.diff(begin) >= 0).all() and arrays["size"] == self.size):
            raise ValueError("bushes that are none")
        self.links = np.zeros(arrays["links"].size, dtype=np.int32)
        self.loads = np.zeros(arrays["loads"].size)


def loop_arguments(problem: Problem) -> tuple[Times, RoadGraph, TripBlocks]:
    """Link times, links and trips of a problem, in the form that compiled loops take."""
    f, region = cast("Beckmann", problem.objective), cast("Flows", problem.region)
    times = Times(f.cost.kinds, f.cost.table, f.fixed)
    return times, region.network.roads, region.demand.blocks
