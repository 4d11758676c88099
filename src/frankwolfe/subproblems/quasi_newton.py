"""BFGS matrices of steps and changes of the gradient, and their quadratic models over a ball.

A pair of a step s and the change y of the gradient over it is kept in three forms, each for a
cost of its own: in a dense matrix (`damped_update`: n^2 numbers, for any set), as rows for a
compact form (`LimitedModel`, `BasedModel`: products of few long rows at once), and as single
vectors that may live on a device (:mod:`frankwolfe.subproblems.lbfgs`).
"""

from __future__ import annotations

import math

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.subproblems.kernels import limited
from frankwolfe.subproblems.secular import next_multiplier

__all__ = ["BasedModel", "LimitedModel", "damped_update", "tells"]

MIN_CURVATURE = 1e-12  # of |s| |y|: where <s, y> is below, it is rounding, or f is not convex
MIN_DAMPED_CURVATURE = 1e-3  # of the matrix's curvature along a step; less is damped as noise
MAX_TRIALS = 60  # of the multiplier, also where all of them are bisections
LENGTH_TOL = 1e-6  # of the radius, to which |y| is found; y is then scaled onto the sphere


class LimitedModel:
    r"""BFGS matrix B of a few pairs of steps s and gradient differences y.

    In compact form B is :math:`\sigma I - W' M^{-1} W` with two rows of W for each pair, so that
    a minimizer over a ball is one equation in one unknown, whose terms need only the inner
    products of these rows.

    Parameters
    ----------
    steps, changes : array of shape (pairs, n)
        The last pairs, oldest first.
    scale : float
        The curvature sigma where no pair is known.

    References
    ----------
    R. Byrd, J. Nocedal and R. Schnabel, *Representations of quasi-Newton matrices and their use in
    limited memory methods*, Mathematical Programming 63, 1994.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.quasi_newton import LimitedModel
    >>> model = LimitedModel(np.array([[1.0, 0.0]]), np.array([[3.0, 0.0]]), 1.0)
    >>> [model.over_ball(np.zeros(2), np.array([-6.0, 0.0]), radius) for radius in (1.0, 5.0)]
    [array([1., 0.]), array([2., 0.])]
    """

    def __init__(self, steps: Array, changes: Array, scale: float) -> None:
        pairs = len(steps)
        self.scale = scale
        self.rows = np.empty((2 * pairs, steps.shape[1]))
        self.middle: Array = np.zeros((2 * pairs, 2 * pairs))
        self.gram = np.zeros((2 * pairs, 2 * pairs))
        if not pairs:
            return
        products, lengths = steps @ changes.T, changes @ changes.T
        self.scale = sigma = float(lengths[-1, -1] / products[-1, -1])
        np.multiply(steps, sigma, out=self.rows[:pairs])
        self.rows[pairs:] = changes
        squares = sigma * (steps @ steps.T)
        self.middle = _middle(squares, products)
        self.gram[:pairs, :pairs] = sigma * squares
        self.gram[:pairs, pairs:] = sigma * products
        self.gram[pairs:, :pairs] = sigma * products.T
        self.gram[pairs:, pairs:] = lengths

    def times(self, v: Array) -> Array:
        """Product B v."""
        return np.asarray(self.scale * v - limited.solve(self.middle, self.rows @ v) @ self.rows)

    def over_ball(self, x: Array, g: Array, radius: float) -> Array:
        """Minimizer y of <g, y - x> + (y - x)' B (y - x) / 2 over |y| <= radius."""
        c = self.times(x) - g
        small = self.middle, self.gram, self.rows @ c
        q, whole, inside = limited.on_ball(*small, float(c @ c), self.scale, radius)
        y = np.asarray((c + q @ self.rows) / whole)
        return y if inside else y * (radius / max(float(np.linalg.norm(y)), 1e-300))


class BasedModel:
    r"""BFGS matrix B of a few pairs, updated from a given :math:`B_0 = V \mathrm{diag}(d) V'`.

    The compact form of `LimitedModel`, with :math:`B_0` in the place of :math:`\sigma I`: each
    multiplier costs n operations a pair, where that needs inner products of the pairs alone. In
    the coordinates of V the multiplier of the ball is added to d.

    Parameters
    ----------
    steps, changes : array of shape (pairs, n)
        The last pairs, oldest first.
    values, vectors : array
        The eigenvalues d > 0 and, in columns, eigenvectors V of the matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.quasi_newton import BasedModel
    >>> model = BasedModel(np.zeros((0, 2)), np.zeros((0, 2)), np.array([3.0, 1.0]), np.eye(2))
    >>> [model.over_ball(np.zeros(2), np.array([-6.0, 0.0]), radius) for radius in (1.0, 5.0)]
    [array([1., 0.]), array([2., 0.])]
    """

    def __init__(self, steps: Array, changes: Array, values: Array, vectors: Array) -> None:
        self.values, self.vectors = values, vectors
        s, y = steps @ vectors, changes @ vectors
        self.rows = np.vstack([s * values, y])
        self.middle = _middle((s * values) @ s.T, s @ y.T)

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
            rate = float(y @ solved(y))
            level, low, high = next_multiplier(level, low, high, length, radius, rate)
        return np.asarray(self.vectors @ y) * (radius / max(length, math.ulp(0.0)))


def _middle(squares: Array, products: Array) -> Array:
    """Matrix M of the compact form, from `squares` S B_0 S' and `products` S Y'."""
    lower = np.tril(products, -1)
    return np.block([[squares, lower], [lower.T, -np.diag(np.diag(products))]])


def tells(step: Array, change: Array) -> bool:
    """True if the curvature <s, y> of a pair is positive beyond rounding."""
    sizes = float(np.linalg.norm(step)) * float(np.linalg.norm(change))
    return float(step @ change) > MIN_CURVATURE * sizes


def damped_update(matrix: Array, step: Array, change: Array) -> Array:
    """BFGS matrix after a pair, damped so that it stays definite.

    Where the curvature <s, y> of the pair is far below that of the matrix it is taken as partly
    noise (Powell; Nocedal and Wright, *Numerical Optimization*, 2006, Procedure 18.2).
    """
    known = matrix @ step
    form, seen = float(step @ known), float(step @ change)
    if seen < MIN_DAMPED_CURVATURE * form:
        share = (1.0 - MIN_DAMPED_CURVATURE) * form / (form - seen)
        change = share * change + (1.0 - share) * known
        seen = float(step @ change)
    matrix += np.outer(change / seen, change) - np.outer(known / form, known)
    return np.asarray(0.5 * (matrix + matrix.T))
