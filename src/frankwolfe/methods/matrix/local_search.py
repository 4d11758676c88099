r"""Local search on the factors of a matrix in a nuclear ball or a spectraplex.

For :math:`X = UV'` the nuclear norm is at most :math:`N = \frac12(\|U\|^2 + \|V\|^2)`, so
:math:`\tau UV'` with :math:`\tau = \min(1, R/N)` lies in the ball of radius R for any factors
(S. Laue, *A Hybrid Algorithm for Convex Semidefinite Optimization*, ICML 2012). With V = U it is
semidefinite and has the trace :math:`\tau N`. The loss of that point is minimized without
constraints by a limited-memory quasi-Newton method.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.foreign import alongside
from frankwolfe.numerics.low_rank import FactoredMatrix
from frankwolfe.numerics.place import HERE, Place
from frankwolfe.objectives import Objective
from frankwolfe.regions.abilities import Factoring

__all__ = ["FactorLoss", "lbfgs", "unweighed", "weighed"]

EDGE = 64.0  # units of rounding, relative: how near to the edge is on it


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

    Where the factors are the same the array holds one of them.
    """

    def __init__(self, objective: Objective, form: Factoring, x: FactoredMatrix) -> None:
        self.objective, self.form = objective, form
        self.shape, self.rank = x.shape, x.terms
        self._edge = (1.0 - EDGE * float(np.finfo(objective.dtype).eps)) * form.most

    def flat(self, x: FactoredMatrix) -> Array:
        """The factors of x, a thin matrix."""
        root = np.sqrt(x.weights)
        sides = (x.left,) if self.form.symmetric else (x.left, x.right)
        return np.concatenate([(side.T * alongside(side, root)).ravel() for side in sides])

    def matrices(self, flat: Array) -> tuple[Array, Array]:
        """U and V as views of the flat array."""
        rows, columns = self.shape
        middle = rows * self.rank
        left = flat[:middle].reshape(rows, self.rank)
        if self.form.symmetric:
            return left, left
        return left, flat[middle:].reshape(columns, self.rank)

    def scale(self, flat: Array) -> tuple[float, float]:
        """tau, and N."""
        size = (1.0 if self.form.symmetric else 0.5) * self._loops(flat).dot(flat, flat)
        return (self.form.most / size if self._bound(size) else 1.0), size

    def _bound(self, size: float) -> bool:
        """Whether the factors are on the edge of the region: also where rounding has them inside.

        A search from there on that saw no edge would run into it.
        """
        return self.form.exact or size > self._edge

    def __call__(self, flat: Array) -> tuple[float, Array]:
        """Value and gradient."""
        tau, size = self.scale(flat)
        value, inner, gradient = self._at(tau, flat)
        if self._bound(size):
            # tau changes with the factors: d tau = -(tau / N) dN
            turn = (2.0 if self.form.symmetric else 1.0) * -inner / size
            self._loops(flat).combine(gradient, tau, turn, flat)
        return value, gradient

    def _scaled(self, u: Array, v: Array) -> tuple[Array, Array]:
        """diag(rows) U and diag(columns) V; these themselves where the form has none."""
        if self.form.rows is None or self.form.columns is None:
            return u, v
        rows, columns = alongside(u, self.form.rows), alongside(v, self.form.columns)
        return (u * rows[:, None]).astype(u.dtype), (v * columns[:, None]).astype(v.dtype)

    def _loops(self, flat: Array) -> Any:
        return self.objective.place.vectors(flat.size)

    def _at(self, tau: float, flat: Array) -> tuple[float, float, Array]:
        """The loss of tau U V', <G, tau U V'>, and G V beside G'U; their sum where U is V."""
        u, v = self.matrices(flat)
        if not self.form.symmetric:
            gradient = np.empty_like(flat)
            sides = self.matrices(gradient)
            value, inner = self.objective.linearize_factors(tau, *self._scaled(u, v), *sides)
            for side, scaled in zip(sides, self._scaled(*sides), strict=True):
                if scaled is not side:
                    side[:] = scaled
            return value, inner, gradient
        by_row, by_column = np.empty_like(u), np.empty_like(u)
        value, inner = self.objective.linearize_factors(tau, u, v, by_row, by_column)
        by_row += by_column
        return value, inner, by_row.ravel()


class Pair(NamedTuple):
    """A step, the change of the gradient over it, and one over their product."""

    moved: Array
    change: Array
    inverse: float


def lbfgs(
    fun: Callable[[Array], tuple[float, Array]],
    x: Array,
    most: int,
    small: float,
    memory: int = 10,
    place: Place = HERE,
) -> tuple[Array, int]:
    """Limited-memory BFGS with a backtracking search: the point found, and the steps to it.

    `fun` gives value and gradient; the start x is left as it is. The search ends after `most`
    steps, or where the last ten have lowered the value by at most `small`. Vectors live in `place`.
    """
    loops = place.vectors(x.size)  # BLAS would do, but its threads and ours do not mix
    dot = loops.dot
    value, gradient = fun(x)
    pairs: deque[Pair] = deque(maxlen=memory)
    values = [value]
    for step in range(1, most + 1):
        direction = _direction(gradient, pairs, loops)
        slope = dot(gradient, direction)
        if slope == 0.0 and not gradient.any():
            return x, step
        if slope >= 0.0:  # rounding: start over with the gradient
            pairs.clear()
            direction, slope = -gradient, -dot(gradient, gradient)
        length = 1.0 if pairs else _first_length(fun, x, gradient, dot)
        for _ in range(30):
            trial = x.copy()
            loops.add_scaled(trial, length, direction)
            ahead, new = fun(trial)
            if ahead <= value + 1e-4 * length * slope:
                break
            length *= max(0.1, min(0.5, -0.5 * slope * length / (ahead - value - slope * length)))
        else:
            return x, step
        moved, change = direction, gradient  # their room is free now
        loops.combine(moved, length, 0.0, moved)
        loops.combine(change, -1.0, 1.0, new)
        product = dot(moved, change)
        if product > 1e-12 * dot(change, change):
            pairs.append(Pair(moved, change, 1.0 / product))
        x, value, gradient = trial, ahead, new
        values.append(value)
        if len(values) > 10 and values[-11] - value <= small:
            return x, step
    return x, most


def _first_length(
    fun: Callable[[Array], tuple[float, Array]], x: Array, gradient: Array, dot: Any
) -> float:
    """One over the curvature along the gradient, by a difference."""
    square = dot(gradient, gradient)
    length = math.sqrt(dot(x, x) / max(square, 1e-300))
    small = math.sqrt(float(np.finfo(x.dtype).eps)) * length
    _, near = fun(x - small * gradient)
    curvature = (square - dot(gradient, near)) / max(small * square, 1e-300)
    return 1.0 / curvature if curvature > 0.0 else 0.1 * length


def _direction(gradient: Array, pairs: deque[Pair], loops: Any) -> Array:
    """Minus the inverse Hessian's estimate times the gradient (two loops)."""
    q = -gradient
    weights = []
    add, dot = loops.add_scaled, loops.dot
    for pair in reversed(pairs):
        weight = pair.inverse * dot(pair.moved, q)
        weights.append(weight)
        add(q, -weight, pair.change)
    if pairs:
        last = pairs[-1]
        q *= 1.0 / (last.inverse * dot(last.change, last.change))
    for pair, weight in zip(pairs, reversed(weights), strict=True):
        add(q, weight - pair.inverse * dot(pair.change, q), pair.moved)
    return q
