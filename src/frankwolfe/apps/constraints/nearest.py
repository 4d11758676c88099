r"""Projection under constraints, for regions that can project: by the dual in the multipliers.

For :math:`f = \frac c2 \|x - p\|^2` and multipliers y the Lagrangian has its least value over the
region at :math:`x(y) = P(p - A'y/c)`, so that the dual is a smooth concave function of as many
variables as there are rows, however many x has. Quasi-Newton steps of SciPy's (L-BFGS-B) find its
largest value, with y split in two parts >= 0 where a row has sides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.policy import POLICY
from frankwolfe.base import Array
from frankwolfe.core import Problem

__all__ = ["Start", "start_of_nearest"]

EPS = 2.0**-52  # machine epsilon of double precision


class Start(NamedTuple):
    """Multipliers y, and the minimizer x(y) of the Lagrangian."""

    multipliers: Array
    x: Array


def start_of_nearest(problem: Problem, rows: Affine, due: Callable[[], bool]) -> Start | None:
    """A start for rounds; None unless f is a squared distance and the region projects at once.

    The search stops early when it is `due`.
    """
    f, region = problem.objective, problem.region
    distance = None if f.matrix else f.distance_to()
    if distance is None or region.projection is None or region.projection.iterates:
        return None
    from scipy.optimize import Bounds, minimize

    def watch(_: Array) -> None:
        if due():
            raise StopIteration

    dual = _Dual(problem, rows, *distance)
    found = minimize(
        *(dual, np.zeros(dual.size)),
        jac=True,
        method="L-BFGS-B",
        callback=watch,
        bounds=Bounds(dual.least_z),
        options={"maxiter": POLICY.dual_steps, "ftol": 0.0, "gtol": POLICY.dual_tol},
    )
    y = dual.multipliers(dual.unit * _polished(dual, found.x, due))
    x = dual.point(y)
    # in an infeasible problem y grows without end, and the rounding of A'y with it
    near = problem.nearness
    fine = dual.lost(y) <= near * problem.diameter and region.violation(x) <= near
    return Start(y, x) if fine else None


def _polished(dual: _Dual, z: Array, due: Callable[[], bool]) -> Array:
    """z, improved by Newton-like steps on the slopes of the rows that bind.

    Slopes still differ where the dual's values are equal to rounding.
    """
    from scipy.optimize import root

    held = dual.least_z < z
    if not 0 < np.count_nonzero(held) <= POLICY.max_binding_rows:
        return z

    def slopes(part: Array) -> Array:
        if due():
            raise TimeoutError
        there = z.copy()
        there[held] = part
        return dual(there)[1][held]

    near = z.copy()
    try:
        near[held] = root(slopes, z[held], tol=POLICY.dual_tol).x
    except TimeoutError:
        return z
    near = np.maximum(near, dual.least_z)
    return near if dual.off(near) < dual.off(z) else z


class _Dual:
    """Minus the dual function, of multipliers of equations, upper and lower bounds.

    Its variables are z = y / (c unit), and it is divided by unit^2: so the length of the search's
    first step does not depend on units.
    """

    def __init__(self, problem: Problem, rows: Affine, p: Array, c: float) -> None:
        self.problem, self.rows, self.p, self.c = problem, rows, p.astype(np.float64), c
        equal = rows.lower == rows.upper
        self.free = np.flatnonzero(equal)
        self.above = np.flatnonzero(~equal & np.isfinite(rows.upper))
        self.below = np.flatnonzero(~equal & np.isfinite(rows.lower))
        self.size = self.free.size + self.above.size + self.below.size
        self.ends = np.concatenate(
            [rows.upper[self.free], rows.upper[self.above], -rows.lower[self.below]]
        )
        self.least_z = np.zeros(self.size)
        self.least_z[: self.free.size] = -np.inf
        self.unit = max(rows.size, float(np.abs(rows.apply(self.p)).max())) or 1.0

    def multipliers(self, z: Array) -> Array:
        """The multipliers y of the rows, by z."""
        y = np.zeros(self.rows.rows)
        free, above, below = np.split(z, np.cumsum([self.free.size, self.above.size]))
        y[self.free] = free
        y[self.above] += above
        y[self.below] -= below
        return self.c * y

    def off(self, z: Array) -> float:
        """Distance |z - proj(z - grad)|_inf from a stationary point; it may be NaN."""
        return float(np.abs(z - np.maximum(z - self(z)[1], self.least_z)).max())

    def lost(self, y: Array) -> float:
        """Bound on the error of x(y) by the rounding of A'y; it may be NaN."""
        return EPS * float(np.abs(self.rows.covector(y)).max()) / self.c

    def point(self, y: Array) -> Array:
        """The nearest point of the region to p - A'y/c."""
        projection = self.problem.region.projection
        assert projection is not None
        return projection.project(self.p - self.rows.covector(y) / self.c).x

    def __call__(self, z: Array) -> tuple[float, Array]:
        x, unit = self.point(self.multipliers(self.unit * z)), self.unit
        w = self.rows.apply(x)
        off = np.concatenate([w[self.free], w[self.above], -w[self.below]]) - self.ends
        away = x - self.p
        return -(0.5 * float(away @ away) / unit**2 + float(z @ off) / unit), -off / unit
