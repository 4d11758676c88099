"""A point inside a polytope, off every face, and the equations that hold all over it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Flags, Matrix
from frankwolfe.regions.programs.highs import Constraints, Solved, solve_once

__all__ = ["Centre", "centre"]

MIN_DEPTH = 1e-9  # radius of the inscribed ball, in units; below, some faces hold everything


class Centre(NamedTuple):
    """Point inside a polytope, its least distance from a face, and the constraints.

    Rows and variables that cannot move within the polytope are equations among these.
    """

    x: Array
    depth: float
    constraints: Constraints


def centre(given: Constraints) -> Centre:
    """Chebyshev centre, of a largest ball in the polytope, by one program; rarely by three."""
    found = _largest_ball(given)
    if found.depth <= MIN_DEPTH:
        found = _largest_ball(_with_equations(given))
    return found


def _blocks(given: Constraints) -> tuple[Matrix, Matrix, Array, Array]:
    """Rows that are equations; and the sides: their matrix, levels b and lengths |a|.

    A side is an inequality a x <= b: of a row, or a bound of a variable that can move.
    """
    from scipy.sparse import csr_array, eye_array, vstack

    A, equal, n = csr_array(given.A), given.equations, given.lower.size
    norms = np.sqrt(np.asarray(A.multiply(A).sum(axis=1)).ravel())
    units, moving = eye_array(n, format="csr"), given.lower < given.upper
    highs, lows = ~equal & np.isfinite(given.high), ~equal & np.isfinite(given.low)
    uppers, lowers = moving & np.isfinite(given.upper), moving & np.isfinite(given.lower)
    sides = vstack([A[highs], -A[lows], units[uppers], -units[lowers]], format="csr")
    levels = (given.high[highs], -given.low[lows], given.upper[uppers], -given.lower[lowers])
    ones = np.ones(int(uppers.sum() + lowers.sum()))
    lengths = np.concatenate([norms[highs], norms[lows], ones])
    return A[equal], sides, np.concatenate(levels), lengths


def _largest_ball(given: Constraints) -> Centre:
    """Maximize the radius r subject to a x + |a| r <= b for every side."""
    from scipy.sparse import csc_array, hstack, vstack

    equations, sides, levels, lengths = _blocks(given)
    if not levels.size:
        return Centre(_solved(given, np.zeros(given.lower.size)).x, 0.0, given)
    k, n = equations.shape[0], given.lower.size
    A = vstack([equations, sides]).tocsc()
    last = csc_array(np.concatenate([np.zeros(k), lengths])[:, None])
    exact = given.high[given.equations]
    program = Constraints(
        hstack([A, last], format="csc"),
        np.concatenate([exact, np.full(levels.size, -np.inf)]),
        np.concatenate([exact, levels]),
        np.append(given.lower, 0.0),
        np.append(given.upper, 1e3),
    )
    found = _solved(program, -np.eye(1, n + 1, n)[0])
    return Centre(found.x[:n], float(found.x[n]), given)


def _with_equations(given: Constraints) -> Constraints:
    """Constraints with equality on the sides that no point of the polytope leaves.

    A point x / c with c >= 1 that keeps away from as many sides as possible keeps away from all
    that any does: maximize the sum of t where a x + t <= b c and 0 <= t <= 1.
    """
    from scipy.sparse import block_array, csc_array, eye_array

    equations, sides, levels, _ = _blocks(given)
    exact = given.high[given.equations]
    moving = given.lower < given.upper
    fixed = np.where(moving, 0.0, given.lower)
    held = eye_array(given.lower.size, format="csr")[~moving]
    k, m, n = exact.size, levels.size, given.lower.size
    A = block_array(
        [
            [equations, None, csc_array(-exact[:, None])],
            [held, None, csc_array(-fixed[~moving][:, None])],
            [sides, eye_array(m), csc_array(-levels[:, None])],
        ],
        format="csc",
    )
    zero = np.zeros(k + int((~moving).sum()))
    program = Constraints(
        A,
        np.concatenate([zero, np.full(m, -np.inf)]),
        np.zeros(zero.size + m),
        np.concatenate([np.full(n, -np.inf), np.zeros(m), [1.0]]),
        np.concatenate([np.full(n, np.inf), np.ones(m), [np.inf]]),
    )
    found = _solved(program, np.concatenate([np.zeros(n), -np.ones(m), [0.0]]))
    return _fixed(given, found.x[n : n + m] < 0.5)


def _fixed(given: Constraints, tight: Flags) -> Constraints:
    """Constraints with equality on the tight sides, which are in the order of `_blocks`."""
    low, high, lower, upper = (
        np.array(side) for side in (given.low, given.high, given.lower, given.upper)
    )
    equal, moving = given.equations, given.lower < given.upper
    ends = [
        (~equal & np.isfinite(given.high), low, high),
        (~equal & np.isfinite(given.low), high, low),
        (moving & np.isfinite(given.upper), lower, upper),
        (moving & np.isfinite(given.lower), upper, lower),
    ]
    begin = 0
    for which, other, end in ends:
        places = np.flatnonzero(which)
        held = places[tight[begin : begin + places.size]]
        other[held] = end[held]
        begin += places.size
    return Constraints(given.A, low, high, lower, upper)


def _solved(program: Constraints, cost: Array) -> Solved:
    """Solution of a program that is feasible but for rounding."""
    found = solve_once(program, cost)
    if found.status == "infeasible":  # by less than HiGHS's tolerance, or it would be known
        raise ArithmeticError("a polytope so thin that rounding hides its inside")
    return found
