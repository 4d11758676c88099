r"""The loss of a matrix in a nuclear ball or a spectraplex, as a function of its factors.

For :math:`X = UV'` the nuclear norm is at most :math:`N = \frac12(\|U\|^2 + \|V\|^2)`, so
:math:`\tau UV'` with :math:`\tau = \min(1, R/N)` lies in the ball of radius R for any factors
(S. Laue, *A Hybrid Algorithm for Convex Semidefinite Optimization*, ICML 2012). With V = U it is
semidefinite and has the trace :math:`\tau N`. The loss of that point has no constraints.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.foreign import alongside
from frankwolfe.core.factor_curvature import FactorCurvature
from frankwolfe.core.low_rank import FactoredMatrix, as_rows
from frankwolfe.core.region_abilities import Factoring
from frankwolfe.objectives import Objective

__all__ = ["FactorBend", "FactorLoss", "unweighed", "weighed"]

T = TypeVar("T")

FLOOR, TINY = 1e-3, 1e-100  # of the mean: where a row has no cells, and nothing is at the edge
LEAST = 1e-9  # of the largest singular value, below which one is dropped


def weighed(x: FactoredMatrix, form: Factoring) -> FactoredMatrix:
    """diag(rows) X diag(columns); X itself where the form has none."""
    if form.rows is None or form.columns is None:
        return x
    left, right = (
        (side * alongside(side, factor.astype(side.dtype)))
        for side, factor in ((x.left, form.rows), (x.right, form.columns))
    )
    return FactoredMatrix(left, x.weights, right)


def unweighed(x: FactoredMatrix, form: Factoring) -> FactoredMatrix:
    """The matrix that `weighed` makes x of."""
    if form.rows is None or form.columns is None:
        return x
    return weighed(x, form._replace(rows=1.0 / form.rows, columns=1.0 / form.columns))


class FactorLoss:
    """f(tau U V') and its gradient, for factors in one flat array, as many as x has terms.

    Where the factors are the same the array holds one of them. Where X may lie within the region
    a last entry, the slack, holds what N leaves of R. `calls` counts evaluations.
    """

    def __init__(self, objective: Objective, form: Factoring, x: FactoredMatrix) -> None:
        self.objective, self.form = objective, form
        self.shape, self.rank = x.shape, x.terms
        self._share = 1.0 if form.symmetric else 0.5  # of the sum of squares that is N
        self.calls = 0

    def flat(self, x: FactoredMatrix) -> Array:
        """The factors of x, a thin matrix; tau is one."""
        root = np.sqrt(x.weights)
        sides = (x.left,) if self.form.symmetric else (x.left, x.right)
        parts = [(side.T * alongside(side, root)).ravel() for side in sides]
        if not self.form.exact:
            left = max(self.form.most - float(x.weights.sum()), 0.0)
            parts.append(alongside(parts[0], np.array([math.sqrt(left / self._share)])))
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
        """tau, and N with the slack."""
        size = self._share * self._loops(flat).dot(flat, flat)
        return self.form.most / size, size

    def __call__(self, flat: Array) -> tuple[float, Array]:
        """Value and gradient."""
        self.calls += 1
        tau, size = self.scale(flat)
        (value, inner), gradient = self._pulled_back(
            flat, lambda *sides: self.objective.linearize_factors(tau, *self._sides(flat), *sides)
        )
        # tau changes with the factors: d tau = -(tau / N) dN
        self._loops(flat).combine(gradient, tau, self.multiplier(inner, size), flat)
        return value, gradient

    def multiplier(self, inner: float, size: float) -> float:
        """That of the region's bound on N, where <G, X> is `inner` and N is `size`."""
        return -2.0 * self._share * inner / size

    def thin(self, flat: Array) -> FactoredMatrix:
        """The matrix of these factors by its singular values; terms of no weight are dropped."""
        tau, _ = self.scale(flat)
        u, v = self.matrices(flat)
        sides = (as_rows(side.T, self.objective.dtype) for side in (u, v))
        clean, _ = FactoredMatrix(next(sides), np.full(self.rank, tau), next(sides)).compressed()
        count = int((clean.weights > LEAST * clean.weights[0]).sum()) if clean.terms else 0
        left, weights, right = clean.left[:count], clean.weights[:count], clean.right[:count]
        if self.form.exact:
            weights = weights * (self.form.most / weights.sum())
        return FactoredMatrix(left, weights, left.copy() if self.form.symmetric else right)

    def bend(self, flat: Array) -> FactorBend | None:
        """The second derivatives where tau is one; None where the objective has none."""
        curvature = self.objective.bend_factors(*self._sides(flat))
        return None if curvature is None else FactorBend(self, curvature, flat)

    def _sides(self, flat: Array) -> tuple[Array, Array]:
        """diag(rows) U and diag(columns) V."""
        return self._scaled(*self.matrices(flat))

    def _scaled(self, u: Array, v: Array) -> tuple[Array, Array]:
        """diag(rows) U and diag(columns) V; these themselves where the form has none."""
        if self.form.rows is None or self.form.columns is None:
            return u, v
        rows, columns = alongside(u, self.form.rows), alongside(v, self.form.columns)
        return (u * rows[:, None]).astype(u.dtype), (v * columns[:, None]).astype(v.dtype)

    def _loops(self, flat: Array) -> Any:
        return self.objective.place.vectors(flat.size)

    def _pulled_back(self, flat: Array, write: Callable[[Array, Array], T]) -> tuple[T, Array]:
        """What `write` says, and what it writes for both sides of X, for U and V in one array."""
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


class FactorBend:
    """The Hessian of f(U V') and that of its multiplier's term, for factors in one array.

    Along the edge the loss, which does not change with N, bends as f and the multiplier of N do.
    """

    def __init__(self, loss: FactorLoss, curvature: FactorCurvature, flat: Array) -> None:
        self._loss, self._curvature, self._flat = loss, curvature, flat
        self.multiplier = loss.multiplier(curvature.inner, loss.form.most)

    def single(self) -> FactorBend:
        """The same in single precision, where its numbers allow it."""
        curvature = self._curvature.single()
        return FactorBend(self._loss, curvature, self._flat.astype(curvature.dtype))

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the moves."""
        return self._curvature.dtype

    def times(self, move: Array) -> Array:
        """The product with a move of the factors."""
        loss = self._loss
        sides = loss._sides(move)
        _, out = loss._pulled_back(move, lambda *into: self._curvature.times(*sides, *into))
        loss._loops(move).add_scaled(out, self.multiplier, move)
        return out

    def scaling(self) -> Array:
        """The diagonal of the Hessian, in numbers that are all positive."""
        loss = self._loss

        def write(*sides: Array) -> None:
            self._curvature.diagonal(*sides)
            for side, scaled in zip(sides, loss._scaled(*sides), strict=True):
                if scaled is not side:
                    side[:] = scaled  # once more than the product's rows are

        _, out = loss._pulled_back(self._flat, write)
        out += max(abs(self.multiplier), FLOOR * float(out.mean()), TINY)
        return out
