"""Projection onto the transport polytope, matrices X >= 0 with given sums, by its dual."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.base.blas import one_thread
from frankwolfe.base.clock import Pieces, due
from frankwolfe.base.kernels import level as loops
from frankwolfe.subproblems.kernels import transport as plans
from frankwolfe.subproblems.quadratics import solve_definite
from frankwolfe.subproblems.transport_duals import corner

__all__ = ["project_to_sums", "with_sums"]

MAX_SPREAD = 3e4  # of P, in mean entries of X; above, P comes in growing shares (a homotopy)
GROWTH = 4.0  # from one share of P to the next: more shares, or worse starts
MAX_NEWTON_STEPS = 500  # over all shares
PATIENCE = 60  # Newton steps in which the error of the sums has to be halved
MAX_CORRECTIONS = 3  # of X itself, in the end
MAX_TRIALS = 12  # of a step length
SUM_TOL = 1e-13  # of the total: the error of all sums together in the end
PATH_SUM_TOL = 1e-2  # of the total: their error for a share of P, which only gives a start
RIDGE = 1e-10  # of a count of entries: the Hessian is singular along (1, -1)
DAMPING = 0.01  # of a count of entries, times the relative error of the sums
EPS, SMALLEST = 2.0**-52, 1e-300  # rounding unit; a divisor in the place of zero
FINAL_SUM_TOL = 2e-15  # of the total: the error of one sum after corrections
MAX_SPARSE_SHARE = 0.1  # of nonzero entries; below, the Hessian is built from a sparse matrix

Levels = tuple[Array, Array]
"""Dual variables a of the rows and b of the columns."""


def project_to_sums(
    p: Array, rows: Array, columns: Array, guess: Callable[[Array], Levels] | None = None
) -> tuple[Array, Array]:
    r"""Projection X of P onto matrices >= 0 with these sums, all positive; and its row levels a.

    :math:`X_{ij} = \max(P_{ij} - a_i - b_j, 0)`, where the levels a and b minimize the dual
    :math:`\frac12\|X\|^2 + \langle a, r\rangle + \langle b, c\rangle` by semismooth Newton
    steps. Where almost all entries are zero they begin at a `guess` of the levels: those of a
    transport of least cost -P, which has as few entries, are a very good one. Without a guess a
    small share of P comes first, and each share begins at the levels of the last. Where P is so
    large that rounding hides the sums, or the budget or the time of a run ends, the levels are the
    best that were found, and X has the sums all the same.

    References
    ----------
    X. Li, D. Sun and K.-C. Toh, *On the efficient computation of a generalized Jacobian of the
    projector over the Birkhoff polytope*, Mathematical Programming, 2020; D. Lorenz, P. Manns and
    C. Meyer, *Quadratically regularized optimal transport*, Applied Mathematics and Optimization,
    2021; J. Altschuler, J. Weed and P. Rigollet, *Near-linear time approximation algorithms for
    optimal transport via Sinkhorn iteration*, NeurIPS 2017, for the last correction of the sums.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.quadratics.transport import project_to_sums
    >>> project_to_sums(np.zeros((2, 2)), np.array([1.0, 2.0]), np.array([2.0, 1.0]))[0]
    array([[0.75, 0.25],
           [1.25, 0.75]])
    """
    p = np.ascontiguousarray(p, dtype=np.float64)
    shares = _shares(p, float(rows.sum()))
    if guess is not None and len(shares) > 1:
        (a, b), _ = _LevelsDual(p, rows, columns).solve(guess(p), SUM_TOL, MAX_NEWTON_STEPS)
    else:
        a, b = _along_path(p, rows, columns, shares)
    return with_sums(_settled(_primal(p, a, b), rows, columns), rows, columns), a


def _settled(x: Array, rows: Array, columns: Array) -> Array:
    """X after a few Newton corrections of its nonzero entries, which remove errors of the sums.

    X itself moves, not the levels: next to large levels its entries would be lost.
    """
    mask, most = None, FINAL_SUM_TOL * float(rows.sum())
    for _ in range(0 if due() else MAX_CORRECTIONS):
        r, c = x.sum(axis=1) - rows, x.sum(axis=0) - columns
        if max(float(np.abs(r).max()), float(np.abs(c).max())) <= most:
            break
        mask = _listed(x) if mask is None else mask
        da, db = _direction(mask, r, c, RIDGE)
        moved = np.where(x > 0.0, np.maximum(x - da[:, None] - db, 0.0), 0.0)
        off = np.abs(moved.sum(axis=1) - rows).sum() + np.abs(moved.sum(axis=0) - columns).sum()
        if not off < np.abs(r).sum() + np.abs(c).sum():
            break
        x = moved
    return x


def _along_path(p: Array, rows: Array, columns: Array, shares: list[float]) -> Levels:
    """Dual levels of P by a homotopy: each share of P starts from the levels of the one before."""
    first: Array = (shares[0] * p.sum(axis=1) - rows) / p.shape[1]
    levels: Levels = first, np.zeros(columns.size)
    budget, before = MAX_NEWTON_STEPS, shares[0]
    for share in shares:
        a, b = (share / before * side for side in levels)
        dual = _LevelsDual(share * p if share < 1.0 else p, rows, columns)
        levels, spent = dual.solve((a, b), SUM_TOL if share == 1.0 else PATH_SUM_TOL, budget)
        budget, before = budget - spent, share
    return levels


def _shares(p: Array, mass: float) -> list[float]:
    """Increasing shares of P to project one after another; smaller ones have fewer zeros in X."""
    unit = p.size / mass / MAX_SPREAD
    if not (float(p.max()) - float(p.min())) * unit > 1.0:  # it bounds the ratio below
        return [1.0]
    ratio = -float(plans.deepest(p)) * unit
    count = math.ceil(math.log(ratio, GROWTH)) if 1.0 < ratio < math.inf else 0
    return [GROWTH ** (k - count) for k in range(count + 1)]


def _primal(p: Array, a: Array, b: Array) -> Array:
    """X_ij = max(P_ij - a_i - b_j, 0)."""
    x = np.empty_like(p)
    plans.cut_off(p, a, b, x)
    return x


class _LevelsDual(NamedTuple):
    """Dual function |X|^2 / 2 + <a, rows> + <b, columns> of the levels a and b, to be minimized."""

    p: Array
    rows: Array
    columns: Array

    def solve(self, levels: Levels, enough: float, budget: int) -> tuple[Levels, int]:
        """Levels with an error of the sums of at most `enough` of the total, and steps taken."""
        p, rows, columns = self
        (a, b), best, since, found = levels, math.inf, 0, np.empty(columns.size)
        loops.row_levels(p, b, rows, a)
        loops.row_levels(p.T, a, columns, b)
        mass, size = float(rows.sum()), max(float(p.max()), -float(p.min()))
        most = enough * mass + EPS * size * (rows.size + columns.size)
        kept, steps = levels, Pieces()

        for step in range(budget + 1):  # noqa: B007  (it is returned)
            r, c = plans.both_sums(p, a, b, found) - rows, found - columns
            off = float(np.abs(r).sum() + np.abs(c).sum())
            since = 0 if off < 0.5 * best else since + 1
            if off < best:
                best, kept = off, (a, b)
            if off <= most or since >= PATIENCE or steps.due():
                break
            a, b = self.newton(a, b, r, c, DAMPING * min(off / mass, 1.0) + RIDGE)
        return kept, step

    def newton(self, a: Array, b: Array, r: Array, c: Array, ridge: float) -> Levels:
        """Levels after a damped Newton step, from those where the sums are off by r and c."""
        da, db = _direction(_listed(_primal(self.p, a, b)), r, c, ridge)
        slope = -float(r @ da + c @ db)
        t = self.length(a, b, da, db, slope) if slope < 0.0 else 0.0
        return a + t * da, b + t * db

    def length(self, a: Array, b: Array, da: Array, db: Array, slope: float) -> float:
        """Step length <= 1 at which the convex dual has lost half of its slope.

        By slopes alone: they keep digits that differences of values lose.
        """
        straight = float(self.rows @ da + self.columns @ db)
        low, high, at_low, at_high, t = 0.0, 1.0, slope, 0.0, 1.0
        for _ in range(MAX_TRIALS):
            ahead = straight - plans.slope_ahead(self.p, a, b, da, db, t)
            if abs(ahead) <= 0.5 * abs(slope) or (ahead < 0.0 and t == 1.0):
                return t
            if ahead < 0.0:
                low, at_low = t, ahead
            else:
                high, at_high = t, ahead
            share = at_low / (at_low - at_high)
            t = low + min(max(share, 0.1), 0.9) * (high - low)
        return t


def _listed(x: Array) -> Matrix:
    """Indicator matrix of the nonzero entries of x, sparse where these are few."""
    from scipy.sparse import csr_array

    mask = (x > 0.0).astype(np.float64)
    return csr_array(mask) if np.count_nonzero(mask) < MAX_SPARSE_SHARE * x.size else mask


def _direction(mask: Matrix, r: Array, c: Array, ridge: float) -> Levels:
    """Newton direction by a Schur complement: rows are eliminated, the columns' system is solved.

    Second derivatives of the dual count the nonzero entries of X.
    """
    if mask.shape[1] > mask.shape[0]:  # the smaller system
        return _direction(mask.T, c, r, ridge)[::-1]
    in_rows, in_columns = mask.sum(axis=1) + ridge, mask.sum(axis=0) + ridge
    with one_thread():
        weighted = mask.T @ (mask * (1.0 / in_rows)[:, None])
        weighted = weighted if isinstance(weighted, np.ndarray) else weighted.toarray()
        S = np.diag(in_columns) - weighted
        db = solve_definite(S, c - mask.T @ (r / in_rows), RIDGE * float(in_columns.max()))
    return (r - mask @ db) / in_rows, db


def with_sums(x: Array, rows: Array, columns: Array) -> Array:
    """X changed to have these sums: scaled, and the remainder put into few other entries."""
    clean = FINAL_SUM_TOL * float(rows.sum())
    scaled = x * _ratio(rows, x.sum(axis=1))[:, None]
    scaled *= _ratio(columns, scaled.sum(axis=0))
    off = [np.abs(scaled.sum(axis=1) - rows).max(), np.abs(scaled.sum(axis=0) - columns).max()]
    if max(off) <= clean:
        return scaled
    x *= np.minimum(_ratio(rows, x.sum(axis=1)), 1.0)[:, None]
    x *= np.minimum(_ratio(columns, x.sum(axis=0)), 1.0)
    cells, more = corner(rows - x.sum(axis=1), columns - x.sum(axis=0), 0.0)
    x.ravel()[cells] += more
    return x


def _ratio(wanted: Array, found: Array) -> Array:
    """Quotient wanted / found, also where found is zero."""
    return np.asarray(wanted / np.maximum(found, SMALLEST))
