"""Combinations of the step with past iterates: none, Jacobi acceleration, Jacobi momentum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array, Flags, Point
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

StepSchedule: TypeAlias = tuple[Array, Flags]
"""Step sizes known beforehand, and True for each that is cut to [0, 1]."""


@dataclass(frozen=True)
class Stay(Memoryless, Combination[Memory]):
    """No combination: x_{k+1} = x_k + gamma d, as in Algorithm 1, line 4."""

    toward = False
    monotone = True

    def move(self, state: State, gamma: float, memory: Memory) -> float:
        state.go(gamma)
        return gamma

    def schedule(self, memory: Memory, k: Array, gammas: Array) -> StepSchedule:
        """Step sizes that `move` would take for the iterations k."""
        return gammas, np.zeros(k.size, dtype=bool)


@dataclass(frozen=True)
class _Recurrence(Combination[M]):
    """Parameters alpha, beta > -1 and gamma of the Jacobi recurrence, equation (3), checked."""

    alpha: float
    beta: float
    gamma: float
    toward = True
    monotone = False

    def __post_init__(self) -> None:
        check_parameters(self.alpha, self.beta, self.gamma)

    def weights(self, k: int) -> tuple[float, float, float]:
        """Weights a_k, c_k and omega_k = a_k (1 - gamma) + b_k, by equation (4)."""
        a, b, c = coefficients(k, self.alpha, self.beta)
        return a, c, a * (1.0 - self.gamma) + b  # the factor of y_{k+1} in Algorithm 2, line 5


@dataclass(frozen=True)
class Jacobi(Memoryless, _Recurrence[Memory]):
    r"""Jacobi acceleration of the Frank-Wolfe step: lines 4 to 6 of Algorithm 2, as printed.

    Since :math:`a_k + b_k - c_k = 1` (below equation (4)) they amount to one step of size
    :math:`\omega_k \gamma_k`, with :math:`\omega_k = a_k(1-\gamma) + b_k`. Outside [0, 1] it
    would leave the region, so it is cut to 0 or 1 and counted in `state.cuts`.
    """

    def move(self, state: State, gamma: float, memory: Memory) -> float:
        a, c, omega = self.weights(state.k)
        if not 0.0 <= omega * gamma <= state.limit:  # lines 4-6 are that step
            state.cuts += 1
            step = state.limit if omega > 0.0 else 0.0
            state.iterate.move(state.atom, state.atom_image, step)
            return step
        state.iterate.move(state.atom, state.atom_image, gamma)  # line 4: y_{k+1}
        state.iterate.combine(omega, -c)  # line 5: z_{k+1} = omega_k y_{k+1} - c_k x_k
        state.iterate.combine(1.0, self.gamma * a)  # line 6: x_{k+1} = z_{k+1} + gamma a_k x_k
        return omega * gamma

    def schedule(self, memory: Memory, k: Array, gammas: Array) -> StepSchedule:
        """Step sizes omega_k gamma_k, cut to [0, 1], of `move` for an f without domain, k >= 1."""
        weights = omegas(k, self.alpha, self.beta, self.gamma)
        steps = weights * gammas
        cut = ~((steps >= 0.0) & (steps <= 1.0))
        return np.where(cut, np.where(weights > 0.0, 1.0, 0.0), steps), cut


@dataclass(slots=True)
class Past(Guard):
    """The point x_{k-1}, and the guard that keeps a combination with it in the region."""

    x: Point = field(default_factory=lambda: np.zeros(0))  # x_{k-1}
    image: Array = field(default_factory=lambda: np.zeros(0))
    spare_x: Point = field(default_factory=lambda: np.zeros(0))  # buffers of the next snapshot
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

    def keep(self, x: Point, image: Array) -> None:
        """Make x_k the point before; the buffers of x_{k-1} become the spare ones."""
        self.spare_x, self.spare_image = self.x, self.image
        self.x, self.image = x, image

    def make_room(self, state: State, room: Compression) -> None:
        """Compress a matrix x_{k-1}; after a cut in rank start the guard again from this point."""
        if room is Compression.TRUNCATED:
            fresh = type(self)()
            for member in fields(self):
                setattr(self, member.name, getattr(fresh, member.name))
            self.x, self.image = state.iterate.snapshot(None, self.image)
        elif isinstance(self.x, FactoredMatrix):
            self.x = self.x.compressed()[0]


@dataclass(frozen=True)
class JacobiMomentum(_Recurrence[Past]):
    r"""Momentum by the recursion of equation (8), with :math:`x_{k-1}`, kept in the region.

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
        # mu_k = c_k in equation (8); less where that would leave the region or the domain
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
        """True if f is finite where this step with all of this momentum leads."""
        objective, z = state.problem.objective, state.iterate.image
        if objective.everywhere or past.image.size == 0:
            return True
        change = step * (state.atom_image - z) + momentum * (z - past.image)
        return objective.max_step(z, change, 1.0) == 1.0
