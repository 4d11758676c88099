r"""The point of a set that is nearest to another, by linear minimization alone.

Wolfe's method keeps a few affinely independent atoms and the point of their hull that is nearest
to p. Over a polytope it ends after finitely many steps. At each of its points x the atom s with
the smallest :math:`\langle x - p, s \rangle` bounds the distance from below, by
:math:`\langle x - p, s - p \rangle / \|x - p\|`, which holds wherever the method stops.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from frankwolfe.numerics.arrays import Array

__all__ = ["Nearest", "nearest"]

STEPS = 400  # oracle calls
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
    x, below = atoms[0], 0.0
    size = float(np.linalg.norm(p)) + float(np.linalg.norm(start))
    for _ in range(steps):
        above = float(np.linalg.norm(x))
        if above <= UNIT * size:
            return Nearest(x + p, 0.0, above)
        s = oracle(x) - p
        size = max(size, float(np.linalg.norm(s)))
        below = max(below, float(x @ s) / above)
        if above - below <= 8.0 * UNIT * size or (np.abs(atoms - s).max(axis=1) == 0.0).any():
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
