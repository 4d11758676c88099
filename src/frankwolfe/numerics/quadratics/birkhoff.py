"""Projection onto the doubly stochastic matrices, by its dual."""

from __future__ import annotations

import numpy as np

from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.blas import one_thread
from frankwolfe.numerics.kernels import level as loops
from frankwolfe.numerics.quadratics import solve_definite

__all__ = ["assignment_bound", "project_doubly_stochastic"]

SWEEPS = 10  # before Newton's method
NEWTON = 100
HALVINGS = 40
ENOUGH = 1e-13  # of a sum that should be one
RIDGE = 1e-10


def project_doubly_stochastic(p: Array) -> tuple[Array, Array]:
    r"""The matrix X >= 0 with row and column sums one that is nearest to P; its row levels.

    :math:`X_{ij} = \max(P_{ij} - a_i - b_j, 0)`, where the levels a and b minimize the dual
    :math:`\frac12\|X\|^2 + \sum_i a_i + \sum_j b_j`. Rows and columns take turns, which is all
    it takes where few entries are zero; then semismooth Newton steps between the turns.

    References
    ----------
    X. Li, D. Sun and K.-C. Toh, *On the efficient computation of a generalized Jacobian of the
    projector over the Birkhoff polytope*, Mathematical Programming, 2020; J. Altschuler,
    J. Weed and P. Rigollet, *Near-linear time approximation algorithms for optimal transport
    via Sinkhorn iteration*, NeurIPS 2017, for the last correction of the sums.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.numerics.quadratics.birkhoff import project_doubly_stochastic
    >>> project_doubly_stochastic(np.array([[1.0, 0.0], [0.5, 0.0]]))[0]
    array([[0.625, 0.375],
           [0.375, 0.625]])
    """
    p = np.ascontiguousarray(p, dtype=np.float64)
    flipped = np.ascontiguousarray(p.T)
    b: Array = np.zeros(p.shape[0])
    a = (p.sum(axis=1) - 1.0) / p.shape[0]
    for turn in range(SWEEPS + NEWTON):
        if turn >= SWEEPS:
            a, b = _newton(p, a, b)
        loops.row_levels(p, b, 1.0, a)
        loops.row_levels(flipped, a, 1.0, b)
        x = _primal(p, a, b)
        if np.abs(x.sum(axis=1) - 1.0).max() <= ENOUGH:
            break
    return _with_sums(x), a


def _primal(p: Array, a: Array, b: Array) -> Array:
    x = p - a[:, None]
    x -= b
    return np.maximum(x, 0.0, out=x)


def _newton(p: Array, a: Array, b: Array) -> tuple[Array, Array]:
    """A step on the dual, whose second derivatives count the entries that are not zero."""
    x = _primal(p, a, b)
    mask = (x > 0.0).astype(np.float64)
    rows, columns = mask.sum(axis=1) + RIDGE, mask.sum(axis=0) + RIDGE
    r, c = x.sum(axis=1) - 1.0, x.sum(axis=0) - 1.0
    with one_thread():
        S = np.diag(columns) - mask.T @ (mask / rows[:, None])
        db = solve_definite(S, c - mask.T @ (r / rows), RIDGE * float(columns.max()))
    da = (r - mask @ db) / rows
    before, slope, t = _dual(p, a, b), -float(r @ da + c @ db), 1.0
    for _ in range(HALVINGS):
        if _dual(p, a + t * da, b + t * db) <= before + 1e-4 * t * slope:
            return a + t * da, b + t * db
        t *= 0.5
    return a, b


def _dual(p: Array, a: Array, b: Array) -> float:
    x = _primal(p, a, b)
    return float(0.5 * np.sum(x * x) + a.sum() + b.sum())


def _with_sums(x: Array) -> Array:
    """X, changed so that rows and columns sum to one: scaled down, and the rest spread."""
    x /= np.maximum(x.sum(axis=1), 1.0)[:, None]
    x /= np.maximum(x.sum(axis=0), 1.0)
    r, c = (np.maximum(1.0 - x.sum(axis=axis), 0.0) for axis in (1, 0))
    left = float(r.sum())
    if left > 0.0:
        x += np.outer(r, c / left)
    return x


def assignment_bound(cost: Array, u: Array) -> float:
    """A number below the cost of every assignment: the sum of u and of v_j = min(C_ij - u_i)."""
    return float(u.sum() + (cost - u[:, None]).min(axis=0).sum())
