"""Polytopes as linear programs, for comparison with other solvers."""

from __future__ import annotations

from functools import singledispatch
from itertools import permutations, product
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import block_diag
from scipy.optimize import linprog

import frankwolfe as fw
from frankwolfe.core.atoms import Dense


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
def _(region: fw.regions.UnitHypersimplex, n: int) -> Program:
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
def _(region: fw.regions.WeightedL1Ball, n: int) -> Program:
    return _one_row(_signed(n) / np.tile(region.weights, 2), np.inf, region.radius)


def _in_any_order(weights: np.ndarray, radius: float) -> Program:
    """The weights times |x| sum to the radius at most, however they are permuted."""
    orders = np.array(sorted(set(permutations(weights.tolist()))))
    rows = np.hstack([orders, orders])
    n = weights.size
    return Program(_signed(n), np.full(2 * n, np.inf), rows, np.full(len(rows), radius))


@program.register
def _(region: fw.OWLBall, n: int) -> Program:
    return _in_any_order(region.weights, region.radius)


@program.register
def _(region: fw.regions.TopKBall, n: int) -> Program:
    return _in_any_order(np.where(np.arange(n) < region.k, 1.0, 0.0), region.radius)


@program.register
def _(region: fw.regions.TVBall, n: int) -> Program:
    steps, mean = np.diff(np.eye(n), axis=0), np.full((1, n), 1.0 / n)
    signs = np.array(list(product((-1.0, 1.0), repeat=n - 1)))
    rows = np.vstack([signs @ steps, mean, -mean]) @ _signed(n)
    most = np.append(np.full(len(signs), region.radius), [region.level] * 2)
    return Program(_signed(n), np.full(2 * n, region.radius + region.level), rows, most)


@program.register
def _(region: fw.Permutahedron, n: int) -> Program:
    return _one_row(np.array(list(permutations(region.values))).T, np.inf, 1.0, equal=True)


@program.register
def _(region: fw.CappedSimplex, n: int) -> Program:
    written = _one_row(np.eye(n), np.inf, region.total, equal=True)
    return written._replace(high=np.broadcast_to(region.upper, (n,)))


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
def _(region: fw.Polytope, n: int) -> Program:
    given, last = region.constraints, np.append(np.zeros(n), 1.0)
    A = given.A.toarray() if sp.issparse(given.A) else given.A
    lower = np.where(np.isfinite(given.lower), given.lower, -100.0)  # examples are smaller
    sides = [(A, given.high), (-A, -given.low)]
    rows = [np.column_stack([a, a @ lower - 0.0]) for a, _ in sides]
    kept = [np.isfinite(b) for _, b in sides]
    rows = [r[k] for r, k in zip(rows, kept, strict=True)]
    most = [b[k] for (_, b), k in zip(sides, kept, strict=True)]
    return Program(
        np.column_stack([np.eye(n), lower]),
        np.append(given.upper - lower, 1.0),
        np.vstack([*rows, last, -last]),
        np.concatenate([*most, [1.0, -1.0]]),
    )


@program.register
def _(region: fw.regions.IntegerPolytope, n: int) -> Program:
    """The hull of all its points, one by one: examples have few."""
    A, low, high, lower, upper = region.constraints
    assert region.whole.all()
    ranges = [np.arange(a, b + 1.0) for a, b in zip(lower, upper, strict=True)]
    points = np.array(np.meshgrid(*ranges)).reshape(n, -1)
    sums = A @ points
    inside = ((sums <= high[:, None] + 1e-9) & (sums >= low[:, None] - 1e-9)).all(axis=0)
    return _one_row(points[:, inside], np.inf, 1.0, equal=True)


@program.register
def _(region: fw.Product, n: int) -> Program | None:
    each = zip(region.regions, region.sizes, strict=True)
    parts = [program(part, size) for part, size in each]
    if any(part is None for part in parts):
        return None
    return _beside(parts)


def _beside(parts: list[Program]) -> Program:
    lift, high, rows, most = zip(*parts, strict=True)
    return Program(block_diag(*lift), np.concatenate(high), block_diag(*rows), np.concatenate(most))


@program.register(fw.regions.Counted)
@program.register(fw.regions.Cached)
def _(region: fw.regions.Counted | fw.regions.Cached, n: int) -> Program | None:
    return program(region.region, n)


@program.register
def _(region: fw.regions.Scaled, n: int) -> Program | None:
    inner = program(region.region, n)
    return inner and inner._replace(lift=region.factor * inner.lift)


@program.register
def _(region: fw.regions.Shifted, n: int) -> Program | None:
    inner = program(region.region, n)
    if inner is None:
        return None
    one = _one_row(np.eye(1), 1.0, 1.0, equal=True)  # always 1, it carries the offset
    lift = np.column_stack([inner.lift, region.offset])
    return _beside([inner, one])._replace(lift=lift)


@program.register
def _(region: fw.MinkowskiSum, n: int) -> Program | None:
    parts = [program(term, n) for term in region.terms]
    if any(part is None for part in parts):
        return None
    return _beside(parts)._replace(lift=np.hstack([part.lift for part in parts]))


@program.register
def _(region: fw.regions.LinearImage, n: int) -> Program | None:
    inner = program(region.region, region.inner)
    columns = [region._point(Dense(unit)) for unit in np.eye(region.inner)]
    return inner and inner._replace(lift=np.transpose(columns) @ inner.lift)


import graph_programs  # noqa: E402, F401  (they register themselves)
