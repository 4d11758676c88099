"""BFGS model over a ball, from a matrix that is nearly the Hessian and a few pairs."""

from __future__ import annotations

import math

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.subproblems.quadratics.limited import middle_of

__all__ = ["BasedModel"]

MAX_TRIALS = 60  # of the multiplier, also where all of them are bisections
LENGTH_TOL = 1e-6  # of the radius, to which |y| is found; y is then scaled onto the sphere


class BasedModel:
    r"""BFGS matrix B of a few pairs, updated from a given :math:`B_0 = V \mathrm{diag}(d) V'`.

    The compact form of :class:`~frankwolfe.subproblems.quadratics.limited.LimitedModel`, with
    :math:`B_0` in the place of :math:`\sigma I`. In the coordinates of V the multiplier of the
    ball is added to d.

    Parameters
    ----------
    steps, changes : array of shape (pairs, n)
        The last pairs, oldest first.
    values, vectors : array
        The eigenvalues d > 0 and, in columns, eigenvectors V of the matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.quadratics.bfgs_over_ball import BasedModel
    >>> model = BasedModel(np.zeros((0, 2)), np.zeros((0, 2)), np.array([3.0, 1.0]), np.eye(2))
    >>> [model.over_ball(np.zeros(2), np.array([-6.0, 0.0]), radius) for radius in (1.0, 5.0)]
    [array([1., 0.]), array([2., 0.])]
    """

    def __init__(self, steps: Array, changes: Array, values: Array, vectors: Array) -> None:
        self.values, self.vectors = values, vectors
        s, y = steps @ vectors, changes @ vectors
        self.rows = np.vstack([s * values, y])
        self.middle = middle_of((s * values) @ s.T, s @ y.T)

    def _times(self, v: Array) -> Array:
        """Product B v, in the coordinates of the eigenvectors."""
        return np.asarray(self.values * v - np.linalg.solve(self.middle, self.rows @ v) @ self.rows)

    def times(self, v: Array) -> Array:
        """Product B v."""
        return np.asarray(self.vectors @ self._times(v @ self.vectors))

    def over_ball(self, x: Array, g: Array, radius: float) -> Array:
        """Minimizer y of <g, y - x> + (y - x)' B (y - x) / 2 over |y| <= radius."""
        c = self._times(x @ self.vectors) - g @ self.vectors
        level, low, high = 0.0, 0.0, float(np.linalg.norm(c)) / radius  # |y| <= |c| / level
        for _ in range(MAX_TRIALS):
            shift = self.values + level
            rows = self.rows / shift
            system = self.middle - rows @ self.rows.T

            def solved(v: Array, shift: Array = shift, rows: Array = rows) -> Array:
                return np.asarray(v / shift + np.linalg.solve(system, rows @ v) @ rows)  # noqa: B023

            y = solved(c)
            length = float(np.linalg.norm(y))
            if level == 0.0 and length <= radius:
                return np.asarray(self.vectors @ y)
            if abs(length - radius) <= LENGTH_TOL * radius:
                break
            low, high = (level, high) if length > radius else (low, level)
            level += (length / radius - 1.0) * length * length / float(y @ solved(y))
            level = level if low < level < high else 0.5 * (low + high)
        return np.asarray(self.vectors @ y) * (radius / max(length, math.ulp(0.0)))
