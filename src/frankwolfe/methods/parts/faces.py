"""Directions that use the smallest face around x instead of an active set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.memory import Memory
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import Direction
from frankwolfe.methods.parts.directions import aim_between, start_vertex

__all__ = ["FacePairwise"]


@dataclass(frozen=True)
class FacePairwise(Direction[Memory]):
    """From the worst vertex of the smallest face around x to the oracle's; no active set."""

    needs_tangent = True

    def memory(self, problem: Problem) -> Memory:
        if not problem.region.vertex_faces:
            raise InvalidInput(
                "decomposition_invariant() needs the face of a point, which "
                f"{type(problem.region).__name__} does not offer: use away_step() or "
                "blended_pairwise()."
            )
        return Memory()

    def start(self, problem: Problem, x0: Any, memory: Memory) -> tuple[Any, ActiveSet | None]:
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
        """Where a smaller face is reached, x is put on it without rounding."""
        if gamma >= state.direction.largest:
            state.iterate.point.snap_to(state.problem.region.snap_to_face(state.x))
