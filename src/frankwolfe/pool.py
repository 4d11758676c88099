"""Atoms with their images: the problem restricted to their hull."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frankwolfe.active_set import ActiveSet
from frankwolfe.arrays import Array, Matrix
from frankwolfe.atoms import Atom
from frankwolfe.blas import one_thread
from frankwolfe.checks import is_sparse
from frankwolfe.kernels import simplex
from frankwolfe.memory import Memory
from frankwolfe.objectives import Objective
from frankwolfe.parts.scalar import full_or_newton

__all__ = ["Pool"]

RIDGE = 1e-13  # share of the mean curvature that holds back flat directions
PIVOTS = 20  # for each atom, at most
FEW = 4  # part of z that sparse atoms must leave untouched to be treated apart: 1 - 1/4


class Reached(NamedTuple):
    """f, and the atoms' images, on the entries of z that the atoms reach."""

    objective: Objective
    images: Matrix
    by_rows: Matrix  # the same; where it is sparse, in compressed rows
    places: Any

    def hessian(self, z: Array, new: int = 0) -> Array:
        """Of the weights at z; the columns of the last `new` atoms alone where that is not 0."""
        late = self.by_rows[:, -new:] if 0 < new < self.images.shape[1] else self.by_rows
        with one_thread():
            return self.objective.hessian(z, self.by_rows, late)


class Pool(Memory):
    """Atoms with weights >= 0, the images of the atoms, and for a quadratic f their Hessian.

    Minimizing f over the hull of the atoms is a problem over the probability simplex, with
    as many variables as there are atoms; it never touches A.
    """

    __slots__ = ("_hessian", "_images", "_reached", "kept", "objective")

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.kept = ActiveSet(objective.n, objective.dtype)
        self._images: Matrix = None
        self._reached: Reached | None = None
        self._hessian: Array = np.empty((0, 0))

    @property
    def weights(self) -> Array:
        """The atoms' weights, as a view."""
        return self.kept.weights

    def add(self, atoms: Sequence[Atom]) -> None:
        """Take in those that are new, with weight zero."""
        self.kept.extend(atoms)

    def _catch_up(self) -> Reached:
        """Compute what belongs to the atoms that are new."""
        known = 0 if self._images is None else self._images.shape[1]
        new = [self.kept.atom(place) for place in range(known, len(self.kept))]
        if new:
            self._images = _beside(self._images, self.objective.images(new))
        if new or self._reached is None:
            self._reached = _reached(self.objective, self._images)
        if new and self.objective.quadratic:
            self._hessian = self._grown_hessian(self._reached, len(new))
        return self._reached

    def _grown_hessian(self, part: Reached, new: int) -> Array:
        """The Hessian with the rows of the last `new` atoms, which alone are computed."""
        size = len(self.kept)
        old = size - new
        full = np.empty((size, size))
        full[:old, :old] = self._hessian
        z = np.zeros(part.images.shape[0], dtype=self.objective.dtype)
        full[:, old:] = part.hessian(z, new)
        full[old:, :old] = full[:old, old:].T
        return full

    def keep(self, keep: NDArray[np.bool_]) -> None:
        """Only these atoms stay."""
        self._catch_up()
        self.kept.select(keep)
        if self._images is not None:
            self._images, self._reached = self._images[:, keep], None
            if not is_sparse(self._images):
                self._images = np.asfortranarray(self._images)
        if self.objective.quadratic:
            self._hessian = np.ascontiguousarray(self._hessian[np.ix_(keep, keep)])

    def image(self) -> Array:
        """The image of the combination."""
        self._catch_up()
        return np.asarray(self._images @ self.weights, dtype=self.objective.dtype)

    def correct(
        self, z: Array, enough: float, most: int, count: Callable[[], None] = lambda: None
    ) -> Array:
        """Minimize over the hull until its gap is `enough`; return the image.

        Newton's method: a quadratic model over the simplex, then a search along the way to
        its minimizer, whose trials are counted by `count`.
        """
        part = self._catch_up()
        weights, z = self.weights.copy(), z[part.places]
        slope = np.empty_like(z)

        def along(dz: Array, t: float) -> tuple[float, float, float | None]:
            count()
            return part.objective.along(z, dz, t)

        for _ in range(most):
            part.objective.linearize(z, slope)
            r = np.asarray(part.images.T @ slope, dtype=np.float64)
            gap = float(weights @ r - r.min())
            if gap <= enough:
                break
            H = self._hessian if self.objective.quadratic else part.hessian(z)
            away = _toward_model(H, weights, r, 0.01 * gap) - weights
            dz = np.asarray(part.images @ away, dtype=z.dtype)
            t = full_or_newton(partial(along, dz), part.objective.reach(z, dz, 1.0))
            if t == 0.0:
                break
            weights += t * away
            z = z + t * dz
        self.kept.set_weights(np.maximum(weights, 0.0) / weights.sum())
        return self.image()

    def made_of(self) -> ActiveSet:
        """Those with weight, as a new set."""
        found = self.kept.copy()
        found.drop()
        return found

    def pack(self) -> dict[str, Array]:
        """Atoms, weights and Hessian; images are computed again."""
        return {**self.kept.pack(), "hessian": self._hessian}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Take what `pack` gave."""
        self.kept.restore(arrays)
        known = [self.kept.atom(place) for place in range(len(arrays["hessian"]))]
        self._images = self.objective.images(known) if known else None
        self._hessian = np.array(arrays["hessian"])
        self._reached = None


def _beside(images: Matrix, more: Matrix) -> Matrix:
    """Both, as columns of one matrix."""
    if images is None:
        return more
    if is_sparse(more):
        from scipy.sparse import hstack

        return hstack([images, more], format="csc")
    return np.asfortranarray(np.hstack([images, more]))


def _reached(objective: Objective, images: Matrix) -> Reached:
    """All of z, or the entries at which any image is not zero where these are few."""
    if not is_sparse(images):
        return Reached(objective, images, images, slice(None))
    if 0 < images.nnz < objective.m // FEW:
        from scipy.sparse import csc_array

        places, rows = np.unique(images.indices, return_inverse=True)
        part = objective.only(places)
        if part is not None:
            shape = (places.size, images.shape[1])
            images = csc_array((images.data, rows, images.indptr), shape=shape)
            return Reached(part, images, images.tocsr(), places)
    return Reached(objective, images, images.tocsr(), slice(None))


def _toward_model(H: Array, weights: Array, r: Array, tolerance: float) -> Array:
    """The minimizer over the simplex of the model with Hessian H and gradient r."""
    spread = float(r.max() - r.min())
    scale = max(float(np.trace(H)) / r.size, 1e-6 * spread, 1e-300)  # H may be zero (Huber)
    goal = weights.copy()
    c = r - H @ weights
    # the tolerance is part of the gap, so that far from the end few variables change
    simplex.minimize(H, c, goal, scale, RIDGE * scale, tolerance, PIVOTS * r.size)
    return goal
