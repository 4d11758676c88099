"""Optimal transport by POT's network simplex, with a lower bound from the dual; diameters."""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import finite_vector, quiet
from frankwolfe.base.errors import InvalidInput
from frankwolfe.subproblems.kernels import transport as plans

__all__ = [
    "Plan",
    "balanced",
    "cheapest_plan",
    "conjugate",
    "corner",
    "farthest",
    "farthest_bound",
    "plan_bound",
    "plan_through",
    "takes_potentials",
]

MAX_UNSCALED_COST = 1e150  # larger costs are scaled, so that sums of them do not overflow
TOTALS_TOL = {4: 1e-5, 8: 1e-9}  # relative difference of the totals of a and b, by their bytes
MASS_TOL = 1e-13  # of the total mass: less is rounding


class Plan(NamedTuple):
    """A vertex: ascending cells i * columns + j, values there, and potentials of the rows."""

    cells: Indices
    values: Array
    potentials: Array


def balanced(a: ArrayLike, b: ArrayLike) -> tuple[Array, Array, float]:
    """Check masses; return copies in double precision, b scaled to the sum of a, and that sum."""
    near = TOTALS_TOL[min(_bytes(a), _bytes(b))]
    first, second = _masses("a", a), _masses("b", b)
    mass, other = (math.fsum(side.tolist()) for side in (first, second))
    if not abs(mass - other) <= near * mass:
        raise InvalidInput(
            f"a and b must have the same sum, got {mass:.9g} and {other:.9g}: "
            "scale one of them, or add a place for what is left."
        )
    return first, second * (mass / other), mass


def _bytes(masses: ArrayLike) -> int:
    """Bytes of the precision of the caller's numbers: 4 for float32, 8 for all others."""
    return 4 if getattr(masses, "dtype", None) == np.float32 else 8


def _masses(name: str, given: ArrayLike) -> Array:
    """Masses as a new vector, checked to be >= 0 with a finite sum > 0."""
    masses = np.array(finite_vector(name, given), dtype=np.float64)
    if masses.min() < 0.0:
        place = int(masses.argmin())
        raise InvalidInput(f"{name} must be >= 0, got {masses[place]:g} at entry {place}.")
    with quiet():
        total = float(masses.sum())
    if not 0.0 < total < math.inf:
        raise InvalidInput(f"{name} must have a finite sum > 0, got {total:g}.")
    return masses


@cache
def takes_potentials() -> bool:
    """True if the installed POT can begin from potentials, as it can since version 0.9.7."""
    from inspect import signature

    import ot

    return "potentials_init" in signature(ot.emd).parameters


def cheapest_plan(cost: Array, a: Array, b: Array, pivots: int, near: Array | None = None) -> Plan:
    """A cheapest vertex of the plans with sums a and b, which must be positive.

    It may cost more if the budget of pivots ends. `near` are potentials of the rows
    for similar costs. The solver sees costs >= 0 with largest entry one, and masses of sum one.
    """
    import ot

    u, v, work = np.empty(a.size), np.empty(b.size), np.empty(cost.shape)
    unit = max(float(np.abs(cost).max()) / MAX_UNSCALED_COST, 1.0)
    cost = cost / unit if unit > 1.0 else cost
    largest = plans.reduced(cost, u, v, work)
    work /= largest or 1.0
    options: dict[str, tuple[Array, Array]] = {}
    if near is not None and takes_potentials():
        first = (near / unit - u) / (largest or 1.0)
        options["potentials_init"] = first, conjugate(work, first)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the budget: the dual bound says how far it got
        G, log = ot.emd(
            *(a / a.sum(), b / b.sum(), work),
            numItermax=pivots,
            log=True,
            center_dual=False,
            check_marginals=False,
            **options,
        )
    u += largest * np.asarray(log["u"])
    u *= unit
    return Plan(*_exact(np.flatnonzero(G), a, b), u)


def _exact(cells: Indices, a: Array, b: Array) -> tuple[Indices, Array]:
    """Plan with exact sums a and b on the cells; mass that does not fit goes to further cells."""
    rows, columns = np.divmod(cells, b.size)
    values: Array = np.zeros(cells.size)
    r, c = a.copy(), b.copy()
    tiny = MASS_TOL * float(a.sum())
    plans.spread(rows, columns, r, c, tiny, values)
    if r.max() > tiny and c.max() > tiny:  # the solver has not come to its end
        more, rest = corner(r, c, tiny)
        cells, places = np.unique(np.concatenate([cells, more]), return_inverse=True)
        values, both = np.zeros(cells.size), np.concatenate([values, rest])
        np.add.at(values, places, both)
    return cells, values


