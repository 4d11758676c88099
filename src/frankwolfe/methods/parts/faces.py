"""Pairwise directions by the smallest face that holds x, without an active set."""

from __future__ import annotations

from dataclasses import dataclass

from frankwolfe.base.arrays import Point
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.memory import Memory
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.region_abilities import Faces
from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import Direction
from frankwolfe.methods.parts.directions import aim_between, start_vertex

__all__ = ["FacePairwise"]


@dataclass(frozen=True)
class FacePairwise(Direction[Memory]):
    """Pairwise direction d = s - a, from the worst vertex a of the smallest face that holds x."""

    needs_tangent = True

    def memory(self, problem: Problem) -> Memory:
        if problem.region.faces is None:
            raise InvalidInput(
                "decomposition_invariant() needs the face of a point, which "
                f"{type(problem.region).__name__} does not offer: use away_step() or "
                "blended_pairwise()."
            )
        return Memory()

    def start(self, problem: Problem, x0: Start, memory: Memory) -> tuple[Point, ActiveSet | None]:
        vertex = start_vertex(problem) if x0 is None else None
        if vertex is not None:
            return vertex.dense(problem.n).astype(problem.objective.dtype), None
        return _faces(problem).snap_to_face(problem.start(x0)), None

    def aim(self, state: State, memory: Memory) -> None:
        faces, x, new = _faces(state.problem), state.iterate.point.array(), state.atom
        old = faces.face_atom(state.gradient, x)
        slope = state.above - state.model_gap - old.dot(state.gradient)  # <g, s - a>
        aim_between(state, new, old, slope, faces.face_step(x, new, old))

    def moved(self, state: State, gamma: float, memory: Memory) -> None:
        """Put x on the smaller face that the largest step reaches, without rounding.

        An entry that is zero but for rounding would hold the next face at the old dimension.
        """
        if gamma >= state.direction.largest:
            state.iterate.point.snap_to(_faces(state.problem).snap_to_face(state.x))


def _faces(problem: Problem) -> Faces:
    """Faces of a region that has been found to have them."""
    faces = problem.region.faces
    assert faces is not None
    return faces
