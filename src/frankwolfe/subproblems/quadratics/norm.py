"""A convex quadratic over the ball of a p-norm, by Newton's method on the KKT conditions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.subproblems.secular import free_minimizer, minimize_over_ball

__all__ = ["minimize_over_norm_ball", "quickly_over_norm_ball"]

MAX_EIGEN_SIZE = 50  # variables; up to here eigenvalues cost less than a few factorizations
MAX_STEPS = 50  # of each of Newton's methods, and of multipliers
MAX_WORK = 1e10  # operations of all factorizations; the caller has slower ways
MIN_SOLVES, MAX_SOLVES = 8, 200  # factorizations, whatever MAX_WORK says
HALVINGS = 30  # of a Newton step
RESIDUAL_TOL = 1e-13  # of both conditions, relative
STALLED_TOL = 1e-11  # of both, where rounding lets no step make them smaller
START_TOL = 1e-4  # of each; from here Newton's method on both finds its way


def quickly_over_norm_ball(
    H: Array, c: Array, p: float, radius: float, start: Array
) -> Array | None:
    """Minimizer of y'Hy/2 + c'y over |y|_p <= radius, or None where no quick method finds it.

    For p = 2 one always does; for p = 1 and infinity there is none.
    """
    euclidean = p == 2.0
    if euclidean and c.size <= MAX_EIGEN_SIZE:
        return minimize_over_ball(H, c, radius)
    if not 1.0 < p < math.inf:
        return None
    y = free_minimizer(H, c)
    if y is None or float(np.linalg.norm(y / radius, p)) > 1.0:  # in units where no power vanishes
        y = minimize_over_norm_ball(H, c, p, radius, start)
    return minimize_over_ball(H, c, radius) if y is None and euclidean else y


def minimize_over_norm_ball(
    H: Array, c: Array, p: float, radius: float, start: Array
) -> Array | None:
    r"""Minimizer of y'Hy/2 + c'y on the sphere :math:`\|y\|_p =` radius, 1 < p < infinity.

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
) -> tuple[_NormBallModel, Array, float]:
    """Model with radius 1, a first point on the sphere, and a first multiplier for it."""
    solves = int(min(max(MAX_WORK / c.size**3, MIN_SOLVES), MAX_SOLVES))
    model = _NormBallModel(radius * radius * H, radius * c, p, [solves])
    with np.errstate(all="ignore"):  # a power may overflow
        y = start / radius if start.any() else model.toward_zero(1.0)
        y = y / np.linalg.norm(y, p)
        level = float(np.linalg.norm(model.H @ y + model.c, p / (p - 1.0)))
    return model, y, level


def _tried(model: _NormBallModel, way: Callable[[], Array | None]) -> Array | None:
    """Point that `way` finds, scaled to length 1; None where it fails or leaves the sphere."""
    try:
        with np.errstate(all="ignore"):  # a trial may be far away
            found = way()
    except (np.linalg.LinAlgError, ZeroDivisionError):  # singular, not finite, or out of solves
        return None
    length = 0.0 if found is None else float(np.linalg.norm(found, model.p))
    return found / length if found is not None and abs(length - 1.0) <= 1e-8 else None


