"""Points that satisfy the constraints, near ones that nearly do."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frankwolfe.core.problem import Problem
from frankwolfe.numerics.affine import Affine
from frankwolfe.numerics.affine_cells import CellAffine
from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.low_rank import FactoredMatrix
from frankwolfe.regions import Box, L1Ball, Simplex, UnitSimplex
from frankwolfe.solver.result import Result

__all__ = ["feasible_point"]

ROUNDING = 1e-11  # of the largest row: so little is not a violation
TIMES = 6  # corrections
LARGE = 20_000_000  # entries of the rows at atoms, at most


class Made(NamedTuple):
    """x as columns times weights, with bounds on these; their sum is kept where `summed`."""

    columns: Any
    weights: Array
    least: Array
    most: Array
    summed: bool


def feasible_point(problem: Problem, rows: Affine, result: Result) -> Any:
    """A point of the region under the constraints, or None where none is known near by.

    Semidefinite matrices whose diagonal is given are scaled. Where x is made of vertices or of
    coordinates, its weights are changed as little as the constraints ask for.
    """
    x = result.x
    if _holds(rows, x):
        return x
    if problem.objective.matrix:
        return _with_diagonal(problem, rows, x)
    made = _made(problem.region, result)
    if made is None or made.weights.size * rows.rows > LARGE:
        return None
    weights = _corrected(rows, made)
    if weights is None:
        return None
    found = np.asarray(made.columns @ weights)
    return found if _holds(rows, found) else None


def _holds(rows: Affine, x: Any) -> bool:
    """Whether the constraints hold up to rounding."""
    w = rows.apply(x)
    size = max(float(np.abs(w).max()), rows.size)
    return float(np.abs(rows.beyond(w)).max()) <= ROUNDING * size


def _with_diagonal(problem: Problem, rows: Affine, x: FactoredMatrix) -> FactoredMatrix | None:
    """D X D with the diagonal that is asked for, where that is all that is asked for."""
    form, n = problem.region.factoring, x.shape[0]
    if form is None or not form.symmetric or not rows.equalities or rows.rows != n:
        return None
    assert isinstance(rows, CellAffine)
    if not np.array_equal(rows.keys, (n + 1) * np.arange(n)) or rows.small.nnz != n:
        return None
    wanted = np.empty(n)
    wanted[rows.small.indices] = rows.lower / rows.small.data
    there = (x.weights[:, None] * x.left * x.right).sum(axis=0)
    total, rounding = float(wanted.sum()), 1e-12 * form.most
    fits = abs(total - form.most) <= rounding if form.exact else total <= form.most + rounding
    if not fits or not (wanted >= 0.0).all() or not (there > 0.0).all():
        return None
    factor = np.sqrt(wanted / there)
    return FactoredMatrix(x.left * factor, x.weights, x.right * factor)


def _made(region: Any, result: Result) -> Made | None:
    """What x is made of; None where that is not known."""
    x, atoms = result.x, result.active_set
    if atoms is not None and len(atoms):
        if len(atoms) * x.size > LARGE:
            return None
        columns = np.column_stack([atom.dense(x.size) for _, atom in atoms])
        return _convex(columns, atoms.weights.copy())
    if isinstance(region, Box):
        least, most = (np.broadcast_to(side, x.shape) for side in (region.lower, region.upper))
        return Made(_unit(x.size, np.arange(x.size), np.ones(x.size)), x, least, most, False)
    if isinstance(region, (Simplex, UnitSimplex, L1Ball)):
        used = np.flatnonzero(x)
        columns = _unit(x.size, used, np.sign(x[used]))
        weights = np.abs(x[used])
        if not isinstance(region, Simplex):  # zero is a point of the region
            import scipy.sparse as sp

            columns = sp.hstack([columns, sp.csr_array((x.size, 1))]).tocsr()
            weights = np.append(weights, max(float(region.radius) - float(weights.sum()), 0.0))
        return _convex(columns, weights)
    return None


def _unit(n: int, places: Any, values: Array) -> Any:
    import scipy.sparse as sp

    return sp.csr_array((values, (places, np.arange(len(places)))), shape=(n, len(places)))


def _convex(columns: Any, weights: Array) -> Made:
    return Made(columns, weights, np.zeros_like(weights), np.full_like(weights, np.inf), True)


def _corrected(rows: Affine, made: Made) -> Array | None:
    """Weights that satisfy the constraints: the nearest, in units of their room, or by HiGHS."""
    at = rows.matrix @ made.columns
    at = at.toarray() if hasattr(at, "toarray") else np.asarray(at)
    found = _moved(rows, made, at, made.weights)
    if found is None:
        other = _by_program(rows, made, at)
        found = None if other is None else _moved(rows, made, at, other)
    return found


def _moved(rows: Affine, made: Made, at: Array, weights: Array) -> Array | None:
    """A few least-squares corrections; None where a weight would leave its bounds."""
    tight = np.zeros(rows.rows, dtype=bool)
    weights = weights.copy()
    for _ in range(TIMES):
        w = at @ weights
        off = rows.beyond(w)
        new = np.abs(off) > 0.1 * ROUNDING * max(float(np.abs(w).max()), rows.size)
        if not new.any():
            return weights
        tight |= new
        room = np.minimum(weights - made.least, made.most - weights)
        lines, right = at[tight], -off[tight]
        if made.summed:
            lines, right = np.vstack([lines, np.ones(weights.size)]), np.append(right, 0.0)
        step = room * np.linalg.lstsq(lines * room, right, rcond=1e-12)[0]
        weights = weights + step
        if (weights < made.least).any() or (weights > made.most).any():
            return None
    return weights


def _by_program(rows: Affine, made: Made, at: Array) -> Array | None:
    """Weights that change least in sum, by a linear program."""
    from scipy.optimize import LinearConstraint, milp

    k, start = made.weights.size, made.weights
    there = at @ start
    both = np.hstack([at, -at])
    within = [LinearConstraint(both, rows.lower - there, rows.upper - there)]
    if made.summed:
        within.append(LinearConstraint(np.append(np.ones(k), -np.ones(k))[None, :], 0.0, 0.0))
    most = np.append(made.most - start, start - made.least)
    solved = milp(np.ones(2 * k), constraints=within, bounds=(0.0, most))
    if solved.x is None:
        return None
    found: Array = np.clip(start + solved.x[:k] - solved.x[k:], made.least, made.most)
    return found
