"""Limited-memory BFGS model over a ball, from the last few steps and gradient differences."""

from __future__ import annotations

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.subproblems.kernels import limited

__all__ = ["LimitedModel", "middle_of", "tells"]

MIN_CURVATURE = 1e-12  # of |s| |y|: where <s, y> is below, it is rounding, or f is not convex


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
    >>> from frankwolfe.subproblems.quadratics.limited import LimitedModel
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
        self.middle = middle_of(squares, products)
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


def middle_of(squares: Array, products: Array) -> Array:
    """Matrix M of the compact form, from `squares` S B_0 S' and `products` S Y'."""
    lower = np.tril(products, -1)
    return np.block([[squares, lower], [lower.T, -np.diag(np.diag(products))]])


def tells(step: Array, change: Array) -> bool:
    """True if the curvature <s, y> of a pair is positive beyond rounding."""
    sizes = float(np.linalg.norm(step)) * float(np.linalg.norm(change))
    return float(step @ change) > MIN_CURVATURE * sizes
