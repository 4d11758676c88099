"""The hull of projections onto subspaces."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import at_least_one, frobenius
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.core.feasibility import project_to_sum
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Projection, Projector
from frankwolfe.regions.matrices.entries import as_matrix, leading, written

__all__ = ["Fantope"]

SUBSET_RATIO = 7  # rows an eigenvector; from here on a few cost less than all of them


class Fantope(Region, Projector):
    r"""The hull of projections onto subspaces of k dimensions.

    These are the symmetric matrices with eigenvalues between 0 and 1 and the trace k. The oracle
    is the projection onto the k eigenvectors of the gradient with the smallest eigenvalues
    (K. Fan). The variable is the vector of the :math:`n^2` entries, row after row; of a gradient
    the symmetric part counts.

    Parameters
    ----------
    n : int
        Rows and columns, >= 1.
    k : int
        The dimension of the subspaces, 1 <= k <= n.

    References
    ----------
    J. Dattorro, *Convex Optimization and Euclidean Distance Geometry*, 2005, for the name; V. Vu,
    J. Cho, J. Lei and K. Rohe, *Fantope Projection and Selection*, NIPS 2013, for the projection.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fantope = fw.regions.Fantope(3, 2)
    >>> fantope.lmo(np.diag([1.0, -3.0, -2.0]).ravel()).dense(9).reshape(3, 3).round(12) + 0.0
    array([[0., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """

    family = "matrices"
    formula = r"0 \preceq X \preceq I,\ \mathrm{tr} X = k"
    atom = "a projection onto k dimensions"
    cost = "n^3"

    def __init__(self, n: int, k: int = 1) -> None:
        self.n, self.k = at_least_one("n", n), at_least_one("k", k)
        if self.k > self.n:
            raise InvalidInput(f"k must be at most n = {self.n}, got {self.k}.")
        self.dimension = self.n**2

    @property
    def flat_faces(self) -> bool:
        return True

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        from scipy.linalg import eigh

        scale = leading(g)
        if scale is None:
            return Dense(written(math.nan, g, out))
        symmetric = self._symmetric(g) / scale
        # the projection onto the others is I - P: compute the fewer of both
        few = self.k if 2 * self.k <= self.n else self.n - self.k
        first = 0 if few == self.k else self.k
        if few == 0:
            return Dense(written(np.eye(self.n), g, out))
        if SUBSET_RATIO * few <= self.n:
            v = eigh(symmetric, subset_by_index=[first, first + few - 1], driver="evr")[1]
        else:
            v = np.linalg.eigh(symmetric)[1][:, first : first + few]
        P = v @ v.T
        return Dense(written(P if few == self.k else np.eye(self.n) - P, g, out))

    def _symmetric(self, x: Array) -> Array:
        """Symmetric part of the matrix of the entries."""
        matrix = as_matrix(x, self.n, self.n)
        return np.asarray(0.5 * (matrix + matrix.T))

    def project(self, p: Array) -> Projection:
        """Projection: the eigenvalues are projected onto 0 <= λ <= 1, Σλ = k."""
        values, vectors = np.linalg.eigh(self._symmetric(p))
        values = project_to_sum(values, 0.0, 1.0, float(self.k))
        return Projection(((vectors * values) @ vectors.T).ravel().astype(p.dtype))

    def diameter(self, n: int) -> float:
        return math.sqrt(2.0 * min(self.k, self.n - self.k))

    def reach(self, weights: Array, n: int) -> float:
        """Upper bound by |X_ij| <= 1/2 off the diagonal, and by Σ X_ij² <= k."""
        each = np.broadcast_to(weights, (n,)).reshape(self.n, self.n)
        diagonal = float(each.diagonal().sum())
        entrywise = diagonal + 0.5 * (float(each.sum()) - diagonal)
        return min(entrywise, math.sqrt(self.k) * frobenius(each))

    def violation(self, x: Array) -> float:
        matrix = as_matrix(x, self.n, self.n)
        values = np.linalg.eigvalsh(0.5 * (matrix + matrix.T))
        asymmetry = float(np.abs(matrix - matrix.T).max())
        trace = abs(float(values.sum()) - self.k)
        return max(asymmetry, -float(values[0]), float(values[-1]) - 1.0, trace)

    def start(self, n: int) -> Array:
        return np.diag(np.arange(self.n) < self.k).astype(np.float64).ravel()

    def middle(self, n: int) -> Array:
        return (self.k / self.n * np.eye(self.n)).ravel()

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        side = math.isqrt(n)
        return [cls(side, 1), cls(side + 1, max(side, 1))]

    def __repr__(self) -> str:
        return f"Fantope({self.n} x {self.n} matrices, k={self.k})"
