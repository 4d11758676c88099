"""Corrective steps in a few variables, over regions that can be restricted to them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.blas import one_thread
from frankwolfe.base.clock import Pieces
from frankwolfe.base.memory import Memory
from frankwolfe.base.roots import full_or_newton
from frankwolfe.core.atoms import Vertex
from frankwolfe.core.region_abilities import EntryBounds, Restriction
from frankwolfe.core.state import State
from frankwolfe.methods.corrective.policy import POLICY, Stalling, wanted_gap
from frankwolfe.objectives import Objective

__all__ = ["RestrictedVariables", "restricted_step"]


class RestrictedVariables(Memory):
    """Variables of the restricted problem, with their columns of A.

    `curvature` is <d, H d> / |d|^2 for the last step d of all variables; `movable` the number of
    variables that could move before it.
    """

    __slots__ = ("columns", "curvature", "indices", "movable")

    def __init__(self, objective: Objective) -> None:
        self.columns = objective.columns()
        self.indices: Indices = np.empty(0, dtype=np.int64)
        self.curvature = 0.0
        self.movable = 0

    def choose(self, wanted: Indices) -> None:
        """Take in the wanted variables; for a quadratic f as many old ones stay beside them."""
        known = np.isin(wanted, self.indices)
        spare = wanted.size if self.columns.whole.quadratic else 0
        if self.indices.size - int(known.sum()) > spare:
            keep = np.isin(self.indices, wanted)
            self.columns.keep(keep)
            self.indices = self.indices[keep]
        for portion in self.columns.portions(wanted[~known], self.indices.size):
            self.columns.add(_axes(portion))
            self.indices = np.concatenate([self.indices, portion])

    def pack(self) -> dict[str, Array]:
        """Arrays of indices, counters and the Hessian; columns are computed again."""
        numbers = {"curvature": self.curvature, "movable": self.movable, "indices": self.indices}
        return {**{k: np.asarray(v) for k, v in numbers.items()}, **self.columns.pack()}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Restore the variables from the arrays of `pack`."""
        self.curvature, self.movable = float(arrays["curvature"]), int(arrays["movable"])
        self.indices = np.array(arrays["indices"])
        self.columns.restore(_axes(self.indices), arrays["hessian"])


def _axes(places: Indices) -> list[Vertex]:
    """Unit vectors of these coordinates, as atoms."""
    return [Vertex(place, 1.0) for place in places.tolist()]


def restricted_step(state: State[RestrictedVariables], several: int) -> None:
    """Make a step in the variables that the region names, or over a box in all of them."""
    region, chosen = state.problem.region, state.memory
    restriction = region.restriction
    assert restriction is not None
    x = state.iterate.point.array()
    count = min(several, POLICY.first_groups * 2 ** min(state.k, 20))
    places = restriction.candidates(x, state.gradient, state.above, count, POLICY.max_variables)
    box = region.entry_bounds
    if box is not None and _are_many(places.size, several, chosen):
        _step_of_all(state, chosen, x, box)
        return
    chosen.choose(places)
    _correct(state, chosen, x, restriction.part(x, chosen.indices))


def _are_many(movable: int, several: int, chosen: RestrictedVariables) -> bool:
    """True if a step of all variables comes first, which may put many of them on a bound.

    The number of movable ones is kept for the next step.
    """
    fewer = chosen.movable == 0 or movable < POLICY.movable_left * chosen.movable
    many = movable > POLICY.max_variables or (movable > several and fewer)
    chosen.movable = movable if many else 1  # 1: in few variables from now on
    return many


def _step_of_all(state: State, chosen: RestrictedVariables, x: Array, box: EntryBounds) -> None:
    """Make a projected gradient step of all variables, of size 1 / (curvature of the last one).

    The first is toward the oracle's atom. Entries that meet a bound stay on it.
    """
    lower, upper = (bound.astype(x.dtype, copy=False) for bound in box.bounds(x.size))
    if chosen.curvature > 0.0:
        d = np.clip(x - state.gradient / x.dtype.type(chosen.curvature), lower, upper) - x
    else:
        d = state.atom.dense(x.size).astype(x.dtype) - x
    dz = np.empty_like(state.iterate.image)
    state.problem.objective.image(d, dz)
    t = state.step = _search(state, state.problem.objective, state.iterate.image, dz)
    curvature = state.problem.objective.along(state.iterate.image, dz, t)[2]
    chosen.curvature = float(curvature or 0.0) / max(float(d @ d), 1e-300)
    state.iterate.jump(np.clip(x + t * d, lower, upper), state.iterate.image + t * dz)


def _correct(state: State, chosen: RestrictedVariables, x: Array, part: Restriction) -> None:
    """Minimize f in the chosen variables by Newton's method; A is not read."""
    columns, places = chosen.columns, chosen.indices
    state.step = 1.0
    if not places.size:  # x is a vertex and the best point
        state.iterate.jump(x, state.iterate.image)
        return
    objective = columns.objective
    enough = wanted_gap(state)
    y: Array = x[places].astype(np.float64)
    image = state.iterate.image
    z = image[columns.places]
    slope = np.empty_like(z)
    stalling, steps = Stalling(), Pieces()
    for _ in range(_affordable(places.size, z.size)):
        if state.due() or steps.due():
            break
        r = columns.derivative(z, slope)
        gap = part.gap(r, y)
        stalled = stalling.after(gap)
        if not gap > enough or stalled:
            break
        H = columns.hessian(z)
        tolerance = 0.5 * enough if objective.quadratic else 0.01 * gap
        with one_thread():
            goal = part.minimize(H, r - H @ y, y, tolerance)
        d = goal - y
        dz, promised = columns.combine(d), -float(r @ d)
        exact = objective.quadratic or promised <= POLICY.min_promise * abs(state.value)
        t = objective.max_step(z, dz, 1.0) if exact else _search(state, objective, z, dz)
        if t == 0.0 or not d.any():
            break
        y, z = goal if t == 1.0 else y + t * d, columns.ahead(z, dz, t)
    x[places] = y
    image = image.copy()
    image[columns.places] = z
    state.iterate.jump(x, image)


def _affordable(variables: int, rows: int) -> int:
    """Number of Newton steps at most; the next step of the method goes on where these end."""
    steps = POLICY.newton_work / (variables**2 * (variables + rows))
    return int(min(max(steps, POLICY.min_newton_steps), POLICY.newton_steps))


def _search(state: State, objective: Objective, z: Array, dz: Array) -> float:
    """Step size along dz by Newton's line search, at most 1."""
    return full_or_newton(state.line(dz, z, objective), objective.max_step(z, dz, 1.0))
