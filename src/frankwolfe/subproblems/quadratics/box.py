"""A convex quadratic over a box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.clock import Pieces
from frankwolfe.subproblems.kernels import box
from frankwolfe.subproblems.quadratics import solve_definite

__all__ = ["BoxPart", "box_gap", "minimize_over_box"]

MOST = 200  # steps; each changes many bounds, and ten are many
WORK = 1e9  # operations of all of them, about; the caller goes on from the best point
NARROW = 500  # variables up to which one bound at a time is quick enough
HALVINGS = 5  # of a Newton step, before an active-set method takes over
PIVOTS = 20  # of it for each variable, at most
ENOUGH = 0.1  # of the promised decrease
PROGRESS, STALE = 0.9, 10  # steps that leave more than this share of the gap end the search
EPS = 2.0**-54  # a gap so much smaller than the linear term's is rounding
FLAT = 10.0  # times the ridge for the active-set method, whose factor loses digits by updates
RIDGE = 1e-13  # share of the mean curvature that holds back flat directions


@dataclass(frozen=True)
class BoxPart:
    """A box in some of its variables."""

    lower: Array
    upper: Array

    def gap(self, r: Array, x: Array) -> float:
        return box_gap(r, x, self.lower, self.upper)

    def minimize(self, H: Array, c: Array, x: Array, tolerance: float) -> Array:
        return minimize_over_box(H, c, self.lower, self.upper, x, tolerance)


def box_gap(r: Array, x: Array, lower: Array, upper: Array) -> float:
    """<r, x> minus its minimum over the box."""
    return float(np.where(r > 0.0, r * (x - lower), r * (x - upper)).sum())


def minimize_over_box(
    H: Array, c: Array, lower: Array, upper: Array, x: Array, tolerance: float
) -> Array:
    r"""The x with lower <= x <= upper and the smallest :math:`\frac12 x'Hx + c'x`.

    H is positive semidefinite. Projected Newton steps from `x`: entries on a bound that the
    gradient holds there stay, the others take a Newton step that is bent at the bounds
    (D. P. Bertsekas, *Projected Newton methods for optimization problems with simple
    constraints*, 1982). Where that does not lead down an active-set method takes over. Ends
    where the gap of the linear oracle is at most `tolerance`.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.quadratics.box import minimize_over_box
    >>> H, c = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-4.0, 1.0])
    >>> minimize_over_box(H, c, np.zeros(2), np.ones(2), np.ones(2), 1e-12)
    array([1., 0.])
    """
    x = np.clip(x, lower, upper)
    r: Array = H @ x + c
    least = 1e-6 * float(np.abs(r).max()) / (float((upper - lower).max()) or 1.0)
    ridge = RIDGE * max(float(np.trace(H)) / c.size, least)  # H may be zero (Huber)
    tolerance = max(tolerance, EPS * float(np.abs(c) @ (upper - lower)))
    most = max(min(MOST, int(WORK / c.size**3)), 2)
    best, stale, steps = np.inf, 0, Pieces()
    for _ in range(most):
        gap = box_gap(r, x, lower, upper)
        best, stale = (gap, 0) if gap < PROGRESS * best else (best, stale + 1)
        if not gap > tolerance or stale == STALE or steps.due():
            break
        held = np.where(r > 0.0, x <= lower, x >= upper)
        free = np.flatnonzero(~held)
        ahead = np.zeros_like(x)
        ahead[free] = solve_definite(
            H if free.size == x.size else H[np.ix_(free, free)], -r[free], ridge
        )
        d, change = _bent(H, r, x, ahead, lower, upper)
        if d is None:
            if c.size <= NARROW:
                pivots = min(PIVOTS * c.size, int(WORK / c.size**2))
                box.minimize(H, c, lower, upper, x, FLAT * ridge, tolerance, pivots)
            break
        x = np.clip(x + d, lower, upper)
        r = r + change
    return x


def _bent(
    H: Array, r: Array, x: Array, p: Array, lower: Array, upper: Array
) -> tuple[Array | None, Array]:
    """A step d to clip(x + t p) that leads down, and Hd; no step where none of the t does."""
    t = 1.0
    for _ in range(HALVINGS):
        d = np.clip(x + t * p, lower, upper) - x
        Hd = H @ d
        slope = float(r @ d)
        if slope < 0.0 and slope + 0.5 * float(d @ Hd) <= ENOUGH * slope:
            return d, Hd
        t *= 0.5
    return None, r
