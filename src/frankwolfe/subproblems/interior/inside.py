"""Primal-dual interior points: distances to bounds, their multipliers, and slopes of the loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.base.memory import Memory
from frankwolfe.core.conjugate_function import ConjugateFunction
from frankwolfe.core.standard_form.form import StandardForm

__all__ = ["Curved", "Inside", "Program", "begin"]

START_MARGIN = 0.1  # of the range of a slope: the first slopes keep this distance from its bounds


class Curved(NamedTuple):
    """A loss given by its value, gradient and Hessian as functions of x."""

    value: Callable[[Array], float]
    gradient: Callable[[Array], Array]
    hessian: Callable[[Array], Array]
    quadratic: bool


class Program(NamedTuple):
    """The problem: a standard form, and the loss by its rows and conjugate, or by derivatives."""

    frame: StandardForm
    points: Matrix  # the frame's atoms, one for each variable, as columns
    image: Callable[[Array], Array]  # of x, for each row
    rows: Array  # the images of the atoms
    free: Array
    linear: Array  # a linear term of the variables
    loss: ConjugateFunction | None
    curved: Curved | None
    first: Array  # slopes to start from


@dataclass(slots=True)
class Inside(Memory):
    """A point on the path: distances to bounds, their multipliers, slopes and free variables.

    x moves as the coefficients do and is not computed from them: a small difference of large
    coefficients would be rounding.
    """

    x: Array
    low: Array
    high: Array
    at_low: Array
    at_high: Array
    u: Array
    below: Array
    above: Array
    at_below: Array
    at_above: Array
    b: Array
    level: Array  # multipliers of the sums
    room: Array  # to the surface of each ball
    hold: Array  # and its multiplier
    step: float = 1.0

    def y(self, frame: StandardForm) -> Array:
        """Coefficients y, each from the nearer of its bounds."""
        near = self.low < self.high
        return np.where(near, frame.lower + self.low, frame.upper - np.where(near, 0.0, self.high))

    def point(self, program: Program) -> Array:
        """Point of the region: x, moved back where it is outside a ball."""
        x, frame = self.x, program.frame
        y = self.y(frame) if frame.balls else self.low
        for ball in frame.balls:
            over = ball.at(y)[0]
            if over > 0.0:
                x = x - program.points @ frame.plan.gather(ball.back(y, over))
        return x

    def pairs(self) -> list[tuple[Array, Array]]:
        """All distances, each with its multiplier."""
        return [
            (self.low, self.at_low),
            (self.high, self.at_high),
            (self.below, self.at_below),
            (self.above, self.at_above),
            (self.room, self.hold),
        ]

    def total(self) -> float:
        """Complementarity gap: the sum of distances times multipliers, which goes to zero."""
        there = ((d[np.isfinite(d)], v[np.isfinite(d)]) for d, v in self.pairs())
        return sum(float(distance @ multiplier) for distance, multiplier in there)

    def mean(self) -> float:
        """Mean of the products of distances and multipliers."""
        return self.total() / max(sum(int(np.isfinite(d).sum()) for d, _ in self.pairs()), 1)


def begin(program: Program) -> Inside:
    """Starting point with equal products, about as large as gradient and slopes ask for."""
    frame, loss = program.frame, program.loss
    y = frame.start
    x = np.asarray(program.points @ frame.plan.gather(y))
    x = x if frame.center is None else x + frame.center
    low, high = y - frame.lower, frame.upper - y
    rows = 0.0
    if loss is None:
        assert program.curved is not None
        u = below = above = np.empty(0)
        gradient = program.curved.gradient(x)
    else:
        least, most = loss.bounds()
        margin = np.where(np.isfinite(most - least), START_MARGIN * (most - least), 0.0)
        u = np.clip(program.first, least + margin, most - margin)
        below, above = u - least, most - u
        gradient = program.rows.T @ u + program.linear
        off = np.abs(program.image(x) - loss.places(u, below, above)[0])
        near = np.minimum(below, above)
        near = np.where(np.isfinite(near), near, 0.0)  # an infinite distance has no product
        rows = float((off * near).sum()) / max(u.size, 1)
    room = np.array([-ball.at(y)[0] for ball in frame.balls])
    gradient = frame.plan.spread(gradient)
    gradient = gradient - _levelled(frame, gradient)
    mean = max(float(np.mean(np.abs(gradient) * np.minimum(low, high))), rows, 1e-280)
    return Inside(
        *(x, low, high, mean / low, mean / high),
        *(u, below, above, mean / below, mean / above),
        *(np.zeros(program.free.shape[1]), np.zeros(frame.totals.size), room, mean / room),
    )


def _levelled(frame: StandardForm, gradient: Array) -> Array:
    """Least-squares projection of the gradient onto the span of the equations' rows."""
    if not frame.totals.size:
        return np.zeros_like(gradient)
    C = frame.equations
    return np.asarray(C.T @ np.linalg.lstsq(C.T, gradient, rcond=None)[0])
