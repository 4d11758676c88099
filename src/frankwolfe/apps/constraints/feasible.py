"""Feasible points near points that are nearly feasible."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.affine_cells import CellAffine
from frankwolfe.apps.constraints.policy import POLICY
from frankwolfe.base import Array, Matrix, Pieces, Point, power, seconds_left
from frankwolfe.core import FactoredMatrix, Problem, as_columns
from frankwolfe.regions import Region
from frankwolfe.solver import Result

__all__ = ["feasible_point", "holds", "with_diagonal"]


class Made(NamedTuple):
    """A point as center + columns @ weights, for weights with bounds and fixed sums."""

    columns: Matrix
    weights: Array
    least: Array
    most: Array
    sums: Array
    totals: Array
    center: Array | None

    def point(self, weights: Array) -> Array:
        """The point with other weights."""
        x = np.asarray(self.columns @ weights)
        return x if self.center is None else x + self.center


def feasible_point(problem: Problem, rows: Affine, result: Result) -> Point:
    """A feasible vector of the region near that of a result; None if none was found.

    Where x is made of vertices or of coordinates, its weights are changed as little as the
    constraints ask for.
    """
    if holds(rows, result.x):
        return result.x
    made = _made(problem.region, result)
    if made is None or made.weights.size * rows.rows > POLICY.max_row_entries:
        return None
    weights = _corrected(rows, made)
    if weights is None:
        return None
    found = made.point(weights)
    return found if holds(rows, found) else None


def holds(rows: Affine, x: Point) -> bool:
    """True if the constraints hold up to rounding."""
    w = rows.apply(x)
    return float(np.abs(rows.beyond(w)).max()) <= POLICY.violation_rounding * _size(rows, x, w)


def _size(rows: Affine, x: Point, w: Array) -> float:
    """The size to which rounding is relative: rows, bounds, and terms that cancel in a row."""
    terms = 0.0 if isinstance(x, FactoredMatrix) else POLICY.cancellation * float(np.linalg.norm(x))
    return max(float(np.abs(w).max()), rows.size, terms)


def with_diagonal(region: Region, rows: CellAffine, x: FactoredMatrix) -> FactoredMatrix | None:
    """Scale X to D X D with a given diagonal, if that is all that the constraints ask for."""
    form, n = region.factoring, x.shape[0]
    if form is None or not form.symmetric or not rows.equalities or rows.rows != n:
        return None
    if not np.array_equal(rows.keys, (n + 1) * np.arange(n)) or rows.small.nnz != n:
        return None
    wanted = np.empty(n)
    wanted[rows.small.indices] = rows.lower / rows.small.data
    there = (x.weights[:, None] * x.left * x.right).sum(axis=0)
    total, rounding = float(wanted.sum()), POLICY.trace_rounding * form.most
    fits = abs(total - form.most) <= rounding if form.exact else total <= form.most + rounding
    if not fits or not (wanted >= 0.0).all() or not (there > 0.0).all():
        return None
    factor = np.sqrt(wanted / there)
    return FactoredMatrix(x.left * factor, x.weights, x.right * factor)


def _made(region: Region, result: Result) -> Made | None:
    """The point by the weights of its atoms, or by coefficients of the standard form."""
    x, atoms = result.x, result.active_set
    if atoms is None or not 0 < len(atoms) * x.size <= POLICY.max_row_entries:
        return _in_frame(region, x)
    columns = np.column_stack([atom.dense(x.size) for _, atom in atoms])
    k = len(atoms)
    sides = np.zeros(k), np.full(k, np.inf)
    return Made(columns, atoms.weights.copy(), *sides, np.ones((1, k)), np.ones(1), None)


def _in_frame(region: Region, x: Array) -> Made | None:
    """Coefficients of x in a region of bounds and sums; None for other regions."""
    boxlike = region.entry_bounds is not None
    narrow = x.size <= POLICY.max_frame_variables or boxlike or region.sparse_atoms
    formulation = region.formulation if narrow else None
    frame = None if formulation is None else formulation.standard_form(x.size)
    if frame is None or frame.balls:
        return None
    points, plan = as_columns(frame.atoms, x.size), frame.plan
    free = x if frame.center is None else x - frame.center
    lengths = np.asarray((points * points).sum(axis=0))
    values = np.asarray(points.T @ free) / np.where(lengths > 0.0, lengths, 1.0)
    two = plan.minus >= 0
    y = np.zeros(plan.size)
    y[plan.plus] = np.where(two, np.maximum(values, 0.0), values)
    y[plan.minus[two]] = np.maximum(-values[two], 0.0)
    slack, sums = plan.slack, frame.equations
    if slack.size:
        left = frame.totals - sums @ y
        y[slack] = np.linalg.lstsq(sums[:, slack], left, rcond=None)[0]
    y = np.clip(y, frame.lower, frame.upper)
    terms = np.abs(free) + abs(points) @ np.abs(values)
    if (
        np.abs(points @ values - free) > POLICY.violation_rounding * max(float(terms.max()), 0.0)
    ).any():
        return None  # its atoms are others
    columns = points @ plan.matrix()
    return Made(columns, y, frame.lower, frame.upper, sums, frame.totals, frame.center)


def _corrected(rows: Affine, made: Made) -> Array | None:
    """Weights that satisfy the constraints: nearest in units of their slack, or by HiGHS."""
    at = rows.matrix @ made.columns
    at = at.toarray() if hasattr(at, "toarray") else np.asarray(at)
    first = 0.0 if made.center is None else rows.apply(made.center)
    found = _moved(rows, made, at, first, made.weights)
    if found is None:
        other = _by_program(rows, made, at, first)
        found = None if other is None else _moved(rows, made, at, first, other)
    return found


def _moved(
    rows: Affine, made: Made, at: Array, first: Array | float, weights: Array
) -> Array | None:
    """Weights after a few least-squares corrections; None if these do not suffice."""
    tight = np.zeros(rows.rows, dtype=bool)
    weights, steps, unit = weights.copy(), Pieces(), _size_of(weights)
    least = POLICY.corrected * POLICY.violation_rounding
    for _ in range(POLICY.max_corrections):
        w = at @ weights + first
        off = rows.beyond(w)
        new = np.abs(off) > least * _size(rows, made.point(weights), w)
        left = made.totals - made.sums @ weights
        rounding = POLICY.sum_rounding * np.abs(made.sums) @ np.abs(weights)
        if not new.any() and (np.abs(left) <= rounding).all():
            return weights
        if steps.due():
            return None
        tight |= new
        room = np.minimum(weights - made.least, made.most - weights)
        lines = np.vstack([at[tight], made.sums])
        right = np.concatenate([-off[tight], left])
        units = np.where(np.isfinite(room), room, unit)
        lines = lines * units
        lengths = np.linalg.norm(lines, axis=1)  # rows and sums have units of their own
        each = np.where(lengths > 0.0, lengths, 1.0)
        step = np.linalg.lstsq(lines / each[:, None], right / each, rcond=POLICY.dependent)[0]
        weights = weights + units * step
        if (weights < made.least).any() or (weights > made.most).any():
            return None
    return None


def _by_program(rows: Affine, made: Made, at: Array, first: Array | float) -> Array | None:
    """Feasible weights with the least change in the 1-norm, by a linear program.

    It is solved in units of the weights and of the rows, since the tolerances of HiGHS are
    absolute.
    """
    from scipy.optimize import LinearConstraint, milp

    k, start = made.weights.size, made.weights
    there, unit, step = at @ start + first, _size_of(at), _size_of(start)
    sides = ((bound - there) / unit / step for bound in (rows.lower, rows.upper))
    within = [LinearConstraint(np.hstack([at, -at]) / unit, *sides)]
    if made.totals.size:
        within.append(LinearConstraint(np.hstack([made.sums, -made.sums]), 0.0, 0.0))
    most = np.append(made.most - start, start - made.least) / step
    left = seconds_left()
    if left <= 0.0:
        return None
    options = {"time_limit": left} if left < math.inf else {}
    solved = milp(np.ones(2 * k), constraints=within, bounds=(0.0, most), options=options)
    if solved.x is None:
        return None
    move = step * (solved.x[:k] - solved.x[k:])
    found: Array = np.clip(start + move, made.least, made.most)
    return found


def _size_of(numbers: Array) -> float:
    """Power of two near the largest number; 1 if all are zero."""
    return power(float(np.abs(numbers).max(initial=0.0)))
