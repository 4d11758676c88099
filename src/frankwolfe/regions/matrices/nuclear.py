"""The ball of the nuclear norm."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Matrix, Point, Variable
from frankwolfe.base.checks import number
from frankwolfe.core.atoms import RankOne
from frankwolfe.core.faces import FaceAwayStep, ThinFaces, within_face
from frankwolfe.core.gradients import MatrixGradient, matrix_gradient
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.region_abilities import Accuracy, Factoring, Gradient, InexactAtom
from frankwolfe.core.semidefinite import top_eigenvalue_above
from frankwolfe.regions.matrices.rescaled import RescaledGradient
from frankwolfe.regions.matrices.spectral import MAX_DENSE_ENTRIES, MatrixRegion, Products, Warm

__all__ = ["NuclearBall"]

MIN_NORM, MAX_NORM = 1e-70, 1e70  # gradients whose fourth powers are numbers, with room for sums


class NuclearBall(MatrixRegion, ThinFaces):
    r"""Matrices with :math:`\|X\|_\star \le` radius, the sum of singular values.

    The oracle is the top pair of singular vectors of the gradient, by Lanczos from the last
    pair and a random part; what it may be away from the minimum is added to the gap. Small
    gradients are decomposed in full. See :mod:`frankwolfe.regions.matrices.lanczos` for the
    bound, which fails with probability 1e-10 a call at most.

    Parameters
    ----------
    radius : float
        > 0.
    accuracy : float
        How far an atom may be from the best one, as a share of the gap. From 0.01 up, a call
        that starts from the last atom ends after four Lanczos steps in any case.
    seed : int
        For the random part.
    most_steps : int
        Most Lanczos steps in one call.
    exact_below : int
        Gradients with at most so many entries are decomposed in full.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.NuclearBall(2.0).lmo(np.diag([1.0, -3.0])).dense((2, 2)).round(12) + 0.0
    array([[0., 0.],
           [0., 2.]])
    """

    family = "matrices"
    formula = r"\|X\|_* \le r"
    atom = "a rank-one matrix"
    cost = "a few products"
    drops_empty = True

    def __init__(
        self,
        radius: float = 1.0,
        *,
        accuracy: float = 0.05,
        seed: int = 0,
        most_steps: int = 300,
        exact_below: int = MAX_DENSE_ENTRIES,
    ) -> None:
        self.radius = number("radius", radius, above=0.0)
        self._options(accuracy, seed, most_steps)
        self.exact_below = int(exact_below)

    @property
    def factoring(self) -> Factoring:
        return Factoring(self.radius)

    def inexact_lmo(self, g: Gradient, memory: Warm, wanted: Accuracy) -> InexactAtom:
        g = matrix_gradient(g)
        rows, columns = g.shape
        if g.full or rows * columns <= self.exact_below:
            return self._decompose(g.dense())
        size = g.frobenius()
        if 0.0 < size < math.inf and not MIN_NORM < size < MAX_NORM:
            return self._in_units(g, memory, wanted, size)
        transposed = rows < columns  # work with the smaller of G'G and GG'
        first, second = (g.adjoint, g.apply) if transposed else (g.apply, g.adjoint)
        image = g.place.empty(max(rows, columns), np.float64)

        def product(x: Array, into: Array) -> None:
            first(x, image)
            second(image, into)

        def block(x: Array, into: Array) -> None:
            images = g.place.empty((image.size, x.shape[1]), np.float64)
            blocks = (g.apply_block, g.adjoint_block)
            one, other = reversed(blocks) if transposed else blocks
            one(x, images)
            other(images, into)

        def support(value: float) -> float:
            return self.radius * math.sqrt(max(value, 0.0))

        pair = self._top(Products(product, block), g, size**2, memory, wanted, support)
        first(pair.vector, image)
        # |G v| and not the root of the Ritz value: what the atom made of them attains
        sigma = g.place.norm(image)  # >= the Ritz value's root, up to rounding
        other = image / sigma if sigma > 0 else g.place.put(np.eye(1, image.size)[0])
        u, v = (pair.vector, other) if transposed else (other, pair.vector)
        error = self.radius * max(math.sqrt(pair.above) - sigma, 0.0)
        atom = RankOne(-self.radius, u.astype(g.dtype), v.astype(g.dtype))
        return atom, -self.radius * sigma, error

    def _in_units(
        self, g: MatrixGradient, memory: Warm, wanted: Accuracy, size: float
    ) -> InexactAtom:
        """Atom for a gradient whose fourth powers over- or underflow, from a multiple of it."""
        unit = 2.0 ** -math.frexp(size)[1]
        scaled = RescaledGradient(g, np.full(g.shape[0], unit), np.ones(g.shape[1]))
        if wanted.error is None:
            wanted = wanted._replace(above=unit * wanted.above, slack=unit * wanted.slack)
        else:
            wanted = wanted._replace(error=unit * wanted.error)
        atom, value, error = self.inexact_lmo(scaled, memory, wanted)
        return atom, value / unit, error / unit

    def _decompose(self, g: Array) -> InexactAtom:
        """Exact oracle, by a full singular value decomposition."""
        u, s, vt = np.linalg.svd(np.asarray(g, dtype=np.float64), full_matrices=False)
        atom = RankOne(-self.radius, u[:, 0].copy(), vt[0].copy())
        return atom, -self.radius * float(s[0]), 0.0

    def _support_above(self, matrix: Matrix, off: float) -> float:
        flat = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
        square = (flat @ flat.T).toarray()
        # a product of k numbers is off by k units of the sum of their sizes
        rounding = (max(matrix.shape) + 2) * 2.0**-53 * float(np.square(matrix.data).sum())
        above = top_eigenvalue_above(0.5 * (square + square.T)) + 1.001 * rounding
        return 1.000000000001 * self.radius * (math.sqrt(max(above, 0.0)) + off)

    def away(self, x: Point, g: Gradient) -> FaceAwayStep | None:
        return within_face(x, g, self.radius)

    def diameter(self, n: Variable) -> float:
        return 2.0 * self.radius

    def violation(self, x: Point) -> float:
        x = x if isinstance(x, FactoredMatrix) else FactoredMatrix.from_array(x)
        return float(max(0.0, x.nuclear_norm() / self.radius - 1.0))

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(1.5), cls(3.0, exact_below=0)]

    def __repr__(self) -> str:
        return f"NuclearBall(radius={self.radius:g})"
