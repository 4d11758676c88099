"""Line searches: the minimizer along the direction, by slopes or by values."""

from __future__ import annotations

from dataclasses import dataclass

from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import StepRule
from frankwolfe.numerics.checks import number
from frankwolfe.numerics.memory import Memory
from frankwolfe.numerics.scalar import golden, newton, secant

__all__ = ["ExactLineSearch", "GoldenRatio", "Secant"]


@dataclass(frozen=True)
class ExactLineSearch(StepRule):
    """The minimizer along the direction, by a safeguarded Newton method on the image.

    No pass over the data: each trial costs one pass over z = Ax.
    """

    monotone = True

    def size(self, state: State, largest: float, memory: Memory) -> float:
        line = state.line(state.direction_image())
        return newton(line, largest, exact=state.problem.objective.quadratic)


@dataclass(frozen=True)
class Secant(StepRule):
    """The zero of the slope along the direction, by a safeguarded secant method.

    It needs no second derivative; each trial needs the slope at one point. The search ends
    where the slope has shrunk by `tolerance`: relative, so that it works at any gap.
    """

    tolerance: float = 1e-8
    monotone = True

    def __post_init__(self) -> None:
        number("tolerance", self.tolerance, above=0.0, high=1.0)

    def size(self, state: State, largest: float, memory: Memory) -> float:
        line = state.line(state.direction_image())
        return secant(lambda t: line(t)[1], largest, self.tolerance)


@dataclass(frozen=True)
class GoldenRatio(StepRule):
    """Golden-section search: the minimizer along the direction by values alone.

    For functions whose slopes are dear or coarse. A value is flat to rounding within about
    1e-8 of the minimizer, so the steps are less exact than those of :class:`Secant`, and the
    gap stops near the square root of rounding.

    Parameters
    ----------
    tolerance : float
        The search ends when the bracket is so narrow, relative to its upper end.

    References
    ----------
    J. Kiefer, *Sequential minimax search for a maximum*, 1953.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(3), [1.0, 2.0, 3.0], reduction="sum")
    >>> fw.minimize(f, fw.L2Ball(1.0), method=fw.frank_wolfe(fw.GoldenRatio())).success
    True
    """

    tolerance: float = 1e-7
    monotone = True

    def __post_init__(self) -> None:
        number("tolerance", self.tolerance, above=0.0, high=0.5)

    def size(self, state: State, largest: float, memory: Memory) -> float:
        step, value = golden(state.trial_value, largest, self.tolerance)
        return step if value <= state.value + state.rounding else 0.0
