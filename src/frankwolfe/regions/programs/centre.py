"""A point inside a polytope, off every face, and the equations that hold all over it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.regions.programs.highs import Constraints, Solved, solve_once

__all__ = ["Centre", "centre"]

FLAT = 1e-9  # a distance from all faces, in units of the polytope, that is none


class Centre(NamedTuple):
    """The point, how far it is from every face at least, and the constraints.

    Rows and variables that cannot move within the polytope are equations among these.
    """

    x: Array
    depth: float
    constraints: Constraints


def centre(given: Constraints) -> Centre:
    """The centre of a largest ball in the polytope (Chebyshev's), by one program; rarely three."""
    found = _largest_ball(given)
    if found.depth <= FLAT:
        found = _largest_ball(_with_equations(given))
    return found


def _blocks(given: Constraints) -> tuple[Any, Any, Any, Any]:
    """The rows that are equations, and three lists of sides: matrices, levels, lengths.

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
    """Maximize r where a x + |a| r <= b for every side."""
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
    """The same with equality for the sides that no point of the polytope leaves.

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


def _fixed(given: Constraints, tight: Any) -> Constraints:
    """Equality on the sides that are tight, in the order of `_blocks`."""
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
    found = solve_once(program, cost)
    if found.status == "infeasible":  # by less than HiGHS's tolerance, or it would be known
        raise ArithmeticError("a polytope so thin that rounding hides its inside")
    return found
