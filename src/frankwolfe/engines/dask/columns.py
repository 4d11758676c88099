"""A working set whose images are on the workers: a Newton step is one round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.core.atoms import Atom
from frankwolfe.core.columns import AtomColumns
from frankwolfe.core.products import as_columns
from frankwolfe.engines.dask.named import Named, NamedAtoms, Recent, named, named_atoms
from frankwolfe.objectives import Objective

if TYPE_CHECKING:
    from frankwolfe.engines.dask.profiled import ShardedProfiled
    from frankwolfe.engines.dask.sharded import Sharded

__all__ = ["ShardedColumns"]

KNOWN = 8  # points whose derivatives are kept


class Place(NamedTuple):
    """f at a point, with its derivatives in the weights of the set."""

    value: float
    slopes: Array
    hessian: Array


class ShardedColumns(AtomColumns):
    """A few atoms, and f in their weights; an image is the point that it belongs to.

    A trial of a line search brings back the derivatives there too, k^2 + k numbers, so that the
    next Newton step has them where the trial is taken. Of a quadratic f nothing but the Hessian
    of new columns is asked for: the rest follows from it and from the last gradient.
    """

    whole: Sharded | ShardedProfiled

    def __init__(self, whole: Sharded | ShardedProfiled) -> None:
        self.whole = whole
        self.places: Any = slice(None)
        self._atoms: list[Atom] = []
        self._hessian: Array = np.empty((0, 0))  # of a quadratic f, of the first atoms
        self._changed()

    def _changed(self) -> None:
        """The set is another one."""
        self._matrix: Matrix | None = None
        self._named: NamedAtoms | None = None
        self._known = Recent(KNOWN)
        self._last: tuple[Array, Array] | None = None  # a direction, and the weights' change in it

    @property
    def objective(self) -> Objective:
        return cast(Objective, _Part(self))

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
        """The atoms as columns."""
        if self._matrix is None:
            self._matrix = as_columns(self._atoms, self.whole.n).tocsc()
        return self._matrix

    @property
    def atoms(self) -> NamedAtoms:
        """The atoms with their name."""
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
        """Value, slope and curvature of f at z + t dz."""
        away = self._change(dz)
        if self.whole.quadratic:
            there = self._moved(self.at(z), away, t)
        else:
            there = self.at(super().ahead(z, dz, t) if t else z)
        return there.value, float(there.slopes @ away), float(away @ there.hessian @ away)

    def at(self, z: Array) -> Place:
        """f and its derivatives at a point: known, or a round."""
        point = named(z)
        known = self._known.find(point.name)
        if known is None:
            known = self._quadratic(point) if self.whole.quadratic else self._asked(point)
            self._known.keep(point.name, known)
        return cast(Place, known)

    def _asked(self, point: Named) -> Place:
        return Place(*self.whole.restricted(point, self.atoms))

    def _quadratic(self, point: Named) -> Place:
        self._grow()
        value, gradient = self.whole.evaluated(point)
        slopes = np.asarray(self.matrix.T @ gradient, dtype=np.float64)
        return Place(value, slopes, self._hessian)

    @staticmethod
    def _moved(here: Place, away: Array, t: float) -> Place:
        """Along a direction of a quadratic."""
        bend = here.hessian @ away
        rise = t * float(here.slopes @ away) + 0.5 * t * t * float(away @ bend)
        return Place(here.value + rise, here.slopes + t * bend, here.hessian)

    def _change(self, dz: Array) -> Array:
        """The change of the weights that belongs to a direction."""
        assert self._last is not None
        assert self._last[0] is dz
        return self._last[1]

    def _grow(self) -> None:
        """The Hessian of a quadratic; only the rows of the last atoms are asked for."""
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


class _Part:
    """f on the lines that a corrective step searches."""

    def __init__(self, columns: ShardedColumns) -> None:
        self._columns = columns
        self.quadratic = columns.whole.quadratic
        self.max_step = columns.whole.max_step
        self.along = columns.along
