r"""The point of a convex hull that is nearest to a given one, by linear minimization alone.

Wolfe's method keeps a few affinely independent atoms and the point of their hull that is nearest to
p. Over a polytope it ends after finitely many steps. At each of its points x the atom s with the
smallest :math:`\langle x - p, s \rangle` bounds the distance from below, by
:math:`\langle x - p, s - p \rangle / \|x - p\|`, which holds wherever the method stops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import power, quiet
from frankwolfe.base.clock import Pieces

__all__ = ["Nearest", "Oracle", "moves", "nearest", "rounding_at"]

Oracle = Callable[[Array], Array]
"""A function from g to a vertex s with the smallest <g, s>, as a vector."""

MAX_CALLS = 400  # of the oracle, by default
MOVES_PER_VARIABLE = 60  # after so many the search ends: rounding can make it cycle
MAX_WORK = 4e9  # multiplications of all corrections together: a few seconds
GAP_TOL = 1e-9  # of the distance: the search ends with bounds this close to each other
INSIDE_TOL = 1e-11  # of the distance between p and atoms: a smaller distance counts as zero
SQUARE_ROUNDING = (
    4e-15  # of the square of entries: what rounding may leave of v times its own length
)
UNIT = 2.0**-52  # machine epsilon of double precision
MAX_KEPT_DISTANCE = (
    0.999  # of the distance: what a move has to leave where rounding is as large as its gain
)
MIN_WEIGHT = 1e-15  # a smaller weight is rounding


class Nearest(NamedTuple):
    """A point x of the set near p, with bounds `below` and `above` of p's distance from the set.

    `settled` is true if the two bounds differ by no more than the tolerance or rounding.
    """

    x: Array
    below: float
    above: float
    settled: bool = False


def moves(n: int) -> int:
    """Largest number of moves of a search in n variables; the oracle is called less often."""
    return MOVES_PER_VARIABLE * (n + 5)


def rounding_at(p: Array) -> float:
    """Upper bound on distances from p that are rounding of p itself."""
    return 4.0 * UNIT * float(np.linalg.norm(p))


def nearest(
    oracle: Oracle, p: Array, start: Array, calls: int = MAX_CALLS, tolerance: float | None = None
) -> Nearest:
    """Nearest point to p by Wolfe's method, within rounding, `calls`, and the time of a run.

    The method keeps at most n + 1 vertices, finds the nearest point of their hull exactly, and adds
    the vertex farthest along p - x: one seen before if that gains enough, else the oracle's.

    Parameters
    ----------
    oracle : callable
        ``oracle(g)`` is a point s of the set with the smallest <g, s>.
    p, start : array
        The point, and one of the set to begin with, or several, one a row.
    calls : int
        Largest number of oracle calls.
    tolerance : float, optional
        Distance that counts as zero; by default 1e-11 of that between p and atoms.

    References
    ----------
    P. Wolfe, *Finding the nearest point in a polytope*, Mathematical Programming 11, 1976.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.nearest import nearest
    >>> found = nearest(lambda g: -np.sign(g), np.array([3.0, 0.5]), np.ones(2))
    >>> found.x.round(12), round(found.below, 12), round(found.above, 12)
    (array([1. , 0.5]), 2.0, 2.0)
    """
    with quiet():
        away = np.atleast_2d(start) - p
        unit = power(float(np.abs(away).max()))  # no square over- or underflows
        level = None if tolerance is None else tolerance / unit
        found = _search(lambda g: (oracle(g) - p) / unit, p / unit, away / unit, calls, level)
    return found._replace(x=unit * found.x, below=unit * found.below, above=unit * found.above)


def _search(vertex: Oracle, p: Array, start: Array, calls: int, tolerance: float | None) -> Nearest:
    """Wolfe's method in coordinates with p at the origin, numbers of about one."""
    seen, pool = start, start[np.square(start).sum(axis=1).argmin()][None]
    weights: Array = np.ones(1)
    settled, steps = False, Pieces()
    gain, below, work, rounding = 0.0, 0.0, 0.0, rounding_at(p)
    for _ in range(moves(p.size)):
        v = weights @ pool
        length = float(np.linalg.norm(v))
        largest = float(np.abs(seen).max())
        none = INSIDE_TOL * largest + rounding if tolerance is None else tolerance
        work += 2.0 * p.size * len(pool) ** 2
        if length <= none or work > MAX_WORK or steps.due():
            break
        products = seen @ v / length
        s = seen[int(products.argmin())]
        few = GAP_TOL * length + SQUARE_ROUNDING * largest**2 / length
        # the vertices seen promise less than half of the oracle's last gain: ask it again
        if length - float(products.min()) <= max(0.5 * gain, few) or _among(s, pool):
            if len(seen) - len(start) >= calls:
                break
            s = vertex(v / length)
            seen = np.vstack([seen, s])
            ahead = float(v @ s) / length  # the hull lies beyond this along v
            gain, below = length - ahead, max(below, ahead)
            settled = gain <= few
            if gain <= GAP_TOL * length or _among(s, pool):  # no digits are left to move by
                break
        pool, weights = _corrected(np.vstack([pool, s]), np.append(weights, 0.0))
        if settled and not np.linalg.norm(weights @ pool) < MAX_KEPT_DISTANCE * length:
            break
    v = weights @ pool
    length = float(np.linalg.norm(v))
    return Nearest(v + p, below if length > none else 0.0, max(length, below), settled)


def _among(s: Array, pool: Array) -> bool:
    """True if s is one of the rows of `pool`."""
    return bool((pool == s).all(axis=1).any())


def _corrected(pool: Array, weights: Array) -> tuple[Array, Array]:
    """Minor cycles: drop points until the nearest point of the affine hull has weights > 0."""
    while True:
        wanted = _affine(pool)
        if wanted.min() > 0.0:
            return pool, wanted
        falling = wanted <= 0.0
        steps = weights[falling] / np.maximum(weights[falling] - wanted[falling], 1e-300)
        step = float(steps.min(initial=1.0))
        weights = weights + step * (wanted - weights)
        keep = weights > MIN_WEIGHT
        keep[np.flatnonzero(falling)[int(steps.argmin())]] = False
        pool, weights = pool[keep], weights[keep] / weights[keep].sum()


def _affine(pool: Array) -> Array:
    """Weights with sum one, of any sign, of the point of the affine hull nearest to zero.

    They solve the Gram system, with two steps of iterative refinement; where the result is not
    orthogonal to the hull, least squares on the points themselves find them.
    """
    largest, ones = float(np.abs(pool).max()), np.ones(len(pool))
    gram = pool @ pool.T + (largest * largest or 1.0)  # the constant makes it regular (Wolfe)
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
    level = largest * (1e-14 * float(np.linalg.norm(v)) + 1e-30 * largest)
    return weights if np.ptp(products) <= level * len(v) else _by_least_squares(pool)


def _by_least_squares(pool: Array) -> Array:
    """Weights of `_affine` by least squares, which does not square the condition number."""
    first, ways = pool[0], (pool[1:] - pool[0]).T
    others = np.linalg.lstsq(ways, -first, rcond=1e-13)[0] if len(pool) > 1 else np.empty(0)
    return np.concatenate([[1.0 - others.sum()], others])
