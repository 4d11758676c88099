r"""Linear and quadratic problems over positive semidefinite matrices with a unit diagonal.

For the least :math:`\langle C, X \rangle` the dual is to maximize :math:`\sum_i y_i` such that
:math:`C - \mathrm{diag}(y)` is positive semidefinite. Whatever y is, its sum plus n times the
smallest eigenvalue of that matrix, where it is negative, is a bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array

__all__ = ["Least", "dual_bound", "least_over_correlations", "nearest_correlation"]

MAX_STEPS = 100  # of the interior-point method: a guard, steps too short end it before
GAP_TOL = 1e-13  # gap over Σ|C_ij|, below which it is rounding
BOUNDARY_SHARE, BACKTRACKING = (
    0.95,
    0.8,
)  # of the way to the end of the set; of a step that leaves it
MAX_TRIALS = 60  # lengths of one step
MAX_NEWTON_STEPS = 60
MAX_CG_STEPS = 200  # for each Newton step


class Least(NamedTuple):
    """A correlation matrix X, and a lower bound on <C, X> over all of them."""

    X: Array
    bound: float


def dual_bound(C: Array, y: Array) -> float:
    """Lower bound Σ_i y_i + n min(0, λ_min(C - diag(y))) on <C, X>, for any y, less rounding."""
    Z = C - np.diag(y)
    lowest = float(np.linalg.eigvalsh(Z)[0])
    rounding = 4.0 * len(C) * 2.0**-52 * float(np.abs(Z).sum(axis=1).max())
    return float(y.sum()) + len(C) * min(0.0, lowest - rounding)


def least_over_correlations(C: Array) -> Least:
    """Minimize <C, X> over correlation matrices by interior points, with a proved lower bound.

    Parameters
    ----------
    C : array of shape (n, n)
        Symmetric, finite.

    References
    ----------
    C. Helmberg, F. Rendl, R. Vanderbei and H. Wolkowicz, *An Interior-Point Method for
    Semidefinite Programming*, SIAM Journal on Optimization 6, 1996, whose example this is.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.regions.matrices.correlation import least_over_correlations
    >>> triangle = np.ones((3, 3)) - np.eye(3)  # three vectors, as far apart as they can be
    >>> found = least_over_correlations(triangle)
    >>> found.X.round(9) + 0.0, round(found.bound, 9)
    (array([[ 1. , -0.5, -0.5],
           [-0.5,  1. , -0.5],
           [-0.5, -0.5,  1. ]]), -3.0)
    """
    diagonal = C.diagonal()
    between = C - np.diag(diagonal)  # what is on the diagonal is the same for all, however large
    unit = float(np.abs(between).max())
    if unit == 0.0:  # all are as good: a corner
        return Least(np.ones(C.shape), float(diagonal.sum()))
    found = _interior(between / unit)
    return Least(found.X, float(diagonal.sum()) + unit * found.bound)


def _interior(C: Array) -> Least:
    """Minimize <C, X> for C with a zero diagonal and largest entry one."""
    n, sizes = len(C), np.abs(C).sum(axis=1)
    total = float(sizes.sum())
    X, y = np.eye(n), -1.1 * sizes - 1e-3 * total / n
    Z = C - np.diag(y)
    mu = float((Z * X).sum()) / (2.0 * n)
    for _ in range(MAX_STEPS):
        try:
            dX, dy = _step(X, Z, mu)
        except np.linalg.LinAlgError:
            break
        primal, dual = _longest(X, dX), _longest(Z, -np.diag(dy))
        X, y = X + primal * dX, y + dual * dy
        Z = C - np.diag(y)
        gap = float((Z * X).sum())
        mu = gap / (2.0 * n) * (0.2 if primal + dual > 1.8 else 0.5 if primal + dual > 1.6 else 1.0)
        if gap <= GAP_TOL * total or primal + dual < 1e-6:
            break
    return Least(_unit(X), dual_bound(C, y))


def _step(X: Array, Z: Array, mu: float) -> tuple[Array, Array]:
    """Newton step (dX, dy) toward ZX = mu I with diag(X) = 1, from Z = C - diag(y)."""
    inverse = np.linalg.inv(Z)
    inverse = 0.5 * (inverse + inverse.T)
    dy = -np.linalg.solve(inverse * X, mu * inverse.diagonal() - X.diagonal())
    dX = mu * inverse - X + (inverse * dy) @ X
    return 0.5 * (dX + dX.T), dy


def _longest(X: Array, dX: Array) -> float:
    """Step length at which X + step dX stays positive definite, with a margin; at most 1."""
    step = 1.0
    for _ in range(MAX_TRIALS):
        try:
            np.linalg.cholesky(X + step * dX)
        except np.linalg.LinAlgError:
            step *= BACKTRACKING
            continue
        return step if step == 1.0 else BOUNDARY_SHARE * step
    return 0.0


def _unit(X: Array) -> Array:
    """Scale rows and columns of X to a diagonal of ones, which keeps it positive semidefinite."""
    root = np.sqrt(X.diagonal())
    X = X / root[:, None] / root
    X = 0.5 * (X + X.T)
    X[np.diag_indices_from(X)] = 1.0
    return np.asarray(X)


def nearest_correlation(A: Array) -> tuple[Array, Array]:
    """Nearest correlation matrix X to a symmetric A, and y with X - A - diag(y) semidefinite.

    Newton's method on the dual, in which X is the positive part of A + diag(y).

    References
    ----------
    H. Qi and D. Sun, *A Quadratically Convergent Newton Method for Computing the Nearest
    Correlation Matrix*, SIAM Journal on Matrix Analysis and Applications 28, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.regions.matrices.correlation import nearest_correlation
    >>> X, y = nearest_correlation(np.array([[1.0, 2.0], [2.0, 1.0]]))
    >>> X.round(9)
    array([[1., 1.],
           [1., 1.]])
    """
    y = 1.0 - A.diagonal()
    value, off, values, P = _dual(A, y)
    size = max(1.0, float(np.abs(A).max()))
    for _ in range(MAX_NEWTON_STEPS):
        if float(np.abs(off).max()) <= 2.0**-50 * size:
            break
        step = _newton(off, values, P)
        slope, length = float(off @ step), 1.0
        while length > 1e-9:
            there = _dual(A, y + length * step)
            # near the solution values are rounding: then a smaller gradient is enough
            shorter = float(np.abs(there[1]).max()) < float(np.abs(off).max())
            if there[0] <= value + 1e-4 * length * slope or shorter:
                break
            length *= 0.5
        else:
            break
        y = y + length * step
        value, off, values, P = there
    X = (P * np.maximum(values, 0.0)) @ P.T
    return _unit(X), y


def _dual(A: Array, y: Array) -> tuple[float, Array, Array, Array]:
    """Dual objective |(A + diag(y))_+|^2 / 2 - Σ_i y_i, its gradient, and the eigenpairs used."""
    values, P = np.linalg.eigh(A + np.diag(y))
    positive = np.maximum(values, 0.0)
    gradient = (P * P) @ positive - 1.0
    return 0.5 * float(positive @ positive) - float(y.sum()), gradient, values, P


def _newton(gradient: Array, values: Array, P: Array) -> Array:
    """Newton direction of the dual, by conjugate gradients on a generalized Hessian."""
    positive = np.maximum(values, 0.0)
    apart = values[:, None] - values[None]
    rise = positive[:, None] - positive[None]
    above = 0.5 * (values > 0.0)
    same = above[:, None] + above[None]
    # divided differences of max(λ, 0); of equal eigenvalues, its derivative
    close = np.abs(apart) <= 1e-14 * float(np.abs(values).max())
    weights = np.where(close, same, rise / np.where(close, 1.0, apart))
    shift = 1e-12 + min(1e-2, 0.1 * float(np.linalg.norm(gradient))) * 1e-4

    def times(h: Array) -> Array:
        inner = weights * (P.T @ (h[:, None] * P))
        return np.asarray(((P @ inner) * P).sum(axis=1) + shift * h)

    x = np.zeros_like(gradient)
    r = -gradient
    d, square = r.copy(), float(r @ r)
    least = square * 1e-10
    for _ in range(MAX_CG_STEPS):
        if square <= least:
            break
        image = times(d)
        alpha = square / float(d @ image)
        x += alpha * d
        r -= alpha * image
        square, last = float(r @ r), square
        d = r + square / last * d
    return x
