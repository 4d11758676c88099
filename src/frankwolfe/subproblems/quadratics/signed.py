"""A convex quadratic over vectors with |y_j| <= radius and sum |y_j| <= most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.clock import Pieces
from frankwolfe.subproblems.quadratics.summed import Summed, minimize_over_sum

__all__ = ["SignedSum"]

ZERO_TOL = 1e-14  # of the radius: a smaller entry is rounding, and does not keep its sign
MAX_ORTHANTS = 30  # one after the other; few are needed, since only zeros change sign


@dataclass(frozen=True)
class SignedSum:
    """The set of y with |y_j| <= radius and sum |y_j| <= most."""

    radius: float
    most: float

    def _sizes(self, count: int) -> Summed:
        """Set of the vectors |y|."""
        return Summed(np.zeros(count), np.full(count, self.radius), 0.0, self.most)

    def gap(self, r: Array, x: Array) -> float:
        """Gap <r, x> - min <r, y> over the set."""
        none = np.zeros(r.size)
        return float(r @ x) + self._sizes(r.size).gap(-np.abs(r), none)

    def minimize(self, H: Array, c: Array, x: Array, tolerance: float) -> Array:
        """Minimizer of y'Hy/2 + c'y, from x, over one orthant after another.

        Entries that are zero take the sign that the gradient asks for.

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
        for _ in range(MAX_ORTHANTS):
            x = np.where(np.abs(x) > ZERO_TOL * self.radius, x, 0.0)
            r: Array = H @ x + c
            if not self.gap(r, x) > tolerance or rounds.due():
                break
            signs = np.where(x != 0.0, np.sign(x), np.where(r > 0.0, -1.0, 1.0))
            signed = signs[:, None] * H * signs
            x = signs * minimize_over_sum(signed, signs * c, sizes, np.abs(x), 0.5 * tolerance)
        return x
