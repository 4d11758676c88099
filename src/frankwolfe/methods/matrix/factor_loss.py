r"""Loss of a matrix in a nuclear ball or a spectraplex, as a function of its factors.

For :math:`X = UV'` the nuclear norm is at most :math:`N = \frac12(\|U\|^2 + \|V\|^2)`, so
:math:`\tau UV'` with :math:`\tau = \min(1, R/N)` lies in the ball of radius R for any factors
(S. Laue, *A Hybrid Algorithm for Convex Semidefinite Optimization*, ICML 2012). With V = U it is
semidefinite and has the trace :math:`\tau N`. As a function of U and V the loss of that point has
no constraints.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from frankwolfe.base.arrays import Array, Dtype
from frankwolfe.base.foreign import to_same_device
from frankwolfe.core.factor_curvature import FactorCurvature
from frankwolfe.core.low_rank import FactoredMatrix, as_rows
from frankwolfe.core.region_abilities import Factoring
from frankwolfe.methods.matrix.policy import POLICY
from frankwolfe.objectives import Objective

if TYPE_CHECKING:
    from frankwolfe.subproblems.lbfgs import VectorLoops

__all__ = ["FactorHessian", "FactorLoss", "unweighed", "weighed"]

T = TypeVar("T")


def weighed(x: FactoredMatrix, form: Factoring) -> FactoredMatrix:
    """Weighted matrix diag(rows) X diag(columns); X itself where the form has no weights."""
    if form.rows is None or form.columns is None:
        return x
    left, right = (
        (side * to_same_device(side, factor.astype(side.dtype)))
        for side, factor in ((x.left, form.rows), (x.right, form.columns))
    )
    return FactoredMatrix(left, x.weights, right)


def unweighed(x: FactoredMatrix, form: Factoring) -> FactoredMatrix:
    """Inverse of `weighed`: diag(1/rows) X diag(1/columns)."""
    if form.rows is None or form.columns is None:
        return x
    return weighed(x, form._replace(rows=1.0 / form.rows, columns=1.0 / form.columns))


class FactorLoss:
    """Function (U, V) -> f(tau U V') with its gradient, for factors in one flat array.

    A symmetric form has one factor, V = U. Where X may lie within the region a last entry, the
    slack, holds what N leaves of R. `calls` counts evaluations.
    """

    def __init__(self, objective: Objective, form: Factoring, x: FactoredMatrix) -> None:
        assert objective.factors is not None  # `accepts` has asked
        self.objective, self._factors, self.form = objective, objective.factors, form
        self.shape, self.rank = x.shape, x.terms
        self._share = 1.0 if form.symmetric else 0.5  # N is this share of |flat|^2
        self.calls = 0

    def flat(self, x: FactoredMatrix) -> Array:
        """Balanced factors of x, a thin matrix, with tau = 1."""
        root = np.sqrt(x.weights)
        sides = (x.left,) if self.form.symmetric else (x.left, x.right)
        parts = [(side.T * to_same_device(side, root)).ravel() for side in sides]
        if not self.form.exact:
            left = max(self.form.most - float(x.weights.sum()), 0.0)
            parts.append(to_same_device(parts[0], np.array([math.sqrt(left / self._share)])))
        return np.concatenate(parts).astype(self.objective.dtype, copy=False)

    def matrices(self, flat: Array) -> tuple[Array, Array]:
        """U and V as views of the flat array."""
        rows, columns = self.shape
        middle, end = rows * self.rank, (rows + columns) * self.rank
        left = flat[:middle].reshape(rows, self.rank)
        if self.form.symmetric:
            return left, left
        return left, flat[middle:end].reshape(columns, self.rank)

    def on_edge(self, flat: Array) -> Array:
        """Factors of the same matrix, with tau = 1."""
        return flat * math.sqrt(self.scale(flat)[0])

    def scale(self, flat: Array) -> tuple[float, float]:
        """Pair tau = R / N and N, the slack included."""
        size = self._share * self._loops(flat).dot(flat, flat)
        return self.form.most / size, size

    def __call__(self, flat: Array) -> tuple[float, Array]:
        """Value and gradient at the factors."""
        self.calls += 1
        tau, size = self.scale(flat)
        (value, inner), gradient = self._pulled_back(
            flat, lambda *sides: self._factors.linearize_factors(tau, *self._sides(flat), *sides)
        )
        # tau changes with the factors: d tau = -(tau / N) dN
        self._loops(flat).combine(gradient, tau, self.multiplier(inner, size), flat)
        return value, gradient

    def multiplier(self, inner: float, size: float) -> float:
        """Lagrange multiplier of the bound N <= R, where <G, X> is `inner` and N is `size`."""
        return -2.0 * self._share * inner / size

    def thin(self, flat: Array) -> FactoredMatrix:
        """Singular value decomposition of tau U V'; terms of no weight are dropped."""
        tau, _ = self.scale(flat)
        u, v = self.matrices(flat)
        sides = (as_rows(side.T, self.objective.dtype) for side in (u, v))
        clean, _ = FactoredMatrix(next(sides), np.full(self.rank, tau), next(sides)).compressed()
        least = POLICY.min_singular_value * clean.weights[0] if clean.terms else 0.0
        count = int((clean.weights > least).sum())
        left, weights, right = clean.left[:count], clean.weights[:count], clean.right[:count]
        if self.form.exact:
            weights = weights * (self.form.most / weights.sum())
        return FactoredMatrix(left, weights, left.copy() if self.form.symmetric else right)

    def hessian(self, flat: Array) -> FactorHessian | None:
        """Second derivatives at factors with tau = 1; None where the objective has none."""
        curvature = self._factors.factor_curvature(*self._sides(flat))
        return None if curvature is None else FactorHessian(self, curvature, flat)

    def _sides(self, flat: Array) -> tuple[Array, Array]:
        """Weighted factors diag(rows) U and diag(columns) V of a flat array."""
        return self._scaled(*self.matrices(flat))

    def _scaled(self, u: Array, v: Array) -> tuple[Array, Array]:
        """Weighted factors diag(rows) U and diag(columns) V; U and V where there are no weights."""
        if self.form.rows is None or self.form.columns is None:
            return u, v
        rows, columns = to_same_device(u, self.form.rows), to_same_device(v, self.form.columns)
        return (u * rows[:, None]).astype(u.dtype), (v * columns[:, None]).astype(v.dtype)

    def _loops(self, flat: Array) -> VectorLoops:
        """Vector loops where the images live."""
        loops: VectorLoops = self.objective.place.vectors(flat.size)
        return loops

    def _pulled_back(self, flat: Array, write: Callable[[Array, Array], T]) -> tuple[T, Array]:
        """Chain rule: turn what `write` writes for both sides of X into an array for (U, V).

        Returns the answer of `write`, and that array.
        """
        out = np.zeros_like(flat)
        sides = self.matrices(out)
        if self.form.symmetric:
            by_column = np.empty_like(sides[0])
            found = write(sides[0], by_column)
            np.add(sides[0], by_column, out=sides[0])
            return found, out
        found = write(*sides)
        for side, scaled in zip(sides, self._scaled(*sides), strict=True):
            if scaled is not side:
                side[:] = scaled
        return found, out


class FactorHessian:
    """Hessian of f(U V') plus the multiplier's term, for factors in one array.

    Along the edge N = R the loss, which does not change with N, has that curvature.
    """

    def __init__(self, loss: FactorLoss, curvature: FactorCurvature, flat: Array) -> None:
        self._loss, self._curvature, self._flat = loss, curvature, flat
        self.multiplier = loss.multiplier(curvature.inner, loss.form.most)

    def single(self) -> FactorHessian:
        """Hessian in single precision, where its numbers allow it."""
        curvature = self._curvature.single()
        return FactorHessian(self._loss, curvature, self._flat.astype(curvature.dtype))

    @property
    def dtype(self) -> Dtype:
        """Element type of the moves that `times` takes."""
        return self._curvature.dtype

    def times(self, move: Array) -> Array:
        """Product of the Hessian with a move of the factors."""
        loss = self._loss
        sides = loss._sides(move)
        _, out = loss._pulled_back(move, lambda *into: self._curvature.times(*sides, *into))
        loss._loops(move).add_scaled(out, self.multiplier, move)
        return out

    def scaling(self) -> Array:
        """Diagonal of the Hessian, raised where it is not positive enough to divide by."""
        loss = self._loss

        def write(*sides: Array) -> None:
            self._curvature.diagonal(*sides)
            for side, scaled in zip(sides, loss._scaled(*sides), strict=True):
                if scaled is not side:
                    side[:] = scaled  # a diagonal takes the weights twice; `_pulled_back` does once

        _, out = loss._pulled_back(self._flat, write)
        least = POLICY.min_diagonal_share * float(out.mean())
        out += max(abs(self.multiplier), least, POLICY.min_diagonal)
        return out
