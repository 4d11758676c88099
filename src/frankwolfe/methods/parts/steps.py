"""Step rules: known beforehand (open loop), by a smoothness constant, or kept monotone."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.memory import Memory
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import Step, StepRule
from frankwolfe.methods.parts.searches import (
    Adaptive,
    Backtracking,
    ExactLineSearch,
    GoldenRatio,
    Secant,
)

__all__ = [
    "Adaptive",
    "Backtracking",
    "Constant",
    "ExactLineSearch",
    "GoldenRatio",
    "KnownStep",
    "LogAdaptive",
    "Monotone",
    "NonConvexDecay",
    "OpenLoop",
    "Secant",
    "ShortStep",
    "describe",
]


@dataclass(frozen=True)
class KnownStep(StepRule):
    """Base of open-loop rules: the step depends on k alone, and is known beforehand."""

    @abstractmethod
    def at(self, k: int) -> float:
        """Step size gamma_k."""

    @abstractmethod
    def schedule(self, k: Array) -> Array:
        """Step sizes gamma_k for an array of k."""

    def size(self, state: State, largest: float, memory: Memory) -> float:
        return min(largest, self.at(state.k))


@dataclass(frozen=True)
class OpenLoop(KnownStep):
    r"""The step :math:`\ell / (k + \ell)`; :math:`\ell = 2` is Algorithm 1, line 5, of the paper.

    With :math:`\ell = 4` or 6 it is faster on many problems, at no cost (Wirth, Kerdreux
    and Pokutta 2023). `delay` replaces k by k + delay; AFW uses :math:`2/(k+3)`, delay 1.

    Examples
    --------
    >>> from frankwolfe.methods.parts.steps import OpenLoop
    >>> [round(OpenLoop(4.0).at(k), 3) for k in range(3)]
    [1.0, 0.8, 0.667]
    """

    ell: float = 2.0
    delay: float = 0.0

    def __post_init__(self) -> None:
        number("ell", self.ell, above=0.0)
        number("delay", self.delay, low=0.0)

    def at(self, k: int) -> float:
        return self.ell / (k + self.delay + self.ell)

    def schedule(self, k: Array) -> Array:
        return self.ell / (k + self.delay + self.ell)


@dataclass(frozen=True)
class LogAdaptive(KnownStep):
    r"""The step :math:`g_k/(k+g_k)` with :math:`g_k = 2 + \log(k+1)`.

    As fast as :math:`\ell/(k+\ell)` for any :math:`\ell` (Wirth, Pena and Pokutta, *Adaptive
    Open-Loop Step-Sizes for Accelerated Convergence Rates of the Frank-Wolfe Algorithm*, 2025).
    """

    def at(self, k: int) -> float:
        g = 2.0 + math.log(k + 1.0)
        return g / (k + g)

    def schedule(self, k: Array) -> Array:
        g = 2.0 + np.log(k + 1.0)
        return np.asarray(g / (k + g))


@dataclass(frozen=True)
class Constant(KnownStep):
    """Constant step size gamma in (0, 1]."""

    gamma: float = 0.1

    def __post_init__(self) -> None:
        number("gamma", self.gamma, above=0.0, high=1.0)

    def at(self, k: int) -> float:
        return self.gamma

    def schedule(self, k: Array) -> Array:
        return np.full(k.size, self.gamma)


@dataclass(frozen=True)
class ShortStep(StepRule):
    r"""Short step: the minimizer of a quadratic upper bound along the direction.

    :math:`\gamma = \langle \nabla f(x), x - s \rangle / B`, where B bounds the second
    derivative along :math:`d = s - x`. For :math:`f = \varphi(Ax)` the bound is
    :math:`L_\varphi \|Ad\|^2`, never larger than the textbook's :math:`L \|d\|^2` and free
    of an estimate of :math:`\|A\|`; for a function with a known L it is the textbook's.
    """

    monotone = True
    needs_tangent = True

    def memory(self, problem: Problem) -> Memory:
        if problem.objective.curvature_bound(problem.objective.zero_image()) is None:
            raise InvalidInput(
                "the short step needs a smoothness constant, which "
                f"{type(problem.objective).__name__} does not have: use Backtracking(), which "
                "finds one, or pass Function(..., smoothness=L)."
            )
        return Memory()

    def size(self, state: State, largest: float, memory: Memory) -> float:
        bound = state.problem.objective.curvature_bound(state.direction_image())
        assert bound is not None
        return largest if bound <= 0.0 else min(largest, state.descent / bound)


@dataclass(frozen=True)
class NonConvexDecay(KnownStep):
    r"""The step :math:`1/\sqrt{k+1}`, for functions that are not convex.

    The smallest Frank-Wolfe gap so far, a measure of stationarity, falls as
    :math:`1/\sqrt{k}` with line searches and short steps (S. Lacoste-Julien, *Convergence Rate
    of Frank-Wolfe for Non-Convex Objectives*, 2016); steps of this order need no constant and no
    value (S. Reddi, S. Sra, B. Poczos and A. Smola, *Stochastic Frank-Wolfe Methods for Nonconvex
    Optimization*, Allerton 2016). On convex functions :math:`2/(k+2)` is faster.

    Examples
    --------
    >>> from frankwolfe.methods.parts.steps import NonConvexDecay
    >>> [round(NonConvexDecay().at(k), 3) for k in range(3)]
    [1.0, 0.707, 0.577]
    """

    def at(self, k: int) -> float:
        return 1.0 / math.sqrt(k + 1.0)

    def schedule(self, k: Array) -> Array:
        return np.asarray(1.0 / np.sqrt(k + 1.0))


@dataclass(frozen=True)
class Monotone(Step[Memory]):
    """Monotone version of another rule: its step is halved until f does not rise.

    For open-loop steps on functions whose values blow up: it costs one value a trial. Where
    eighty halvings do not help the step is 0. The idea for 2/(k+2) is that of A. Carderera,
    M. Besancon and S. Pokutta, *Simple steps are all you need: Frank-Wolfe and generalized
    self-concordant functions*, NeurIPS 2021.

    Parameters
    ----------
    step : Step
        The rule; 2/(k+2) by default.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(2), [0.1, 0.2])
    >>> method = fw.frank_wolfe(fw.steps.Monotone(fw.steps.OpenLoop(4.0)))
    >>> values = fw.minimize(f, fw.L2Ball(9.0), method=method, max_iter=50).history.value
    >>> bool((np.diff(values) <= 1e-15).all())
    True
    """

    step: Step = field(default_factory=OpenLoop)
    monotone = True

    def __post_init__(self) -> None:
        if isinstance(self.step, type) or not hasattr(self.step, "size"):
            raise InvalidInput(f"step must be a step part such as OpenLoop(2), got {self.step!r}.")

    @property
    def needs_tangent(self) -> bool:  # type: ignore[override]
        """True if the rule inside needs the tangent."""
        return bool(self.step.needs_tangent)

    @property
    def looks_back(self) -> bool:  # type: ignore[override]
        """True if the rule inside looks back."""
        return bool(self.step.looks_back)

    def memory(self, problem: Problem) -> Memory:
        memory: Memory = self.step.memory(problem)
        return memory

    def size(self, state: State, largest: float, memory: Memory) -> float:
        gamma = float(self.step.size(state, largest, memory))
        for _ in range(80):  # 2^-80 of a step is below the rounding of any x
            if state.trial_value(gamma) <= state.value + state.rounding:
                return gamma
            gamma *= 0.5
        return 0.0

    def look(self, state: State, memory: Memory) -> None:
        self.step.look(state, memory)


def describe(step: Step) -> str:
    """Describe a step rule in a few words, for the name of a method."""
    if isinstance(step, OpenLoop) and step.delay == 0.0:
        return f"{step.ell:g}/(k+{step.ell:g})"
    if isinstance(step, Monotone):
        return f"monotone {describe(step.step)}"
    words = {
        "ExactLineSearch": "exact line search",
        "GoldenRatio": "golden section",
        "LookBack": "look back",
        "NonConvexDecay": "1/sqrt(k+1)",
        "ShortStep": "short step",
    }
    kind = type(step).__name__
    return words.get(kind, kind.lower())
