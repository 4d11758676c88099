"""Shards, which workers hold: ordinary objectives of a few blocks of rows, and their sums."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.base.checks import quiet
from frankwolfe.core.enclosure import Enclosed, together
from frankwolfe.core.objective_abilities import ShiftedDerivatives
from frankwolfe.core.place import Place
from frankwolfe.engines.dask.levels import Bordered, Level
from frankwolfe.engines.dask.named import NamedAtoms, NamedVector, Recent, Unknown
from frankwolfe.objectives import Multinomial, Objective
from frankwolfe.objectives.separable import LinearLoss

if TYPE_CHECKING:
    from frankwolfe.regions import Region

__all__ = ["DataLoss", "Shard", "answer"]

MAX_IMAGES = 4  # of points, kept by a shard: x, a direction, a trial, the iterate before
IMAGES_SHARE = 64  # bytes of data to those of a working set's images, for these to be kept
NOTHING: Array = np.empty(0)  # a sum of no arrays, and a direction that is absent


DataLoss: TypeAlias = LinearLoss | Multinomial
"""A loss of some rows of a data matrix, which a shard holds in its memory."""


class Shard:
    """Sum of the objectives of some blocks of rows, always added in their order.

    An image is named by its point: it is computed from the point when first asked for, and kept
    for a while. So nothing drifts, and a shard made again answers with the same bits.
    """

    def __init__(self, losses: Sequence[DataLoss], nbytes: int) -> None:
        self.losses = tuple(losses)
        self.nbytes = nbytes
        self._forget()

    def _forget(self) -> None:
        self._images: Recent[bytes, list[Array]] = Recent(MAX_IMAGES)
        self._columns: Recent[bytes, list[Matrix | None]] = Recent(1)
        self._busy = threading.Lock()

    def __getstate__(self) -> dict[str, object]:
        return {"losses": self.losses, "nbytes": self.nbytes}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._forget()

    def __sizeof__(self) -> int:
        return self.nbytes

    # what is asked ---------------------------------------------------------------------------

    def value(self, x: NamedVector) -> float:
        """phi(z) at the point."""
        return sum(loss.value(z) for loss, z in self._at(x))

    def evaluate(self, x: NamedVector) -> tuple[float, float, float, Array]:
        """phi(z), <phi'(z), z>, |phi'(z)|^2 and the gradient A'phi'(z)."""
        value = inner = square = 0.0
        total: Array = NOTHING
        for loss, z in self._at(x):
            slope, out = loss.new_image(), np.empty(loss.gradient_size, dtype=loss.dtype)
            first, second = loss.evaluate(z, slope, out)
            value, inner = value + first, inner + second
            square += loss.squared_length(slope)
            total = _sum(total, out)
        return value, inner, square, total

    def along(self, x: NamedVector, d: NamedVector, t: float) -> tuple[float, float, float]:
        """Value, slope and curvature of t -> phi(z + t dz) at t."""
        found = [loss.along(z, dz, t) for loss, z, dz in self._with(x, d)]
        value, slope, curvature = zip(*found, strict=True)
        return sum(value), sum(slope), sum(float(c or 0.0) for c in curvature)

    def squared_length(self, d: NamedVector) -> float:
        """Squared length |A d|^2 of an image."""
        return sum(loss.squared_length(dz) for loss, dz in self._at(d))

    def curvature_bound(self, d: NamedVector) -> float:
        """Upper bound on the second derivative of phi along A d, anywhere."""
        return sum(float(loss.curvature_bound(dz) or 0.0) for loss, dz in self._at(d))

    def in_domain(self, x: NamedVector) -> bool:
        """True if phi is finite at the point."""
        return all(loss.in_domain(z) for loss, z in self._at(x))

    def max_step(self, x: NamedVector, d: NamedVector, t: float) -> float:
        """Largest step in [0, t] along d up to which phi is finite."""
        return min(loss.max_step(z, dz, t) for loss, z, dz in self._with(x, d))

    def hessian(self, x: NamedVector, left: NamedAtoms, right: NamedAtoms | None) -> Array:
        """Hessian B'phi''C between the images B and C of two sets of atoms, or of one."""
        total: Array = NOTHING
        for k, (loss, z) in enumerate(self._at(x)):
            B = self._images_of(k, left)
            C = B if right is None else self._images_of(k, right)
            total = _sum(total, loss.hessian(z, B, C))
        return total

    def full_hessian(self, x: NamedVector) -> Array:
        """Hessian A'phi''A in all variables."""
        return reduce(_sum, (loss.full_hessian(z) for loss, z in self._at(x)), NOTHING)

    def restricted(self, x: NamedVector, atoms: NamedAtoms) -> tuple[float, Array, Array]:
        """phi with its gradient and Hessian in the weights of atoms."""
        value, slopes, total = 0.0, NOTHING, NOTHING
        for k, (loss, z) in enumerate(self._at(x)):
            B, slope = self._images_of(k, atoms), loss.new_image()
            value += loss.linearize(z, slope)[0]
            slopes = _sum(slopes, loss.place.dots(B, slope))
            total = _sum(total, loss.hessian(z, B, B))
        return value, slopes, total

    def shifted(
        self, x: NamedVector, d: NamedVector | None, t: float, b: Array
    ) -> ShiftedDerivatives:
        """Derivatives of (t, b) -> phi(z + t dz + b), with the same b for each observation."""
        pairs = (
            self._with(x, d) if d is not None else ((loss, z, NOTHING) for loss, z in self._at(x))
        )
        parts = (loss.shifted(z, dz, t, b) for loss, z, dz in pairs)
        return reduce(lambda a, c: ShiftedDerivatives(*map(add, a, c)), parts)

    def evaluate_shifted(self, x: NamedVector, b: Array) -> Level:
        """phi, sums of phi' by class, and the gradient at z + b."""
        parts = []
        for loss, z in self._at(x):
            slope, out = loss.new_image(), np.empty(loss.gradient_size, dtype=loss.dtype)
            value = loss.linearize_shifted(z, b, slope)[0]
            loss.gradient(slope, out)
            sums = loss.place.get(slope.reshape(-1, b.size).sum(axis=0, dtype=np.float64))
            inner, size = float(slope.dot(z)), float(abs(slope).dot(abs(z)))
            parts.append(Level(value, inner, size, float(abs(z).max()), sums, out))
        return Level.sum(parts)

    def restricted_shifted(
        self, x: NamedVector, b: Array, left: NamedAtoms, right: NamedAtoms | None
    ) -> Bordered:
        """phi at z + b, with first and second derivatives in the weights of atoms and in b."""
        parts = []
        for k, (loss, z) in enumerate(self._at(x)):
            B = self._images_of(k, left)
            C = B if right is None else self._images_of(k, right)
            dots = loss.place.dots
            y, free = _lifted(loss.place, z, b)
            slope = np.empty_like(y)
            value = loss.linearize(y, slope)[0]
            beside = loss.hessian_times(y, free)
            slopes, sums = (dots(M, slope) for M in (B, free))
            H, cross = loss.hessian(y, B, C), dots(B, beside)
            other = cross if right is None else dots(C, beside)
            sizes, gram = dots(abs(free), abs(slope)), dots(free, beside)
            parts.append(Bordered(value, slopes, sums, sizes, H, cross, other, gram))
        return Bordered.sum(parts)

    def full_shifted(self, x: NamedVector, b: Array) -> tuple[Array, Array, Array]:
        """Hessian at z + b in all variables, its mixed part with b, and its part in b alone."""
        total = [NOTHING, NOTHING, NOTHING]
        for loss, z in self._at(x):
            y, free = _lifted(loss.place, z, b)
            beside, cross = loss.hessian_times(y, free), np.empty((loss.n, b.size))
            for column, out in zip(beside.T, cross.T, strict=True):
                part = np.empty(loss.n, dtype=loss.dtype)
                loss.gradient(column.astype(loss.dtype), part)
                out[:] = part
            parts = loss.full_hessian(y), cross, loss.place.dots(free, beside)
            total = [_sum(*pair) for pair in zip(total, parts, strict=True)]
        return total[0], total[1], total[2]

    def bound_along(self, d: Array) -> float:
        """Upper bound on the second derivative of phi when all observations move by d."""
        put = self.losses[0].place.put
        moved = ((loss, put(np.tile(d, loss.m // d.size))) for loss in self.losses)
        return sum(float(loss.curvature_bound(u) or 0.0) for loss, u in moved)

    def enclosed(self, x: Array, region: Region) -> Enclosed:
        """phi and the gradient at x, enclosed with all errors of rounding."""
        return together([loss.enclosed(x, region) for loss in self.losses])

    def in_double(self) -> Shard:
        """Shard of the same losses with their data in float64."""
        wide = [loss.in_double() or loss for loss in self.losses]
        return Shard(wide, 2 * self.nbytes)

    def fingerprint(self) -> str:
        """Text that tells two shards apart, for checkpoints."""
        return " ".join(loss.fingerprint() for loss in self.losses)

    def gram(self) -> Array:
        """Gram matrix A'A of the shard's rows."""
        parts = (loss.linear.gram("columns") for loss in self.losses)
        return reduce(_sum, parts, NOTHING)

    def squared_product(self, v: Array) -> Array:
        """Product A'A v over the shard's rows."""
        total: Array = NOTHING
        for loss in self.losses:
            linear: Any = loss.linear
            z = linear.place.empty(linear.shape[0], linear.dtype)
            out = np.empty(v.size, linear.dtype)
            linear.apply(v, z)
            linear.adjoint(z, out)
            total = _sum(total, out)
        return total

    def column_squares(self) -> Array:
        """Squared 2-norms of the columns of A."""
        parts = (loss.linear.column_norms**2 for loss in self.losses)
        return reduce(_sum, parts, NOTHING)

    def times(self, factor: float | Fraction) -> Shard:
        """Shard of the same losses with all weights multiplied by `factor`."""
        return Shard([loss.times(factor) for loss in self.losses], self.nbytes)

    # images ----------------------------------------------------------------------------------

    def _at(self, x: NamedVector) -> list[tuple[DataLoss, Array]]:
        """Losses, each with its image of x; Unheard if neither that nor x is known."""
        images = self._images.find(x.name)
        if images is None:
            if x.entries is None:
                raise Unheard(x.name)
            images = self._images.keep(x.name, [_image(loss, x) for loss in self.losses])
        return list(zip(self.losses, images, strict=True))

    def _with(self, x: NamedVector, d: NamedVector) -> list[tuple[DataLoss, Array, Array]]:
        """Losses, each with its images of x and d."""
        return [(loss, z, dz) for (loss, z), (_, dz) in zip(self._at(x), self._at(d), strict=True)]

    def _images_of(self, k: int, atoms: NamedAtoms) -> Matrix:
        """Images of atoms for the k-th loss, as columns; kept if they are small beside the data."""
        known = self._columns.find(atoms.name)
        if known is not None and known[k] is not None:
            return known[k]
        images = self.losses[k].images(atoms.atoms())
        if known is None:
            known = self._columns.keep(atoms.name, [None] * len(self.losses))
        if IMAGES_SHARE * _nbytes(images) * len(self.losses) <= self.nbytes:
            known[k] = images
        return images


def _lifted(place: Place, z: Array, b: Array) -> tuple[Array, Array]:
    """z + b for each observation, in float64, and the matrix U of b -> z + Ub."""
    y = (z.reshape(-1, b.size) + place.put(b)).astype(np.float64, copy=False).ravel()
    return y, place.put(np.tile(np.eye(b.size), (z.size // b.size, 1)))


class Unheard(Exception):
    """Raised by a shard that is asked about a name that it does not know."""


def answer(shard: Shard, question: str, arguments: tuple[object, ...]) -> object:
    """Answer of a shard, by the method `question`; `Unknown` if it does not know a name."""
    ask: Callable[..., object] = getattr(shard, question)
    # two runs may share a shard, and its caches are not made for two threads
    with shard._busy, quiet():
        try:
            return ask(*arguments)
        except Unheard as missing:
            return Unknown(missing.args[0])


def _image(loss: Objective, x: NamedVector) -> Array:
    """Image of a point, at the cost of its entries if it came by these."""
    z, atom = loss.new_image(), x.as_atom()
    if atom is None:
        loss.image(x.dense(), z)
    else:
        loss.image_of(atom, z)
    return z


def _sum(total: Array, part: Array) -> Array:
    """total + part, in place; `part` itself if there is no total yet."""
    if total is NOTHING:
        return part
    total += part
    return total


def _nbytes(images: Matrix) -> int:
    """Bytes of the entries of a dense or sparse matrix."""
    return int(images.data.nbytes) if hasattr(images, "indptr") else int(images.nbytes)
