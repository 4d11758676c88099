r"""Local search on the factors of a matrix in the nuclear ball.

For :math:`X = UV'` the nuclear norm is at most :math:`N = \frac12(\|U\|^2 + \|V\|^2)`, so
:math:`\tau UV'` with :math:`\tau = \min(1, R/N)` lies in the ball of radius R for any factors
(S. Laue, *A Hybrid Algorithm for Convex Semidefinite Optimization*, ICML 2012). The loss of
that point is minimized without constraints by a limited-memory quasi-Newton method.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from frankwolfe.arrays import Array
from frankwolfe.objectives import Completion

__all__ = ["FactorLoss", "lbfgs"]


class FactorLoss:
    """f(tau U V') and its gradient, for factors in one flat array."""

    def __init__(self, objective: Completion, radius: float, rank: int) -> None:
        self.objective, self.radius, self.rank = objective, radius, rank
        self._cells = objective.cells
        self._flipped, self._order = objective.cells.flipped
        self._z = np.empty(objective.m, dtype=objective.dtype)
        self._slope = np.empty_like(self._z)

    def matrices(self, flat: Array) -> tuple[Array, Array]:
        """U and V as views of the flat array."""
        rows, columns = self._cells.shape
        middle = rows * self.rank
        return flat[:middle].reshape(rows, self.rank), flat[middle:].reshape(columns, self.rank)

    def scale(self, flat: Array) -> tuple[float, float]:
        """tau, and N."""
        size = 0.5 * float(flat @ flat)
        return (self.radius / size if size > self.radius else 1.0), size

    def __call__(self, flat: Array) -> tuple[float, Array]:
        """Value and gradient."""
        u, v = self.matrices(flat)
        tau, size = self.scale(flat)
        self._cells.factored(u * tau, v, self._z)
        value, inner = self.objective.linearize(self._z, self._slope)  # inner = <G, tau U V'>
        gradient = np.empty_like(flat)
        by_row, by_column = self.matrices(gradient)
        self._cells.weighted_rows(self._slope, v, by_row)
        self._flipped.weighted_rows(self._slope[self._order], u, by_column)
        if tau < 1.0:  # tau changes with the factors: d tau = -(tau / N) dN
            gradient *= tau
            gradient -= (inner / size) * flat
        return value, gradient


@dataclass(frozen=True)
class Found:
    """Where the search ended."""

    x: Array
    value: float
    steps: int


def lbfgs(
    fun: Callable[[Array], tuple[float, Array]],
    x: Array,
    *,
    most: int,
    enough: Callable[[float, float], bool],
    memory: int = 10,
) -> Found:
    """Limited-memory BFGS with a backtracking search.

    Parameters
    ----------
    fun : callable
        x -> (value, gradient).
    x : array
        The start; left as it is.
    most : int
        Most steps.
    enough : callable
        Asked with the value ten steps ago and now; ends the search where true.
    memory : int
        Pairs kept.
    """
    value, gradient = fun(x)
    pairs: deque[tuple[Array, Array, float]] = deque(maxlen=memory)
    values = [value]
    for step in range(1, most + 1):
        direction = _direction(gradient, pairs)
        slope = float(gradient @ direction)
        if not gradient.any():
            return Found(x, value, step)
        if slope >= 0.0:  # rounding: start over with the gradient
            pairs.clear()
            direction, slope = -gradient, -float(gradient @ gradient)
        length = 1.0 if pairs else _first_length(fun, x, gradient)
        for _ in range(30):
            trial = x + length * direction
            ahead, new = fun(trial)
            if ahead <= value + 1e-4 * length * slope:
                break
            length *= max(0.1, min(0.5, -0.5 * slope * length / (ahead - value - slope * length)))
        else:
            return Found(x, value, step)
        moved, change = trial - x, new - gradient
        product = float(moved @ change)
        if product > 1e-12 * float(change @ change):
            pairs.append((moved, change, 1.0 / product))
        x, value, gradient = trial, ahead, new
        values.append(value)
        if len(values) > 10 and enough(values[-11], value):
            return Found(x, value, step)
    return Found(x, value, most)


def _first_length(fun: Callable[[Array], tuple[float, Array]], x: Array, gradient: Array) -> float:
    """One over the curvature along the gradient, by a difference."""
    square = float(gradient @ gradient)
    small = 1e-6 * float(np.linalg.norm(x)) / max(math.sqrt(square), 1e-300)
    _, near = fun(x - small * gradient)
    curvature = float(gradient @ (gradient - near)) / max(small * square, 1e-300)
    if curvature > 0.0:
        return 1.0 / curvature
    return 0.1 * float(np.linalg.norm(x)) / max(math.sqrt(square), 1e-300)


def _direction(gradient: Array, pairs: deque[Any]) -> Array:
    """Minus the inverse Hessian's estimate times the gradient (two loops)."""
    q = -gradient
    weights = []
    for moved, change, inverse in reversed(pairs):
        weight = inverse * float(moved @ q)
        weights.append(weight)
        q -= weight * change
    if pairs:
        _, change, inverse = pairs[-1]
        q *= 1.0 / (inverse * float(change @ change))
    for (moved, change, inverse), weight in zip(pairs, reversed(weights), strict=True):
        q += (weight - inverse * float(change @ q)) * moved
    return q
