"""The ball of the spectral norm."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import at_least_one, number
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Projection, Projector
from frankwolfe.regions.matrices.entries import as_matrix, leading, written

__all__ = ["SpectralBall"]


class SpectralBall(Region, Projector):
    r"""Matrices whose largest singular value is at most a radius.

    The oracle is the polar factor of the gradient: with :math:`G = U \Sigma V^\top` it is
    :math:`-r U V^\top`, by a singular value decomposition of the whole matrix. The variable is
    the vector of the entries, row after row: ``x.reshape(rows, columns)`` is the matrix.

    Parameters
    ----------
    rows, columns : int
        The shape of the matrices, each >= 1.
    radius : float
        > 0.

    References
    ----------
    M. Jaggi, *Revisiting Frank-Wolfe: Projection-Free Sparse Convex Optimization*, ICML 2013,
    for the oracles of matrix norms.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> ball = fw.regions.SpectralBall(2, 2, 2.0)
    >>> ball.lmo(np.array([1.0, 0.0, 0.0, -3.0])).dense(4).reshape(2, 2).round(12) + 0.0
    array([[-2.,  0.],
           [ 0.,  2.]])
    """

    family = "matrices"
    formula = r"\sigma_{\max}(X) \le r"
    atom = "an orthogonal matrix, or a part of one, times r"
    cost = "mn min(m, n)"

    def __init__(self, rows: int, columns: int, radius: float = 1.0) -> None:
        self.rows, self.columns = at_least_one("rows", rows), at_least_one("columns", columns)
        self.radius = number("radius", radius, above=0.0)
        self.dimension = self.rows * self.columns

    @property
    def flat_faces(self) -> bool:
        return min(self.rows, self.columns) > 1

    @property
    def strictly_convex(self) -> bool:
        """True with one row or column, where it is a ball of the 2-norm."""
        return not self.flat_faces

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        scale = leading(g)
        if scale is None:
            return Dense(written(math.nan, g, out))
        u, _, vt = np.linalg.svd(self._matrix(g) / scale, full_matrices=False)
        return Dense(written((u * -self.radius) @ vt, g, out))

    def _matrix(self, x: Array) -> Array:
        """Matrix of the entries, in double precision."""
        return as_matrix(x, self.rows, self.columns)

    def project(self, p: Array) -> Projection:
        """Projection: singular values are cut off at the radius."""
        u, s, vt = np.linalg.svd(self._matrix(p), full_matrices=False)
        if s[0] <= self.radius:
            return Projection(p.copy())
        return Projection(((u * np.minimum(s, self.radius)) @ vt).ravel().astype(p.dtype))

    def diameter(self, n: int) -> float:
        return 2.0 * self.radius * math.sqrt(min(self.rows, self.columns))

    def reach(self, weights: Array, n: int) -> float:
        """Upper bound by lines: the 2-norm of each row and column is at most the radius."""
        largest = float(weights.max(initial=0.0)) or 1.0  # no square underflows
        each = np.broadcast_to(weights / largest, (n,)).reshape(self.rows, self.columns)
        lines = (np.linalg.norm(each, axis=axis).sum() for axis in (0, 1))
        return self.radius * largest * float(min(lines))

    def violation(self, x: Array) -> float:
        largest = float(np.linalg.norm(self._matrix(x) / self.radius, 2))
        return max(0.0, largest - 1.0)

    def start(self, n: int) -> Array:
        return np.zeros(self.rows * self.columns)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        rows = max(d for d in range(1, math.isqrt(n) + 1) if n % d == 0)
        return [cls(rows, n // rows, 1.5), cls(n, 1, 0.7)]

    def __repr__(self) -> str:
        return f"SpectralBall({self.rows} x {self.columns} matrices, radius={self.radius:g})"
