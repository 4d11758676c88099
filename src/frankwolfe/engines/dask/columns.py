"""Working set whose images are on workers: a Newton step takes one round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.core.atoms import Atom
from frankwolfe.core.columns import AtomColumns
from frankwolfe.core.products import as_columns
from frankwolfe.engines.dask.named import NamedAtoms, NamedVector, Recent, named, named_atoms
from frankwolfe.objectives import Objective

if TYPE_CHECKING:
    from frankwolfe.engines.dask.profiled import ShardedProfiled
    from frankwolfe.engines.dask.sharded import Sharded

__all__ = ["ShardedColumns"]

MAX_EXPANSIONS = 8  # kept: the points of a step, its line search, and the iterate before


class LocalExpansion(NamedTuple):
    """Value, gradient and Hessian of f at a point, in the weights of a working set."""

    value: float
    slopes: Array
    hessian: Array


class ShardedColumns(AtomColumns):
    """Working set of k atoms, and f in their weights; an image is the point itself.

    A trial of a line search returns derivatives too, k^2 + k numbers: the next Newton step has
    them if the trial is taken. Of a quadratic f only the Hessian of new columns is asked for;
    the rest follows from it and from the last gradient.
    """

    whole: Sharded | ShardedProfiled

    def __init__(self, whole: Sharded | ShardedProfiled) -> None:
        self.whole = whole
        self.places = slice(None)
        self._atoms: list[Atom] = []
        self._hessian: Array = np.empty((0, 0))  # of a quadratic f, of the first atoms
        self._changed()

    def _changed(self) -> None:
        """Forget what belonged to the set before it changed."""
        self._matrix: Matrix | None = None
        self._named: NamedAtoms | None = None
        self._known: Recent[bytes, LocalExpansion] = Recent(MAX_EXPANSIONS)
        self._last: tuple[Array, Array] | None = None  # a direction, and the weights' change in it

    @property
    def objective(self) -> Objective:
        return cast(Objective, _LineObjective(self))

    def add(self, points: Sequence[Atom]) -> None:
        if points:
            self._atoms.extend(points)
            self._changed()

    def keep(self, keep: NDArray[np.bool_]) -> None:
        self._grow()
        self._atoms = [atom for atom, stays in zip(self._atoms, keep, strict=True) if stays]
        if self.whole.quadratic:
            self._hessian = np.ascontiguousarray(self._hessian[np.ix_(keep, keep)])
        self._changed()

    @property
    def matrix(self) -> Matrix:
        """CSC matrix of the atoms as columns."""
        if self._matrix is None:
            self._matrix = as_columns(self._atoms, self.whole.n).tocsc()
        return self._matrix

    @property
    def atoms(self) -> NamedAtoms:
        """Atoms with their name, for shards."""
        if self._named is None:
            self._named = named_atoms(self._atoms, self.whole.n)
        return self._named

    def image(self, weights: Array) -> Array:
        return np.asarray(self.matrix @ weights, dtype=self.whole.dtype)

    def combine(self, weights: Array) -> Array:
        dz = self.image(weights)
        self._last = dz, np.array(weights)
        return dz

    def ahead(self, z: Array, dz: Array, t: float) -> Array:
        there = super().ahead(z, dz, t)
        here = self._known.find(named(z).name)
        if self.whole.quadratic and here is not None:
            self._known.keep(named(there).name, self._moved(here, self._change(dz), t))
        return there

    def derivative(self, z: Array, room: Array) -> Array:
        return self.at(z).slopes

    def hessian(self, z: Array) -> Array:
        return self.at(z).hessian

    def along(self, z: Array, dz: Array, t: float) -> tuple[float, float, float | None]:
        """Value, slope and curvature of t -> f(z + t dz) at t."""
        away = self._change(dz)
        if self.whole.quadratic:
            there = self._moved(self.at(z), away, t)
        else:
            there = self.at(super().ahead(z, dz, t) if t else z)
        return there.value, float(there.slopes @ away), float(away @ there.hessian @ away)

    def at(self, z: Array) -> LocalExpansion:
        """Expansion of f at a point: known, or asked for in one round."""
        point = named(z)
        known = self._known.find(point.name)
        if known is None:
            known = self._quadratic(point) if self.whole.quadratic else self._asked(point)
            self._known.keep(point.name, known)
        return known

    def _asked(self, point: NamedVector) -> LocalExpansion:
        """Expansion at a point, by a round."""
        return LocalExpansion(*self.whole.restricted(point, self.atoms))

    def _quadratic(self, point: NamedVector) -> LocalExpansion:
        """Expansion of a quadratic f, from its gradient and the constant Hessian."""
        self._grow()
        value, gradient = self.whole.evaluated(point)
        slopes = np.asarray(self.matrix.T @ gradient, dtype=np.float64)
        return LocalExpansion(value, slopes, self._hessian)

    @staticmethod
    def _moved(here: LocalExpansion, away: Array, t: float) -> LocalExpansion:
        """Expansion of a quadratic f at distance t along a change `away` of the weights."""
        curvature = here.hessian @ away
        rise = t * float(here.slopes @ away) + 0.5 * t * t * float(away @ curvature)
        return LocalExpansion(here.value + rise, here.slopes + t * curvature, here.hessian)

    def _change(self, dz: Array) -> Array:
        """Change of the weights that `combine` made the direction dz from."""
        assert self._last is not None
        assert self._last[0] is dz
        return self._last[1]

    def _grow(self) -> None:
        """Extend the Hessian of a quadratic to new atoms, whose rows alone are asked for."""
        old, size = self._hessian.shape[0], len(self._atoms)
        if not self.whole.quadratic or old == size:
            return
        late = named_atoms(self._atoms[old:], self.whole.n) if old else None
        found = self.whole.constant_hessian(self.atoms, late)
        full = np.empty((size, size))
        full[:old, :old], full[:, old:] = self._hessian, found
        full[old:, :old] = full[:old, old:].T
        self._hessian = full

    def pack(self) -> dict[str, Array]:
        return {"hessian": self._hessian}

    def restore(self, points: Sequence[Atom], hessian: Array) -> None:
        if hessian.ndim != 2 or not hessian.shape[0] == hessian.shape[1] <= len(points):
            raise ValueError("the Hessian is not that of the points")
        self._atoms, self._hessian = list(points), np.array(hessian)
        self._changed()


class _LineObjective:
    """The part of an objective that a corrective step's line search asks for."""

    def __init__(self, columns: ShardedColumns) -> None:
        self._columns = columns
        self.quadratic = columns.whole.quadratic
        self.max_step = columns.whole.max_step
        self.along = columns.along
