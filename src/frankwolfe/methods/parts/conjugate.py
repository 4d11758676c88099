"""Conjugate directions: toward a mixture of the oracle's atom and the last targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from frankwolfe.base.arrays import Array, Matrix, Point
from frankwolfe.base.blas import one_thread
from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.foreign import like
from frankwolfe.base.memory import Memory
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.atoms import Dense
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.state import SearchDirection, State
from frankwolfe.methods.base import without_curvature
from frankwolfe.methods.parts.base import Direction

__all__ = ["Biconjugate", "Conjugate"]


@dataclass(slots=True)
class Targets(Memory):
    """Targets s_{k-1}, s_{k-2} of the last steps, points of the region, with their images."""

    points: Array  # one row each
    images: Matrix  # one column each
    known: int = 0  # number of targets since the last step that was conjugate to nothing
    step: float = 0.0  # gamma_{k-1}, the size of the latest step

    def keep(self, x: Array, image: Array, step: float) -> None:
        """Remember the target x of a step of size < 1; the oldest one is forgotten."""
        self.points[1:], self.images[:, 1:] = self.points[:-1], self.images[:, :-1]
        self.points[0], self.images[:, 0] = x, image
        self.known, self.step = min(self.known + 1, len(self.points)), step

    def restore(self, arrays: Mapping[str, Array]) -> None:
        known, step = int(arrays["known"]), float(arrays["step"])
        if not (0 <= known <= len(self.points) and 0.0 <= step < 1.0):
            raise ValueError(f"no {known} targets are known after a step of {step}")
        self.points, self.images = arrays["points"].copy(), like(self.images, arrays["images"])
        self.known, self.step = known, step


@dataclass(frozen=True)
class Conjugate(Direction[Targets]):
    r"""Toward a mixture of the oracle's atom and the last target, conjugate to the last direction.

    The mixture lies in the region, so the largest step is 1. Directions are conjugate by the
    second derivatives at x, :math:`\langle Ad, \varphi''(Ax) A\bar d \rangle = 0`.

    It begins again with a step toward the atom after one that went all the way, or nowhere; where
    f has no curvature along the last direction, or none that is a number; and where f would not
    fall, which the minimizer along the last direction rules out.

    Parameters
    ----------
    least : float
        Smallest weight of the atom, above 0; with 1 every step is one toward the atom.
    """

    least: float = 0.01
    needs_tangent = True
    targets: ClassVar[int] = 1  # number of targets kept

    def __post_init__(self) -> None:
        number("least", self.least, above=0.0, high=1.0)

    def memory(self, problem: Problem) -> Targets:
        refusal = without_curvature(type(self).__name__, problem)
        if refusal is not None:
            raise InvalidInput(refusal)
        f = problem.objective
        images = f.place.columns(f.m, self.targets, f.dtype)
        images[:] = 0.0
        return Targets(np.zeros((self.targets, f.n), dtype=f.dtype), images)

    def start(self, problem: Problem, x0: Start, memory: Targets) -> tuple[Point, ActiveSet | None]:
        return problem.start(x0), None

    def aim(self, state: State, memory: Targets) -> None:
        state.aim_at_atom()
        if memory.known and self.least < 1.0:
            self._aim_at_mixture(state, memory)

    def _aim_at_mixture(self, state: State, memory: Targets) -> None:
        """Set the direction to the mixture s_k, unless f would not fall along it."""
        objective, dtype = state.problem.objective, state.problem.objective.dtype
        d, second = _directions(state, memory), objective.second_order
        assert second is not None  # `memory` has asked
        with one_thread():
            curvature = second.hessian(state.iterate.image, d, d)
        if not np.isfinite(curvature).all():
            return
        weights = self.weights(np.asarray(curvature, dtype=np.float64), memory.step)
        past = memory.points[: memory.known]
        slopes = past @ state.gradient - state.above  # <g, s - x>
        slope = float(weights[1:].dot(slopes)) - float(weights[0]) * state.model_gap
        if not (slope < 0.0 and weights[0] < 1.0):  # what is not a number among them, too
            return
        # s_k, (3) of conjugate_fw and (7) of biconjugate_fw
        target = (weights[1:] @ past).astype(dtype, copy=False)
        state.atom.add_to(target, float(weights[0]))
        direction = SearchDirection(-1.0, ((1.0, Dense(target)),), slope, 1.0)
        state.set_direction(direction, objective.place.combination(d, weights, dtype))

    def weights(self, curvature: Array, step: float) -> Array:
        """Weights of the atom and the targets, latest first, summing to one.

        `curvature` holds <d_i, H d_j> for the ways d_0, d_1, ... from x to the atom and targets.
        """
        across, along = float(curvature[0, 1]), float(curvature[1, 1])
        bent = along > 0.0 and across != along  # equal where the atom is the last target
        alpha = across / (across - along) if bent else 0.0  # (2)
        alpha = min(max(alpha, 0.0), 1.0 - self.least)
        return np.array([1.0 - alpha, alpha])

    def moved(self, state: State, gamma: float, memory: Targets) -> None:
        """Remember the target, unless x has arrived there, or has not moved at all."""
        toward = state.direction.toward
        if toward or not 0.0 < gamma < 1.0:
            memory.known = 0
        if not 0.0 < gamma < 1.0:
            return
        if toward:
            memory.keep(state.atom.dense(state.problem.n), state.atom_image, gamma)
            return
        target: Any = state.direction.terms[0][1]
        left = (1.0 - gamma) * state.direction_image()  # image of the way left to the target
        memory.keep(target.array, state.iterate.image + left, gamma)


@dataclass(frozen=True)
class Biconjugate(Conjugate):
    r"""Toward a mixture of the atom and the last two targets, conjugate to two directions.

    The second step after a beginning has one target only, and is that of :class:`Conjugate`.
    """

    targets: ClassVar[int] = 2

    def weights(self, curvature: Array, step: float) -> Array:
        if len(curvature) == 2:
            return Conjugate.weights(self, curvature, step)
        e, d = curvature[0].tolist(), curvature[1].tolist()
        c = (step * curvature[1] + (1.0 - step) * curvature[2]).tolist()  # (4)
        mu = max(-_ratio(c[0], c[2] - c[1]), 0.0)  # (5)
        nu = max(mu * step / (1.0 - step) - _ratio(e[1], d[1]), 0.0)  # (6)
        most = 1.0 - self.least
        whole = max(1.0 + nu + mu, (nu + mu) / most)
        return np.array([1.0 - (nu + mu) / whole, nu / whole, mu / whole])  # (7)


def _ratio(product: float, curvature: float) -> float:
    """Quotient of a product by a curvature; 0 where f does not bend."""
    return product / curvature if curvature > 0.0 else 0.0


def _directions(state: State, memory: Targets) -> Matrix:
    """Images A d of the ways d from x to the atom and to the targets, as columns."""
    objective, known = state.problem.objective, memory.known
    d = objective.place.columns(objective.m, known + 1, objective.dtype)
    d[:, 0], d[:, 1:] = state.atom_image, memory.images[:, :known]
    d -= state.iterate.image[:, None]
    return d
