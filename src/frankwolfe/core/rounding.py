"""What rounding may take from f, and from the products with A, in one run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from frankwolfe.core.problem import Problem
from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.errors import InvalidInput

__all__ = ["Rounding"]

NEGLIGIBLE = 1e-11  # relative noise below which the columns of A need not be measured


class Rounding:
    """The size of what may cancel at a point, from a few numbers of the whole run.

    Attributes
    ----------
    eps : float
        Machine epsilon of x and its image.
    lost : float
        How far f may lie below its tangents where it is convex up to rounding only.
    gain : float
        What products with A may lose, over eps and the size of phi'; NaN before it is measured,
        at the first point.
    """

    __slots__ = ("_objective", "_offset", "_problem", "_size", "eps", "gain", "lost")

    def __init__(self, problem: Problem) -> None:
        objective = problem.objective
        self._problem, self._objective = problem, objective
        self._size, self._offset = objective.size, objective.offset
        self.eps = 2.0**-23 if objective.dtype == np.float32 else 2.0**-52
        self.lost = objective.lost(self._reach, self._diameter) if objective.convex else 0.0
        self.gain = math.nan

    def cancelling(self, slope: Array, value: float, *, moved: bool) -> float:
        """The size of the terms that may cancel in f and in the gradient's products.

        An image that was `moved` along with x has lost by that what a product would lose.
        """
        gain, size = self.gain, self._size(slope, value)
        if math.isnan(gain):
            gain = self.gain = self._measured(size, value)
        return self._offset + gain * (size + self.eps * gain if moved else size)

    def floor(self, x: Any, cancelling: float) -> float:
        """The gap that rounding of x, its gradient and Q may leave at the best of points."""
        objective, gain = self._objective, self.gain

        def here(weights: Array) -> float:
            return float(np.abs(x).dot(np.broadcast_to(weights, x.shape)))

        around = 0.0 if objective.matrix else objective.gain(here, sharp=True)
        return 8.0 * self.eps * (cancelling + gain * around) + 2.0 * self.lost

    def _measured(self, size: float, value: float) -> float:
        """A rough gain where that is far below what anyone asks for; else the sharp one."""
        gain = self._objective.gain(self._reach, sharp=False)
        noise = self.eps * gain * (size + self.eps * gain)
        if not noise <= NEGLIGIBLE * max(1.0, abs(value)):
            gain = min(gain, self._objective.gain(self._reach, sharp=True))
        return gain

    def _reach(self, weights: Array) -> float:
        return self._problem.region.reach(weights, self._problem.n)

    def _diameter(self) -> float:
        """The region's diameter; infinite where that is unknown."""
        try:
            return self._problem.diameter
        except InvalidInput:
            return math.inf
