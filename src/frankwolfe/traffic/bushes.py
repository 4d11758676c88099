"""The method that wins: bushes of used links, kept for each origin, whose ways are evened out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.base import OwnSteps, check_accepted
from frankwolfe.numerics.arrays import Array, Indices
from frankwolfe.numerics.checks import at_least_one
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.kernels import bush_growth as growth
from frankwolfe.numerics.kernels import bushes as loops
from frankwolfe.numerics.kernels import may_thread
from frankwolfe.numerics.memory import Memory
from frankwolfe.numerics.roads import Blocks, Roads, Times
from frankwolfe.traffic.beckmann import Beckmann
from frankwolfe.traffic.flows import THREADED, Flows

__all__ = ["BushMethod", "Bushes", "bushes"]

NEARBY = 1e-2  # of what all trips cost, the gap below which bushes move together
FARTHER, FARTHEST = (1e5, 1e3, 30.0, 3.0), 1e9  # how often a sweep is done again, as one step
ROUNDING = 1e-13  # of what all trips cost: a slope that is less may be rounding of loads
PATIENCE = 200  # steps in which the gap does not fall by a tenth: there is no progress

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

    best: float = math.inf  # the least gap so far
    since: int = 0  # steps since it fell by a tenth

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
        """Take the lengths of a checkpoint's arrays, whose bushes are others."""
        self.links = np.zeros(arrays["links"].size, dtype=np.int32)
        self.loads = np.zeros(arrays["loads"].size)


@dataclass(frozen=True)
class BushMethod(OwnSteps):
    """See :func:`bushes`."""

    sweeps: int = 4
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
        region, memory = cast("Flows", problem.region), _first(problem)
        return self.begin(problem, memory.flows(region.demand.of, region.shape), memory)

    def advance(self, state: State[Bushes]) -> None:
        """Even out all bushes a few times; every other time they grow first."""
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
                _go_on(state, flows, before, all_of_them=sweep % 4 == 1)
        state.iterate.jump(state.memory.flows(region.demand.of, region.shape))
        state.step = 1.0
        state.k += 1
        self.evaluate(state)
        state.memory.watch(state)


def _loop_arguments(problem: Problem) -> tuple[Times, Roads, Blocks]:
    f, region = cast("Beckmann", problem.objective), cast("Flows", problem.region)
    times = Times(f.cost.kinds, f.cost.table, f.fixed)
    return times, region.network.roads, Blocks(*region.demand[2:])


def _first(problem: Problem) -> Bushes:
    """A shortest path tree for each origin."""
    times, roads, blocks = _loop_arguments(problem)
    count = blocks.origins.size
    size = count * (roads.first.size - 2)
    begin = np.zeros(count + 1, dtype=np.int64)
    links, loads = np.empty(size, dtype=np.int32), np.empty(size)
    loops.first_bushes(times, roads, blocks, np.zeros(roads.tails.size), begin, links, loads)
    end = int(begin[-1])
    return Bushes(begin, links[:end].copy(), loads[:end].copy(), np.full(count, math.inf))


def _grow(state: State[Bushes], flows: Array) -> None:
    """Drop links without flow, and add shortcuts: in every bush."""
    times, roads, blocks = _loop_arguments(state.problem)
    memory, count = state.memory, blocks.origins.size
    most = max(64, roads.first.size // 4)
    room = int(memory.begin[-1]) + count * most
    sizes = np.zeros(count, dtype=np.int64)
    links, loads = np.empty(room, dtype=np.int32), np.empty(room)
    threads = may_thread() and roads.tails.size * count > THREADED
    (growth.grow_in_parts if threads else growth.grow)(
        times, roads, blocks, flows, memory.begin, memory.links, memory.loads,
        most, sizes, links, loads,
    )  # fmt: skip
    memory.begin = np.append(0, np.cumsum(sizes))
    end = int(memory.begin[-1])
    memory.links, memory.loads = links[:end].copy(), loads[:end].copy()


def _even(state: State[Bushes], flows: Array) -> None:
    """Even out the ways of every bush."""
    memory = state.memory
    arrays = memory.begin, memory.links, memory.loads, memory.gaps
    loops.even(*_loop_arguments(state.problem), flows, *arrays)


def _go_on(state: State[Bushes], flows: Array, before: Array, *, all_of_them: bool) -> None:
    """Go on along the last sweep, of many bushes together, as far as f falls and loads stay >= 0.

    Origins in turn see the slope of a link that they share, and move little; where one makes room
    for another that slope does not count, and together they move far. Far from the equilibrium it
    only gets in the way of the sweeps.
    """
    memory, f = state.memory, state.problem.objective
    region = cast("Flows", state.problem.region)
    if not state.model_gap < NEARBY * state.above:
        return
    z, dz = f.new_image(), f.new_image()
    f.image(memory.flows(region.demand.of, region.shape), z)
    ways = _stretched if all_of_them else _selected
    best, step, value = None, 0.0, math.inf
    for moved, longest in ways(state, memory.loads - before, z):
        f.image(memory.flows(region.demand.of, region.shape, moved), dz)
        if not f.along(z, dz, 0.0)[1] < -ROUNDING * state.above:
            continue  # loads are rounded, and what they have moved is no circulation
        length = state.line_search(dz, longest, z)
        reached, _, _ = f.along(z, dz, length)
        if length > 0.0 and reached < value:
            best, step, value = moved, length, reached
    if best is None:
        return
    _, roads, blocks = _loop_arguments(state.problem)
    loops.add_loads(roads, blocks, memory.begin, memory.links, memory.loads, best, step)
    flows[:] = memory.flows(region.demand.of, region.shape).reshape(region.shape).sum(axis=0)


def _stretched(state: State[Bushes], moved: Array, z: Array) -> Iterator[tuple[Array, float]]:
    """What all have moved, as far as Newton's step goes; no load falls below zero."""
    memory, f, dz = state.memory, state.problem.objective, state.problem.objective.new_image()
    region = cast("Flows", state.problem.region)
    f.image(memory.flows(region.demand.of, region.shape, moved), dz)
    _, slope, bend = f.along(z, dz, 0.0)
    if slope < 0.0 and bend:
        _, roads, blocks = _loop_arguments(state.problem)
        ahead = memory.loads.copy()
        loops.add_loads(roads, blocks, memory.begin, memory.links, ahead, moved, -slope / bend)
        yield ahead - memory.loads, 1.0


def _selected(state: State[Bushes], moved: Array, z: Array) -> Iterator[tuple[Array, float]]:
    """What those have moved whose loads let them go on for long: for some lengths."""
    begin = state.memory.begin
    reach = loops.reaches(begin, state.memory.loads, moved)
    for least in FARTHER:
        far = reach >= least
        if far.any():
            some = np.where(np.repeat(far, np.diff(begin)), moved, 0.0)
            yield some, min(float(reach[far].min()), FARTHEST)


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
        How often a step of the loop goes through all bushes; every other time they grow.

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
    return BushMethod(at_least_one("sweeps", sweeps))
