"""Atoms with their images: the problem restricted to their hull."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

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


class Pool(Memory):
    """Atoms with weights >= 0, the images of the atoms, and for a quadratic f their Hessian.

    Minimizing f over the hull of the atoms is a problem over the probability simplex, with
    as many variables as there are atoms; it never touches A.
    """

    __slots__ = ("_hessian", "_images", "kept", "objective")

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.kept = ActiveSet(objective.n, objective.dtype)
        self._images: Matrix = None
        self._hessian: Array = np.empty((0, 0))

    @property
    def weights(self) -> Array:
        """The atoms' weights, as a view."""
        return self.kept.weights

    def open(self) -> None:
        """Compute what belongs to the atoms that are there."""
        self._grow(self.objective.images([atom for _, atom in self.kept]))

    def add(self, atoms: Sequence[Atom]) -> None:
        """Take in those that are new, with weight zero."""
        before = len(self.kept)
        for atom in atoms:
            self.kept.place(atom)
        new = [self.kept.atom(place) for place in range(before, len(self.kept))]
        if new:
            self._grow(self.objective.images(new))

    def _grow(self, images: Matrix) -> None:
        if self._images is None:
            self._images = images
        elif is_sparse(images):
            from scipy.sparse import hstack

            self._images = hstack([self._images, images], format="csc")
        else:
            self._images = np.asfortranarray(np.hstack([self._images, images]))
        if self.objective.quadratic:
            self._hessian = self._grown_hessian(images.shape[1])

    def _grown_hessian(self, new: int) -> Array:
        """The Hessian with the rows of the last `new` atoms, which alone are computed."""
        size = len(self.kept)
        old = size - new
        full = np.empty((size, size))
        full[:old, :old] = self._hessian
        z = np.zeros(self.objective.m, dtype=self.objective.dtype)
        with one_thread():
            full[:, old:] = self.objective.hessian(z, self._images, self._images[:, old:])
        full[old:, :old] = full[:old, old:].T
        return full

    def keep(self, keep: NDArray[np.bool_]) -> None:
        """Only these atoms stay."""
        self.kept.select(keep)
        if self._images is not None:
            self._images = self._images[:, keep]
            if not is_sparse(self._images):
                self._images = np.asfortranarray(self._images)
        if self.objective.quadratic:
            self._hessian = np.ascontiguousarray(self._hessian[np.ix_(keep, keep)])

    def image(self) -> Array:
        """The image of the combination."""
        return np.asarray(self._images @ self.weights, dtype=self.objective.dtype)

    def correct(
        self, z: Array, enough: float, most: int, count: Callable[[], None] = lambda: None
    ) -> Array:
        """Minimize over the hull until its gap is `enough`; return the image.

        Newton's method: a quadratic model over the simplex, then a search along the way to
        its minimizer, whose trials are counted by `count`.
        """
        weights = self.weights.copy()
        slope = np.empty_like(z)
        for _ in range(most):
            self.objective.linearize(z, slope)
            r = np.asarray(self._images.T @ slope, dtype=np.float64)
            gap = float(weights @ r - r.min())
            if gap <= enough:
                break
            away = self._toward_model(z, weights, r, 0.01 * gap) - weights
            dz = np.asarray(self._images @ away, dtype=z.dtype)
            upper = self.objective.reach(z, dz, 1.0)
            t = full_or_newton(partial(self._along, count, z, dz), upper)
            if t == 0.0:
                break
            weights += t * away
            z = z + t * dz
        self.kept.set_weights(np.maximum(weights, 0.0) / weights.sum())
        return self.image()

    def _along(
        self, count: Callable[[], None], z: Array, dz: Array, t: float
    ) -> tuple[float, float, float | None]:
        count()
        return self.objective.along(z, dz, t)

    def _toward_model(self, z: Array, weights: Array, r: Array, tolerance: float) -> Array:
        """The minimizer of the quadratic model over the simplex."""
        with one_thread():
            H = (
                self._hessian
                if self.objective.quadratic
                else self.objective.hessian(z, self._images, self._images)
            )
        spread = float(r.max() - r.min())
        scale = max(float(np.trace(H)) / r.size, 1e-6 * spread, 1e-300)  # H may be zero (Huber)
        goal = weights.copy()
        c = r - H @ weights
        # the tolerance is part of the gap, so that far from the end few variables change
        simplex.minimize(H, c, goal, scale, RIDGE * scale, tolerance, PIVOTS * r.size)
        return goal

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
        atoms = [atom for _, atom in self.kept]
        self._images = self.objective.images(atoms) if atoms else None
        self._hessian = np.array(arrays["hessian"])
