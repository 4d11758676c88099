"""The smallest enclosing ball of points."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.everyday.answer import ResultRecord, finite_matrix
from frankwolfe.apps.everyday.kernels import distances
from frankwolfe.base import Array, Indices, at_least_one, number
from frankwolfe.methods import toward_model

__all__ = ["EnclosingBall", "enclosing_ball"]

MIN_ADDED_POINTS = 8  # taken in at a time, or a quarter of the core: a pass over the data is costly


@dataclass(frozen=True, eq=False, repr=False)
class EnclosingBall(ResultRecord):
    """Result of :func:`~frankwolfe.enclosing_ball`, whose docstring has the attributes."""

    center: Array
    radius: float
    lower_bound: float
    support: Indices
    weights: Array
    success: bool
    nit: int


def enclosing_ball(X: ArrayLike, *, tol: float = 1e-9, max_iter: int = 1000) -> EnclosingBall:
    r"""The smallest ball that holds all rows of X, with bounds on its radius from both sides.

    By its dual, the largest :math:`\sum_i w_i \|x_i - c\|^2` with :math:`c = \sum_i w_i x_i` over
    the simplex of weights. Frank-Wolfe's oracle finds the points farthest from c, and all weights
    on the few points found so far are chosen afresh (a core-set). A step reads all points once,
    and a handful of steps is enough in low dimension.

    Parameters
    ----------
    X : array of shape (n, d)
        A row for each point: a million in low dimension, or fewer in a high one.
    tol : float
        Stop when the radius is certified to this, relatively.
    max_iter : int
        Largest number of steps.

    Returns
    -------
    EnclosingBall
        With ``center``; ``radius``, the largest distance of a point from it; ``lower_bound``,
        below the radius of every ball that holds the points; ``support``, the points on whose
        account it cannot be smaller, and their ``weights``, of which the center is made;
        ``success`` and ``nit``.

    References
    ----------
    M. Badoiu and K. L. Clarkson, *Smaller core-sets for balls*, SODA 2003; E. A. Yildirim, *Two
    algorithms for the minimum enclosing ball problem*, SIAM Journal on Optimization 19, 2008.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> ball = fw.enclosing_ball([[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [1.0, 1.0]])
    >>> ball.center, round(ball.radius, 6), ball.support
    (array([2., 1.]), 2.236068, array([0, 2]))
    """
    points = np.ascontiguousarray(finite_matrix("X", X, "point"))
    tol, most = number("tol", tol, above=0.0), at_least_one("max_iter", max_iter)
    largest = float(np.abs(points).max())
    if largest > 0.0 and not 1e-100 < largest < 1e100:  # squares must stay in range
        ball = enclosing_ball(points / largest, tol=tol, max_iter=most)
        size = ball.radius * largest, ball.lower_bound * largest
        return replace(ball, center=ball.center * largest, radius=size[0], lower_bound=size[1])
    core, apart = _Core(points), np.empty(len(points))
    best, lower, answer, nit = math.inf, 0.0, core, 0
    while nit < most:
        nit += 1
        core, before = core.solved(), (best, lower)
        distances.squares(points, core.center, apart)
        lower, radius = max(lower, core.lower), math.sqrt(float(apart.max()))
        if radius < best:
            best, answer = radius, core
        done = best - lower <= tol * best
        if done or (best, lower) == before or not core.take_in(apart):
            break
    order = np.argsort(answer.places)
    support, weights = answer.places[order], answer.weights[order]
    return EnclosingBall(answer.center, best, min(lower, best), support, weights, done, nit)


class _Core:
    """A core-set: a few of the points, with weights."""

    def __init__(self, points: Array) -> None:
        self.points = points
        self.center = points.mean(axis=0, dtype=np.float64)
        self.lower = 0.0
        self._origin = self.center  # products of points near one another keep their digits
        first = self._farthest(self.center)
        second = self._farthest(points[first].astype(np.float64))
        self.places: Indices = np.unique([first, second])
        self.weights = np.full(self.places.size, 1.0 / self.places.size)
        self._rows = points[self.places] - self._origin
        self._gram = self._rows @ self._rows.T

    def _farthest(self, point: Array) -> int:
        """Index of the point farthest from a given one."""
        apart = np.empty(len(self.points))
        distances.squares(self.points, point, apart)
        return int(apart.argmax())

    def solved(self) -> _Core:
        """A copy with the best weights, and without the points whose weight is zero."""
        sizes = self._gram.diagonal()
        r = 2.0 * (self._gram @ self.weights) - sizes
        w = toward_model(2.0 * self._gram, self.weights, r, 1e-15 * float(sizes.max()))
        other, keep = copy(self), w > 0.0
        other.places, other.weights = self.places[keep], w[keep]
        other._rows, other._gram = self._rows[keep], self._gram[np.ix_(keep, keep)]
        middle = other.weights @ other._rows
        other.center = self._origin + middle
        square = float(other.weights @ sizes[keep]) - float(middle @ middle)
        other.lower = math.sqrt(max(square, 0.0))
        return other

    def take_in(self, apart: Array) -> bool:
        """Add the farthest of the points outside the ball; False if there are none."""
        outside = np.flatnonzero(apart > self.lower**2)
        several = max(MIN_ADDED_POINTS, self.places.size // 4)
        if outside.size > several:
            outside = outside[np.argpartition(apart[outside], -several)[-several:]]
        new = np.setdiff1d(outside, self.places)
        if new.size == 0:
            return False
        rows = self.points[new] - self._origin
        beside = rows @ self._rows.T
        self._gram = np.block([[self._gram, beside.T], [beside, rows @ rows.T]])
        self._rows = np.vstack([self._rows, rows])
        self.places = np.concatenate([self.places, new])
        self.weights = np.concatenate([self.weights, np.zeros(new.size)])
        return True
