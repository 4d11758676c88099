"""A step of many bushes together, along what they have just moved in turn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import cast

import numpy as np

from frankwolfe.apps.traffic.bush_memory import Bushes, loop_arguments
from frankwolfe.apps.traffic.flows import Flows
from frankwolfe.apps.traffic.kernels import bushes as loops
from frankwolfe.base.arrays import Array
from frankwolfe.core.state import State

__all__ = ["go_on", "selected", "stretched"]

ROUNDING = 1e-13  # of what all trips cost: a slope that is less may be rounding of loads
NEARBY = 1e-2  # of what all trips cost, the gap below which bushes move together
FARTHER, FARTHEST = (1e5, 1e3, 30.0, 3.0), 1e9  # how often a sweep is done again, as one step

Ways = Callable[[State[Bushes], Array, Array], Iterator[tuple[Array, float]]]
"""Directions along which bushes may go on, and how far."""


def go_on(state: State[Bushes], flows: Array, before: Array, ways: Ways) -> None:
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
    _, roads, blocks = loop_arguments(state.problem)
    loops.add_loads(roads, blocks, memory.begin, memory.links, memory.loads, best, step)
    flows[:] = memory.flows(region.demand.of, region.shape).reshape(region.shape).sum(axis=0)


def stretched(state: State[Bushes], moved: Array, z: Array) -> Iterator[tuple[Array, float]]:
    """What all have moved, as far as Newton's step goes; no load falls below zero."""
    memory, f, dz = state.memory, state.problem.objective, state.problem.objective.new_image()
    region = cast("Flows", state.problem.region)
    f.image(memory.flows(region.demand.of, region.shape, moved), dz)
    _, slope, bend = f.along(z, dz, 0.0)
    if slope < 0.0 and bend:
        _, roads, blocks = loop_arguments(state.problem)
        ahead = memory.loads.copy()
        loops.add_loads(roads, blocks, memory.begin, memory.links, ahead, moved, -slope / bend)
        yield ahead - memory.loads, 1.0


def selected(state: State[Bushes], moved: Array, z: Array) -> Iterator[tuple[Array, float]]:
    """What those have moved whose loads let them go on for long: for some lengths."""
    begin = state.memory.begin
    reach = loops.reaches(begin, state.memory.loads, moved)
    for least in FARTHER:
        far = reach >= least
        if far.any():
            some = np.where(np.repeat(far, np.diff(begin)), moved, 0.0)
            yield some, min(float(reach[far].min()), FARTHEST)
