"""Transport of least cost by POT's network simplex, with a bound from its dual; small facts."""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import Any, NamedTuple

import numpy as np

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

HUGE = 1e150  # costs above it are scaled, so that sums of them do not overflow
EQUAL = {4: 1e-5, 8: 1e-9}  # how far totals may be apart, relative, by the bytes of the masses
TINY = 1e-13  # of the mass, which rounding may leave


class Plan(NamedTuple):
    """Cells of a vertex, row after row, what it has there, and the potentials of the rows."""

    cells: Indices
    values: Array
    potentials: Array


def balanced(a: Any, b: Any) -> tuple[Array, Array, float]:
    """Masses as new vectors in double precision, b scaled to the sum of a; that sum."""
    near = EQUAL[min(_bytes(a), _bytes(b))]
    a, b = _masses("a", a), _masses("b", b)
    mass, other = (math.fsum(side.tolist()) for side in (a, b))
    if not abs(mass - other) <= near * mass:
        raise InvalidInput(
            f"a and b must have the same sum, got {mass:.9g} and {other:.9g}: "
            "scale one of them, or add a place for what is left."
        )
    return a, b * (mass / other), mass


def _bytes(masses: Any) -> int:
    """How exact the caller's numbers are: as float32, or more."""
    return 4 if getattr(masses, "dtype", None) == np.float32 else 8


def _masses(name: str, given: Any) -> Array:
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
    """Whether the installed POT can begin from potentials: since version 0.9.7."""
    from inspect import signature

    import ot

    return "potentials_init" in signature(ot.emd).parameters


def cheapest_plan(cost: Array, a: Array, b: Array, pivots: int, near: Array | None = None) -> Plan:
    """A vertex of the plans with sums a and b, all positive, that costs least.

    Where the budget of pivots ends, a vertex that costs more. `near` are potentials of the rows
    for similar costs. The solver sees costs >= 0 with largest entry one, and masses of sum one.
    """
    import ot

    u, v, work = np.empty(a.size), np.empty(b.size), np.empty(cost.shape)
    unit = max(float(np.abs(cost).max()) / HUGE, 1.0)
    cost = cost / unit if unit > 1.0 else cost
    largest = plans.reduced(cost, u, v, work)
    work /= largest or 1.0
    options: dict[str, Any] = {}
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
    """The plan with these cells and sums a and b; others get what has no place there."""
    rows, columns = np.divmod(cells, b.size)
    values: Array = np.zeros(cells.size)
    r, c = a.copy(), b.copy()
    tiny = TINY * float(a.sum())
    plans.spread(rows, columns, r, c, tiny, values)
    if r.max() > tiny and c.max() > tiny:  # the solver has not come to its end
        more, rest = corner(r, c, tiny)
        cells, places = np.unique(np.concatenate([cells, more]), return_inverse=True)
        values, both = np.zeros(cells.size), np.concatenate([values, rest])
        np.add.at(values, places, both)
    return cells, values


def corner(r: Array, c: Array, tiny: float) -> tuple[Indices, Array]:
    """Cells and values of the plan that fills what is left from the first row and column on."""
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
    """A plan that has as much as it can in one cell, which is listed in any case."""
    i, j = divmod(cell, b.size)
    r, c, value = a.copy(), b.copy(), min(a[i], b[j])
    r[i], c[j] = a[i] - value, b[j] - value
    cells, values = corner(r, c, 0.0)
    kept = cells != cell
    cells, values = np.append(cells[kept], cell), np.append(values[kept], value)
    order = np.argsort(cells)
    return cells[order], values[order]


def plan_bound(cost: Array, u: Array, a: Array, b: Array) -> float:
    """A number below the cost of every plan: <a, u> + <b, v> with v_j = min(C_ij - u_i)."""
    return float(a @ u + b @ conjugate(cost, u))


def conjugate(cost: Array, u: Array) -> Array:
    """The largest v with u_i + v_j <= C_ij: the c-transform of u."""
    v = np.empty(cost.shape[1])
    plans.cheapest(cost, u, v)
    return v


def farthest(a: Array, b: Array) -> float:
    """The largest distance between two plans: between two vertices, which are all listed."""
    vertices = np.array(_vertices(tuple(a.tolist()), tuple(b.tolist())))
    apart = vertices[:, None] - vertices
    return math.sqrt(float(np.einsum("ijk,ijk->ij", apart, apart).max()))


def _vertices(a: tuple[float, ...], b: tuple[float, ...]) -> list[tuple[float, ...]]:
    """All vertices: their cells are a forest, in which a leaf has all its mass in one cell."""
    tiny, found = TINY * sum(a), {}
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
    return (*numbers[:place], numbers[place] - value, *numbers[place + 1 :])


def farthest_bound(a: Array, b: Array) -> float:
    """A number not below the distance of two plans, from rows and from columns.

    Where two plans differ in a row by d, its positive and its negative entries sum to min(a_i,
    mass - a_i) at most, and none is larger than min(b_j, mass - b_j): the sum of squares is the
    largest where few entries are as large as they can be.
    """
    mass = float(a.sum())
    moved = [np.minimum(side, np.maximum(mass - side, 0.0)) for side in (a, b)]
    return math.sqrt(2.0 * min(_squares(*moved), _squares(*moved[::-1])))


def _squares(totals: Array, most: Array) -> float:
    """The sum over rows of the largest sum of squares with that total and entries up to `most`."""
    most = -np.sort(-most)
    sums, squares = (np.concatenate([[0.0], np.cumsum(part)]) for part in (most, most * most))
    full = np.searchsorted(sums[1:], totals, side="right")
    return float((squares[full] + np.maximum(totals - sums[full], 0.0) ** 2).sum())
