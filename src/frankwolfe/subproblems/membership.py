"""Convex hulls known by their oracle alone: distance of a point, and vertices that span them."""

from __future__ import annotations

import math

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import all_finite
from frankwolfe.subproblems.nearest import Oracle, moves, nearest

__all__ = ["nearest_inside", "outside", "spanning"]

WIDTH_TOL = 1e-9  # of the size of the set: a smaller width is rounding, the set is flat there


def outside(oracle: Oracle, x: Array, size: float, tolerance: float = 1e-13) -> float:
    """Distance of x from the convex hull of what the oracle returns, over `size`.

    It is found by Wolfe's method (:mod:`frankwolfe.subproblems.nearest`). Where the result is above
    `tolerance`, the oracle has shown that x is outside by that much, as far as rounding lets it;
    where it is not, x was found inside, or the moves have run out before anything else was shown.
    A point well inside takes about n calls, one on the boundary ten times as many.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.membership import outside
    >>> corner = lambda g: np.where(g > 0.0, 0.0, 1.0)
    >>> round(outside(corner, np.array([2.0, 0.5]), 1.0), 12)
    1.0
    >>> outside(corner, np.array([0.7, 0.5]), 1.0) < 1e-13
    True
    """
    x = np.asarray(x, dtype=np.float64) / size
    start = oracle(np.zeros(x.size)) / size
    return nearest_inside(lambda g: oracle(g) / size, x, start, tolerance)[1]


def nearest_inside(
    oracle: Oracle, p: Array, start: Array, tolerance: float = 1e-13
) -> tuple[Array, float]:
    """Point of a hull nearest to p, and its distance, with the meaning of :func:`outside`.

    `start` is a point of the hull, or several, one a row.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.membership import nearest_inside
    >>> nearest_inside(lambda g: np.eye(2)[g.argmin()], np.array([1.5, 0.5]), np.eye(2))[0]
    array([1., 0.])
    """
    if not all_finite(p):
        return p, math.inf
    found = nearest(oracle, p, start, moves(p.size), tolerance)
    if found.settled:  # rounding takes more from the bound below than from the distance
        return found.x, found.above
    return found.x, found.below if found.below > tolerance else min(found.above, tolerance)


def spanning(oracle: Oracle, n: int, size: float) -> Array:
    """Vertices, one a row, with the affine hull of the whole set; their mean is in its interior.

    The interior is relative to that hull. The two extreme vertices are found along each direction
    in which those before do not differ: 2n calls of the oracle, and n^3 operations besides.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.membership import spanning
    >>> spanning(lambda g: np.eye(3)[g.argmin()], 3, 1.0).mean(axis=0)
    array([0.33333333, 0.33333333, 0.33333333])
    """
    first = oracle(np.zeros(n))
    found, known = [first], np.empty((0, n))
    for axis in np.eye(n):
        while True:
            g = _across(axis, known)
            if g is None:
                break
            ends = [oracle(g) - first, oracle(-g) - first]
            way = max(ends, key=lambda end: abs(float(end @ g)))
            new = g if abs(float(way @ g)) <= WIDTH_TOL * size else _across(way, known)
            if new is not g:
                found.append(first + way)
            known = np.vstack([known, g if new is None else new])
    return np.array(found)


def _across(way: Array, known: Array) -> Array | None:
    """Unit vector along the part of `way` orthogonal to the rows `known`; None if there is none."""
    length = float(np.linalg.norm(way))
    rest = way / length
    for _ in range(2):
        rest = rest - (known @ rest) @ known
    left = float(np.linalg.norm(rest))
    return rest / left if left > 1e-8 else None
