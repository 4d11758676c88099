"""Limited-memory BFGS without constraints, for vectors that may live on a device."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.place import HERE, Place

__all__ = ["SearchResult", "lbfgs"]

WINDOW = 10  # steps over which progress is measured
MAX_TRIALS = 30  # step sizes tried along a direction
SUFFICIENT_DECREASE = 1e-4  # of the slope times the step (Armijo)
MIN_CURVATURE = 1e-12  # cosine of a step with the change along it; a pair below it is rounding

Fun: TypeAlias = Callable[[Array], tuple[float, Array]]
"""Function of a vector: its value and gradient."""


class VectorLoops(Protocol):
    """Vector operations where the data live (`Place.vectors`)."""

    def dot(self, x: Array, y: Array) -> float:
        """Inner product <x, y>."""

    def add_scaled(self, y: Array, a: float, x: Array) -> None:
        """y <- y + a x."""

    def combine(self, y: Array, a: float, b: float, x: Array) -> None:
        """y <- a y + b x."""


class CurvaturePair(NamedTuple):
    """Step s, change y of the gradient over it, and 1 / <s, y>."""

    moved: Array
    change: Array
    inverse: float


class SearchResult(NamedTuple):
    """Last point, values at the start and there, number of steps; `going` if more may be gained."""

    x: Array
    start: float
    value: float
    steps: int
    going: bool


def lbfgs(
    fun: Fun,
    x: Array,
    most: int,
    small: float,
    scaling: Array | None = None,
    due: Callable[[], bool] = bool,
    place: Place = HERE,
    memory: int = 10,
) -> SearchResult:
    """Minimize `fun` by limited-memory BFGS with a backtracking line search.

    `fun` gives value and gradient; the start x is left as it is. The search ends after `most`
    steps, where the last ten have lowered the value by at most `small`, or where it is `due` to.
    `scaling` is the diagonal of a Hessian to begin with. Vectors live in `place`; steps and changes
    of the gradient are kept for the last `memory` steps.
    """
    loops = place.vectors(x.size)  # BLAS would do, but its threads and ours do not mix
    dot = loops.dot
    value, gradient = fun(x)
    pairs: deque[CurvaturePair] = deque(maxlen=memory)
    values = [value]
    for step in range(1, most + 1):
        direction = _direction(gradient, pairs, scaling, loops)
        slope = dot(gradient, direction)
        if slope == 0.0 and not gradient.any():
            return SearchResult(x, values[0], value, step, False)
        if slope >= 0.0:  # rounding: start over with the gradient
            pairs.clear()
            direction = _direction(gradient, pairs, scaling, loops)
            slope = dot(gradient, direction)
        plain = not pairs and scaling is None
        length = _first_length(fun, x, gradient, dot) if plain else 1.0
        for _ in range(MAX_TRIALS):
            trial = x.copy()
            loops.add_scaled(trial, length, direction)
            ahead, new = fun(trial)
            if ahead <= value + SUFFICIENT_DECREASE * length * slope:
                break
            # the minimizer of the parabola through both values and the slope, kept in [0.1, 0.5]
            length *= max(0.1, min(0.5, -0.5 * slope * length / (ahead - value - slope * length)))
        else:
            return SearchResult(x, values[0], value, step, False)
        moved, change = direction, gradient  # their room is free now
        loops.combine(moved, length, 0.0, moved)
        loops.combine(change, -1.0, 1.0, new)
        product = dot(moved, change)
        if product > MIN_CURVATURE * math.sqrt(dot(change, change) * dot(moved, moved)):
            pairs.append(CurvaturePair(moved, change, 1.0 / product))
        x, value, gradient = trial, ahead, new
        values.append(value)
        if len(values) > WINDOW and values[-1 - WINDOW] - value <= small:
            return SearchResult(x, values[0], value, step, False)
        if due():
            return SearchResult(x, values[0], value, step, True)
    return SearchResult(x, values[0], value, most, True)


def _first_length(
    fun: Fun, x: Array, gradient: Array, dot: Callable[[Array, Array], float]
) -> float:
    """First step size: 1 / (curvature along the gradient), by a difference of gradients."""
    square = dot(gradient, gradient)
    length = math.sqrt(dot(x, x) / max(square, 1e-300))
    small = math.sqrt(float(np.finfo(x.dtype).eps)) * length
    _, near = fun(x - small * gradient)
    curvature = (square - dot(gradient, near)) / max(small * square, 1e-300)
    return 1.0 / curvature if curvature > 0.0 else 0.1 * length


def _direction(
    gradient: Array, pairs: deque[CurvaturePair], scaling: Array | None, loops: VectorLoops
) -> Array:
    """Direction -H g with the L-BFGS estimate H of the inverse Hessian (two-loop recursion)."""
    q = -gradient
    weights = []
    add, dot = loops.add_scaled, loops.dot
    for pair in reversed(pairs):
        weight = pair.inverse * dot(pair.moved, q)
        weights.append(weight)
        add(q, -weight, pair.change)
    if scaling is not None:
        q /= scaling
    if pairs:
        last = pairs[-1]
        change = last.change if scaling is None else last.change / scaling
        q *= 1.0 / (last.inverse * dot(last.change, change))
    for pair, weight in zip(pairs, reversed(weights), strict=True):
        add(q, weight - pair.inverse * dot(pair.change, q), pair.moved)
    return q
