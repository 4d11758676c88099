"""What an augmented Lagrangian adds to f."""

from __future__ import annotations

from typing import Any

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.base.arrays import Array

__all__ = ["Penalty"]


class Penalty:
    r""":math:`\frac\rho2 \mathrm{dist}^2(w + y/\rho, [l, u]) - \frac1{2\rho}\|y\|^2` of w = Ax.

    Parameters
    ----------
    rows : Affine
        The constraints.
    multipliers : array
        y, a number for each of them.
    rho : float
        The penalty, above zero.
    """

    def __init__(self, rows: Affine, multipliers: Array, rho: float) -> None:
        self.rows, self.rho = rows, float(rho)
        self.multipliers = np.asarray(multipliers, dtype=np.float64)
        self._shift = self.multipliers / self.rho
        self.constant = 0.5 * float(self.multipliers @ self._shift)

    def slope(self, w: Array) -> Array:
        """rho (w + y/rho - the nearest point of the bounds): the next multipliers."""
        return self.rho * self.rows.beyond(w + self._shift)

    def value(self, slope: Array) -> float:
        """The value where the slope is this."""
        return 0.5 * float(slope @ (slope / self.rho)) - self.constant  # no square overflows

    def bend(self, w: Array) -> Array:
        """The second derivative, row by row: rho or nothing."""
        bent: Any = (self.slope(w) != 0.0) | (self.rows.lower == self.rows.upper)
        return np.where(bent, self.rho, 0.0)

    def along(self, w: Array, dw: Array, t: float) -> tuple[float, float, float]:
        """Value, slope and curvature of t -> the penalty at w + t dw."""
        slope = self.slope(w + t * dw)
        bend = self.rho * float(np.square(dw[slope != 0.0]).sum())
        return self.value(slope), float(slope @ dw), bend

    def numbers(self) -> list[Any]:
        """What tells it from others (fingerprints)."""
        rows = self.rows
        return [*rows.linear.parts(), rows.lower, rows.upper, self.multipliers, self.rho]
