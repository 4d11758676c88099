"""A step rule that learns from the gradients a run computes anyway."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import number
from frankwolfe.base.memory import Memory
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import Step
from frankwolfe.methods.parts.look_back_numbers import book, learn, next_step, short_step, watch

__all__ = ["Book", "LookBack"]


@dataclass(slots=True)
class Book(Memory):
    """Estimates of the steps so far (:mod:`frankwolfe.methods.parts.look_back_numbers`)."""

    numbers: Array


@dataclass(frozen=True)
class LookBack(Step[Book]):
    r"""Short steps whose curvature is read off the last gradient; no value of f, no constant.

    After a step :math:`\gamma_k` along :math:`d_k` the next gradient shows by its slope along
    :math:`d_k` whether the step was too short or too long. With the slope before it gives the
    curvature along :math:`d_k`, and over :math:`\|Ad_k\|^2` that of :math:`\varphi`. The next
    step is the short step with the largest of the last ones, which fade by a tenth a step.

    .. code-block:: text

        mu_k    <- max(0.9 mu_{k-1}, <grad f(x_{k+1}) - grad f(x_k), d_k> / (gamma_k |A d_k|^2))
        gamma   <- gap / (mu |A d|^2),   at most sqrt(2/(k+2))

    Two things guard it. Where the region has flat faces, the first sixty steps are those of
    Frank-Wolfe, and where the gap no longer falls later on, short steps zigzag; then steps are at
    least those of Frank-Wolfe, until k is four times as large.
    And where a bound on f(x) - min f that the run keeps, without values of f, exceeds what
    Frank-Wolfe guarantees, the step is 2/(k+2). So :math:`f(x_k) - \min f \le 4LD^2/(k+1)` on
    every problem (a proof is in ``docs/jacobi.md``). On a quadratic function it is an exact line
    search but for these guards.

    A step costs two products of images beside those of Frank-Wolfe's own: no pass over the data.
    Along directions that do not end at the oracle's atom it is the short step alone.

    Parameters
    ----------
    limit : float
        The step is at most limit/(k+2), infinite by default. With 4 it is one of JFW, see
        :func:`~frankwolfe.jacobi`.

    References
    ----------
    The idea of the slope behind is that of J. Barzilai and J. Borwein, *Two-point step size
    gradient methods*, IMA Journal of Numerical Analysis 8, 1988.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> A, b = fw.datasets.breast_cancer().paper()
    >>> method = fw.frank_wolfe(fw.steps.LookBack())
    >>> result = fw.minimize(fw.Logistic(A, b), fw.L2Ball(50.0), method=method, max_iter=300)
    >>> bool(abs(result.fun - 0.38555909424527) < 1e-8)
    True
    """

    limit: float = math.inf
    monotone = False
    needs_tangent = looks_back = True

    def __post_init__(self) -> None:
        if self.limit != math.inf:
            number("limit", self.limit, low=2.0)

    def memory(self, problem: Problem) -> Book:
        rounding = float(np.finfo(problem.objective.dtype).eps)
        region = problem.region
        faces, matrix = not region.strongly_convex, region.matrix
        return Book(book(rounding, faces=faces, matrix=matrix, most=self.limit))

    def size(self, state: State, largest: float, memory: Book) -> float:
        length = state.problem.objective.squared_length(state.direction_image())
        short = short_step(memory.numbers, state.descent, length)
        if state.direction.toward:
            watch(memory.numbers, state.k, state.model_gap, short)
            return min(largest, next_step(memory.numbers, state.k, short))
        return min(largest, short if short < math.inf else 2.0 / (state.k + 2.0))

    def look(self, state: State, memory: Book) -> None:
        before, behind = state.descent, state.slope_behind()
        size = abs(state.above) + abs(state.above - state.model_gap)
        learn(memory.numbers, state.step, before, behind, state.model_gap, size)
