"""Quadratic models of f in the weights of atoms, minimized over the probability simplex."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.methods.corrective.policy import POLICY
from frankwolfe.regions import Region
from frankwolfe.subproblems.kernels import simplex

__all__ = ["over_vertices", "toward_model"]

Coordinate: TypeAlias = Any
"""A `Vertex`, with `index` and `value`, where regions promise an `Atom` only."""


def over_vertices(region: Region, H: Array, g: Array, x: Array, tolerance: float) -> Array | None:
    """Minimize <g, y> + (y - x)'H(y - x)/2 over few vertices that are single coordinates.

    Over the weights of all vertices on the side that the gradient leads to, or else of all there
    are. None where x is not a combination of them, or rounding leaves a gap above `tolerance`.
    """
    known = region.decompose(x)
    for sides in ((g,), (g, -g)) if known is not None else ():
        atoms = [atom for side in sides for atom in region.several(side, x.size)]
        y = _over(atoms, known or [], H, g, x, 0.5 * tolerance)
        d = y - x
        ahead = g + H @ d
        gap = float(ahead @ y) - float(region.ask(ahead).dot(ahead))
        if gap <= tolerance and float((g + ahead) @ d) < 0.0:
            return y
    return None


def _over(
    atoms: Sequence[Coordinate], known: Sequence[tuple[float, Coordinate]],
    H: Array, g: Array, x: Array, tolerance: float,
) -> Array:  # fmt: skip
    """Minimize the model over the hull of `atoms` and of those of x, `known` with their weights."""
    weight = dict.fromkeys(((atom.index, atom.value) for atom in atoms), 0.0)
    for share, atom in known:
        place = atom.index, atom.value
        weight[place] = weight.get(place, 0.0) + share
    places, values = (np.array(part) for part in zip(*weight, strict=True))
    weights = np.array(list(weight.values()))
    curvature = H[np.ix_(places, places)] * values[:, None] * values
    goal = toward_model(curvature, weights / weights.sum(), values * g[places], tolerance)
    return np.bincount(places, goal * values, minlength=x.size).astype(np.float64)


def toward_model(H: Array, weights: Array, r: Array, tolerance: float) -> Array:
    """Minimize the model with Hessian H and gradient r over the simplex, from `weights`.

    The answer is the single best atom where rounding leaves nothing of the model (f is nearly
    flat here, and curved elsewhere).
    """
    goal = _minimizer(H, weights, r, tolerance)
    total = float(goal.sum())
    if not abs(total - 1.0) <= POLICY.weight_loss:
        goal[:] = 0.0
        goal[r.argmin()] = total = 1.0
    return goal / total


def _minimizer(H: Array, weights: Array, r: Array, tolerance: float) -> Array:
    """Minimize the model by the active-set method; weights sum to one up to rounding only."""
    goal = weights.copy()
    pivots = max(
        min(POLICY.pivots_per_atom * r.size, int(POLICY.pivot_work / r.size**2)), r.size // 4
    )
    sizes = np.diagonal(H)
    spread = float(r.max() - r.min())
    if float(sizes.max()) > POLICY.curvature_ratio * float(sizes[sizes > 0.0].min(initial=np.inf)):
        scaled, shift = _each_in_its_unit(H, POLICY.min_curvature * spread)
        simplex.minimize(scaled, r, goal, shift, 0.0, tolerance, pivots)
        return goal
    scale = max(float(np.trace(H)) / r.size, 1e-6 * spread) or 1.0  # H may be zero (Huber)
    # the tolerance is part of the gap, so that far from the end few variables change
    simplex.minimize(H, r, goal, scale, POLICY.ridge * scale, tolerance, pivots)
    return goal


def _each_in_its_unit(H: Array, flat: float) -> tuple[Array, float]:
    """Hessian that is equal to H on the simplex, with a ridge in each weight's unit; and a shift.

    Atoms are seen from the smallest of them, which changes nothing where weights sum to one:
    what is added to H to make it definite is then as small as its smallest entry. Added to
    every entry of a matrix whose atoms differ in size by many powers of ten, one number for
    all would take the digits of the small ones. A curvature of at most `flat` is none.
    """
    base = int(np.diagonal(H).argmin())
    seen = H - H[base] - H[:, base, None] + H[base, base]
    sizes = np.maximum(np.diagonal(seen), 0.0)
    least = max(float(sizes[sizes > flat].min(initial=float(sizes.max()))), flat) or 1.0
    ridge = POLICY.ridge * np.maximum(sizes, least)
    seen.ravel()[:: ridge.size + 1] += ridge
    return seen, least
