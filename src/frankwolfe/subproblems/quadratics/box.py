"""A convex quadratic over a box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.clock import Pieces
from frankwolfe.subproblems.kernels import box
from frankwolfe.subproblems.quadratics import solve_definite

__all__ = ["BoxPart", "box_gap", "minimize_over_box"]

MAX_STEPS = 200  # each changes many bounds, and ten are many
MAX_WORK = 1e9  # operations of all steps, about; the caller goes on from the best point
MAX_PIVOTED_SIZE = 500  # variables; above, changing one bound at a time takes too long
HALVINGS = 5  # of a Newton step, before an active-set method takes over
MAX_PIVOTS_PER_VARIABLE = 20  # of the active-set method
SUFFICIENT_DECREASE = 0.1  # of the decrease that the slope promises (Armijo)
MIN_PROGRESS, MAX_STALE_STEPS = 0.9, 10  # ten steps, each leaving more of the best gap: the end
GAP_ROUNDING = 2.0**-54  # of |c| times the widths: a smaller gap is rounding
PIVOTING_RIDGE = 10.0  # times RIDGE for the active-set method: updates of its factor lose a digit
RIDGE = 1e-13  # of the mean curvature: it holds back flat directions


@dataclass(frozen=True)
class BoxPart:
    """The box over a block of its variables, for block-coordinate methods."""

    lower: Array
    upper: Array

    def gap(self, r: Array, x: Array) -> float:
        """Gap <r, x> - min <r, y> over the block's box."""
        return box_gap(r, x, self.lower, self.upper)

    def minimize(self, H: Array, c: Array, x: Array, tolerance: float) -> Array:
        """Minimizer of y'Hy/2 + c'y over the block's box, from x."""
        return minimize_over_box(H, c, self.lower, self.upper, x, tolerance)


def box_gap(r: Array, x: Array, lower: Array, upper: Array) -> float:
    """Gap <r, x> - min <r, y> over the box."""
    return float(np.where(r > 0.0, r * (x - lower), r * (x - upper)).sum())


def minimize_over_box(
    H: Array, c: Array, lower: Array, upper: Array, x: Array, tolerance: float
) -> Array:
    r"""Minimizer of :math:`\frac12 x'Hx + c'x` over lower <= x <= upper.

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
    tolerance = max(tolerance, GAP_ROUNDING * float(np.abs(c) @ (upper - lower)))
    most = max(min(MAX_STEPS, int(MAX_WORK / c.size**3)), 2)
    best, stale, steps = np.inf, 0, Pieces()
    for _ in range(most):
        gap = box_gap(r, x, lower, upper)
        best, stale = (gap, 0) if gap < MIN_PROGRESS * best else (best, stale + 1)
        if not gap > tolerance or stale == MAX_STALE_STEPS or steps.due():
            break
        held = np.where(r > 0.0, x <= lower, x >= upper)
        free = np.flatnonzero(~held)
        ahead = np.zeros_like(x)
        ahead[free] = solve_definite(
            H if free.size == x.size else H[np.ix_(free, free)], -r[free], ridge
        )
        d, change = _projected_step(H, r, x, ahead, lower, upper)
        if d is None:
            if c.size <= MAX_PIVOTED_SIZE:
                pivots = min(MAX_PIVOTS_PER_VARIABLE * c.size, int(MAX_WORK / c.size**2))
                box.minimize(H, c, lower, upper, x, PIVOTING_RIDGE * ridge, tolerance, pivots)
            break
        x = np.clip(x + d, lower, upper)
        r = r + change
    return x


def _projected_step(
    H: Array, r: Array, x: Array, p: Array, lower: Array, upper: Array
) -> tuple[Array | None, Array]:
    """Step d to clip(x + t p) with sufficient decrease, and Hd; None where no trial t has it."""
    t = 1.0
    for _ in range(HALVINGS):
        d = np.clip(x + t * p, lower, upper) - x
        Hd = H @ d
        slope = float(r @ d)
        if slope < 0.0 and slope + 0.5 * float(d @ Hd) <= SUFFICIENT_DECREASE * slope:
            return d, Hd
        t *= 0.5
    return None, r
