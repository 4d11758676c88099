"""Sharded losses with their intercepts minimized out."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels import semidefinite
from frankwolfe.core.columns import AtomColumns
from frankwolfe.core.objective_abilities import ShiftedDerivatives
from frankwolfe.engines.dask.columns import ShardedColumns
from frankwolfe.engines.dask.levels import Bordered, Level
from frankwolfe.engines.dask.named import NamedAtoms, NamedVector, Recent, named
from frankwolfe.engines.dask.sharded import Sharded, as_atoms
from frankwolfe.objectives import Objective
from frankwolfe.objectives.profiled import ALONG_TOL, Profiled, rounding_of
from frankwolfe.objectives.profiled_variables import FLAT_CURVATURE, Along, Free, Lines

__all__ = ["ShardedIntercepts", "ShardedProfiled"]

MAX_NEWTON_STEPS = 20  # in b, a round each; after these, b is found by the safeguarded search


class ShardedIntercepts(Free):
    """Intercepts b of a sharded loss, the same for every observation."""

    objective: Sharded

    def __init__(self, objective: Sharded) -> None:
        self.objective = objective
        self.largest: Array = np.ones(objective.intercepts)
        self._known: Recent[tuple[bytes, bytes, float, bytes], ShiftedDerivatives] = Recent()

    @property
    def matrix(self) -> Array:
        """Identity: the distinct rows of U, which is not formed."""
        return np.eye(self.largest.size)

    @property
    def constant(self) -> Array:
        return np.ones(self.largest.size)

    def of(self, objective: Objective) -> ShardedIntercepts:
        assert isinstance(objective, Sharded)
        return ShardedIntercepts(objective)

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> ShiftedDerivatives:
        name = (z.tobytes(), dz.tobytes(), float(t), b.tobytes())
        known = self._known.find(name)
        if known is None:
            known = self._known.keep(name, self.objective.shifted(z, dz, t, b))
        return known

    def level(self, z: Array, b: Array) -> Level:
        """phi, sums of phi' by class, and the gradient at z + b: one round."""
        return Level.sum(self.objective.ask("evaluate_shifted", named(z), b))

    def linearize(self, z: Array, b: Array, slope: Array) -> float:
        at = self.level(z, b)
        slope[:] = at.gradient
        return at.value

    def lines(self, z: Array, dz: Array, t: float, b: Array) -> Lines:
        def line(d: Array) -> Along:
            def along(s: float) -> tuple[float, float, float | None]:
                now = self.shifted(z, dz, t, b + s * d)
                return now.value, float(now.sums @ d), float(d @ now.gram @ d)

            return along

        return line

    def bound_along(self, d: Array) -> float:
        return float(sum(self.objective.ask("bound_along", d)))


class ShardedProfiled(Profiled):
    """Sharded loss minimized over its intercepts, by the formulas of `Profiled`, in rounds."""

    objective: Sharded
    _free: ShardedIntercepts  # type: ignore[assignment]  # without products on images
    carries_x = distant = True
    scores = None  # type: ignore[assignment]  # they stay on the workers
    _evaluated: tuple[bytes, Level | None] = b"", None  # the last point, and its level
    _last: Array | None = None  # the last b, from which the next is sought

    def _intercepts(self, objective: Objective) -> ShardedIntercepts:  # type: ignore[override]
        assert isinstance(objective, Sharded)
        return ShardedIntercepts(objective)

    def _columns(self, objective: Objective, free: object) -> NoReturn:
        raise InvalidInput(
            "free columns other than intercepts need their rows beside the data: for a Dask "
            "collection leave `free` out."
        )

    def value(self, z: Array) -> float:
        return self._free.shifted(z, np.empty(0), 0.0, self._found(z)).value

    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        b, eps = self._found(z), float(np.finfo(self.dtype).eps)
        at = self._free.level(z, b)
        slope[:] = at.gradient
        self._evaluated = named(z).name, at
        apart = np.abs(b) + at.largest / self._free.largest  # as in Profiled.linearize
        return at.value, at.inner + float(np.abs(at.sums) @ apart) + 4.0 * eps * at.size

    def evaluated(self, point: NamedVector) -> tuple[float, Array]:
        """f and its gradient at a point; no round if it was evaluated just now."""
        if self._evaluated[0] != point.name:
            z = point.vector(self.n)
            self.linearize(z, np.empty_like(z))
        at = self._evaluated[1]
        assert at is not None
        return at.value, at.gradient

    def restricted(self, point: NamedVector, atoms: NamedAtoms) -> tuple[float, Array, Array]:
        """f with its gradient and Hessian in the weights of atoms.

        Newton steps in b end when its slopes are small; the effect of one more step is added.
        """
        b = self._origin() if self._last is None else self._last
        for _ in range(MAX_NEWTON_STEPS):
            now = Bordered.sum(self.objective.ask("restricted_shifted", point, b, atoms, None))
            step, fall = semidefinite.descent(now.gram, FLAT_CURVATURE, now.sums)
            if not semidefinite.excess(now.sums, ALONG_TOL, now.sizes) > 0.0:
                break
            if not 0.0 < fall < np.inf:
                break
            b = b + step
        else:
            b = self._found(point.vector(self.n))
            now = Bordered.sum(self.objective.ask("restricted_shifted", point, b, atoms, None))
        self._last = b
        left = semidefinite.solve(now.gram, FLAT_CURVATURE, now.sums)
        value = now.value - 0.5 * float(now.sums @ left)
        return value, now.slopes - now.cross @ left, _reduced(now, same=True)

    def constant_hessian(self, left: NamedAtoms, right: NamedAtoms | None) -> Array:
        """Hessian of a quadratic between two sets of atoms, or of one: one round."""
        point, b = named(np.zeros(self.n, dtype=self.dtype)), np.zeros(self.intercepts)
        now = Bordered.sum(self.objective.ask("restricted_shifted", point, b, left, right))
        return _reduced(now, same=right is None)

    def hessian(self, z: Array, left: Matrix, right: Matrix) -> Array:
        sets = as_atoms(left), None if left is right else as_atoms(right)
        question = ("restricted_shifted", named(z), self._found(z), *sets)
        return _reduced(Bordered.sum(self.objective.ask(*question)), same=left is right)

    def full_hessian(self, z: Array) -> Array:
        parts = self.objective.ask("full_shifted", named(z), self._found(z))
        whole, cross, gram = (sum(part[1:], part[0]) for part in zip(*parts, strict=True))
        inverse = semidefinite.inverse(gram, FLAT_CURVATURE)
        return np.asarray(whole - cross @ inverse @ cross.T + rounding_of(whole))

    def columns(self) -> AtomColumns:
        return ShardedColumns(self)

    def block_gradient(self, z: Array, block: slice, slope: Array, out: Array) -> None:
        self.linearize(z, slope)
        out[:] = slope[block]


def _reduced(now: Bordered, *, same: bool) -> Array:
    """Schur complement: the Hessian in the weights with b minimized out."""
    found = now.hessian - now.cross @ semidefinite.inverse(now.gram, FLAT_CURVATURE) @ now.other.T
    return np.asarray(found + rounding_of(now.hessian) if same else found)
