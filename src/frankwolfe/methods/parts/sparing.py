"""A tangent of which only the entries that may matter are computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import Model
from frankwolfe.numerics.arrays import Array, Indices
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.maps import DenseMap
from frankwolfe.numerics.memory import Memory
from frankwolfe.objectives.losses import LinearLoss
from frankwolfe.regions import L1Ball, Simplex

__all__ = ["SparingTangent"]

SHARE = 0.3  # of the data; where more would have to be read, all are, and the bounds start anew


@dataclass(slots=True)
class Reference(Memory):
    """The last gradient that was computed as a whole, and phi' of which it came."""

    gradient: Array
    slope: Array
    fresh: Array  # room for phi' at the current point
    known: bool = False
    columns: int = 0  # read so far

    def take(self, gradient: Array) -> None:
        """Make the gradient at the current point the reference."""
        self.gradient[:], self.slope[:], self.known = gradient, self.fresh, True
        self.columns += gradient.size


@dataclass(frozen=True)
class SparingTangent(Model[Reference]):
    r"""The tangent of f at x, where vertices are coordinates and A is dense.

    Since the last whole gradient :math:`g = A^\top r`, entry j has moved by no more than
    :math:`\|a_j\| \, \|\varphi'(Ax) - r\|`. Columns whose entry cannot be the oracle's answer,
    by this bound and what rounding may add, are not read, unless an atom of which x is made
    lies there, for which an away step asks. Their entries are filled so that the oracle passes
    them by: its answer, and the gap, are those of the tangent.
    """

    tangent = True

    def memory(self, problem: Problem) -> Reference:
        objective = problem.objective
        if not isinstance(objective, LinearLoss) or not isinstance(objective.linear, DenseMap):
            raise InvalidInput(
                f"sparing() reads columns of dense data, which {objective!r} has not: use the "
                "method without it."
            )
        if not isinstance(problem.region, L1Ball | Simplex) or not problem.region.sparse_atoms:
            raise InvalidInput(
                f"sparing() needs vertices that are single coordinates (L1Ball without a centre, "
                f"Simplex, UnitSimplex), not {problem.region!r}: use the method without it."
            )
        n, m, dtype = objective.n, objective.m, objective.dtype
        return Reference(np.zeros(n, dtype), np.zeros(m, dtype), np.zeros(m, dtype))

    def update(self, state: State, memory: Reference) -> None:
        objective = state.problem.objective
        assert isinstance(objective, LinearLoss)
        assert isinstance(objective.linear, DenseMap)
        state.value, state.above = objective.linearize(state.iterate.image, memory.fresh)
        state.gradient_calls += 1
        places = _that_matter(memory, objective, state) if memory.known else None
        if places is None:
            objective.gradient(memory.fresh, state.gradient)
            memory.take(state.gradient)
            return
        found = objective.linear.adjoint_at(places, memory.fresh)
        memory.columns += places.size
        state.gradient.fill(_passed_by(state, found))
        state.gradient[places] = found


def _merit(state: State, gradient: Array) -> Array:
    """What the oracle minimizes over the coordinates."""
    return -np.abs(gradient) if isinstance(state.problem.region, L1Ball) else gradient


def _passed_by(state: State, found: Array) -> float:
    """An entry that no oracle prefers to those found."""
    if isinstance(state.problem.region, L1Ball):
        return 0.0
    return float(np.nextafter(found.max(), found.dtype.type(np.inf)))


def _that_matter(past: Reference, objective: LinearLoss, state: State) -> Indices | None:
    """Coordinates that may be the oracle's answer, and those of the atoms kept; None: too many."""
    linear = objective.linear
    assert isinstance(linear, DenseMap)
    merit = _merit(state, past.gradient)
    likely = np.array([merit.argmin()])
    best = _merit(state, linear.adjoint_at(likely, past.fresh))[0]
    after, before = (np.linalg.norm(v.astype(np.float64)) for v in (past.fresh, past.slope))
    moved = float(np.linalg.norm(past.fresh.astype(np.float64) - past.slope))
    noise = objective.m * float(np.finfo(objective.dtype).eps) * float(after + before)
    needed = merit - (moved + noise) * linear.column_norms <= best
    if state.active_set is not None:
        needed[state.active_set.touched()] = True
    places = np.flatnonzero(needed)
    too_many = places.size * linear.column_cost > SHARE * objective.n
    return None if too_many else places
