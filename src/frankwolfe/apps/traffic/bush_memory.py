"""The bushes of a run, and what the loops need besides."""

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
from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.memory import Memory
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State

__all__ = ["Bushes", "loop_arguments"]

PATIENCE = 200  # steps in which the gap does not fall by a tenth: there is no progress


@dataclass(slots=True)
class Bushes(Memory):
    """The bushes of all origins, one after the other; see `apps.traffic.kernels.bushes`."""

    begin: Indices  # where each begins; one more number, where the last ends
    links: Indices
    loads: Array  # the flow of its origin on each of its links
    gaps: Array  # what its trips would save on its shortest ways, when it was last seen
    size: int  # how many links the network has
    best: float = math.inf  # the least gap so far
    since: int = 0  # steps since it fell by a tenth

    @property
    def kept(self) -> StoredBushes:
        """The bushes as compiled loops take them."""
        return StoredBushes(self.begin, self.links, self.loads)

    def flows(self, classes: Indices, shape: tuple[int, int], loads: Array | None = None) -> Array:
        """The flows of all classes, one after the other; of other loads where they are given."""
        out = np.empty(shape)
        loads = self.loads if loads is None else loads
        loops.class_flows(self.begin, self.links, loads, classes, out)
        return out.ravel()

    def watch(self, state: State[Bushes]) -> None:
        """Say so where the gap has not fallen by a tenth for many steps."""
        self.since += 1
        if state.model_gap < 0.9 * self.best:
            self.best, self.since = state.model_gap, 0
        state.spent = self.since >= PATIENCE

    def take_form(self, arrays: Mapping[str, Array]) -> None:
        """Take the lengths of a checkpoint's arrays, whose bushes are others, once they are sound.

        Compiled loops trust that bushes lie one after the other, and that their links are there.
        """
        begin, links = arrays["begin"], arrays["links"]
        fits = begin[0] == 0 and begin[-1] == links.size == arrays["loads"].size
        inside = links.size == 0 or 0 <= links.min() <= links.max() < self.size
        if not (fits and inside and (np.diff(begin) >= 0).all() and arrays["size"] == self.size):
            raise ValueError("bushes that are none")
        self.links = np.zeros(arrays["links"].size, dtype=np.int32)
        self.loads = np.zeros(arrays["loads"].size)


def loop_arguments(problem: Problem) -> tuple[Times, RoadGraph, TripBlocks]:
    """The times, the links and the trips of a problem."""
    f, region = cast("Beckmann", problem.objective), cast("Flows", problem.region)
    times = Times(f.cost.kinds, f.cost.table, f.fixed)
    return times, region.network.roads, region.demand.blocks
