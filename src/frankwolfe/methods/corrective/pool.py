"""Atoms with their images: the problem restricted to their hull."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from frankwolfe.methods.corrective.columns import ImageColumns
from frankwolfe.numerics.active_set import ActiveSet
from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.atoms import Atom
from frankwolfe.numerics.kernels import simplex
from frankwolfe.numerics.memory import Memory
from frankwolfe.numerics.scalar import Along, full_or_newton
from frankwolfe.objectives import Objective

__all__ = ["Pool"]

Line: TypeAlias = Callable[[Array, Array, Objective], Along]
"""As :meth:`frankwolfe.core.state.State.line`."""

RIDGE = 1e-13  # share of the mean curvature that holds back flat directions
PIVOTS = 20  # for each atom, at most


class Pool(Memory):
    """Atoms with weights >= 0, the images of the atoms, and for a quadratic f their Hessian.

    Minimizing f over the hull of the atoms is a problem over the probability simplex, with
    as many variables as there are atoms; it never touches A.
    """

    __slots__ = ("columns", "kept")

    def __init__(self, objective: Objective) -> None:
        self.kept = ActiveSet(objective.n, objective.dtype)
        self.columns = ImageColumns(objective)

    @property
    def weights(self) -> Array:
        """The atoms' weights, as a view."""
        return self.kept.weights

    def open(self) -> None:
        """Take in what belongs to the atoms that are there."""
        self.columns.add([atom for _, atom in self.kept])

    def add(self, atoms: Sequence[Atom]) -> None:
        """Take in those that are new, with weight zero."""
        self.columns.add(self.kept.extend(atoms))

    def keep(self, keep: NDArray[np.bool_]) -> None:
        """Only these atoms stay."""
        self.columns.keep(keep)
        self.kept.select(keep)

    def image(self) -> Array:
        """The image of the combination."""
        return self.columns.image(self.weights)

    def correct(self, z: Array, enough: float, most: int, line: Line) -> Array:
        """Minimize over the hull until its gap is `enough`; return the image.

        Newton's method: a quadratic model over the simplex, then a search along the way to
        its minimizer, whose trials are those of `line`, the state's own.
        """
        columns = self.columns
        objective = columns.objective
        weights, z = self.weights.copy(), z[columns.places]
        slope = np.empty_like(z)
        for _ in range(most):
            objective.linearize(z, slope)
            r = columns.slopes(slope)
            gap = float(weights @ r - r.min())
            if gap <= enough:
                break
            away = _toward_model(columns.hessian(z), weights, r, 0.01 * gap) - weights
            dz = columns.combine(away)
            t = full_or_newton(line(dz, z, objective), objective.max_step(z, dz, 1.0))
            if t == 0.0:
                break
            weights += t * away
            z = z + t * dz
        self.kept.set_weights(np.maximum(weights, 0.0) / weights.sum())
        return self.image()

    def pack(self) -> dict[str, Array]:
        """Atoms, weights and Hessian; images are computed again."""
        return {**self.kept.pack(), **self.columns.pack()}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Take what `pack` gave."""
        self.kept.restore(arrays)
        self.columns.restore([atom for _, atom in self.kept], arrays["hessian"])


def _toward_model(H: Array, weights: Array, r: Array, tolerance: float) -> Array:
    """The minimizer over the simplex of the model with Hessian H and gradient r."""
    spread = float(r.max() - r.min())
    scale = max(float(np.trace(H)) / r.size, 1e-6 * spread, 1e-300)  # H may be zero (Huber)
    goal = weights.copy()
    c = r - H @ weights
    # the tolerance is part of the gap, so that far from the end few variables change
    simplex.minimize(H, c, goal, scale, RIDGE * scale, tolerance, PIVOTS * r.size)
    return goal
