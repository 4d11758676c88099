"""The quadratic form of Gromov-Wasserstein: two matrices of distances compared by a plan T."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Indices, Matrix
from frankwolfe.base.blas import one_thread
from frankwolfe.core.atoms import Atom

__all__ = ["GromovMap", "SplitLoss"]


class SplitLoss(NamedTuple):
    """A loss L(a, b) = f1(a) + f2(b) - h1(a) h2(b), evaluated on the entries of two matrices."""

    f1: Array
    f2: Array
    h1: Array
    h2: Array


class GromovMap:
    """The map T -> QT with <T, QT> / 2 = Σ L(C1_ik, C2_jl) T_ij T_kl, on vectors of entries.

    A product takes the sums of rows and columns of T and a product of three matrices:
    O(n^2 m + n m^2) operations, where the sum has n^2 m^2 terms.
    """

    by_rows: Array
    by_columns: Array
    left: Array
    right: Array

    def __init__(self, split: SplitLoss, weight: float) -> None:
        f1, f2, h1, h2 = split
        self.by_rows, self.by_columns = weight * (f1 + f1.T), weight * (f2 + f2.T)
        self.left, self.right = h1, weight * h2
        self.sides = f1.shape[0], f2.shape[0]
        self.shape = (self.sides[0] * self.sides[1],) * 2
        self.symmetric = all(np.array_equal(side, side.T) for side in (h1, h2))

    @property
    def peak(self) -> float:
        """Upper bound on the sum of the absolute values of the terms of an entry of Q."""
        most = [float(np.abs(part).max()) for part in (self.by_rows, self.by_columns)]
        return sum(most) + 2.0 * float(np.abs(self.left).max()) * float(np.abs(self.right).max())

    @property
    def norm(self) -> float:
        """Upper bound on the spectral norm of Q."""
        n, m = self.sides
        rows, columns, left, right = (
            float(np.linalg.norm(part, 2))
            for part in (self.by_rows, self.by_columns, self.left, self.right)
        )
        return float(m * rows + n * columns + 2.0 * left * right)

    def apply(self, x: Array, out: Array) -> None:
        """out = Q x."""
        plan = x.reshape(self.sides)
        with one_thread():
            self._finish(plan.sum(axis=1), plan.sum(axis=0), self._crossed(plan, plan.T), out)

    def column(self, index: int, scale: float, out: Array) -> None:
        """out = scale times column `index` of Q."""
        self.columns(np.array([index]), np.array([scale]), out)

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        """out = Q times a plan with few entries: one product of matrices where `apply` has two."""
        from scipy.sparse import csr_array

        n, m = self.sides
        i, j = np.divmod(indices, m)
        plan = csr_array((values, (i, j)), shape=(n, m))
        rows, columns = np.zeros(n), np.zeros(m)
        np.add.at(rows, i, values)
        np.add.at(columns, j, values)
        with one_thread():
            self._finish(rows, columns, self._crossed(plan, plan.T.tocsr()), out)

    def _crossed(self, plan: Matrix, flipped: Matrix) -> Array:
        """The cross term H1 T H2' + H1' T H2."""
        if self.symmetric:
            return np.asarray(2.0 * ((flipped @ self.left).T @ self.right))
        one = (flipped @ self.left.T).T @ self.right.T
        return np.asarray(one + (flipped @ self.left).T @ self.right)

    def _finish(self, rows: Array, columns: Array, crossed: Array, out: Array) -> None:
        """out = QT from the sums of T's rows and columns and the cross term."""
        total = out.reshape(self.sides)
        np.negative(crossed, out=total)
        total += (self.by_rows @ rows)[:, None]
        total += self.by_columns @ columns

    def images(self, atoms: Sequence[Atom]) -> Array:
        """Matrix with Q times atom k as column k."""
        found = np.empty((len(atoms), self.shape[0]))
        for atom, row in zip(atoms, found, strict=True):
            atom.image(self, row)
        return found.T

    def apply_block(self, v: Array, block: slice, out: Array) -> None:
        """out = Q times the vector that is v on `block` and zero elsewhere."""
        whole = np.zeros(self.shape[0])
        whole[block] = v
        self.apply(whole, out)

    def dense(self) -> Array:
        """The matrix Q in full, for few variables."""
        n, m = self.sides
        crossed = np.kron(self.left, self.right)
        sums = np.kron(self.by_rows, np.ones((m, m))) + np.kron(np.ones((n, n)), self.by_columns)
        return np.asarray(sums - (crossed + crossed.T))

    def parts(self) -> list[Array]:
        """Arrays that determine Q, for fingerprints."""
        return [self.by_rows, self.by_columns, self.left, self.right]
