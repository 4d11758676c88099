r"""The point of a set that is nearest to another.

By linear minimization alone: Wolfe's method keeps a few affinely independent atoms and the point of
their hull that is nearest to p. Over a polytope it ends after finitely many steps. At each of its
points x the atom s with the smallest :math:`\langle x - p, s \rangle` bounds the distance from
below, by :math:`\langle x - p, s - p \rangle / \|x - p\|`, which holds wherever the method stops.
For images of sets that can project there are accelerated gradients, with the same bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from frankwolfe.numerics.arrays import Array

__all__ = ["Image", "Nearest", "nearest", "nearest_image"]

STEPS = 400  # oracle calls
WORK = 4e9  # multiplications for all corrections together
PASSES, BETWEEN = 3000, 10  # projections; of them, between two bounds
CLOSE = 1e-3  # of the distance: bounds this close to each other are enough
SURE = 1e-9  # the same over polytopes, where it costs little
INSIDE = 1e-11  # of the distance between p and atoms: a distance that is none
UNIT = 2.0**-52
LEAST = 1e-14  # a weight below it is rounding


class Nearest(NamedTuple):
    """A point of the set near p, and bounds of the distance of p from the set."""

    x: Array
    below: float
    above: float


def nearest(
    oracle: Callable[[Array], Array], p: Array, start: Array, steps: int = STEPS
) -> Nearest:
    """The nearest point to p, as far as rounding or the number of steps allow.

    Parameters
    ----------
    oracle : callable
        ``oracle(g)`` is a point s of the set with the smallest <g, s>.
    p, start : array
        The point, and one of the set to begin with.
    steps : int
        Most oracle calls.

    References
    ----------
    P. Wolfe, *Finding the nearest point in a polytope*, Mathematical Programming 11, 1976.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.numerics.nearest import nearest
    >>> found = nearest(lambda g: -np.sign(g), np.array([3.0, 0.5]), np.ones(2))
    >>> found.x.round(12), round(found.below, 12), round(found.above, 12)
    (array([1. , 0.5]), 2.0, 2.0)
    """
    atoms = np.array([start - p])  # seen from p
    weights: Array = np.ones(1)
    x, below, work = atoms[0], 0.0, 0.0
    size, rounding = float(np.linalg.norm(x)), 4.0 * UNIT * float(np.linalg.norm(p))
    for _ in range(steps):
        above = float(np.linalg.norm(x))
        if above <= INSIDE * size + rounding:
            return Nearest(x + p, 0.0, above)
        s = oracle(x) - p
        size = max(size, float(np.linalg.norm(s)))
        below = max(below, float(x @ s) / above)
        known = (np.abs(atoms - s).max(axis=1) == 0.0).any()
        if known or above - below <= max(8.0 * UNIT * size, SURE * above):
            break
        work += 2.0 * p.size * len(atoms) ** 2
        if work > WORK:
            break
        atoms, weights = _corrected(np.vstack([atoms, s]), np.append(weights, 0.0))
        before, x = above, weights @ atoms
        if not float(np.linalg.norm(x)) < before:  # nothing is left but rounding
            break
    return Nearest(x + p, below, max(float(np.linalg.norm(x)), below))


def _corrected(atoms: Array, weights: Array) -> tuple[Array, Array]:
    """Weights >= 0 of the point of the hull nearest to zero, and the atoms that have some."""
    while True:
        wanted = _affine(atoms)
        if (wanted > LEAST).all():
            return atoms, wanted
        falls = wanted <= LEAST
        drops = weights[falls] - wanted[falls]
        shares = np.divide(weights[falls], drops, out=np.zeros_like(drops), where=drops > 0.0)
        share = min(1.0, float(shares.min()))
        weights = (1.0 - share) * weights + share * wanted
        keep = weights > LEAST
        keep[np.flatnonzero(falls)[int(shares.argmin())]] = False
        if not keep.any():
            keep[int(weights.argmax())] = True
        atoms, weights = atoms[keep], weights[keep] / math.fsum(weights[keep])


def _affine(atoms: Array) -> Array:
    """Weights, of any sign, of the point nearest to zero in the affine hull."""
    if len(atoms) == 1:
        return np.ones(1)
    edges = atoms[1:] - atoms[0]
    steps = np.linalg.lstsq(edges.T, -atoms[0], rcond=1e-13)[0]
    return np.append(1.0 - steps.sum(), steps)


class Image(NamedTuple):
    """The points My of a set that can project: what is known of the set and of M."""

    times: Callable[[Array], Array]
    """y -> My."""
    back: Callable[[Array], Array]
    """r -> M'r."""
    square: float
    """The square of the largest singular value of M, or more."""
    project: Callable[[Array], Array]
    """The nearest point in the set of the y."""


def nearest_image(
    image: Image,
    oracle: Callable[[Array], Array],
    p: Array,
    start: Array,
    passes: int = PASSES,
) -> Nearest:
    """The nearest point to p of the image of a set that can project, by accelerated gradients.

    Outside, it ends where the bounds of the distance differ by a thousandth of it.

    Parameters
    ----------
    image : Image
        The set and the linear map.
    oracle : callable
        ``oracle(g)`` is a point s of the image with the smallest <g, s>.
    p, start : array
        The point, and a y of the set to begin with.
    passes : int
        Most projections.

    References
    ----------
    A. Beck and M. Teboulle, *A Fast Iterative Shrinkage-Thresholding Algorithm for Linear
    Inverse Problems*, SIAM Journal on Imaging Sciences 2, 2009; momentum starts anew where the
    distance grows (B. O'Donoghue and E. Candes, 2015).

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.numerics.nearest import Image, nearest_image
    >>> twice = Image(lambda y: 2.0 * y, lambda r: 2.0 * r, 4.0, lambda q: np.clip(q, 0.0, 1.0))
    >>> corner = lambda g: np.where(g < 0.0, 2.0, 0.0)
    >>> found = nearest_image(twice, corner, np.array([5.0, 1.0]), np.zeros(2))
    >>> found.x, round(found.below, 3), round(found.above, 3)
    (array([2., 1.]), 3.0, 3.0)
    """
    y = ahead = start
    momentum, below, last = 1.0, 0.0, math.inf
    rounding = 4.0 * UNIT * float(np.linalg.norm(p))
    size = float(np.linalg.norm(image.times(start) - p))
    for turn in range(passes):
        moved = image.project(ahead - image.back(image.times(ahead) - p) / image.square)
        rest = image.times(moved) - p
        above = float(np.linalg.norm(rest))
        if above <= INSIDE * size + rounding:
            return Nearest(rest + p, 0.0, above)
        if turn % BETWEEN == 0:
            s = oracle(rest) - p
            size = max(size, float(np.linalg.norm(s)))
            below = max(below, float(rest @ s) / above)
            if above - below <= CLOSE * above:
                break
        fresh = not above < last
        following = 1.0 if fresh else 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * momentum**2))
        share = 0.0 if fresh else (momentum - 1.0) / following
        ahead, y = moved + share * (moved - y), moved
        momentum, last = following, above
    return Nearest(rest + p, below, above)
