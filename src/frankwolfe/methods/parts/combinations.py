"""Combinations: how past iterates enter the next one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import Array
from frankwolfe.base.foreign import like
from frankwolfe.base.memory import M, Memory, group, grouped
from frankwolfe.core.evaluate import Memoryless
from frankwolfe.core.low_rank import FactoredMatrix, pack_point, unpack_point
from frankwolfe.core.points import Compression
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import Combination
from frankwolfe.methods.parts.guard import Guard
from frankwolfe.methods.polynomials import check_parameters, coefficients, omegas

__all__ = ["Jacobi", "JacobiMomentum", "Past", "Stay", "StepSchedule"]

StepSchedule: TypeAlias = tuple[Array, NDArray[np.bool_]]
"""Steps that are known beforehand, and which of them are cut."""


@dataclass(frozen=True)
class Stay(Memoryless, Combination[Memory]):
    """No past: x_{k+1} is where the step led."""

    toward = False
    monotone = True

    def move(self, state: State, gamma: float, memory: Memory) -> float:
        state.go(gamma)
        return gamma

    def schedule(self, memory: Memory, k: Array, gammas: Array) -> StepSchedule:
        """The steps that `move` would take."""
        return gammas, np.zeros(k.size, dtype=bool)


@dataclass(frozen=True)
class _Recurrence(Combination[M]):
    """The parameters of the Jacobi recurrence, checked."""

    alpha: float
    beta: float
    gamma: float
    toward = True
    monotone = False

    def __post_init__(self) -> None:
        check_parameters(self.alpha, self.beta, self.gamma)

    def weights(self, k: int) -> tuple[float, float, float]:
        """a_k, c_k and omega_k = a_k (1 - gamma) + b_k."""
        a, b, c = coefficients(k, self.alpha, self.beta)
        return a, c, a * (1.0 - self.gamma) + b


@dataclass(frozen=True)
class Jacobi(Memoryless, _Recurrence[Memory]):
    r"""Lines 4 to 6 of Algorithm 2, as printed.

    Since :math:`a_k + b_k - c_k = 1` (below equation (4)) they amount to one step of size
    :math:`\omega_k \gamma_k`, with :math:`\omega_k = a_k(1-\gamma) + b_k`. Outside [0, 1] it
    would leave the region, so it is cut to 0 or 1 and counted in `state.cuts`.
    """

    def move(self, state: State, gamma: float, memory: Memory) -> float:
        a, c, omega = self.weights(state.k)
        if not 0.0 <= omega * gamma <= state.limit:
            state.cuts += 1
            step = state.limit if omega > 0.0 else 0.0
            state.iterate.move(state.atom, state.atom_image, step)
            return step
        state.iterate.move(state.atom, state.atom_image, gamma)  # line 4: y_{k+1}
        state.iterate.combine(omega, -c)  # line 5: z_{k+1} = omega_k y_{k+1} - c_k x_k
        state.iterate.combine(1.0, self.gamma * a)  # line 6: x_{k+1} = z_{k+1} + gamma a_k x_k
        return omega * gamma

    def schedule(self, memory: Memory, k: Array, gammas: Array) -> StepSchedule:
        """The steps that `move` would take where f is finite everywhere, for k >= 1."""
        weights = omegas(k, self.alpha, self.beta, self.gamma)
        steps = weights * gammas
        cut = ~((steps >= 0.0) & (steps <= 1.0))
        return np.where(cut, np.where(weights > 0.0, 1.0, 0.0), steps), cut


@dataclass(slots=True)
class Past(Guard):
    """The point before, and the guard of a combination with it."""

    x: Any = field(default_factory=lambda: np.zeros(0))  # x_{k-1}
    image: Array = field(default_factory=lambda: np.zeros(0))
    spare_x: Any = field(default_factory=lambda: np.zeros(0))  # room for the next snapshot
    spare_image: Array = field(default_factory=lambda: np.zeros(0))

    def pack(self) -> dict[str, Array]:
        numbers = Guard(self.ratio, self.oldest, self.steps, self.keeps, self.momenta).pack()
        return {**numbers, **grouped("x", pack_point(self.x)), "image": self.image}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        guard = Guard()
        guard.restore(arrays)
        for name in ("ratio", "oldest", "steps", "keeps", "momenta"):
            setattr(self, name, getattr(guard, name))
        self.x = unpack_point(group("x", arrays))
        self.image = like(self.image, arrays["image"])

    def keep(self, x: Any, image: Array) -> None:
        """x_k, now that it is in the past; the room of x_{k-1} is free."""
        self.spare_x, self.spare_image = self.x, self.image
        self.x, self.image = x, image

    def make_room(self, state: State, room: Compression) -> None:
        """Keep the past in few terms; after a cut the weights start again from this point."""
        if room is Compression.TRUNCATED:
            fresh = type(self)()
            for member in fields(self):
                setattr(self, member.name, getattr(fresh, member.name))
            self.x, self.image = state.iterate.snapshot(None, self.image)
        elif isinstance(self.x, FactoredMatrix):
            self.x = self.x.compressed()[0]


@dataclass(frozen=True)
class JacobiMomentum(_Recurrence[Past]):
    r"""The recursion of equation (8), with :math:`x_{k-1}`, kept in the region.

    .. math:: x_{k+1} = x_k + \omega_k (y_{k+1} - x_k) + \mu_k (x_k - x_{k-1}),
              \quad 0 \le \mu_k \le c_k.

    With :math:`\mu_k = c_k`, as in (8), the point can leave the region. Here
    :math:`\mu_k` is the largest number up to :math:`c_k` for which every point is still a
    convex combination of the start and the atoms seen
    (:class:`~frankwolfe.methods.parts.guard.Guard`).
    """

    straight = False

    def memory(self, problem: Problem) -> Past:
        return Past(image=problem.objective.place.empty(0, problem.objective.dtype))

    def room_made(self, state: State, room: Compression, memory: Past) -> None:
        memory.make_room(state, room)

    def move(self, state: State, gamma: float, memory: Past) -> float:
        _, c, omega = self.weights(state.k)
        wanted = omega * gamma
        step = min(max(wanted, 0.0), state.limit)
        allowed = c if self._finite(state, memory, step, c) else 0.0
        momentum = memory.allow(1.0 - step, allowed)
        state.cuts += momentum < c or step != wanted
        x, image = state.iterate.snapshot(memory.spare_x, memory.spare_image)
        state.iterate.move(state.atom, state.atom_image, step)  # x_k + omega_k (y_{k+1} - x_k)
        if momentum > 0.0:
            state.iterate.combine(1.0, momentum)  # + mu_k x_k
            state.iterate.add(-momentum, memory.x, memory.image)  # - mu_k x_{k-1}
        memory.keep(x, image)
        return step

    def _finite(self, state: State, past: Past, step: float, momentum: float) -> bool:
        """Whether f is finite where this step and all of this momentum lead."""
        objective, z = state.problem.objective, state.iterate.image
        if objective.everywhere or past.image.size == 0:
            return True
        change = step * (state.atom_image - z) + momentum * (z - past.image)
        return objective.max_step(z, change, 1.0) == 1.0
