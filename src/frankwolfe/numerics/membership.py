"""Hulls that are known by their oracle alone: whether they hold a point, and points inside."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.checks import quiet

__all__ = ["Oracle", "outside", "spanning"]

Oracle = Callable[[Array], Array]
"""From g to a vertex with the smallest <g, s>, as a vector."""

ROUNDS = 60  # moves for each variable after which the search ends
BLUR = 4e-15  # of the square of entries: what rounding may leave of v times its own length
FLAT = 1e-9  # a width below this share of the size is rounding


def outside(oracle: Oracle, x: Array, size: float, tolerance: float = 1e-13) -> float:
    """How far x lies from the hull of what the oracle returns, over `size`.

    Wolfe's algorithm for the point v of the hull nearest to x: a pool of vertices, at most n + 1
    at a time, of which the nearest combination is found exactly, and the vertex farthest along
    x - v, of those seen before or else the oracle's. Where the result is above `tolerance`, v - x
    separates x from the hull by that much; where it is not, the pool's weights show that x is
    inside, or the moves have run out before anything else was proved. A point well inside takes
    about n calls, one on the boundary ten times as many.

    References
    ----------
    P. Wolfe, Finding the nearest point in a polytope, Mathematical Programming 11 (1976).

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.numerics.membership import outside
    >>> corner = lambda g: np.where(g > 0.0, 0.0, 1.0)
    >>> round(outside(corner, np.array([2.0, 0.5]), 1.0), 12)
    1.0
    >>> outside(corner, np.array([0.7, 0.5]), 1.0) < 1e-13
    True
    """
    x = np.asarray(x, dtype=np.float64)
    if not np.isfinite(x).all():
        return math.inf
    with quiet():
        return _search(lambda g: (oracle(g) - x) / size, x.size, tolerance)


def _search(vertex: Oracle, n: int, tolerance: float) -> float:
    """The distance of zero from the hull."""
    seen: Array = vertex(np.zeros(n))[None]
    pool: Array = seen
    weights: Array = np.ones(1)
    gain, proved, largest = 0.0, 0.0, float(np.abs(seen).max())
    for _ in range(ROUNDS * (n + 5)):
        v = weights @ pool
        length = float(np.linalg.norm(v))
        if length <= tolerance:
            return length
        products = seen @ v / length
        s = seen[int(products.argmin())]
        few = 1e-9 * length + BLUR * largest**2 / length
        if length - float(products.min()) <= max(0.5 * gain, few) or _among(s, pool):
            s = vertex(v / length)
            seen, largest = np.vstack([seen, s]), max(largest, float(np.abs(s).max()))
            ahead = float(v @ s) / length  # the hull lies beyond this along v
            gain, proved = length - ahead, max(proved, ahead)
            if gain <= few:
                return ahead if ahead > tolerance else length
        if _among(s, pool):  # no digits are left to move by
            return proved if proved > tolerance else min(length, tolerance)
        pool, weights = _nearest(np.vstack([pool, s]), np.append(weights, 0.0))
    return proved


def _among(s: Array, pool: Array) -> bool:
    return bool((pool == s).all(axis=1).any())


def _nearest(pool: Array, weights: Array) -> tuple[Array, Array]:
    """The combination nearest to zero of the last point and of those that it does not push out."""
    while True:
        wanted = _affine(pool)
        if wanted.min() > 0.0:
            return pool, wanted
        falling = wanted <= 0.0
        steps = weights[falling] / np.maximum(weights[falling] - wanted[falling], 1e-300)
        step = float(steps.min(initial=1.0))
        weights = weights + step * (wanted - weights)
        keep = weights > 1e-15
        keep[np.flatnonzero(falling)[int(steps.argmin())]] = False
        pool, weights = pool[keep], weights[keep] / weights[keep].sum()


def _affine(pool: Array) -> Array:
    """Weights, of any sign, of the point nearest to zero with sum one.

    By the products of the points, improved twice; where these do not show it, by the points.
    """
    gram, ones = pool @ pool.T + 1.0, np.ones(len(pool))
    try:
        inverse = np.linalg.inv(gram)
    except np.linalg.LinAlgError:
        return _by_least_squares(pool)
    flat = inverse @ ones
    weights = flat / flat.sum()
    for _ in range(2):
        way = inverse @ (pool @ (weights @ pool))
        weights = weights - way + flat * (way.sum() / flat.sum())
    weights /= weights.sum()
    v = weights @ pool
    products = pool @ v
    level = 1e-14 * float(np.abs(pool).max()) * float(np.linalg.norm(v)) + 1e-30
    return weights if np.ptp(products) <= level * len(v) else _by_least_squares(pool)


def _by_least_squares(pool: Array) -> Array:
    """The same without products of points, whose digits may not be enough."""
    first, ways = pool[0], (pool[1:] - pool[0]).T
    others = np.linalg.lstsq(ways, -first, rcond=1e-13)[0] if len(pool) > 1 else np.empty(0)
    return np.concatenate([[1.0 - others.sum()], others])


def spanning(oracle: Oracle, n: int, size: float) -> Array:
    """Vertices, one a row, that span as much as all of them; their mean is off every face.

    Along each direction in which those found so far do not differ, the two extreme vertices:
    2n calls of the oracle, and n^3 operations besides.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.numerics.membership import spanning
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
            new = g if abs(float(way @ g)) <= FLAT * size else _across(way, known)
            if new is not g:
                found.append(first + way)
            known = np.vstack([known, g if new is None else new])
    return np.array(found)


def _across(way: Array, known: Array) -> Array | None:
    """The unit vector of what is left of a direction beside those known; None where nothing is."""
    length = float(np.linalg.norm(way))
    rest = way / length
    for _ in range(2):
        rest = rest - (known @ rest) @ known
    left = float(np.linalg.norm(rest))
    return rest / left if left > 1e-8 else None
