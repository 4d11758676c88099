"""The quadratic objective x'Qx/2 + c'x, which carries Qx as its image."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.base.blas import one_thread
from frankwolfe.base.checks import all_finite, finite_vector, number, quiet
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.core import double_double as doubled
from frankwolfe.core.double_double import Interval
from frankwolfe.core.enclosure import Enclosed, RegionFacts
from frankwolfe.core.maps import DenseMap, as_map
from frankwolfe.core.objective_abilities import Diameter, Itself
from frankwolfe.core.products import WeightedSupport
from frankwolfe.core.semidefinite import Deficit, deficit_of
from frankwolfe.core.spectral import largest_eigenvalue_bound
from frankwolfe.objectives.quadratic_form import QuadraticForm

__all__ = ["Quadratic"]

MAX_EIGEN_VARIABLES = 1024  # above, Lanczos bounds the largest eigenvalue in far less than O(n^3)
MAX_CHOLESKY_VARIABLES = 4000  # above, the dense factor that proves convexity takes seconds


class Quadratic(QuadraticForm):
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
    convex : bool, optional
        True if Q is known to be positive semidefinite. By default this is proved, by a Cholesky
        factor for up to 4000 variables, else by the rows or a Lanczos bound; what rounding may
        take from it is part of the gap. Where it cannot be proved there is no certificate.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.Quadratic(np.diag([1.0, 2.0]), c=[-1.0, 0.0])
    >>> f(np.array([1.0, 1.0])), f.grad(np.array([1.0, 1.0]))
    (0.5, array([0., 2.]))
    """

    second_order = enclosure = rounding = Itself()

    def __init__(
        self,
        Q: Matrix,
        c: ArrayLike | None = None,
        *,
        constant: float = 0.0,
        convex: bool | None = None,
    ) -> None:
        self.linear = as_map("Q", Q)
        rows, columns = self.linear.shape
        if rows != columns:
            raise InvalidInput(f"Q must be square, got shape {self.linear.shape}.")
        Q = (
            self.linear.matrix
            if isinstance(self.linear, DenseMap)
            else Q.astype(self.linear.dtype, copy=False).tocsr()
        )
        # products X'X of the caller's differ from symmetric by rounding: that is not refused
        rounding = 100.0 * float(np.finfo(self.linear.dtype).eps)
        skew = abs(Q - Q.T).max()
        if skew > max(rounding, 1e-8) * max(abs(Q).max(), 1e-300):
            raise InvalidInput("Q must be symmetric: pass (Q + Q.T) / 2.")
        if skew:  # x'Qx depends on the symmetric part alone, and Qx must be its gradient
            Q = 0.5 * Q + 0.5 * Q.T
            self.linear = as_map("Q", Q)
        self._given = Q
        self._stated = None if convex is None else bool(convex)
        self.n, self.m, self.dtype = columns, 2 * columns, self.linear.dtype
        linear_term = np.zeros(self.n) if c is None else finite_vector("c", c, self.n)
        self.c = np.array(linear_term, dtype=self.dtype)
        self.constant = number("constant", constant)
        self.offset = abs(self.constant)

    def enclosed(self, x: Array, region: RegionFacts) -> Enclosed:
        point, c = doubled.exact(x), doubled.exact(self.c)
        gradient = doubled.plus(doubled.image(self.linear, point), c)
        twice = doubled.plus(gradient, c).dot(x)  # x'Qx + 2 c'x
        constant = Fraction(self.constant)
        value = Interval(*(part / 2 + constant for part in twice))
        return Enclosed(value, gradient, self._lost_over(region))

    def _lost_over(self, region: RegionFacts) -> Fraction:
        """Bound on what negative curvature takes over a region, with a margin for its rounding."""
        if not self._stated and (self._deficit is None or self._deficit.size == 0.0):
            return Fraction(0)  # proved to be convex
        lost = self.lost(
            lambda weights: region.reach(weights, self.n), lambda: region.diameter(self.n)
        )
        return Fraction(lost) * Fraction(1.0 + 1e-6)

    def full_hessian(self, z: Array) -> Array:
        return self._dense()

    def in_double(self) -> Quadratic:
        Q = self._given.astype(np.float64)
        return Quadratic(0.5 * (Q + Q.T), self.c, constant=self.constant)

    @cached_property
    def convex(self) -> bool:  # type: ignore[override]
        """True if Q is known to be positive semidefinite, to rounding."""
        if self._stated is not None:
            return self._stated
        if self.n <= MAX_CHOLESKY_VARIABLES or self._by_rows is not None:
            return self._deficit is not None
        # Q >= 0 if no eigenvalue of (bound I - Q) is above the bound
        bound = self._row_bound

        def complement(x: Array, out: Array) -> None:
            self.linear.apply(x, out)
            np.subtract(bound * x, out, out=out)

        # strictly, since Lanczos cannot tell a zero eigenvalue from one just below zero
        return largest_eigenvalue_bound(complement, self.n) <= bound * (1.0 - 1e-12)

    @cached_property
    def _deficit(self) -> Deficit | None:
        """Bound on how far Q is from positive semidefinite; None where none is known."""
        if self._by_rows is not None or self.n > MAX_CHOLESKY_VARIABLES:
            return self._by_rows
        with one_thread():
            return deficit_of(self._dense())

    def distance_to(self) -> tuple[Array, float] | None:
        """Return p and c if Q = c I, so that f is a squared distance; otherwise None."""
        Q, scale = self._given, float(self._given.diagonal()[0])
        count = Q.nnz if not isinstance(self.linear, DenseMap) else np.count_nonzero(Q)
        if count != self.n or scale <= 0.0 or (Q.diagonal() != scale).any():
            return None
        with quiet():
            p = -self.c / self.c.dtype.type(scale)
        return (p, scale) if all_finite(p) else None

    def lost(self, weighted_support: WeightedSupport, diameter: Diameter) -> float:
        if self._stated or self._deficit is None or self._deficit.size == 0.0:
            return 0.0
        size, weights = self._deficit
        # the sum of (w_j v_j)^2 for a difference v of two points
        longest = min(float(weights.max()) * diameter(), 2.0 * weighted_support(weights))
        return 0.5 * size * (longest * longest)

    def gain(self, weighted_support: WeightedSupport, *, sharp: bool) -> float:
        # |Q_ij| is at most the root of Q_ii Q_jj
        straight = np.abs(self.c) / self._unit if self._unit else 0.0
        return (1.0 + math.sqrt(self.n) / 128.0) * weighted_support(self._roots + straight)

    def size(self, slope: Array, value: float) -> float:
        return 2.0 * float(self._roots.dot(np.abs(slope[self.n :]))) + self._unit

    def steepening(self, slope: Array, off: float) -> float:
        return off * off if self._roots.any() else 0.0

    @cached_property
    def _roots(self) -> Array:
        """sqrt(Q_ii), by which |Q_ij| <= sqrt(Q_ii Q_jj) bounds the entries of Q."""
        diagonal = np.asarray(self._given.diagonal(), dtype=np.float64)
        return np.sqrt(np.maximum(diagonal, 0.0))

    @cached_property
    def _unit(self) -> float:
        """Size of Q^(1/2) x where Qx and c are about as large.

        It is 1 if Q = 0, where the gain has the unit of f, and 0 if f = 0.
        """
        curved, straight = float(self._roots.max()), float(np.abs(self.c).max())
        return straight / curved if curved > 0.0 else float(straight > 0.0)

    def _dense(self) -> Array:
        """Q as a dense matrix in double precision."""
        if isinstance(self.linear, DenseMap):
            return self.linear.matrix.astype(np.float64)
        return np.asarray(self._given.toarray(), dtype=np.float64)

    @cached_property
    def _row_bound(self) -> float:
        """max_i Σ_j |Q_ij|, an upper bound on the eigenvalues in absolute value."""
        return float(abs(self._given).sum(axis=1).max())

    @cached_property
    def _by_rows(self) -> Deficit | None:
        """The deficit of a diagonally dominant Q (Gershgorin); None where it is not dominant."""
        Q = self._given
        longest = self.n if isinstance(self.linear, DenseMap) else int(np.diff(Q.indptr).max())
        diagonal = np.asarray(Q.diagonal(), dtype=np.float64)
        beside = np.asarray(abs(Q).sum(axis=1)).ravel() - np.abs(diagonal)
        rounding = (longest + 2) * float(np.finfo(beside.dtype).eps) * self._row_bound
        short = float((beside - diagonal).max()) + rounding
        return None if short > 2.0 * rounding else Deficit(max(short, 0.0), np.ones(self.n))

    @cached_property
    def smoothness(self) -> float:
        """Upper bound on the eigenvalues of Q in absolute value."""
        if self.n <= MAX_EIGEN_VARIABLES:
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
