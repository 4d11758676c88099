"""What a worker holds: ordinary objectives of a few blocks of rows, and their sums."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.base.checks import quiet
from frankwolfe.core.enclosure import Enclosed, together
from frankwolfe.core.objective_abilities import ShiftedDerivatives
from frankwolfe.core.place import Place
from frankwolfe.engines.dask.levels import Bordered, Level
from frankwolfe.engines.dask.named import Named, NamedAtoms, Recent, Unknown
from frankwolfe.objectives import Objective

__all__ = ["Shard", "answer"]

IMAGES = 4  # points whose images are kept: x, a direction, a trial, the one before
ROOMY = 64  # images of a working set are kept where they take less than 1/64 of the data
NONE: Array = np.empty(0)


class Shard:
    """Objectives of blocks of rows, one after the other; each sum is in their order.

    An image is named by its point: it is computed of the point when it is first asked for, and
    kept for a while. So nothing drifts, and a shard made afresh answers with the same bits.
    """

    def __init__(self, losses: Sequence[Objective], nbytes: int) -> None:
        self.losses = tuple(losses)
        self.nbytes = nbytes
        self._forget()

    def _forget(self) -> None:
        self._images: Recent = Recent(IMAGES)
        self._columns: Recent = Recent(1)
        self._busy = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {"losses": self.losses, "nbytes": self.nbytes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def __sizeof__(self) -> int:
        return self.nbytes

    # what is asked ---------------------------------------------------------------------------

    def value(self, x: Named) -> float:
        """phi at the point."""
        return sum(loss.value(z) for loss, z in self._at(x))

    def evaluate(self, x: Named) -> tuple[float, float, float, Array]:
        """phi, <phi', z>, |phi'|^2 and the gradient."""
        value = inner = square = 0.0
        total: Array = NONE
        for loss, z in self._at(x):
            slope, out = loss.new_image(), np.empty(loss.gradient_size, dtype=loss.dtype)
            first, second = loss.evaluate(z, slope, out)
            value, inner = value + first, inner + second
            square += loss.squared_length(slope)
            total = _sum(total, out)
        return value, inner, square, total

    def along(self, x: Named, d: Named, t: float) -> tuple[float, float, float]:
        """Value, slope and curvature of t -> phi(z + t dz)."""
        found = [loss.along(z, dz, t) for loss, z, dz in self._with(x, d)]
        value, slope, curvature = zip(*found, strict=True)
        return sum(value), sum(slope), sum(float(c or 0.0) for c in curvature)

    def squared_length(self, d: Named) -> float:
        """|A d|^2."""
        return sum(loss.squared_length(dz) for loss, dz in self._at(d))

    def curvature_bound(self, d: Named) -> float:
        """An upper bound on the curvature along d."""
        return sum(float(loss.curvature_bound(dz) or 0.0) for loss, dz in self._at(d))

    def in_domain(self, x: Named) -> bool:
        """Whether phi is finite there."""
        return all(loss.in_domain(z) for loss, z in self._at(x))

    def max_step(self, x: Named, d: Named, t: float) -> float:
        """Up to where it is, along d."""
        return min(loss.max_step(z, dz, t) for loss, z, dz in self._with(x, d))

    def hessian(self, x: Named, left: NamedAtoms, right: NamedAtoms | None) -> Array:
        """B' phi'' C for the images B and C of two sets of atoms, or of one."""
        total: Array = NONE
        for k, (loss, z) in enumerate(self._at(x)):
            B = self._images_of(k, left)
            C = B if right is None else self._images_of(k, right)
            total = _sum(total, loss.hessian(z, B, C))
        return total

    def full_hessian(self, x: Named) -> Array:
        """A' phi'' A."""
        return reduce(_sum, (loss.full_hessian(z) for loss, z in self._at(x)), NONE)

    def restricted(self, x: Named, atoms: NamedAtoms) -> tuple[float, Array, Array]:
        """phi, its derivatives and its Hessian in the weights of atoms."""
        value, slopes, total = 0.0, NONE, NONE
        for k, (loss, z) in enumerate(self._at(x)):
            B, slope = self._images_of(k, atoms), loss.new_image()
            value += loss.linearize(z, slope)[0]
            slopes = _sum(slopes, loss.place.dots(B, slope))
            total = _sum(total, loss.hessian(z, B, B))
        return value, slopes, total

    def shifted(self, x: Named, d: Named | None, t: float, b: Array) -> ShiftedDerivatives:
        """Derivatives of (t, b) -> phi(z + t dz + b), b being the same for each observation."""
        pairs = self._with(x, d) if d is not None else ((loss, z, NONE) for loss, z in self._at(x))
        parts = (loss.shifted(z, dz, t, b) for loss, z, dz in pairs)
        return reduce(lambda a, c: ShiftedDerivatives(*map(add, a, c)), parts)

    def evaluate_shifted(self, x: Named, b: Array) -> Level:
        """phi and phi' at z + b, and the gradient."""
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
        self, x: Named, b: Array, left: NamedAtoms, right: NamedAtoms | None
    ) -> Bordered:
        """phi at z + b, with derivatives in the weights of atoms and in b."""
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

    def full_shifted(self, x: Named, b: Array) -> tuple[Array, Array, Array]:
        """The Hessian at z + b in all variables, its border in b, and that of b alone."""
        total = [NONE, NONE, NONE]
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
        """The most curvature where all observations are moved by d."""
        put = self.losses[0].place.put
        moved = ((loss, put(np.tile(d, loss.m // d.size))) for loss in self.losses)
        return sum(float(loss.curvature_bound(u) or 0.0) for loss, u in moved)

    def enclosed(self, x: Array, region: Any) -> Enclosed:
        """phi and the gradient at x, with bounds that hold in floating point."""
        return together([loss.enclosed(x, region) for loss in self.losses])

    def in_double(self) -> Shard:
        """The same losses in double precision."""
        wide = [loss.in_double() or loss for loss in self.losses]
        return Shard(wide, 2 * self.nbytes)

    def fingerprint(self) -> str:
        """A short text that tells two shards apart."""
        return " ".join(loss.fingerprint() for loss in self.losses)

    def gram(self) -> Array:
        """A' A."""
        parts = (loss.linear.gram("columns") for loss in self.losses)  # type: ignore[attr-defined]
        return reduce(_sum, parts, NONE)

    def squared_product(self, v: Array) -> Array:
        """A' A v."""
        total: Array = NONE
        for loss in self.losses:
            linear: Any = loss.linear  # type: ignore[attr-defined]
            z = linear.place.empty(linear.shape[0], linear.dtype)
            out = np.empty(v.size, linear.dtype)
            linear.apply(v, z)
            linear.adjoint(z, out)
            total = _sum(total, out)
        return total

    def column_squares(self) -> Array:
        """The squares of the columns' 2-norms."""
        parts = (loss.linear.column_norms**2 for loss in self.losses)  # type: ignore[attr-defined]
        return reduce(_sum, parts, NONE)

    def times(self, factor: float | Fraction) -> Shard:
        """The same losses with all weights multiplied."""
        return Shard([loss.times(factor) for loss in self.losses], self.nbytes)

    # images ----------------------------------------------------------------------------------

    def _at(self, x: Named) -> list[tuple[Objective, Array]]:
        """The losses with the images of x."""
        images = self._images.find(x.name)
        if images is None:
            if x.entries is None:
                raise Unheard(x.name)
            images = self._images.keep(x.name, [_image(loss, x) for loss in self.losses])
        return list(zip(self.losses, images, strict=True))

    def _with(self, x: Named, d: Named) -> list[tuple[Objective, Array, Array]]:
        """The losses with the images of both."""
        return [(loss, z, dz) for (loss, z), (_, dz) in zip(self._at(x), self._at(d), strict=True)]

    def _images_of(self, k: int, atoms: NamedAtoms) -> Matrix:
        """The images of atoms under the k-th loss; kept where they take little room."""
        known = self._columns.find(atoms.name)
        if known is not None and known[k] is not None:
            return known[k]
        images = self.losses[k].images(atoms.atoms())
        if known is None:
            known = self._columns.keep(atoms.name, [None] * len(self.losses))
        if ROOMY * _nbytes(images) * len(self.losses) <= self.nbytes:
            known[k] = images
        return images


def _lifted(place: Place, z: Array, b: Array) -> tuple[Array, Array]:
    """z + b for each observation, in double precision, and the columns of b."""
    y = (z.reshape(-1, b.size) + place.put(b)).astype(np.float64, copy=False).ravel()
    return y, place.put(np.tile(np.eye(b.size), (z.size // b.size, 1)))


class Unheard(Exception):
    """A name without its vector that is not known here."""


def answer(shard: Shard, question: str, arguments: tuple[Any, ...]) -> Any:
    """What a shard says; `Unknown` where it has not heard of a name."""
    ask: Callable[..., Any] = getattr(shard, question)
    with shard._busy, quiet():
        try:
            return ask(*arguments)
        except Unheard as missing:
            return Unknown(missing.args[0])


def _image(loss: Objective, x: Named) -> Array:
    z, atom = loss.new_image(), x.as_atom()
    if atom is None:
        loss.image(x.dense(), z)
    else:
        loss.image_of(atom, z)
    return z


def _sum(total: Array, part: Array) -> Array:
    """The first where there is nothing yet; else the sum, in place."""
    if total is NONE:
        return part
    total += part
    return total


def _nbytes(images: Matrix) -> int:
    return int(images.data.nbytes) if hasattr(images, "indptr") else int(images.nbytes)
