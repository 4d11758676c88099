"""An ellipsoid."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array, Dtype
from frankwolfe.base.checks import as_float_array, finite_vector, frobenius, number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.core.atoms import Atom, Dense, Vertex
from frankwolfe.core.feasibility import spacing
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Formulation, Projection, Projector, QuadraticMinimizer
from frankwolfe.core.standard_form.form import StandardForm, ball
from frankwolfe.regions.balls.shapes import (
    Diagonal,
    DiagonalPlusLowRank,
    EllipsoidShape,
    FullMatrix,
)
from frankwolfe.regions.balls.weights import positive
from frankwolfe.subproblems.quadratics.norm import quickly_over_norm_ball

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Ellipsoid"]

SINGULAR_RATIO = 1e-14  # least over largest eigenvalue; up to here a matrix counts as singular
SAFE_LENGTH = 1e-200  # from here to its inverse a length can be divided by
MAX_AXES = 1000  # variables; above, an n x n matrix of axes is not written out


class Ellipsoid(Region, Projector, Formulation, QuadraticMinimizer):
    r"""The ellipsoid :math:`(x - c)^\top A (x - c) \le r^2`.

    The matrix is given as a whole, by its diagonal, or as a diagonal plus few columns,
    :math:`A = \mathrm{diag}(d) + UU^\top`: with the precision matrix of an estimate this is its
    confidence region, the set of robust optimization.

    Parameters
    ----------
    matrix : array of shape (n, n), optional
        A, symmetric and positive definite. Its eigenvectors are computed once.
    diagonal : array of shape (n,), optional
        The diagonal d, > 0, instead.
    factor : array of shape (n, k), optional
        U, beside a diagonal; nothing of size n x n is formed.
    center : array of shape (n,), optional
        c, zero by default.
    radius : float
        r, > 0.

    References
    ----------
    A. Ben-Tal and A. Nemirovski, *Robust convex optimization*, Mathematics of Operations
    Research 23, 1998.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> region = fw.Ellipsoid(diagonal=[1.0, 0.25])
    >>> region.lmo(np.array([0.0, 3.0])).dense(2) + 0.0, region.diameter(2)
    (array([ 0., -2.]), 4.0)
    >>> fw.Ellipsoid([[2.0, 1.0], [1.0, 2.0]], radius=3.0).contains([2.0, -1.0])
    True
    """

    family = "norms"
    formula = r"(x - c)^\top A (x - c) \le r^2"
    atom = "a point of the surface"
    cost = "n; nk with k columns, n² with a matrix"

    strongly_convex = True

    def __init__(
        self,
        matrix: ArrayLike | None = None,
        *,
        diagonal: ArrayLike | None = None,
        factor: ArrayLike | None = None,
        center: ArrayLike | None = None,
        radius: float = 1.0,
    ) -> None:
        if (matrix is None) == (diagonal is None):
            raise InvalidInput("pass either matrix or diagonal, and factor beside a diagonal only.")
        if matrix is not None and factor is not None:
            raise InvalidInput("factor is added to a diagonal: pass diagonal instead of matrix.")
        self.radius = number("radius", radius, above=0.0)
        self._given: tuple[Array, ...]
        self._shape: EllipsoidShape
        if matrix is not None:
            A, self._shape = _whole(matrix)
            self._given, self.dimension = (A,), A.shape[0]
        else:
            d = positive("diagonal", diagonal)
            U = np.empty((d.size, 0)) if factor is None else _columns(factor, d.size)
            self._given, self.dimension = (d, U), d.size
            self._shape = DiagonalPlusLowRank(d, U) if U.shape[1] else Diagonal(d)
        given = None if center is None else finite_vector("center", center, self.dimension)
        self.center = np.zeros(self.dimension) if given is None else given.astype(np.float64)
        self._away = bool(self.center.any())

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        out = np.empty_like(g) if out is None else out
        wide = g.astype(np.float64, copy=False)
        s, length = self._shape.against(wide)
        if (
            not SAFE_LENGTH < length < 1.0 / SAFE_LENGTH
        ):  # zero, not finite, or its inverse might not be
            unit = float(np.abs(wide).max())
            s, length = self._shape.against(wide / unit if unit else np.eye(1, g.size)[0])
        np.multiply(s, -self.radius / length, out=out, casting="same_kind")
        if self._away:
            out += self.center.astype(out.dtype, copy=False)
        return Dense(out)

    def project(self, p: Array) -> Projection:
        away = p.astype(np.float64) - self.center
        if frobenius(self._shape.into(away)) <= self.radius:
            return Projection(p.copy())
        x = self.center + self.radius * self._shape.nearest(away / self.radius, 1.0)
        return Projection(x.astype(p.dtype))

    def quadratic_step(self, H: Array, g: Array, x: Array) -> Array | None:
        """Quadratic step over the Euclidean ball of which the ellipsoid is an image."""
        if self.dimension is None or self.dimension > MAX_AXES:
            return None
        M = self._axes()
        away = np.asarray(x - self.center, dtype=np.float64)
        c = (g - H @ away) @ M
        inner = 0.5 * (M.T @ H @ M + (M.T @ H @ M).T)
        start = self._shape.into(away) / self.radius
        y = quickly_over_norm_ball(inner, c, 2.0, 1.0, start)
        return None if y is None else np.asarray(self.center + M @ y)

    def _axes(self) -> Array:
        """Matrix that maps the unit ball to the ellipsoid around zero."""
        units = np.eye(self.center.size)
        return self.radius * np.array([self._shape.out(unit) for unit in units]).T

    def standard_form(self, n: int) -> StandardForm | None:
        if isinstance(self._shape, Diagonal):
            sizes = (self.radius * self._shape.out(np.ones(n))).tolist()
            atoms: list[Atom] = [Vertex(j, size) for j, size in enumerate(sizes)]
        elif n <= MAX_AXES:
            atoms = [Dense(column) for column in np.ascontiguousarray(self._axes().T)]
        else:
            return None
        return replace(ball(n, 2.0, 1.0, self.center), atoms=atoms)

    def diameter(self, n: int) -> float:
        return 2.0 * self.radius * self._shape.longest()

    def reach(self, weights: Array, n: int) -> float:
        each = np.broadcast_to(weights, (n,))
        if isinstance(self._shape, Diagonal):
            away = self.radius * frobenius(self._shape.out(each))
        else:
            away = self.radius * self._shape.longest() * frobenius(each)
        return away + float(each @ np.abs(self.center))

    def resolution(self, n: int, dtype: Dtype) -> float:
        size = 0.5 * self.diameter(n)
        return spacing(dtype, 2.0 * size + frobenius(self.center), size)

    def violation(self, x: Array) -> float:
        away = np.asarray(x, dtype=np.float64) - self.center
        return max(0.0, frobenius(self._shape.into(away)) / self.radius - 1.0)

    def start(self, n: int) -> Array:
        return self.center.copy()

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [*self._given, self.center, self.radius])

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        longest = np.where(np.arange(n) % 2, -1.0, 1.0) / np.sqrt(n)  # of a half-axis
        across = np.eye(n) - np.outer(longest, longest)
        half, few = across @ rng.standard_normal((n, n)), across @ rng.standard_normal((n, 2))
        whole = half @ half.T + across + 0.5 * np.outer(longest, longest)
        return [
            cls(diagonal=rng.uniform(0.3, 3.0, n), radius=1.5),
            cls(whole, center=rng.standard_normal(n)),
            cls(diagonal=np.full(n, 0.5), factor=few, radius=0.7),
        ]

    def __repr__(self) -> str:
        kinds = {Diagonal: "diagonal", FullMatrix: "full matrix"}
        kind = kinds.get(type(self._shape), f"diagonal plus {self._given[-1].shape[1]} columns")
        return f"Ellipsoid({self.dimension} variables, {kind}, radius={self.radius:g})"


def _whole(matrix: ArrayLike) -> tuple[Array, FullMatrix]:
    """Validate a symmetric positive definite matrix, and decompose it."""
    A = as_float_array("matrix", matrix).astype(np.float64)
    if A.ndim != 2 or A.shape[0] != A.shape[1] or A.size == 0:
        raise InvalidInput(f"matrix must be square and not empty, got shape {A.shape}.")
    if not np.isfinite(A).all():
        raise InvalidInput("matrix must be finite, but it holds NaN or infinity.")
    if not np.allclose(A, A.T, rtol=1e-8, atol=1e-8 * float(np.abs(A).max())):
        raise InvalidInput("matrix must be symmetric: pass (A + A') / 2 if that is meant.")
    values, turn = np.linalg.eigh(0.5 * (A + A.T))
    if not values[0] > SINGULAR_RATIO * values[-1]:
        raise InvalidInput(
            "matrix must be positive definite, or the set has no end: its least eigenvalue is "
            f"{values[0]:.3g}, the largest {values[-1]:.3g}."
        )
    return A, FullMatrix(values, turn)


def _columns(factor: ArrayLike, n: int) -> Array:
    """Validate the columns U of diag(d) + UU'."""
    U = as_float_array("factor", factor).astype(np.float64)
    if U.ndim != 2 or U.shape[0] != n or U.shape[1] == 0:
        raise InvalidInput(f"factor must be a matrix with {n} rows, got shape {U.shape}.")
    if not np.isfinite(U).all():
        raise InvalidInput("factor must be finite, but it holds NaN or infinity.")
    return U
