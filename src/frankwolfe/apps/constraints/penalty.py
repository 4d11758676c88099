"""The penalty term of an augmented Lagrangian."""

from __future__ import annotations

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.base import AnyArray, Array, Flags

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
        """Gradient ρ (w + y/ρ - proj(w + y/ρ)), which is the first-order multiplier update."""
        return self.rho * self.rows.beyond(w + self._shift)

    def value(self, slope: Array) -> float:
        """The value |slope|^2 / (2 ρ) - |y|^2 / (2 ρ), by the slope."""
        return 0.5 * float(slope @ (slope / self.rho)) - self.constant  # no square overflows

    def curvature(self, w: Array) -> Array:
        """Diagonal of the second derivative: ρ for rows outside of their bounds, else 0."""
        # an equation that happens to hold exactly has the curvature that it has around it
        active: Flags = (self.slope(w) != 0.0) | (self.rows.lower == self.rows.upper)
        return np.where(active, self.rho, 0.0)

    def along(self, w: Array, dw: Array, t: float) -> tuple[float, float, float]:
        """Value, slope and curvature of the penalty along t -> w + t dw."""
        slope = self.slope(w + t * dw)
        curvature = self.rho * float(np.square(dw[slope != 0.0]).sum())
        return self.value(slope), float(slope @ dw), curvature

    def numbers(self) -> list[AnyArray | float]:
        """Arrays that identify the penalty, for fingerprints."""
        rows = self.rows
        return [*rows.linear.parts(), rows.lower, rows.upper, self.multipliers, self.rho]
