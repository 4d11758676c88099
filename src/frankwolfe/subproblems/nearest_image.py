"""The point of a set's linear image that is nearest to a given one, by projections onto the set."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.subproblems.nearest import INSIDE_TOL, Nearest, Oracle, rounding_at

__all__ = ["Image", "nearest_image", "quickly_by_atoms"]

MAX_PROJECTIONS = 3000
PROJECTIONS_PER_BOUND = 10  # between two calls of the oracle, which only the lower bound needs
MAX_WOLFE_VARIABLES, MAX_WOLFE_POLYTOPE = (
    8,
    100,
)  # variables up to which Wolfe's method is exact in time: so many in polytopes
GAP_TOL = 1e-3  # of the distance: bounds this close to each other are enough


def quickly_by_atoms(n: int, polytope: bool) -> bool:
    """True if Wolfe's method is quick enough in n variables, so that projections are not needed."""
    return n <= (MAX_WOLFE_POLYTOPE if polytope else MAX_WOLFE_VARIABLES)


class Image(NamedTuple):
    """The set of all My for y in a set with a projection: the maps M, M' and the projection."""

    times: Callable[[Array], Array]
    """y -> My."""
    back: Callable[[Array], Array]
    """r -> M'r."""
    square: float
    """Upper bound on the square of the largest singular value of M."""
    project: Callable[[Array], Array]
    """q -> the nearest point to q in the set of the y."""


def nearest_image(
    image: Image,
    oracle: Oracle,
    p: Array,
    start: Array,
    passes: int = MAX_PROJECTIONS,
) -> Nearest:
    """Nearest point to p of the image of a set with a projection, by accelerated gradients.

    If p is outside, it ends when the bounds of the distance differ by a thousandth of it.

    Parameters
    ----------
    image : Image
        The set and the linear map.
    oracle : callable
        ``oracle(g)`` is a point s of the image with the smallest <g, s>.
    p, start : array
        The point, and a y of the set to begin with.
    passes : int
        Largest number of projections.

    References
    ----------
    A. Beck and M. Teboulle, *A Fast Iterative Shrinkage-Thresholding Algorithm for Linear
    Inverse Problems*, SIAM Journal on Imaging Sciences 2, 2009; momentum starts anew where the
    distance grows (B. O'Donoghue and E. Candes, 2015).

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.nearest_image import Image, nearest_image
    >>> twice = Image(lambda y: 2.0 * y, lambda r: 2.0 * r, 4.0, lambda q: np.clip(q, 0.0, 1.0))
    >>> corner = lambda g: np.where(g < 0.0, 2.0, 0.0)
    >>> found = nearest_image(twice, corner, np.array([5.0, 1.0]), np.zeros(2))
    >>> found.x, round(found.below, 3), round(found.above, 3)
    (array([2., 1.]), 3.0, 3.0)
    """
    y = ahead = start
    momentum, below, last = 1.0, 0.0, math.inf
    rounding = rounding_at(p)
    size = float(np.linalg.norm(image.times(start) - p))
    for turn in range(passes):
        moved = image.project(ahead - image.back(image.times(ahead) - p) / image.square)
        rest = image.times(moved) - p
        above = float(np.linalg.norm(rest))
        if above <= INSIDE_TOL * size + rounding:
            return Nearest(rest + p, 0.0, above)
        if turn % PROJECTIONS_PER_BOUND == 0:
            s = oracle(rest) - p
            size = max(size, float(np.linalg.norm(s)))
            below = max(below, float(rest @ s) / above)
            if above - below <= GAP_TOL * above:
                break
        fresh = not above < last  # restart: momentum has carried y too far
        following = 1.0 if fresh else 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * momentum**2))
        share = 0.0 if fresh else (momentum - 1.0) / following
        ahead, y = moved + share * (moved - y), moved
        momentum, last = following, above
    return Nearest(rest + p, below, above)
