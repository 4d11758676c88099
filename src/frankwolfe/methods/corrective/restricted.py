"""Corrective steps in a few variables, over regions that offer a part of themselves."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.blas import one_thread
from frankwolfe.base.clock import Pieces
from frankwolfe.base.memory import Memory
from frankwolfe.base.roots import full_or_newton
from frankwolfe.core.atoms import Vertex
from frankwolfe.core.region_abilities import Restriction
from frankwolfe.core.state import State
from frankwolfe.objectives import Objective

__all__ = ["Chosen", "restricted_step"]

SHARE = 1e-3  # of the gap, to which the restricted problem is solved
FIRST = 25  # groups taken in by the first step; twice as many by each one after it
NEWTON = 50  # steps on one restricted problem, at most,
FEWEST = 3  # and at least, where they cost much
WORK = 5e9  # operations of all of them together, about
WIDE = 2000  # variables up to which a Hessian is formed
ROUNDING = 1e-13  # a promise so much smaller than f cannot be checked: the full step is best
PROGRESS, STALE = 0.9, 5  # Newton steps that leave more than this share of the gap end it
SHRINK = 0.9  # a step of all variables is worth its pass where so few are left to move


class Chosen(Memory):
    """The variables of the restricted problem, with their columns.

    `curvature` is that of f along the last step of all variables, over its squared length;
    `movable` is how many could move before it.
    """

    __slots__ = ("columns", "curvature", "indices", "movable")

    def __init__(self, objective: Objective) -> None:
        self.columns = objective.columns()
        self.indices: Indices = np.empty(0, dtype=np.int64)
        self.curvature = 0.0
        self.movable = 0

    def choose(self, wanted: Indices) -> None:
        """These variables, and as many of those that are there where their Hessian is kept."""
        known = np.isin(wanted, self.indices)
        spare = wanted.size if self.columns.whole.quadratic else 0
        if self.indices.size - int(known.sum()) > spare:
            keep = np.isin(self.indices, wanted)
            self.columns.keep(keep)
            self.indices = self.indices[keep]
        for few in self.columns.portions(wanted[~known], self.indices.size):
            self.columns.add(_axes(few))
            self.indices = np.concatenate([self.indices, few])

    def pack(self) -> dict[str, Array]:
        """Places, numbers and Hessian; columns are taken again."""
        numbers = {"curvature": self.curvature, "movable": self.movable, "indices": self.indices}
        return {**{k: np.asarray(v) for k, v in numbers.items()}, **self.columns.pack()}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Take what `pack` gave."""
        self.curvature, self.movable = float(arrays["curvature"]), int(arrays["movable"])
        self.indices = np.array(arrays["indices"])
        self.columns.restore(_axes(self.indices), arrays["hessian"])


def _axes(places: Indices) -> list[Vertex]:
    return [Vertex(place, 1.0) for place in places.tolist()]


def restricted_step(state: State[Chosen], several: int) -> None:
    """One step over a region in the variables that it names, or over a box in all of them."""
    region, chosen = state.problem.region, state.memory
    x = state.iterate.point.array()
    count = min(several, FIRST * 2 ** min(state.k, 20))
    places = region.candidates(x, state.gradient, state.above, count, WIDE)
    if region.boxlike and _are_many(places.size, several, chosen):
        _wide(state, chosen, x)
        return
    chosen.choose(places)
    _correct(state, chosen, x, region.part(x, chosen.indices))


def _are_many(movable: int, several: int, chosen: Chosen) -> bool:
    """Whether a step of all variables comes first, which may put many of them on a bound.

    How many there were is kept for the next step.
    """
    fewer = chosen.movable == 0 or movable < SHRINK * chosen.movable
    many = movable > WIDE or (movable > several and fewer)
    chosen.movable = movable if many else 1  # from 1 on in few variables
    return many


def _wide(state: State, chosen: Chosen, x: Array) -> None:
    """A step of all variables: against the gradient, as long as the last one was curved.

    The first is toward the oracle's atom. Entries that meet a bound stay on it.
    """
    bounds = state.problem.region.bounds(x.size)
    lower, upper = (bound.astype(x.dtype, copy=False) for bound in bounds)
    if chosen.curvature > 0.0:
        d = np.clip(x - state.gradient / x.dtype.type(chosen.curvature), lower, upper) - x
    else:
        d = state.atom.dense(x.size).astype(x.dtype) - x
    dz = np.empty_like(state.iterate.image)
    state.problem.objective.image(d, dz)
    t = state.step = _search(state, state.problem.objective, state.iterate.image, dz)
    bend = state.problem.objective.along(state.iterate.image, dz, t)[2]
    chosen.curvature = float(bend or 0.0) / max(float(d @ d), 1e-300)
    state.iterate.jump(np.clip(x + t * d, lower, upper), state.iterate.image + t * dz)


def _correct(state: State, chosen: Chosen, x: Array, part: Restriction) -> None:
    """Minimize f in the chosen variables, by Newton's method; A is not touched."""
    columns, places = chosen.columns, chosen.indices
    state.step = 1.0
    if not places.size:  # x is a vertex and the best point
        state.iterate.jump(x, state.iterate.image)
        return
    objective = columns.objective
    rounding = 1e-15 * (abs(state.value) + abs(state.above))
    enough = max(SHARE * state.model_gap, rounding)
    y: Array = x[places].astype(np.float64)
    image = state.iterate.image
    z = image[columns.places]
    slope = np.empty_like(z)
    best, stale, steps = math.inf, 0, Pieces()
    for _ in range(_affordable(places.size, z.size)):
        if state.due() or steps.due():
            break
        r = columns.derivative(z, slope)
        gap = part.gap(r, y)
        best, stale = (gap, 0) if gap < PROGRESS * best else (best, stale + 1)
        if not gap > enough or stale == STALE:
            break
        H = columns.hessian(z)
        tolerance = 0.5 * enough if objective.quadratic else 0.01 * gap
        with one_thread():
            goal = part.minimize(H, r - H @ y, y, tolerance)
        d = goal - y
        dz, promised = columns.combine(d), -float(r @ d)
        exact = objective.quadratic or promised <= ROUNDING * abs(state.value)
        t = objective.max_step(z, dz, 1.0) if exact else _search(state, objective, z, dz)
        if t == 0.0 or not d.any():
            break
        y, z = goal if t == 1.0 else y + t * d, columns.ahead(z, dz, t)
    x[places] = y
    image = image.copy()
    image[columns.places] = z
    state.iterate.jump(x, image)


def _affordable(variables: int, rows: int) -> int:
    """How many Newton steps; the next step of the method goes on where these end."""
    return int(min(max(WORK / (variables**2 * (variables + rows)), FEWEST), NEWTON))


def _search(state: State, objective: Objective, z: Array, dz: Array) -> float:
    """How far to go along dz, at most 1."""
    return full_or_newton(state.line(dz, z, objective), objective.max_step(z, dz, 1.0))
