"""Vectors whose entries do not fall, in a Euclidean ball."""

from __future__ import annotations

from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import frobenius, number
from frankwolfe.core.atoms import Atom, Dense, Vertex
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Formulation, Projection, Projector
from frankwolfe.core.standard_form.balls import PowerBall
from frankwolfe.core.standard_form.form import StandardForm, ball
from frankwolfe.core.standard_form.lifting import plain
from frankwolfe.regions.kernels import isotonic

__all__ = ["IsotonicBall"]

SAFE_LENGTH = 1e-200  # from here to its inverse a length can be divided by
MAX_FRAME_VARIABLES = 300  # above, n - 1 dense equations in 2n variables cost too much


class IsotonicBall(Region, Projector, Formulation):
    r"""The monotone cone cut by a ball: :math:`x_1 \le x_2 \le \dots \le x_n`, 2-norm <= radius.

    For shape-restricted regression: dose-response curves, calibration, trends. The oracle fits a
    monotone vector to minus the gradient (pool adjacent violators) and scales it to the sphere.

    Parameters
    ----------
    radius : float
        > 0.

    References
    ----------
    R. Barlow, D. Bartholomew, J. Bremner and H. Brunk, *Statistical inference under order
    restrictions*, Wiley, 1972.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.regions.IsotonicBall(5.0).lmo(np.array([4.0, -1.0, -5.0])).dense(3).round(3)
    array([-3.086,  0.772,  3.858])
    >>> fw.regions.IsotonicBall(5.0).project(np.array([1.0, 3.0, 2.0])).x
    array([1. , 2.5, 2.5])
    """

    family = "norms"
    formula = r"x_1 \le \dots \le x_n,\ \|x\|_2 \le r"
    atom = "a monotone vector of length r, or zero"
    cost = "n"

    def __init__(self, radius: float = 1.0) -> None:
        self.radius = number("radius", radius, above=0.0)

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        out = np.empty_like(g) if out is None else out
        fitted = np.negative(g, dtype=np.float64)
        isotonic.isotonic(fitted, fitted, np.empty(g.size, dtype=np.int64))
        length = frobenius(fitted)
        if (
            not SAFE_LENGTH < length < 1.0 / SAFE_LENGTH
        ):  # zero, not finite, or its inverse might not be
            fitted /= float(np.abs(fitted).max()) or 1.0
            length = frobenius(fitted) or 1.0
        np.multiply(fitted, self.radius / length, out=out)
        return Dense(out)

    def project(self, p: Array) -> Projection:
        x = p.astype(np.float64)
        isotonic.isotonic(x, x, np.empty(p.size, dtype=np.int64))
        length = frobenius(x)
        if length > self.radius:
            x *= self.radius / length
        return Projection(x.astype(p.dtype))

    def standard_form(self, n: int) -> StandardForm | None:
        """Standard form in the entries and their differences, which are >= 0."""
        if n == 1:
            return ball(1, 2.0, self.radius)
        if n > MAX_FRAME_VARIABLES:
            return None
        x, steps = self.middle(n), np.diff(self.middle(n))
        sums = np.hstack([np.diff(np.eye(n), axis=0), -np.eye(n - 1)])
        far = np.full(n, 2.0 * self.radius)
        return StandardForm(
            [Vertex(j, 1.0) for j in range(n)],
            np.concatenate([-far, np.zeros(n - 1)]),
            np.concatenate([far, np.full(n - 1, np.inf)]),
            np.concatenate([x, steps]),
            sums,
            np.zeros(n - 1),
            (PowerBall(slice(0, n), 2.0, self.radius),),
            layout=plain(n, 2 * n - 1),
        )

    def diameter(self, n: int) -> float:
        return 2.0 * self.radius  # constants go both ways

    def reach(self, weights: Array, n: int) -> float:
        return self.radius * frobenius(np.broadcast_to(weights, (n,)))

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64) / self.radius
        return max(0.0, -float(np.diff(x).min(initial=0.0)), frobenius(x) - 1.0)

    def start(self, n: int) -> Array:
        return self.middle(n)

    def middle(self, n: int) -> Array:
        if n == 1:
            return np.zeros(1)
        x = np.linspace(-1.0, 1.0, n)
        return 0.5 * self.radius * x / frobenius(x)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(1.5), cls(0.7)]

    def __repr__(self) -> str:
        return f"IsotonicBall(radius={self.radius:g})"
