"""A convex quadratic over vectors with bounded entries and a bounded sum of their sizes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.clock import Pieces
from frankwolfe.subproblems.quadratics.summed import Summed, minimize_over_sum

__all__ = ["SignedSum"]

ZERO = 1e-14  # of the radius: a size that is rounding, and not to keep its sign
ROUNDS = 30  # of one orthant after the other; few are needed, since only zeros change sign


@dataclass(frozen=True)
class SignedSum:
    """The y with sizes of entries up to a radius, and a sum of sizes up to `most`."""

    radius: float
    most: float

    def _sizes(self, count: int) -> Summed:
        """What the sizes alone may be."""
        return Summed(np.zeros(count), np.full(count, self.radius), 0.0, self.most)

    def gap(self, r: Array, x: Array) -> float:
        """<r, x> minus its minimum."""
        none = np.zeros(r.size)
        return float(r @ x) + self._sizes(r.size).gap(-np.abs(r), none)

    def minimize(self, H: Array, c: Array, x: Array, tolerance: float) -> Array:
        """The minimizer in the orthant of x; entries that are zero take the sign that helps.

        Examples
        --------
        >>> import numpy as np
        >>> from frankwolfe.subproblems.quadratics.signed import SignedSum
        >>> part, c = SignedSum(1.0, 1.5), np.array([-3.0, 0.75, 0.1])
        >>> part.minimize(np.eye(3), c, np.zeros(3), 1e-12).round(12) + 0.0
        array([ 1. , -0.5,  0. ])
        """
        sizes = self._sizes(c.size)
        rounds = Pieces()
        for _ in range(ROUNDS):
            x = np.where(np.abs(x) > ZERO * self.radius, x, 0.0)
            r: Array = H @ x + c
            if not self.gap(r, x) > tolerance or rounds.due():
                break
            signs = np.where(x != 0.0, np.sign(x), np.where(r > 0.0, -1.0, 1.0))
            signed = signs[:, None] * H * signs
            x = signs * minimize_over_sum(signed, signs * c, sizes, np.abs(x), 0.5 * tolerance)
        return x
