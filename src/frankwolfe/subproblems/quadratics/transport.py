"""Projection onto matrices >= 0 with given row and column sums, by its dual."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.blas import one_thread
from frankwolfe.base.clock import Pieces, due
from frankwolfe.base.kernels import level as loops
from frankwolfe.subproblems.kernels import transport as plans
from frankwolfe.subproblems.quadratics import solve_definite
from frankwolfe.subproblems.transport_duals import corner

__all__ = ["project_to_sums", "with_sums"]

EASY = 3e4  # spread of P over the mean entry of X up to which P is projected at once
GROWTH = 4.0  # from one share of P to the next
NEWTON = 500  # steps in all
PATIENCE = 60  # steps in which what the sums are off has to be halved
SETTLE = 3  # corrections of X in the end
TRIALS = 12  # of a length of step
ENOUGH, ROUGH = 1e-13, 1e-2  # of the total, which sums may be off: in the end, on the way
RIDGE, DAMPING = 1e-10, 0.01  # of a count of entries: at least, and as far as sums are off
EPS, TINY = 2.0**-52, 1e-300
CLEAN = 2e-15  # of the total, which a sum may be off in the end
THIN = 0.1  # share of entries that are not zero below which they are listed

Levels = tuple[Array, Array]


def project_to_sums(
    p: Array, rows: Array, columns: Array, guess: Callable[[Array], Levels] | None = None
) -> tuple[Array, Array]:
    r"""The matrix X >= 0 with these sums, all positive, that is nearest to P; its row levels.

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
        (a, b), _ = _Dual(p, rows, columns).solve(guess(p), ENOUGH, NEWTON)
    else:
        a, b = _along_path(p, rows, columns, shares)
    return with_sums(_settled(_primal(p, a, b), rows, columns), rows, columns), a


def _settled(x: Array, rows: Array, columns: Array) -> Array:
    """X with what its sums are off put right where it is not zero, which costs next to nothing.

    A Newton step of X itself: beside large levels its entries would be lost.
    """
    mask, most = None, CLEAN * float(rows.sum())
    for _ in range(0 if due() else SETTLE):
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
    """The levels of P, from those of smaller and smaller shares of it."""
    first: Array = (shares[0] * p.sum(axis=1) - rows) / p.shape[1]
    levels: Levels = first, np.zeros(columns.size)
    budget, before = NEWTON, shares[0]
    for share in shares:
        a, b = (share / before * side for side in levels)
        dual = _Dual(share * p if share < 1.0 else p, rows, columns)
        levels, spent = dual.solve((a, b), ENOUGH if share == 1.0 else ROUGH, budget)
        budget, before = budget - spent, share
    return levels


def _shares(p: Array, mass: float) -> list[float]:
    """Shares of P to be projected one after the other: the smaller, the fewer entries are zero."""
    unit = p.size / mass / EASY
    if not (float(p.max()) - float(p.min())) * unit > 1.0:  # which bounds the ratio
        return [1.0]
    ratio = -float(plans.deepest(p)) * unit
    count = math.ceil(math.log(ratio, GROWTH)) if 1.0 < ratio < math.inf else 0
    return [GROWTH ** (k - count) for k in range(count + 1)]


def _primal(p: Array, a: Array, b: Array) -> Array:
    x = np.empty_like(p)
    plans.cut_off(p, a, b, x)
    return x


class _Dual(NamedTuple):
    """The function of the levels that is minimized."""

    p: Array
    rows: Array
    columns: Array

    def solve(self, levels: Levels, enough: float, budget: int) -> tuple[Levels, int]:
        """Levels at which the sums are off by so much of the total, and the steps taken."""
        p, rows, columns = self
        (a, b), best, since, found = levels, math.inf, 0, np.empty(columns.size)
        loops.row_levels(p, b, rows, a)
        loops.row_levels(p.T, a, columns, b)
        mass, size = float(rows.sum()), max(float(p.max()), -float(p.min()))
        most = enough * mass + EPS * size * (rows.size + columns.size)
        kept, steps = levels, Pieces()

        for step in range(budget + 1):  # noqa: B007  (how many is the answer)
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
        """A step from levels where the sums are off by r and c."""
        da, db = _direction(_listed(_primal(self.p, a, b)), r, c, ridge)
        slope = -float(r @ da + c @ db)
        t = self.length(a, b, da, db, slope) if slope < 0.0 else 0.0
        return a + t * da, b + t * db

    def length(self, a: Array, b: Array, da: Array, db: Array, slope: float) -> float:
        """A step at which the function, which is convex, has lost half its slope; 1 at most.

        Slopes keep digits that differences of values lose.
        """
        straight = float(self.rows @ da + self.columns @ db)
        low, high, at_low, at_high, t = 0.0, 1.0, slope, 0.0, 1.0
        for _ in range(TRIALS):
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


def _listed(x: Array) -> Any:
    """Ones where x is not zero, as a sparse matrix where these are few."""
    from scipy.sparse import csr_array

    mask = (x > 0.0).astype(np.float64)
    return csr_array(mask) if np.count_nonzero(mask) < THIN * x.size else mask


def _direction(mask: Any, r: Array, c: Array, ridge: float) -> Levels:
    """The Newton direction: the rows are eliminated, the system of the columns is solved.

    Second derivatives count the entries that are not zero.
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
    """X, changed so that it has these sums: scaled, and what is left in few other entries."""
    clean = CLEAN * float(rows.sum())
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
    return np.asarray(wanted / np.maximum(found, TINY))
