"""Parallel tangents (PARTAN): after each step, a line search on from the point before it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import number
from frankwolfe.base.roots import newton
from frankwolfe.core.points import Compression
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import Combination
from frankwolfe.methods.parts.combinations import Past

__all__ = ["ParallelTangent"]

MAX_BLUR = {8: 1e-11, 4: 5e-5}  # movement of x by rounding, over its size, for each itemsize


@dataclass(slots=True)
class _Trail(Past):
    """The point x_{k-1}, with the movement of x and x_{k-1} by rounding, in units of eps."""

    blur: float = 1.0
    blur_before: float = 1.0

    def pack(self) -> dict[str, Array]:
        blur = np.array([self.blur, self.blur_before])
        return {**Past.pack(self), "blur": blur}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        Past.restore(self, arrays)
        self.blur, self.blur_before = map(float, arrays["blur"])

    def limit(self, keep: float) -> float:
        """Largest momentum m_k = (1 - t) / (rho - 1 + t): the oldest atom's weight stays >= 0."""
        return keep / max(self.ratio - keep, 1e-300)

    def clear(self, keep: float, most: float) -> float:
        """Largest momentum after which rounding has moved x by at most `most` eps."""
        room, growth = most - 1.0 - keep * self.blur, keep * self.blur - self.blur_before + 2.0
        return max(room / growth, 0.0) if growth > 0.0 else math.inf

    def moved(self, keep: float, momentum: float, *, cut: bool) -> None:
        """Update guard and blur; in the guard's form w is (kept + mu) w(k) - mu w(k-1)."""
        self.took(keep * (1.0 + momentum) - momentum, momentum, cut=cut)
        ahead = keep * (1.0 + momentum) * self.blur - momentum * self.blur_before
        self.blur, self.blur_before = max(ahead, 0.0) + 1.0 + 2.0 * momentum, self.blur


@dataclass(frozen=True)
class ParallelTangent(Combination[_Trail]):
    r"""Line search on from :math:`x_{k-1}` through :math:`y_{k+1}`, where the step led.

    .. math:: x_{k+1} = y_{k+1} + \mu_k (y_{k+1} - x_{k-1}), \quad 0 \le \mu_k \le m_k,

    with the largest :math:`m_k` for which the weights over the start and the atoms seen stay
    >= 0. With :math:`t` the step to :math:`y_{k+1}` they become
    :math:`(1+\mu)(1-t)\, w(k) - \mu\, w(k-1)`, so the oldest atom's ratio
    :math:`\rho = w(k-1)/w(k)` gives :math:`m_k = (1-t)/(\rho - 1 + t)`
    (:class:`~frankwolfe.methods.parts.guard.Guard`).

    A rounding of x goes through the same recursion as an atom's weight: after tiny steps a long
    way on magnifies it. Its sum over the steps is followed by two numbers, and :math:`\mu_k`
    is cut where it would pass 1e-11 of the size of x.

    Parameters
    ----------
    most : float
        Largest :math:`\mu`; with 0 nothing happens.
    """

    most: float = math.inf
    toward = True
    straight = False
    monotone = True

    def __post_init__(self) -> None:
        number("most", self.most, low=0.0, infinite=True)

    def memory(self, problem: Problem) -> _Trail:
        return _Trail(image=problem.objective.place.empty(0, problem.objective.dtype))

    def room_made(self, state: State, room: Compression, memory: _Trail) -> None:
        memory.make_room(state, room)

    def move(self, state: State, gamma: float, memory: _Trail) -> float:
        x, image = state.iterate.snapshot(memory.spare_x, memory.spare_image)
        state.iterate.move(state.atom, state.atom_image, gamma)  # y_{k+1}
        keep, momentum = 1.0 - gamma, 0.0
        limit = memory.limit(keep)
        if memory.steps:
            dtype = image.dtype
            clear = memory.clear(keep, MAX_BLUR[dtype.itemsize] / float(np.finfo(dtype).eps))
            momentum = _search(state, memory.image, min(limit, clear, self.most))
        if momentum > 0.0:
            state.iterate.extend(momentum, memory.x, memory.image)
        memory.moved(keep, momentum, cut=momentum == limit)
        memory.keep(x, image)
        return gamma


def _search(state: State, past: Array, largest: float) -> float:
    """Minimize f from y on, away from the point with the image `past`; return mu >= 0."""
    if largest <= 0.0:
        return 0.0
    objective, z = state.problem.objective, state.iterate.image
    dz = z - past
    values: dict[float, float] = {}
    line = state.line(dz)

    def noted(t: float) -> tuple[float, float, float | None]:
        trial = line(t)
        values[t] = trial[0]
        return trial

    largest = objective.max_step(z, dz, largest)
    momentum = newton(noted, largest, exact=objective.quadratic)
    if momentum and momentum not in values:
        state.value_calls += 1
        values[momentum] = objective.value(z + momentum * dz)
    # a direction of little more than rounding has no true slope: f itself must fall
    return momentum if momentum and values[momentum] < values[0.0] else 0.0
