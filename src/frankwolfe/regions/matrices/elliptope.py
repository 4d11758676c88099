"""Correlation matrices."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import at_least_one
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import (
    Accuracy,
    InexactAtom,
    OracleMemory,
    Projection,
    Projector,
)
from frankwolfe.regions.matrices.correlation import (
    Least,
    dual_bound,
    least_over_correlations,
    nearest_correlation,
)
from frankwolfe.regions.matrices.entries import as_matrix, leading, written

__all__ = ["Elliptope"]


class Elliptope(Region, Projector):
    r"""Correlation matrices: positive semidefinite, with ones on the diagonal.

    The oracle is the semidefinite program of the maximum cut, by interior points: about fifteen
    steps of :math:`n^3` each, for some hundred rows. What it leaves is bounded by its dual and
    added to the gap. The nearest point (the nearest correlation matrix) is found by Newton's
    method on the dual. The variable is the vector of the :math:`n^2` entries, row after row; of a
    gradient the symmetric part counts.

    Parameters
    ----------
    n : int
        Rows and columns, >= 1.

    Notes
    -----
    The diameter is exact where n is even or at most 3; for other odd n it is an upper bound, by
    a share of :math:`1/n^2` at most too long.

    References
    ----------
    M. Goemans and D. Williamson, *Improved Approximation Algorithms for Maximum Cut and
    Satisfiability Problems Using Semidefinite Programming*, Journal of the ACM 42, 1995;
    N. Higham, *Computing the Nearest Correlation Matrix*, IMA Journal of Numerical Analysis 22,
    2002.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> triangle = np.ones((3, 3)) - np.eye(3)
    >>> fw.regions.Elliptope(3).lmo(triangle.ravel()).dense(9).reshape(3, 3).round(9)
    array([[ 1. , -0.5, -0.5],
           [-0.5,  1. , -0.5],
           [-0.5, -0.5,  1. ]])
    """

    iterates = True

    family = "matrices"
    formula = r"X \succeq 0,\ X_{ii} = 1"
    atom = "a correlation matrix of low rank"
    cost = "15 n^3"

    def __init__(self, n: int) -> None:
        self.n = at_least_one("n", n)
        self.dimension = self.n**2

    @property
    def flat_faces(self) -> bool:
        return self.n > 2

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        found = self._solved(g)
        return Dense(written(math.nan if found is None else found.X, g, out))

    def _solved(self, g: Array) -> Least | None:
        """Minimizer of <g, X> and its dual bound; None where g is not finite."""
        scale = leading(g)
        if scale is None:
            return None
        matrix = as_matrix(g, self.n, self.n) / scale
        found = least_over_correlations(0.5 * (matrix + matrix.T))
        return Least(found.X, scale * found.bound)

    def inexact_lmo(self, g: Array, memory: OracleMemory, wanted: Accuracy) -> InexactAtom:
        found = self._solved(g)
        if found is None:
            return super().inexact_lmo(g, memory, wanted)
        atom = Dense(written(found.X, g, memory.array))
        value = atom.dot(g)
        return atom, value, max(value - found.bound, 0.0)

    def project(self, p: Array) -> Projection:
        matrix = as_matrix(p, self.n, self.n)
        x, y = nearest_correlation(0.5 * (matrix + matrix.T))

        def bound(g: Array, scale: float) -> float:
            full = as_matrix(g, self.n, self.n)
            return dual_bound(0.5 * (full + full.T), scale * y)

        return Projection(x.ravel().astype(p.dtype), bound)

    def diameter(self, n: int) -> float:
        """Distance of ss' and tt' for orthogonal sign vectors s and t; three rows have none."""
        return math.sqrt(2.0 * self.n**2 - 2.0 * (self.n in (1, 3)))

    def reach(self, weights: Array, n: int) -> float:
        return float(np.broadcast_to(weights, (n,)).sum())

    def violation(self, x: Array) -> float:
        matrix = as_matrix(x, self.n, self.n)
        asymmetry = float(np.abs(matrix - matrix.T).max())
        lowest = float(np.linalg.eigvalsh(0.5 * (matrix + matrix.T))[0])
        return max(asymmetry, float(np.abs(matrix.diagonal() - 1.0).max()), -lowest, 0.0)

    def start(self, n: int) -> Array:
        return np.ones(self.n**2)

    def middle(self, n: int) -> Array:
        return np.eye(self.n).ravel()

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        side = math.isqrt(n)
        return [cls(side), cls(side + 1)]

    def __repr__(self) -> str:
        return f"Elliptope({self.n} x {self.n} matrices)"
