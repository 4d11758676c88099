"""D-optimal design of experiments."""

from __future__ import annotations

import math
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import all_finite, as_float_array
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.roots import stopped_short
from frankwolfe.core.atoms import Atom
from frankwolfe.core.objective import Objective
from frankwolfe.core.objective_abilities import Itself
from frankwolfe.core.products import WeightedSupport

__all__ = ["DOptimal"]


class _Squares:
    """The linear map from weights x to the matrix Σ_i x_i a_i a_i', row after row."""

    def __init__(self, points: Array) -> None:
        self.points = points

    def apply(self, x: Array, out: Array) -> None:
        """Write Σ_i x_i a_i a_i' into `out`."""
        out[:] = (self.points.T @ (x[:, None] * self.points)).ravel()

    def column(self, index: int, scale: float, out: Array) -> None:
        """Write scale · a a' into `out`, for one point a."""
        a = self.points[index]
        out[:] = np.multiply.outer(scale * a, a).ravel()

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        """Write Σ_i values_i a_i a_i' into `out`, over a few points."""
        few = self.points[indices]
        out[:] = (few.T @ (values[:, None] * few)).ravel()

    def adjoint(self, y: Array, out: Array) -> None:
        """Write a_i' Y a_i into `out`, for all i."""
        p = self.points.shape[1]
        np.einsum("ij,ij->i", self.points @ y.reshape(p, p), self.points, out=out)


class DOptimal(Objective):
    r"""The design criterion :math:`-\log\det \sum_i x_i a_i a_i'` of weights x.

    Over the simplex its minimum is the D-optimal design: how often to measure at each point so
    that the confidence ellipsoid of a linear model is smallest. (By duality it gives the
    smallest ellipsoid around the points, too.) The image is the p x p matrix, so a step costs
    :math:`p^2` and a gradient :math:`n p^2`. It is finite where the matrix is positive definite,
    and steps stay there.

    Parameters
    ----------
    A : array of shape (n, p)
        A row a_i for each point that may be measured; the rows span all p dimensions.

    References
    ----------
    J. Kiefer and J. Wolfowitz, *The equivalence of two extremum problems*, 1960;
    L. Khachiyan, *Rounding of polytopes in the real number model of computation*, 1996.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> t = np.linspace(-1.0, 1.0, 21)
    >>> f = fw.DOptimal(np.column_stack([np.ones(21), t, t**2]))    # a parabola on [-1, 1]
    >>> x = fw.minimize(f, fw.Simplex(), tol=1e-8).x
    >>> t[x > 1e-3], x[x > 1e-3].round(3)
    (array([-1.,  0.,  1.]), array([0.333, 0.333, 0.333]))
    """

    everywhere = False
    rounding = Itself()
    where = "the sum of x_i a_i a_i' is positive definite, which takes weight on p points or more"

    def __init__(self, A: ArrayLike) -> None:
        points = as_float_array("A", A)
        if points.ndim != 2 or 0 in points.shape or not all_finite(points):
            raise InvalidInput(
                "A must be a finite matrix with a row for each point, "
                f"got an array of shape {points.shape}."
            )
        self.points = points.astype(np.float64)
        self.n, self.p = self.points.shape
        # in coordinates in which the columns are orthonormal: f changes by a constant, and no
        # scale or mean of a column costs digits any more
        exponents = np.frexp(np.abs(self.points).max(axis=0))[1]
        even = np.ldexp(self.points, -exponents)
        rank = int(np.linalg.matrix_rank(even))
        if rank < self.p:
            raise InvalidInput(
                f"the rows of A must span all {self.p} dimensions, but they span {rank}: add "
                "points, or drop columns."
            )
        self.m, self.dtype = self.p**2, np.dtype(np.float64)
        basis, corner = np.linalg.qr(even)
        self._map = _Squares(basis)
        logs = np.log(np.abs(corner.diagonal())) + math.log(2.0) * exponents
        self._level = -2.0 * float(logs.sum())
        self.offset = abs(self._level) + 2.0 * self.p * float(np.linalg.cond(corner))

    def image(self, x: Array, out: Array) -> None:
        self._map.apply(x, out)

    def image_of(self, atom: Atom, out: Array) -> None:
        atom.image(self._map, out)

    def _factor(self, z: Array) -> Array | None:
        """Cholesky factor of the information matrix; None where it is not positive definite."""
        try:
            factor = np.linalg.cholesky(z.reshape(self.p, self.p))
        except np.linalg.LinAlgError:
            return None
        pivots = factor.diagonal()  # rounding leaves those of a singular matrix above zero
        good = math.isfinite(float(factor.sum())) and pivots.min() > 1e-7 * pivots.max()
        return factor if good else None

    def _log_det(self, factor: Array) -> float:
        """-log det of the information matrix, in the coordinates of the caller."""
        return self._level - 2.0 * float(np.log(factor.diagonal()).sum())

    def in_domain(self, z: Array) -> bool:
        return self._factor(z) is not None

    def value(self, z: Array) -> float:
        factor = self._factor(z)
        return math.inf if factor is None else self._log_det(factor)

    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        factor = self._factor(z)
        if factor is None:
            slope[:] = math.nan
            return math.inf, math.nan
        half = np.linalg.inv(factor)
        slope[:] = -(half.T @ half).ravel()  # -M^-1, and <-M^-1, M> = -p below
        return self._log_det(factor), -float(self.p)

    def gradient(self, slope: Array, out: Array) -> None:
        self._map.adjoint(slope, out)

    def along(self, z: Array, dz: Array, t: float) -> tuple[float, float, float | None]:
        factor = self._factor(z + t * dz)
        if factor is None:
            return math.inf, math.nan, math.nan
        change = self._relative(factor, dz)
        return self._log_det(factor), -float(np.trace(change)), float(np.vdot(change, change))

    def _relative(self, factor: Array, dz: Array) -> Array:
        """The change L^-1 dM L^-T of the matrix M = L L', relative to M itself."""
        half = np.linalg.inv(factor)
        return np.asarray(half @ dz.reshape(self.p, self.p) @ half.T)

    def max_step(self, z: Array, dz: Array, t: float) -> float:
        factor = self._factor(z)
        if factor is None:
            return 0.0
        # M + t dM is singular first at t = -1/λ_min of the relative change
        least = float(np.linalg.eigvalsh(self._relative(factor, dz))[0])
        return stopped_short(-1.0 / least if least < 0.0 else math.inf, t, 2.0**-52)

    def gain(self, weighted_support: WeightedSupport, *, sharp: bool) -> float:
        return 1.0

    def size(self, slope: Array, value: float) -> float:
        """Rounding of the inverse: p times the condition of M scaled to a unit diagonal."""
        inverse = -slope.reshape(self.p, self.p)
        sides = np.sqrt(inverse.diagonal())
        condition = float(np.linalg.cond(inverse / np.outer(sides, sides)))
        return float(self.p) * condition

    def steepening(self, slope: Array, off: float) -> float:
        return 0.0  # the term of first order has the condition of the inverse already

    def curvature_bound(self, dz: Array) -> None:
        return None

    @property
    def smoothness(self) -> None:
        """No Lipschitz constant: the curvature is unbounded near the boundary of the domain."""
        return

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        return cls(rng.standard_normal((n, max(1, n // 3))))

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [self.points])

    def __repr__(self) -> str:
        return f"DOptimal({self.n} points in {self.p} dimensions)"
