"""The spectraplex."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Matrix, Point, Variable
from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.atoms import RankOne
from frankwolfe.core.faces import FaceAwayStep, ThinFaces, within_face
from frankwolfe.core.gradients import matrix_gradient
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.region_abilities import Accuracy, Factoring, Gradient, InexactAtom
from frankwolfe.core.semidefinite import top_eigenvalue_above
from frankwolfe.regions.matrices.spectral import MAX_DENSE_ENTRIES, MatrixRegion, Products, Warm

__all__ = ["Spectraplex"]


class Spectraplex(MatrixRegion, ThinFaces):
    r"""Symmetric matrices :math:`X \succeq 0` with trace = r, or trace <= r.

    The oracle is the eigenvector of the smallest eigenvalue of the gradient's symmetric part,
    found and bounded as in :class:`~frankwolfe.NuclearBall`.

    Parameters
    ----------
    trace : float
        r > 0.
    at_most : bool
        Whether the trace may be less than r.
    accuracy, seed, most_steps, exact_below
        As in :class:`~frankwolfe.NuclearBall`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.Spectraplex(2.0).lmo(np.diag([1.0, -3.0])).dense((2, 2)).round(12) + 0.0
    array([[0., 0.],
           [0., 2.]])
    """

    family = "matrices"
    formula = r"X \succeq 0,\ \mathrm{tr} X = r"
    atom = "a rank-one matrix"
    cost = "a few products"

    def __init__(
        self,
        trace: float = 1.0,
        *,
        at_most: bool = False,
        accuracy: float = 0.05,
        seed: int = 0,
        most_steps: int = 300,
        exact_below: int = MAX_DENSE_ENTRIES,
    ) -> None:
        self.trace = number("trace", trace, above=0.0)
        self.at_most = bool(at_most)
        self._options(accuracy, seed, most_steps)
        self.exact_below = int(exact_below)

    @property
    def factoring(self) -> Factoring:
        return Factoring(self.trace, symmetric=True, exact=not self.at_most)

    def check_dimension(self, n: Variable) -> None:
        super().check_dimension(n)
        if n[0] != n[1]:
            raise InvalidInput(f"a spectraplex holds square matrices, got shape {n}.")

    def inexact_lmo(self, g: Gradient, memory: Warm, wanted: Accuracy) -> InexactAtom:
        g = matrix_gradient(g)
        self.check_dimension(g.shape)
        n = g.shape[0]
        if g.full or n * n <= self.exact_below:
            return self._decompose(g.dense())
        other = g.place.empty(n, np.float64)

        def product(x: Array, into: Array) -> None:  # minus the symmetric part
            g.symmetric(x, into, other)
            into *= -0.5

        def block(x: Array, into: Array) -> None:
            room = np.empty_like(into)
            g.apply_block(x, into)
            g.adjoint_block(x, room)
            into += room
            into *= -0.5

        def support(value: float) -> float:
            return self.trace * value

        pair = self._top(Products(product, block), g, g.frobenius(), memory, wanted, support)
        g.adjoint(pair.vector, other)
        value = -float(pair.vector @ other)
        above = max(pair.above, value)
        vector = pair.vector.astype(g.dtype)
        if self.at_most and value <= 0.0:  # zero is at least as good as any atom found
            return RankOne(0.0, vector, vector), 0.0, self.trace * max(above, 0.0)
        error = self.trace * (above - value)
        return RankOne(self.trace, vector, vector), -self.trace * value, error

    def _decompose(self, g: Array) -> InexactAtom:
        """Exact oracle, by a full eigendecomposition of the symmetric part."""
        full = np.asarray(g, dtype=np.float64)
        values, vectors = np.linalg.eigh(0.5 * (full + full.T))
        # zero is at least as good as an atom with a positive slope
        trace = 0.0 if self.at_most and values[0] >= 0.0 else self.trace
        vector = vectors[:, 0].copy()
        return RankOne(trace, vector, vector), trace * float(values[0]), 0.0

    def _support_above(self, matrix: Matrix, off: float) -> float:
        full = matrix.toarray()
        above = top_eigenvalue_above(-0.5 * (full + full.T)) + off
        above += 4.0 * 2.0**-53 * float(np.linalg.norm(full))
        return self.trace * (max(above, 0.0) if self.at_most else above)

    def away(self, x: Point, g: Gradient) -> FaceAwayStep | None:
        symmetric = FactoredMatrix(x.left, x.weights, x.left)  # to the bit
        return within_face(symmetric, g, self.trace)

    def start(self, n: Variable) -> FactoredMatrix:
        if self.at_most:
            return FactoredMatrix.zero(n)
        axis = np.eye(1, n[0])
        return FactoredMatrix(axis, np.array([self.trace]), axis.copy())

    def diameter(self, n: Variable) -> float:
        return self.trace * math.sqrt(2.0)

    def violation(self, x: Point) -> float:
        full = _between(x) if isinstance(x, FactoredMatrix) else np.asarray(x, dtype=np.float64)
        asymmetry = float(np.linalg.norm(full - full.T))
        eigenvalues = np.linalg.eigvalsh(0.5 * (full + full.T))
        excess = float(eigenvalues.sum()) - self.trace
        excess = max(excess, 0.0) if self.at_most else abs(excess)
        return max(asymmetry, -float(eigenvalues[0]), excess, 0.0) / self.trace

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(), cls(2.0, at_most=True), cls(1.5, exact_below=0)]

    def __repr__(self) -> str:
        return f"Spectraplex(trace {'<=' if self.at_most else '='} {self.trace:g})"


def _between(x: FactoredMatrix) -> Array:
    """X in a basis of the span of its terms and one zero row, or in full where they are many."""
    x = x.here()
    if 2 * x.terms >= min(x.shape):
        return x.toarray()
    both = np.vstack([x.left, x.right]).astype(np.float64)
    basis = np.linalg.qr(both.T)[0]
    between = (x.left @ basis).T * x.weights @ (x.right @ basis)
    return np.pad(between, (0, 1))  # an eigenvalue beside the span is zero
