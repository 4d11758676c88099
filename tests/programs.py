"""Polytopes as linear programs, for comparison with other solvers."""

from __future__ import annotations

from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import block_diag
from scipy.optimize import linprog

import frankwolfe as fw


def peers_value(f: fw.Objective, region: fw.Region, x: np.ndarray) -> float:
    """What f is at another solver's point, once that lies in the region.

    It may be a little outside, where f may be below its minimum. It is pulled toward the middle,
    no further than ten times as far as it must, or, where the region has no inside, f is raised by
    what it may have gained on the way.
    """
    x = np.asarray(x, dtype=float)
    if isinstance(region, fw.Simplex) and not isinstance(region, fw.UnitSimplex):
        positive = np.maximum(x, 0.0)
        return f(positive * (region.scale / positive.sum()))
    middle = region.middle(x.size)
    for share in (0.0, *np.geomspace(1e-15, 1e-5, 11)):
        nearer = x + share * (middle - x)
        if region.violation(nearer) <= 1e-15:
            return f(nearer)
    outside = region.violation(x)
    assert outside <= 1e-6, f"the other solver's point is outside by {outside}"
    return f(x) + float(np.abs(f.grad(x)).sum()) * outside * region.diameter(x.size)


SHARP = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


class Program(NamedTuple):
    """All x = lift y with 0 <= y <= high and rows y <= most."""

    lift: np.ndarray
    high: np.ndarray
    rows: np.ndarray
    most: np.ndarray

    def minimum(self, g: np.ndarray) -> float:
        """The smallest <g, x>, by scipy."""
        rows, most = (self.rows, self.most) if self.most.size else (None, None)
        bounds = [(0.0, high) for high in self.high]
        best = linprog(self.lift.T @ g, A_ub=rows, b_ub=most, bounds=bounds, options=SHARP)
        assert best.status == 0
        return float(best.fun)

    def constraints(self, cp: Any, x: Any) -> list[Any]:
        """The same for cvxpy."""
        y = cp.Variable(self.lift.shape[1])
        finite = np.isfinite(self.high)
        limits = [y[finite] <= self.high[finite]] if finite.any() else []
        rows = [self.rows @ y <= self.most] if self.most.size else []
        return [x == self.lift @ y, y >= 0, *limits, *rows]


def _one_row(lift: np.ndarray, high: float, total: float, *, equal: bool = False) -> Program:
    """y <= high, and a sum that is at most, or equal to, `total`."""
    count = lift.shape[1]
    rows, most = np.ones((1, count)), np.array([total])
    if equal:
        rows, most = np.vstack([rows, -rows]), np.append(most, -total)
    return Program(lift, np.full(count, high), rows, most)


def _signed(n: int) -> np.ndarray:
    """x as a difference of two vectors >= 0."""
    return np.hstack([np.eye(n), -np.eye(n)])


@singledispatch
def program(region: fw.Region, n: int) -> Program | None:
    """The region in n variables as a linear program; None where none is written here."""
    return None


@program.register
def _(region: fw.L1Ball, n: int) -> Program | None:
    return None if region.center is not None else _one_row(_signed(n), np.inf, region.radius)


@program.register
def _(region: fw.LInfBall, n: int) -> Program | None:
    return None if region.center is not None else program(fw.Box(-region.radius, region.radius), n)


@program.register
def _(region: fw.KSparse, n: int) -> Program:
    return _one_row(_signed(n), region.radius, region.k * region.radius)


@program.register
def _(region: fw.Simplex, n: int) -> Program:
    return _one_row(np.eye(n), np.inf, region.scale, equal=True)


@program.register
def _(region: fw.UnitSimplex, n: int) -> Program:
    return _one_row(np.eye(n), np.inf, region.scale)


@program.register
def _(region: fw.Hypersimplex, n: int) -> Program:
    return _one_row(np.eye(n), region.scale, region.k * region.scale, equal=True)


@program.register
def _(region: fw.UnitHypersimplex, n: int) -> Program:
    return _one_row(np.eye(n), region.scale, region.k * region.scale)


@program.register
def _(region: fw.Box, n: int) -> Program:
    low, high = np.broadcast_to(region.lower, n), np.broadcast_to(region.upper, n)
    last = np.append(np.zeros(n), 1.0)  # one more variable, always 1, carries the lower bounds
    rows = np.vstack([last, -last])
    return Program(
        np.column_stack([np.eye(n), low]), np.append(high - low, 1.0), rows, np.array([1.0, -1.0])
    )


@program.register
def _(region: fw.Birkhoff, n: int) -> Program:
    ones, units = np.ones((1, region.n)), np.eye(region.n)
    sums = np.vstack([np.kron(units, ones), np.kron(ones, units)])  # of rows, of columns
    most = np.ones(len(sums))
    return Program(
        np.eye(n), np.full(n, np.inf), np.vstack([sums, -sums]), np.concatenate([most, -most])
    )


@program.register
def _(region: fw.Transport, n: int) -> Program:
    rows, columns = region.shape
    sums = np.vstack(
        [np.kron(np.eye(rows), np.ones((1, columns))), np.kron(np.ones((1, rows)), np.eye(columns))]
    )
    most = np.concatenate([region.a, region.b])
    return Program(
        np.eye(n), np.full(n, np.inf), np.vstack([sums, -sums]), np.concatenate([most, -most])
    )


@program.register
def _(region: fw.ConvexHull, n: int) -> Program:
    points = [region.point(i) for i in range(region.count)]
    return _one_row(np.transpose(points), np.inf, 1.0, equal=True)


@program.register
def _(region: fw.Product, n: int) -> Program | None:
    each = zip(region.regions, region.sizes, strict=True)
    parts = [program(part, size) for part, size in each]
    if any(part is None for part in parts):
        return None
    lift, high, rows, most = zip(*parts, strict=True)
    return Program(block_diag(*lift), np.concatenate(high), block_diag(*rows), np.concatenate(most))
