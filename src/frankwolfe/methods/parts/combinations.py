"""Combinations: how past iterates enter the next one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.parts.guard import Guard
from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.low_rank import FactoredMatrix
from frankwolfe.numerics.memory import Memory
from frankwolfe.numerics.packing import pack_point, unpack_point
from frankwolfe.numerics.points import Room
from frankwolfe.numerics.polynomials import check_parameters, coefficients, omegas
from frankwolfe.numerics.scalar import newton

__all__ = ["AutoJacobi", "Jacobi", "JacobiMomentum", "Past", "Schedule", "Stay", "make_room"]

Schedule: TypeAlias = tuple[Array, NDArray[np.bool_]]
"""Steps that are known beforehand, and which of them are cut."""


@dataclass(frozen=True)
class Stay:
    """No past: x_{k+1} is where the step led."""

    toward = False
    monotone = True

    def memory(self, problem: Problem) -> Memory:
        return Memory()

    def room_made(self, state: State, room: Room) -> None:
        return None

    def move(self, state: State, gamma: float) -> float:
        state.go(gamma)
        return gamma

    def schedule(self, memory: Memory, k: Array, gammas: Array) -> Schedule:
        """The steps that `move` would take."""
        return gammas, np.zeros(k.size, dtype=bool)


@dataclass(frozen=True)
class _Recurrence:
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
class Jacobi(_Recurrence):
    r"""Lines 4 to 6 of Algorithm 2, as printed.

    Since :math:`a_k + b_k - c_k = 1` they amount to one step of size
    :math:`\omega_k \gamma_k`, with :math:`\omega_k = a_k(1-\gamma) + b_k`. Outside [0, 1] it
    would leave the region, so it is cut to 0 or 1 and counted in `state.cuts`.
    """

    def memory(self, problem: Problem) -> Memory:
        return Memory()

    def room_made(self, state: State, room: Room) -> None:
        return None

    def move(self, state: State, gamma: float) -> float:
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

    def schedule(self, memory: Memory, k: Array, gammas: Array) -> Schedule:
        """The steps that `move` would take where f has no end, for k >= 1."""
        weights = omegas(k, self.alpha, self.beta, self.gamma)
        steps = weights * gammas
        cut = ~((steps >= 0.0) & (steps <= 1.0))
        return np.where(cut, np.where(weights > 0.0, 1.0, 0.0), steps), cut


@dataclass(slots=True)
class _Choice(Memory):
    damped: bool = False


@dataclass(frozen=True)
class AutoJacobi(Jacobi):
    """Algorithm 2 where it pays, Frank-Wolfe's own steps elsewhere.

    JFW's smaller steps pay where the region is much larger than the way to the optimum. The
    first direction tells: if the best step along it is below `short`, the parameters are
    used; if not, omega is 1. That costs one line search on the image, no pass over the data.
    """

    short: float = 0.02

    def memory(self, problem: Problem) -> Memory:
        return _Choice()

    def move(self, state: State, gamma: float) -> float:
        choice = state.memory["combination"]
        assert isinstance(choice, _Choice)
        if state.k == 0:
            choice.damped = self._best_step(state) < self.short
        if choice.damped:
            return super().move(state, gamma)
        state.go(gamma)
        return gamma

    def schedule(self, memory: Memory, k: Array, gammas: Array) -> Schedule:
        assert isinstance(memory, _Choice)
        if memory.damped:
            return super().schedule(memory, k, gammas)
        return gammas, np.zeros(k.size, dtype=bool)

    @staticmethod
    def _best_step(state: State) -> float:
        objective, z, dz = state.problem.objective, state.iterate.image, state.image_direction()

        def along(t: float) -> tuple[float, float, float | None]:
            state.count_trial()
            return objective.along(z, dz, t)

        return newton(along, state.limit, exact=objective.quadratic)


@dataclass(slots=True)
class Past(Guard):
    """The point before, and the guard of a combination with it."""

    x: Any = field(default_factory=lambda: np.zeros(0))  # x_{k-1}
    image: Array = field(default_factory=lambda: np.zeros(0))
    spare_x: Any = field(default_factory=lambda: np.zeros(0))  # room for the next snapshot
    spare_image: Array = field(default_factory=lambda: np.zeros(0))

    def pack(self) -> dict[str, Array]:
        numbers = Guard(self.ratio, self.oldest, self.steps, self.keeps, self.momenta).pack()
        x = {f"x/{name}": part for name, part in pack_point(self.x).items()}
        return {**numbers, **x, "image": self.image}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        guard = Guard()
        guard.restore(arrays)
        for name in ("ratio", "oldest", "steps", "keeps", "momenta"):
            setattr(self, name, getattr(guard, name))
        self.x = unpack_point(
            {key[2:]: part for key, part in arrays.items() if key.startswith("x/")}
        )
        self.image = arrays["image"].copy()

    def keep(self, x: Any, image: Array) -> None:
        """x_k, now that it is in the past; the room of x_{k-1} is free."""
        self.spare_x, self.spare_image = self.x, self.image
        self.x, self.image = x, image


def make_room(state: State, room: Room) -> None:
    """Keep the past in few terms; after a cut the weights start anew from this point."""
    past = state.memory["combination"]
    assert isinstance(past, Past)
    if room is Room.CUT:
        past = state.memory["combination"] = type(past)()
        past.x, past.image = state.iterate.snapshot(None, past.image)
    elif isinstance(past.x, FactoredMatrix):
        past.x = past.x.compressed()[0]


@dataclass(frozen=True)
class JacobiMomentum(_Recurrence):
    r"""The recursion of Section 4.1 with :math:`x_{k-1}`, kept in the region.

    .. math:: x_{k+1} = x_k + \omega_k (y_{k+1} - x_k) + \mu_k (x_k - x_{k-1}),
              \quad 0 \le \mu_k \le c_k.

    With :math:`\mu_k = c_k`, as in the text, the point can leave the region. Here
    :math:`\mu_k` is the largest number up to :math:`c_k` for which every point is still a
    convex combination of the start and the atoms seen
    (:class:`~frankwolfe.methods.parts.guard.Guard`).
    """

    def memory(self, problem: Problem) -> Memory:
        return Past()

    def room_made(self, state: State, room: Room) -> None:
        make_room(state, room)

    def move(self, state: State, gamma: float) -> float:
        past = state.memory["combination"]
        assert isinstance(past, Past)
        _, c, omega = self.weights(state.k)
        wanted = omega * gamma
        step = min(max(wanted, 0.0), state.limit)
        allowed = c if self._finite(state, past, step, c) else 0.0
        momentum = past.allow(1.0 - step, allowed)
        state.cuts += momentum < c or step != wanted
        x, image = state.iterate.snapshot(past.spare_x, past.spare_image)
        state.iterate.move(state.atom, state.atom_image, step)  # x_k + omega_k (y_{k+1} - x_k)
        if momentum > 0.0:
            state.iterate.combine(1.0, momentum)  # + mu_k x_k
            state.iterate.add(-momentum, past.x, past.image)  # - mu_k x_{k-1}
        past.keep(x, image)
        return step

    def _finite(self, state: State, past: Past, step: float, momentum: float) -> bool:
        """Whether f is finite where this step and all of this momentum lead."""
        objective, z = state.problem.objective, state.iterate.image
        if objective.everywhere or past.image.size == 0:
            return True
        change = step * (state.atom_image - z) + momentum * (z - past.image)
        return objective.reach(z, change, 1.0) == 1.0
