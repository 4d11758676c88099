r"""Losses by their slopes: where a term with slope u is, from its conjugate.

With the slope :math:`u = \varphi'(z)` as a variable of its own, kept inside its bounds, a loss
that bends in a narrow place (Huber's, the pinball loss) is no harder than a parabola.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.kernels.terms import ENTROPY, LOGISTIC, SQUARED

__all__ = ["Conjugate"]


@dataclass(frozen=True)
class Conjugate:
    """The slopes of the terms of a separable loss with positive weights.

    A softmax is separable too, with a free variable for each observation (code `ENTROPY`).
    """

    code: int
    delta: Any
    b: Array
    weight: Array

    def bounds(self) -> tuple[Array, Array]:
        """Between what the slopes lie."""
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
        """The z with slopes u, and dz/du; `below` and `above` are the distances to the bounds."""
        if self.code == LOGISTIC:
            odds = np.log(above) - np.log(below)  # of u = 0 for b = 1, of u = w for b = -1
            return -odds, self.weight / (below * above)
        if self.code == ENTROPY:
            return np.log(below / self.weight), 1.0 / below
        rate = (1.0 if self.code == SQUARED else 0.5) / self.weight
        return self.b + u * rate, rate
