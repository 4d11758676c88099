"""The secular equation |y(lambda)| = radius, and convex quadratics over a Euclidean ball by it."""

from __future__ import annotations

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import power

__all__ = ["free_minimizer", "minimize_over_ball", "next_multiplier"]

MAX_TRIALS = 100  # of the multiplier; Newton's method takes a few, bisection sixty
MIN_RADIUS = 2.0**-100  # from here to its inverse squares are safe; a change of units costs 10 %


def minimize_over_ball(H: Array, c: Array, radius: float) -> Array:
    r"""Minimizer of :math:`\frac12 y'Hy + c'y` over :math:`\|y\|_2 \le` radius.

    H is positive semidefinite. Where the minimizer lies outside the ball it is
    :math:`-(H + \lambda I)^{-1} c` with the :math:`\lambda > 0` that puts it on the sphere,
    found by Newton's method on :math:`1/\|y(\lambda)\|` (Moré and Sorensen, *Computing a
    trust region step*, 1983).

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.secular import minimize_over_ball
    >>> minimize_over_ball(np.diag([1.0, 2.0]), np.array([-3.0, -8.0]), 1.0).round(4)
    array([0.3902, 0.9207])
    """
    if MIN_RADIUS <= radius <= 1.0 / MIN_RADIUS:
        return _over_ball(H, c, radius)
    unit = power(radius)
    return unit * _over_ball(unit * H * unit, unit * c, radius / unit)


def _over_ball(H: Array, c: Array, radius: float) -> Array:
    """Minimizer over a ball whose radius has a square."""
    inner = free_minimizer(H, c)
    if inner is not None and float(np.linalg.norm(inner)) <= radius:
        return inner
    eigenvalues, vectors = np.linalg.eigh(H)
    values = np.maximum(eigenvalues, 0.0)
    b = vectors.T @ -np.asarray(c, dtype=np.float64)
    steep = max(float(np.abs(b).max()), 1e-300)
    floor = max(1e-15 * float(values[-1]), 1e-30 * steep / radius, 1e-300)  # H may be zero
    flat = (values <= floor) & (np.abs(b) <= 1e-14 * steep)
    free = np.where(flat, 0.0, b / np.where(flat, 1.0, np.maximum(values, floor)))
    if float(np.linalg.norm(free)) <= radius:
        return np.asarray(vectors @ free)
    y = b / np.maximum(values + _level(values, b, radius, floor), floor)
    return np.asarray(vectors @ (y * min(1.0, radius / float(np.linalg.norm(y)))))


def free_minimizer(H: Array, c: Array) -> Array | None:
    """Free minimizer -H^-1 c, or None where H is not safely positive definite.

    By Cholesky, at a tenth of the cost of H's eigenvalues.
    """
    from scipy.linalg.lapack import dposv

    factor, y, failed = dposv(H, -np.asarray(c, dtype=np.float64), lower=True)
    diagonal = np.diagonal(factor)
    if failed or float(diagonal.min()) <= 1e-6 * float(diagonal.max()):
        return None
    return np.asarray(y)


def _level(values: Array, b: Array, radius: float, floor: float) -> float:
    """Multiplier lambda > 0 for which -(H + lambda I)^-1 c lies on the sphere."""
    low, high = 0.0, float(np.linalg.norm(b)) / radius  # |y| <= |b| / lambda
    level = low
    for _ in range(MAX_TRIALS):
        y = b / np.maximum(values + level, floor)
        length = float(np.linalg.norm(y))
        if abs(length - radius) <= 1e-15 * radius:
            break
        rate = float(y @ (y / np.maximum(values + level, floor)))
        ahead, low, high = next_multiplier(level, low, high, length, radius, rate)
        if ahead == level:
            break
        level = ahead
    return level


def next_multiplier(
    level: float, low: float, high: float, length: float, radius: float, rate: float
) -> tuple[float, float, float]:
    """Next multiplier by Newton's method on 1/|y|, and the bracket that it is kept in.

    `length` is |y| at `level`, and `rate` is <y, (H + level I)^-1 y>, minus half the derivative
    of |y|^2. Newton's method on 1/|y|, which is nearly linear, takes a few steps where one on |y|
    takes many. Plain arithmetic: kernels compile it.
    """
    low, high = (level, high) if length > radius else (low, level)
    ahead = level + (length / radius - 1.0) * length * length / rate
    return (ahead if low < ahead < high else 0.5 * (low + high)), low, high
