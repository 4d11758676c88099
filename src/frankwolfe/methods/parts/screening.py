"""Screening: a tangent of which only the entries that may decide the oracle are computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.memory import Memory
from frankwolfe.core.maps import DenseMap
from frankwolfe.core.problem import Problem
from frankwolfe.core.region_abilities import CoordinateScores
from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import AffineModel

__all__ = ["ScreenedTangent"]

MAX_READ_SHARE = 0.3  # of A; instead of more a whole gradient is read, which renews the bounds


@dataclass(slots=True)
class Reference(Memory):
    """The last gradient that was computed as a whole, with the phi' it came from."""

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
class ScreenedTangent(AffineModel[Reference]):
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
        if objective.dense_data is None:
            raise InvalidInput(
                f"screening() reads columns of dense data in memory, which {objective!r} has not: "
                "use the method without it."
            )
        if not problem.region.sparse_atoms or problem.region.scores is None:
            raise InvalidInput(
                f"screening() needs vertices that are single coordinates (L1Ball without a centre, "
                f"Simplex, UnitSimplex), not {problem.region!r}: use the method without it."
            )
        n, m, dtype = objective.n, objective.m, objective.dtype
        return Reference(np.zeros(n, dtype), np.zeros(m, dtype), np.zeros(m, dtype))

    def update(self, state: State, memory: Reference) -> None:
        objective, scores = state.problem.objective, state.problem.region.scores
        data = objective.dense_data
        assert data is not None
        assert scores is not None
        state.value, state.above = objective.linearize(state.iterate.image, memory.fresh)
        state.gradient_calls += 1
        places = _that_matter(memory, data, scores, state) if memory.known else None
        if places is None:
            objective.gradient(memory.fresh, state.gradient)
            memory.take(state.gradient)
            return
        found = data.adjoint_at(places, memory.fresh)
        memory.columns += places.size
        state.gradient.fill(scores.passed_by(found))
        state.gradient[places] = found


def _that_matter(
    past: Reference, data: DenseMap, scores: CoordinateScores, state: State
) -> Indices | None:
    """Coordinates that may be the oracle's answer, and those of active atoms; None for too many."""
    objective = state.problem.objective
    merit = scores.merit(past.gradient)
    likely = np.array([merit.argmin()])
    best = scores.merit(data.adjoint_at(likely, past.fresh))[0]
    after, before = (np.linalg.norm(v.astype(np.float64)) for v in (past.fresh, past.slope))
    moved = float(np.linalg.norm(past.fresh.astype(np.float64) - past.slope))
    noise = objective.m * float(np.finfo(objective.dtype).eps) * float(after + before)
    # Cauchy-Schwarz: |g_j - g_j(old)| <= |a_j| |phi' - r|, and what rounding of the sums adds
    needed = merit - (moved + noise) * data.column_norms <= best
    if state.active_set is not None:
        needed[state.active_set.touched()] = True
    places = np.flatnonzero(needed)
    too_many = places.size * data.column_cost > MAX_READ_SHARE * objective.n
    return None if too_many else places
