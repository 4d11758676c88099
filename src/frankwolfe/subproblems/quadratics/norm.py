"""A convex quadratic over the ball of a p-norm, by Newton's method on its conditions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.subproblems.quadratics.ball import free_minimizer, minimize_over_ball

__all__ = ["minimize_over_norm_ball", "quickly_over_norm_ball"]

NARROW = 50  # variables up to which eigenvalues cost less than a few factorizations

MOST = 50
WORK, LEAST, SOLVES = 1e10, 8, 200  # operations of all factorizations, and how many these are
HALVINGS = 30
ENOUGH, LOOSE = 1e-13, 1e-11  # of both conditions, relative; the second where rounding ends it
NEAR = 1e-4  # of each, from where Newton's method on both finds its way


def quickly_over_norm_ball(
    H: Array, c: Array, p: float, radius: float, start: Array
) -> Array | None:
    """The y with p-norm <= radius and the smallest y'Hy/2 + c'y, where a quick way finds it.

    For p = 2 it always does; for p = 1 and infinity there is none.
    """
    euclidean = p == 2.0
    if euclidean and c.size <= NARROW:
        return minimize_over_ball(H, c, radius)
    if not 1.0 < p < math.inf:
        return None
    y = free_minimizer(H, c)
    if y is None or float(np.linalg.norm(y / radius, p)) > 1.0:  # no power vanishes
        y = minimize_over_norm_ball(H, c, p, radius, start)
    return minimize_over_ball(H, c, radius) if y is None and euclidean else y


def minimize_over_norm_ball(
    H: Array, c: Array, p: float, radius: float, start: Array
) -> Array | None:
    r"""The y on :math:`\|y\|_p =` radius, 1 < p < infinity, with the smallest y'Hy/2 + c'y.

    For a minimizer that the ball holds back: with the multiplier :math:`\lambda > 0`

    .. math:: Hy + c + \lambda u = 0, \quad u_i = |y_i|^{p-1} \operatorname{sign} y_i, \quad
              \|y\|_p = \text{radius}.

    Newton's method on both conditions, each step with one Cholesky factor, from `start`; where
    that leads nowhere, first for one :math:`\lambda` after the other. For p < 2 it moves u, of
    which y is a smooth function, for p >= 2 it moves y. None where neither gets there; the
    caller has slower ways. For p = 2 eigenvalues are one, quicker than many :math:`\lambda`.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.quadratics.norm import minimize_over_norm_ball
    >>> H, c = np.diag([1.0, 2.0]), np.array([-3.0, -8.0])
    >>> minimize_over_norm_ball(H, c, 2.0, 1.0, np.ones(2)).round(4)
    array([0.3902, 0.9207])
    """
    model, y, level = _started(H, c, p, radius, start)
    found = _tried(model, lambda: _on_both(model, y, level))
    if found is None and p != 2.0:
        found = _tried(model, lambda: _on_both(model, *_level_by_level(model)))
    return None if found is None else radius * found


def _started(
    H: Array, c: Array, p: float, radius: float, start: Array
) -> tuple[_Model, Array, float]:
    """The model with radius 1, a point on the sphere, and the level where it is the minimizer."""
    solves = int(min(max(WORK / c.size**3, LEAST), SOLVES))
    model = _Model(radius * radius * H, radius * c, p, [solves])
    with np.errstate(all="ignore"):  # a power may overflow
        y = start / radius if start.any() else model.toward_zero(1.0)
        y = y / np.linalg.norm(y, p)
        level = float(np.linalg.norm(model.H @ y + model.c, p / (p - 1.0)))
    return model, y, level


def _tried(model: _Model, way: Callable[[], Array | None]) -> Array | None:
    """What a way finds, of length 1; None where it fails, or the ball does not hold it back."""
    try:
        with np.errstate(all="ignore"):  # a trial may be far away
            found = way()
    except (np.linalg.LinAlgError, ZeroDivisionError):  # flat, not finite, or too long
        return None
    length = 0.0 if found is None else float(np.linalg.norm(found, model.p))
    return found / length if found is not None and abs(length - 1.0) <= 1e-8 else None


class _Model(NamedTuple):
    """The quadratic y'Hy/2 + c'y, the order of the norm, and what work is left."""

    H: Array
    c: Array
    p: float
    solves: list[int]  # how many systems may still be solved

    def conditions(self, y: Array, level: float) -> tuple[Array, Array, float]:
        """u, what is left of the first condition, and of the second."""
        u = _power(y, self.p - 1.0)
        return u, self.H @ y + self.c + level * u, float(np.sum(np.abs(y) ** self.p) - 1.0) / self.p

    def merit(self, y: Array, level: float) -> float:
        """How far both conditions are from holding."""
        _, left, over = self.conditions(y, level)
        return float(np.hypot(np.linalg.norm(left), level * over))

    def size(self, y: Array) -> float:
        """What `merit` is to be compared with."""
        return float(np.linalg.norm(self.H @ y) + np.linalg.norm(self.c))

    def penalized(self, y: Array, level: float) -> float:
        """y'Hy/2 + c'y + level |y|^p / p, which is smallest where nothing is left."""
        power = float(np.sum(np.abs(y) ** self.p)) / self.p
        return float(y @ (0.5 * (self.H @ y) + self.c)) + level * power

    def toward_zero(self, level: float) -> Array:
        """The minimizer of that without H."""
        return -_power(self.c / level, 1.0 / (self.p - 1.0))

    def newton(self, y: Array, level: float, sides: Array) -> tuple[Array, Array]:
        """Moves of what is moved, and of y, that take away each side of the first condition."""
        self.solves[0] -= 1
        if self.solves[0] < 0:
            raise np.linalg.LinAlgError
        if self.p >= 2.0:
            J = self.H.copy()
            J[np.diag_indices_from(J)] += level * (self.p - 1.0) * np.abs(y) ** (self.p - 2.0)
            dy = -_solved(J, sides)
            return dy, dy
        root = np.sqrt(np.abs(y) ** (2.0 - self.p) / (self.p - 1.0))[:, None]  # dy = root^2 du
        J = root * self.H * root.T
        J[np.diag_indices_from(J)] += level
        dy = -root * _solved(J, root * sides)
        return -(sides + self.H @ dy) / level, dy

    def moved(self, y: Array, d: Array) -> Array:
        """y after a move of what is moved."""
        if self.p >= 2.0:
            return y + d
        return _power(_power(y, self.p - 1.0) + d, 1.0 / (self.p - 1.0))


def _power(y: Array, order: float) -> Array:
    return np.asarray(np.sign(y) * np.abs(y) ** order)


def _solved(J: Array, sides: Array) -> Array:
    from scipy.linalg.lapack import dposv

    _, x, info = dposv(J, sides)
    if info != 0:
        raise np.linalg.LinAlgError
    return np.asarray(x)


def _on_both(model: _Model, y: Array, level: float) -> Array | None:
    """Newton's method on both conditions; each step makes them hold better."""
    for _ in range(MOST):
        before = model.merit(y, level)
        if before <= ENOUGH * model.size(y):
            return y
        u, left, over = model.conditions(y, level)
        d, dy = model.newton(y, level, np.column_stack([left, u]))
        rise = (-over - float(u @ dy[:, 0])) / float(u @ dy[:, 1])
        d = d[:, 0] + rise * d[:, 1]
        t = 1.0 if rise >= 0.0 else min(1.0, 0.9 * level / -rise)
        for _ in range(HALVINGS):
            ahead = model.moved(y, t * d)
            if model.merit(ahead, level + t * rise) <= (1.0 - 0.1 * t) * before:
                break
            t *= 0.5
        else:  # rounding, or a bad start
            return y if before <= LOOSE * model.size(y) else None
        y, level = ahead, level + t * rise
    return None


