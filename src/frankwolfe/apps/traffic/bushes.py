"""Algorithm B (Dial, 2006): an acyclic bush of used links for each origin, evened out in turn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from frankwolfe.apps.traffic.beckmann import Beckmann
from frankwolfe.apps.traffic.bush_memory import Bushes, loop_arguments
from frankwolfe.apps.traffic.flows import MIN_THREADED_WORK, Flows
from frankwolfe.apps.traffic.joint_step import go_on, selected, stretched
from frankwolfe.apps.traffic.kernels import bush_growth as growth
from frankwolfe.apps.traffic.kernels import bushes as loops
from frankwolfe.base import Array, InvalidInput, Point, at_least_one
from frankwolfe.base.kernels import may_thread
from frankwolfe.core import Problem, State
from frankwolfe.methods import OwnSteps, check_accepted

__all__ = ["BushMethod", "bushes"]


DIAL = """\
@article{dial2006path,
  author  = {Dial, Robert B.},
  title   = {A path-based user-equilibrium traffic assignment algorithm that obviates path
             storage and enumeration},
  journal = {Transportation Research Part B},
  volume  = {40}, number = {10}, pages = {917--936}, year = {2006}
}"""


@dataclass(frozen=True)
class BushMethod(OwnSteps):
    """Method that :func:`bushes` returns."""

    sweeps: int = 4
    name: str = "bushes"
    reference: str = DIAL
    patience = 0  # Bushes.watch ends a run without progress

    def accepts(self, problem: Problem) -> str | None:
        """None for Beckmann's function over flows of the same network, else why not."""
        f, flows = problem.objective, problem.region
        if not isinstance(f, Beckmann) or not isinstance(flows, Flows):
            return (
                "bushes() minimizes Beckmann's function over Flows, not "
                f"{type(f).__name__} over {type(flows).__name__}: use method=None."
            )
        if f.network is not flows.network or not np.array_equal(f.fixed, flows.demand.fixed):
            return (
                "Beckmann and Flows must be of one network and the same classes: use "
                "Beckmann(network, flows.demand.fixed)."
            )
        return None

    def init(self, problem: Problem, x0: Point | None = None) -> State[Bushes]:
        check_accepted(self, problem)
        if x0 is not None:
            raise InvalidInput(
                "bushes() starts from the trips; flows alone do not tell whose they are: drop x0."
            )
        region, memory = cast("Flows", problem.region), _first(problem)
        return self.begin(problem, memory.flows(region.demand.of, region.shape), memory)

    def advance(self, state: State[Bushes]) -> None:
        """Sweep `sweeps` times over all bushes; they grow before every other one.

        A joint step follows the others: along all changes, or now and then along those of subsets.
        """
        region: Any = state.problem.region
        flows = np.ascontiguousarray(state.x.reshape(region.shape).sum(axis=0))
        for sweep in range(self.sweeps):
            if sweep % 2 == 0:
                _grow(state, flows)
            before = state.memory.loads.copy()
            _even(state, flows)
            if state.due():
                break
            if sweep % 2:
                slow = state.memory.since > 0  # then subsets of far-going bushes are tried, too
                go_on(state, flows, before, stretched if sweep % 4 == 1 or not slow else selected)
        else:  # the last joint step has left bushes uneven
            _even(state, flows)
        state.iterate.jump(state.memory.flows(region.demand.of, region.shape))
        state.step = 1.0
        state.k += 1
        self.evaluate(state)
        state.memory.watch(state)


def _first(problem: Problem) -> Bushes:
    """Bushes at the start: a shortest path tree for each origin."""
    times, roads, blocks = loop_arguments(problem)
    count = blocks.origins.size
    size = count * (roads.first.size - 2)
    begin = np.zeros(count + 1, dtype=np.int64)
    links, loads = np.empty(size, dtype=np.int32), np.empty(size)
    loops.first_bushes(times, roads, blocks, np.zeros(roads.tails.size), begin, links, loads)
    end = int(begin[-1])
    gaps = np.full(count, math.inf)
    return Bushes(begin, links[:end].copy(), loads[:end].copy(), gaps, roads.tails.size)


def _grow(state: State[Bushes], flows: Array) -> None:
    """Drop links without flow from every bush, and add shortcuts."""
    times, roads, blocks = loop_arguments(state.problem)
    memory, count = state.memory, blocks.origins.size
    most = max(64, roads.first.size // 4)  # links a bush may gain at once, which bounds the arrays
    room = int(memory.begin[-1]) + count * most
    sizes = np.zeros(count, dtype=np.int64)
    links, loads = np.empty(room, dtype=np.int32), np.empty(room)
    threads = may_thread() and roads.tails.size * count > MIN_THREADED_WORK
    (growth.grow_in_parts if threads else growth.grow)(
        times, roads, blocks, flows, memory.begin, memory.links, memory.loads,
        most, sizes, links, loads,
    )  # fmt: skip
    memory.begin = np.append(0, np.cumsum(sizes))
    end = int(memory.begin[-1])
    memory.links, memory.loads = links[:end].copy(), loads[:end].copy()


def _even(state: State[Bushes], flows: Array) -> None:
    """Shift flow in every bush from longest used ways to shortest ones, by Newton steps."""
    memory = state.memory
    arrays = memory.begin, memory.links, memory.loads, memory.gaps
    loops.even(*loop_arguments(state.problem), flows, *arrays)


def bushes(sweeps: int = 4) -> BushMethod:
    r"""Algorithm B: acyclic bushes of links for each origin, whose ways take equal times.

    .. code-block:: text

        for each origin: its bush <- the shortest path tree
        repeat
            for each origin
                drop links without flow; add those that are shortcuts
                for each node of the bush, from the last to the first
                    move flow from its longest used way to its shortest (Newton's step)
            go on along what all origins together have moved (line search)

    Origins are blocks, and a step is a corrective one over the ways seen: it moves flow between
    these alone, and needs no more memory than the links used for each origin.

    Parameters
    ----------
    sweeps : int
        Passes over all bushes in a step of the loop; they grow in every other one.

    References
    ----------
    R. B. Dial, *A path-based user-equilibrium traffic assignment algorithm that obviates path
    storage and enumeration*, Transportation Research B, 2006.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> from frankwolfe import traffic
    >>> network, trips = traffic.braess()
    >>> result = fw.minimize(
    ...     fw.traffic.Beckmann(network), traffic.Flows(network, trips), method=traffic.bushes()
    ... )
    >>> result.x.round(3)
    array([4., 2., 2., 2., 4.])
    """
    return BushMethod(at_least_one("sweeps", sweeps))
