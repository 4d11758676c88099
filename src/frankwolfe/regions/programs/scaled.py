"""Scaling of polytopes to units in which their numbers are about one, as solvers like them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Flags
from frankwolfe.base.checks import is_sparse
from frankwolfe.base.errors import InvalidInput
from frankwolfe.regions.programs.extent import implied, largest, unit
from frankwolfe.regions.programs.highs import Basis, Constraints, LinearProgram

__all__ = ["ScaledRows", "scaled"]

EXTENT_MARGIN = 1e-6  # relative; bounds found by a program move outward by its tolerance
FAR_BOUND_RATIO = 2.0**20  # of the sides of rows; in units of such bounds rows drown in tolerances
SOLVER_INFINITY = 1e20  # HiGHS takes numbers from here on for no bound


class UnboundedPolytope(InvalidInput):
    """Error for a polytope that is not bounded."""


class ScaledRows(NamedTuple):
    """Polytope in units, x = units * y, with finite bounds of y and a vertex to start from."""

    program: LinearProgram  # in y
    units: Array
    lower: Array
    upper: Array
    home: Basis
    vertex: Array


def scaled(given: Constraints, whole: Flags | None = None) -> ScaledRows:
    """Scale a polytope, and check that it is bounded and not empty; `whole` ones keep unit 1.

    Bounds that are far out say little where rows hold the variables without them.
    """
    made = _held_by_rows(given, whole)
    if made is not None:
        return made
    if whole is not None:
        _countable(given, whole)
    return _scaled(given, whole)


def _held_by_rows(given: Constraints, whole: Flags | None) -> ScaledRows | None:
    """Scaled polytope without far bounds; None where there are none, or where one counts."""
    near = _without_far(given)
    if near is None:
        return None
    try:
        made = _scaled(near, whole)
    except UnboundedPolytope:
        return None
    lower, upper = made.lower * made.units, made.upper * made.units
    return made if (lower >= given.lower).all() and (upper <= given.upper).all() else None


def _without_far(given: Constraints) -> Constraints | None:
    """Constraints without bounds far from what rows speak of; None where there are none."""
    sizes = largest(given.A, 0)
    reach = FAR_BOUND_RATIO * _level(given) / np.where(sizes > 0.0, sizes, 1.0)
    low, high = ((sizes > 0.0) & np.isfinite(b) & (np.abs(b) > reach)
                 for b in (given.lower, given.upper))  # fmt: skip
    if not (_level(given) > 0.0 and (low | high).any()):
        return None
    lower, upper = np.where(low, -np.inf, given.lower), np.where(high, np.inf, given.upper)
    return given._replace(lower=lower, upper=upper)


def _level(given: Constraints) -> float:
    """Largest finite side |b_i| of a row."""
    levels = np.abs(np.concatenate([given.low, given.high, [0.0]]))
    return float(levels[np.isfinite(levels)].max())


def _countable(given: Constraints, whole: Flags) -> None:
    """Raise where an integer has a finite bound that the solver takes for none."""
    for bound in (given.lower, given.upper):
        unseen = whole & np.isfinite(bound) & (np.abs(bound) >= SOLVER_INFINITY)
        if unseen.any():
            j = int(unseen.argmax())
            raise InvalidInput(
                f"variable {j} is an integer up to {bound[j]:g}, but the solver takes numbers from "
                f"{SOLVER_INFINITY:g} on for no bound: pass a smaller one."
            )


def _scaled(given: Constraints, whole: Flags | None) -> ScaledRows:
    """Scale a polytope; programs find the bounds that no single row implies."""
    lower, upper = implied(given)
    upper = np.maximum(lower, upper)
    fixed = np.zeros(lower.size, dtype=bool) if whole is None else whole
    program, units = _in_units(given, _units(given, lower, upper, fixed))
    start = program.minimize(np.zeros(lower.size))
    if start.status != "optimal":
        raise InvalidInput("the polytope is empty: no point satisfies all rows and bounds.")
    if not (np.isfinite(lower).all() and np.isfinite(upper).all()):
        found = _found(program, start.basis, lower / units, upper / units)
        lower, upper = (bound * units for bound in found)
        program, units = _in_units(given, _units(given, lower, upper, fixed))
        start = program.minimize(np.zeros(lower.size), start.basis)
    return ScaledRows(program, units, lower / units, upper / units, start.basis, start.x)


def _power(size: Array) -> Array:
    """Nearest powers of two, which scale without rounding."""
    return np.asarray(np.exp2(np.round(np.log2(size))))


def _units(given: Constraints, lower: Array, upper: Array, fixed: Flags) -> Array:
    """Width of each variable; where that is unknown, what makes its entries about one."""
    with np.errstate(invalid="ignore"):
        width = upper - lower
    sizes = largest(given.A, 0)
    level = _level(given) or 1.0
    guess = level / np.where(sizes > 0.0, sizes, level)
    alone = np.maximum(np.abs(np.where(np.isfinite(lower), lower, 0.0)), 0.0)
    units = np.where(np.isfinite(width), np.where(width > 0.0, width, alone), guess)
    return _power(np.where(fixed | ~(units > 0.0), 1.0, units))


def _in_units(given: Constraints, units: Array) -> tuple[LinearProgram, Array]:
    """Linear program in y = x / units, with rows whose largest entry is about one."""
    if is_sparse(given.A):
        from scipy.sparse import diags_array

        A = (given.A @ diags_array(units)).tocsc()
        rows = _power(largest(A, 1))
        A = (diags_array(1.0 / rows) @ A).tocsc()
    else:
        A = given.A * units
        rows = _power(largest(A, 1))
        A = A / rows[:, None]
    low, high = given.low / rows, given.high / rows
    made = Constraints(A, low, high, given.lower / units, given.upper / units)
    return LinearProgram(made), units


def _found(program: LinearProgram, basis: Basis, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Bounds of the variables that have none, by linear programs.

    One program bounds the sum of all distances from the bounds that there are, and so each of
    them; a variable without any bound has two programs of its own.
    """
    lower, upper = lower.copy(), upper.copy()
    rising, falling = np.isposinf(upper), np.isneginf(lower)
    free = rising & falling
    rising, falling = rising & ~free, falling & ~free
    if rising.any() or falling.any():
        cost = falling.astype(float) - rising
        most = program.minimize(cost, basis)
        if most.status == "unbounded":
            _name_unbounded(program, basis, rising, falling)
        far = np.abs(np.where(rising, most.x - lower, 0.0)).sum()
        far += np.abs(np.where(falling, upper - most.x, 0.0)).sum()
        far *= 1.0 + EXTENT_MARGIN
        upper[rising], lower[falling] = lower[rising] + far, upper[falling] - far
    for j in np.flatnonzero(free):
        ends = []
        for sign in (1.0, -1.0):
            found = program.minimize(sign * unit(lower.size, j), basis)
            if found.status == "unbounded":
                raise _unbounded(int(j))
            ends.append(float(found.x[j]))
            basis = found.basis
        away = EXTENT_MARGIN * max(ends[1] - ends[0], 1e-3 * abs(ends[0]))
        lower[j], upper[j] = ends[0] - away, ends[1] + away
    return lower, upper


def _unbounded(j: int) -> UnboundedPolytope:
    """Error that names the variable without a limit."""
    return UnboundedPolytope(
        f"the polytope is unbounded: variable {j} has no limit; pass bounds, or rows that hold it."
    )


def _name_unbounded(program: LinearProgram, basis: Basis, rising: Flags, falling: Flags) -> None:
    """Raise for the first variable that is unbounded."""
    for j in np.flatnonzero(rising | falling):
        cost = unit(rising.size, j) * (-1.0 if rising[j] else 1.0)
        if program.minimize(cost, basis).status == "unbounded":
            raise _unbounded(int(j))
    raise UnboundedPolytope("the polytope is unbounded: pass bounds, or rows that hold it.")