def _level_by_level(model: _Model) -> tuple[Array, float]:
    """A pair near the solution, from nowhere: |y| falls as the level grows.

    For each level the first condition alone; the levels by Newton's method on 1/|y| between
    bounds, as Moré and Sorensen do for p = 2.
    """
    p = model.p
    low, high = 0.0, float(np.linalg.norm(model.c, p / (p - 1.0)))  # here |y| <= 1
    level, y = high, model.toward_zero(high)
    for _ in range(MOST):
        y, rate = _at_level(model, y, level)
        length = float(np.linalg.norm(y, p))
        if abs(length - 1.0) <= NEAR:
            break
        low, high = (level, high) if length > 1.0 else (low, level)
        ahead = level + (length - 1.0) * length**p / -rate
        between = 0.5 * (low + high) if low > 0.0 else 0.1 * high
        level = ahead if low < ahead < high else between
    return y, level


def _at_level(model: _Model, y: Array, level: float) -> tuple[Array, float]:
    """The minimizer of the penalized quadratic, and the slope of |y|^p / p in the level."""
    for _ in range(MOST):
        u, left, _ = model.conditions(y, level)
        d, dy = model.newton(y, level, np.column_stack([left, u]))
        if np.linalg.norm(left) <= NEAR * level * np.linalg.norm(u):
            break
        y = _lower(model, y, level, d[:, 0], float(left @ dy[:, 0]))
    return y, float(u @ dy[:, 1])


def _lower(model: _Model, y: Array, level: float, d: Array, slope: float) -> Array:
    """y moved along d as far as that makes the penalized quadratic smaller."""
    before, t = model.penalized(y, level), 1.0
    for _ in range(HALVINGS):
        ahead = model.moved(y, t * d)
        if model.penalized(ahead, level) <= before + 1e-4 * t * slope:
            return ahead
        t *= 0.5
    return y
