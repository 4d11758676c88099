"""Corrective steps in a few variables, over boxes and group balls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from frankwolfe.core.state import State
from frankwolfe.methods.corrective.columns import Columns
from frankwolfe.numerics.arrays import Array, Indices
from frankwolfe.numerics.atoms import Vertex
from frankwolfe.numerics.blas import one_thread
from frankwolfe.numerics.memory import Memory
from frankwolfe.numerics.quadratics.box import box_gap, minimize_over_box
from frankwolfe.numerics.quadratics.group import group_gap, minimize_over_groups
from frankwolfe.numerics.scalar import full_or_newton
from frankwolfe.objectives import Objective
from frankwolfe.regions import GroupBall
from frankwolfe.regions.select import smallest

__all__ = ["Chosen", "box_step", "group_step"]

SHARE = 1e-3  # of the gap, to which the restricted problem is solved
FIRST = 25  # groups taken in by the first look; twice as many by each one after it
NEWTON = 50  # steps on one restricted problem, at most
WIDE = 2000  # variables up to which a Hessian is formed
ROUNDING = 1e-13  # a promise so much smaller than f cannot be checked: the full step is best
SHRINK = 0.9  # a step of all variables is worth its pass where so few are left to move


class Part(Protocol):
    """The region in the chosen variables, while the others stay where they are."""

    def gap(self, r: Array, x: Array) -> float:
        """<r, x> minus its minimum."""

    def minimize(self, H: Array, c: Array, x: Array, tolerance: float) -> Array:
        """The minimizer of the quadratic with Hessian H and linear term c, from x."""


@dataclass(frozen=True)
class _Box:
    lower: Array
    upper: Array

    def gap(self, r: Array, x: Array) -> float:
        return box_gap(r, x, self.lower, self.upper)

    def minimize(self, H: Array, c: Array, x: Array, tolerance: float) -> Array:
        return minimize_over_box(H, c, self.lower, self.upper, x, tolerance)


@dataclass(frozen=True)
class _Groups:
    starts: Indices
    radius: float

    def gap(self, r: Array, x: Array) -> float:
        return group_gap(r, x, self.starts, self.radius)

    def minimize(self, H: Array, c: Array, x: Array, tolerance: float) -> Array:
        return minimize_over_groups(H, c, self.starts, self.radius, x, tolerance)


class Chosen(Memory):
    """The variables of the restricted problem, with their columns.

    `curvature` is that of f along the last step of all variables, over its squared length;
    `movable` is how many could move before it.
    """

    __slots__ = ("columns", "curvature", "indices", "movable")

    def __init__(self, objective: Objective) -> None:
        self.columns = Columns(objective)
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
        if not known.all():
            self.columns.add(_axes(wanted[~known]))
            self.indices = np.concatenate([self.indices, wanted[~known]])

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


def box_step(state: State[Chosen], several: int) -> None:
    """One step over a box, in all variables or in the few that can move."""
    region, chosen, n = state.problem.region, state.memory, state.problem.n
    x, g = state.iterate.point.array(), state.gradient
    lower, upper = (bound.astype(x.dtype) for bound in region.bounds(n))
    movable = np.flatnonzero(~np.where(g > 0.0, x <= lower, x >= upper))
    fewer = chosen.movable == 0 or movable.size < SHRINK * chosen.movable
    if movable.size > WIDE or (movable.size > several and fewer):
        chosen.movable = movable.size
        _wide(state, chosen, x, lower, upper)
        return
    chosen.movable = 1  # from now on in few variables
    chosen.choose(movable)
    lower, upper = (bound[chosen.indices].astype(np.float64) for bound in (lower, upper))
    _correct(state, chosen, x, _Box(lower, upper))


def group_step(state: State[Chosen], several: int) -> None:
    """One step over a group ball, in the groups that are not zero and the best others."""
    region, chosen = state.problem.region, state.memory
    assert isinstance(region, GroupBall)
    x = state.iterate.point.array()
    steep, support = region.norms(state.gradient), np.flatnonzero(region.norms(x))
    count = max(min(several, FIRST * 2 ** min(state.k, 20)), support.size)
    best = smallest(-steep, min(count, steep.size))
    best = best[-region.radius * steep[best] < state.above]
    best = best[np.argsort(-steep[best], kind="stable")]
    sizes = np.bincount(region.groups)[best]
    best = best[: 1 + int(np.searchsorted(np.cumsum(sizes), WIDE))]
    chosen.choose(region.entries(np.union1d(support, best))[0])
    labels = region.groups[chosen.indices]
    starts = np.flatnonzero(np.diff(labels, prepend=-1))
    _correct(state, chosen, x, _Groups(starts, region.radius))


def _wide(state: State, chosen: Chosen, x: Array, lower: Array, upper: Array) -> None:
    """A step of all variables: against the gradient, as long as the last one was curved.

    The first is toward the oracle's atom. Entries that meet a bound stay on it.
    """
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


def _correct(state: State, chosen: Chosen, x: Array, part: Part) -> None:
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
    for _ in range(NEWTON):
        objective.linearize(z, slope)
        r = columns.slopes(slope)
        gap = part.gap(r, y)
        if not gap > enough:
            break
        H = columns.hessian(z)
        tolerance = 0.5 * enough if objective.quadratic else 0.01 * gap
        with one_thread():
            goal = part.minimize(H, r - H @ y, y, tolerance)
        d = goal - y
        dz, promised = columns.combine(d), -float(r @ d)
        exact = objective.quadratic or promised <= ROUNDING * abs(state.value)
        t = objective.reach(z, dz, 1.0) if exact else _search(state, objective, z, dz)
        if t == 0.0 or not d.any():
            break
        y, z = goal if t == 1.0 else y + t * d, z + t * dz
    x[places] = y
    image = image.copy()
    image[columns.places] = z
    state.iterate.jump(x, image)


def _search(state: State, objective: Objective, z: Array, dz: Array) -> float:
    """How far to go along dz, at most 1."""
    return full_or_newton(state.line(dz, z, objective), objective.reach(z, dz, 1.0))
