r"""The nearest point under constraints, where the region alone knows its nearest points.

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
from frankwolfe.base.arrays import Array
from frankwolfe.core.problem import Problem
from frankwolfe.regions import Region

__all__ = ["Start", "start_of_nearest"]

STEPS, CLOSE = 500, 1e-12
FEW = 100  # rows that bind, up to which equations for their multipliers are solved
EPS = 2.0**-52


class Start(NamedTuple):
    """Multipliers, and the point that is least for them."""

    multipliers: Array
    x: Array


def start_of_nearest(problem: Problem, rows: Affine, due: Callable[[], bool]) -> Start | None:
    """Where rounds may begin; None where f is no squared distance, or nothing projects at once.

    It ends with what it has where it is `due`.
    """
    f, region = problem.objective, problem.region
    distance = None if f.matrix else f.distance_to()
    if distance is None or not region.offers(Region.project) or region.iterates_to_project:
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
        options={"maxiter": STEPS, "ftol": 0.0, "gtol": CLOSE},
    )
    y = dual.multipliers(dual.unit * _polished(dual, found.x, due))
    x = dual.point(y)
    # where nothing satisfies the rows, y grows without end, and rounding with it
    near = problem.nearness
    fine = dual.lost(y) <= near * problem.diameter and region.violation(x) <= near
    return Start(y, x) if fine else None


def _polished(dual: _Dual, z: Array, due: Callable[[], bool]) -> Array:
    """z, or one that comes nearer: where the dual's values no longer differ, its slopes still do.

    The rows that bind are equations for their multipliers.
    """
    from scipy.optimize import root

    held = dual.least_z < z
    if not 0 < np.count_nonzero(held) <= FEW:
        return z

    def slopes(part: Array) -> Array:
        if due():
            raise TimeoutError
        there = z.copy()
        there[held] = part
        return dual(there)[1][held]

    near = z.copy()
    try:
        near[held] = root(slopes, z[held], tol=CLOSE).x
    except TimeoutError:
        return z
    near = np.maximum(near, dual.least_z)
    return near if dual.off(near) < dual.off(z) else z


class _Dual:
    """Minus the dual function by equations, upper bounds and lower bounds, in units of its own.

    Its variables are z = y/c over `unit`, and it is divided by the square of that: the search
    begins with a step of a length that has no unit.
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
        """One for each row."""
        y = np.zeros(self.rows.rows)
        free, above, below = np.split(z, np.cumsum([self.free.size, self.above.size]))
        y[self.free] = free
        y[self.above] += above
        y[self.below] -= below
        return self.c * y

    def off(self, z: Array) -> float:
        """How far z is from a stationary point; NaN where it is no number."""
        return float(np.abs(z - np.maximum(z - self(z)[1], self.least_z)).max())

    def lost(self, y: Array) -> float:
        """How far rounding alone may move the point; NaN where there is none."""
        return EPS * float(np.abs(self.rows.covector(y)).max()) / self.c

    def point(self, y: Array) -> Array:
        """The nearest point of the region to p - A'y/c."""
        found = self.problem.region.project(self.p - self.rows.covector(y) / self.c)
        assert found is not None
        return found.x

    def __call__(self, z: Array) -> tuple[float, Array]:
        x, unit = self.point(self.multipliers(self.unit * z)), self.unit
        w = self.rows.apply(x)
        off = np.concatenate([w[self.free], w[self.above], -w[self.below]]) - self.ends
        away = x - self.p
        return -(0.5 * float(away @ away) / unit**2 + float(z @ off) / unit), -off / unit
