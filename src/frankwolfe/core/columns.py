"""Objectives restricted to the weights of a few atoms, for corrective methods."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import Array, Indices, Matrix
from frankwolfe.base.blas import one_thread
from frankwolfe.base.clock import Pieces, seconds_left
from frankwolfe.core.atoms import Atom
from frankwolfe.core.objective import Objective

__all__ = ["AtomColumns", "ImageColumns"]

S = TypeVar("S", Sequence[Atom], Indices)
PORTION_OPERATIONS = 2e9  # for the Hessian of one portion, so that a time limit is seen in between
MIN_PORTION = 64  # points; fewer cost more in moving the matrices than they save in time


class AtomColumns(ABC):
    """f(Bw) as a function of weights w, where the columns of B are images of atoms.

    Attributes
    ----------
    whole : Objective
        The objective f.
    places : slice or array of int
        The nonzero rows of B; `objective` is f on these entries of z.
    """

    whole: Objective
    places: slice | Indices

    @property
    @abstractmethod
    def objective(self) -> Objective:
        """The objective f, or its part on the nonzero rows of B."""

    @abstractmethod
    def add(self, points: Sequence[Atom]) -> None:
        """Append the images of more atoms."""

    def portions(self, points: S, known: int) -> Iterator[S]:
        """Yield the points to be added to the `known` ones in portions, while the run has time.

        Without a time limit they come together, since each portion copies the matrices.
        """
        if self.whole.distant or seconds_left() == math.inf:
            yield points
            return
        first, pieces = 0, Pieces()
        while first < len(points):
            half = 0.5 * (known + first)
            few = math.sqrt(half * half + PORTION_OPERATIONS / self.whole.m) - half
            last = first + max(MIN_PORTION, int(few))
            yield points[first:last]
            first = last
            if first < len(points) and (self.objective is None or pieces.due()):  # which catches up
                return

    @abstractmethod
    def keep(self, keep: NDArray[np.bool_]) -> None:
        """Drop the columns for which `keep` is false."""

    @abstractmethod
    def image(self, weights: Array) -> Array:
        """The whole image B w of the combination of atoms."""

    @abstractmethod
    def combine(self, weights: Array) -> Array:
        """The image B w, on the nonzero rows of B alone."""

    def ahead(self, z: Array, dz: Array, t: float) -> Array:
        """The image z + t dz, for a dz that `combine` returned."""
        return z + t * dz

    @abstractmethod
    def derivative(self, z: Array, room: Array) -> Array:
        """The gradient B' phi'(z) in the weights, for z from `combine`; `room` is scratch space."""

    @abstractmethod
    def hessian(self, z: Array) -> Array:
        """The Hessian B' phi''(z) B in the weights, for z from `combine`."""

    @abstractmethod
    def pack(self) -> dict[str, Array]:
        """Arrays for a checkpoint; images are not kept, but recomputed."""

    @abstractmethod
    def restore(self, points: Sequence[Atom], hessian: Array) -> None:
        """Restore what `pack` returned, for the points that were there then."""


class ImageColumns(AtomColumns):
    """Images as a matrix in the objective's own place; the rest of A is never touched.

    Where sparse images have few nonzero rows, f is evaluated on these alone: `objective` is its
    part there, and `places` their numbers. New images are computed when they are first needed.
    """

    __slots__ = (
        *("_curved", "_hessian", "_images", "_new", "_objective", "_place", "_reached"),
        *("_second", "places", "whole"),
    )

    def __init__(self, objective: Objective) -> None:
        assert objective.second_order is not None  # the methods that keep columns have asked
        self.whole = self._objective = objective
        self._second = self._curved = objective.second_order  # of f, and of `objective`
        self._place = objective.place
        self.places: slice | Indices = slice(None)
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
        """Compute the images that were added since the last call."""
        if self._new:
            images = self._second.images(self._new)
            self._new = []
            more = self._images is not None
            self._images = self._place.beside(self._images, images) if more else images
        elif self._reached is not None or self._images is None:
            return
        self._reach()
        if self.whole.quadratic:
            self._hessian = self._grown()

    def _reach(self) -> None:
        """Restrict f and the images to the nonzero rows of B, where these are few."""
        places, self._reached = self._place.reached(self._images, apart=True)
        self._objective, self._curved, self.places = self.whole, self._second, slice(None)
        if places is None:
            return
        part = self.whole.only(places)
        if part is None:
            # f cannot be split: all rows are kept, but a sparse matrix is still made by rows
            _, self._reached = self._place.reached(self._images, apart=False)
        else:
            assert part.second_order is not None
            self._objective, self._curved, self.places = part, part.second_order, places

    def _grown(self) -> Array:
        """The constant Hessian B' Q B, of which only the rows of new columns are computed."""
        old, size = self._hessian.shape[0], self._reached.shape[1]
        if old == size:
            return self._hessian
        z = self._place.empty(self._reached.shape[0], self.whole.dtype)
        z[:] = 0.0
        with one_thread():
            right = self._reached[:, old:] if old else self._reached
            late = self._curved.hessian(z, self._reached, right)
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
        if self.whole.quadratic:  # its Hessian is constant: columns that stay keep theirs
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
            return self._curved.hessian(z, self._reached, self._reached)

    def pack(self) -> dict[str, Array]:
        return {"hessian": self._hessian}

    def restore(self, points: Sequence[Atom], hessian: Array) -> None:
        if hessian.ndim != 2 or not hessian.shape[0] == hessian.shape[1] <= len(points):
            raise ValueError("the Hessian is not that of the points")
        known = hessian.shape[0]  # what was not yet computed is so later, in the same way
        self._images = self._second.images(points[:known]) if known else None
        self._hessian, self._reached, self._new = np.array(hessian), None, list(points[known:])
