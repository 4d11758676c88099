"""The losses of the problems in plain NumPy; value and slope at z = Ax."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit


@dataclass(frozen=True)
class Loss:
    """A sum of `weight` times a loss of each entry of z against b."""

    b: np.ndarray
    weight: float = 1.0
    name = ""
    curvature = 1.0  # the most of the second derivative of one term

    def both(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and slope."""
        raise NotImplementedError

    def slope(self, z: np.ndarray) -> np.ndarray:
        """The slope alone, where it costs less."""
        return self.both(z)[1]


class Logistic(Loss):
    """log(1 + exp(-b z)), labels ±1."""

    name = "logistic"
    curvature = 0.25

    def both(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        margin = -self.b * z
        value = self.weight * float(np.logaddexp(0.0, margin).sum())
        return value, -self.weight * self.b * expit(margin)

    def slope(self, z: np.ndarray) -> np.ndarray:
        return -self.weight * self.b * expit(-self.b * z)


class Squares(Loss):
    """Half the squared residual."""

    name = "squares"

    def both(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        r = z - self.b
        return 0.5 * self.weight * float(r @ r), self.weight * r


@dataclass(frozen=True)
class Huber(Loss):
    """r² up to delta, 2 delta |r| - delta² beyond."""

    delta: float = 1.0
    name = "huber"
    curvature = 2.0

    def both(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        r = z - self.b
        clipped = np.clip(r, -self.delta, self.delta)
        value = self.weight * float((clipped * (2.0 * r - clipped)).sum())
        return value, 2.0 * self.weight * clipped

    def slope(self, z: np.ndarray) -> np.ndarray:
        return 2.0 * self.weight * np.clip(z - self.b, -self.delta, self.delta)
