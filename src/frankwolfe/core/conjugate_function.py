r"""Conjugates of separable losses: the argument z of a term whose slope is u.

With the slope :math:`u = \varphi'(z)` as a variable of its own, kept inside its bounds, a loss
that bends in a narrow place (Huber's, the pinball loss) is no harder than a parabola.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.kernels.terms import ENTROPY, LOGISTIC, SQUARED

__all__ = ["ConjugateFunction"]


@dataclass(frozen=True)
class ConjugateFunction:
    """The conjugate of a separable loss with positive weights, as a function of the slopes u.

    A softmax is separable too, with a free variable for each observation (code `ENTROPY`).
    """

    code: int
    delta: float | tuple[float, float]  # threshold of Huber's loss; or (below, above)
    b: Array
    weight: Array

    def bounds(self) -> tuple[Array, Array]:
        """Bounds between which the slopes lie."""
        w = self.weight
        if self.code == SQUARED:
            return np.full(w.size, -np.inf), np.full(w.size, np.inf)
        if self.code == LOGISTIC:  # -w b times a number in (0, 1)
            return np.where(self.b > 0.0, -w, 0.0), np.where(self.b > 0.0, 0.0, w)
        if self.code == ENTROPY:  # w times a probability, from b on; all of a group sum to w
            return self.b, self.b + w
        below, above = self.delta if isinstance(self.delta, tuple) else (self.delta, self.delta)
        return -2.0 * w * below, 2.0 * w * above

    def places(self, u: Array, below: Array, above: Array) -> tuple[Array, Array]:
        """Arguments z with slopes u, and dz/du; `below` and `above` are distances to the bounds."""
        if self.code == LOGISTIC:
            odds = np.log(above) - np.log(below)  # of distances, which keep their digits at bounds
            return -odds, self.weight / (below * above)
        if self.code == ENTROPY:
            return np.log(below / self.weight), 1.0 / below
        rate = (1.0 if self.code == SQUARED else 0.5) / self.weight
        return self.b + u * rate, rate
