"""Step rules: how far to go along the direction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from frankwolfe.checks import number
from frankwolfe.errors import InvalidInput
from frankwolfe.memory import Memory
from frankwolfe.parts.scalar import newton, secant
from frankwolfe.problem import Problem
from frankwolfe.state import State

__all__ = [
    "STEPS",
    "Backtracking",
    "Constant",
    "ExactLineSearch",
    "LogAdaptive",
    "OpenLoop",
    "Secant",
    "ShortStep",
]


@dataclass(frozen=True)
class _Rule:
    """The part common to all rules."""

    monotone = False
    needs_tangent = False

    def memory(self, problem: Problem) -> Memory:
        return Memory()


@dataclass(frozen=True)
class OpenLoop(_Rule):
    r"""The step :math:`\ell / (k + \ell)`; :math:`\ell = 2` is Algorithm 1 of the paper.

    With :math:`\ell = 4` or 6 it is faster on many problems, at no cost (Wirth, Kerdreux
    and Pokutta 2023). `delay` replaces k by k + delay; AFW uses :math:`2/(k+3)`, delay 1.

    Examples
    --------
    >>> from frankwolfe.parts.steps import OpenLoop
    >>> [round(OpenLoop(4.0).at(k), 3) for k in range(3)]
    [1.0, 0.8, 0.667]
    """

    ell: float = 2.0
    delay: float = 0.0

    def __post_init__(self) -> None:
        number("ell", self.ell, above=0.0)
        number("delay", self.delay, low=0.0)

    def at(self, k: int) -> float:
        """The step after k steps."""
        return self.ell / (k + self.delay + self.ell)

    def size(self, state: State, largest: float) -> float:
        return min(largest, self.at(state.k))


@dataclass(frozen=True)
class LogAdaptive(_Rule):
    r"""The step :math:`g_k/(k+g_k)` with :math:`g_k = 2 + \log(k+1)`.

    As fast as :math:`\ell/(k+\ell)` for any :math:`\ell` (Wirth, Pena and Pokutta, *Adaptive
    Open-Loop Step-Sizes for Accelerated Convergence Rates of the Frank-Wolfe Algorithm*, 2025).
    """

    def size(self, state: State, largest: float) -> float:
        g = 2.0 + math.log(state.k + 1.0)
        return min(largest, g / (state.k + g))


@dataclass(frozen=True)
class Constant(_Rule):
    """One step for ever, in (0, 1]."""

    gamma: float = 0.1

    def __post_init__(self) -> None:
        number("gamma", self.gamma, above=0.0, high=1.0)

    def at(self, k: int) -> float:
        """The step after k steps."""
        return self.gamma

    def size(self, state: State, largest: float) -> float:
        return min(largest, self.gamma)


@dataclass(frozen=True)
class ShortStep(_Rule):
    r"""The minimizer of a quadratic upper bound along the direction.

    :math:`\gamma = \langle \nabla f(x), x - s \rangle / B`, where B bounds the second
    derivative along :math:`d = s - x`. For :math:`f = \varphi(Ax)` the bound is
    :math:`L_\varphi \|Ad\|^2`, never larger than the textbook's :math:`L \|d\|^2` and free
    of an estimate of :math:`\|A\|`; for a function with a known L it is the textbook's.
    """

    monotone = True
    needs_tangent = True

    def memory(self, problem: Problem) -> Memory:
        probe = np.zeros(problem.objective.m, dtype=problem.objective.dtype)
        if problem.objective.curvature_bound(probe) is None:
            raise InvalidInput(
                "the short step needs a smoothness constant: pass Function(..., smoothness=L), "
                "or use Backtracking(), which finds one."
            )
        return Memory()

    def size(self, state: State, largest: float) -> float:
        bound = state.problem.objective.curvature_bound(state.image_direction())
        assert bound is not None
        return largest if bound <= 0.0 else min(largest, state.descent / bound)


@dataclass(slots=True)
class _Estimate(Memory):
    smoothness: float = math.nan


@dataclass(frozen=True)
class Backtracking(_Rule):
    r"""Short steps with an estimate of L that is raised until the upper bound holds.

    Pedregosa, Negiar, Askari and Jaggi, *Linearly Convergent Frank-Wolfe with Backtracking
    Line-Search*, AISTATS 2020, Algorithm 2: the estimate shrinks by `shrink` before each
    step and grows by `grow` while :math:`f(x + \gamma d)` exceeds the model.
    """

    shrink: float = 0.9
    grow: float = 2.0
    monotone = True
    needs_tangent = True

    def __post_init__(self) -> None:
        number("shrink", self.shrink, above=0.0, high=1.0)
        number("grow", self.grow, above=1.0)

    def memory(self, problem: Problem) -> Memory:
        return _Estimate()

    def size(self, state: State, largest: float) -> float:
        estimate = state.memory["step"]
        assert isinstance(estimate, _Estimate)
        gap = state.descent
        away = state.image_direction()
        length = float(away.dot(away))  # |Ad|^2: the bound is on phi, as in ShortStep
        if length == 0.0 or gap == 0.0:
            return 0.0
        smoothness = self._first_guess(state, estimate, gap, length)
        rounding = 4.0 * float(np.finfo(away.dtype).eps) * max(1.0, abs(state.value))
        for _ in range(100):
            gamma = min(largest, gap / (smoothness * length))
            model = state.value - gamma * gap + 0.5 * gamma**2 * smoothness * length
            # near the optimum the decrease is below rounding; what is not finite is too far
            if state.trial_value(gamma) <= model + rounding:
                break
            smoothness *= self.grow
        estimate.smoothness = smoothness
        return gamma

    def _first_guess(self, state: State, estimate: _Estimate, gap: float, length: float) -> float:
        if not math.isnan(estimate.smoothness):
            return self.shrink * estimate.smoothness
        small = 1e-3
        value = state.trial_value(small)
        while not math.isfinite(value) and small > 1e-30:  # beyond the function's domain
            small *= 1e-2
            value = state.trial_value(small)
        rise = value - state.value + small * gap
        return max(2.0 * rise / (small**2 * length), 1e-12 * gap / length)


@dataclass(frozen=True)
class ExactLineSearch(_Rule):
    """The minimizer along the direction, by a safeguarded Newton method on the image.

    No pass over the data: each trial costs one pass over z = Ax.
    """

    monotone = True

    def size(self, state: State, largest: float) -> float:
        objective = state.problem.objective
        z, dz = state.iterate.image, state.image_direction()

        def along(t: float) -> tuple[float, float, float | None]:
            state.count_trial()
            return objective.along(z, dz, t)

        return newton(along, largest, exact=objective.quadratic)


@dataclass(frozen=True)
class Secant(_Rule):
    """The zero of the slope along the direction, by a safeguarded secant method.

    It needs no second derivative; each trial needs the slope at one point.
    """

    tolerance: float = 1e-8
    monotone = True

    def __post_init__(self) -> None:
        number("tolerance", self.tolerance, above=0.0, high=1.0)

    def size(self, state: State, largest: float) -> float:
        objective = state.problem.objective
        z, dz = state.iterate.image, state.image_direction()

        def slope(t: float) -> float:
            state.count_trial()
            return objective.along(z, dz, t)[1]

        return secant(slope, largest, self.tolerance)


STEPS: dict[str, type[Any]] = {
    "open_loop": OpenLoop,
    "log_adaptive": LogAdaptive,
    "constant": Constant,
    "short_step": ShortStep,
    "backtracking": Backtracking,
    "exact_line_search": ExactLineSearch,
    "secant": Secant,
}
