"""Rigorous lower bound on a linear function over a polytope, from multipliers of the rows."""

from __future__ import annotations

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.regions.programs.highs import LinearProgram

__all__ = ["lower_bound", "of_right_sign"]

UNIT_ROUNDOFF = 2.0**-53  # of double precision


def of_right_sign(y: Array, low: Array, high: Array) -> Array:
    """Multipliers y, set to zero where a row has no bound on their side."""
    y = np.where(np.isfinite(y), y, 0.0)
    y = np.where(np.isneginf(low), np.minimum(y, 0.0), y)
    return np.asarray(np.where(np.isposinf(high), np.maximum(y, 0.0), y))


def lower_bound(program: LinearProgram, box: tuple[Array, Array], cost: Array, y: Array) -> float:
    """Rigorous lower bound on <cost, x> over the points of the polytope within a finite box.

    Any multipliers give one: <cost, x> = <y, Ax> + <cost - A'y, x>, and each term is at least
    what the bounds of its row or variable leave. What rounding may have added is taken off.
    """
    A, low, high, _, _ = program.constraints
    y = of_right_sign(y, low, high)
    levels = np.where(y > 0.0, low, np.where(y < 0.0, high, 0.0))
    reduced = cost - A.T @ y
    ends = np.where(reduced > 0.0, *box)
    far = np.maximum(np.abs(box[0]), np.abs(box[1]))
    size = (np.abs(cost) + program.sizes.T @ np.abs(y)) @ far + np.abs(y) @ np.abs(levels)
    # a sum of k terms is off by k units of roundoff of Σ|terms|; twice, since size is rounded
    terms = A.shape[0] + A.shape[1] + 4
    return float(y @ levels + reduced @ ends - 2.0 * terms * UNIT_ROUNDOFF * size)
