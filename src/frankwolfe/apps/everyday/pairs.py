"""The cost of pairs in a matching of two graphs, a quadratic form that is never written out."""

from __future__ import annotations

from typing import Self

import numpy as np

from frankwolfe.base import Array, Indices
from frankwolfe.base import fingerprint as fingerprint_of
from frankwolfe.objectives import QuadraticForm

__all__ = ["MatchingCost"]


class _Products:
    """The map from P to A P B' + A' P B, of matrices row after row."""

    def __init__(self, A: Array, B: Array) -> None:
        self.A, self.B, self.n = A, B, len(A)
        self.symmetric = np.array_equal(A, A.T) and np.array_equal(B, B.T)

    def apply(self, x: Array, out: Array) -> None:
        """Write A P B' + A' P B into `out`: four products, or two where A and B are symmetric."""
        P = x.reshape(self.n, self.n)
        total = self.A @ (P @ self.B.T)
        total += total if self.symmetric else self.A.T @ (P @ self.B)
        out[:] = total.ravel()

    def column(self, index: int, scale: float, out: Array) -> None:
        """Write the image of one entry of P into `out`."""
        self.columns(np.array([index]), np.array([scale]), out)

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        """Write the image of a few entries: for a permutation, products with P are reorderings."""
        rows, columns = np.divmod(indices, self.n)
        left, right = self.A[:, rows] * values, self.B[:, columns]
        total = left @ right.T
        if self.symmetric:
            total += total
        else:
            total += (self.A[rows].T * values) @ self.B[columns]
        out[:] = total.ravel()


class MatchingCost(QuadraticForm):
    r"""The cost :math:`\sum_{ijkl} A_{ij} B_{kl} P_{ik} P_{jl} + \sum_{ik} C_{ik} P_{ik}`.

    P is a matrix, row after row: a permutation matrix where nodes i of a graph are matched with
    nodes k of another. The image is P and the gradient of the quadratic part, so that a line
    search costs :math:`n^2` and a step to a permutation one product of matrices, two where they
    are not symmetric. It is not convex.

    Parameters
    ----------
    A, B, C : arrays of shape (n, n)
        Costs of pairs, in the two graphs, and of single nodes.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.apps.everyday.pairs import MatchingCost
    >>> A, B = np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([[0.0, 3.0], [5.0, 0.0]])
    >>> f = MatchingCost(A, B, np.zeros((2, 2)))
    >>> f(np.eye(2).ravel()), f(np.eye(2)[::-1].ravel())
    (13.0, 11.0)
    """

    convex = False
    linear: _Products

    def __init__(self, A: Array, B: Array, C: Array) -> None:
        self.linear, self.c = _Products(A, B), C.ravel()
        self.n, self.dtype = A.size, np.dtype(np.float64)
        self.m = 2 * self.n

    @property
    def smoothness(self) -> float:
        """Lipschitz constant 2 ||A||_2 ||B||_2 of the gradient."""
        return 2.0 * float(np.linalg.norm(self.linear.A, 2) * np.linalg.norm(self.linear.B, 2))

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        side = max(int(np.sqrt(n)), 1)
        return cls(*rng.standard_normal((3, side, side)))

    def fingerprint(self) -> str:
        return fingerprint_of(repr(self), [self.linear.A, self.linear.B, self.c])

    def __repr__(self) -> str:
        return f"MatchingCost({self.linear.n} nodes)"