def corner(r: Array, c: Array, tiny: float) -> tuple[Indices, Array]:
    """Plan of the north-west corner rule for masses r and c; amounts up to `tiny` are left out."""
    cells, values, i, j = [], [], 0, 0
    r, c = r.copy(), c.copy()
    while i < r.size and j < c.size:
        value = min(r[i], c[j])
        if value > tiny:
            cells.append(i * c.size + j)
            values.append(value)
        r[i] -= value
        c[j] -= value
        i, j = (i + 1, j) if r[i] <= c[j] else (i, j + 1)
    return np.array(cells, dtype=np.int64), np.array(values)


def plan_through(cell: int, a: Array, b: Array) -> tuple[Indices, Array]:
    """Plan with as much mass as possible in one cell, which is listed even if that is zero."""
    i, j = divmod(cell, b.size)
    r, c, value = a.copy(), b.copy(), min(a[i], b[j])
    r[i], c[j] = a[i] - value, b[j] - value
    cells, values = corner(r, c, 0.0)
    kept = cells != cell
    cells, values = np.append(cells[kept], cell), np.append(values[kept], value)
    order = np.argsort(cells)
    return cells[order], values[order]


def plan_bound(cost: Array, u: Array, a: Array, b: Array) -> float:
    """Lower bound <a, u> + <b, v> on the cost of every plan, v the c-transform of u."""
    return float(a @ u + b @ conjugate(cost, u))


def conjugate(cost: Array, u: Array) -> Array:
    """The c-transform of u: v_j = min_i (C_ij - u_i), the largest v that is dual feasible."""
    v = np.empty(cost.shape[1])
    plans.cheapest(cost, u, v)
    return v


def farthest(a: Array, b: Array) -> float:
    """Diameter of the set of plans: the largest distance of two vertices, all listed."""
    vertices = np.array(_vertices(tuple(a.tolist()), tuple(b.tolist())))
    apart = vertices[:, None] - vertices
    return math.sqrt(float(np.einsum("ijk,ijk->ij", apart, apart).max()))


def _vertices(a: tuple[float, ...], b: tuple[float, ...]) -> list[tuple[float, ...]]:
    """List all vertices: their cells are forests, whose leaves have all their mass in one cell."""
    tiny, found = MASS_TOL * sum(a), {}
    stack = [(a, b, (0.0,) * (len(a) * len(b)))]
    seen = set()
    while stack:
        r, c, plan = stack.pop()
        cells = [(i, j) for i in range(len(r)) for j in range(len(c)) if min(r[i], c[j]) > tiny]
        if not cells:
            found[tuple(round(value / tiny) for value in plan)] = plan
        for i, j in cells:
            value = min(r[i], c[j])
            state = _less(r, i, value), _less(c, j, value), _less(plan, i * len(c) + j, -value)
            key = tuple(round(number / tiny) for number in state[2])
            if key not in seen:
                seen.add(key)
                stack.append(state)
    return list(found.values())


def _less(numbers: tuple[float, ...], place: int, value: float) -> tuple[float, ...]:
    """Numbers with `value` subtracted at one place."""
    return (*numbers[:place], numbers[place] - value, *numbers[place + 1 :])


def farthest_bound(a: Array, b: Array) -> float:
    """Upper bound on the distance of two plans, the better of one from rows and one from columns.

    Where two plans differ in a row by d, its positive and its negative entries sum to min(a_i,
    mass - a_i) at most, and none is larger than min(b_j, mass - b_j): the sum of squares is the
    largest where few entries are as large as they can be.
    """
    mass = float(a.sum())
    moved = [np.minimum(side, np.maximum(mass - side, 0.0)) for side in (a, b)]
    return math.sqrt(2.0 * min(_squares(*moved), _squares(*moved[::-1])))


def _squares(totals: Array, most: Array) -> float:
    """Σ_i max |z|^2 over z >= 0 with sum totals_i and z_j <= most_j: the largest entries filled."""
    most = -np.sort(-most)
    sums, squares = (np.concatenate([[0.0], np.cumsum(part)]) for part in (most, most * most))
    full = np.searchsorted(sums[1:], totals, side="right")
    return float((squares[full] + np.maximum(totals - sums[full], 0.0) ** 2).sum())
