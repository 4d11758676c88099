"""f as a function of the weights of a few points: what corrective methods work on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.numerics.arrays import Array, Matrix
from frankwolfe.numerics.atoms import Atom
from frankwolfe.numerics.blas import one_thread
from frankwolfe.numerics.checks import is_sparse
from frankwolfe.objectives.base import Objective

__all__ = ["Columns", "ImageColumns"]

FEW = 4  # sparse images with less than 1/4 as many entries as z are treated apart


class Columns(ABC):
    """A few points by their images, columns of one matrix B: f(Bw), its slopes and Hessian.

    Attributes
    ----------
    whole : Objective
        f itself.
    places : index
        The entries of z that the images reach; `objective` is f there.
    """

    whole: Objective
    places: Any

    @property
    @abstractmethod
    def objective(self) -> Objective:
        """f, or its part on the entries of z that are reached."""

    @abstractmethod
    def add(self, points: Sequence[Atom]) -> None:
        """Take in some more."""

    @abstractmethod
    def keep(self, keep: NDArray[np.bool_]) -> None:
        """Only these stay."""

    @abstractmethod
    def image(self, weights: Array) -> Array:
        """All of the image of the sum of weights times points."""

    @abstractmethod
    def combine(self, weights: Array) -> Array:
        """The same on the entries that are reached."""

    def ahead(self, z: Array, dz: Array, t: float) -> Array:
        """z + t dz, for a dz that `combine` gave."""
        return z + t * dz

    @abstractmethod
    def derivative(self, z: Array, room: Array) -> Array:
        """The derivatives of f in the weights, for z on those entries; `room` is of its size."""

    @abstractmethod
    def hessian(self, z: Array) -> Array:
        """The second derivatives of f in the weights, for z on those entries."""

    @abstractmethod
    def pack(self) -> dict[str, Array]:
        """What a later process needs; images are computed again."""

    @abstractmethod
    def restore(self, points: Sequence[Atom], hessian: Array) -> None:
        """Take what `pack` gave, and the points that were there."""


class ImageColumns(Columns):
    """The images in memory; nothing here touches the rest of A.

    Where sparse images reach few entries of z, f is evaluated on these alone: `objective` is
    then its part there, and `places` says which entries they are. What is new is computed when
    it is first needed.
    """

    __slots__ = ("_hessian", "_images", "_new", "_objective", "_reached", "places", "whole")

    def __init__(self, objective: Objective) -> None:
        self.whole = self._objective = objective
        self.places: Any = slice(None)
        self._images: Matrix = None
        self._reached: Matrix = None  # the images where any is not zero; sparse ones by rows
        self._hessian: Array = np.empty((0, 0))
        self._new: list[Atom] = []

    def add(self, points: Sequence[Atom]) -> None:
        self._new.extend(points)

    @property
    def objective(self) -> Objective:
        self._catch_up()
        return self._objective

    def _catch_up(self) -> None:
        if self._new:
            images = self.whole.images(self._new)
            self._new = []
            self._images = images if self._images is None else _beside(self._images, images)
        elif self._reached is not None or self._images is None:
            return
        self._objective, self._reached, self.places = _reached(self.whole, self._images)
        if self.whole.quadratic:
            self._hessian = self._grown()

    def _grown(self) -> Array:
        """The Hessian with the rows of the last columns, which alone are computed."""
        old, size = self._hessian.shape[0], self._reached.shape[1]
        if old == size:
            return self._hessian
        z = np.zeros(self._reached.shape[0], dtype=self.whole.dtype)
        with one_thread():
            right = self._reached[:, old:] if old else self._reached
            late = self._objective.hessian(z, self._reached, right)
        if old == 0:
            return late
        full = np.empty((size, size))
        full[:old, :old], full[:, old:] = self._hessian, late
        full[old:, :old] = full[:old, old:].T
        return full

    def keep(self, keep: NDArray[np.bool_]) -> None:
        self._catch_up()
        if self._images is not None:
            self._images, self._reached = self._images[:, keep], None
            if not is_sparse(self._images):
                self._images = np.asfortranarray(self._images)
        if self.whole.quadratic:
            self._hessian = np.ascontiguousarray(self._hessian[np.ix_(keep, keep)])

    def image(self, weights: Array) -> Array:
        self._catch_up()
        return np.asarray(self._images @ weights, dtype=self.whole.dtype)

    def combine(self, weights: Array) -> Array:
        self._catch_up()
        return np.asarray(self._reached @ weights, dtype=self.whole.dtype)

    def derivative(self, z: Array, room: Array) -> Array:
        self._catch_up()
        self._objective.linearize(z, room)
        return np.asarray(self._reached.T @ room, dtype=np.float64)

    def hessian(self, z: Array) -> Array:
        self._catch_up()
        if self.whole.quadratic:
            return self._hessian
        with one_thread():
            return self._objective.hessian(z, self._reached, self._reached)

    def pack(self) -> dict[str, Array]:
        return {"hessian": self._hessian}

    def restore(self, points: Sequence[Atom], hessian: Array) -> None:
        if hessian.ndim != 2 or not hessian.shape[0] == hessian.shape[1] <= len(points):
            raise ValueError("the Hessian is not that of the points")
        known = hessian.shape[0]  # what was not yet computed is so later, in the same way
        self._images = self.whole.images(points[:known]) if known else None
        self._hessian, self._reached, self._new = np.array(hessian), None, list(points[known:])


def _beside(images: Matrix, more: Matrix) -> Matrix:
    """Both, as columns of one matrix."""
    if is_sparse(images) or is_sparse(more):
        from scipy.sparse import csc_array, hstack

        return hstack([csc_array(images), csc_array(more)], format="csc")
    return np.asfortranarray(np.hstack([images, more]))


def _reached(objective: Objective, images: Matrix) -> tuple[Objective, Matrix, Any]:
    """f and the images on the entries of z that the images reach, where these are few."""
    if not is_sparse(images):
        return objective, images, slice(None)
    if 0 < images.nnz < objective.m // FEW:
        from scipy.sparse import csc_array

        places, rows = np.unique(images.indices, return_inverse=True)
        part = objective.only(places)
        if part is not None:
            shape = (places.size, images.shape[1])
            return part, csc_array((images.data, rows, images.indptr), shape=shape).tocsr(), places
    return objective, images.tocsr(), slice(None)
