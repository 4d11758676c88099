"""The method that wins: bushes of used links, kept for each origin, whose ways are evened out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.base import OwnSteps, check_accepted
from frankwolfe.numerics.arrays import Array, Indices
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.kernels import bushes as loops
from frankwolfe.numerics.memory import Memory
from frankwolfe.traffic.beckmann import Beckmann
from frankwolfe.traffic.flows import Flows

__all__ = ["BushMethod", "Bushes", "bushes"]

DIAL = """\
@article{dial2006path,
  author  = {Dial, Robert B.},
  title   = {A path-based user-equilibrium traffic assignment algorithm that obviates path
             storage and enumeration},
  journal = {Transportation Research Part B},
  volume  = {40}, number = {10}, pages = {917--936}, year = {2006}
}"""


@dataclass(slots=True)
class Bushes(Memory):
    """The bushes of all origins, one after the other; see `numerics.kernels.bushes`."""

    begin: Indices  # where each begins; one more number, where the last ends
    links: Indices
    loads: Array  # the flow of its origin on each of its links
    gaps: Array  # what its trips would save on its shortest ways, when it was last seen

    def take_form(self, arrays: Mapping[str, Array]) -> None:
        """Take the lengths of a checkpoint's arrays, whose bushes are others."""
        self.links = np.zeros(arrays["links"].size, dtype=np.int32)
        self.loads = np.zeros(arrays["loads"].size)


@dataclass(frozen=True)
class BushMethod(OwnSteps):
    """See :func:`bushes`."""

    sweeps: int = 3
    name: str = "bushes"
    reference: str = DIAL
    patience = 0

    def accepts(self, problem: Problem) -> str | None:
        """None for Beckmann's function over the flows of the same network."""
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

    def init(self, problem: Problem, x0: Any = None) -> State[Bushes]:
        check_accepted(self, problem)
        if x0 is not None:
            raise InvalidInput(
                "bushes() starts from the trips; flows alone do not tell whose they are: drop x0."
            )
        memory, flows = _first(problem), np.empty(problem.region.shape)  # type: ignore[attr-defined]
        loops.class_flows(memory.begin, memory.links, memory.loads, _demand(problem).of, flows)
        return self.begin(problem, flows.ravel(), memory)

    def advance(self, state: State[Bushes]) -> None:
        """Grow the bushes once, and even out their ways a few times."""
        problem = state.problem
        flows = np.ascontiguousarray(state.x.reshape(problem.region.shape).sum(axis=0))  # type: ignore[attr-defined]
        for sweep in range(self.sweeps + 1):
            _sweep(state, flows, grow=sweep == 0)
            if state.due():
                break
        memory, out = state.memory, np.empty(problem.region.shape)  # type: ignore[attr-defined]
        loops.class_flows(memory.begin, memory.links, memory.loads, _demand(problem).of, out)
        state.iterate.jump(out.ravel())
        state.step = 1.0
        state.k += 1
        self.evaluate(state)


def _demand(problem: Problem) -> Any:
    return problem.region.demand  # type: ignore[attr-defined]


def _graph(problem: Problem) -> tuple[Any, ...]:
    f: Any = problem.objective
    network = f.network
    return f.cost.kinds, f.cost.table, f.fixed, network.tails, network.heads


def _first(problem: Problem) -> Bushes:
    """A shortest path tree for each origin."""
    network, demand = problem.region.network, _demand(problem)  # type: ignore[attr-defined]
    stars, blocks = network.stars, demand.origins.size
    size = blocks * (network.nodes.size - 1)
    begin = np.zeros(blocks + 1, dtype=np.int64)
    links, loads = np.empty(size, dtype=np.int32), np.empty(size)
    loops.first_bushes(
        *_graph(problem), stars.first, stars.order, network.closed,
        *demand[2:], np.zeros(network.size), begin, links, loads,
    )  # fmt: skip
    end = int(begin[-1])
    return Bushes(begin, links[:end].copy(), loads[:end].copy(), np.full(blocks, math.inf))


def _sweep(state: State[Bushes], flows: Array, *, grow: bool) -> None:
    """Even out the ways of every bush, with shortcuts added first where it may grow."""
    network, demand = state.problem.region.network, _demand(state.problem)  # type: ignore[attr-defined]
    stars, memory = network.stars, state.memory
    slack = max(64, network.nodes.size // 4) if grow else 0
    size = int(memory.begin[-1]) + demand.origins.size * slack
    begin, links, loads = (
        np.zeros_like(memory.begin),
        np.empty(size, dtype=np.int32),
        np.empty(size),
    )
    loops.sweep(
        *_graph(state.problem), stars.first, stars.order, stars.entering, stars.entering_first,
        network.closed, *demand[2:], flows,
        memory.begin, memory.links, memory.loads, begin, links, loads,
        memory.gaps, 0.0, grow, 1, slack,
    )  # fmt: skip
    end = int(begin[-1])
    memory.begin, memory.links, memory.loads = begin, links[:end], loads[:end]


def bushes(sweeps: int = 3) -> BushMethod:
    r"""Algorithm B: acyclic bushes of links for each origin, whose ways take equal times.

    .. code-block:: text

        for each origin: its bush <- the shortest path tree
        repeat
            for each origin
                drop links without flow; add those that are shortcuts
                for each node of the bush, from the last to the first
                    move flow from its longest used way to its shortest (Newton's step)

    Origins are blocks, and a step is a corrective one over the ways seen: it moves flow between
    these alone, and needs no more memory than the links used for each origin.

    Parameters
    ----------
    sweeps : int
        How often a step of the loop evens out all bushes after it has grown them.

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
    ...     fw.Beckmann(network), traffic.Flows(network, trips), method=traffic.bushes()
    ... )
    >>> result.x.round(3)
    array([4., 2., 2., 2., 4.])
    """
    return BushMethod(sweeps)
