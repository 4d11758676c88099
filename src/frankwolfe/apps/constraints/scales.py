"""The scales of a problem under constraints: of f, of the penalty, and of the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frankwolfe.apps.constraints.formulation import Formulation
from frankwolfe.apps.constraints.policy import POLICY
from frankwolfe.base import Point, frobenius

__all__ = ["Scales", "measured"]

MIN_SQUARED_LENGTH = 1e-150  # a shorter length has no square in double precision


class Scales(NamedTuple):
    """The scales of a problem at a start."""

    change: float  # of the tangent at the start, over the region
    objective_range: float  # the same, above zero
    penalty: float  # the first: f over the square of a row
    unit: float  # of the rows


def measured(formulation: Formulation, x: Point) -> Scales:
    """The scales at x, by the ends of the tangent of f on the region."""
    f, region, rows = formulation.problem.objective, formulation.problem.region, formulation.rows
    g = f.grad(x)
    ends, there = zip(*(formulation.extreme(g, sign) for sign in (1.0, -1.0)), strict=True)
    change = ends[1] - ends[0]
    objective_range = max(change, POLICY.unchanged_range * abs(f(x))) or 1.0  # f = 0 has no unit
    off, across = rows.excess(x), there[1] - there[0]
    diameter = region.diameter(f.shape)  # no row, of the norm one, changes by more
    widest = max(float(np.abs(part).max()) for part in (*there, rows.apply(x), off))
    unit = max(rows.size, POLICY.min_unit * widest) if rows.size else widest
    # rows that are zero at all these points may still be as large as the region
    unit = unit or diameter or 1.0
    seen = max(frobenius(across), frobenius(off)) or diameter
    width = max(seen, POLICY.min_row_change * diameter, POLICY.unchanged_row * unit)
    penalty = 2.0 * objective_range / max(width, MIN_SQUARED_LENGTH) ** 2
    return Scales(change, objective_range, penalty, unit)
