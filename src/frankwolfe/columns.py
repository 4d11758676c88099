"""Images of a few points as columns, and for a quadratic f the Hessian between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from frankwolfe.arrays import Array, Matrix
from frankwolfe.atoms import Atom
from frankwolfe.blas import one_thread
from frankwolfe.checks import is_sparse
from frankwolfe.objectives import Objective

__all__ = ["Columns"]


class Columns:
    """f as a function of the weights of a few points; nothing here touches the rest of A."""

    __slots__ = ("_hessian", "_images", "objective")

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self._images: Matrix = None
        self._hessian: Array = np.empty((0, 0))

    def add(self, points: Sequence[Atom]) -> None:
        """Take in the images of some more."""
        images = self.objective.images(points)
        if self._images is None:
            self._images = images
        elif is_sparse(images):
            from scipy.sparse import hstack

            self._images = hstack([self._images, images], format="csc")
        else:
            self._images = np.asfortranarray(np.hstack([self._images, images]))
        if self.objective.quadratic:
            self._hessian = self._grown(images.shape[1])

    def _grown(self, new: int) -> Array:
        """The Hessian with the rows of the last `new` columns, which alone are computed."""
        old = self._hessian.shape[0]
        full = np.empty((old + new, old + new))
        full[:old, :old] = self._hessian
        z = np.zeros(self.objective.m, dtype=self.objective.dtype)
        with one_thread():
            right = self._images[:, old:] if old else self._images
            full[:, old:] = self.objective.hessian(z, self._images, right)
        full[old:, :old] = full[:old, old:].T
        return full

    def keep(self, keep: NDArray[np.bool_]) -> None:
        """Only these stay."""
        if self._images is not None:
            self._images = self._images[:, keep]
            if not is_sparse(self._images):
                self._images = np.asfortranarray(self._images)
        if self.objective.quadratic:
            self._hessian = np.ascontiguousarray(self._hessian[np.ix_(keep, keep)])

    def combine(self, weights: Array) -> Array:
        """The image of the sum of weights times points."""
        return np.asarray(self._images @ weights, dtype=self.objective.dtype)

    def slopes(self, slope: Array) -> Array:
        """The derivatives of f in the weights, where `slope` is phi'(z)."""
        return np.asarray(self._images.T @ slope, dtype=np.float64)

    def hessian(self, z: Array) -> Array:
        """The second derivatives of f in the weights, at the image z."""
        if self.objective.quadratic:
            return self._hessian
        with one_thread():
            return self.objective.hessian(z, self._images, self._images)

    def pack(self) -> dict[str, Array]:
        """The Hessian; images are computed again."""
        return {"hessian": self._hessian}

    def restore(self, points: Sequence[Atom], hessian: Array) -> None:
        """Take what `pack` gave, and the points that were there."""
        self._images = self.objective.images(points) if points else None
        self._hessian = np.array(hessian)
