"""A quadratic form, with its product Qx carried as the image."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from frankwolfe.numerics.arrays import Array, Matrix
from frankwolfe.numerics.atoms import Atom
from frankwolfe.numerics.checks import finite_vector, number
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.fingerprint import fingerprint
from frankwolfe.numerics.maps import DenseMap, as_map
from frankwolfe.numerics.products import as_columns
from frankwolfe.numerics.spectral import largest_eigenvalue_bound
from frankwolfe.objectives.base import Objective

__all__ = ["Quadratic"]

DENSE_SPECTRUM = 1024  # up to this size Q is decomposed for its largest eigenvalue
DENSE = 4000  # up to this size a Cholesky factor tells whether Q is convex


class Quadratic(Objective):
    r"""A quadratic form :math:`\frac12 x'Qx + c'x + \text{constant}`.

    In the form :math:`\varphi(Ax)` its map is :math:`A = [I; Q]`: the image carries x and
    Qx, so a gradient costs O(n) and a move to a vertex one column of Q.

    Parameters
    ----------
    Q : array or scipy sparse matrix of shape (n, n)
        Symmetric. Where it is not positive semidefinite the objective is not convex, and
        results say that their gap certifies nothing.
    c : array of shape (n,), optional
        Linear term, zero by default.
    constant : float
        Constant term.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.Quadratic(np.diag([1.0, 2.0]), c=[-1.0, 0.0])
    >>> f(np.array([1.0, 1.0])), f.grad(np.array([1.0, 1.0]))
    (0.5, array([0., 2.]))
    """

    quadratic = twice_differentiable = True

    def __init__(self, Q: Matrix, c: Any = None, *, constant: float = 0.0) -> None:
        self.linear = as_map("Q", Q)
        rows, columns = self.linear.shape
        if rows != columns:
            raise InvalidInput(f"Q must be square, got shape {self.linear.shape}.")
        Q = (
            self.linear.matrix
            if isinstance(self.linear, DenseMap)
            else Q.astype(self.linear.dtype, copy=False)
        )
        rounding = 100.0 * float(np.finfo(self.linear.dtype).eps)
        if abs(Q - Q.T).max() > max(rounding, 1e-8) * max(abs(Q).max(), 1e-300):
            raise InvalidInput("Q must be symmetric: pass (Q + Q.T) / 2.")
        self._given = Q
        self.n, self.m, self.dtype = columns, 2 * columns, self.linear.dtype
        linear_term = np.zeros(self.n) if c is None else finite_vector("c", c, self.n)
        self.c = np.array(linear_term, dtype=self.dtype)
        self.constant = number("constant", constant)
        self.offset = abs(self.constant)

    def image(self, x: Array, out: Array) -> None:
        out[: self.n] = x
        self.linear.apply(x, out[self.n :])

    def image_of(self, atom: Atom, out: Array) -> None:
        out[: self.n] = 0.0
        atom.add_to(out[: self.n], 1.0)
        atom.image(self.linear, out[self.n :])

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        both = as_columns(atoms, self.n).toarray(), self.linear.images(atoms)
        return np.vstack(
            [half if isinstance(half, np.ndarray) else half.toarray() for half in both]
        )

    def hessian(self, z: Array, left: Matrix, right: Matrix) -> Array:
        return np.asarray(left[: self.n].T @ right[self.n :], dtype=np.float64)

    def full_hessian(self, z: Array) -> Array:
        return self._dense()

    def value(self, z: Array) -> float:
        x, qx = z[: self.n], z[self.n :]
        return 0.5 * float(x.dot(qx)) + float(x.dot(self.c)) + self.constant

    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        x, qx = z[: self.n], z[self.n :]
        np.multiply(qx, 0.5, out=slope[: self.n])
        slope[: self.n] += self.c
        np.multiply(x, 0.5, out=slope[self.n :])
        form, linear_part = float(x.dot(qx)), float(x.dot(self.c))
        return 0.5 * form + linear_part + self.constant, form + linear_part

    def gradient(self, slope: Array, out: Array) -> None:
        # phi'(z) = (Qx/2 + c, x/2), hence A' phi'(z) = Qx + c = 2 (first half) - c
        np.multiply(slope[: self.n], 2.0, out=out)
        out -= self.c

    def in_double(self) -> Quadratic:
        Q = self._given.astype(np.float64)
        return Quadratic(0.5 * (Q + Q.T), self.c, constant=self.constant)

    def block_gradient(self, z: Array, block: slice, slope: Array, out: Array) -> None:
        np.add(z[self.n :][block], self.c[block], out=out)  # Qx + c

    def block_image(self, v: Array, block: slice, out: Array) -> None:
        out[: self.n] = 0.0
        out[block] = v
        self.linear.apply_block(v, block, out[self.n :])

    def along(self, z: Array, dz: Array, t: float) -> tuple[float, float, float | None]:
        d, qd = dz[: self.n], dz[self.n :]
        curvature = float(d.dot(qd))
        start = float(d.dot(z[self.n :])) + float(d.dot(self.c))
        rise = t * start + 0.5 * t * t * curvature
        return self.value(z) + rise, start + t * curvature, curvature

    def curvature_bound(self, dz: Array) -> float:
        return float(dz[: self.n].dot(dz[self.n :]))

    @cached_property
    def convex(self) -> bool:  # type: ignore[override]
        """Whether Q is positive semidefinite, to rounding; False where that stays unknown."""
        if self.n <= DENSE:
            dense = self._dense()
            shift = 1e-8 * max(float(np.abs(dense).max()), 1e-300) * self.n
            try:
                np.linalg.cholesky(dense + shift * np.eye(self.n))
            except np.linalg.LinAlgError:
                return False
            return True
        return self._dominant() or self._smallest() >= -1e-6 * self._row_bound

    def _dense(self) -> Array:
        if isinstance(self.linear, DenseMap):
            return self.linear.matrix.astype(np.float64)
        return np.asarray(self._given.toarray(), dtype=np.float64)

    @cached_property
    def _row_bound(self) -> float:
        """The largest sum of sizes in a row, not below any eigenvalue's size."""
        return float(abs(self._given).sum(axis=1).max())

    def _dominant(self) -> bool:
        """Whether each diagonal entry is at least the sum of sizes beside it (Gershgorin)."""
        diagonal = np.asarray(self._given.diagonal())
        beside = np.asarray(abs(self._given).sum(axis=1)).ravel() - np.abs(diagonal)
        return bool((diagonal >= beside - 1e-12 * self._row_bound).all())

    def _smallest(self) -> float:
        """The smallest eigenvalue by Lanczos; minus infinity where that fails."""
        from scipy.sparse.linalg import ArpackError, eigsh

        try:
            return float(eigsh(self._given, k=1, which="SA", tol=1e-4, maxiter=2000)[0][0])
        except ArpackError:
            return -np.inf

    @cached_property
    def smoothness(self) -> float:
        """A bound on the eigenvalue of Q that is largest in size."""
        if self.n <= DENSE_SPECTRUM:
            eigenvalues = np.linalg.eigvalsh(self._dense())
            return float(max(abs(eigenvalues[0]), abs(eigenvalues[-1])) * (1.0 + 1e-12))
        if not self.convex:
            return self._row_bound
        return min(self._row_bound, largest_eigenvalue_bound(self.linear.apply, self.n))

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        half = rng.standard_normal((2 * n, n))
        return cls(half.T @ half / n, rng.standard_normal(n))

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [*self.linear.parts(), self.c, self.constant])

    def __repr__(self) -> str:
        return f"Quadratic({self.n} variables, {self.dtype})"
