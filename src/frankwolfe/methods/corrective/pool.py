"""The problem restricted to a few points: their images, and the hull of atoms with weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from frankwolfe.core.state import never
from frankwolfe.methods.corrective.model import toward_model
from frankwolfe.numerics.active_set import ActiveSet
from frankwolfe.numerics.arrays import Array, Matrix
from frankwolfe.numerics.atoms import Atom, Dense
from frankwolfe.numerics.blas import one_thread
from frankwolfe.numerics.checks import is_sparse
from frankwolfe.numerics.memory import Memory
from frankwolfe.numerics.scalar import Along, full_or_newton
from frankwolfe.objectives import Objective

__all__ = ["ImageColumns", "Pool"]

Line: TypeAlias = Callable[[Array, Array, Objective], Along]
"""As :meth:`frankwolfe.core.state.State.line`."""

FEW = 4  # sparse images with less than 1/4 as many entries as z are treated apart
PROGRESS, STALE = 0.9, 5  # Newton steps that leave more than this share of the gap end it


class ImageColumns:
    """f as a function of the weights of a few points; nothing here touches the rest of A.

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
        """Take in some more."""
        self._new.extend(points)

    @property
    def objective(self) -> Objective:
        """f, or its part on the entries of z that are reached."""
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
        """Only these stay."""
        self._catch_up()
        if self._images is not None:
            self._images, self._reached = self._images[:, keep], None
            if not is_sparse(self._images):
                self._images = np.asfortranarray(self._images)
        if self.whole.quadratic:
            self._hessian = np.ascontiguousarray(self._hessian[np.ix_(keep, keep)])

    def image(self, weights: Array) -> Array:
        """All of the image of the sum of weights times points."""
        self._catch_up()
        return np.asarray(self._images @ weights, dtype=self.whole.dtype)

    def combine(self, weights: Array) -> Array:
        """The same on the entries that are reached."""
        self._catch_up()
        return np.asarray(self._reached @ weights, dtype=self.whole.dtype)

    def slopes(self, slope: Array) -> Array:
        """The derivatives of f in the weights, where `slope` is phi'(z) on those entries."""
        self._catch_up()
        return np.asarray(self._reached.T @ slope, dtype=np.float64)

    def hessian(self, z: Array) -> Array:
        """The second derivatives of f in the weights, for z on those entries."""
        self._catch_up()
        if self.whole.quadratic:
            return self._hessian
        with one_thread():
            return self._objective.hessian(z, self._reached, self._reached)

    def pack(self) -> dict[str, Array]:
        """The Hessian; images are computed again."""
        return {"hessian": self._hessian}

    def restore(self, points: Sequence[Atom], hessian: Array) -> None:
        """Take what `pack` gave, and the points that were there."""
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


class Pool(Memory):
    """Atoms with weights >= 0, the images of the atoms, and for a quadratic f their Hessian.

    Minimizing f over the hull of the atoms is a problem over the probability simplex, with
    as many variables as there are atoms; it never touches A.
    """

    __slots__ = ("columns", "kept")

    def __init__(self, objective: Objective) -> None:
        self.kept = ActiveSet(objective.n, objective.dtype)
        self.columns = ImageColumns(objective)

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

    def draw_together(self, share: float) -> None:
        """Draw the atoms toward their combination, which stays: weights then have more digits.

        Where a region is far larger than the way to the best point, the rounding of weights is
        farther than that.
        """
        x = self.kept.point()
        near = [(w, Dense(x + share * (a.dense(x.size) - x))) for w, a in self.kept if w > 0.0]
        self.kept.select(np.zeros(len(self.kept), dtype=bool))
        for weight, atom in near:
            place = self.kept.place(atom)  # may move the weights
            self.kept.weights[place] += weight
        self.columns = ImageColumns(self.columns.whole)
        self.open()

    def correct(
        self, z: Array, enough: float, most: int, line: Line, due: Callable[[], bool] = never
    ) -> Array:
        """Minimize over the hull until its gap is `enough`; return the image.

        Newton's method: a quadratic model over the simplex, then a search along the way to
        its minimizer, whose trials are those of `line`, the state's own. Ends early where `due`.
        """
        columns = self.columns
        objective = columns.objective
        weights, z = self.kept.weights.copy(), z[columns.places]
        slope = np.empty_like(z)
        best, stale = math.inf, 0
        for _ in range(most):
            objective.linearize(z, slope)
            r = columns.slopes(slope)
            gap = float(weights @ r - r.min())
            best, stale = (gap, 0) if gap < PROGRESS * best else (best, stale + 1)
            if gap <= enough or stale == STALE or due():
                break
            away = toward_model(columns.hessian(z), weights, r, 0.01 * gap) - weights
            dz = columns.combine(away)
            t = full_or_newton(line(dz, z, objective), objective.max_step(z, dz, 1.0))
            if t == 0.0:
                break
            weights += t * away
            z = z + t * dz
        self.kept.set_weights(np.maximum(weights, 0.0) / weights.sum())
        return columns.image(self.kept.weights)

    def pack(self) -> dict[str, Array]:
        """Atoms, weights and Hessian; images are computed again."""
        return {**self.kept.pack(), **self.columns.pack()}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Take what `pack` gave."""
        self.kept.restore(arrays)
        self.columns.restore([atom for _, atom in self.kept], arrays["hessian"])
