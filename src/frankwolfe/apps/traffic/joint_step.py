"""Joint step: all bushes together go on along what a sweep has moved in them one by one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import cast

import numpy as np

from frankwolfe.apps.traffic.bush_memory import Bushes, loop_arguments
from frankwolfe.apps.traffic.flows import Flows
from frankwolfe.apps.traffic.kernels import bushes as loops
from frankwolfe.base import Array
from frankwolfe.core import State

__all__ = ["go_on", "selected", "stretched"]

SLOPE_ROUNDING = 1e-13  # of TSTT; a slope closer to 0 may be rounding of the loads
JOINT_STEP_GAP = 1e-2  # relative gap below which bushes move together; above, it delays the sweeps
MIN_REPEATS = (1e5, 1e3, 30.0, 3.0)  # sweeps that a bush's loads must allow; each set is tried
MAX_REPEATS = 1e9  # sweeps; bounds the line search where no load falls at all

Ways = Callable[[State[Bushes], Array, Array], Iterator[tuple[Array, float]]]
"""Function that yields directions (changes of loads) and the longest step along each."""


def go_on(state: State[Bushes], flows: Array, before: Array, ways: Ways) -> None:
    """Line search along the last sweep of many bushes at once, with loads kept >= 0.

    In a sweep each origin sees the full slope of the links it shares, and so moves little. Where
    one origin makes room for another, total flows hardly change, that slope does not count, and
    together they can move far. Far from the equilibrium this only gets in the way of the sweeps.
    """
    memory, f = state.memory, state.problem.objective
    region = cast("Flows", state.problem.region)
    if not state.model_gap < JOINT_STEP_GAP * state.above:
        return
    z, dz = f.new_image(), f.new_image()
    f.image(memory.flows(region.demand.of, region.shape), z)
    best, step, value = None, 0.0, math.inf
    for moved, longest in ways(state, memory.loads - before, z):
        f.image(memory.flows(region.demand.of, region.shape, moved), dz)
        if not f.along(z, dz, 0.0)[1] < -SLOPE_ROUNDING * state.above:
            continue  # no descent: loads are rounded, so that their change is no exact circulation
        length = state.line_search(dz, longest, z)
        reached, _, _ = f.along(z, dz, length)
        if length > 0.0 and reached < value:
            best, step, value = moved, length, reached
    if best is None:
        return
    _, roads, blocks = loop_arguments(state.problem)
    loops.add_loads(roads, blocks, memory.begin, memory.links, memory.loads, best, step)
    flows[:] = memory.flows(region.demand.of, region.shape).reshape(region.shape).sum(axis=0)


def stretched(state: State[Bushes], moved: Array, z: Array) -> Iterator[tuple[Array, float]]:
    """The change of all loads, stretched by Newton's step -f'/f'' and cut where a load is 0."""
    memory, f, dz = state.memory, state.problem.objective, state.problem.objective.new_image()
    region = cast("Flows", state.problem.region)
    f.image(memory.flows(region.demand.of, region.shape, moved), dz)
    _, slope, curvature = f.along(z, dz, 0.0)
    if slope < 0.0 and curvature:
        _, roads, blocks = loop_arguments(state.problem)
        ahead = memory.loads.copy()
        loops.add_loads(roads, blocks, memory.begin, memory.links, ahead, moved, -slope / curvature)
        yield ahead - memory.loads, 1.0


def selected(state: State[Bushes], moved: Array, z: Array) -> Iterator[tuple[Array, float]]:
    """The changes of those bushes alone that can be repeated at least MIN_REPEATS times."""
    begin = state.memory.begin
    repeats = loops.reaches(begin, state.memory.loads, moved)
    for least in MIN_REPEATS:
        far = repeats >= least
        if far.any():
            some = np.where(np.repeat(far, np.diff(begin)), moved, 0.0)
            yield some, min(float(repeats[far].min()), MAX_REPEATS)
