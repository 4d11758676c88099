"""f as a function of the weights of a few points: what corrective methods work on."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import Array, Indices, Matrix
from frankwolfe.base.blas import one_thread
from frankwolfe.base.clock import Pieces, seconds_left
from frankwolfe.core.atoms import Atom
from frankwolfe.core.objective import Objective

__all__ = ["Columns", "ImageColumns"]

S = TypeVar("S", Sequence[Atom], Indices)
WORK, FEWEST = 2e9, 64  # of one portion: operations for the Hessian, about, and points at least


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

    def portions(self, points: S, known: int) -> Iterator[S]:
        """Points to be added beside those `known`, a portion at a time while a run has time.

        All of them together where there is no limit: each portion moves what is there.
        """
        if self.whole.distant or seconds_left() == math.inf:
            yield points
            return
        first, pieces = 0, Pieces()
        while first < len(points):
            half = 0.5 * (known + first)
            few = math.sqrt(half * half + WORK / self.whole.m) - half
            last = first + max(FEWEST, int(few))
            yield points[first:last]
            first = last
            if first < len(points) and (self.objective is None or pieces.due()):  # which catches up
                return

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
    """The images where the objective has them; nothing here touches the rest of A.

    Where sparse images reach few entries of z, f is evaluated on these alone: `objective` is
    then its part there, and `places` says which entries they are. What is new is computed when
    it is first needed.
    """

    __slots__ = (
        *("_hessian", "_images", "_new", "_objective", "_place", "_reached", "places", "whole"),
    )

    def __init__(self, objective: Objective) -> None:
        self.whole = self._objective = objective
        self._place = objective.place
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
            more = self._images is not None
            self._images = self._place.beside(self._images, images) if more else images
        elif self._reached is not None or self._images is None:
            return
        self._reach()
        if self.whole.quadratic:
            self._hessian = self._grown()

    def _reach(self) -> None:
        """f and the images on the entries of z that the images reach, where these are few."""
        places, self._reached = self._place.reached(self._images, apart=True)
        self._objective, self.places = self.whole, slice(None)
        if places is None:
            return
        part = self.whole.only(places)
        if part is None:
            _, self._reached = self._place.reached(self._images, apart=False)
        else:
            self._objective, self.places = part, places

    def _grown(self) -> Array:
        """The Hessian with the rows of the last columns, which alone are computed."""
        old, size = self._hessian.shape[0], self._reached.shape[1]
        if old == size:
            return self._hessian
        z = self._place.empty(self._reached.shape[0], self.whole.dtype)
        z[:] = 0.0
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
            self._images, self._reached = self._place.select(self._images, keep), None
        if self.whole.quadratic:
            self._hessian = np.ascontiguousarray(self._hessian[np.ix_(keep, keep)])

    def image(self, weights: Array) -> Array:
        self._catch_up()
        return self._place.combination(self._images, weights, self.whole.dtype)

    def combine(self, weights: Array) -> Array:
        self._catch_up()
        return self._place.combination(self._reached, weights, self.whole.dtype)

    def derivative(self, z: Array, room: Array) -> Array:
        self._catch_up()
        self._objective.linearize(z, room)
        return self._place.dots(self._reached, room)

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
