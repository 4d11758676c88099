"""Pairwise directions by the smallest face that holds x, without an active set."""

from __future__ import annotations

from dataclasses import dataclass

from frankwolfe.base.arrays import Point
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.memory import Memory
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import Direction
from frankwolfe.methods.parts.directions import aim_between, start_vertex

__all__ = ["FacePairwise"]


@dataclass(frozen=True)
class FacePairwise(Direction[Memory]):
    """Pairwise direction d = s - a, from the worst vertex a of the smallest face that holds x."""

    needs_tangent = True

    def memory(self, problem: Problem) -> Memory:
        if not problem.region.vertex_faces:
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
        return problem.region.snap_to_face(problem.start(x0)), None

    def aim(self, state: State, memory: Memory) -> None:
        region, x, new = state.problem.region, state.iterate.point.array(), state.atom
        old = region.face_atom(state.gradient, x)
        slope = state.above - state.model_gap - old.dot(state.gradient)  # <g, s - a>
        aim_between(state, new, old, slope, region.face_step(x, new, old))

    def moved(self, state: State, gamma: float, memory: Memory) -> None:
        """Put x on the smaller face that the largest step reaches, without rounding.

        An entry that is zero but for rounding would hold the next face at the old dimension.
        """
        if gamma >= state.direction.largest:
            state.iterate.point.snap_to(state.problem.region.snap_to_face(state.x))