class _NormBallModel(NamedTuple):
    """The quadratic y'Hy/2 + c'y over the unit ball of the p-norm, and the work that is left."""

    H: Array
    c: Array
    p: float
    solves: list[int]  # one number: the systems that may still be solved

    def conditions(self, y: Array, level: float) -> tuple[Array, Array, float]:
        """u = sign(y) |y|^(p-1), and the residuals of Hy + c + level u = 0 and |y|_p = 1."""
        u = _power(y, self.p - 1.0)
        return u, self.H @ y + self.c + level * u, float(np.sum(np.abs(y) ** self.p) - 1.0) / self.p

    def merit(self, y: Array, level: float) -> float:
        """Norm of both residuals."""
        _, left, over = self.conditions(y, level)
        return float(np.hypot(np.linalg.norm(left), level * over))

    def size(self, y: Array) -> float:
        """Size of the terms of the first residual, which `merit` is compared with."""
        return float(np.linalg.norm(self.H @ y) + np.linalg.norm(self.c))

    def penalized(self, y: Array, level: float) -> float:
        """Penalized function y'Hy/2 + c'y + level |y|_p^p / p, whose gradient is a residual."""
        power = float(np.sum(np.abs(y) ** self.p)) / self.p
        return float(y @ (0.5 * (self.H @ y) + self.c)) + level * power

    def toward_zero(self, level: float) -> Array:
        """Minimizer of the penalized function without H."""
        return -_power(self.c / level, 1.0 / (self.p - 1.0))

    def newton(self, y: Array, level: float, sides: Array) -> tuple[Array, Array]:
        """Newton moves of the variable (y for p >= 2, u below), and of y, for each right side."""
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
        """y after a move d of the variable, which is y for p >= 2 and u below."""
        if self.p >= 2.0:
            return y + d
        return _power(_power(y, self.p - 1.0) + d, 1.0 / (self.p - 1.0))


def _power(y: Array, order: float) -> Array:
    """Signed power sign(y) |y|^order."""
    return np.asarray(np.sign(y) * np.abs(y) ** order)


def _solved(J: Array, sides: Array) -> Array:
    """J^-1 sides by Cholesky; LinAlgError where J is not positive definite."""
    from scipy.linalg.lapack import dposv

    _, x, info = dposv(J, sides)
    if info != 0:
        raise np.linalg.LinAlgError
    return np.asarray(x)


def _on_both(model: _NormBallModel, y: Array, level: float) -> Array | None:
    """Newton's method on both conditions, by steps that reduce their norm; None if it fails."""
    for _ in range(MAX_STEPS):
        before = model.merit(y, level)
        if before <= RESIDUAL_TOL * model.size(y):
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
            return y if before <= STALLED_TOL * model.size(y) else None
        y, level = ahead, level + t * rise
    return None


def _level_by_level(model: _NormBallModel) -> tuple[Array, float]:
    """Point and multiplier near the solution, without a start: |y| decreases in the multiplier.

    For each level the first condition alone; the levels by Newton's method on 1/|y| between
    bounds, as Moré and Sorensen do for p = 2.
    """
    p = model.p
    low, high = 0.0, float(np.linalg.norm(model.c, p / (p - 1.0)))  # here |y| <= 1
    level, y = high, model.toward_zero(high)
    for _ in range(MAX_STEPS):
        y, rate = _at_level(model, y, level)
        length = float(np.linalg.norm(y, p))
        if abs(length - 1.0) <= START_TOL:
            break
        low, high = (level, high) if length > 1.0 else (low, level)
        ahead = level + (length - 1.0) * length**p / -rate
        between = 0.5 * (low + high) if low > 0.0 else 0.1 * high
        level = ahead if low < ahead < high else between
    return y, level


def _at_level(model: _NormBallModel, y: Array, level: float) -> tuple[Array, float]:
    """Minimizer of the penalized function at a level, and the derivative of |y|^p / p in it."""
    for _ in range(MAX_STEPS):
        u, left, _ = model.conditions(y, level)
        d, dy = model.newton(y, level, np.column_stack([left, u]))
        if np.linalg.norm(left) <= START_TOL * level * np.linalg.norm(u):
            break
        y = _lower(model, y, level, d[:, 0], float(left @ dy[:, 0]))
    return y, float(u @ dy[:, 1])


def _lower(model: _NormBallModel, y: Array, level: float, d: Array, slope: float) -> Array:
    """y moved along d, by halving until the penalized function decreases (Armijo)."""
    before, t = model.penalized(y, level), 1.0
    for _ in range(HALVINGS):
        ahead = model.moved(y, t * d)
        if model.penalized(ahead, level) <= before + 1e-4 * t * slope:
            return ahead
        t *= 0.5
    return y
